// Merges the sorted keys of the old and the new contacts: finds each contact's predecessor, and what began and ended.
#include "contact/merge.h"

#include "base/platform.h"
#include "contact/contact_tasks.h"

#include <math.h>
#include <string.h>

#define RUN   4u  // contacts compared at a time
#define AHEAD 16u // and how many ahead old contacts and new manifolds are prefetched; entries of these twice as far

// Whether an old contact touched; noted where not all did.
static inline bool touched(const ab_merge_before *before, uint32_t old)
{
    if (!before->touched)
    {
        return true;
    }
    const bool did = (before->contacts[before->slots[old]].flags & ABUT_CONTACT_SPECULATIVE) == 0;
    before->touched[old] = did;
    return did;
}

static inline bool touches(const ab_contact_order *order, uint32_t i, const ab_touching *touching)
{
    const uint32_t found = order->found[i];
    const ab_packed_manifolds *manifolds = touching->manifolds;
    return touching->at ? touching->at[found] != 0
                        : manifolds->lines[manifolds->entries[found].line].separation <= touching->margin;
}

// The input and output of a merge. `plain`: every contact, old and new, touches. It is a constant
// after inlining.
typedef struct merging
{
    const ab_merge *merge;
    const ab_merge_before *before;
    const ab_contact_order *order;
    ab_touching touching;
    bool plain;
} merging;

// Prefetches what tells whether a new contact touches: manifolds lie in the order found, each behind its entry.
AB_INLINE void look_ahead_at_new(const merging *m, size_t i, size_t end)
{
    const ab_packed_manifolds *const manifolds = m->touching.manifolds;
    const uint32_t *const found = m->order->found;
    for (uint32_t k = 0; AB_PREFETCHES && !m->plain && i + 2 * AHEAD + RUN <= end && k < RUN; ++k)
    {
        const uint32_t soon = found[i + AHEAD + k];
        if (m->touching.at)
        {
            AB_PREFETCH(&m->touching.at[soon]);
            continue;
        }
        AB_PREFETCH(&manifolds->entries[found[i + 2 * AHEAD + k]]);
        AB_PREFETCH(&manifolds->lines[manifolds->entries[soon].line].separation);
    }
}

// The positions in both lists, and where the next begin, end and contact that was not found go; contacts continued so
// far.
typedef struct merged
{
    size_t i, old, begun, ended, gone, same;
} merged;

// Which list advances is unpredictable, so each step writes every candidate and advances only the counts that apply.
AB_INLINE merged merge_one(const merging *m, merged at)
{
    const ab_merge *const to = m->merge;
    const uint64_t key = m->order->keys[at.i], old_key = m->before->keys[at.old];
    const uint32_t now_index = (uint32_t)at.i, old_index = (uint32_t)at.old;
    const bool is_now = key <= old_key, was_before = old_key <= key;
    const bool touches_now = is_now & (m->plain || touches(m->order, now_index, &m->touching));
    const bool touched_before = was_before & (m->plain || touched(m->before, old_index));
    const uint32_t slot = m->before->slots[at.old];
    to->previous[at.i] = was_before ? slot : ABUT_NONE; // belongs to a later contact unless is_now
    to->begun[at.begun] = now_index;
    to->ended[at.ended] = slot;
    if (!m->plain)
    {
        to->gone[at.gone] = slot;
    }
    return (merged){
        .i = at.i + is_now,
        .old = at.old + was_before,
        .begun = at.begun + (touches_now & !touched_before),
        .ended = at.ended + (touched_before & !touches_now),
        .gone = at.gone + (!m->plain & was_before & !is_now),
        .same = at.same + (!m->plain & was_before & is_now),
    };
}

// Unchanged contacts mostly come in runs.
AB_INLINE bool run_of_same(const merging *m, merged at)
{
    const uint64_t *const keys = m->order->keys + at.i, *const old_keys = m->before->keys + at.old;
    uint64_t differing = 0;
    for (uint32_t k = 0; k < RUN; ++k)
    {
        differing |= keys[k] ^ old_keys[k];
    }
    return differing == 0;
}

