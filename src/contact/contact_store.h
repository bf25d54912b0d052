// What touches: the contacts of the last detect in canonical order, with points and impulses, and what began and ended;
// and the contacts that rest.
//
// A new detect sorts its patches by key and merges them with the last detect's keys; the merge says which contact is
// the same as before, which is new and which has gone. A contact that was not found because both its colliders are
// among the still leaves has not gone: it rests. A pair that the caller refused when it was new is left out as long as
// it is found. Results are built beside the published ones and take their place at the end, so that a detect that fails
// leaves everything standing.
#ifndef AB_CONTACT_STORE_H
#define AB_CONTACT_STORE_H

#include "base/arena.h"
#include "contact/anchors.h"
#include "contact/asleep_contacts.h"
#include "contact/body_index.h"
#include "contact/names.h"
#include "contact/pair_cache.h"
#include "contact/results.h"
#include "narrow/narrow.h"

#include <abut/contacts.h>

typedef struct ab_contact_store
{
    ab_results results[2];
    uint32_t published; // which of them callers see
    ab_asleep_contacts asleep;
    ab_pair_cache vetoes;   // pairs that would be contacts, but that the caller refused
    ab_body_index index[2]; // of the published results, and of those at rest
    uint32_t still_seen;    // revision of the still leaves at the last detect
    ab_anchors anchors;
    bool remembers; // where manifolds were computed
} ab_contact_store;

// The published results.
static inline ab_results *ab_contact_store_now(ab_contact_store *store)
{
    return &store->results[store->published];
}

// Room for so many contacts, each with all its points, in both buffers.
bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts);

void ab_contact_store_close(ab_contact_store *store);

// Asserts the order of the published contacts and the packing of their points, and the lists of those that rest.
void ab_contact_store_check(const ab_contact_store *store);

#endif
