// The task of contact_update.c's phase that writes events, each a range of its own.
#ifndef AB_CONTACT_TASKS_H
#define AB_CONTACT_TASKS_H

#include "contact/contact_update.h"

// Writes events: begins, then ends.
void ab_contact_events_write(void *update, uint32_t task);

// Clears the flag of a last end where a pair of the two bodies is asleep after the update.
void ab_contact_events_rejoin(abut_event *ends, const ab_pair_lists *asleep);

#endif
