// The bounds pass: shapes and poses → boxes, records and block extents, in broad-phase order.
//
// A box contains its shape as the narrow phase will see it, grown for half the margin and the collider's own reach,
// rounded outward: a pair that the narrow phase would call touching always has overlapping boxes, also where float
// coordinates are centimetres apart.
#ifndef AB_BOUNDS_H
#define AB_BOUNDS_H

#include "base/isa.h"
#include "bounds/proxies.h"

typedef struct ab_bounds_in
{
    const abut_pose *poses;          // by body slot
    const abut_velocity *velocities; // by body slot; read only when horizon is not zero
    const abut_pose *locals;         // by collider slot; read for placed colliders only
    float growth;                    // metres: half the margin
    float horizon;                   // seconds
    bool plane;                      // poses and velocities off the plane are not valid
} ab_bounds_in;

// Writes blocks [first, end). Returns a leaf whose pose (or velocity, with a horizon) is not valid, or ABUT_NONE.
typedef uint32_t ab_bounds_pass(const ab_bounds_in *in, ab_proxies *proxies, uint32_t first, uint32_t end);

// NULL for an instruction set that is not compiled in.
ab_bounds_pass *ab_bounds_pass_for(abut_isa isa);

#endif
