#include "contact/contact_update.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "contact/body_events.h"

#include <string.h>

// Patches asked for before they are needed: they lie in the order they were found, not in the sorted one.
#define AHEAD          32u
#define REMEMBER_AHEAD 8u

// What a solver kept at a point goes to the point of the same feature. Decided by selection for all points there might be:
// how many there are and which matches which cannot be foretold. There is room past the last point, and what is written there
// is overwritten or never looked at.
static void match_impulses(abut_impulse *impulses, const abut_point *points, const abut_impulse *before,
                           const abut_point *points_before, uint32_t count_before)
{
    static const abut_impulse none = { 0 };
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        const abut_impulse *same = &none;
        for (uint32_t j = 0; j < AB_MAX_POINTS; ++j)
        {
            const bool matches = (j < count_before) & (points_before[j].feature == points[i].feature);
            same = matches ? &before[j] : same;
        }
        impulses[i] = *same;
    }
}

// Where the impulses of an old contact are, and its points.
typedef struct old_points
{
    const abut_impulse *impulses;
    const abut_point *points;
    uint32_t count;
} old_points;

static old_points points_before(const ab_contact_store *store, uint32_t origin)
{
    if (origin & AB_FROM_RESTING)
    {
        const uint32_t slot = origin & ~AB_FROM_RESTING, first = AB_MAX_POINTS * slot;
        return (old_points){ &store->resting.impulses[first], &store->resting.points[first],
                             store->resting.contacts[slot].point_count };
    }
    const ab_results *before = &store->results[store->published];
    const uint32_t first = before->first_points[origin];
    return (old_points){ &before->impulses[first], &before->points[first], before->first_points[origin + 1] - first };
}

// Whole blocks of four are copied whatever the count: there is room past the last point, and no branch on how many. The old
// points are not looked at where one word says that they had these features in these places: so it is nearly always.
static void carry_impulses(abut_impulse *impulses, const abut_point *points, uint64_t features,
                           const ab_contact_store *store, uint32_t origin)
{
    const ab_results *before = &store->results[store->published];
    if (origin == ABUT_NONE)
    {
        memset(impulses, 0, AB_MAX_POINTS * sizeof *impulses);
    }
    else if (AB_LIKELY(!(origin & AB_FROM_RESTING) && features != AB_FEATURES_LONG &&
                       before->features[origin] == features))
    {
        memcpy(impulses, &before->impulses[before->first_points[origin]], AB_MAX_POINTS * sizeof *impulses);
    }
    else
    {
        const old_points old = points_before(store, origin);
        match_impulses(impulses, points, old.impulses, old.points, old.count);
    }
}

// A manifold that was kept has the features and the impulses it had.
static uint64_t carry_all(abut_impulse *impulses, abut_point *points, const ab_results *before, uint32_t origin)
{
    const uint32_t first = before->first_points[origin];
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        points[i].feature = before->points[first + i].feature;
    }
    memcpy(impulses, &before->impulses[first], AB_MAX_POINTS * sizeof *impulses);
    return before->features[origin];
}

// Field by field into its place: put together elsewhere and copied, it would wait for its own stores.
static void describe(abut_contact *contact, const ab_patch *patch, uint32_t points, uint64_t key,
                     const ab_contact_names *names)
{
    const uint32_t slot_a = (uint32_t)(key >> 40), slot_b = (uint32_t)(key >> 16) & 0xffffffu;
    contact->a.slot = slot_a;
    contact->a.life = names->body_lives[slot_a];
    contact->b.slot = slot_b;
    contact->b.life = names->body_lives[slot_b];
    contact->collider_a.slot = patch->collider_a;
    contact->collider_a.life = names->collider_lives[patch->collider_a];
    contact->collider_b.slot = patch->collider_b;
    contact->collider_b.life = names->collider_lives[patch->collider_b];
    contact->normal.x = patch->normal[0];
    contact->normal.y = patch->normal[1];
    contact->normal.z = patch->normal[2];
    contact->separation = patch->separation;
    contact->child = 0;
    contact->point_count = (uint16_t)points;
    contact->flags = patch->separation <= names->margin ? 0 : ABUT_CONTACT_SPECULATIVE;
}

