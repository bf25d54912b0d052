// Turns one detect's manifolds into the next results, in phases: pack, sort, merge, write contacts, anchors and events.
// The store publishes the results at the end, in one step that cannot fail.
#include "contact/contact_update.h"

#include "base/array.h"
#include "base/assert.h"
#include "contact/contact_tasks.h"
#include "contact/contact_write.h"

#include <string.h>

// The end of a part's points: others write past it. The last part has AB_MAX_POINTS of padding behind it.
static uint32_t points_end(const ab_contact_update *u, uint32_t task)
{
    const ab_contact_part *part = &u->parts[task];
    const uint32_t end = part->first_point + part->points;
    return task + 1 == u->partition.tasks ? end + AB_MAX_POINTS : end;
}

static ab_contact_writing writing(const ab_contact_update *u)
{
    return (ab_contact_writing){
        .lines = u->manifolds->lines,
        .order = u->order,
        .previous = u->merge.previous,
        .names = u->names,
        .before = u->store->results[u->store->published],
        .now = u->store->results[1 - u->store->published],
        .asleep = &u->store->asleep,
        .recycling = u->recycling,
    };
}

// Writes a part's contacts, points and impulses in sorted order.
static void write_contacts(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    ab_contact_part *part = &u->parts[task];
    const ab_contact_writing w = writing(u);
    const uint32_t first = (uint32_t)ab_partition_first(&u->partition, task),
                   end = (uint32_t)ab_partition_end(&u->partition, task);
    const ab_contacts_written written = ab_contacts_write(&w, first, end, part->first_point, points_end(u, task));
    part->speculative = written.speculative;
    part->wanted = written.wanted;
    AB_ASSERT(w.now.first_points[end - 1] + w.order.points[end - 1] == part->first_point + part->points, end);
}

static uint32_t static_revision(const ab_contact_update *u)
{
    return u->names.proxies->region[AB_STATIC_SET].revision;
}

// An end event is of a pair, of which `ended` may have several contacts.
static void end_pairs_once(ab_contact_update *u)
{
    ab_merge *merge = &u->merge;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        const abut_collider a = ab_contact_at(u->store, merge->ended[i])->collider_a,
                            b = ab_contact_at(u->store, merge->ended[i])->collider_b;
        const abut_contact *last = kept > 0 ? ab_contact_at(u->store, merge->ended[kept - 1]) : NULL;
        const bool new = !last || last->collider_a.slot != a.slot || last->collider_b.slot != b.slot ||
                         last->collider_a.generation != a.generation || last->collider_b.generation != b.generation;
        merge->ended[kept] = merge->ended[i];
        merge->ended_at[kept] = merge->ended_at[i];
        kept += new;
    }
    merge->ended_count = kept;
}

// Removes from the ended contacts those whose colliders are both in the static set: they are asleep, not ended.
static void set_asleep_apart(ab_contact_update *u)
{
    ab_merge *merge = &u->merge;
    uint32_t ended = 0;
    u->newly_asleep_count = 0;
    if (u->store->static_revision == static_revision(u))
    {
        return; // no collider joined the static set
    }
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        const uint32_t origin = merge->ended[i];
        const abut_contact *contact = ab_contact_at(u->store, origin);
        const bool is_asleep = ab_collider_in_static_set(&u->names, contact->collider_a) &&
                               ab_collider_in_static_set(&u->names, contact->collider_b);
        u->newly_asleep[u->newly_asleep_count] = origin;
        u->newly_asleep_count += is_asleep;
        merge->ended[ended] = origin;
        merge->ended_at[ended] = merge->ended_at[i];
        ended += !is_asleep;
    }
    merge->ended_count = ended;
}

