// Merges the sorted keys of the old and the new contacts: finds each contact's predecessor, and what began and ended.
#include "contact/merge.h"

#include "base/platform.h"

#include <math.h>
#include <string.h>

#define RUN 4u // contacts compared at a time

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
    return (origin & AB_FROM_ASLEEP) != 0 || (before->contacts[origin].flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

bool ab_merge_touched(const ab_merge_before *before, uint32_t old)
{
    return touched(before, old);
}

// A reused contact touches.
static inline bool touches(const ab_contact_order *order, uint32_t i, const ab_packed_manifold *lines, float margin)
{
    const uint32_t line = order->line[i];
    return (line & AB_KEPT_LINE) != 0 || lines[line].separation <= margin;
}

// The input and output of a merge. `plain`: every contact, old and new, touches, and none was woken. It is a constant
// after inlining.
typedef struct merging
{
    const ab_merge *merge;
    const ab_merge_before *before;
    const ab_contact_order *order;
    const ab_packed_manifold *lines;
    float margin;
    bool plain;
} merging;

// The positions in both lists, and where the next begin and end go.
typedef struct merged
{
    size_t i, old, begun, ended;
} merged;

// Which list advances is unpredictable, so each step writes every candidate and advances only the counts that apply.
AB_INLINE merged merge_one(const merging *m, merged at)
{
    const ab_merge *const to = m->merge;
    const uint64_t key = m->order->keys[at.i], old_key = m->before->list.keys[at.old];
    const uint32_t now_index = (uint32_t)at.i, old_index = (uint32_t)at.old;
    const bool is_now = key <= old_key, was_before = old_key <= key;
    const bool touches_now = is_now & (m->plain || touches(m->order, now_index, m->lines, m->margin));
    const bool touched_before = was_before & (m->plain || touched(m->before, old_index));
    const uint32_t origin = m->plain ? old_index : origin_of(m->before, old_index);
    to->previous[at.i] = was_before ? origin : ABUT_NONE; // belongs to a later contact unless is_now
    to->begun[at.begun] = now_index;
    to->begun_at[at.begun] = old_index;
    to->ended[at.ended] = origin;
    to->ended_at[at.ended] = now_index;
    return (merged){
        .i = at.i + is_now,
        .old = at.old + was_before,
        .begun = at.begun + (touches_now & !touched_before),
        .ended = at.ended + (touched_before & !touches_now),
    };
}

// Unchanged contacts mostly come in runs.
AB_INLINE bool run_of_same(const merging *m, merged at)
{
    const uint64_t *const keys = m->order->keys + at.i, *const old_keys = m->before->list.keys + at.old;
    uint64_t differing = 0;
    for (uint32_t k = 0; k < RUN; ++k)
    {
        differing |= keys[k] ^ old_keys[k];
    }
    return differing == 0;
}

AB_INLINE merged merge_run(const merging *m, merged at)
{
    if (m->plain && run_of_same(m, at))
    {
        for (uint32_t k = 0; k < RUN; ++k)
        {
            m->merge->previous[at.i + k] = (uint32_t)at.old + k;
        }
        return (merged){ at.i + RUN, at.old + RUN, at.begun, at.ended };
    }
    for (uint32_t k = 0; k < RUN; ++k)
    {
        at = merge_one(m, at);
    }
    return at;
}

AB_INLINE void merge_all(const merging *m, ab_merge_range *range)
{
    const ab_merge *const to = m->merge;
    const size_t end = range->end, old_end = range->old_end;
    merged at = { range->first, range->old_first, range->begun, range->ended };
    while (at.i + RUN <= end && at.old + RUN <= old_end)
    {
        at = merge_run(m, at);
    }
    while (at.i < end && at.old < old_end)
    {
        at = merge_one(m, at);
    }
    for (; at.i < end; ++at.i)
    {
        to->previous[at.i] = ABUT_NONE;
        to->begun[at.begun] = (uint32_t)at.i;
        to->begun_at[at.begun] = (uint32_t)at.old;
        at.begun += m->plain || touches(m->order, (uint32_t)at.i, m->lines, m->margin);
    }
    for (; at.old < old_end; ++at.old)
    {
        to->ended[at.ended] = m->plain ? (uint32_t)at.old : origin_of(m->before, (uint32_t)at.old);
        to->ended_at[at.ended] = (uint32_t)end;
        at.ended += m->plain || touched(m->before, (uint32_t)at.old);
    }
    range->begun_count = (uint32_t)at.begun - range->begun;
    range->ended_count = (uint32_t)at.ended - range->ended;
}

void ab_merge_contacts(const ab_merge *out, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_packed_manifold *lines, float margin, ab_merge_range *range)
{
    // Copies: the compiler need not assume that stores change them.
    const ab_merge to = *out;
    const ab_merge_before was = *before;
    const ab_contact_order now = *order;
    if (isinf(margin) && was.all_touch && !was.list.origin)
    {
        merge_all(&(merging){ &to, &was, &now, lines, margin, true }, range);
        return;
    }
    merge_all(&(merging){ &to, &was, &now, lines, margin, false }, range);
}

uint32_t ab_merge_position(const ab_merge_before *before, uint64_t key)
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
