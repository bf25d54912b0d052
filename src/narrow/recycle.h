// Manifolds that are kept: a kernel that remembers where a manifold was computed, and one that looks whether its pair
// has since moved by less than a tolerance and makes the manifold of now from the one of then.
//
// How far a pair has moved: one shape is looked at in the frame of the other, and the way of its farthest point since
// the manifold was computed is bounded by the way of its centre and the chord along which the turn since then takes its
// corners (the matrices of two rotations differ by sqrt 2 times the chord at distance 1, in the norm of Frobenius). Of
// the two frames the one with the smaller answer counts, so that a crate that tilts on a wide floor has moved by what
// the crate's corners did. Their distance or depth cannot have changed by more.
//
// The manifold of now: each point has stayed with the surface of a, its normal too; its separation has changed by what
// the relative displacement of the two points of contact has along the normal. That is right to first order in the
// displacement. What is small may turn far in little way, and then that says nothing where the two points lie deep, or
// wide apart, or off the shapes: so a manifold is not kept either when the separation of a point would change by more
// than the tolerance.
#ifndef AB_RECYCLE_H
#define AB_RECYCLE_H

#include "base/platform.h"
#include "narrow/packed_manifolds.h"

// Where a manifold was computed; two cache lines. All in the axes of shape a as they were then. Points past the
// manifold's own repeat its first.
typedef struct ab_anchor
{
    float between[3]; // from the centre of a to the centre of b
    float separation;
    float turn[9]; // turn[3 * j + k]: component k of axis j of b
    float normal[3];
    float x[AB_MAX_POINTS], y[AB_MAX_POINTS], z[AB_MAX_POINTS]; // from the centre of a
    float gap[AB_MAX_POINTS];                                   // separations of the points
} ab_anchor;

// Asks for both lines of one.
AB_INLINE void ab_reference_ahead(const ab_anchor *anchors, uint32_t slot)
{
    AB_PREFETCH_AT(anchors, slot);
    AB_PREFETCH_AT((const char *)anchors, (size_t)slot * sizeof *anchors + AB_CACHE_LINE);
}

// Patches to be remembered; all lists are padded to a whole number of lanes by what is there already.
typedef struct ab_remember_batch
{
    const ab_proxies *proxies;
    const ab_packed_manifold *manifolds;
    const uint32_t *line;        // where the patch begins
    const uint32_t *point_count; // of it
    const uint32_t *slot;        // of its reference
    ab_anchor *anchors;
    uint32_t count;
} ab_remember_batch;

typedef void ab_remember_kernel(const ab_remember_batch *batch);

// Pairs that touched in the last detect; `reference` and `place` run parallel to pairs.a and pairs.b, and are padded
// like them. The first of a pair has the lower order, whatever the kinds.
typedef struct ab_recycle_batch
{
    ab_batch pairs; // without reach: only what touches is kept
    const ab_anchor *anchors;
    const uint32_t *anchor;              // into references
    const uint32_t *place;               // where the manifold of now goes; below 2^26
    float tolerance;                     // metres
    const struct ab_recycle_batch *next; // whose records and references the cache is asked for meanwhile; NULL: none
} ab_recycle_batch;

// A manifold of now. It has as many points as it had, with the features they had; points past those mean nothing.
typedef struct ab_refreshed
{
    float normal[3]; // from a to b, world axes
    float separation;
    ab_point_geometry point[AB_MAX_POINTS];
} ab_refreshed;

// Writes the places in the batch of those pairs that moved by no more than the tolerance, as did the separations of
// their points, and still touch, in order, and returns how many; and the manifolds of now of all: those of the others
// mean nothing. `kept` has room for count + AB_WIDEST.
typedef uint32_t ab_recycle_kernel(const ab_recycle_batch *batch, uint32_t *kept, ab_refreshed *made);

typedef struct ab_recycle_kernels
{
    ab_remember_kernel *remember;
    ab_recycle_kernel *keep;
} ab_recycle_kernels;

// Whether a manifold between two leaves is worth keeping, given their traits. A contact with a sphere is computed in
// less time than it would take to look it up; one with a shape of a caller's kind may come of anything; sweeps want to
// see the pairs of fast bodies.
static inline bool ab_recycles(const ab_pair_table *table, uint32_t flags_a, uint32_t flags_b)
{
    const uint32_t kind_a = (flags_a & AB_PROXY_TYPE_KEY) >> 2, kind_b = (flags_b & AB_PROXY_TYPE_KEY) >> 2;
    if (kind_a == ABUT_CUSTOM || kind_b == ABUT_CUSTOM || ((flags_a | flags_b) & AB_PROXY_CCD) != 0)
    {
        return false;
    }
    return (kind_a < kind_b ? table->type[kind_a][kind_b] : table->type[kind_b][kind_a]).max_points > 1;
}

// NULL for an instruction set that is not compiled in.
const ab_recycle_kernels *ab_recycle_kernels_for(abut_isa isa);

#endif
