// One pass over two sorted lists of contacts: the last detect's and this one's.
#ifndef AB_MERGE_H
#define AB_MERGE_H

#include "contact/contact_order.h"
#include "contact/woken_pairs.h"

#include <abut/contacts.h>

typedef struct ab_merge
{
    uint32_t *previous; // by new contact: the origin of the same contact before, or ABUT_NONE
    uint32_t *begun;    // indices of new contacts that touch and did not before
    uint32_t *ended;    // origins of old contacts that touched and were not found touching now
    uint32_t *begun_at; // by entry of `begun`: its place among the old contacts
    uint32_t *ended_at; // by entry of `ended`: its place among the new ones
    uint32_t begun_count, ended_count;
} ab_merge;

// What touched before: the last results, or those with returning contacts merged in.
typedef struct ab_merge_before
{
    const abut_contact *contacts; // of the last results
    ab_merged_pairs list;
    bool all_touch; // none is speculative, so that the contacts need not be looked at
} ab_merge_before;

// A range of the new contacts with those of before whose keys lie among theirs, and what came of it.
typedef struct ab_merge_range
{
    uint32_t first, end;         // new contacts
    uint32_t old_first, old_end; // by key of before
    uint32_t begun, ended;       // where they are written
    uint32_t begun_count, ended_count;
} ab_merge_range;

// Merges one range. `previous` has room for every new contact; a range writes at most as many entries of `begun` as it
// has new contacts, and of `ended` as it has old ones. A manifold separated by more than `margin` is speculative, which
// is not touching; with an infinite margin they are not looked at.
void ab_merge_contacts(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_packed_manifold *lines, float margin, ab_merge_range *range);

// The first place among those of before with this key or a later one.
uint32_t ab_merge_place(const ab_merge_before *before, uint64_t key);

// What ranges have written, side by side and in order, moves together.
void ab_merge_gather(ab_merge *merge, const ab_merge_range *range);

// Whether the old contact at a place touched.
bool ab_merge_touched(const ab_merge_before *before, uint32_t old);

#endif