static bool take_merge(ab_contact_update *u)
{
    ab_merge *merge = &u->merge;
    const size_t count = u->order.count + (size_t)1, old = u->before.list.count + (size_t)1;
    merge->previous = ab_arena_take(u->arena, count * sizeof *merge->previous);
    merge->begun = ab_arena_take(u->arena, count * sizeof *merge->begun);
    merge->begun_at = ab_arena_take(u->arena, count * sizeof *merge->begun_at);
    merge->ended = ab_arena_take(u->arena, old * sizeof *merge->ended);
    merge->ended_at = ab_arena_take(u->arena, old * sizeof *merge->ended_at);
    return merge->previous && merge->begun && merge->begun_at && merge->ended && merge->ended_at;
}

// The contacts before this update: the last results and the woken contacts.
static bool find_before(ab_contact_update *u)
{
    const ab_results *last = &u->store->results[u->store->published];
    const ab_pair_lists *lists = &u->store->asleep.lists;
    u->before.contacts = last->contacts;
    u->before.asleep = u->store->asleep.contacts;
    u->before.all_touch = last->speculative == 0;
    if (!ab_woken_pairs_find(&u->woken_pairs, u->arena, lists, &u->names))
    {
        return false;
    }
    if (u->woken_pairs.count > 0)
    {
        ab_asleep_contacts_take_impulses(&u->store->asleep);
    }
    return ab_woken_pairs_merge(&u->before.list, u->arena, last->keys, (uint32_t)arrlenu(last->keys), lists,
                                &u->woken_pairs);
}

// The contacts of the last results whose manifolds are reused.
static ab_order_reused find_kept(const ab_contact_update *u)
{
    const ab_results *last = &u->store->results[u->store->published];
    const ab_recycled *kept = u->recycling ? &u->recycling->out : NULL;
    return kept ? (ab_order_reused){ kept->contacts, last->keys, last->first_points, kept->count }
                : (ab_order_reused){ 0 };
}

// Reserves all that the merge needs.
static abut_status prepare_keys(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    ab_results *now = &u->store->results[1 - u->store->published];
    u->order.kept = find_kept(u);
    const size_t count = u->manifolds->count + (size_t)u->order.kept.count;
    const size_t points = u->manifolds->point_count + (size_t)(u->recycling ? u->recycling->out.points : 0);
    const ab_partition manifolds = ab_partition_into(&u->granularity, u->manifolds->count, 1);
    if (count >= AB_KEPT_LINE || points > UINT32_MAX)
    {
        return ABUT_LIMIT;
    }
    *tasks = manifolds.tasks;
    u->partition = ab_partition_into(&u->granularity, count, 1);
    u->parts = ab_arena_take(u->arena, (u->partition.tasks + (size_t)1) * sizeof *u->parts);
    u->order.line = ab_arena_take(u->arena, (count + AB_ORDER_AHEAD) * sizeof *u->order.line);
    u->order.points = ab_arena_take(u->arena, count + AB_ORDER_AHEAD);
    if (!u->parts || !u->order.line || !u->order.points || !ab_results_resize(now, u->memory, count, points))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const uint32_t some_line = u->manifolds->count > 0 ? u->manifolds->entries[0].line : 0;
    for (uint32_t i = 0; i < AB_ORDER_AHEAD; ++i)
    {
        u->order.line[count + i] = some_line;
    }
    memset(u->order.points + count, 0, AB_ORDER_AHEAD);
    u->store->children = u->store->children || u->children;
    if (ab_contact_store_has_children(u->store))
    {
        u->order.child = ab_arena_take(u->arena, (count + 1) * sizeof *u->order.child);
        if (!u->order.child)
        {
            return ABUT_OUT_OF_MEMORY;
        }
    }
    u->order.keys = now->keys;
    const bool made = ab_contact_order_begin(&u->order, u->arena, &manifolds, u->single_threaded,
                                             u->manifolds->line_count, u->names.body_slots) &&
                      find_before(u) && take_merge(u);
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void pack_keys(void *given, uint32_t task)
{
    ab_contact_update *u = given;
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
            more ? ab_merge_position(&u->before, keys[range->first]) : u->before.list.count;
        u->parts[i - 1].range.old_end = range->old_first;
    }
}

