// Finds the sleeping pairs whose colliders have left the static set, and merges them into the last detect's sorted
// keys.
#include "contact/woken_pairs.h"

#include "base/radix.h"
#include "contact/contact_tasks.h"

bool ab_collider_in_static_set(const ab_contact_names *names, abut_collider collider)
{
    const uint32_t proxy = names->proxies->proxy_of[collider.slot];
    return names->collider_generations[collider.slot] == collider.generation && proxy != ABUT_NONE &&
           ab_proxies_set_of(names->proxies, proxy) == AB_STATIC_SET;
}

static size_t count_nodes(const ab_pair_lists *lists, const ab_contact_names *names)
{
    size_t count = 0;
    for (uint32_t i = 0; i < names->woken_count; ++i)
    {
        for (uint32_t node = ab_pair_lists_first(lists, names->woken[i]); node != ABUT_NONE; node = lists->next[node])
        {
            ++count;
        }
    }
    return count;
}

// Sorts the slots of pairs with several contacts by child. All are sorted by key.
static void sort_children(const ab_pair_lists *lists, uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0, end; i < count; i = end)
    {
        for (end = i + 1; end < count && lists->keys[slots[end]] == lists->keys[slots[i]];)
        {
            ++end;
        }
        ab_pair_lists_sort(lists, slots + i, end - i);
    }
}

bool ab_woken_pairs_find(ab_woken_pairs *woken_pairs, ab_arena *arena, const ab_pair_lists *lists,
                         const ab_contact_names *names)
{
    const size_t most = lists->live > 0 ? count_nodes(lists, names) : 0;
    *woken_pairs = (ab_woken_pairs){ 0 };
    if (most == 0)
    {
        return true;
    }
    ab_sort_entry *entries = ab_arena_take(arena, most * sizeof *entries);
    ab_sort_entry *scratch = ab_arena_take(arena, most * sizeof *scratch);
    woken_pairs->slots = ab_arena_take(arena, most * sizeof *woken_pairs->slots);
    if (!entries || !scratch || !woken_pairs->slots)
    {
        return false;
    }
    size_t found = 0;
    for (uint32_t i = 0; i < names->woken_count; ++i)
    {
        for (uint32_t node = ab_pair_lists_first(lists, names->woken[i]); node != ABUT_NONE; node = lists->next[node])
        {
            entries[found] = (ab_sort_entry){ lists->keys[node / 2], node / 2 };
            found += !ab_collider_in_static_set(names, lists->ends[node].collider) ||
                     !ab_collider_in_static_set(names, lists->ends[node ^ 1u].collider);
        }
    }
    entries = ab_radix_sort(entries, scratch, found);
    for (size_t i = 0; i < found; ++i)
    {
        woken_pairs->slots[i] = (uint32_t)entries[i].payload;
    }
    if (AB_HAS_CHILDREN)
    {
        sort_children(lists, woken_pairs->slots, (uint32_t)found);
    }
    for (size_t i = 0; i < found; ++i)
    {
        const uint32_t slot = woken_pairs->slots[i];
        if (i == 0 || slot != woken_pairs->slots[woken_pairs->count - 1])
        {
            woken_pairs->slots[woken_pairs->count++] = slot;
        }
    }
    return true;
}

bool ab_woken_pairs_merge(ab_merged_pairs *merged, ab_arena *arena, const uint64_t *last_keys, uint32_t last_count,
                          const ab_pair_lists *lists, const ab_woken_pairs *woken_pairs)
{
    const uint32_t count = last_count + woken_pairs->count;
    *merged = (ab_merged_pairs){ last_keys, NULL, last_count };
    if (woken_pairs->count == 0)
    {
        return true;
    }
    uint64_t *keys = ab_arena_take(arena, count * sizeof *keys);
    uint32_t *origin = ab_arena_take(arena, count * sizeof *origin);
    if (!keys || !origin)
    {
        return false;
    }
    uint32_t old = 0, back = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint64_t asleep_key = back < woken_pairs->count ? lists->keys[woken_pairs->slots[back]] : AB_NO_KEY;
        const bool from_last = old < last_count && last_keys[old] < asleep_key;
        keys[i] = from_last ? last_keys[old] : asleep_key;
        origin[i] = from_last ? old : woken_pairs->slots[back] | AB_FROM_ASLEEP;
        old += from_last;
        back += !from_last;
    }
    *merged = (ab_merged_pairs){ keys, origin, count };
    return true;
}

// The last detect's contacts that may have ended: all, or where manifolds are recycled those that are not kept. In the
// arena, so with room for them in a list that is not growable. False when out of memory.
static bool find_last(const ab_contact_update *u, ab_contact_list *out, uint32_t *count)
{
    const ab_contact_list *last = ab_contact_store_now(u->store);
    *out = *last;
    *count = ab_contact_list_count(last);
    if (!u->kept)
    {
        return true;
    }
    *count = u->kept->other_count;
    out->keys = ab_arena_take(u->arena, (*count + (size_t)1) * sizeof *out->keys);
    out->slots = ab_arena_take(u->arena, (*count + (size_t)1) * sizeof *out->slots);
    for (uint32_t i = 0; out->keys && out->slots && i < *count; ++i)
    {
        out->keys[i] = last->keys[u->kept->others[i]];
        out->slots[i] = last->slots[u->kept->others[i]];
    }
    return out->keys && out->slots;
}

// The slots of merged pairs.
static const uint32_t *find_slots(const ab_contact_update *u, const uint32_t *last, const ab_merged_pairs *merged)
{
    if (!merged->origin)
    {
        return last;
    }
    uint32_t *slots = ab_arena_take(u->arena, (merged->count + (size_t)1) * sizeof *slots);
    for (uint32_t i = 0; slots && i < merged->count; ++i)
    {
        const uint32_t origin = merged->origin[i];
        slots[i] = origin & AB_FROM_ASLEEP ? u->store->asleep.slots[origin & ~AB_FROM_ASLEEP] : last[origin];
    }
    return slots;
}

bool ab_woken_pairs_find_before(ab_contact_update *u)
{
    const ab_pair_lists *lists = &u->store->asleep.lists;
    ab_contact_list last;
    ab_merged_pairs merged;
    uint32_t count;
    if (!find_last(u, &last, &count) || !ab_woken_pairs_find(&u->woken_pairs, u->arena, lists, &u->names) ||
        !ab_woken_pairs_merge(&merged, u->arena, last.keys, count, lists, &u->woken_pairs))
    {
        return false;
    }
    u->before = (ab_merge_before){ u->store->pool.contacts, merged.keys, find_slots(u, last.slots, &merged), NULL,
                                   merged.count };
    if (u->store->speculative > 0)
    {
        u->before.touched = ab_arena_take(u->arena, merged.count + (size_t)1);
    }
    return (u->before.slots || merged.count == 0) && (u->store->speculative == 0 || u->before.touched);
}
