// Between bodies of several colliders many pairs may touch: which begin is the first of two bodies, and which end their last.
#ifndef AB_BODY_EVENTS_H
#define AB_BODY_EVENTS_H

#include "contact/merge.h"
#include "contact/results.h"

// Flags the begin events of `now`: the first between two bodies of which no pair touched before. `resting` are the pairs at
// rest before this update.
void ab_flag_first_begins(ab_results *now, const ab_merge *merge, const ab_merge_before *before,
                          const ab_pair_lists *resting);

// Flags the end events of `now`: the last between two bodies of which no pair touches now. `resting` are the pairs at rest
// after this update.
void ab_flag_last_ends(ab_results *now, const ab_merge *merge, const ab_pair_lists *resting);

#endif
