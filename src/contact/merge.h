// One pass over two sorted lists of contacts: the last detect's and this one's.
#ifndef AB_MERGE_H
#define AB_MERGE_H

#include "base/radix.h"
#include "contact/contact_store.h"

typedef struct ab_merge
{
    uint32_t *previous; // by new contact: the same contact's index before, or ABUT_NONE
    uint32_t *begun;    // indices of new contacts that touch and did not before
    uint32_t *ended;    // indices of old contacts that touched and do not now
    uint32_t begun_count;
    uint32_t ended_count;
} ab_merge;

// `previous` and `begun` have room for `count` entries, `ended` for as many as `before` has contacts. entries[i] names
// manifold entries[i].index; past `margin` it is speculative, which is not touching.
void ab_merge_contacts(ab_merge *merge, const ab_results *before, const ab_sort_entry *entries, uint32_t count,
                       const ab_manifold *manifolds, float margin);

#endif
