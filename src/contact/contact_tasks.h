// What contact_update.c's phases call: the parts of an update that other files of the folder are about.
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

// The revision of the static set: it changes when a collider joins or leaves it.
static inline uint32_t ab_static_revision(const ab_contact_update *update)
{
    return update->names.proxies->region[AB_STATIC_SET].revision;
}

// Finds the contacts before this update: the last detect's and the woken ones. False when out of memory.
bool ab_woken_pairs_find_before(ab_contact_update *update);

// Partitions the remaining contacts, and finds the old contacts that each range merges with: those from its first key
// up to the next range's. Without new contacts, one range has all the old ones. Returns the number of ranges.
uint32_t ab_merge_partition(ab_contact_update *update);

// Removes from the ended contacts those whose colliders are both in the static set: they are asleep, not ended.
void ab_asleep_contacts_set_apart(ab_contact_update *update);

// Moves woken contacts out of the asleep ones, and newly asleep contacts in. Cannot fail.
void ab_asleep_contacts_exchange(const ab_contact_update *update);

#endif
