// Manifold recycling: one kernel computes the anchor of a manifold, another tests whether its pair has since moved by
// less than a tolerance and refreshes the manifold.
//
// How far a pair has moved: the kernel sees one shape in the frame of the other. The displacement of its farthest point
// since the anchor is bounded by that of its centre plus the chord along which the rotation since then takes its
// corners (two rotation matrices differ by sqrt 2 times the chord at distance 1, in the Frobenius norm). Of the two
// frames the one with the smaller result counts, so a crate that tilts on a wide floor has moved by what the crate's
// corners did. The pair's distance or depth cannot have changed by more.
//
// The refreshed manifold: each point stays fixed to the surface of a, as does the normal; its separation changes by the
// relative displacement of the two contact points along the normal. That is exact to first order in the displacement. A
// small shape may rotate far with little displacement, which is too inexact where the two points are deep, far apart,
// or off the shapes: so a manifold is not reused either when a point's separation would change by more than the
// tolerance.
#ifndef AB_RECYCLE_H
#define AB_RECYCLE_H

#include "base/platform.h"
#include "narrow/store/packed_manifolds.h"

// The anchor of a manifold; two cache lines. All in the axes of shape a at that time. Points past the manifold's own
// repeat its first.
typedef struct ab_anchor
{
    float between[3]; // from the centre of a to the centre of b
    float separation;
    float turn[9]; // turn[3 * j + k]: component k of axis j of b
    float normal[3];
    float x[AB_MAX_POINTS], y[AB_MAX_POINTS], z[AB_MAX_POINTS]; // from the centre of a
    float gap[AB_MAX_POINTS];                                   // separations of the points
} ab_anchor;

// Prefetches both cache lines of an anchor.
AB_INLINE void ab_anchor_prefetch(const ab_anchor *anchors, uint32_t slot)
{
    AB_PREFETCH_AT(anchors, slot);
    AB_PREFETCH_AT((const char *)anchors, (size_t)slot * sizeof *anchors + AB_CACHE_LINE);
}

// Manifolds to compute anchors for; all lists are padded to a whole number of lanes.
typedef struct ab_anchor_batch
{
    const ab_proxies *proxies;
    const ab_packed_manifold *manifolds;
    const uint32_t *line;        // where the manifold begins
    const uint32_t *point_count; // of it
    const uint32_t *slot;        // of its anchor
    ab_anchor *anchors;
    uint32_t count;
} ab_anchor_batch;

typedef void ab_anchor_kernel(const ab_anchor_batch *batch);

// Pairs that touched in the last detect; `anchor` and `position` are parallel to pairs.a and pairs.b, and padded like
// them. The first of a pair has the lower collider key, whatever the kinds.
typedef struct ab_recycle_batch
{
    ab_batch pairs; // without reach: only touching pairs are reused
    const ab_anchor *anchors;
    const uint32_t *anchor;              // into anchors
    const uint32_t *position;            // index of the refreshed manifold; below 2^26
    float tolerance;                     // metres
    const struct ab_recycle_batch *next; // its records and anchors are prefetched meanwhile; NULL: none
} ab_recycle_batch;

// A refreshed manifold. It has its old number of points and their features; points past those are undefined.
typedef struct ab_refreshed
{
    float normal[3]; // from a to b, world axes
    float separation;
    ab_point_geometry point[AB_MAX_POINTS];
} ab_refreshed;

// Writes the batch indices of the pairs whose motion, and whose points' change of separation, is within the tolerance
// and that still touch, ascending, and returns their number. Refreshes all manifolds; those of other pairs are
// undefined. `kept` has room for count + AB_WIDEST.
typedef uint32_t ab_recycle_kernel(const ab_recycle_batch *batch, uint32_t *kept, ab_refreshed *made);

typedef struct ab_recycle_kernels
{
    ab_anchor_kernel *make_anchors;
    ab_recycle_kernel *keep;
} ab_recycle_kernels;

// Whether manifolds of two proxies with these flags are recycled. A contact with a sphere costs less to compute than to
// look up; one of shapes that may change is computed anew; sweeps need the pairs of CCD bodies.
static inline bool ab_recycles(const ab_pair_table *table, uint32_t flags_a, uint32_t flags_b)
{
    if (((flags_a | flags_b) & AB_PROXY_CCD) != 0)
    {
        return false;
    }
    const uint32_t kind_a = (flags_a & AB_PROXY_TYPE_KEY) >> 2, kind_b = (flags_b & AB_PROXY_TYPE_KEY) >> 2;
    const ab_pair_type *type = kind_a < kind_b ? &table->type[kind_a][kind_b] : &table->type[kind_b][kind_a];
    return type->max_points > 1 && !type->may_change && !(AB_HAS_CHILDREN && type->has_parts);
}

#endif
