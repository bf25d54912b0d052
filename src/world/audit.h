// Compares a world's results with those of an all-pairs search.
#ifndef AB_AUDIT_H
#define AB_AUDIT_H

#include "world/world.h"

// Writes the first difference between the world's contacts, awake and asleep, and the ones found to *out. A vetoed pair
// is found but has no contact.
void ab_audit_contacts(abut_audit *out, abut_world *world, ab_contact_store *found);

// The same for sensor overlaps; `found` is sorted.
void ab_audit_overlaps(abut_audit *out, abut_world *world, const ab_sort_entry *found, uint32_t count);

#endif
