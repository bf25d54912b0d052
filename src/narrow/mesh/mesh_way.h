// The way of a sweep past a shape of parts, in stages: what is hit early is found without a look at what lies farther
// on.
#ifndef AB_MESH_WAY_H
#define AB_MESH_WAY_H

#include "narrow/convex/sweep.h"
#include "narrow/mesh/triangle.h"

// A box of a mover's frame, as it is at time 0, that has all of another that it may touch in the time.
ab_mesh_box ab_swept_box(const ab_mover *mover, const ab_mover *other, double duration);

// The same from one time to another, of the mover's frame as it is at the first. Parts that do not move in that frame
// have one box for all times.
ab_mesh_box ab_swept_box_between(const ab_mover *mover, const ab_mover *other, double start, double end);

#define AB_WAY_STAGES 24u

// Each stage begins where the last one ends. The first is about as long as the shape, each half as long again as the
// one before, so that few stages make a long way, and hardly more than the parts along it are seen.
typedef struct ab_way
{
    const ab_mover *mover, *other; // the parts, and the shape that goes past them
    double duration, length;
    double start, end; // of the present stage
    uint32_t count;    // of stages so far, with the present one
    ab_mesh_box box[AB_WAY_STAGES];
} ab_way;

// Begins the first stage. The movers must outlive the way.
void ab_way_begin(ab_way *way, const ab_mover *mover, const ab_mover *other, double duration);

// Begins the next one. False: there is none.
bool ab_way_go_on(ab_way *way);

static inline const ab_mesh_box *ab_way_box(const ab_way *way)
{
    return &way->box[way->count - 1];
}

// A ball about the other's pivot that the other stays in, as seen from a mover that does not turn; in its axes.
typedef struct ab_way_ball
{
    double at[3], way[3]; // at time 0, and in a second
    double radius;        // infinite if the mover turns
    double duration;
} ab_way_ball;

void ab_way_ball_of(const ab_mover *mover, const ab_mover *other, double duration, ab_way_ball *out);

// Whether the ball meets a box of the mover's frame, or a triangle's own, to rounding. Sets *start to a time before
// which it does not.
bool ab_way_ball_meets(const ab_way_ball *ball, const double min[3], const double max[3], double *start);
bool ab_way_ball_meets_triangle(const ab_way_ball *ball, const ab_mesh *mesh, uint32_t triangle, double *start);

// Whether a triangle's own box meets the box of a stage before the present one.
bool ab_way_has_met(const ab_way *way, const ab_mesh *mesh, uint32_t triangle);

#endif
