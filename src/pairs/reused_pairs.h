// Candidates that need no look, because what comes of the pair is known: the manifold of the last detect is kept. Pairs
// are looked up among the contacts of the last detect, which stand in the order of their keys: of the tags of a body's
// first ones as many as a vector holds are compared at once.
#ifndef AB_REUSED_PAIRS_H
#define AB_REUSED_PAIRS_H

#include "base/isa.h"
#include "broad/broad.h"
#include "pairs/pair_index.h"

typedef struct ab_reused_pairs
{
    ab_pair_index places;
    const uint32_t *tags; // by place: ab_reused_tag
} ab_reused_pairs;

// A number that a key has in common with few others. Of a pair that is not settled it is another one.
static inline uint32_t ab_reused_tag(uint64_t key, bool reused)
{
    const uint32_t tag = (uint32_t)key ^ (uint32_t)(key >> 32) * 0x9e3779b1u;
    return reused ? tag : ~tag;
}

// Writes `yes` for each of `count` pairs of leaves that is settled; what is there for others stays. `orders` by leaf;
// there is one place at least.
typedef void ab_reused_kernel(const ab_reused_pairs *reused, const uint32_t *orders, const ab_pair *pairs, size_t count,
                              uint32_t yes, uint32_t *out);

// NULL for an instruction set that is not compiled in.
ab_reused_kernel *ab_reused_kernel_for(abut_isa isa);

#endif
