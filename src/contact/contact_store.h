// What touches: the contacts of the last detect in canonical order, with points and impulses, and what began and ended.
//
// A new detect sorts its manifolds by key and merges them with the last detect's keys; the merge says which contact is the
// same as before, which is new and which has gone. Results are built beside the published ones and take their place at the
// end, so that a detect that fails leaves everything standing.
#ifndef AB_CONTACT_STORE_H
#define AB_CONTACT_STORE_H

#include "base/arena.h"
#include "base/radix.h"
#include "narrow/narrow.h"

#include <abut/world.h>

// body slot a : 24 | body slot b : 24 | place a : 8 | place b : 8.
static inline uint64_t ab_contact_key(uint32_t order_a, uint32_t order_b)
{
    return (uint64_t)(order_a >> 8) << 40 | (uint64_t)(order_b >> 8) << 16 | (uint64_t)(order_a & 0xffu) << 8 |
           (order_b & 0xffu);
}

// The results of one detect. All growable; impulses run parallel to points, keys to contacts.
typedef struct ab_results
{
    abut_contact *contacts;
    uint64_t *keys;
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
    float margin; // past it a contact is speculative
} ab_contact_names;

// Replaces the published results by those of `manifolds`, whose leaves are renamed to collider slots in place. On
// ABUT_OUT_OF_MEMORY the published results stand.
abut_status ab_contact_store_update(ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                                    const ab_manifolds *manifolds, const ab_contact_names *names);

// Room for so many contacts, each with all its points, in both buffers.
bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts);

void ab_contact_store_close(ab_contact_store *store);

// Asserts the order of the published contacts and the packing of their points.
void ab_contact_store_check(const ab_contact_store *store);

#endif
