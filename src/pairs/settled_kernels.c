// Looking up candidates among the pairs that are settled, for one instruction set.
#include "math/lanes.h"
#include "pairs/settled.h"

#define AHEAD 16u // candidates whose places the cache is asked for in advance

AB_INLINE uint64_t key_of(const uint32_t *orders, ab_pair pair)
{
    return ab_pair_key_of(orders[pair.a], orders[pair.b]);
}

// Where the pairs of a body are too many for a vector, or too near the end of all.
static AB_APART bool search(const ab_settled_pairs *settled, uint64_t key)
{
    const uint32_t place = ab_pair_place_from(&settled->places, key);
    return settled->places.keys[place] == key && settled->tags[place] == ab_settled_tag(key, true);
}

AB_INLINE bool is_settled(const ab_settled_pairs *settled, uint64_t key)
{
    const uint64_t *const keys = settled->places.keys;
    const uint32_t first = settled->places.first[key >> 40], count = settled->places.count;
    uint32_t alike[2 * AB_WIDEST], found = 0;
    if (!AB_LIKELY(first < count && count - first >= AB_WIDEST))
    {
        return search(settled, key);
    }
    const u32w tag = splatu(ab_settled_tag(key, true));
    for (uint32_t k = 0; k < AB_WIDEST; k += LANES)
    {
        const maskw same = equ(loadu(settled->tags + first + k), tag);
        found += appendu(alike + found, addu(lane_indices(), splatu(first + k)), same);
    }
    for (uint32_t i = 0; i < found; ++i)
    {
        if (AB_LIKELY(keys[alike[i]] == key))
        {
            return true;
        }
    }
    return keys[first + AB_WIDEST - 1] < key && search(settled, key);
}

void AB_ISA_NAME(ab_settled_kernel)(const ab_settled_pairs *given, const uint32_t *orders, const ab_pair *pairs,
                                    size_t count, uint32_t yes, uint32_t *out)
{
    const ab_settled_pairs settled = *given; // so that no store is taken for a change of it
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t later = settled.places.first[key_of(orders, pairs[count - i > AHEAD ? i + AHEAD : i]) >> 40];
        AB_PREFETCH_AT(settled.tags, later);
        AB_PREFETCH_AT(settled.places.keys, later);
        out[i] = is_settled(&settled, key_of(orders, pairs[i])) ? yes : out[i];
    }
}
