// Sorted and merged patches → contacts with their points, and the impulses they take over from the contacts they continue.
#ifndef AB_CONTACT_WRITE_H
#define AB_CONTACT_WRITE_H

#include "contact/contact_order.h"
#include "contact/names.h"
#include "contact/resting.h"
#include "contact/results.h"
#include "contact/returning.h"

// All by value: what is written cannot change where things lie.
typedef struct ab_contact_writing
{
    const ab_patch *lines;
    ab_contact_order order;
    uint32_t kept_lines;      // patches before this line were kept from the last detect
    const uint32_t *previous; // by contact: where it was before, or ABUT_NONE
    ab_contact_names names;
    ab_results before, now;
    const ab_resting *resting;
} ab_contact_writing;

// Writes contacts [first, end), their points from `first_point` on; of points and impulses nothing is written at `most` or past
// it. Room is there. Gives how many are speculative.
uint32_t ab_contacts_write(const ab_contact_writing *w, uint32_t first, uint32_t end, uint32_t first_point,
                           uint32_t most);

#endif