// Asks for the patch of a later contact: its second line only where it has something on it.
static void look_ahead(const ab_patch *patches, const ab_contact_order *order, uint32_t i)
{
    const uint32_t last = order->count - 1, later = i + AHEAD < last ? i + AHEAD : last;
    const char *lines = (const char *)&patches[order->line[later]];
    AB_PREFETCH(lines);
    AB_PREFETCH(lines + (order->points[later] > AB_NEAR_POINTS ? AB_CACHE_LINE : 0));
}

// Four points whatever their number: those that are not there are read from where it costs nothing.
static void copy_points(abut_point *to, const ab_patch *patch, uint32_t count)
{
    static const abut_point none[AB_MAX_POINTS - AB_NEAR_POINTS];
    const abut_point *far[2] = { none, patch[1].far };
    memcpy(to, patch[0].near, sizeof patch->near);
    memcpy(&to[AB_NEAR_POINTS], far[count > AB_NEAR_POINTS], sizeof none);
}

// Copies four points and what a contact takes over from the one it continues. Gives the features.
static uint64_t carry(abut_impulse *impulses, abut_point *points, const ab_patch *patch, uint32_t count,
                      const ab_contact_store *store, uint32_t origin, bool kept)
{
    copy_points(points, patch, count);
    if (kept)
    {
        return carry_all(impulses, points, &store->results[store->published], origin);
    }
    const uint64_t features = ab_features_of(points, count);
    carry_impulses(impulses, points, features, store, origin);
    return features;
}

// Points and impulses of contact `i`, at `at`. `whole` says that four may be written whatever their number.
static void write_points(ab_results *now, const ab_contact_update *u, uint32_t i, uint32_t at, bool whole)
{
    const uint32_t which = u->order.line[i], count = u->order.points[i], origin = u->merge.previous[i];
    const ab_patch *patch = &u->patches->lines[which];
    const bool kept = which < u->kept_lines;
    if (AB_LIKELY(whole))
    {
        now->features[i] = carry(&now->impulses[at], &now->points[at], patch, count, u->store, origin, kept);
        return;
    }
    abut_impulse impulses[AB_MAX_POINTS];
    abut_point points[AB_MAX_POINTS];
    now->features[i] = carry(impulses, points, patch, count, u->store, origin, kept);
    memcpy(&now->points[at], points, count * sizeof *points);
    memcpy(&now->impulses[at], impulses, count * sizeof *impulses);
}

// The end of a part's points, past which others write; behind the very last there is room.
static uint32_t points_end(const ab_contact_update *u, uint32_t task)
{
    const ab_contact_part *part = &u->parts[task];
    const uint32_t end = part->first_point + part->points;
    return task + 1 == u->cut.tasks ? end + AB_MAX_POINTS : end;
}

// Says of contacts [first, end) whether their manifolds were kept, and whether where they were computed is worth remembering;
// which slots those get is decided when all is published.
static void mark_kept(ab_results *now, const ab_contact_update *u, uint32_t first, uint32_t end)
{
    const ab_leaves *leaves = u->names.leaves;
    for (uint32_t i = first; i < end; ++i)
    {
        abut_contact *contact = &now->contacts[i];
        const uint32_t leaf_a = leaves->leaf_of[contact->collider_a.slot];
        const uint32_t leaf_b = leaves->leaf_of[contact->collider_b.slot];
        const bool kept = u->order.line[i] < u->kept_lines;
        const bool wanted = kept || ab_recycles(u->names.table, leaves->traits[leaf_a], leaves->traits[leaf_b]);
        contact->flags |= kept ? ABUT_CONTACT_RECYCLED : 0;
        now->remembered[i] =
            (ab_remembered){ wanted ? 0 : ABUT_NONE, contact->collider_a.slot, contact->collider_b.slot };
    }
}

// A part's contacts, points and impulses in sorted order; room is there.
static void write_contacts(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    ab_contact_part *part = &u->parts[task];
    ab_results *now = &u->store->results[1 - u->store->published];
    const ab_patch *patches = u->patches->lines;
    const uint32_t end = (uint32_t)ab_cut_end(&u->cut, task), most = points_end(u, task);
    uint32_t points = part->first_point, speculative = 0;
    for (uint32_t i = (uint32_t)ab_cut_first(&u->cut, task); i < end; ++i)
    {
        look_ahead(patches, &u->order, i);
        const uint32_t origin = u->merge.previous[i];
        abut_contact *contact = &now->contacts[i];
        describe(contact, &patches[u->order.line[i]], u->order.points[i], u->order.keys[i], &u->names);
        contact->first_point = now->first_points[i] = points;
        contact->previous = origin != ABUT_NONE && (origin & AB_FROM_RESTING) ? ABUT_NONE : origin;
        speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
        write_points(now, u, i, points, points + AB_MAX_POINTS <= most);
        points += u->order.points[i];
    }
    if (u->store->remembers)
    {
        mark_kept(now, u, (uint32_t)ab_cut_first(&u->cut, task), end);
    }
    part->speculative = speculative;
    AB_ASSERT(points == part->first_point + part->points, points);
}

