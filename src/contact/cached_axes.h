// The separating axes of the last detect's contacts. Kernels with hysteresis keep a cached axis while another is hardly
// better.
#ifndef AB_CACHED_AXES_H
#define AB_CACHED_AXES_H

#include "base/tasks.h"
#include "contact/contact_store.h"
#include "pairs/pair_index.h"

// An index from a body to its first contact as body a, so that a pair is found without a search. The entry of a body
// without contacts is left stale; keys tell.
typedef struct ab_cached_axis_index
{
    const ab_contact_store *store;
    ab_memory *memory;
    ab_granularity granularity;
    uint32_t body_slots;    // zero: no index is needed
    uint64_t listing;       // the store's number of the list that `first` is of, plus one; 0: of none
    uint32_t *first;        // growable, by body slot
    ab_partition partition; // of the contacts
} ab_cached_axis_index;

// Builds the index of the published contacts, unless it is of those. The caller sets the first four members.
extern const ab_phase ab_cached_axis_phases[];

// Looks axes up in the published contacts, once indexed, and in the sleeping ones; valid until the next publish. An
// axis that hysteresis kept would also be kept as its own cached axis, so an audit of the published contacts may pass
// them their own axes.
ab_cached_axes ab_cached_axes_of(const ab_cached_axis_index *index);

// Finds the published contacts by key, once indexed.
ab_pair_index ab_cached_axis_pairs(const ab_cached_axis_index *index);

void ab_cached_axis_index_close(ab_cached_axis_index *index);

#endif
