#include "contact/merge.h"

#include <math.h>
#include <string.h>

static uint32_t origin_of(const ab_merge_before *before, uint32_t old)
{
    return before->origin ? before->origin[old] : old;
}

static bool touched(const ab_merge_before *before, uint32_t old)
{
    if (before->all_touch)
    {
        return true;
    }
    const uint32_t origin = origin_of(before, old);
    return (origin & AB_FROM_RESTING) != 0 || (before->contacts[origin].flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

void ab_merge_contacts(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_manifolds *manifolds, float margin, ab_merge_range *range)
{
    const bool all_touch = isinf(margin);
    const uint32_t old_end = range->old_end;
    uint32_t *const to_begun = merge->begun + range->begun, *const to_ended = merge->ended + range->ended;
    uint32_t old = range->old_first, begun = 0, ended = 0;
    for (uint32_t i = range->first; i < range->end; ++i)
    {
        const uint64_t key = order->keys[i];
        for (; old < old_end && before->keys[old] < key; ++old)
        {
            to_ended[ended] = origin_of(before, old);
            ended += touched(before, old);
        }
        const bool touches = all_touch || manifolds->data[order->index[i]].separation <= margin;
        const bool stays = old < old_end && before->keys[old] == key;
        const bool touched_before = stays && touched(before, old);
        merge->previous[i] = stays ? origin_of(before, old) : ABUT_NONE;
        to_begun[begun] = i;
        begun += touches && !touched_before;
        to_ended[ended] = merge->previous[i];
        ended += touched_before && !touches;
        old += stays;
    }
    for (; old < old_end; ++old)
    {
        to_ended[ended] = origin_of(before, old);
        ended += touched(before, old);
    }
    range->begun_count = begun;
    range->ended_count = ended;
}

uint32_t ab_merge_place(const ab_merge_before *before, uint64_t key)
{
    uint32_t low = 0, high = before->count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool earlier = before->keys[middle] < key;
        low = earlier ? middle + 1 : low;
        high = earlier ? high : middle;
    }
    return low;
}

void ab_merge_gather(ab_merge *merge, const ab_merge_range *range)
{
    memmove(merge->begun + merge->begun_count, merge->begun + range->begun, range->begun_count * sizeof *merge->begun);
    memmove(merge->ended + merge->ended_count, merge->ended + range->ended, range->ended_count * sizeof *merge->ended);
    merge->begun_count += range->begun_count;
    merge->ended_count += range->ended_count;
}
