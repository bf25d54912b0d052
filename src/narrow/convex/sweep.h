// The time at which two moving shapes first come within a tolerance of each other: conservative advancement in double
// precision.
//
// The method is that of B. Mirtich ("Impulse-based Dynamic Simulation of Rigid Body Systems", 1996): the gap along the
// direction n between the nearest points closes no faster than (v_a - v_b).n + |n x w_a| r_a + |n x w_b| r_b, where r
// is the largest distance of any point of a shape from its pivot. So nothing touches before gap / speed, and if nothing
// closes along some direction, nothing touches at all. Where boxes spin, that speed is far above the actual one, so a
// step uses the present velocities and a bound on how rotation bends them. As in E. Catto's bilateral advancement
// (2013), one direction is used until its own gap is used up before the nearest points are found again: that needs only
// the reach of both shapes along it.
#ifndef AB_SWEEP_H
#define AB_SWEEP_H

#include "narrow/convex/convex.h"

#include <abut/sweep.h>

#define AB_SWEEP_LEAST_TOLERANCE 1e-9 // metres
#define AB_SWEEP_ROUNDS          4096u // searches for nearest points; boxes that rotate by 2,000 rad need about 500 at most

// A shape that moves with its body: along v, and about the pivot at the constant rate w, in radians a second about its
// direction.
typedef struct ab_mover
{
    ab_convex start; // at time 0
    double pivot[3]; // the body's position at time 0
    double v[3], w[3];
    bool turns;   // its axes rotate as well, not its centre alone
    double reach; // largest distance of any rotating point of its core from the pivot
} ab_mover;

// What a mover is made of. `local` may be NULL: the shape is at its body's origin.
typedef struct ab_moving
{
    const ab_kind_set *kinds; // NULL: none, and the shape is not custom
    const abut_shape *shape;
    const abut_pose *local;
    const abut_pose *pose; // of the body
    const abut_velocity *velocity;
    abut_vec3 origin; // positions are relative to it
    bool is_2d;       // 2D
} ab_moving;

void ab_mover_of(ab_mover *out, const ab_moving *moving);

// The shape after `time` seconds.
void ab_mover_at(const ab_mover *mover, double time, ab_convex *out);

typedef struct ab_sweep
{
    bool hit;
    bool bound;   // undecided, no hit: nothing touches before `time`; later is unknown
    bool initial; // they overlap at time 0 by more than the tolerance
    double time;
    double normal[3]; // unit, from a to b
    double on_a[3], on_b[3];
    double distance; // between those two; negative: depth
} ab_sweep;

// The first time up to `duration` at which the shapes are within the tolerance (not zero) and come closer. Shapes
// within it that slide or part do not count.
void ab_sweep_movers(const ab_mover *a, const ab_mover *b, double duration, double tolerance, ab_sweep *out);

// The same where nothing is hit before `start`.
void ab_sweep_movers_from(const ab_mover *a, const ab_mover *b, double start, double duration, double tolerance,
                          ab_sweep *out);

// What a cast or a CCD body hits, by the default tolerance, from `start` on, before which nothing is hit: what it would
// touch, if it went on. Where it stops is as above, so that what has stopped there can slide on past neighbours of what
// it hit: these it may come as near as to hit them above, without ever touching them.
void ab_sweep_to_touch(const ab_mover *a, const ab_mover *b, double start, double duration, ab_sweep *out);

// The same; *touching is the two as they touch. Which normal they have there may differ from that where they stop: what
// comes down just beside a corner first has that nearest.
void ab_sweep_up_to_touch(const ab_mover *a, const ab_mover *b, double start, double duration, ab_sweep *out,
                          ab_sweep *touching);

// Of builds with meshes: measures the two at a time before which nothing is hit. False: nothing is hit before `limit`
// either, for sure.
bool ab_sweep_look(const ab_mover *a, const ab_mover *b, double start, double limit, ab_sweep *out);

// ab_sweep_up_to_touch from such a look on, which is in *out; with its result.
void ab_sweep_on_to_touch(const ab_mover *a, const ab_mover *b, double duration, ab_sweep *out, ab_sweep *touching);

// Of the tolerance: nearer than that counts as touching. Shapes that have stopped are half of it apart, or more.
#define AB_SWEEP_TOUCH 0x1p-6

// Which overlaps at the start count as hits.
typedef enum ab_overlaps
{
    AB_OVERLAPS_NONE,
    AB_OVERLAPS_APPROACHED, // where the shapes go deeper into each other, or do not move
    AB_OVERLAPS_ALL
} ab_overlaps;

// Whether what goes this way goes deeper into what its normal points to, or does not move.
bool ab_way_approaches(const double way[3], const double normal[3]);

// Whether a sweep's hit counts. Rotation on the way does not.
bool ab_sweep_counts(const ab_mover *a, const ab_mover *b, const ab_sweep *sweep, ab_overlaps overlaps);

// The public form of an impact; `mover` is the first shape.
abut_impact ab_sweep_impact(const ab_sweep *sweep, const ab_mover *mover);

// Whether a mover only travels: nothing of it leaves its way, though it may turn.
bool ab_mover_is_straight(const ab_mover *mover);

static inline bool ab_mover_turns(const ab_mover *mover)
{
    return mover->w[0] != 0.0 || mover->w[1] != 0.0 || mover->w[2] != 0.0;
}

// The default tolerance: a hundred-thousandth of the smaller size, and a ten-millionth of both.
double ab_sweep_tolerance(const ab_mover *a, const ab_mover *b);
double ab_sweep_tolerance_of(double size_a, double size_b);

#endif
