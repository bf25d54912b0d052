// Writes contacts from manifolds into their slots. A contact that continues keeps the impulses of points with the
// same features, and gives those that are left to new points in their place.
#ifndef AB_CONTACT_WRITE_H
#define AB_CONTACT_WRITE_H

#include "contact/contact_order.h"
#include "contact/contact_pool.h"
#include "contact/names.h"
#include "narrow/follow.h"

// A new manifold at its anchors and now, where manifolds are recycled.
typedef struct ab_followed
{
    ab_anchored at;
    ab_separations now;
    bool moved; // a body has moved since it was anchored
} ab_followed;

// All by value: stores cannot alias it.
typedef struct ab_contact_writing
{
    const ab_packed_manifold *lines;
    const ab_manifold_entry *entries; // in the order of their lines
    const uint32_t *found;            // by contact, in canonical order: the entry it is made of
    const uint32_t *previous;         // by contact: the slot that it had, or ABUT_NONE
    const uint32_t *slots;            // by contact: where it goes
    const ab_followed *followed;      // by entry; NULL: no body has moved since it was anchored
    ab_contact_names names;
    ab_contact_pool pool;
    uint32_t slot_count; // that the pool has
} ab_contact_writing;

// Writes contacts [first, end), in canonical order, to their slots. Cannot fail.
ab_contacts_written ab_contacts_write(const ab_contact_writing *w, uint32_t first, uint32_t end);

#endif