// Partitions the remaining contacts, and finds the old contacts that each range merges with: those from its first key
// up to the next range's. Without new contacts, one range has all the old ones. Returns the number of ranges.
static uint32_t share_out(ab_contact_update *u)
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
        range.old_first = i == 0 ? 0 : ab_merge_position(&u->before, ab_contact_order_key(&u->order, range.first));
        range.ended = range.old_first;
        if (i > 0)
        {
            u->parts[i - 1].range.old_end = range.old_first;
        }
        u->parts[i] = (ab_contact_part){ .range = range };
    }
    u->parts[ranges - 1].range.old_end = u->before.list.count;
    if (ab_contact_store_has_children(u->store))
    {
        keep_pairs_whole(u, ranges);
    }
    return ranges;
}

static void merge_range(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    ab_contact_part *part = &u->parts[task];
    ab_merge_range range = part->range;
    if (ab_contact_store_has_children(u->store))
    {
        // Unpacked already: what is written is in the partition, what is merged is in whole pairs.
        const bool some = u->partition.tasks > 0;
        part->points = ab_contact_order_unpack(&u->order, some ? (uint32_t)ab_partition_first(&u->partition, task) : 0,
                                               some ? (uint32_t)ab_partition_end(&u->partition, task) : 0);
        ab_merge_children(&u->merge, &u->before, &u->order, u->manifolds->lines, u->names.margin, &range);
    }
    else
    {
        part->points = ab_contact_order_unpack(&u->order, range.first, range.end);
        ab_merge_contacts(&u->merge, &u->before, &u->order, u->manifolds->lines, u->names.margin, &range);
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

// Leaves out the pairs that the caller vetoed before.
static bool drop_vetoed(ab_contact_update *u)
{
    unpack_all(u);
    return ab_vetoes_drop(&u->vetoing, &u->store->vetoes, u->arena, &u->order, &u->names);
}

static abut_status prepare_merge(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    if (u->names.veto.ask && !drop_vetoed(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (ab_contact_store_has_children(u->store))
    {
        unpack_all(u);
    }
    *tasks = share_out(u);
    return ABUT_OK;
}

static void gather(ab_contact_update *u)
{
    const uint32_t ranges = u->partition.tasks > 0 ? u->partition.tasks : 1;
    uint32_t points = 0;
    u->merge.begun_count = u->merge.ended_count = 0;
    for (uint32_t i = 0; i < ranges; ++i)
    {
        ab_merge_gather(&u->merge, &u->parts[i].range);
        u->parts[i].first_point = points;
        points += u->parts[i].points;
    }
    u->points = points;
    AB_ASSERT(points <= arrlenu(u->store->results[1 - u->store->published].points), points);
}

// Asks the caller's veto about the new pairs; merges again if it vetoes any.
static bool ask(ab_contact_update *u)
{
    if (!ab_vetoes_ask(&u->vetoing, u->arena, &u->order, &u->merge, u->manifolds->lines, &u->names))
    {
        return false;
    }
    if (u->vetoing.count > 0)
    {
        const uint32_t ranges = share_out(u);
        for (uint32_t i = 0; i < ranges; ++i)
        {
            merge_range(u, i);
        }
        gather(u);
    }
    return true;
}

static bool reserve_anchored(ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    ab_results *now = &store->results[1 - store->published];
    return !store->recycles || ab_array_resize(now->anchored, u->memory, u->order.count);
}

// Only the anchors can still fail after this; nothing that callers see is written before.
static abut_status prepare_contacts(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    ab_results *now = &u->store->results[1 - u->store->published];
    const bool asks = u->names.veto.ask != NULL;
    gather(u);
    if (asks && !ask(u))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (ab_contact_store_has_children(u->store))
    {
        ab_merge_forget_children(&u->merge, u->order.count);
    }
    u->newly_asleep = ab_arena_take(u->arena, (u->merge.ended_count + 1u) * sizeof *u->newly_asleep);
    if (!u->newly_asleep)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    set_asleep_apart(u);
    if (ab_contact_store_has_children(u->store))
    {
        end_pairs_once(u);
    }
    *tasks = u->partition.tasks;
    const bool made =
        ab_results_resize(now, u->memory, u->order.count, u->points) && reserve_anchored(u) &&
        ab_array_resize(now->events[ABUT_BEGIN], u->memory, u->merge.begun_count) &&
        ab_array_resize(now->events[ABUT_END], u->memory, u->merge.ended_count) &&
        (u->newly_asleep_count == 0 ||
         ab_asleep_contacts_reserve(&u->store->asleep, u->memory, u->newly_asleep_count, u->names.body_slots)) &&
        (!asks || ab_vetoes_end(&u->vetoing, &u->store->vetoes, u->memory, u->names.body_slots));
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static abut_status prepare_anchors(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    u->anchors = 0;
    if (!u->recycling)
    {
        return ABUT_OK;
    }
    for (uint32_t i = 0; i < u->partition.tasks; ++i)
    {
        u->parts[i].first_anchor = u->anchors;
        u->anchors += u->parts[i].wanted;
    }
    *tasks = u->anchors > 0 ? u->partition.tasks : 0;
    return ab_anchors_reserve(&u->store->anchors, u->memory, u->anchors, u->recycling->out.given_up_count)
               ? ABUT_OK
               : ABUT_OUT_OF_MEMORY;
}

static abut_status prepare_events(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    ab_results *now = &u->store->results[1 - u->store->published];
    now->first_points[u->partition.count] = u->points;
    now->speculative = 0;
    for (uint32_t i = 0; i < u->partition.tasks; ++i)
    {
        now->speculative += u->parts[i].speculative;
    }
    // An event costs about four times as much as the granularity's unit, one proxy.
    const ab_granularity granularity = { u->granularity.chunk / 4, u->granularity.whole / 4 };
    u->events = ab_partition_into(&granularity, (size_t)u->merge.begun_count + u->merge.ended_count, 1);
    *tasks = u->events.tasks;
    return ABUT_OK;
}

const ab_phase ab_contact_phases[] = { { prepare_keys, pack_keys },
                                       { prepare_repack, repack_keys },
                                       { prepare_deal, deal_keys },
                                       { prepare_sort, sort_keys },
                                       { prepare_merge, merge_range },
                                       { prepare_contacts, write_contacts },
                                       { prepare_anchors, ab_contact_anchors_write },
                                       { prepare_events, ab_contact_events_write },
                                       { NULL, NULL } };

// Moves woken contacts out of the asleep ones, and newly asleep contacts in.
static void exchange_asleep(const ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    for (uint32_t i = 0; i < u->woken_pairs.count; ++i)
    {
        ab_asleep_contacts_remove(&store->asleep, u->woken_pairs.slots[i]);
    }
    for (uint32_t i = 0; i < u->newly_asleep_count; ++i)
    {
        ab_asleep_contacts_put(&store->asleep, &store->results[store->published], u->newly_asleep[i]);
    }
}

void ab_contact_store_publish(const ab_contact_update *update)
{
    ab_contact_store *store = update->store;
    exchange_asleep(update);
    ab_contact_events_rejoin(&store->results[1 - store->published], &store->asleep.lists);
    if (update->names.veto.ask)
    {
        ab_pair_cache_publish(&update->vetoing.update, &store->vetoes);
    }
    if (update->recycling)
    {
        const ab_recycled *recycled = &update->recycling->out;
        ab_anchors_exchange(&store->anchors, update->anchors, recycled->given_up, recycled->given_up_count);
    }
    store->static_revision = static_revision(update);
    store->published = 1 - store->published;
    store->index[ABUT_AWAKE].made = store->index[ABUT_ASLEEP].made = false;
}
