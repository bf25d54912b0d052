// Taking kept pairs out of the candidates, for one instruction set: a list is compared a vector at a time, and no pair waits for
// where the last one went.
#include "math/lanes.h"
#include "pairs/pair_set.h"

AB_INLINE bool listed(const ab_pair_set *set, ab_pair pair)
{
    const ab_pair turned = ab_listed_first(set, pair);
    const uint32_t list = ab_degree_place(set, turned.a);
    const uint32_t first = set->first[list], length = set->first[list + 1] - first;
    const u32w wanted = splatu(turned.b);
    // What most lists hold is compared whatever their length.
    uint32_t found = 0;
    for (uint32_t i = 0; i < AB_WIDEST; i += LANES)
    {
        found |= bitsm(
            andm(equ(loadu(set->other + first + i), wanted), gtu(splatu(length), addu(lane_indices(), splatu(i)))));
    }
    for (uint32_t i = AB_WIDEST; i < length; i += LANES)
    {
        found |= bitsm(andm(equ(loadu(set->other + first + i), wanted), first_lanes(length - i)));
    }
    return found != 0;
}

uint32_t AB_ISA_NAME(ab_pair_sift)(const ab_pair_set *set, ab_pair *pairs, uint32_t count)
{
    const ab_pair_set local = *set; // so that no store is taken for a change of it
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_pair pair = pairs[i];
        pairs[left] = pair;
        left += !listed(&local, pair);
    }
    return left;
}
