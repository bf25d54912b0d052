// Contacts in slots: each keeps its slot, and so its id, as long as it is listed. New contacts take free slots in
// canonical order: near the contact before them if one is free there and few slots stay empty below it, or the lowest.
// So ids follow from the contacts' history alone, memory is walked nearly in order, and the tail empties after a spike.
// The slot of a contact that is no longer listed is retired: free after one more detect, so that its end event may name
// it.
//
// Invariants: every slot is listed, retired, or free; a slot that is not listed has a contact without points. Points
// past the count of a listed contact have AB_NO_FEATURE.
#ifndef AB_CONTACT_POOL_H
#define AB_CONTACT_POOL_H

#include "base/arena.h"
#include "narrow/follow.h"
#include "narrow/store/packed_manifold.h"

#include <abut/contacts.h>

_Static_assert(AB_MAX_POINTS == ABUT_CONTACT_POINTS, "a contact has room for every point of a manifold");
_Static_assert(sizeof(abut_contact) == 2 * AB_CACHE_LINE, "a contact is two cache lines");

// The separating axis that kernels with hysteresis cache: bits 8 to 15 of the first point's feature.
static inline uint8_t ab_axis_of(uint64_t features)
{
    return (uint8_t)(features >> 8);
}

// What was written of some contacts.
typedef struct ab_contacts_written
{
    uint64_t points;
    uint64_t speculative; // contacts
} ab_contacts_written;

typedef struct ab_contact_pool
{
    abut_contact *contacts;            // growable, by slot
    abut_contact_colliders *colliders; // growable, by slot
    abut_impulse *impulses;            // growable, AB_MAX_POINTS a slot
    uint8_t *axes;                     // growable, by slot: ab_axis_of the contact's features
    ab_anchored *anchored;             // growable, by slot; empty unless separations follow
    uint64_t *is_free;                 // growable: a bit a slot; bits past the last slot are zero
    uint32_t *retired;                 // growable: slots that become free when the next detect is published
    uint32_t free_count;               // bits of is_free
    bool follows;                      // `anchored` is used
    uint32_t dropped;                  // the highest generation of a slot that was given back; new slots count from it
} ab_contact_pool;

// The slots that a detect takes for its new contacts, in their order, and the ones that it retires.
typedef struct ab_slot_exchange
{
    uint32_t *taken; // in the arena
    const uint32_t *gone;
    const uint64_t *is_free; // in the arena: a bit for each slot there is, whether it will be free
    uint32_t gone_count;
    uint32_t slots, free_count; // that there will be
} ab_slot_exchange;

uint32_t ab_contact_pool_slots(const ab_contact_pool *pool);

// Reserves so many slots in all. False when out of memory.
bool ab_contact_pool_reserve(ab_contact_pool *pool, ab_memory *memory, size_t slots);

// Reserves the list of the slots that a detect retires. False when out of memory.
bool ab_contact_pool_reserve_retired(ab_contact_pool *pool, ab_memory *memory, uint32_t count);

// Chooses slots for the `new` contacts with these indices, ascending, and makes room for them. `previous` has the slots
// of the others in canonical order, and ABUT_NONE for these. Changes nothing but capacity. Fails with
// ABUT_OUT_OF_MEMORY, and with ABUT_LIMIT for 2^31 slots.
abut_status ab_contact_pool_choose(ab_contact_pool *pool, ab_memory *memory, ab_arena *arena, const uint32_t *previous,
                                   const uint32_t *new_contacts, uint32_t new, ab_slot_exchange *out);

// Frees the retired slots, takes the chosen ones and retires those that are gone. Cannot fail.
void ab_contact_pool_exchange(ab_contact_pool *pool, const ab_slot_exchange *exchange);

// The id of a new contact in a slot that was chosen for it. `slots`: how many there are.
static inline abut_contact_id ab_contact_pool_new_id(const ab_contact_pool *pool, uint32_t slot, uint32_t slots)
{
    const uint32_t before = slot < slots ? pool->contacts[slot].id.generation : pool->dropped;
    return (abut_contact_id){ slot, before == UINT32_MAX ? 1 : before + 1 };
}

// Whether the id names a contact that is listed.
bool ab_contact_pool_lists(const ab_contact_pool *pool, abut_contact_id id);

// Sets the number of slots, whose contacts are written, and rebuilds the sets of free and retired slots: those without
// points are one or the other. Room was reserved. False if a retired slot is listed or named twice.
bool ab_contact_pool_reset(ab_contact_pool *pool, uint32_t slots, const uint32_t *retired, uint32_t retired_count);

// Drops the free slots behind the last one in use.
void ab_contact_pool_cut(ab_contact_pool *pool);

// Gives back room that has not been needed for long; keeps that for `slots`.
void ab_contact_pool_trim(ab_contact_pool *pool, ab_memory *memory, size_t slots);

void ab_contact_pool_close(ab_contact_pool *pool);
void ab_contact_pool_check(const ab_contact_pool *pool);

#endif
