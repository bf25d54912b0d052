// Caches pairs from detect to detect: the last detect's in a sorted list, those of sleeping or static bodies apart.
#include "contact/pair_cache.h"

#include "base/array.h"
#include "base/assert.h"

bool ab_cached_pairs_resize(ab_cached_pairs *list, ab_memory *memory, size_t count)
{
    return ab_array_resize(list->keys, memory, count) && ab_array_resize(list->pairs, memory, count);
}

static void close_list(ab_cached_pairs *list)
{
    arrfree(list->keys);
    arrfree(list->pairs);
}

void ab_pair_cache_close(ab_pair_cache *kept)
{
    close_list(&kept->found[0]);
    close_list(&kept->found[1]);
    close_list(&kept->sorted);
    ab_pair_lists_close(&kept->asleep);
    arrfree(kept->asleep_pairs);
    arrfree(kept->slots);
}

void ab_pair_cache_trim(ab_pair_cache *kept, ab_memory *memory)
{
    ab_cached_pairs *next = ab_pair_cache_next(kept);
    ab_array_trim(next->keys, memory, 0);
    ab_array_trim(next->pairs, memory, 0);
}

const ab_cached_pairs *ab_pair_cache_found(const ab_pair_cache *kept)
{
    return &kept->found[kept->published];
}

ab_cached_pairs *ab_pair_cache_next(ab_pair_cache *kept)
{
    return &kept->found[1 - kept->published];
}

const ab_cached_pairs *ab_pair_cache_asleep(ab_pair_cache *kept)
{
    ab_cached_pairs *out = &kept->sorted;
    if (!kept->stale)
    {
        return out;
    }
    const uint32_t count = ab_pair_lists_sorted(&kept->asleep, kept->slots);
    ab_array_set_length(out->keys, count);
    ab_array_set_length(out->pairs, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        out->keys[i] = kept->asleep.keys[kept->slots[i]];
        out->pairs[i] = kept->asleep_pairs[kept->slots[i]];
    }
    kept->stale = false;
    return out;
}

bool ab_pair_cache_begin(ab_pair_cache_update *update, ab_arena *arena, const ab_pair_cache *kept,
                         const ab_contact_names *names)
{
    const ab_cached_pairs *last = ab_pair_cache_found(kept);
    *update = (ab_pair_cache_update){ 0 };
    if (!ab_woken_pairs_find(&update->woken_pairs, arena, &kept->asleep, names) ||
        !ab_woken_pairs_merge(&update->before, arena, last->keys, (uint32_t)arrlenu(last->keys), &kept->asleep,
                              &update->woken_pairs))
    {
        return false;
    }
    update->newly_asleep = ab_arena_take(arena, (update->before.count + 1u) * sizeof *update->newly_asleep);
    return update->newly_asleep != NULL;
}

static const ab_cached_pair *pair_of(const ab_pair_cache *kept, uint32_t origin)
{
    return origin & AB_FROM_ASLEEP ? &kept->asleep_pairs[origin & ~AB_FROM_ASLEEP]
                                   : &ab_pair_cache_found(kept)->pairs[origin];
}

static uint32_t origin_of(const ab_pair_cache_update *update, uint32_t i)
{
    return update->before.origin ? update->before.origin[i] : i;
}

const ab_cached_pair *ab_pair_cache_before(const ab_pair_cache *kept, const ab_pair_cache_update *update, uint32_t i)
{
    return pair_of(kept, origin_of(update, i));
}

bool ab_pair_cache_stands(const ab_pair_cache_update *update, const ab_pair_cache *kept, const ab_contact_names *names,
                          uint32_t i)
{
    if (!names->known)
    {
        return false;
    }
    const ab_cached_pair *pair = ab_pair_cache_before(kept, update, i);
    const uint32_t a = names->known[pair->a.slot], b = names->known[pair->b.slot];
    return ab_anchors_stand(a, b) && (a & b & AB_ANCHOR_IMMOBILE) == 0;
}

bool ab_pair_cache_lose(ab_pair_cache_update *update, const ab_pair_cache *kept, const ab_contact_names *names,
                        uint32_t i)
{
    const ab_cached_pair *pair = ab_pair_cache_before(kept, update, i);
    const bool is_asleep =
        ab_collider_in_static_set(names, pair->collider_a) && ab_collider_in_static_set(names, pair->collider_b);
    update->newly_asleep[update->newly_asleep_count] = origin_of(update, i);
    update->newly_asleep_count += is_asleep;
    return is_asleep;
}

