// Merges two sorted lists of contacts in one pass: the last detect's and this one's.
#ifndef AB_MERGE_H
#define AB_MERGE_H

#include "contact/contact_order.h"
#include "contact/woken_pairs.h"

#include <abut/contacts.h>

// Which manifolds touch: `at` has them in the order found; NULL where there are no anchors: those within the margin.
typedef struct ab_touching
{
    const ab_packed_manifolds *manifolds;
    const uint8_t *at;
    float margin;
} ab_touching;

typedef struct ab_merge
{
    uint32_t *previous; // by new contact: the slot of the same contact before, or ABUT_NONE
    uint32_t *begun;    // indices of new contacts that touch and did not before
    uint32_t *ended;    // slots of old contacts that touched and do not now
    uint32_t *gone;     // slots of old contacts that were not found
    uint32_t begun_count, ended_count, gone_count, new_count;
} ab_merge;

// The contacts before: the last detect's, merged with the woken ones.
typedef struct ab_merge_before
{
    const abut_contact *contacts; // by slot
    const uint64_t *keys;         // sorted
    const uint32_t *slots;        // by key
    uint8_t *touched;             // by key: whether the contact touched; written by the merge. NULL: all did
    uint32_t count;
} ab_merge_before;

// A range of new contacts and the old ones between their keys, and the result.
typedef struct ab_merge_range
{
    uint32_t first, end;         // new contacts
    uint32_t old_first, old_end; // entries of `before`
    uint32_t begun, ended;       // index of its first output; `gone` begins where `ended` does
    uint32_t begun_count, ended_count, gone_count;
    uint32_t new_count; // contacts without one before
} ab_merge_range;

// Merges one range. `previous` has room for every new contact; a range writes at most one entry of `begun` per new
// contact, and one of `ended` and of `gone` per old one. With an infinite margin, all contacts touch.
void ab_merge_contacts(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_touching *touching, ab_merge_range *range);

// A new child of a pair that touched by others, in `previous`, until ab_merge_forget_children.
#define AB_NEW_CHILD (ABUT_NONE - 1u)

// The same where pairs may have several contacts, one for each child: the children of one pair are in one range. A pair
// begins with its first contact that touches, and ends when none does. `ended` then has all of its contacts that
// touched.
void ab_merge_children(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_touching *touching, ab_merge_range *range);
void ab_merge_forget_children(const ab_merge *merge, uint32_t count);

// Appends a range's output to that of the ranges before it.
void ab_merge_gather(ab_merge *merge, const ab_merge_range *range);

// Whether old contact `old` touched; after the merge.
static inline bool ab_merge_touched(const ab_merge_before *before, uint32_t old)
{
    return !before->touched || before->touched[old] != 0;
}

#endif
