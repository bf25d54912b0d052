// Contacts between colliders of which neither moves nor changed: found once, then kept here, where a step does not look
// at them. Each is listed with both of its bodies, so that those of a body that stirs are found without looking at the
// rest.
#ifndef AB_ASLEEP_CONTACTS_H
#define AB_ASLEEP_CONTACTS_H

#include "contact/results.h"
#include "pairs/pair_lists.h"

typedef struct ab_asleep_contacts
{
    ab_pair_lists lists;
    abut_contact *contacts; // growable, by slot of the lists; first_point is not kept
    abut_point *points;     // growable, AB_MAX_POINTS a slot
    abut_impulse *impulses; // likewise
    ab_results sorted;      // a copy in canonical order for callers, who write its impulses; made when asked for
    ab_results roomier;     // takes its place when it is made anew; empty where it has room enough: callers may hold it
    uint32_t *order;        // growable: the slots of the copy's contacts
    bool stale;             // the copy is behind
} ab_asleep_contacts;

// Room for `more` contacts, and for lists of `body_slots` bodies. False when out of memory.
bool ab_asleep_contacts_reserve(ab_asleep_contacts *asleep, ab_memory *memory, uint32_t more, uint32_t body_slots);

// Takes contact `which` of `from`; room must be there.
void ab_asleep_contacts_put(ab_asleep_contacts *asleep, const ab_results *from, uint32_t which);
void ab_asleep_contacts_remove(ab_asleep_contacts *asleep, uint32_t slot);

// Takes over what callers have written to the impulses of the copy since it was made. Before a contact returns.
void ab_asleep_contacts_take_impulses(ab_asleep_contacts *asleep);

// All of them in canonical order; stands until it is asked for after a put or remove, or the end. Takes no memory: it
// was reserved with the slots.
const ab_results *ab_asleep_contacts_sorted(ab_asleep_contacts *asleep);

void ab_asleep_contacts_close(ab_asleep_contacts *asleep);
void ab_asleep_contacts_check(const ab_asleep_contacts *asleep);

#endif
