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

// `plain`: all that is there and all that was there touches, and no contact comes back from rest. Known where this is compiled in.
// Which list goes on cannot be foretold, so every step writes whatever might be and counts what is.
static inline void merge_all(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                             const ab_patch *lines, float margin, ab_merge_range *range, bool plain)
{
    const uint64_t *const keys = order->keys, *const old_keys = before->list.keys;
    const size_t end = range->end, old_end = range->old_end;
    size_t i = range->first, old = range->old_first, begun = range->begun, ended = range->ended;
    while (i < end && old < old_end)
    {
        const uint64_t key = keys[i], old_key = old_keys[old];
        const uint32_t now_index = (uint32_t)i, old_index = (uint32_t)old;
        const bool is_now = key <= old_key, was_before = old_key <= key;
        const bool touches_now = is_now & (plain || touches(order, now_index, lines, margin));
        const bool touched_before = was_before & (plain || touched(before, old_index));
        const uint32_t origin = plain ? old_index : origin_of(before, old_index);
        merge->previous[i] = was_before ? origin : ABUT_NONE; // of a later contact, unless it is now
        merge->begun[begun] = now_index;
        merge->begun_at[begun] = old_index;
        begun += touches_now & !touched_before;
        merge->ended[ended] = origin;
        merge->ended_at[ended] = now_index;
        ended += touched_before & !touches_now;
        i += is_now;
        old += was_before;
    }
    for (; i < end; ++i)
    {
        merge->previous[i] = ABUT_NONE;
        merge->begun[begun] = (uint32_t)i;
        merge->begun_at[begun] = (uint32_t)old;
        begun += plain || touches(order, (uint32_t)i, lines, margin);
    }
    for (; old < old_end; ++old)
    {
        merge->ended[ended] = plain ? (uint32_t)old : origin_of(before, (uint32_t)old);
        merge->ended_at[ended] = (uint32_t)end;
        ended += plain || touched(before, (uint32_t)old);
    }
    range->begun_count = (uint32_t)begun - range->begun;
    range->ended_count = (uint32_t)ended - range->ended;
}

void ab_merge_contacts(const ab_merge *out, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_patch *lines, float margin, ab_merge_range *range)
{
    const ab_merge local = *out; // so that no store is taken for a change of where things lie
    if (isinf(margin) && before->all_touch && !before->list.origin)
    {
        merge_all(&local, before, order, lines, margin, range, true);
        return;
    }
    merge_all(&local, before, order, lines, margin, range, false);
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
