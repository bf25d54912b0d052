// Comparing what a world says with what an all-pairs search found.
#ifndef AB_AUDIT_H
#define AB_AUDIT_H

#include "world/world.h"

// The first difference between the world's contacts, awake and resting together, and those found; goes to *out. What the veto
// refused is found and is no contact.
void ab_audit_contacts(abut_audit *out, abut_world *world, const ab_results *found);

// The same for what is in sensors; `found` is sorted.
void ab_audit_overlaps(abut_audit *out, abut_world *world, const ab_sort_entry *found, uint32_t count);

#endif
