#include "contact/returning.h"

#include "base/radix.h"

bool ab_collider_is_still(const ab_contact_names *names, abut_collider collider)
{
    const uint32_t leaf = names->leaves->leaf_of[collider.slot];
    return names->collider_lives[collider.slot] == collider.life && leaf != ABUT_NONE &&
           ab_leaves_set_of(names->leaves, leaf) == AB_STILL;
}

static size_t count_nodes(const ab_pair_lists *lists, const ab_contact_names *names)
{
    size_t count = 0;
    for (uint32_t i = 0; i < names->stirred_count; ++i)
    {
        for (uint32_t node = ab_pair_lists_first(lists, names->stirred[i]); node != ABUT_NONE; node = lists->next[node])
        {
            ++count;
        }
    }
    return count;
}

bool ab_returning_find(ab_returning *returning, ab_arena *arena, const ab_pair_lists *lists,
                       const ab_contact_names *names)
{
    const size_t most = lists->live > 0 ? count_nodes(lists, names) : 0;
    *returning = (ab_returning){ 0 };
    if (most == 0)
    {
        return true;
    }
    ab_sort_entry *entries = ab_arena_take(arena, most * sizeof *entries);
    ab_sort_entry *scratch = ab_arena_take(arena, most * sizeof *scratch);
    returning->slots = ab_arena_take(arena, most * sizeof *returning->slots);
    if (!entries || !scratch || !returning->slots)
    {
        return false;
    }
    size_t found = 0;
    for (uint32_t i = 0; i < names->stirred_count; ++i)
    {
        for (uint32_t node = ab_pair_lists_first(lists, names->stirred[i]); node != ABUT_NONE; node = lists->next[node])
        {
            entries[found] = (ab_sort_entry){ lists->keys[node / 2], node / 2 };
            found += !ab_collider_is_still(names, lists->ends[node].collider) ||
                     !ab_collider_is_still(names, lists->ends[node ^ 1u].collider);
        }
    }
    entries = ab_radix_sort(entries, scratch, found);
    for (size_t i = 0; i < found; ++i)
    {
        if (i == 0 || entries[i].key != entries[i - 1].key)
        {
            returning->slots[returning->count++] = (uint32_t)entries[i].payload;
        }
    }
    return true;
}

bool ab_returning_weave(ab_woven *woven, ab_arena *arena, const uint64_t *last_keys, uint32_t last_count,
                        const ab_pair_lists *lists, const ab_returning *returning)
{
    const uint32_t count = last_count + returning->count;
    *woven = (ab_woven){ last_keys, NULL, last_count };
    if (returning->count == 0)
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
        const uint64_t resting_key = back < returning->count ? lists->keys[returning->slots[back]] : AB_NO_KEY;
        const bool from_last = old < last_count && last_keys[old] < resting_key;
        keys[i] = from_last ? last_keys[old] : resting_key;
        origin[i] = from_last ? old : returning->slots[back] | AB_FROM_RESTING;
        old += from_last;
        back += !from_last;
    }
    *woven = (ab_woven){ keys, origin, count };
    return true;
}
