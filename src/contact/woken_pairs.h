// Sleeping pairs of woken bodies. They join the pairs of the last detect, so that the merge finds out whether they
// continue or end.
#ifndef AB_WOKEN_PAIRS_H
#define AB_WOKEN_PAIRS_H

#include "base/arena.h"
#include "contact/names.h"
#include "pairs/pair_lists.h"

#define AB_FROM_ASLEEP 0x80000000u // in an origin: a slot of the sleeping pairs, not an index of the last results

typedef struct ab_woken_pairs
{
    uint32_t *slots; // of sleeping pairs, by key, each once
    uint32_t count;
} ab_woken_pairs;

// The last results merged with the woken pairs.
typedef struct ab_merged_pairs
{
    const uint64_t *keys;   // sorted
    const uint32_t *origin; // by key; NULL: its index
    uint32_t count;
} ab_merged_pairs;

// Finds the sleeping pairs of which a collider left the static set. False when out of memory.
bool ab_woken_pairs_find(ab_woken_pairs *woken_pairs, ab_arena *arena, const ab_pair_lists *lists,
                         const ab_contact_names *names);

// `last_keys` are those of the last results. False when out of memory.
bool ab_woken_pairs_merge(ab_merged_pairs *merged, ab_arena *arena, const uint64_t *last_keys, uint32_t last_count,
                          const ab_pair_lists *lists, const ab_woken_pairs *woken_pairs);

// Whether the collider exists and its proxy is in the static set.
bool ab_collider_in_static_set(const ab_contact_names *names, abut_collider collider);

#endif
