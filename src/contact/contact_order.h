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
    uint32_t sorted;           // of the manifolds, the first so many are in order from the start
    uint64_t *words, *scratch; // what one word holds of each, where it holds all; else NULL
    unsigned slot_bits, index_bits;
} ab_contact_order;

// Sorting manifolds by key, in four steps. Their leaves' orders are read from `records`. The first and the third run on the
// thread that called in; the others work on ranges.
//
// `count` manifolds, of bodies in `body_slots` slots, of which the first `sorted` are in order already. `keys` and `index` have room for every one and are set before. False when
// memory is refused.
bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, uint32_t count, uint32_t sorted,
                            uint32_t body_slots);

// Gives the places of all colliders of the range, or-ed together.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_manifolds *manifolds, const ab_record *records,
                               uint32_t first, uint32_t end);

// `places` are those of all ranges. False when memory is refused.
bool ab_contact_order_sort(ab_contact_order *order, ab_arena *arena, const ab_manifolds *manifolds,
                           const ab_record *records, uint32_t places);

// Gives the number of points of the range.
uint32_t ab_contact_order_unpack(const ab_contact_order *order, const ab_manifolds *manifolds, uint32_t first,
                                 uint32_t end);

// A key in sorted order, before or after it is unpacked.
uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i);

#endif
