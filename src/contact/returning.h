// Resting pairs of bodies that stir: they count among what was there before, so that a merge says what becomes of them.
#ifndef AB_RETURNING_H
#define AB_RETURNING_H

#include "base/arena.h"
#include "contact/names.h"
#include "pairs/pair_lists.h"

#define AB_FROM_RESTING 0x80000000u // in an origin: a slot of the resting pairs, not an index of the last results

typedef struct ab_returning
{
    uint32_t *slots; // of resting pairs, by key, each once
    uint32_t count;
} ab_returning;

// The last results with the returning pairs put in.
typedef struct ab_woven
{
    const uint64_t *keys;   // sorted
    const uint32_t *origin; // by key; NULL: its index
    uint32_t count;
} ab_woven;

// Finds the resting pairs of which a collider is no longer still. False when memory is refused.
bool ab_returning_find(ab_returning *returning, ab_arena *arena, const ab_pair_lists *lists,
                       const ab_contact_names *names);

// `last_keys` are those of the last results. False when memory is refused.
bool ab_returning_weave(ab_woven *woven, ab_arena *arena, const uint64_t *last_keys, uint32_t last_count,
                        const ab_pair_lists *lists, const ab_returning *returning);

// Whether a collider that a pair names lives and has a still leaf.
bool ab_collider_is_still(const ab_contact_names *names, abut_collider collider);

#endif
