// Writes contacts from manifolds into their slots. A contact that continues keeps the impulses of points with the
// same features.
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
    const uint32_t *slot_at;          // by entry: ab_slots_list; AB_SLOTS_PAST zeros behind them
    const ab_followed *followed;      // by entry; NULL: no body has moved since it was anchored
    ab_contact_names names;
    ab_contact_pool pool;
    uint32_t slots; // that the pool has
} ab_contact_writing;

#define AB_SLOT_NEW  0x80000000u // in slot_at: the contact is new
#define AB_SLOT_NONE 0x7fffffffu // in slot_at: the manifold was vetoed; no slot has this number

// Elements of slot_at that are read past the last one, to prefetch slots ahead without a check for the end. They are zeros:
// not new, because of a new contact the manifold is read, too.
#define AB_SLOTS_PAST 32u

// Writes the slots of contacts [first, end) in canonical order to `slots` and in the order found to `slot_at`. New
// contacts, whose slot in `previous` is ABUT_NONE, have those in `taken` one after the other.
void ab_slots_list(const uint32_t *previous, const uint32_t *found, const uint32_t *taken, uint32_t first, uint32_t end,
                   uint32_t *slots, uint32_t *slot_at);

// Writes manifolds [first, end) in the order found to their slots. Cannot fail.
ab_contacts_written ab_contacts_write(const ab_contact_writing *w, uint32_t first, uint32_t end);

#endif
