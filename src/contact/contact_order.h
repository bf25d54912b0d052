// Patches, and manifolds that are kept from the last detect → canonical order: the sorted keys, and whose each is. What
// is kept is in order already and needs no sorting.
#ifndef AB_CONTACT_ORDER_H
#define AB_CONTACT_ORDER_H

#include "base/arena.h"
#include "base/radix.h"
#include "base/tasks.h"
#include "narrow/packed_manifolds.h"

// In a line: no patch's, but the place of a contact of the last results that keeps its manifold.
#define AB_KEPT_LINE 0x80000000u

#define AB_ORDER_AHEAD 32u // entries past the last that may be read: they name some patch

// Contacts of the last results that keep their manifolds.
typedef struct ab_order_reused
{
    const uint32_t *contacts;     // their places there, in order
    const uint64_t *keys;         // of all contacts there
    const uint32_t *first_points; // likewise
    uint32_t count;
} ab_order_reused;

typedef struct ab_contact_order
{
    uint64_t *keys;  // sorted
    uint32_t *line;  // of the patch with that key, or with AB_KEPT_LINE; AB_ORDER_AHEAD more may be read
    uint8_t *points; // how many it has; likewise
    uint32_t count;
    ab_order_reused kept;
    ab_partition partition; // of the patches
    ab_radix sort;          // of what each patch is packed into
    uint64_t *rest;         // packed patches, in order; NULL: nothing is packed any more
    unsigned slot_bits, line_bits;
    bool divided; // the sort has tasks
} ab_contact_order;

// Sorting patches by key, in steps: begin, pack, choose, repack where it says so, deal, finish, unpack. Steps with a
// task work on one part of the cut; the others run on the thread that called in.
//
// Patches on `lines` lines, cut by `cut`, of bodies in `body_slots` slots. `kept` is set before, and so are `keys`,
// `line` and `points`, which have room for all of both. `alone`: one thread runs every task, so that the sort is
// divided only where there is so much that that pays by itself. False when out of memory.
bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, const ab_partition *partition,
                            bool single_threaded, uint32_t lines, uint32_t body_slots);

// Gives the places of all colliders of the part, or-ed together.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_manifold_entry *entries, uint32_t task);

// `places` are those of all parts. *tasks becomes how many parts are to be packed again: all or none. False when memory
// is refused.
bool ab_contact_order_choose(ab_contact_order *order, ab_arena *arena, uint32_t places, uint32_t *tasks);
void ab_contact_order_repack(const ab_contact_order *order, const ab_manifold_entry *entries, uint32_t task);

// Each gives how many tasks of the next and then of ab_radix_finish there are; a sort that is not divided is done here.
uint32_t ab_contact_order_prepare_deal(ab_contact_order *order);
void ab_contact_order_deal(const ab_contact_order *order, uint32_t task);
uint32_t ab_contact_order_prepare_finish(const ab_contact_order *order);

// Writes keys, lines and numbers of points of a range of places. Gives how many points that are in all.
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
