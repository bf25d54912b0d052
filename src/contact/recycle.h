// Which contacts of the last detect keep their manifolds: those that are remembered (see ab_recycles), between
// colliders that nobody edited since, that may still meet, of which one at least is awake, and that the kernel finds to
// have moved by less than the tolerance and to touch. What is decided depends on nothing but the two colliders and
// where the manifold was computed, so it is the same with any broad phase.
#ifndef AB_CONTACT_RECYCLE_H
#define AB_CONTACT_RECYCLE_H

#include "base/tasks.h"
#include "contact/contact_store.h"
#include "pairs/pair_stream.h"

// What is asked of the world.
typedef struct ab_recycle_in
{
    const ab_contact_store *store;
    const ab_proxies *proxies;
    const ab_pair_rules *rules; // NULL: who may meet is what it was, but for edited colliders
    const abut_filter *filters; // by collider slot
    const uint32_t *edited;     // by collider slot: the detect that first sees its last edit; NULL: this one sees none
    uint32_t detect;            // the number of the detect under way
    float margin, tolerance;    // metres
    const ab_recycle_kernels *kernels;
} ab_recycle_in;

// What became of the contacts of the last detect, in the arena.
typedef struct ab_recycled
{
    uint32_t *contacts; // places of those that are kept, in order
    uint32_t *given_up; // the references of the others
    uint32_t *tags;     // by contact of the last detect: ab_reused_tag, and what is kept is settled
    ab_refreshed *made; // by contact of the last detect: the manifold of now, of those that are kept
    uint32_t count, given_up_count;
    uint32_t points; // of those that are kept
} ab_recycled;

// Contacts that one task looks at; a cache line of its own.
typedef struct ab_recycle_part
{
    _Alignas(AB_CACHE_LINE) uint32_t first; // contact: where the part's lists begin as well
    uint32_t count, points;                 // of those that are kept
    uint32_t given_up_count;                // of the others
} ab_recycle_part;

// The first three are set by the caller.
typedef struct ab_recycle_pass
{
    ab_recycle_in in;
    ab_arena *arena;
    ab_granularity granularity;
    ab_partition partition; // of the contacts of the last detect
    ab_recycle_part *parts;
    ab_recycled out;
} ab_recycle_pass;

// Nothing is kept by a store that does not remember.
extern const ab_phase ab_recycle_phases[];

#endif
