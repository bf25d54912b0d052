// Comparing what a world says with what an all-pairs search found.
#ifndef AB_AUDIT_H
#define AB_AUDIT_H

#include "world/world.h"

// The first difference between the world's contacts, awake and resting together, and those found; goes to *out. What
// the veto refused is found and is no contact.
void ab_audit_contacts(abut_audit *out, abut_world *world, const ab_results *found);

// Whether a contact that kept its manifold is as near to the truth as was promised. `exact` is NULL when the pair does
// not touch.
bool ab_audit_recycled(const abut_world *world, const abut_contact *there, const abut_contact *exact);

// The same for what is in sensors; `found` is sorted.
void ab_audit_overlaps(abut_audit *out, abut_world *world, const ab_sort_entry *found, uint32_t count);

#endif
