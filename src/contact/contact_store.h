// What touches: the contacts of the last detect in canonical order, with points and impulses, and what began and ended.
//
// A new detect sorts its manifolds by key and merges them with the last detect's keys; the merge says which contact is the
// same as before, which is new and which has gone. Results are built beside the published ones and take their place at the
// end, so that a detect that fails leaves everything standing.
#ifndef AB_CONTACT_STORE_H
#define AB_CONTACT_STORE_H

#include "base/arena.h"
#include "contact/contact_order.h"
#include "narrow/narrow.h"

#include <abut/world.h>

// The results of one detect. All growable, with room for AB_MAX_POINTS points past the last; impulses run
// parallel to points, keys to contacts; first_points repeats what the contacts say, in a sixteenth of their space.
typedef struct ab_results
{
    abut_contact *contacts;
    uint64_t *keys;
    uint32_t *first_points; // by contact, and one more: the number of points
    abut_point *points;
    abut_impulse *impulses;
    abut_event *events[2]; // by abut_event_kind
    uint64_t speculative;
} ab_results;

typedef struct ab_contact_store
{
    ab_results results[2];
    uint32_t published; // which of them callers see
} ab_contact_store;

// What names and describes the colliders of a manifold.
typedef struct ab_contact_names
{
    const uint32_t *leaf_collider; // by leaf
    const ab_record *records;      // by leaf
    const uint32_t *body_lives;    // by body slot; of a body that ended since the last detect: zero
    const uint64_t *user_data;     // by body slot; of a body that ended since the last detect: still its own
    const uint32_t *collider_lives;
    uint32_t body_slots;
    float margin; // past it a contact is speculative; infinity: none is
} ab_contact_names;

// Replaces the published results by those of `manifolds`. On ABUT_OUT_OF_MEMORY the published results stand.
abut_status ab_contact_store_update(ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                                    const ab_manifolds *manifolds, const ab_contact_names *names);

// Room for so many contacts, each with all its points, in both buffers.
bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts);

void ab_contact_store_close(ab_contact_store *store);

// Asserts the order of the published contacts and the packing of their points.
void ab_contact_store_check(const ab_contact_store *store);

#endif
