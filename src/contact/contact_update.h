// One detect's patches, and what is kept of the last one's contacts → results: sorted, merged with what touched before,
// written out in order. Every phase works on ranges of the contacts, each of which writes to places of its own.
#ifndef AB_CONTACT_UPDATE_H
#define AB_CONTACT_UPDATE_H

#include "base/tasks.h"
#include "contact/contact_order.h"
#include "contact/contact_store.h"
#include "contact/merge.h"
#include "contact/recycle.h"
#include "contact/vetoes.h"
#include "contact/woken_pairs.h"

// A part of the contacts that one task works on; a cache line of its own.
typedef struct ab_contact_part
{
    _Alignas(AB_CACHE_LINE) ab_merge_range range;
    uint32_t places;      // of its colliders, or-ed together
    uint32_t points;      // of its contacts
    uint32_t first_point; // of the first of them
    uint32_t speculative;
    uint32_t wanted;          // references
    uint32_t first_reference; // of those wanted in all
} ab_contact_part;

// Building the results of `patches`, beside the published ones. The first line is set by the caller, and a new update
// begins with the rest of zeros.
typedef struct ab_contact_update
{
    ab_contact_store *store;
    ab_memory *memory;
    ab_arena *arena;
    const ab_packed_manifolds *manifolds;
    const ab_recycle_pass *recycling; // what is kept from the last detect; NULL: nothing, nor is anything remembered
    ab_contact_names names;
    ab_granularity granularity;
    bool single_threaded; // one thread runs every task, so that what is cheaper in one is not divided

    ab_partition partition; // of the contacts
    ab_partition events;    // of what began and ended
    ab_contact_part *parts; // of the arena
    ab_contact_order order;
    ab_merge merge;
    ab_merge_before before;
    ab_woken_pairs woken_pairs;
    ab_failing refusing;
    uint32_t points;  // of all contacts
    uint32_t anchors; // that are wanted
    uint32_t *rested; // indices of the last results
    uint32_t rested_count;
} ab_contact_update;

// The contact of before that an origin names.
static inline const abut_contact *ab_contact_at(const ab_contact_store *store, uint32_t origin)
{
    return origin & AB_FROM_ASLEEP ? &store->asleep.contacts[origin & ~AB_FROM_ASLEEP]
                                   : &store->results[store->published].contacts[origin];
}

// The phases of an update. ABUT_OUT_OF_MEMORY: the published results stand.
extern const ab_phase ab_contact_phases[];

// Publishes what an update has built.
void ab_contact_store_publish(const ab_contact_update *update);

#endif
