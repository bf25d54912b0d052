// Pairs by key: body slots, then places, so that the pairs of a body as body a stand side by side. With where those of
// each body begin, a pair is found without a search.
#ifndef AB_PAIR_INDEX_H
#define AB_PAIR_INDEX_H

#include "base/platform.h"

#include <abut/world.h>

// body slot a : 24 | body slot b : 24 | place a : 8 | place b : 8. Order a is the lower.
static inline uint64_t ab_pair_key(uint32_t key_a, uint32_t key_b)
{
    return (uint64_t)(key_a >> 8) << 40 | (uint64_t)(key_b >> 8) << 16 | (uint64_t)(key_a & 0xffu) << 8 |
           (key_b & 0xffu);
}

// The same of two orders of which either may be the lower. Without a branch, because which it is cannot be foretold.
static inline uint64_t ab_pair_key_of(uint32_t order, uint32_t other)
{
    const uint32_t change = (order ^ other) & (0u - (uint32_t)(other < order));
    return ab_pair_key(order ^ change, other ^ change);
}

typedef struct ab_pair_index
{
    const uint64_t *keys;  // sorted
    const uint32_t *first; // by body slot; of a body that is body a of no pair it may be any number
    uint32_t count;        // of keys
} ab_pair_index;

#define AB_NEAR_PLACES 16u // pairs of a body that are looked at in any case, before the rest is halved

// Asks for what looking for a key will read.
AB_INLINE void ab_pair_index_prefetch(const ab_pair_index *places, uint64_t key)
{
    const size_t near = places->first[key >> 40];
    AB_PREFETCH_AT(places->keys, near);
    AB_PREFETCH_AT(places->keys, near + AB_NEAR_PLACES - 1);
}

// The place of a key where it is among them, else some place. There is one key at least. Most bodies have few pairs:
// those are counted without a branch on how many there are.
static inline uint32_t ab_pair_index_find_from(const ab_pair_index *places, uint64_t key)
{
    const uint64_t *const keys = places->keys;
    const uint32_t last = places->count - 1;
    uint32_t i = places->first[key >> 40], end = last;
    if (AB_LIKELY(i < end && end - i >= AB_NEAR_PLACES))
    {
        uint32_t lower = 0;
        for (uint32_t k = 0; k < AB_NEAR_PLACES; ++k)
        {
            lower += keys[i + k] < key;
        }
        i += lower;
        end = lower < AB_NEAR_PLACES ? i : end;
    }
    while (i < end)
    {
        const uint32_t middle = i + (end - i) / 2;
        const bool before = keys[middle] < key;
        i = before ? middle + 1 : i;
        end = before ? end : middle;
    }
    return i < last ? i : last;
}

// The place of a key, or ABUT_NONE.
static inline uint32_t ab_pair_index_find(const ab_pair_index *places, uint64_t key)
{
    const uint32_t place = places->count > 0 ? ab_pair_index_find_from(places, key) : ABUT_NONE;
    return places->count > 0 && places->keys[place] == key ? place : ABUT_NONE;
}

#endif
