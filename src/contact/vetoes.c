// Asks the caller's veto about new pairs, those that have not touched yet, those of which a filter has changed and
// those that are to be hit, and drops the pairs that it vetoed before while they touch and their filters are unchanged.
#include "contact/vetoes.h"

#include "broad/proxy_filter.h"
#include "contact/contact_list.h"

#include <float.h>

#define AHEAD 16u // contacts: how far ahead what is read at random is prefetched, entries of manifolds twice as far

static float separation_of(const ab_vetoing_in *in, uint32_t found)
{
    return in->followed ? in->followed[found].now.separation
                        : in->manifolds->lines[in->manifolds->entries[found].line].separation;
}

// Of a pair, of which contact `i` is the first of one or several.
static uint32_t find_deepest(const ab_vetoing_in *in, uint32_t i)
{
    const ab_contact_order *order = in->order;
    uint32_t deepest = i;
    for (uint32_t k = i + 1; AB_HAS_CHILDREN && k < order->count && order->keys[k] == order->keys[i]; ++k)
    {
        deepest = separation_of(in, order->found[k]) < separation_of(in, order->found[deepest]) ? k : deepest;
    }
    return deepest;
}

static bool touches(const ab_vetoing_in *in, uint32_t i)
{
    return separation_of(in, in->order->found[find_deepest(in, i)]) <= in->names->margin;
}

// Equal keys mean the same pair of colliders: a collider key is not reused while a detect may still find the pair. An
// answer about a pair that was apart does not hold: it has the filter of zeros, which no collider has.
static bool filters_stand(const ab_cached_pair *pair, const ab_contact_names *names)
{
    return ab_same_filter(&pair->filter_a, &names->filters[pair->collider_a.slot]) &&
           ab_same_filter(&pair->filter_b, &names->filters[pair->collider_b.slot]);
}

