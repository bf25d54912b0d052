// The contacts of the last detect in stable slots, with impulses, canonical order and events; and the contacts of
// sleeping or static bodies, in the same slots.
//
// A detect sorts its manifolds by key and merges them with the last detect's keys; the merge tells which contacts
// continue, begin and end. A contact that was not found because both colliders are in the static set has not ended: it
// is asleep. A pair that the caller vetoed when it was new is left out while it is found. The new order is built beside
// the published one. Contacts are written in place, after everything that can fail, so a detect that fails changes
// nothing.
#ifndef AB_CONTACT_STORE_H
#define AB_CONTACT_STORE_H

#include "base/arena.h"
#include "contact/asleep_contacts.h"
#include "contact/body_index.h"
#include "contact/contact_list.h"
#include "contact/contact_pool.h"
#include "contact/names.h"
#include "contact/pair_cache.h"
#include "narrow/narrow.h"

#include <abut/contacts.h>

typedef struct ab_contact_store
{
    ab_contact_pool pool;
    ab_contact_pool spare; // what an image is read into; empty until then
    ab_contact_list lists[2];
    uint32_t published; // which of them is the last detect's
    uint64_t listings;  // grows when that is another list than the one before
    uint32_t *fresh;    // growable: where separations are those at the anchors, the slots of what the last detect found
    bool fresh_unknown; // it is not in `fresh`, but it is among the published contacts
    abut_event *events[2]; // growable: of the last detect, by abut_event_kind
    uint64_t speculative;  // contacts of the last detect
    uint64_t points;       // of its contacts
    ab_asleep_contacts asleep;
    ab_pair_cache vetoes;     // pairs that the caller vetoed
    ab_body_index index[2];   // of the published list, and of the sleeping contacts
    uint32_t static_revision; // revision of the static set at the last detect
    uint32_t reserved;        // contacts that ab_contact_store_reserve made room for
    bool children;            // some contact had a child, ever
    bool several;             // some contact may have been of a body's second collider or a later one, ever
} ab_contact_store;

// Whether a pair may have several contacts.
static inline bool ab_contact_store_has_children(const ab_contact_store *store)
{
    return AB_HAS_CHILDREN && store->children;
}

static inline ab_contact_list *ab_contact_store_now(ab_contact_store *store)
{
    return &store->lists[store->published];
}

// What the next detect writes.
static inline ab_contact_list *ab_contact_store_next(ab_contact_store *store)
{
    return &store->lists[1 - store->published];
}

// Reserves so many contacts.
bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts);

// Gives back room that has not been needed for long, but none that was reserved: of the unpublished list and, if `all`,
// of what the store has once.
void ab_contact_store_trim(ab_contact_store *store, ab_memory *memory, bool all);

void ab_contact_store_close(ab_contact_store *store);

// Asserts that the published contacts are sorted and that every slot is accounted for.
void ab_contact_store_check(const ab_contact_store *store);

#endif
