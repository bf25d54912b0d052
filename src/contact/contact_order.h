// Patches → canonical order: the sorted keys, and which patch has each.
#ifndef AB_CONTACT_ORDER_H
#define AB_CONTACT_ORDER_H

#include "base/arena.h"
#include "narrow/patches.h"

typedef struct ab_contact_order
{
    uint64_t *keys;  // sorted
    uint32_t *line;  // of the patch with that key
    uint8_t *points; // how many it has
    uint32_t count;
    uint32_t sorted;           // of the patches, the first so many are in order from the start
    uint64_t *words, *scratch; // what one word holds of each, where it holds all; else NULL
    unsigned slot_bits, line_bits;
} ab_contact_order;

// Sorting patches by key, in four steps. The first and the third run on the
// thread that called in; the others work on ranges.
//
// `count` patches on `lines` lines, of bodies in `body_slots` slots, of which the first `sorted` are in order already. `keys`, `line` and `points` have room for every one and are set before. False when
// memory is refused.
bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, uint32_t count, uint32_t lines, uint32_t sorted,
                            uint32_t body_slots);

// Gives the places of all colliders of the range, or-ed together.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_brief *briefs, uint32_t first, uint32_t end);

// `places` are those of all ranges. False when memory is refused.
bool ab_contact_order_sort(ab_contact_order *order, ab_arena *arena, const ab_brief *briefs, uint32_t places);

// Gives the number of points of the range.
uint32_t ab_contact_order_unpack(const ab_contact_order *order, uint32_t first, uint32_t end);

// For leaving some out: what stands at `from` goes to `to`, not behind it.
static inline void ab_contact_order_move(ab_contact_order *order, uint32_t to, uint32_t from)
{
    order->keys[to] = order->keys[from];
    order->line[to] = order->line[from];
    order->points[to] = order->points[from];
}

// A key in sorted order, before or after it is unpacked.
uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i);

#endif