bool ab_vetoes_drop(ab_vetoing *vetoing, const ab_pair_cache *vetoes, ab_arena *arena, const ab_vetoing_in *in)
{
    ab_contact_order *order = in->order;
    const ab_contact_names *names = in->names;
    ab_pair_cache_update *update = &vetoing->update;
    const ab_merged_pairs *before = &update->before;
    if (!ab_pair_cache_begin(update, arena, vetoes, names))
    {
        return false;
    }
    vetoing->stays = ab_arena_take(arena, (before->count + 1u) * sizeof *vetoing->stays);
    if (!vetoing->stays)
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
        const bool found = at < order->count && order->keys[at] == before->keys[old];
        const bool stays = found ? filters_stand(ab_pair_cache_before(vetoes, update, old), names) && touches(in, at)
                                 : ab_pair_cache_stands(update, vetoes, names, old);
        vetoing->stays[old] = stays;
        vetoing->stay_count += stays;
        if (!found && !stays)
        {
            (void)ab_pair_cache_lose(update, vetoes, names, old);
        }
        for (at += found && stays;
             AB_HAS_CHILDREN && stays && at < order->count && order->keys[at] == before->keys[old];) // all its children
        {
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

// Whose pair it is; the rest is zero.
static abut_new_pair name(const ab_contact_names *names, uint32_t proxy_a, uint32_t proxy_b)
{
    const uint32_t *const keys = names->proxies->collider_key, *const colliders = names->proxies->collider;
    const uint32_t a = colliders[proxy_a], b = colliders[proxy_b];
    return (abut_new_pair){
        .a = names->name[a].body,
        .b = names->name[b].body,
        .collider_a = names->name[a].collider,
        .collider_b = names->name[b].collider,
        .user_data_a = names->user_data[keys[proxy_a] >> 8],
        .user_data_b = names->user_data[keys[proxy_b] >> 8],
        .collider_data_a = names->collider_user_data[a],
        .collider_data_b = names->collider_user_data[b],
    };
}

static abut_new_pair describe(const ab_vetoing_in *in, uint32_t i)
{
    const uint32_t found = in->order->found[find_deepest(in, i)];
    const ab_packed_manifold *packed = &in->manifolds->lines[in->manifolds->entries[found].line];
    abut_new_pair pair = name(in->names, packed->proxy_a, packed->proxy_b);
    pair.normal = (abut_vec3){ packed->normal[0], packed->normal[1], packed->normal[2] };
    pair.separation = separation_of(in, found);
    return pair;
}

// Prefetches the manifold of a later contact that is asked about.
AB_INLINE void look_ahead_at_asked(const ab_vetoing_in *in, const bool *is_asked, uint32_t i)
{
    const ab_manifold_entry *const entries = in->manifolds->entries;
    const uint32_t *const found = in->order->found;
    if (AB_PREFETCHES && i + 2 * AHEAD < in->order->count)
    {
        if (is_asked[i + 2 * AHEAD])
        {
            AB_PREFETCH(&entries[found[i + 2 * AHEAD]]);
        }
        if (is_asked[i + AHEAD])
        {
            AB_PREFETCH(&in->manifolds->lines[entries[found[i + AHEAD]].line]);
        }
    }
}

static abut_new_pair describe_hit(const ab_vetoing_in *in, const ab_coming_hit *hit)
{
    abut_new_pair pair = name(in->names, hit->proxy_a, hit->proxy_b);
    pair.normal = hit->normal;
    pair.separation = hit->approach;
    pair.time = hit->time > FLT_MIN ? hit->time : FLT_MIN; // zero says that there is none
    return pair;
}

static void put_down(ab_vetoing *vetoing, uint64_t key, const abut_new_pair *pair, bool holds,
                     const ab_contact_names *names)
{
    static const abut_filter none = { 0 };
    vetoing->keys[vetoing->count] = key;
    vetoing->pairs[vetoing->count++] = (ab_cached_pair){
        .a = pair->a,
        .b = pair->b,
        .collider_a = pair->collider_a,
        .collider_b = pair->collider_b,
        .filter_a = holds ? names->filters[pair->collider_a.slot] : none,
        .filter_b = names->filters[pair->collider_b.slot],
    };
}

static bool is_refiltered(const ab_vetoing_in *in, uint32_t i)
{
    const ab_contact_names *names = in->names;
    const ab_packed_manifolds *manifolds = in->manifolds;
    const ab_packed_manifold *packed = &manifolds->lines[manifolds->entries[in->order->found[i]].line];
    const uint32_t *const colliders = names->proxies->collider, *const states = names->collider_states;
    return ((states[colliders[packed->proxy_a]] | states[colliders[packed->proxy_b]]) & names->refiltered) != 0;
}

// Whether a pair touched before, of which contact `i` is the first of one or several.
static bool has_touched(const ab_vetoing_in *in, uint32_t i)
{
    const ab_contact_order *order = in->order;
    const uint64_t key = order->keys[i];
    bool has = in->merge->previous[i] != ABUT_NONE;
    if (has && in->apart != NULL)
    {
        has = false;
        for (; i < order->count && order->keys[i] == key && !has; ++i)
        {
            const uint32_t slot = in->merge->previous[i];
            has =
                slot == AB_NEW_CHILD || (slot != ABUT_NONE && (in->apart[slot].flags & ABUT_CONTACT_SPECULATIVE) == 0);
        }
    }
    return has;
}

// Whether a contact is the first of a pair to ask about: it may have others, of further children.
static bool is_to_ask(const ab_vetoing_in *in, uint32_t i)
{
    const ab_contact_order *order = in->order;
    const bool others = AB_HAS_CHILDREN && i > 0 && order->keys[i - 1] == order->keys[i];
    return !others && (!has_touched(in, i) || (in->names->refiltered != 0 && is_refiltered(in, i)));
}

static bool has_key(const uint64_t *keys, uint32_t count, uint64_t key)
{
    const uint32_t i = ab_key_position(keys, count, 0, key);
    return i < count && keys[i] == key;
}

// Prefetches what tells whether a later contact touched before.
AB_INLINE void look_ahead(const ab_vetoing_in *in, uint32_t i)
{
    if (AB_PREFETCHES && in->apart && i + AHEAD < in->order->count)
    {
        const uint32_t slot = in->merge->previous[i + AHEAD];
        AB_PREFETCH(&in->apart[slot < AB_NEW_CHILD ? slot : 0].flags);
    }
}

// Marks the contacts to ask about, and behind them the hits: of pairs that no contact is of, nor any that stays vetoed.
static uint32_t find_asked(const ab_vetoing *vetoing, const ab_vetoing_in *in, bool *asked)
{
    const ab_contact_order *order = in->order;
    uint32_t found = 0;
    for (uint32_t i = 0; i < order->count + in->hit_count; ++i)
    {
        const uint64_t key = i < order->count ? 0 : in->hits[i - order->count].key;
        look_ahead(in, i);
        asked[i] = i < order->count ? is_to_ask(in, i)
                                    : !has_key(order->keys, order->count, key) && !ab_vetoes_have(vetoing, key);
        found += asked[i];
    }
    return found;
}

// Removes the vetoed pairs from the order and records them, and the hits behind them.
static void leave_out(ab_vetoing *vetoing, const ab_vetoing_in *in, const bool *is_asked, const abut_new_pair *pairs,
                      const bool *vetoed)
{
    ab_contact_order *order = in->order;
    uint32_t kept = 0, asked = 0;
    for (uint32_t i = 0, end; i < order->count; i = end)
    {
        const uint64_t key = order->keys[i];
        const bool was_asked = is_asked[i];
        for (end = i + 1; AB_HAS_CHILDREN && end < order->count && order->keys[end] == key;)
        {
            ++end;
        }
        if (was_asked && vetoed[asked])
        {
            put_down(vetoing, key, &pairs[asked], touches(in, i), in->names);
        }
        else
        {
            for (uint32_t k = i; k < end; ++k)
            {
                ab_contact_order_move(order, kept++, k);
            }
        }
        asked += was_asked;
    }
    for (uint32_t i = 0; i < in->hit_count; ++i)
    {
        if (is_asked[order->count + i] && vetoed[asked++])
        {
            vetoing->refused[vetoing->refused_count++] = in->hits[i].key;
        }
    }
    order->count = kept;
}

bool ab_vetoes_ask(ab_vetoing *vetoing, ab_arena *arena, const ab_vetoing_in *in)
{
    const uint32_t contacts = in->order->count, all = contacts + in->hit_count;
    bool *is_asked = ab_arena_take(arena, all + (size_t)1);
    if (!is_asked)
    {
        return false;
    }
    const uint32_t count = find_asked(vetoing, in, is_asked);
    if (count == 0)
    {
        return true;
    }
    abut_new_pair *pairs = ab_arena_take(arena, count * sizeof *pairs);
    bool *vetoed = ab_arena_take(arena, count * sizeof *vetoed);
    vetoing->keys = ab_arena_take(arena, count * sizeof *vetoing->keys);
    vetoing->pairs = ab_arena_take(arena, count * sizeof *vetoing->pairs);
    vetoing->refused = ab_arena_take(arena, count * sizeof *vetoing->refused);
    if (!pairs || !vetoed || !vetoing->keys || !vetoing->pairs || !vetoing->refused)
    {
        return false;
    }
    uint32_t asked = 0;
    for (uint32_t i = 0; i < all; ++i)
    {
        look_ahead_at_asked(in, is_asked, i);
        if (is_asked[i])
        {
            pairs[asked] = i < contacts ? describe(in, i) : describe_hit(in, &in->hits[i - contacts]);
            vetoed[asked++] = false;
        }
    }
    in->names->veto.ask(in->names->veto.context, pairs, count, vetoed);
    leave_out(vetoing, in, is_asked, pairs, vetoed);
    return true;
}

bool ab_vetoes_have(const ab_vetoing *vetoing, uint64_t key)
{
    const ab_merged_pairs *before = &vetoing->update.before;
    const uint32_t old = ab_key_position(before->keys, before->count, 0, key);
    return (old < before->count && before->keys[old] == key && vetoing->stays[old]) ||
           has_key(vetoing->keys, vetoing->count, key) || has_key(vetoing->refused, vetoing->refused_count, key);
}

// Merges the pairs that stay vetoed with the newly vetoed ones.
bool ab_vetoes_end(const ab_vetoing *vetoing, ab_pair_cache *vetoes, ab_memory *memory, uint32_t body_slots)
{
    const ab_merged_pairs *before = &vetoing->update.before;
    const uint32_t count = vetoing->stay_count + vetoing->count;
    ab_cached_pairs *now = ab_pair_cache_next(vetoes);
    if (!ab_cached_pairs_resize(now, memory, count))
    {
        return false;
    }
    uint32_t old = 0, new = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (; old < before->count && !vetoing->stays[old]; ++old)
        {
        }
        const bool from_old = new == vetoing->count || (old < before->count && before->keys[old] < vetoing->keys[new]);
        now->keys[i] = from_old ? before->keys[old] : vetoing->keys[new];
        now->pairs[i] = from_old ? *ab_pair_cache_before(vetoes, &vetoing->update, old) : vetoing->pairs[new];
        old += from_old;
        new += !from_old;
    }
    return ab_pair_cache_end(&vetoing->update, vetoes, memory, body_slots);
}
