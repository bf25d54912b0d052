// A manifold as kernels write it and the contact store reads it. Manifolds are stored in the order found and read once
// in sorted order. Each is as many lines of 32 bytes, half a cache line, as its points need: all that a contact is made
// of takes two cache lines at most. The keys for sorting and merging are in separate, dense entries.
#ifndef AB_PACKED_MANIFOLD_H
#define AB_PACKED_MANIFOLD_H

#include "base/memory.h"
#include "bounds/proxies.h"
#include "shape/kinds.h"

#include <abut/collide.h>

#include <stddef.h>
#include <string.h>

#define AB_MAX_POINTS   4u
#define AB_LINE_POINTS  2u // on a line; the first are on a manifold's second
#define AB_PACKED_LINES 4u // of a manifold, at most

// The features of a manifold's points packed into one word, 16 bits each, to compare at once; AB_FEATURES_LONG if a
// feature needs more. Other equal words mean equal features and counts: missing points have all ones, which no feature
// has.
#define AB_FEATURES_LONG UINT64_MAX
#define AB_NO_FEATURE    0xffffu // of a missing point; a feature of this or more is long

// A point without its feature, which is its last field.
typedef struct ab_point_geometry
{
    float offset[3]; // from the position of body a, world axes
    float separation;
} ab_point_geometry;

_Static_assert(offsetof(abut_point, feature) == sizeof(ab_point_geometry), "a point begins with its geometry");

// One line. Proxy a has the lower collider key; the normal points from a to b.
typedef union ab_packed_manifold
{
    struct // the first
    {
        float normal[3];
        float separation;
        uint32_t proxy_a, proxy_b;
        uint32_t features[2]; // a word of features, its lower half first
    };
    ab_point_geometry points[AB_LINE_POINTS]; // the second, and the third where there are more points
    uint32_t long_features[AB_MAX_POINTS];    // the fourth, where features are long; then there is a third, too
} ab_packed_manifold;

_Static_assert(2 * sizeof(ab_packed_manifold) == AB_CACHE_LINE, "two lines of a manifold are a cache line");

#define AB_CHILD_SHIFT 4u

// What is sorted: the keys and the line of a manifold.
typedef struct ab_manifold_entry
{
    uint32_t key_a, key_b; // of the proxies; a's is lower
    uint32_t line;         // where the manifold begins
    uint32_t child_points; // child << AB_CHILD_SHIFT | number of points
} ab_manifold_entry;

static inline uint64_t ab_packed_manifold_features(const ab_packed_manifold *packed)
{
    return packed->features[0] | (uint64_t)packed->features[1] << 32;
}

static inline const ab_point_geometry *ab_packed_manifold_geometry(const ab_packed_manifold *packed, uint32_t i)
{
    return &packed[1 + i / AB_LINE_POINTS].points[i % AB_LINE_POINTS];
}

static inline abut_point ab_packed_manifold_point(const ab_packed_manifold *packed, uint32_t i)
{
    const uint64_t features = ab_packed_manifold_features(packed);
    const ab_point_geometry *geometry = ab_packed_manifold_geometry(packed, i);
    return (abut_point){
        .offset = { geometry->offset[0], geometry->offset[1], geometry->offset[2] },
        .separation = geometry->separation,
        .feature = features == AB_FEATURES_LONG ? packed[3].long_features[i] : (uint32_t)(features >> 16 * i) & 0xffffu,
    };
}

// The feature word of 1 to 4 points.
static inline uint64_t ab_features_of(const abut_point *points, uint32_t count)
{
    uint64_t features = AB_FEATURES_LONG;
    for (uint32_t i = count; i-- > 0;)
    {
        if (points[i].feature >= AB_NO_FEATURE)
        {
            return AB_FEATURES_LONG;
        }
        features = features << 16 | points[i].feature;
    }
    return features;
}

static inline uint32_t ab_packed_manifold_lines(uint32_t point_count, uint64_t features)
{
    return features == AB_FEATURES_LONG ? AB_PACKED_LINES : point_count > AB_LINE_POINTS ? 3 : 2;
}

// Writes the features and points of a manifold; returns its number of lines.
static inline uint32_t ab_packed_manifold_set_points(ab_packed_manifold *packed, const abut_point *points,
                                                     uint32_t count)
{
    const uint64_t features = ab_features_of(points, count);
    const uint32_t lines = ab_packed_manifold_lines(count, features);
    packed->features[0] = (uint32_t)features;
    packed->features[1] = (uint32_t)(features >> 32);
    for (uint32_t i = 0; i < count; ++i)
    {
        memcpy(&packed[1 + i / AB_LINE_POINTS].points[i % AB_LINE_POINTS], &points[i], sizeof(ab_point_geometry));
    }
    for (uint32_t i = 0; features == AB_FEATURES_LONG && i < count; ++i)
    {
        packed[3].long_features[i] = points[i].feature;
    }
    return lines;
}

#endif
