// Finds pairs by key. Keys sort by body slots, then ordinals, so the pairs of a body as body a are adjacent; an index
// of each body's first pair finds them without a search.
#ifndef AB_PAIR_INDEX_H
#define AB_PAIR_INDEX_H

#include "base/platform.h"

#include <abut/world.h>

// body slot a : 24 | body slot b : 24 | ordinal a : 8 | ordinal b : 8. key_a is the lower collider key.
static inline uint64_t ab_pair_key(uint32_t key_a, uint32_t key_b)
{
    return (uint64_t)(key_a >> 8) << 40 | (uint64_t)(key_b >> 8) << 16 | (uint64_t)(key_a & 0xffu) << 8 |
           (key_b & 0xffu);
}

// The same of two collider keys in either order. Without a branch, because the order is unpredictable.
static inline uint64_t ab_pair_key_of(uint32_t order, uint32_t other)
{
    const uint32_t change = (order ^ other) & (0u - (uint32_t)(other < order));
    return ab_pair_key(order ^ change, other ^ change);
}

typedef struct ab_pair_index
{
    const uint64_t *keys;  // sorted
    const uint32_t *first; // by body slot; any number for a body that is body a of no pair
    uint32_t count;        // of keys
} ab_pair_index;

#define AB_NEAR_PAIRS 16u // pairs of a body that are always compared, before a binary search of the rest

// Prefetches what a lookup of the key reads.
AB_INLINE void ab_pair_index_prefetch(const ab_pair_index *index, uint64_t key)
{
    const size_t near = index->first[key >> 40];
    AB_PREFETCH_AT(index->keys, near);
    AB_PREFETCH_AT(index->keys, near + AB_NEAR_PAIRS - 1);
}

// The index of a key if it is present, else any index. Needs at least one key. Most bodies have few pairs: those are
// counted without branches.
static inline uint32_t ab_pair_index_find_from(const ab_pair_index *index, uint64_t key)
{
    const uint64_t *const keys = index->keys;
    const uint32_t last = index->count - 1;
    uint32_t i = index->first[key >> 40], end = last;
    if (AB_LIKELY(i < end && end - i >= AB_NEAR_PAIRS))
    {
        uint32_t lower = 0;
        for (uint32_t k = 0; k < AB_NEAR_PAIRS; ++k)
        {
            lower += keys[i + k] < key;
        }
        i += lower;
        end = lower < AB_NEAR_PAIRS ? i : end;
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

// The index of a key, or ABUT_NONE.
static inline uint32_t ab_pair_index_find(const ab_pair_index *index, uint64_t key)
{
    const uint32_t position = index->count > 0 ? ab_pair_index_find_from(index, key) : ABUT_NONE;
    return index->count > 0 && index->keys[position] == key ? position : ABUT_NONE;
}

#endif
