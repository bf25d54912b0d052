// Builds results from one detect's manifolds: sorts them, merges them with the contacts before, chooses slots for new
// ones, and writes each to its slot. Every phase works on ranges of contacts, each of which writes to its own part of
// the arrays.
#ifndef AB_CONTACT_UPDATE_H
#define AB_CONTACT_UPDATE_H

#include "base/tasks.h"
#include "contact/contact_order.h"
#include "contact/contact_store.h"
#include "contact/contact_write.h"
#include "contact/impacts.h"
#include "contact/kept_contacts.h"
#include "contact/merge.h"
#include "contact/vetoes.h"
#include "contact/woken_pairs.h"

// The contacts of one task; on a cache line of its own.
typedef struct ab_contact_part
{
    _Alignas(AB_CACHE_LINE) ab_merge_range range;
    uint32_t ordinals;  // the ordinals of its colliders, or-ed together
    uint32_t first_new; // its first among all new contacts
    ab_contacts_written written;
} ab_contact_part;

// The contact of a begin or end.
typedef struct ab_event_entry
{
    uint32_t slot;
    bool kept; // its manifold stands
} ab_event_entry;

// The state of an update. The caller sets the members before the gap; the rest starts as zeros.
typedef struct ab_contact_update
{
    ab_contact_store *store;
    ab_memory *memory;
    ab_arena *arena;
    const ab_packed_manifolds *manifolds;
    const ab_kept *kept;                       // contacts whose manifolds stand; NULL: none
    ab_impacts_pass *impacts, *sensor_impacts; // all of them, to choose from once pairs are vetoed; NULL: none
    ab_contact_names names;
    ab_granularity granularity;
    bool single_threaded; // one thread runs every task, so that what is cheaper undivided is not divided
    bool children;        // some manifold is of a mesh
    bool trims;           // a list without spare room takes the place of the last one
    bool at_anchors;      // separations are those at the anchors,
    bool may_stand;       // and what is found may stand in the next detect

    ab_partition partition; // of the contacts
    ab_partition events;    // of the events
    ab_contact_part *parts; // in the arena
    ab_contact_order order;
    ab_merge merge;
    ab_merge_before before;
    ab_woken_pairs woken_pairs;
    ab_vetoing vetoing;
    const uint32_t *new_contacts; // their indices, ascending
    ab_slot_exchange slots;
    ab_contact_list found;         // the contacts that were found, in order; keys are those of `order`
    ab_event_entry *begins, *ends; // where manifolds are recycled; in the arena
    ab_followed *followed;         // by entry of the manifolds; NULL: no body has moved since
    uint8_t *touching_at;          // by entry: within the margin now; likewise
    ab_partition composed;         // of the last detect's list
    ab_contacts_written written;   // of all parts
    uint32_t *newly_asleep;        // slots of newly asleep contacts
    uint32_t newly_asleep_count;
} ab_contact_update;

static inline uint32_t ab_begins(const ab_contact_update *u)
{
    return u->merge.begun_count + (u->kept ? u->kept->begun_count : 0);
}

static inline uint32_t ab_ends(const ab_contact_update *u)
{
    return u->merge.ended_count + (u->kept ? u->kept->ended_count : 0);
}

// The slots of a contact's bodies as a number, for comparison.
static inline uint64_t ab_bodies_in(const ab_contact_pool *pool, uint32_t slot)
{
    return (uint64_t)pool->contacts[slot].a.slot << 24 | pool->contacts[slot].b.slot;
}

// The phases of an update. If one fails with ABUT_OUT_OF_MEMORY or ABUT_LIMIT, the published results stay; those that
// write contacts cannot fail.
extern const ab_phase ab_contact_phases[];

// Publishes what an update has built. Cannot fail.
void ab_contact_store_publish(const ab_contact_update *update);

#endif
