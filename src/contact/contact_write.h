// Sorted and merged patches, and manifolds that are kept → contacts with their points, and the impulses they take over
// from the contacts they continue.
#ifndef AB_CONTACT_WRITE_H
#define AB_CONTACT_WRITE_H

#include "contact/asleep_contacts.h"
#include "contact/contact_order.h"
#include "contact/names.h"
#include "contact/recycle.h"
#include "contact/results.h"
#include "contact/woken_pairs.h"

// All by value: what is written cannot change where things lie.
typedef struct ab_contact_writing
{
    const ab_packed_manifold *lines;
    ab_contact_order order;
    const uint32_t *previous; // by contact: where it was before, or ABUT_NONE
    ab_contact_names names;
    ab_results before, now;
    const ab_asleep_contacts *asleep;
    const ab_recycle_pass *recycling; // what is kept; NULL: nothing, nor is anything remembered
} ab_contact_writing;

typedef struct ab_contacts_written
{
    uint32_t speculative;
    uint32_t wanted; // references: AB_WANTED in `remembered`
} ab_contacts_written;

// Writes contacts [first, end), their points from `first_point` on; of points and impulses nothing is written at `most`
// or past it. Room is there.
ab_contacts_written ab_contacts_write(const ab_contact_writing *w, uint32_t first, uint32_t end, uint32_t first_point,
                                      uint32_t most);

#endif
