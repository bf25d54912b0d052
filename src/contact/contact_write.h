// Writes contacts and points from sorted manifolds, packed or reused, and copies the impulses of the contacts they
// continue.
#ifndef AB_CONTACT_WRITE_H
#define AB_CONTACT_WRITE_H

#include "contact/asleep_contacts.h"
#include "contact/contact_order.h"
#include "contact/names.h"
#include "contact/recycle.h"
#include "contact/results.h"
#include "contact/woken_pairs.h"

// All by value: stores cannot alias it.
typedef struct ab_contact_writing
{
    const ab_packed_manifold *lines;
    ab_contact_order order;
    const uint32_t *previous; // by contact: its origin before, or ABUT_NONE
    ab_contact_names names;
    ab_results before, now;
    const ab_asleep_contacts *asleep;
    const ab_recycle_pass *recycling; // the reused manifolds; NULL: recycling is off, and no anchors are kept
} ab_contact_writing;

typedef struct ab_contacts_written
{
    uint32_t speculative;
    uint32_t wanted; // anchors: those with AB_WANTED
} ab_contacts_written;

// Writes contacts [first, end) and their points from `first_point` on. Writes no point or impulse at index `most` or
// past it. Cannot fail.
ab_contacts_written ab_contacts_write(const ab_contact_writing *w, uint32_t first, uint32_t end, uint32_t first_point,
                                      uint32_t most);

#endif
