// What contact_update.c's phases call to write events.
#ifndef AB_CONTACT_TASKS_H
#define AB_CONTACT_TASKS_H

#include "contact/contact_update.h"

// Reserves the events of an update whose contacts are merged. False when out of memory.
bool ab_contact_events_reserve(ab_contact_update *update);

// Sets their number, once contacts are in their slots, and puts those of kept contacts among the others. Cannot fail.
void ab_contact_events_join(ab_contact_update *update);

// Writes events: begins, then ends. Each task has a range of its own.
void ab_contact_events_write(void *update, uint32_t task);

// Clears the flag of a last end where a pair of the two bodies is asleep after the update.
void ab_contact_events_rejoin(abut_event *ends, const ab_pair_lists *asleep);

#endif
