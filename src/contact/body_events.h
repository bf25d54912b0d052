// Bodies with several colliders may have many touching pairs. These functions flag the first pair of two bodies to
// begin and the last to end.
#ifndef AB_BODY_EVENTS_H
#define AB_BODY_EVENTS_H

#include "contact/merge.h"
#include "contact/results.h"

// Flags begin events [first, end) of `now`: the first between two bodies of which no pair touched before. `asleep` are
// the sleeping pairs before this update.
void ab_flag_first_begins(ab_results *now, const ab_merge *merge, const ab_merge_before *before,
                          const ab_pair_lists *asleep, uint32_t first, uint32_t end);

// Flags end events [first, end) of `now`: the last between two bodies of which no awake pair touches now. `after` is
// the key of the contact that ended next, or AB_NO_KEY.
void ab_flag_last_ends(ab_results *now, const ab_merge *merge, uint64_t after, uint32_t first, uint32_t end);

// Clears those flags where a pair of the two bodies is asleep after the update.
void ab_flag_rejoined_ends(ab_results *now, const ab_pair_lists *asleep);

#endif
