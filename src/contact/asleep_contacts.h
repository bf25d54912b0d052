// The contacts of sleeping or static bodies: neither collider moves or was edited, so a detect finds them once and then
// skips them. Each is listed with both of its bodies, so a woken body's contacts are found without a search.
#ifndef AB_ASLEEP_CONTACTS_H
#define AB_ASLEEP_CONTACTS_H

#include "contact/results.h"
#include "pairs/pair_lists.h"

typedef struct ab_asleep_contacts
{
    ab_pair_lists lists;
    abut_contact *contacts; // growable, by slot of the lists; first_point is unused
    abut_point *points;     // growable, AB_MAX_POINTS a slot
    abut_impulse *impulses; // likewise
    ab_results sorted;      // a copy in canonical order for callers, who write its impulses; made on demand
    ab_results roomier;     // replaces `sorted` when that is remade; empty if `sorted` is large enough. Callers may
                            // hold `sorted`
    uint32_t *order;        // growable: the slots of the copy's contacts
    bool stale;             // the copy is out of date
} ab_asleep_contacts;

// Reserves `more` contacts and the lists of `body_slots` bodies. False when out of memory.
bool ab_asleep_contacts_reserve(ab_asleep_contacts *asleep, ab_memory *memory, uint32_t more, uint32_t body_slots);

// Adds contact `which` of `from`. Cannot fail.
void ab_asleep_contacts_put(ab_asleep_contacts *asleep, const ab_results *from, uint32_t which);

// Removes every contact; then ab_asleep_contacts_put adds them again. Cannot fail.
void ab_asleep_contacts_clear(ab_asleep_contacts *asleep);
void ab_asleep_contacts_remove(ab_asleep_contacts *asleep, uint32_t slot);

// Copies back the impulses that callers wrote into the sorted copy. Call before a contact is woken.
void ab_asleep_contacts_take_impulses(ab_asleep_contacts *asleep);

// All of them in canonical order, valid until the first call after a put or remove, or the end. Takes no memory: that
// was reserved with the slots.
const ab_results *ab_asleep_contacts_sorted(ab_asleep_contacts *asleep);

void ab_asleep_contacts_close(ab_asleep_contacts *asleep);
void ab_asleep_contacts_check(const ab_asleep_contacts *asleep);

#endif
