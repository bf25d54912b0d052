// An asking shape and proxies side by side, as the kernels of the narrow phase take them. Index 0 is the asking shape,
// index i + 1 proxy i; collider keys are these indices, so that the asking shape is the first of each pair.
#ifndef AB_BESIDE_H
#define AB_BESIDE_H

#include "query/query.h"

#define AB_BESIDE 64u // proxies at a time

typedef struct ab_beside
{
    _Alignas(AB_CACHE_LINE) ab_record record[AB_BESIDE + 1];
    abut_vec3 offset[AB_BESIDE + 1];
    abut_shape shape[AB_BESIDE + 1];
    uint32_t own[AB_BESIDE + 1]; // each its own index
    uint32_t a[AB_BESIDE + AB_WIDEST], b[AB_BESIDE + AB_WIDEST];
    uint32_t count[AB_KIND_COUNT]; // proxies of each kind, and which
    uint8_t of_kind[AB_KIND_COUNT][AB_BESIDE];
} ab_beside;

// Copies the records of at most AB_BESIDE proxies beside that of the asking shape, which has the key 0.
void ab_beside_lay(ab_beside *out, const abut_world *world, const ab_record *asker, const abut_shape *shape,
                   const uint32_t *proxies, uint32_t count);

// The pairs of the asking shape with the proxies of one kind, at least one, padded as kernels require. Margin and pair
// functions are left out.
const ab_pair_type *ab_beside_pair_up(ab_beside *beside, const abut_world *world, abut_shape_kind kind, ab_batch *out);

#endif
