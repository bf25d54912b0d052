// A filter for candidates whose result is known because their manifold is reused. Looks pairs up among the contacts of
// the last detect, which are sorted by key: compares as many tags of a body's first contacts at once as a vector holds.
#ifndef AB_REUSED_PAIRS_H
#define AB_REUSED_PAIRS_H

#include "base/isa.h"
#include "broad/broad.h"
#include "pairs/pair_index.h"

typedef struct ab_reused_pairs
{
    ab_pair_index pair_index;
    const uint32_t *tags; // by index: ab_reused_tag
} ab_reused_pairs;

// A hash of a key that few other keys share. Pairs that are not reused get its complement.
static inline uint32_t ab_reused_tag(uint64_t key, bool reused)
{
    const uint32_t tag = (uint32_t)key ^ (uint32_t)(key >> 32) * 0x9e3779b1u;
    return reused ? tag : ~tag;
}

// Writes `yes` for each of `count` proxy pairs that is reused, and leaves the others' entries alone. `orders`: collider
// keys by proxy. Needs at least one key.
typedef void ab_reused_kernel(const ab_reused_pairs *reused, const uint32_t *orders, const ab_pair *pairs, size_t count,
                              uint32_t yes, uint32_t *out);

typedef struct ab_reused_kernels
{
    ab_reused_kernel *find;
} ab_reused_kernels;

#endif
