// When two moving solids first come within a tolerance of each other: conservative advancement in double precision.
//
// The method is that of B. Mirtich ("Impulse-based Dynamic Simulation of Rigid Body Systems", 1996): the gap along the
// direction n between the nearest points closes no faster than (v_a - v_b).n + |n x w_a| r_a + |n x w_b| r_b, with r
// the farthest that any point of a solid is from the pivot it turns about; so nothing meets before gap / speed, and a
// direction along which nothing closes means that nothing meets at all. Where boxes spin, that speed is far above the
// one the gap closes at, and a step is as long as the velocities of the moment and the most that turning can bend them
// allow. As in E. Catto's bilateral advancement (2013), a direction is made use of until its own gap is used up before
// the nearest points are looked for again: that takes no more than the reach of both along it.
#ifndef AB_SWEEP_H
#define AB_SWEEP_H

#include "narrow/convex_double.h"

#include <abut/sweep.h>

#define AB_SWEEP_ROUNDS 4096u // searches for nearest points; boxes that turn by 2,000 rad take some 500 at most

// A solid that moves with its body: along v, and about the pivot at the constant rate w, in radians a second about its
// direction.
typedef struct ab_mover
{
    ab_convex_double start; // at time 0
    ab_dvec3 pivot;         // the body's position at time 0
    ab_dvec3 v, w;
    bool turns;   // its axes turn as well, not its centre alone
    double reach; // how far anything of it that turns is from the pivot, at most
} ab_mover;

// A shape at `local` in its body, which has this rotation at `pivot` and moves at this velocity.
ab_mover ab_mover_of(const abut_shape *shape, const abut_pose *local, abut_quat rotation, ab_dvec3 pivot,
                     const abut_velocity *velocity);

// Where it is after `time` seconds.
ab_convex_double ab_mover_at(const ab_mover *mover, double time);

typedef struct ab_sweep
{
    bool hit;
    bool bound;   // not settled, and no hit: nothing meets before `time`, nothing is known of later
    bool initial; // they overlap at time 0 by more than the tolerance
    double time;
    ab_dvec3 normal; // unit, from a to b
    ab_dvec3 on_a, on_b;
    double distance; // between those two; negative: depth
} ab_sweep;

// The first time up to `duration` at which the solids are no farther apart than the tolerance (not zero) and come
// closer. Solids that lie within it of each other and slide or part do not meet there.
ab_sweep ab_sweep_movers(const ab_mover *a, const ab_mover *b, double duration, double tolerance);

// What a caller is told of a hit, as the first of the two (which `mover` is) sees it, or the second.
abut_impact ab_sweep_impact(const ab_sweep *sweep, const ab_mover *mover, bool first);

// What a tolerance should be when nobody says: a hundred-thousandth of the smaller size, and a ten-millionth of both.
double ab_sweep_tolerance(const ab_mover *a, const ab_mover *b);

#endif
