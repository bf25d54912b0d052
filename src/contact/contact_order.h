// Manifolds → canonical order: the sorted keys, and which manifold has each.
#ifndef AB_CONTACT_ORDER_H
#define AB_CONTACT_ORDER_H

#include "base/arena.h"
#include "narrow/narrow.h"

// body slot a : 24 | body slot b : 24 | place a : 8 | place b : 8.
static inline uint64_t ab_contact_key(uint32_t order_a, uint32_t order_b)
{
    return (uint64_t)(order_a >> 8) << 40 | (uint64_t)(order_b >> 8) << 16 | (uint64_t)(order_a & 0xffu) << 8 |
           (order_b & 0xffu);
}

typedef struct ab_contact_order
{
    uint64_t *keys;  // sorted
    uint32_t *index; // of the manifold with that key
    uint32_t count;
} ab_contact_order;

// Sorts `manifolds` by key. Their leaves' orders are read from `records`; `body_slots` is how many slots there are.
// `keys` and `index` of *out have room for every manifold. False when memory for the sorting is refused.
bool ab_contact_order_make(ab_contact_order *out, ab_arena *arena, const ab_manifolds *manifolds,
                           const ab_record *records, uint32_t body_slots);

#endif
