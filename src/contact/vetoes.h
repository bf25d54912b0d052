// The caller's veto: pairs that are about to be contacts are shown to him once, all of a detect together, and those
// that he refuses are left out for as long as they are found and their filters stay what they were.
#ifndef AB_VETOES_H
#define AB_VETOES_H

#include "contact/contact_order.h"
#include "contact/merge.h"
#include "contact/pair_cache.h"

// One update, prepared and not yet published.
typedef struct ab_failing
{
    ab_pair_cache_update update;
    uint32_t *still_refused; // places among the refusals before
    uint64_t *keys;          // of pairs vetoed now, sorted
    ab_cached_pair *pairs;
    uint32_t static_count, count;
} ab_failing;

// Takes the pairs that were vetoed before out of `order`. False when out of memory.
bool ab_vetoes_drop(ab_failing *asking, const ab_pair_cache *vetoes, ab_arena *arena, ab_contact_order *order,
                    const ab_contact_names *names);

// Asks about the new contacts of a merge and takes those that are vetoed out of `order`; then the merge is to be made
// again. False when out of memory.
bool ab_vetoes_ask(ab_failing *asking, ab_arena *arena, ab_contact_order *order, const ab_merge *merge,
                   const ab_packed_manifold *lines, const ab_contact_names *names);

// Makes the list of what is vetoed now. False when out of memory.
bool ab_vetoes_end(const ab_failing *asking, ab_pair_cache *vetoes, ab_memory *memory, uint32_t body_slots);

#endif