// A run of contacts that were there before, too: some may begin or end to touch.
AB_INLINE merged keep_run(const merging *m, merged at)
{
    const ab_merge *const to = m->merge;
    for (uint32_t k = 0; k < RUN; ++k, ++at.i, ++at.old)
    {
        const uint32_t slot = m->before->slots[at.old];
        to->previous[at.i] = slot;
        if (!m->plain)
        {
            const bool touches_now = touches(m->order, (uint32_t)at.i, &m->touching);
            const bool touched_before = touched(m->before, (uint32_t)at.old);
            to->begun[at.begun] = (uint32_t)at.i;
            to->ended[at.ended] = slot;
            at.begun += touches_now & !touched_before;
            at.ended += touched_before & !touches_now;
        }
    }
    at.same += RUN;
    return at;
}

AB_INLINE void look_ahead(const merging *m, merged at, size_t old_end)
{
    for (uint32_t k = 0; AB_PREFETCHES && m->before->touched && at.old + AHEAD + RUN <= old_end && k < RUN; ++k)
    {
        AB_PREFETCH(&m->before->contacts[m->before->slots[at.old + AHEAD + k]].flags);
    }
}

// Small builds do without runs where some contacts do not touch.
#ifdef AB_SMALL
#define RUNS(m) ((m)->plain)
#else
#define RUNS(m) true
#endif

AB_INLINE merged merge_run(const merging *m, merged at)
{
    if (RUNS(m) && run_of_same(m, at))
    {
        return keep_run(m, at);
    }
    for (uint32_t k = 0; k < RUN; ++k)
    {
        at = merge_one(m, at);
    }
    return at;
}

static void copy(uint32_t *to, const uint32_t *from, uint32_t count)
{
    if (count > 0 && to != from)
    {
        memmove(to, from, count * sizeof *to);
    }
}

AB_INLINE void merge_all(const merging *m, ab_merge_range *range)
{
    const ab_merge *const to = m->merge;
    const size_t end = range->end, old_end = range->old_end;
    merged at = { range->first, range->old_first, range->begun, range->ended, range->ended, 0 };
    while (at.i + RUN <= end && at.old + RUN <= old_end)
    {
        if (!m->plain)
        {
            look_ahead(m, at, old_end);
            look_ahead_at_new(m, at.i, end);
        }
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
        at.begun += m->plain || touches(m->order, (uint32_t)at.i, &m->touching);
    }
    for (; at.old < old_end; ++at.old)
    {
        to->ended[at.ended] = to->gone[at.gone] = m->before->slots[at.old];
        at.gone += !m->plain;
        at.ended += m->plain || touched(m->before, (uint32_t)at.old);
    }
    range->begun_count = (uint32_t)at.begun - range->begun;
    range->ended_count = (uint32_t)at.ended - range->ended;
    range->gone_count = (uint32_t)at.gone - range->ended;
    range->new_count = range->end - range->first - (uint32_t)at.same;
    if (m->plain) // what was not found has ended, and what is new has begun
    {
        copy(to->gone + range->ended, to->ended + range->ended, range->ended_count);
        range->gone_count = range->ended_count;
        range->new_count = range->begun_count;
    }
}

void ab_merge_contacts(const ab_merge *out, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_touching *touching, ab_merge_range *range)
{
    // Copies: the compiler need not assume that stores change them.
    const ab_merge to = *out;
    const ab_merge_before was = *before;
    const ab_contact_order now = *order;
    if (isinf(touching->margin) && !was.touched)
    {
        merge_all(&(merging){ &to, &was, &now, *touching, true }, range);
        return;
    }
    merge_all(&(merging){ &to, &was, &now, *touching, false }, range);
}

// A pair's contacts, [i, i_end) now and [old, old_end) before.
typedef struct pair_contacts
{
    uint32_t i, i_end, old, old_end;
} pair_contacts;

static uint32_t old_child(const merging *m, uint32_t old)
{
    return m->before->contacts[m->before->slots[old]].child;
}

