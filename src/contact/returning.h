// Resting pairs of bodies that stir: they count among what was there before, so that the merge says what becomes of them.
#ifndef AB_RETURNING_H
#define AB_RETURNING_H

#include "contact/contact_store.h"
#include "contact/merge.h"

typedef struct ab_returning
{
    uint32_t *slots; // of resting pairs, by key, each once
    uint32_t count;
} ab_returning;

// Finds the resting pairs of which a collider is no longer still. False when memory is refused.
bool ab_returning_find(ab_returning *returning, ab_arena *arena, const ab_pair_lists *lists,
                       const ab_contact_names *names);

// The last results with the returning contacts merged in. False when memory is refused.
bool ab_returning_merge(ab_merge_before *before, ab_arena *arena, const ab_contact_store *store,
                        const ab_returning *returning);

// Whether a collider that a contact names lives and has a still leaf.
bool ab_collider_is_still(const ab_contact_names *names, abut_collider collider);

#endif
