// Two moving shapes and no world: when they first meet.
#ifndef ABUT_SWEEP_H
#define ABUT_SWEEP_H

#include <abut/collide.h>

#ifdef __cplusplus
extern "C" {
#endif

// A shape where it is at time 0, and how it moves from there: its position along the linear velocity, its rotation
// about the angular velocity's constant axis, both at constant rates, as abut_world_move moves a body.
typedef struct abut_moving_shape
{
    abut_shape shape;
    abut_pose pose;
    abut_velocity velocity;
} abut_moving_shape;

enum
{
    ABUT_IMPACT_INITIAL = 1u << 0, // they overlap at time 0 already
    ABUT_IMPACT_BOUND = 1u << 1    // not a hit: they do not meet before `time`; later is unknown
};

// How two moving shapes meet.
typedef struct abut_impact
{
    bool hit;         // false: they do not meet in that time, and the rest is zero unless ABUT_IMPACT_BOUND is set
    float time;       // seconds, never more than it is
    abut_vec3 normal; // unit, from a to b
    abut_vec3 offset; // midway between the points that meet: metres from the position of a at that time, world axes
    float distance;   // metres between those points at that time: at most the tolerance if `hit`; negative: depth
    uint32_t flags;   // ABUT_IMPACT_…
} abut_impact;

// The earliest time in [0, duration] at which the shapes are within `tolerance` metres of each other and come closer.
// Computed in double precision by conservative advancement, so that nothing is passed through however thin it is and
// however fast it moves or turns: the shapes do not overlap at the time given, nor before.
//
// `tolerance` zero: a hundred-thousandth of the smaller size (sum of half extents, or radius) and a ten-millionth of
// both. Shapes that come as near as the tolerance and never touch may be said to meet. Shapes that overlap by more than
// it at the start meet at time 0, along the way out; those that lie side by side and slide along or part do not meet
// there. Shapes within it meet when they come closer, be it by little: by more than half of what zero stands for, which
// may be the rounding of what slides. Flat boxes in one plane are looked at within it: they overlap where rectangles
// would.
//
// Boxes that turn by thousands of radians in the duration may stay unsettled after 4,096 rounds. Then `hit` is false,
// ABUT_IMPACT_BOUND is set, and the other members describe the latest time before which they do not meet.
//
// ABUT_INVALID_ARGUMENT (NULL, a shape, pose or velocity that is not valid, a duration or tolerance that is negative,
// not finite or past ABUT_MAX_MAGNITUDE) leaves *out alone.
ABUT_CHECKED ABUT_API abut_status abut_time_of_impact(const abut_moving_shape *a, const abut_moving_shape *b,
                                                      float duration, float tolerance, abut_impact *out);

#ifdef __cplusplus
}
#endif

#endif