static uint32_t new_child(const merging *m, uint32_t i)
{
    return m->order->child ? m->order->child[i] : 0;
}

// Finds the predecessors of a pair's contacts, child by child, and those that were not found. A pair had others if one
// of them touched.
static void match_children(const merging *m, pair_contacts p, ab_merge_range *range)
{
    uint32_t none = ABUT_NONE;
    for (uint32_t old = p.old; old < p.old_end; ++old)
    {
        none = touched(m->before, old) ? AB_NEW_CHILD : none;
    }
    uint32_t *const gone = m->merge->gone + range->ended;
    for (; p.i < p.i_end; ++p.i)
    {
        while (p.old < p.old_end && old_child(m, p.old) < new_child(m, p.i))
        {
            gone[range->gone_count++] = m->before->slots[p.old++];
        }
        const bool same = p.old < p.old_end && old_child(m, p.old) == new_child(m, p.i);
        m->merge->previous[p.i] = same ? m->before->slots[p.old] : none;
        range->new_count += !same;
        p.old += same;
    }
    while (p.old < p.old_end)
    {
        gone[range->gone_count++] = m->before->slots[p.old++];
    }
}

static void merge_pair(const merging *m, pair_contacts p, ab_merge_range *range)
{
    uint32_t first = p.i, ended = range->ended + range->ended_count;
    match_children(m, p, range);
    while (first < p.i_end && !m->plain && !touches(m->order, first, &m->touching))
    {
        ++first;
    }
    bool before = false;
    for (uint32_t old = p.old; old < p.old_end; ++old)
    {
        const bool did = touched(m->before, old);
        before = before || did;
        if (did && first == p.i_end)
        {
            m->merge->ended[ended++] = m->before->slots[old];
        }
    }
    if (first < p.i_end && !before)
    {
        m->merge->begun[range->begun + range->begun_count++] = first;
    }
    range->ended_count = ended - range->ended;
}

// How many contacts from here on, of RUN, were there before, too, and touch both times, up to where a pair ends. Where
// a pair ends, and which contact is the first one that is not the same, cannot be predicted: all are looked at.
AB_INLINE uint32_t find_same(const merging *m, pair_contacts p)
{
    const uint64_t *const keys = m->order->keys + p.i, *const old_keys = m->before->keys + p.old;
    uint32_t same = 0, last = 0; // bit k: contact k is the same; it is its pair's last one
    AB_UNROLL
    for (uint32_t k = 0; k < RUN; ++k)
    {
        const bool is_child = old_child(m, p.old + k) == new_child(m, p.i + k);
        const bool touches_now = m->plain || touches(m->order, p.i + k, &m->touching);
        const bool is_same = (keys[k] == old_keys[k]) & is_child & touches_now & touched(m->before, p.old + k);
        const bool is_last = (keys[k] != keys[k + 1]) & (old_keys[k] != old_keys[k + 1]);
        same |= (is_same ? 1u : 0u) << k;
        last |= (is_last ? 1u : 0u) << k;
    }
    const uint32_t ends = last & same & ~(same + 1); // of those before the first one that is not the same
    return ab_highest_bit(2 * ends | 1u);
}

AB_INLINE void look_ahead_at_children(const merging *m, size_t old, size_t old_end)
{
    for (uint32_t k = 0; AB_PREFETCHES && old + AHEAD + RUN <= old_end && k < RUN; ++k)
    {
        AB_PREFETCH(&m->before->contacts[m->before->slots[old + AHEAD + k]].child);
    }
}

// Whole pairs whose contacts are the last detect's, one by one, as most are. Those that are written behind them are
// written over.
AB_INLINE pair_contacts keep_pairs(const merging *m, pair_contacts p, const ab_merge_range *range)
{
    for (uint32_t count = 1; count > 0 && p.i + RUN < range->end && p.old + RUN < range->old_end;)
    {
        look_ahead_at_children(m, p.old, range->old_end);
        look_ahead_at_new(m, p.i, range->end);
        count = find_same(m, p);
        memcpy(m->merge->previous + p.i, m->before->slots + p.old, RUN * sizeof *m->merge->previous);
        p.i += count;
        p.old += count;
    }
    return p;
}

