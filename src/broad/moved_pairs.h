// The pairs of the few proxies whose bodies were anchored anew (see bounds/anchors.h): each descends the trees by
// itself, so that a world almost at rest does not search all pairs to leave them out again. Where many have moved,
// where most of what is found does not collide, or where the row keeps no tree, the row's own search is used.
#ifndef AB_MOVED_PAIRS_H
#define AB_MOVED_PAIRS_H

#include "base/arena.h"
#include "broad/broad.h"
#include "index/descend.h"

// The caller sets the members before the gap.
typedef struct ab_moved_pairs
{
    ab_broad *broad;
    const uint8_t *known; // by body slot: AB_ANCHOR_…; NULL: all proxies count as moved
    const ab_index_kernels *index;
    ab_arena *arena;
    bool only_active; // no proxy of the static set has moved

    bool few; // the phases find all pairs; else the row must
    uint32_t *proxies;
    uint32_t count;
    ab_tree trees[AB_SET_COUNT];
    ab_partition partition; // of the proxies
    size_t most_dropped;    // pairs: past it, the row's own search is used
    _Atomic size_t dropped; // by all tasks
} ab_moved_pairs;

// Fill the broad phase's `pairs` if few proxies have moved: every pair of one of them, once; and some near misses.
extern const ab_phase ab_moved_pair_phases[];

#endif
