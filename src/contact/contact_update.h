// Builds results from one detect's manifolds and the reused ones: sorts them, merges them with the contacts before, and
// writes them in order. Every phase works on ranges of contacts, each of which writes to its own part of the arrays.
#ifndef AB_CONTACT_UPDATE_H
#define AB_CONTACT_UPDATE_H

#include "base/tasks.h"
#include "contact/contact_order.h"
#include "contact/contact_store.h"
#include "contact/merge.h"
#include "contact/recycle.h"
#include "contact/vetoes.h"
#include "contact/woken_pairs.h"

// The contacts of one task; on a cache line of its own.
typedef struct ab_contact_part
{
    _Alignas(AB_CACHE_LINE) ab_merge_range range;
    uint32_t ordinals;    // the ordinals of its colliders, or-ed together
    uint32_t points;      // of its contacts
    uint32_t first_point; // of its first contact
    uint32_t speculative;
    uint32_t wanted;       // anchors to compute
    uint32_t first_anchor; // its first among all wanted
} ab_contact_part;

// The state of an update. The caller sets the members before the gap; the rest starts as zeros.
typedef struct ab_contact_update
{
    ab_contact_store *store;
    ab_memory *memory;
    ab_arena *arena;
    const ab_packed_manifolds *manifolds;
    const ab_recycle_pass *recycling; // the reused manifolds; NULL: recycling is off, and no anchors are kept
    ab_contact_names names;
    ab_granularity granularity;
    bool single_threaded; // one thread runs every task, so that what is cheaper undivided is not divided
    bool children;        // some manifold is of a mesh

    ab_partition partition; // of the contacts
    ab_partition events;    // of the events
    ab_contact_part *parts; // in the arena
    ab_contact_order order;
    ab_merge merge;
    ab_merge_before before;
    ab_woken_pairs woken_pairs;
    ab_vetoing vetoing;
    uint32_t points;        // of all contacts
    uint32_t anchors;       // how many are wanted
    uint32_t *newly_asleep; // newly asleep contacts: indices of the last results
    uint32_t newly_asleep_count;
} ab_contact_update;

// The old contact that an origin names.
static inline const abut_contact *ab_contact_at(const ab_contact_store *store, uint32_t origin)
{
    return origin & AB_FROM_ASLEEP ? &store->asleep.contacts[origin & ~AB_FROM_ASLEEP]
                                   : &store->results[store->published].contacts[origin];
}

// The phases of an update. If one fails with ABUT_OUT_OF_MEMORY or ABUT_LIMIT, the published results stay.
extern const ab_phase ab_contact_phases[];

// Publishes what an update has built. Cannot fail.
void ab_contact_store_publish(const ab_contact_update *update);

#endif
