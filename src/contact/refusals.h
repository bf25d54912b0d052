// The caller's veto: pairs that are about to be contacts are shown to him once, all of a detect together, and those that he
// refuses are left out for as long as they are found and their filters stay what they were.
#ifndef AB_REFUSALS_H
#define AB_REFUSALS_H

#include "contact/contact_order.h"
#include "contact/kept_pairs.h"
#include "contact/merge.h"

// One update, prepared and not yet published.
typedef struct ab_refusing
{
    ab_kept_update update;
    uint32_t *still_refused; // places among the refusals before
    uint64_t *keys;          // of pairs refused now, sorted
    ab_kept_pair *pairs;
    uint32_t still_count, count;
} ab_refusing;

// Takes the pairs that were refused before out of `order`. False when memory is refused.
bool ab_refusals_drop(ab_refusing *refusing, const ab_kept_pairs *refusals, ab_arena *arena, ab_contact_order *order,
                      const ab_contact_names *names);

// Asks about the new contacts of a merge and takes those that are refused out of `order`; then the merge is to be made again.
// False when memory is refused.
bool ab_refusals_ask(ab_refusing *refusing, ab_arena *arena, ab_contact_order *order, const ab_merge *merge,
                     const ab_patch *lines, const ab_contact_names *names);

// Makes the list of what is refused now. False when memory is refused.
bool ab_refusals_end(const ab_refusing *refusing, ab_kept_pairs *refusals, ab_memory *memory, uint32_t body_slots);

#endif
