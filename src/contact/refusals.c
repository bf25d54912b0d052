#include "contact/refusals.h"

static bool same_filter(const abut_filter *x, const abut_filter *y)
{
    return x->category == y->category && x->mask == y->mask && x->group == y->group;
}

// The keys say that it is the same pair of places, and places are not used again while a detect may still find the pair.
static bool filters_stand(const ab_kept_pair *pair, const ab_contact_names *names)
{
    return same_filter(&pair->filter_a, &names->filters[pair->collider_a.slot]) &&
           same_filter(&pair->filter_b, &names->filters[pair->collider_b.slot]);
}

bool ab_refusals_drop(ab_refusing *refusing, const ab_kept_pairs *refusals, ab_arena *arena, ab_contact_order *order,
                      const ab_contact_names *names)
{
    ab_kept_update *update = &refusing->update;
    const ab_woven *before = &update->before;
    if (!ab_kept_begin(update, arena, refusals, names))
    {
        return false;
    }
    refusing->still_refused = ab_arena_take(arena, (before->count + 1u) * sizeof *refusing->still_refused);
    if (!refusing->still_refused)
    {
        return false;
    }
    uint32_t kept = 0, at = 0;
    for (uint32_t old = 0; old < before->count; ++old)
    {
        for (; at < order->count && order->keys[at] < before->keys[old]; ++at, ++kept)
        {
            ab_contact_order_move(order, kept, at);
        }
        if (at == order->count || order->keys[at] != before->keys[old])
        {
            (void)ab_kept_lose(update, refusals, names, old);
        }
        else if (filters_stand(ab_kept_before(refusals, update, old), names))
        {
            refusing->still_refused[refusing->still_count++] = old;
            ++at;
        }
    }
    for (; at < order->count && before->count > 0; ++at, ++kept)
    {
        ab_contact_order_move(order, kept, at);
    }
    order->count = before->count > 0 ? kept : order->count;
    return true;
}

static abut_pairing describe(const ab_patch *patch, uint64_t key, const ab_contact_names *names)
{
    const uint32_t body_a = (uint32_t)(key >> 40), body_b = (uint32_t)(key >> 16) & 0xffffffu;
    const uint32_t a = names->leaves->collider[patch->leaf_a], b = names->leaves->collider[patch->leaf_b];
    return (abut_pairing){
        .a = names->name[a].body,
        .b = names->name[b].body,
        .collider_a = names->name[a].collider,
        .collider_b = names->name[b].collider,
        .user_data_a = names->user_data[body_a],
        .user_data_b = names->user_data[body_b],
        .collider_data_a = names->collider_user_data[a],
        .collider_data_b = names->collider_user_data[b],
        .normal = { patch->normal[0], patch->normal[1], patch->normal[2] },
        .separation = patch->separation,
    };
}

static void put_down(ab_refusing *refusing, uint64_t key, const abut_pairing *pair, const ab_contact_names *names)
{
    refusing->keys[refusing->count] = key;
    refusing->pairs[refusing->count++] = (ab_kept_pair){
        .a = pair->a,
        .b = pair->b,
        .collider_a = pair->collider_a,
        .collider_b = pair->collider_b,
        .filter_a = names->filters[pair->collider_a.slot],
        .filter_b = names->filters[pair->collider_b.slot],
    };
}

static uint32_t count_new(const ab_merge *merge, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        found += merge->previous[i] == ABUT_NONE;
    }
    return found;
}

// Takes what was refused out of the order, and notes it.
static void leave_out(ab_refusing *refusing, ab_contact_order *order, const ab_merge *merge, const abut_pairing *pairs,
                      const bool *refused, const ab_contact_names *names)
{
    uint32_t kept = 0, asked = 0;
    for (uint32_t i = 0; i < order->count; ++i)
    {
        const bool is_new = merge->previous[i] == ABUT_NONE;
        if (is_new && refused[asked])
        {
            put_down(refusing, order->keys[i], &pairs[asked], names);
        }
        else
        {
            ab_contact_order_move(order, kept++, i);
        }
        asked += is_new;
    }
    order->count = kept;
}

bool ab_refusals_ask(ab_refusing *refusing, ab_arena *arena, ab_contact_order *order, const ab_merge *merge,
                     const ab_patch *lines, const ab_contact_names *names)
{
    const uint32_t count = count_new(merge, order->count);
    if (count == 0)
    {
        return true;
    }
    abut_pairing *pairs = ab_arena_take(arena, count * sizeof *pairs);
    bool *refused = ab_arena_take(arena, count * sizeof *refused);
    refusing->keys = ab_arena_take(arena, count * sizeof *refusing->keys);
    refusing->pairs = ab_arena_take(arena, count * sizeof *refusing->pairs);
    if (!pairs || !refused || !refusing->keys || !refusing->pairs)
    {
        return false;
    }
    uint32_t asked = 0;
    for (uint32_t i = 0; i < order->count; ++i)
    {
        if (merge->previous[i] == ABUT_NONE)
        {
            pairs[asked] = describe(&lines[order->line[i]], order->keys[i], names);
            refused[asked++] = false;
        }
    }
    names->veto.ask(names->veto.context, pairs, count, refused);
    leave_out(refusing, order, merge, pairs, refused, names);
    return true;
}

// What goes on being refused and what is new, both in order.
bool ab_refusals_end(const ab_refusing *refusing, ab_kept_pairs *refusals, ab_memory *memory, uint32_t body_slots)
{
    const uint32_t count = refusing->still_count + refusing->count;
    ab_kept_list *now = ab_kept_next(refusals);
    if (!ab_kept_list_resize(now, memory, count))
    {
        return false;
    }
    uint32_t old = 0, new = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t place = old < refusing->still_count ? refusing->still_refused[old] : ABUT_NONE;
        const uint64_t old_key = place != ABUT_NONE ? refusing->update.before.keys[place] : AB_NO_KEY;
        const bool from_old = new == refusing->count || old_key < refusing->keys[new];
        now->keys[i] = from_old ? old_key : refusing->keys[new];
        now->pairs[i] = from_old ? *ab_kept_before(refusals, &refusing->update, place) : refusing->pairs[new];
        old += from_old;
        new += !from_old;
    }
    return ab_kept_end(&refusing->update, refusals, memory, body_slots);
}
