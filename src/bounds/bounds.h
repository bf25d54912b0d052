// The bounds pass: computes AABBs, records and block AABBs from shapes and poses, in broad-phase order.
//
// An AABB contains its shape as the narrow phase sees it, grown by half the margin and the collider's reach (with a
// speculative distance by no more of that, and along its body's way besides), rounded outward: a pair that the narrow
// phase finds touching always has overlapping AABBs, even where float coordinates are centimetres apart.
#ifndef AB_BOUNDS_H
#define AB_BOUNDS_H

#include "base/isa.h"
#include "bounds/anchors.h"
#include "bounds/proxies.h"

#define AB_LEAST_SQUARE 1.0e-12f // of a quaternion's length; it is invalid below that, or where its square overflows

typedef struct ab_bounds_in
{
    const abut_pose *poses;          // by body slot
    const abut_velocity *velocities; // by body slot; read only when horizon is not zero
    const uint8_t *known;            // by body slot: AB_ANCHOR_…: whose reach is ignored; NULL: nobody's
    const abut_pose *locals;         // by collider slot; read for placed colliders only
    const abut_shape *shapes;        // by collider slot; read for those with AB_PROXY_POINTS only
    float growth;                    // metres: half the margin, and of the recycle distance
    float horizon;                   // seconds
    float speculative_distance;      // metres: what of a reach counts for contacts at most; zero: all of it
    bool is_2d;                      // 2D: poses and velocities out of the xy plane are invalid
} ab_bounds_in;

// Writes blocks [first, end). Returns a proxy whose pose (or velocity, with a horizon) is invalid, or ABUT_NONE.
typedef uint32_t ab_bounds_pass(const ab_bounds_in *in, ab_proxies *proxies, uint32_t first, uint32_t end);

typedef struct ab_bounds_kernels
{
    ab_bounds_pass *pass;
} ab_bounds_kernels;

#endif