static abut_event event_of(const abut_contact *contact, const uint64_t *user_data)
{
    return (abut_event){
        .a = contact->a,
        .b = contact->b,
        .collider_a = contact->collider_a,
        .collider_b = contact->collider_b,
        .user_data_a = user_data[contact->a.slot],
        .user_data_b = user_data[contact->b.slot],
    };
}

static const abut_contact *contact_at(const ab_contact_store *store, uint32_t origin)
{
    return origin & AB_FROM_RESTING ? &store->resting.contacts[origin & ~AB_FROM_RESTING]
                                    : &store->results[store->published].contacts[origin];
}

// What began, then what ended.
static void write_events(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    ab_results *now = &u->store->results[1 - u->store->published];
    const uint32_t begun = u->merge.begun_count, end = (uint32_t)ab_cut_end(&u->events, task);
    for (uint32_t i = (uint32_t)ab_cut_first(&u->events, task); i < end; ++i)
    {
        const abut_contact *contact =
            i < begun ? &now->contacts[u->merge.begun[i]] : contact_at(u->store, u->merge.ended[i - begun]);
        now->events[i < begun ? ABUT_BEGIN : ABUT_END][i < begun ? i : i - begun] =
            event_of(contact, u->names.user_data);
    }
}

// Takes out of what ended those contacts that were not looked for because both colliders are still: they rest.
static void set_rested_apart(ab_contact_update *u)
{
    ab_merge *merge = &u->merge;
    uint32_t ended = 0;
    u->rested_count = 0;
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        const uint32_t origin = merge->ended[i];
        const abut_contact *contact = contact_at(u->store, origin);
        const bool rests = ab_collider_is_still(&u->names, contact->collider_a) &&
                           ab_collider_is_still(&u->names, contact->collider_b);
        u->rested[u->rested_count] = origin;
        u->rested_count += rests;
        merge->ended[ended] = origin;
        merge->ended_at[ended] = merge->ended_at[i];
        ended += !rests;
    }
    merge->ended_count = ended;
}

static bool take_merge(ab_contact_update *u)
{
    ab_merge *merge = &u->merge;
    const size_t count = u->cut.count + 1, old = u->before.list.count + (size_t)u->cut.tasks + 1;
    merge->previous = ab_arena_take(u->arena, count * sizeof *merge->previous);
    merge->begun = ab_arena_take(u->arena, count * sizeof *merge->begun);
    merge->begun_at = ab_arena_take(u->arena, count * sizeof *merge->begun_at);
    merge->ended = ab_arena_take(u->arena, old * sizeof *merge->ended);
    merge->ended_at = ab_arena_take(u->arena, old * sizeof *merge->ended_at);
    return merge->previous && merge->begun && merge->begun_at && merge->ended && merge->ended_at;
}

// What touched before: the last results, with the resting contacts that stirred.
static bool find_before(ab_contact_update *u)
{
    const ab_results *last = &u->store->results[u->store->published];
    const ab_pair_lists *lists = &u->store->resting.lists;
    u->before.contacts = last->contacts;
    u->before.all_touch = last->speculative == 0;
    return ab_returning_find(&u->returning, u->arena, lists, &u->names) &&
           ab_returning_weave(&u->before.list, u->arena, last->keys, (uint32_t)arrlenu(last->keys), lists,
                              &u->returning);
}

