// Turns one detect's manifolds into contacts, in phases: pack, sort, merge, write contacts, write events. The store
// publishes the results at the end, in one step that cannot fail.
#include "contact/contact_update.h"

#include "base/array.h"
#include "base/assert.h"
#include "contact/contact_tasks.h"
#include "contact/contact_write.h"

#include <math.h>

// Lists the slots of a part of the contacts, and writes manifolds there.
static void write_contacts(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    const uint32_t first = (uint32_t)ab_partition_first(&u->partition, task),
                   end = (uint32_t)ab_partition_end(&u->partition, task);
    const uint32_t *const previous = u->merge.previous, *taken = u->slots.taken + u->parts[task].first_new;
    for (uint32_t i = first; i < end; ++i)
    {
        const bool is_new = previous[i] == ABUT_NONE;
        const uint32_t next = *taken; // of no branch: behind the last there is one more
        u->found.slots[i] = is_new ? next : previous[i];
        taken += is_new;
    }
    const ab_contact_writing w = {
        .lines = u->manifolds->lines,
        .entries = u->manifolds->entries,
        .found = u->order.found,
        .previous = previous,
        .slots = u->found.slots,
        .followed = u->followed,
        .names = u->names,
        .pool = u->store->pool,
        .slot_count = ab_contact_pool_slots(&u->store->pool),
    };
    u->parts[task].written = ab_contacts_write(&w, first, end);
}

// An end event is of a pair, of which `ended` may have several contacts.
static void end_pairs_once(ab_contact_update *u)
{
    const abut_contact_colliders *const colliders = u->store->pool.colliders;
    ab_merge *merge = &u->merge;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        const abut_contact_colliders *own = &colliders[merge->ended[i]];
        const abut_contact_colliders *last = kept > 0 ? &colliders[merge->ended[kept - 1]] : NULL;
        const bool new = !last || last->a.slot != own->a.slot || last->b.slot != own->b.slot ||
                         last->a.generation != own->a.generation || last->b.generation != own->b.generation;
        merge->ended[kept] = merge->ended[i];
        kept += new;
    }
    merge->ended_count = kept;
}

static bool take_merge(ab_contact_update *u)
{
    ab_merge *merge = &u->merge;
    const size_t old = u->before.count + (size_t)1;
    merge->ended = ab_arena_take(u->arena, old * sizeof *merge->ended);
    merge->gone = ab_arena_take(u->arena, old * sizeof *merge->gone);
    return merge->ended && merge->gone;
}

// Room for what follows new manifolds to the present poses. False when out of memory.
static bool take_followed(ab_contact_update *u)
{
    u->followed = ab_arena_take(u->arena, (u->manifolds->count + (size_t)1) * sizeof *u->followed);
    u->touching_at = ab_arena_take(u->arena, u->manifolds->count + (size_t)1);
    return u->followed && u->touching_at;
}

// Where the contacts that were found are listed: the new list, if none are kept beside them.
static bool take_found(ab_contact_update *u)
{
    const size_t count = u->manifolds->count;
    ab_contact_list *next = ab_contact_store_next(u->store);
    if (!u->kept)
    {
        const bool made = ab_contact_list_resize(next, u->memory, count);
        u->found = *next;
        return made;
    }
    u->found.keys = ab_arena_take(u->arena, (count + 1) * sizeof *u->found.keys);
    u->found.slots = ab_arena_take(u->arena, (count + 1) * sizeof *u->found.slots);
    return u->found.keys && u->found.slots;
}

