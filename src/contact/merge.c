#include "contact/merge.h"

#include <math.h>

static uint32_t origin_of(const ab_merge_before *before, uint32_t old)
{
    return before->list.origin ? before->list.origin[old] : old;
}

static inline bool touched(const ab_merge_before *before, uint32_t old)
{
    if (before->all_touch)
    {
        return true;
    }
    const uint32_t origin = origin_of(before, old);
    return (origin & AB_FROM_RESTING) != 0 || (before->contacts[origin].flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

bool ab_merge_touched(const ab_merge_before *before, uint32_t old)
{
    return touched(before, old);
}

void ab_merge_contacts(ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_manifolds *manifolds, float margin)
{
    const bool all_touch = isinf(margin);
    const ab_woven list = before->list;
    uint32_t old = 0, begun = 0, ended = 0;
    for (uint32_t i = 0; i < order->count; ++i)
    {
        const uint64_t key = order->keys[i];
        for (; old < list.count && list.keys[old] < key; ++old)
        {
            merge->ended[ended] = origin_of(before, old);
            merge->ended_at[ended] = i;
            ended += touched(before, old);
        }
        const bool touches = all_touch || manifolds->data[order->index[i]].separation <= margin;
        const bool stays = old < list.count && list.keys[old] == key;
        const bool touched_before = stays && touched(before, old);
        merge->previous[i] = stays ? origin_of(before, old) : ABUT_NONE;
        merge->begun[begun] = i;
        merge->begun_at[begun] = old;
        begun += touches && !touched_before;
        merge->ended[ended] = merge->previous[i];
        merge->ended_at[ended] = i;
        ended += touched_before && !touches;
        old += stays;
    }
    for (; old < list.count; ++old)
    {
        merge->ended[ended] = origin_of(before, old);
        merge->ended_at[ended] = order->count;
        ended += touched(before, old);
    }
    merge->begun_count = begun;
    merge->ended_count = ended;
}
