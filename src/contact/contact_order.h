// Sorts manifolds by pair key into canonical order.
#ifndef AB_CONTACT_ORDER_H
#define AB_CONTACT_ORDER_H

#include "base/arena.h"
#include "base/radix.h"
#include "base/tasks.h"
#include "narrow/store/packed_manifolds.h"

typedef struct ab_contact_order
{
    uint64_t *keys;  // sorted
    uint32_t *found; // the index of the manifold with that key, in the order found
    uint32_t *child; // its child; NULL: no contact, now or before, has one
    uint32_t count;
    ab_partition partition; // of the manifolds
    ab_radix sort;          // of the packed manifolds
    uint64_t *rest;         // packed manifolds in order; NULL: all are unpacked
    unsigned slot_bits, found_bits;
    bool divided; // the sort runs as tasks
} ab_contact_order;

// Sorting runs in steps: begin, pack, choose, repack if choose says so, deal, finish, unpack. Steps with a task work on
// one part of the partition; the others run on the calling thread.
//
// `partition` divides the manifolds, of bodies in `body_slots` slots. The caller sets `keys` and `found` with room for
// all. `single_threaded`: one thread runs every task, so the sort is divided only above the count
// where that pays on one thread. False when out of memory.
bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, const ab_partition *partition,
                            bool single_threaded, uint32_t body_slots);

// Returns the ordinals of all colliders of the part, or-ed together; other than 0 where slots leave no room to pack.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_manifold_entry *entries, uint32_t task);

// `ordinals` are those of all parts, or-ed together. *tasks becomes the number of parts to repack: all or none.
// False when out of memory.
bool ab_contact_order_choose(ab_contact_order *order, ab_arena *arena, uint32_t ordinals, uint32_t *tasks);
void ab_contact_order_repack(const ab_contact_order *order, const ab_manifold_entry *entries, uint32_t task);

// Each prepare returns the number of tasks of the next step: deal, then ab_radix_finish. prepare_deal does an undivided
// sort itself.
uint32_t ab_contact_order_prepare_deal(ab_contact_order *order);
void ab_contact_order_deal(const ab_contact_order *order, uint32_t task);
uint32_t ab_contact_order_prepare_finish(const ab_contact_order *order);

// Room for two numbers of each manifold and two more, which sorting has left unused. After the last sorting step,
// before the first unpack.
uint32_t *ab_contact_order_spare(const ab_contact_order *order);

// Sorts what has equal keys by child. Before the first unpack.
void ab_contact_order_by_child(const ab_contact_order *order);

// Unpacks keys and indices of contacts [first, end). Does nothing if all are unpacked.
void ab_contact_order_unpack(const ab_contact_order *order, uint32_t first, uint32_t end);

// Moves entry `from` down to `to`, for removing entries.
static inline void ab_contact_order_move(ab_contact_order *order, uint32_t to, uint32_t from)
{
    order->keys[to] = order->keys[from];
    order->found[to] = order->found[from];
    if (AB_HAS_CHILDREN && order->child)
    {
        order->child[to] = order->child[from];
    }
}

// Key `i` in sorted order, packed or not.
uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i);

#endif
