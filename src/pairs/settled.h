// Candidates that need no look, because what comes of the pair is known: the manifold of the last detect is kept. Pairs are looked up
// among the contacts of the last detect, which stand in the order of their keys: of the tags of a body's first ones as many as a
// vector holds are compared at once.
#ifndef AB_SETTLED_H
#define AB_SETTLED_H

#include "base/isa.h"
#include "broad/broad.h"
#include "pairs/pair_places.h"

typedef struct ab_settled_pairs
{
    ab_pair_places places;
    const uint32_t *tags; // by place: ab_settled_tag
} ab_settled_pairs;

// A number that a key has in common with few others. Of a pair that is not settled it is another one.
static inline uint32_t ab_settled_tag(uint64_t key, bool settled)
{
    const uint32_t tag = (uint32_t)key ^ (uint32_t)(key >> 32) * 0x9e3779b1u;
    return settled ? tag : ~tag;
}

// Writes `yes` for each of `count` pairs of leaves that is settled; what is there for others stays. `orders` by leaf; there is one place at least.
typedef void ab_settled_kernel(const ab_settled_pairs *settled, const uint32_t *orders, const ab_pair *pairs,
                               size_t count, uint32_t yes, uint32_t *out);

// NULL for an instruction set that is not compiled in.
ab_settled_kernel *ab_settled_kernel_for(abut_isa isa);

#endif
