// What touches: the contacts of the last detect in canonical order, with points and impulses, and what began and ended; and the
// contacts that rest.
//
// A new detect sorts its manifolds by key and merges them with the last detect's keys; the merge says which contact is the
// same as before, which is new and which has gone. A contact that was not found because both its colliders are among the
// still leaves has not gone: it rests. Results are built beside the published ones and take their place at the end, so that a
// detect that fails leaves everything standing.
#ifndef AB_CONTACT_STORE_H
#define AB_CONTACT_STORE_H

#include "base/arena.h"
#include "bounds/leaves.h"
#include "contact/resting.h"
#include "contact/results.h"
#include "narrow/narrow.h"

#include <abut/world.h>

typedef struct ab_contact_store
{
    ab_results results[2];
    uint32_t published; // which of them callers see
    ab_resting resting;
} ab_contact_store;

// What names and describes the colliders of a manifold.
typedef struct ab_contact_names
{
    const ab_leaves *leaves;
    const uint32_t *body_lives; // by body slot; of a body that ended since the last detect: zero
    const uint64_t *user_data;  // by body slot; of a body that ended since the last detect: still its own
    const uint32_t *collider_lives;
    const uint32_t *stirred; // bodies of which some collider was still and is not now; a body may stand there twice
    uint32_t stirred_count;
    uint32_t body_slots;
    float margin; // past it a contact is speculative; infinity: none is
} ab_contact_names;

// Builds the results of `manifolds`, to be published; until they are, and on ABUT_OUT_OF_MEMORY, the published results stand.
abut_status ab_contact_store_update(ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                                    const ab_manifolds *manifolds, const ab_contact_names *names);

// Publishes what an update has built.
void ab_contact_store_publish(ab_contact_store *store);

// Room for so many contacts, each with all its points, in both buffers.
bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts);

void ab_contact_store_close(ab_contact_store *store);

// Asserts the order of the published contacts and the packing of their points, and the lists of those that rest.
void ab_contact_store_check(const ab_contact_store *store);

#endif
