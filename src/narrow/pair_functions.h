// Callers' own pair functions: pairs of a batch for which there is one are handed over in arrays, and what comes back
// is looked at before it is believed.
#ifndef AB_PAIR_FUNCTIONS_H
#define AB_PAIR_FUNCTIONS_H

#include "narrow/narrow.h"

// The lower order first: what canonical orientation is.
typedef struct ab_proxy_pair
{
    uint32_t a, b;
} ab_proxy_pair;

ab_proxy_pair ab_batch_pair(const ab_batch *batch, uint32_t i);
const abut_shape *ab_batch_shape(const ab_batch *batch, uint32_t proxy);

// How far apart the pair at place i may be to be kept.
float ab_batch_limit(const ab_batch *batch, uint32_t i);

// What a kind of shape is told by: a built-in one's enumerator, or the id of a caller's own.
uint32_t ab_kind_number(const abut_shape *shape);

static inline uint64_t ab_pair_function_key(uint32_t kind_a, uint32_t kind_b)
{
    return kind_a < kind_b ? (uint64_t)kind_a << 32 | kind_b : (uint64_t)kind_b << 32 | kind_a;
}

// The place of a key, or where it would be.
uint32_t ab_pair_function_place(const ab_pair_functions *functions, uint64_t key);

// Which pairs of the batch have a function; own[i] is NULL for those that have none. False when none has.
bool ab_pair_functions_mark(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK]);

// Takes a manifold of pair i that touches, in canonical orientation.
typedef void ab_keep_manifold(void *to, const ab_batch *batch, uint32_t i, const abut_manifold *manifold);

// Runs the functions of the marked pairs. Of the pairs whose answer is no manifold it gives the first leaf of the
// lowest order, or ABUT_NONE: however pairs are cut into batches, the lowest of all is the same.
uint32_t ab_pair_functions_run(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK], ab_keep_manifold *keep,
                               void *to);

#endif
