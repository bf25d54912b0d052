#include "contact/merge.h"

#include <math.h>
#include <string.h>

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

// What is kept touches.
static inline bool touches(const ab_contact_order *order, uint32_t i, const ab_patch *lines, float margin)
{
    const uint32_t line = order->line[i];
    return (line & AB_KEPT_LINE) != 0 || lines[line].separation <= margin;
}

static void merge_any(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                      const ab_patch *lines, float margin, ab_merge_range *range)
{
    const uint64_t *const keys = order->keys, *const old_keys = before->list.keys;
    const uint32_t old_end = range->old_end;
    uint32_t old = range->old_first, begun = range->begun, ended = range->ended;
    for (uint32_t i = range->first; i < range->end; ++i)
    {
        const uint64_t key = keys[i];
        for (; old < old_end && old_keys[old] < key; ++old)
        {
            merge->ended[ended] = origin_of(before, old);
            merge->ended_at[ended] = i;
            ended += touched(before, old);
        }
        const bool stays = old < old_end && old_keys[old] == key;
        merge->previous[i] = stays ? origin_of(before, old) : ABUT_NONE;
        const bool touches_now = touches(order, i, lines, margin), touched_before = stays && touched(before, old);
        merge->begun[begun] = i;
        merge->begun_at[begun] = old;
        begun += touches_now && !touched_before;
        merge->ended[ended] = merge->previous[i];
        merge->ended_at[ended] = i;
        ended += touched_before && !touches_now;
        old += stays;
    }
    for (; old < old_end; ++old)
    {
        merge->ended[ended] = origin_of(before, old);
        merge->ended_at[ended] = range->end;
        ended += touched(before, old);
    }
    range->begun_count = begun - range->begun;
    range->ended_count = ended - range->ended;
}

// Where all that is there and all that was there touches, and no contact comes back from rest: of the next new and the next old one
// the earlier is taken, or both, without a branch on which, for that cannot be foretold.
static void merge_plain(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                        ab_merge_range *range)
{
    const uint64_t *const keys = order->keys, *const old_keys = before->list.keys;
    uint32_t *const previous = merge->previous, *const begun_list = merge->begun, *const begun_at = merge->begun_at;
    uint32_t *const ended_list = merge->ended, *const ended_at = merge->ended_at;
    const uint32_t end = range->end, old_end = range->old_end;
    uint32_t i = range->first, old = range->old_first, begun = range->begun, ended = range->ended;
    while (i < end && old < old_end)
    {
        const uint64_t key = keys[i], old_key = old_keys[old];
        const bool is = key <= old_key, was = old_key <= key;
        previous[i] = was ? old : ABUT_NONE; // or of a later round
        begun_list[begun] = i;
        begun_at[begun] = old;
        ended_list[ended] = old;
        ended_at[ended] = i;
        begun += !was;
        ended += !is;
        i += is;
        old += was;
    }
    for (; i < end; ++i, ++begun)
    {
        previous[i] = ABUT_NONE;
        begun_list[begun] = i;
        begun_at[begun] = old;
    }
    for (; old < old_end; ++old, ++ended)
    {
        ended_list[ended] = old;
        ended_at[ended] = end;
    }
    range->begun_count = begun - range->begun;
    range->ended_count = ended - range->ended;
}

void ab_merge_contacts(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_patch *lines, float margin, ab_merge_range *range)
{
    if (isinf(margin) && before->all_touch && !before->list.origin)
    {
        merge_plain(merge, before, order, range);
        return;
    }
    merge_any(merge, before, order, lines, margin, range);
}

uint32_t ab_merge_place(const ab_merge_before *before, uint64_t key)
{
    uint32_t low = 0, high = before->list.count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool earlier = before->list.keys[middle] < key;
        low = earlier ? middle + 1 : low;
        high = earlier ? high : middle;
    }
    return low;
}

static void gather(uint32_t *list, uint32_t to, uint32_t from, uint32_t count)
{
    if (to != from)
    {
        memmove(list + to, list + from, count * sizeof *list);
    }
}

void ab_merge_gather(ab_merge *merge, const ab_merge_range *range)
{
    gather(merge->begun, merge->begun_count, range->begun, range->begun_count);
    gather(merge->begun_at, merge->begun_count, range->begun, range->begun_count);
    gather(merge->ended, merge->ended_count, range->ended, range->ended_count);
    gather(merge->ended_at, merge->ended_count, range->ended, range->ended_count);
    merge->begun_count += range->begun_count;
    merge->ended_count += range->ended_count;
}
