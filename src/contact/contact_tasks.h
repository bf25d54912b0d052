// Tasks of contact_update.c's phases that write anchors and events. Each writes a range of its own.
#ifndef AB_CONTACT_TASKS_H
#define AB_CONTACT_TASKS_H

#include "contact/contact_update.h"

// Writes the anchors that a part wants into slots that no contact names yet.
void ab_contact_anchors_write(void *update, uint32_t task);

// Writes events: begins, then ends.
void ab_contact_events_write(void *update, uint32_t task);

// Clears the flag of a last end where a pair of the two bodies is asleep after the update.
void ab_contact_events_rejoin(ab_results *now, const ab_pair_lists *asleep);

#endif
