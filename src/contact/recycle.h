// Chooses the contacts of the last detect whose manifolds are reused: those with an anchor (see ab_recycles) whose
// colliders were not edited and may still collide, of which at least one is awake, and which by the kernel's test have
// moved by less than the tolerance and still touch. The choice depends on the two colliders and the anchor alone, so it
// is the same with any broad phase.
#ifndef AB_CONTACT_RECYCLE_H
#define AB_CONTACT_RECYCLE_H

#include "base/tasks.h"
#include "contact/contact_store.h"
#include "pairs/pair_stream.h"

// What the pass reads.
typedef struct ab_recycle_in
{
    const ab_contact_store *store;
    const ab_proxies *proxies;
    const ab_pair_rules *rules; // NULL: filter rules are unchanged, except for edited colliders
    const abut_filter *filters; // by collider slot
    const uint32_t *edited;     // by collider slot: the first detect after its last edit; NULL: no collider was edited
                                // since the last detect
    uint32_t detect;            // the number of the present detect
    float margin, tolerance;    // metres
    const ab_recycle_kernels *kernels;
} ab_recycle_in;

// The result, in the arena.
typedef struct ab_recycled
{
    uint32_t *contacts; // indices of the reused contacts, ascending
    uint32_t *given_up; // the anchors of the others
    uint32_t *tags;     // by contact of the last detect: ab_reused_tag
    ab_refreshed *made; // by contact of the last detect: the refreshed manifold, if reused
    uint32_t count, given_up_count;
    uint32_t points; // of the reused contacts
} ab_recycled;

// The contacts of one task; on a cache line of its own.
typedef struct ab_recycle_part
{
    _Alignas(AB_CACHE_LINE) uint32_t first; // contact; the part's lists begin at the same index
    uint32_t count, points;                 // of the reused contacts
    uint32_t given_up_count;                // of the others
} ab_recycle_part;

// The caller sets the first three.
typedef struct ab_recycle_pass
{
    ab_recycle_in in;
    ab_arena *arena;
    ab_granularity granularity;
    ab_partition partition; // of the contacts of the last detect
    ab_recycle_part *parts;
    ab_recycled out;
} ab_recycle_pass;

// Reuse nothing if the store does not recycle.
extern const ab_phase ab_recycle_phases[];

#endif
