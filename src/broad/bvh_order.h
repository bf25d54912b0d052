// What sorting proxies into the order of the tree works with, on one thread or in tasks: keys by size class and by
// position on a curve, and the memory.
#ifndef AB_BVH_ORDER_H
#define AB_BVH_ORDER_H

#include "base/platform.h"
#include "broad/bvh.h"

#include <string.h>

#define AB_CLASS_OCTAVES 3u // doublings per size class
#define AB_CLASS_BITS    2u
#define AB_PLACE_BITS    30u // below the class in a key

// A word to sort: the key in the upper half, the proxy in the lower.
#define AB_KEY_SHIFT 32u

#define AB_BEYOND 1.0e30f // all coordinates

// Twice the centre of a proxy, and its largest extent.
typedef struct ab_sort_point
{
    float centre[3];
    float size;
} ab_sort_point;

typedef struct ab_sorting
{
    const ab_proxies *proxies;
    const abut_pose *poses; // by body slot
    const ab_hilbert *curve;
    uint32_t median; // octave of the median size
    const ab_broad *broad;
} ab_sorting;

static inline ab_sorting ab_sorting_by(const ab_broad *broad)
{
    const ab_bvh *bvh = broad->state;
    return (ab_sorting){ broad->proxies, broad->in.poses, &bvh->curve, bvh->sort.median, broad };
}

static inline float ab_larger(float a, float b)
{
    return a > b ? a : b;
}

// A proxy without an AABB, before its first bounds pass, uses its body's present position. An invalid pose may leave
// NaN or infinity, which give some valid cell.
AB_INLINE ab_sort_point ab_sort_point_of(const ab_proxies *proxies, const abut_pose *poses, uint32_t proxy)
{
    const ab_aabb8 *b = &proxies->block[proxy / AB_BLOCK];
    const uint32_t k = proxy % AB_BLOCK;
    if (b->min_x[k] == AB_EMPTY_BOX)
    {
        const ab_record *record = &proxies->record[proxy];
        const abut_vec3 position = poses[record->collider_key >> 8].position;
        return (ab_sort_point){ { 2.0f * position.x, 2.0f * position.y, 2.0f * position.z },
                                2.0f * ab_larger(record->half_x, ab_larger(record->half_y, record->half_z)) };
    }
    return (ab_sort_point){ { b->min_x[k] + b->max_x[k], b->min_y[k] + b->max_y[k], b->min_z[k] + b->max_z[k] },
                            ab_larger(b->max_x[k] - b->min_x[k],
                                      ab_larger(b->max_y[k] - b->min_y[k], b->max_z[k] - b->min_z[k])) };
}

static inline uint32_t ab_octave_of(float size)
{
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return bits >> 23 & 0xffu;
}

static inline uint32_t ab_size_class(float size, uint32_t median)
{
    const uint32_t octave = ab_octave_of(size);
    const uint32_t above = octave > median ? (octave - median) / AB_CLASS_OCTAVES : 0;
    const uint32_t most = (1u << AB_CLASS_BITS) - 1;
    return above < most ? above : most;
}

static inline uint32_t ab_proxy_of_word(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint32_t ab_cell_along(const ab_curve_cells *c, float coordinate, uint32_t k)
{
    const float at = (coordinate - c->low[k]) * c->scale, last = (float)((1u << c->bits) - 1);
    return (uint32_t)(at > 0.0f ? (at < last ? at : last) : 0.0f);
}

AB_INLINE uint32_t ab_sort_key(const ab_sorting *sort, const ab_curve_cells *c, const ab_sort_point *s)
{
    const uint32_t x = ab_cell_along(c, s->centre[0], 0), y = ab_cell_along(c, s->centre[1], 1),
                   z = ab_cell_along(c, s->centre[2], 2);
    const uint32_t place = ab_hilbert_position(sort->curve, x, y, z, c->bits);
    return ab_size_class(s->size, sort->median) << AB_PLACE_BITS | place << (AB_PLACE_BITS - 3 * c->bits);
}

// The octave of the median, by a histogram of `count` sizes.
uint32_t ab_median_of(const uint32_t counts[256], uint32_t count);

// The cells of a curve through a box, for `count` proxies.
ab_curve_cells ab_cells_between(const float low[3], const float high[3], uint32_t count);

// Sorts runs of equal keys again, each by a curve of its own, unless a run has `whole` proxies. `scratch` has room for
// `count` points.
void ab_order_refine(ab_sorting *sort, uint64_t *words, ab_sort_point *scratch, uint32_t count, uint32_t whole,
                     uint32_t depth);

// Moves proxy numbers to the front of the words' own memory.
uint32_t *ab_strip_keys(uint64_t *words, uint32_t count);

// The last run's pairs are dead, so their memory serves as scratch. The static set, which is sorted only after edits,
// allocates temporarily instead of growing it, unless it needs little: a few bodies that come in each step ask for
// nothing. NULL when out of memory.
void *ab_order_take_scratch(ab_broad *broad, ab_set set, size_t bytes);

#endif
