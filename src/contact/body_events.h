// Between bodies of several colliders many pairs may touch: which begin is the first of two bodies, and which end their
// last.
#ifndef AB_BODY_EVENTS_H
#define AB_BODY_EVENTS_H

#include "contact/merge.h"
#include "contact/results.h"

// Flags begin events [first, end) of `now`: the first between two bodies of which no pair touched before. `resting` are
// the pairs at rest before this update.
void ab_flag_first_begins(ab_results *now, const ab_merge *merge, const ab_merge_before *before,
                          const ab_pair_lists *asleep, uint32_t first, uint32_t end);

// Flags end events [first, end) of `now`: the last between two bodies of which no pair touches now, as far as pairs at
// rest do not count. `after` is the key of the contact that ended next, or AB_NO_KEY.
void ab_flag_last_ends(ab_results *now, const ab_merge *merge, uint64_t after, uint32_t first, uint32_t end);

// Takes those flags back where a pair of the two bodies is at rest after the update.
void ab_flag_rejoined_ends(ab_results *now, const ab_pair_lists *asleep);

#endif
