// One pass over two sorted lists of contacts: the last detect's and this one's.
#ifndef AB_MERGE_H
#define AB_MERGE_H

#include "contact/contact_order.h"

#include <abut/world.h>

typedef struct ab_merge
{
    uint32_t *previous; // by new contact: the same contact's index before, or ABUT_NONE
    uint32_t *begun;    // indices of new contacts that touch and did not before
    uint32_t *ended;    // indices of old contacts that touched and do not now
    uint32_t begun_count, ended_count;
} ab_merge;

// The last detect's contacts and their keys.
typedef struct ab_merge_before
{
    const abut_contact *contacts;
    const uint64_t *keys;
    uint32_t count;
    bool all_touch; // none is speculative, so that the contacts need not be looked at
} ab_merge_before;

// `previous` and `begun` have room for manifolds->count + 1 entries, `ended` for before->count + 1. A manifold separated by more
// than `margin` is speculative, which is not touching; with an infinite margin they are not looked at.
void ab_merge_contacts(ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_manifolds *manifolds, float margin);

#endif
