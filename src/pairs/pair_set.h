// Candidates that need no look because the manifold of the pair is kept: a set of pairs of leaves, and the pass that takes them
// out of the candidates.
//
// Each pair of the set is listed with one of its leaves: the active one when the other is still, else the one that is in fewer
// pairs. So lists are short also where one body touches thousands, and nothing is done for still leaves.
#ifndef AB_PAIR_SET_H
#define AB_PAIR_SET_H

#include "base/arena.h"
#include "base/isa.h"
#include "broad/broad.h"

typedef struct ab_pair_set
{
    uint32_t active;  // leaves below this are active
    uint32_t *degree; // by active leaf: pairs it is in; one more for all still ones: UINT32_MAX
    uint32_t *first;  // by active leaf: its list in `other`; and one more: the end
    uint32_t *other;  // the other leaf of each pair; padded with AB_WIDEST entries
} ab_pair_set;

// The place of a leaf in `degree`.
static inline uint32_t ab_degree_place(const ab_pair_set *set, uint32_t leaf)
{
    return leaf < set->active ? leaf : set->active;
}

// The pair with the leaf first that it is listed with: of those in as many pairs the lower. Without a branch, because which it is
// cannot be foretold.
static inline ab_pair ab_listed_first(const ab_pair_set *set, ab_pair pair)
{
    const uint64_t rank_a = (uint64_t)set->degree[ab_degree_place(set, pair.a)] << 32 | pair.a;
    const uint64_t rank_b = (uint64_t)set->degree[ab_degree_place(set, pair.b)] << 32 | pair.b;
    const uint32_t change = (pair.a ^ pair.b) & (0u - (uint32_t)(rank_b < rank_a));
    return (ab_pair){ pair.a ^ change, pair.b ^ change };
}

// Lists `count` pairs, of each of which one leaf at least is below `active`. False when memory is refused.
bool ab_pair_set_list(ab_pair_set *set, ab_arena *arena, const ab_pair *pairs, uint32_t count, uint32_t active);

// Closes the ranks of the pairs that are not in the set, in order, and returns how many they are.
typedef uint32_t ab_pair_sift(const ab_pair_set *set, ab_pair *pairs, uint32_t count);

// NULL for an instruction set that is not compiled in.
ab_pair_sift *ab_pair_sift_for(abut_isa isa);

#endif
