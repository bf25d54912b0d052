// Finds the candidates whose manifolds are reused, for one instruction set.
#include "base/kernels.h"
#include "math/lanes.h"
#include "pairs/reused_pairs.h"

#define GROUP 32u // candidates looked up at a time; what they read is prefetched first

typedef struct wanted
{
    uint64_t key[GROUP];
    uint32_t first[GROUP]; // index of the first pair of body a
} wanted;

AB_INLINE void look_ahead(const ab_reused_pairs *reused, const uint32_t *orders, const ab_pair *pairs, uint32_t count,
                          wanted *out)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint64_t key = ab_pair_key_of(orders[pairs[i].a], orders[pairs[i].b]);
        const uint32_t first = reused->pair_index.first[key >> 40];
        AB_PREFETCH_AT(reused->tags, first);
        AB_PREFETCH_AT(reused->pair_index.keys, first);
        out->key[i] = key;
        out->first[i] = first;
    }
}

// For bodies with more pairs than a vector holds, or too near the end of the arrays.
static AB_APART bool search(const ab_reused_pairs *reused, uint64_t key)
{
    const uint32_t position = ab_pair_index_find_from(&reused->pair_index, key);
    return reused->pair_index.keys[position] == key && reused->tags[position] == ab_reused_tag(key, true);
}

AB_INLINE bool is_reused(const ab_reused_pairs *reused, uint64_t key, uint32_t first)
{
    const uint64_t *const keys = reused->pair_index.keys;
    const uint32_t count = reused->pair_index.count;
    if (!AB_LIKELY(first < count && count - first >= AB_WIDEST))
    {
        return search(reused, key);
    }
    const u32w tag = splatu(ab_reused_tag(key, true));
    uint32_t alike = 0; // a bit per equal tag, from `first` on
    for (uint32_t k = 0; k < AB_WIDEST; k += LANES)
    {
        alike |= bitsm(equ(loadu(reused->tags + first + k), tag)) << k;
    }
    if (alike != 0 && AB_LIKELY(keys[first + ab_lowest_bit(alike)] == key))
    {
        return true;
    }
    return (alike != 0 || keys[first + AB_WIDEST - 1] < key) && search(reused, key);
}

static void find(const ab_reused_pairs *given, const uint32_t *orders, const ab_pair *pairs, size_t count, uint32_t yes,
                 uint32_t *out)
{
    const ab_reused_pairs reused = *given; // a copy: the compiler need not assume that stores change it
    for (size_t begin = 0; begin < count; begin += GROUP)
    {
        const uint32_t these = count - begin < GROUP ? (uint32_t)(count - begin) : GROUP;
        wanted group;
        look_ahead(&reused, orders, pairs + begin, these, &group);
        for (uint32_t i = 0; i < these; ++i)
        {
            out[begin + i] = is_reused(&reused, group.key[i], group.first[i]) ? yes : out[begin + i];
        }
    }
}

const ab_reused_kernels AB_ISA_NAME(ab_reused_kernels) = { find };