bool ab_pair_cache_end(const ab_pair_cache_update *update, ab_pair_cache *kept, ab_memory *memory, uint32_t body_slots)
{
    const size_t slots = ab_pair_lists_slots(&kept->asleep, update->newly_asleep_count);
    return update->newly_asleep_count == 0 ||
           (ab_pair_lists_reserve(&kept->asleep, memory, update->newly_asleep_count, body_slots) &&
            ab_array_reserve(kept->asleep_pairs, memory, slots) && ab_array_reserve(kept->slots, memory, slots) &&
            ab_array_reserve(kept->sorted.keys, memory, slots) && ab_array_reserve(kept->sorted.pairs, memory, slots));
}

static void list_asleep(ab_pair_cache *kept, uint64_t key, const ab_cached_pair *pair)
{
    const ab_pair_end ends[2] = { { pair->a.slot, pair->collider_a, 0 }, { pair->b.slot, pair->collider_b, 0 } };
    const uint32_t slot = ab_pair_lists_put(&kept->asleep, key, ends);
    ab_array_set_length(kept->asleep_pairs, arrlenu(kept->asleep.keys));
    ab_array_set_length(kept->slots, arrlenu(kept->asleep.keys));
    kept->asleep_pairs[slot] = *pair;
}

// A pair that falls asleep was found by the last detect: a woken pair is not in the static set.
static void put_asleep(ab_pair_cache *kept, uint32_t origin)
{
    const ab_cached_pairs *last = ab_pair_cache_found(kept);
    AB_ASSERT((origin & AB_FROM_ASLEEP) == 0, origin);
    list_asleep(kept, last->keys[origin], &last->pairs[origin]);
}

bool ab_pair_cache_reserve_all(ab_pair_cache *kept, ab_memory *memory, uint32_t found, uint32_t asleep,
                               uint32_t body_slots)
{
    ab_cached_pairs *list = &kept->found[kept->published];
    const uint32_t more = asleep > kept->asleep.live ? asleep - kept->asleep.live : 0;
    const size_t slots = ab_pair_lists_slots(&kept->asleep, more);
    return ab_array_reserve(list->keys, memory, found) && ab_array_reserve(list->pairs, memory, found) &&
           ab_pair_lists_reserve(&kept->asleep, memory, more, body_slots) &&
           ab_array_reserve(kept->asleep_pairs, memory, slots) && ab_array_reserve(kept->slots, memory, slots) &&
           ab_array_reserve(kept->sorted.keys, memory, slots) && ab_array_reserve(kept->sorted.pairs, memory, slots);
}

void ab_pair_cache_clear(ab_pair_cache *kept)
{
    ab_array_set_length(kept->found[kept->published].keys, 0);
    ab_array_set_length(kept->found[kept->published].pairs, 0);
    ab_pair_lists_clear(&kept->asleep);
    ab_array_set_length(kept->asleep_pairs, 0);
    kept->stale = true;
}

void ab_pair_cache_put(ab_pair_cache *kept, uint64_t key, const ab_cached_pair *pair, bool asleep)
{
    ab_cached_pairs *list = &kept->found[kept->published];
    const size_t count = arrlenu(list->keys);
    if (asleep)
    {
        list_asleep(kept, key, pair);
        return;
    }
    ab_array_set_length(list->keys, count + 1);
    ab_array_set_length(list->pairs, count + 1);
    list->keys[count] = key;
    list->pairs[count] = *pair;
}

void ab_pair_cache_publish(const ab_pair_cache_update *update, ab_pair_cache *kept)
{
    for (uint32_t i = 0; i < update->woken_pairs.count; ++i)
    {
        ab_pair_lists_remove(&kept->asleep, update->woken_pairs.slots[i]);
    }
    for (uint32_t i = 0; i < update->newly_asleep_count; ++i)
    {
        put_asleep(kept, update->newly_asleep[i]);
    }
    kept->stale = kept->stale || update->woken_pairs.count + update->newly_asleep_count > 0;
    kept->published = 1 - kept->published;
}

void ab_pair_cache_check(const ab_pair_cache *kept)
{
    const ab_cached_pairs *found = ab_pair_cache_found(kept);
    AB_ASSERT(arrlenu(found->keys) == arrlenu(found->pairs), arrlenu(found->keys));
    for (uint32_t i = 1; i < arrlenu(found->keys); ++i)
    {
        AB_ASSERT(found->keys[i - 1] < found->keys[i], i);
    }
    ab_pair_lists_check(&kept->asleep);
}