void ab_merge_children(const ab_merge *merge, const ab_merge_before *before, const ab_contact_order *order,
                       const ab_touching *touching, ab_merge_range *range)
{
    const merging m = { merge, before, order, *touching, isinf(touching->margin) };
    const uint64_t *const keys = order->keys, *const old_keys = before->keys;
    pair_contacts p = { range->first, range->first, range->old_first, range->old_first };
    range->begun_count = range->ended_count = range->gone_count = range->new_count = 0;
    while (p.i < range->end || p.old < range->old_end)
    {
        p = keep_pairs(&m, p, range);
        const uint64_t now = p.i < range->end ? keys[p.i] : UINT64_MAX;
        const uint64_t then = p.old < range->old_end ? old_keys[p.old] : UINT64_MAX;
        const uint64_t key = now < then ? now : then;
        for (p.i_end = p.i; p.i_end < range->end && keys[p.i_end] == key;)
        {
            ++p.i_end;
        }
        for (p.old_end = p.old; p.old_end < range->old_end && old_keys[p.old_end] == key;)
        {
            ++p.old_end;
        }
        merge_pair(&m, p, range);
        p.i = p.i_end;
        p.old = p.old_end;
    }
}

void ab_merge_forget_children(const ab_merge *merge, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        merge->previous[i] = merge->previous[i] == AB_NEW_CHILD ? ABUT_NONE : merge->previous[i];
    }
}

void ab_merge_gather(ab_merge *merge, const ab_merge_range *range)
{
    copy(merge->begun + merge->begun_count, merge->begun + range->begun, range->begun_count);
    copy(merge->ended + merge->ended_count, merge->ended + range->ended, range->ended_count);
    copy(merge->gone + merge->gone_count, merge->gone + range->ended, range->gone_count);
    merge->begun_count += range->begun_count;
    merge->ended_count += range->ended_count;
    merge->gone_count += range->gone_count;
    merge->new_count += range->new_count;
}

// Moves the borders of ranges forward to where a pair begins. All contacts are unpacked.
static void keep_pairs_whole(ab_contact_update *u, uint32_t ranges)
{
    const uint64_t *keys = u->order.keys;
    for (uint32_t i = 1; i < ranges; ++i)
    {
        ab_merge_range *range = &u->parts[i].range;
        while (range->first < u->order.count && keys[range->first] == keys[range->first - 1])
        {
            ++range->first;
        }
        range->begun = u->parts[i - 1].range.end = range->first;
        range->end = range->end > range->first ? range->end : range->first;
        const bool more = range->first < u->order.count;
        range->old_first = range->ended =
            more ? ab_key_position(u->before.keys, u->before.count, 0, keys[range->first]) : u->before.count;
        u->parts[i - 1].range.old_end = range->old_first;
    }
}

uint32_t ab_merge_partition(ab_contact_update *u)
{
    u->partition = ab_partition_into(&u->granularity, u->order.count, 1);
    const uint32_t ranges = u->partition.tasks > 0 ? u->partition.tasks : 1;
    for (uint32_t i = 0; i < ranges; ++i)
    {
        ab_merge_range range = { 0 };
        if (u->partition.tasks > 0)
        {
            range.first = range.begun = (uint32_t)ab_partition_first(&u->partition, i);
            range.end = (uint32_t)ab_partition_end(&u->partition, i);
        }
        range.old_first =
            i == 0 ? 0
                   : ab_key_position(u->before.keys, u->before.count, 0, ab_contact_order_key(&u->order, range.first));
        range.ended = range.old_first;
        if (i > 0)
        {
            u->parts[i - 1].range.old_end = range.old_first;
        }
        u->parts[i] = (ab_contact_part){ .range = range };
    }
    u->parts[ranges - 1].range.old_end = u->before.count;
    if (ab_contact_store_has_children(u->store))
    {
        keep_pairs_whole(u, ranges);
    }
    return ranges;
}