// Everything that a merge needs is looked up and made room for.
static abut_status prepare_keys(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    ab_results *now = &u->store->results[1 - u->store->published];
    const uint32_t count = u->patches->count;
    u->cut = ab_cut_into(&u->grain, count, 1);
    *tasks = u->cut.tasks;
    u->parts = ab_arena_take(u->arena, (*tasks + 1) * sizeof *u->parts);
    u->order.line = ab_arena_take(u->arena, (count + 1u) * sizeof *u->order.line);
    u->order.points = ab_arena_take(u->arena, count + 1u);
    if (!u->parts || !u->order.line || !u->order.points ||
        !ab_results_resize(now, u->memory, count, u->patches->point_count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    u->order.keys = now->keys;
    const bool made =
        ab_contact_order_begin(&u->order, u->arena, count, u->patches->line_count, u->kept, u->names.body_slots) &&
        find_before(u) && take_merge(u);
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void pack_keys(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    u->parts[task] = (ab_contact_part){ .range = { .first = (uint32_t)ab_cut_first(&u->cut, task),
                                                   .end = (uint32_t)ab_cut_end(&u->cut, task) } };
    const ab_merge_range *range = &u->parts[task].range;
    u->parts[task].places = ab_contact_order_pack(&u->order, u->patches->briefs, range->first, range->end);
}

// Cuts the contacts that are left, and finds which of the old ones each range is merged with: those from its first key on, up to
// the next one's. Without new contacts one range has all the old ones. Gives how many ranges there are.
static uint32_t share_out(ab_contact_update *u)
{
    u->cut = ab_cut_into(&u->grain, u->order.count, 1);
    const uint32_t ranges = u->cut.tasks > 0 ? u->cut.tasks : 1;
    for (uint32_t i = 0; i < ranges; ++i)
    {
        ab_merge_range range = { 0 };
        if (u->cut.tasks > 0)
        {
            range.first = range.begun = (uint32_t)ab_cut_first(&u->cut, i);
            range.end = (uint32_t)ab_cut_end(&u->cut, i);
        }
        range.old_first = i == 0 ? 0 : ab_merge_place(&u->before, ab_contact_order_key(&u->order, range.first));
        range.ended = range.old_first + i; // each has room for one more
        if (i > 0)
        {
            u->parts[i - 1].range.old_end = range.old_first;
        }
        u->parts[i] = (ab_contact_part){ .range = range };
    }
    u->parts[ranges - 1].range.old_end = u->before.list.count;
    return ranges;
}

static void merge_range(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    ab_contact_part *part = &u->parts[task];
    ab_merge_range range = part->range;
    part->points = ab_contact_order_unpack(&u->order, range.first, range.end);
    ab_merge_contacts(&u->merge, &u->before, &u->order, u->patches->lines, u->names.margin, &range);
    part->range = range;
}

// Pairs that the caller refused before are left out.
static bool drop_refused(ab_contact_update *u)
{
    ab_contact_order_unpack(&u->order, 0, u->order.count);
    u->order.words = NULL;
    return ab_refusals_drop(&u->refusing, &u->store->refusals, u->arena, &u->order, &u->names);
}

static abut_status prepare_merge(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    uint32_t places = 0;
    for (uint32_t i = 0; i < u->cut.tasks; ++i)
    {
        places |= u->parts[i].places;
    }
    if (!ab_contact_order_sort(&u->order, u->arena, u->patches->briefs, places) ||
        (u->names.veto.ask && !drop_refused(u)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *tasks = share_out(u);
    return ABUT_OK;
}

static void gather(ab_contact_update *u)
{
    const uint32_t ranges = u->cut.tasks > 0 ? u->cut.tasks : 1;
    uint32_t points = 0;
    u->merge.begun_count = u->merge.ended_count = 0;
    for (uint32_t i = 0; i < ranges; ++i)
    {
        ab_merge_gather(&u->merge, &u->parts[i].range);
        u->parts[i].first_point = points;
        points += u->parts[i].points;
    }
    u->points = points;
    AB_ASSERT(points == u->patches->point_count || u->order.count < u->patches->count, points);
}

// Asks about what is new; where some of that is refused, the rest is merged again.
static bool ask(ab_contact_update *u)
{
    if (!ab_refusals_ask(&u->refusing, u->arena, &u->order, &u->merge, u->patches->lines, &u->names))
    {
        return false;
    }
    if (u->refusing.count > 0)
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

static bool reserve_references(ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    ab_results *now = &store->results[1 - store->published];
    return !store->remembers || (ab_array_resize(now->remembered, u->memory, u->order.count) &&
                                 ab_references_reserve(&store->references, u->memory, u->order.count));
}

// The last that can fail, before anything is written that callers will see.
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
    u->rested = ab_arena_take(u->arena, (u->merge.ended_count + 1u) * sizeof *u->rested);
    if (!u->rested)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    set_rested_apart(u);
    *tasks = u->cut.tasks;
    const bool made = ab_results_resize(now, u->memory, u->order.count, u->points) && reserve_references(u) &&
                      ab_array_resize(now->events[ABUT_BEGIN], u->memory, u->merge.begun_count) &&
                      ab_array_resize(now->events[ABUT_END], u->memory, u->merge.ended_count) &&
                      (u->rested_count == 0 ||
                       ab_resting_reserve(&u->store->resting, u->memory, u->rested_count, u->names.body_slots)) &&
                      (!asks || ab_refusals_end(&u->refusing, &u->store->refusals, u->memory, u->names.body_slots));
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static abut_status prepare_events(void *given, uint32_t *tasks)
{
    ab_contact_update *u = given;
    ab_results *now = &u->store->results[1 - u->store->published];
    now->first_points[u->cut.count] = u->points;
    now->speculative = 0;
    for (uint32_t i = 0; i < u->cut.tasks; ++i)
    {
        now->speculative += u->parts[i].speculative;
    }
    u->events = ab_cut_into(&u->grain, (size_t)u->merge.begun_count + u->merge.ended_count, 1);
    *tasks = u->events.tasks;
    return ABUT_OK;
}

static abut_status finish(void *given, uint32_t *tasks)
{
    const ab_contact_update *u = given;
    (void)tasks;
    ab_flag_first_begins(&u->store->results[1 - u->store->published], &u->merge, &u->before, &u->store->resting.lists);
    return ABUT_OK;
}

const ab_phase ab_contact_phases[] = { { prepare_keys, pack_keys },
                                       { prepare_merge, merge_range },
                                       { prepare_contacts, write_contacts },
                                       { prepare_events, write_events },
                                       { finish, NULL },
                                       { NULL, NULL } };

// Lets come to rest what does, and takes back what stirred.
static void exchange_resting(const ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    for (uint32_t i = 0; i < u->returning.count; ++i)
    {
        ab_resting_remove(&store->resting, u->returning.slots[i]);
    }
    for (uint32_t i = 0; i < u->rested_count; ++i)
    {
        ab_resting_put(&store->resting, &store->results[store->published], u->rested[i]);
    }
}

// Asks for what remembering contact `i` will need.
static void prefetch_reference(const ab_contact_update *u, const ab_results *now, uint32_t i)
{
    const ab_leaves *leaves = u->names.leaves;
    const char *lines = (const char *)&u->store->references.data[now->remembered[i].reference];
    AB_PREFETCH(lines);
    AB_PREFETCH(lines + AB_CACHE_LINE);
    AB_PREFETCH(&leaves->record[leaves->leaf_of[now->remembered[i].collider_a]]);
    AB_PREFETCH(&leaves->record[leaves->leaf_of[now->remembered[i].collider_b]]);
}

// Whether contact `i` was computed anew and is to be remembered.
static bool is_fresh(const ab_contact_update *u, const ab_results *now, uint32_t i)
{
    return u->order.line[i] >= u->kept_lines && now->remembered[i].reference != ABUT_NONE;
}

// Remembers where each manifold was computed that was not kept and is worth it. References of the last results are written over:
// to be done when nothing can be refused any more.
static void remember(const ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    ab_results *now = &store->results[1 - store->published];
    ab_references_pass_on(&store->references, now, &store->results[store->published], u->merge.previous);
    for (uint32_t i = 0; i < u->order.count; ++i)
    {
        if (i + REMEMBER_AHEAD < u->order.count && is_fresh(u, now, i + REMEMBER_AHEAD))
        {
            prefetch_reference(u, now, i + REMEMBER_AHEAD);
        }
        if (is_fresh(u, now, i))
        {
            ab_reference_make(&store->references.data[now->remembered[i].reference], u->names.leaves,
                              &u->patches->lines[u->order.line[i]], u->order.points[i]);
        }
    }
}

void ab_contact_store_publish(const ab_contact_update *update)
{
    ab_contact_store *store = update->store;
    exchange_resting(update);
    ab_flag_last_ends(&store->results[1 - store->published], &update->merge, &store->resting.lists);
    if (update->names.veto.ask)
    {
        ab_kept_publish(&update->refusing.update, &store->refusals);
    }
    if (store->remembers)
    {
        remember(update);
    }
    store->published = 1 - store->published;
    store->index[ABUT_AWAKE].made = store->index[ABUT_RESTING].made = false;
}
