// Which axes named the contacts of the last detect: what kernels ask that stay with an axis where another is nearly as
// good.
#ifndef AB_CACHED_AXES_H
#define AB_CACHED_AXES_H

#include "base/tasks.h"
#include "contact/contact_store.h"
#include "pairs/pair_index.h"

// Where the contacts of a body as body a begin, so that those of two bodies are found without a search. Of a body
// without any the entry is left as it was: contacts are known by their keys.
typedef struct ab_cached_axis_index
{
    const ab_contact_store *store;
    ab_memory *memory;
    ab_granularity granularity;
    uint32_t body_slots;    // zero: nobody will ask
    bool made;              // it is there already: the phases have nothing to do
    uint32_t *first;        // growable, by body slot
    ab_partition partition; // of the contacts
} ab_cached_axis_index;

// Makes the index of the published contacts. The first five are set by the caller.
extern const ab_phase ab_cached_axis_phases[];

// Answers from the published contacts, once they are indexed, and from those at rest; stands until the next are
// published. An axis that was kept for the sake of a former one is kept for its own as well, so an audit of the
// published contacts may ask for what they are named by themselves.
ab_cached_axes ab_cached_axes_of(const ab_cached_axis_index *index);

// Where the published contacts stand, by key, once they are indexed.
ab_pair_index ab_cached_axis_pairs(const ab_cached_axis_index *index);

void ab_cached_axis_index_close(ab_cached_axis_index *index);

#endif
