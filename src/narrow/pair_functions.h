// Callers' own pair functions: passes pairs of a batch that have one in arrays, and validates the results.
#ifndef AB_PAIR_FUNCTIONS_H
#define AB_PAIR_FUNCTIONS_H

#include "narrow/narrow.h"

// The proxy of the lower collider key first: canonical orientation.
typedef struct ab_proxy_pair
{
    uint32_t a, b;
} ab_proxy_pair;

ab_proxy_pair ab_batch_pair(const ab_batch *batch, uint32_t i);
const abut_shape *ab_batch_shape(const ab_batch *batch, uint32_t proxy);

// The largest separation at which pair i touches.
float ab_batch_limit(const ab_batch *batch, uint32_t i);

// The number of a kind of shape: a built-in one's enumerator, or the id of a custom one.
uint32_t ab_kind_number(const abut_shape *shape);

static inline uint64_t ab_pair_function_key(uint32_t kind_a, uint32_t kind_b)
{
    return kind_a < kind_b ? (uint64_t)kind_a << 32 | kind_b : (uint64_t)kind_b << 32 | kind_a;
}

// The index of a key, or where it belongs.
uint32_t ab_pair_function_index(const ab_pair_functions *functions, uint64_t key);

// Finds the functions of the batch's pairs; own[i] is NULL for those without. False when none has one.
bool ab_pair_functions_mark(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK]);

// Receives a touching manifold of pair i, in canonical orientation.
typedef void ab_keep_manifold(void *to, const ab_batch *batch, uint32_t i, const abut_manifold *manifold);

// Runs the functions of the marked pairs. Returns the proxy of the lowest collider key among pairs with an invalid
// manifold, or ABUT_NONE: the minimum over all batches does not depend on how they are divided.
uint32_t ab_pair_functions_run(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK], ab_keep_manifold *keep,
                               void *to);

#endif
