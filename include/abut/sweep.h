// World-free continuous collision of two moving shapes: the time of impact.
#ifndef ABUT_SWEEP_H
#define ABUT_SWEEP_H

#include <abut/collide.h>

#ifdef __cplusplus
extern "C" {
#endif

// A shape at time 0 and its motion: constant linear velocity, constant rate about a constant axis (abut_world_move).
typedef struct abut_moving_shape
{
    abut_shape shape;       // what moves
    abut_pose pose;         // at time 0
    abut_velocity velocity; // metres and radians per second
} abut_moving_shape;

// Flags of an impact.
enum
{
    ABUT_IMPACT_INITIAL = 1u << 0, // the shapes overlap at time 0
    ABUT_IMPACT_BOUND = 1u << 1    // no hit: the shapes do not touch before `time`; later is unknown
};

// The impact of two moving shapes.
typedef struct abut_impact
{
    bool hit;         // false: no impact; the rest is zero unless ABUT_IMPACT_BOUND is set
    float time;       // seconds, rounded down
    abut_vec3 normal; // unit, from a to b
    abut_vec3 offset; // midway between the closest points: metres from a's position at that time, world axes
    float distance;   // metres between the closest points: at most the tolerance if `hit`; negative: depth
    uint32_t flags;   // ABUT_IMPACT_…
} abut_impact;

// Finds the earliest time in [0, duration] seconds at which the shapes are within `tolerance` metres and approach. They
// do not overlap before or at that time, however thin or fast they are. Conservative advancement in double (Mirtich
// 1996). Zero tolerance: 1e-5 of the smaller size plus 1e-7 of both and 1e-9 m, and only shapes that would touch count.
// See docs/sweeps.md.
ABUT_CHECKED ABUT_API abut_status abut_time_of_impact(const abut_moving_shape *a, const abut_moving_shape *b,
                                                      float duration, float tolerance, abut_impact *out);

// abut_time_of_impact of circles, capsules, rectangles and polygons that move in the xy plane: at 2D poses, with linear
// velocities in x and y and angular ones about z.
ABUT_CHECKED ABUT_API abut_status abut_time_of_impact_2d(const abut_moving_shape *a, const abut_moving_shape *b,
                                                         float duration, float tolerance, abut_impact *out);

#ifdef __cplusplus
}
#endif

#endif
