// What tasks of an update write beside the contacts, each a range or a part of its own; of the phases that
// contact_update.c lists.
#ifndef AB_CONTACT_TASKS_H
#define AB_CONTACT_TASKS_H

#include "contact/contact_update.h"

// The references of a part that are wanted, into slots that nobody names yet.
void ab_contact_references_write(void *update, uint32_t task);

// Events: what began, then what ended.
void ab_contact_events_write(void *update, uint32_t task);

#endif
