// The contacts of sleeping or static bodies: neither collider moves or was edited, so a detect finds them once and then
// skips them. They stay in their slots of the pool. Each is listed with both of its bodies, so a woken body's contacts
// are found without a search.
#ifndef AB_ASLEEP_CONTACTS_H
#define AB_ASLEEP_CONTACTS_H

#include "contact/contact_list.h"
#include "contact/contact_pool.h"
#include "pairs/pair_lists.h"

typedef struct ab_asleep_contacts
{
    ab_pair_lists lists;
    uint32_t *slots;        // growable, by slot of the lists: the contact's slot in the pool
    ab_contact_list sorted; // them in canonical order; made on demand, in room reserved with the lists
    bool stale;             // that is out of date
} ab_asleep_contacts;

// Reserves `more` contacts and the lists of `body_slots` bodies. False when out of memory.
bool ab_asleep_contacts_reserve(ab_asleep_contacts *asleep, ab_memory *memory, uint32_t more, uint32_t body_slots);

// Adds a contact of the pool. Cannot fail.
void ab_asleep_contacts_put(ab_asleep_contacts *asleep, const ab_contact_pool *pool, uint64_t key, uint32_t slot);

// Removes the contact in a slot of the lists. Cannot fail.
void ab_asleep_contacts_remove(ab_asleep_contacts *asleep, uint32_t which);

// Removes every contact. Cannot fail.
void ab_asleep_contacts_clear(ab_asleep_contacts *asleep);

// All of them in canonical order, valid until the first call after a put or remove. Takes no memory.
const ab_contact_list *ab_asleep_contacts_sorted(ab_asleep_contacts *asleep);

void ab_asleep_contacts_close(ab_asleep_contacts *asleep);
void ab_asleep_contacts_check(const ab_asleep_contacts *asleep);

#endif