// Reserves all that the merge needs.
static abut_status prepare_keys(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    const size_t count = u->manifolds->count;
    const ab_partition manifolds = ab_partition_into(&u->granularity, count, 1);
    if (count >= INT32_MAX)
    {
        return ABUT_LIMIT;
    }
    *tasks = manifolds.tasks;
    u->partition = ab_partition_into(&u->granularity, count, 1);
    u->parts = ab_arena_take(u->arena, (u->partition.tasks + manifolds.tasks + (size_t)1) * sizeof *u->parts);
    u->order.found = ab_arena_take(u->arena, (count + 1) * sizeof *u->order.found);
    if (!u->parts || !u->order.found || !take_found(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (u->names.shifts && !take_followed(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    u->store->children = u->store->children || u->children;
    if (ab_contact_store_has_children(u->store))
    {
        u->order.child = ab_arena_take(u->arena, (count + 1) * sizeof *u->order.child);
        if (!u->order.child)
        {
            return ABUT_OUT_OF_MEMORY;
        }
    }
    u->order.keys = u->found.keys;
    const bool made =
        ab_contact_order_begin(&u->order, u->arena, &manifolds, u->single_threaded, u->names.body_slots) &&
        ab_woken_pairs_find_before(u) && take_merge(u);
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// Follows a part of the manifolds to the present poses.
static void follow(const ab_contact_update *u, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; ++i)
    {
        const ab_manifold_entry *entry = &u->manifolds->entries[i];
        ab_followed *followed = &u->followed[i];
        followed->moved =
            ab_follow_manifold(&u->manifolds->lines[entry->line], entry->child_points & ((1u << AB_CHILD_SHIFT) - 1),
                               u->names.proxies->record, u->names.shifts, &followed->at, &followed->now);
        u->touching_at[i] = followed->now.separation <= u->names.margin;
    }
}

static void pack_keys(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    if (u->followed)
    {
        follow(u, (uint32_t)ab_partition_first(&u->order.partition, task),
               (uint32_t)ab_partition_end(&u->order.partition, task));
    }
    u->parts[task] = (ab_contact_part){
        .ordinals = ab_contact_order_pack(&u->order, u->manifolds->entries, task),
    };
}

static abut_status prepare_repack(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    uint32_t ordinals = 0;
    for (uint32_t i = 0; i < u->order.partition.tasks; ++i)
    {
        ordinals |= u->parts[i].ordinals;
    }
    u->store->several = u->store->several || ordinals != 0;
    return ab_contact_order_choose(&u->order, u->arena, ordinals, tasks) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void repack_keys(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    ab_contact_order_repack(&u->order, u->manifolds->entries, task);
}

static abut_status prepare_deal(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    *tasks = ab_contact_order_prepare_deal(&u->order);
    return ABUT_OK;
}

static void deal_keys(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    ab_contact_order_deal(&u->order, task);
}

static abut_status prepare_sort(void *given, uint32_t *tasks)
{
    const ab_contact_update *u = given;
    *tasks = ab_contact_order_prepare_finish(&u->order);
    return ABUT_OK;
}

static void sort_keys(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    ab_radix_finish(&u->order.sort, task);
}

static void merge_range(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    ab_contact_part *part = &u->parts[task];
    ab_merge_range range = part->range;
    const ab_touching touching = { u->manifolds, u->touching_at, u->names.margin };
    if (ab_contact_store_has_children(u->store))
    {
        // Unpacked already: what is written is in the partition, what is merged is in whole pairs.
        ab_merge_children(&u->merge, &u->before, &u->order, &touching, &range);
    }
    else
    {
        ab_contact_order_unpack(&u->order, range.first, range.end);
        ab_merge_contacts(&u->merge, &u->before, &u->order, &touching, &range);
    }
    part->range = range;
}

static void unpack_all(ab_contact_update *u)
{
    if (u->order.rest)
    {
        if (ab_contact_store_has_children(u->store))
        {
            ab_contact_order_by_child(&u->order);
        }
        ab_contact_order_unpack(&u->order, 0, u->order.count);
        u->order.rest = NULL;
    }
}

// Whether pairs are vetoed now or were before: a world that was restored may have such pairs, and no veto.
static bool has_vetoes(const ab_contact_update *u)
{
    const ab_pair_cache *vetoes = &u->store->vetoes;
    return u->names.veto.ask || arrlenu(ab_pair_cache_found(vetoes)->keys) > 0 || vetoes->asleep.live > 0;
}

static ab_vetoing_in asked_about(ab_contact_update *u)
{
    const ab_contact_store *store = u->store;
    const abut_contact *before = store->speculative > 0 || store->asleep.lists.live > 0 ? store->pool.contacts : NULL;
    return (ab_vetoing_in){ .order = &u->order,
                            .merge = &u->merge,
                            .apart = before,
                            .manifolds = u->manifolds,
                            .followed = u->followed,
                            .names = &u->names };
}

// Leaves out the pairs that the caller vetoed before.
static bool drop_vetoed(ab_contact_update *u)
{
    const ab_vetoing_in in = asked_about(u);
    unpack_all(u);
    return ab_vetoes_drop(&u->vetoing, &u->store->vetoes, u->arena, &in);
}

static abut_status prepare_merge(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    u->merge.previous = ab_contact_order_spare(&u->order);
    u->merge.begun = u->merge.previous + u->order.count + 1;
    if (has_vetoes(u) && !drop_vetoed(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (ab_contact_store_has_children(u->store))
    {
        unpack_all(u);
    }
    *tasks = ab_merge_partition(u);
    return ABUT_OK;
}

static void gather(ab_contact_update *u)
{
    const uint32_t ranges = u->partition.tasks > 0 ? u->partition.tasks : 1;
    u->merge.begun_count = u->merge.ended_count = u->merge.gone_count = u->merge.new_count = 0;
    for (uint32_t i = 0; i < ranges; ++i)
    {
        ab_merge_gather(&u->merge, &u->parts[i].range);
    }
}

// Where each part's new contacts begin among all. Lists them; where all contacts touch, the new ones are those that
// begin.
static bool find_new(ab_contact_update *u)
{
    const uint32_t *const previous = u->merge.previous;
    uint32_t *listed = NULL, before = 0;
    u->new_contacts = u->merge.begun;
    if (!isinf(u->names.margin) || u->before.touched || ab_contact_store_has_children(u->store))
    {
        u->new_contacts = listed = ab_arena_take(u->arena, (u->merge.new_count + (size_t)1) * sizeof *listed);
        if (!listed)
        {
            return false;
        }
    }
    for (uint32_t i = 0; i < u->partition.tasks; ++i)
    {
        const uint32_t end = (uint32_t)ab_partition_end(&u->partition, i);
        u->parts[i].first_new = before;
        before += listed ? 0 : u->parts[i].range.new_count;
        for (uint32_t k = (uint32_t)ab_partition_first(&u->partition, i); listed && k < end; ++k)
        {
            listed[before] = k;
            before += previous[k] == ABUT_NONE;
        }
    }
    AB_ASSERT(before == u->merge.new_count, before);
    return true;
}

// Asks the caller's veto; merges again if it vetoes any contact.
static bool ask(ab_contact_update *u)
{
    ab_vetoing_in in = asked_about(u);
    if ((u->impacts && !ab_impacts_list(u->impacts, &in.hits, &in.hit_count)) ||
        !ab_vetoes_ask(&u->vetoing, u->arena, &in))
    {
        return false;
    }
    if (u->vetoing.count > 0)
    {
        const uint32_t ranges = ab_merge_partition(u);
        for (uint32_t i = 0; i < ranges; ++i)
        {
            merge_range(u, i);
        }
        gather(u);
    }
    return true;
}

// Whether the list of the last detect is that of this one: each contact that is not kept was found again, and no other.
// Then as many were found as there were, none of them new or woken. Known once contacts are merged.
static bool list_stands(const ab_contact_update *u)
{
    return u->kept && !u->trims && u->order.count == u->before.count && u->before.count == u->kept->other_count &&
           u->merge.new_count == 0;
}

// Impacts with sensors count up to the first of the others.
static bool choose_impacts(const ab_contact_update *u)
{
    return !u->impacts ||
           (ab_impacts_choose(u->impacts, &u->vetoing) && ab_impacts_choose(u->sensor_impacts, &u->vetoing));
}

static bool reserve_results(ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    const size_t kept = u->kept ? u->kept->count : 0;
    return ab_contact_events_reserve(u) &&
           (!u->at_anchors || ab_array_make_room(store->fresh, u->memory, u->order.count)) &&
           (list_stands(u) || ab_contact_list_resize(ab_contact_store_next(store), u->memory, u->order.count + kept)) &&
           ab_contact_pool_reserve_retired(&store->pool, u->memory, u->merge.gone_count) &&
           (u->newly_asleep_count == 0 ||
            ab_asleep_contacts_reserve(&store->asleep, u->memory, u->newly_asleep_count, u->names.body_slots)) &&
           (!has_vetoes(u) || ab_vetoes_end(&u->vetoing, &store->vetoes, u->memory, u->names.body_slots));
}

// Nothing can fail after this, and nothing that callers see is written before, but what ab_kept_undo undoes.
static abut_status prepare_contacts(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    gather(u);
    if (u->names.veto.ask && !ask(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (ab_contact_store_has_children(u->store))
    {
        ab_merge_forget_children(&u->merge, u->order.count);
    }
    u->newly_asleep = ab_arena_take(u->arena, (u->merge.gone_count + 1u) * sizeof *u->newly_asleep);
    if (!u->newly_asleep)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_asleep_contacts_set_apart(u);
    if (ab_contact_store_has_children(u->store))
    {
        end_pairs_once(u);
    }
    if (!find_new(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const abut_status chosen = ab_contact_pool_choose(&u->store->pool, u->memory, u->arena, u->merge.previous,
                                                      u->new_contacts, u->merge.new_count, &u->slots);
    u->slots.gone = u->merge.gone;
    u->slots.gone_count = u->merge.gone_count;
    *tasks = u->partition.tasks;
    return chosen != ABUT_OK ? chosen : choose_impacts(u) && reserve_results(u) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static abut_status prepare_composing(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    u->written = u->kept ? u->kept->written : (ab_contacts_written){ 0 };
    for (uint32_t i = 0; i < u->partition.tasks; ++i)
    {
        u->written.points += u->parts[i].written.points;
        u->written.speculative += u->parts[i].written.speculative;
    }
    if (u->kept && !list_stands(u))
    {
        u->composed = ab_partition_into(&u->granularity, ab_contact_list_count(u->kept->last), 1);
        *tasks = u->composed.tasks;
    }
    return ABUT_OK;
}

// Composes the new list of kept contacts and those found between them.
static void compose(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    ab_kept_compose(u->kept, &u->found, u->order.count, (uint32_t)ab_partition_first(&u->composed, task),
                    (uint32_t)ab_partition_end(&u->composed, task), ab_contact_store_next(u->store));
}

static abut_status prepare_events(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    if (u->kept && u->composed.tasks == 0 && !list_stands(u)) // there was no contact
    {
        ab_kept_compose(u->kept, &u->found, u->order.count, 0, 0, ab_contact_store_next(u->store));
    }
    ab_contact_events_join(u);
    // An event costs about four times as much as the granularity's unit, one proxy.
    const ab_granularity granularity = { u->granularity.chunk / 4, u->granularity.whole / 4 };
    u->events = ab_partition_into(&granularity, (size_t)ab_begins(u) + ab_ends(u), 1);
    *tasks = u->events.tasks;
    return ABUT_OK;
}

const ab_phase ab_contact_phases[] = { { prepare_keys, pack_keys },
                                       { prepare_repack, repack_keys },
                                       { prepare_deal, deal_keys },
                                       { prepare_sort, sort_keys },
                                       { prepare_merge, merge_range },
                                       { prepare_contacts, write_contacts },
                                       { prepare_composing, compose },
                                       { prepare_events, ab_contact_events_write },
                                       { NULL, NULL } };

// Flags the contacts that stand and did not in the last detect, which are among what that found. Those that have stood
// before have their flags.
static void flag_kept(const ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    const ab_contact_list *last = ab_contact_store_now(store);
    const uint32_t found = u->may_stand ? u->order.count : 0;
    if (u->kept)
    {
        ab_kept_flag(u->kept->known, store->pool.contacts, store->fresh_unknown ? last->slots : store->fresh,
                     store->fresh_unknown ? ab_contact_list_count(last) : (uint32_t)arrlenu(store->fresh));
    }
    ab_array_set_length(store->fresh, found);
    for (uint32_t i = 0; i < found; ++i)
    {
        store->fresh[i] = u->found.slots[i];
    }
    store->fresh_unknown = false;
}

void ab_contact_store_publish(const ab_contact_update *update)
{
    ab_contact_store *store = update->store;
    if (update->at_anchors)
    {
        flag_kept(update);
    }
    ab_asleep_contacts_exchange(update);
    ab_contact_pool_exchange(&store->pool, &update->slots);
    ab_contact_events_rejoin(store->events[ABUT_END], &store->asleep.lists);
    if (has_vetoes(update))
    {
        ab_pair_cache_publish(&update->vetoing.update, &store->vetoes);
    }
    store->points = update->written.points;
    store->speculative = update->written.speculative;
    store->static_revision = ab_static_revision(update);
    if (list_stands(update))
    {
        const ab_contact_list list = store->lists[0];
        store->lists[0] = store->lists[1];
        store->lists[1] = list;
        ab_contact_list_set_length(ab_contact_store_now(store), 0); // it is not needed: its room may be given back
    }
    else
    {
        ++store->listings;
    }
    store->published = 1 - store->published;
    store->index[ABUT_AWAKE].made = store->index[ABUT_ASLEEP].made = false;
}
