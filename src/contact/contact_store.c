#include "contact/contact_store.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "contact/body_events.h"
#include "contact/contact_order.h"
#include "contact/merge.h"
#include "contact/refusals.h"
#include "contact/returning.h"

#include <string.h>

// Manifolds asked for before they are needed: they lie in the order they were found, not in the sorted one.
#define AHEAD 48u

bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts)
{
    const size_t points = (size_t)AB_MAX_POINTS * contacts;
    return ab_results_reserve(&store->results[0], memory, contacts, points) &&
           ab_results_reserve(&store->results[1], memory, contacts, points);
}

void ab_contact_store_close(ab_contact_store *store)
{
    ab_results_close(&store->results[0]);
    ab_results_close(&store->results[1]);
    ab_resting_close(&store->resting);
    ab_kept_close(&store->refusals);
    ab_body_index_close(&store->index[ABUT_AWAKE]);
    ab_body_index_close(&store->index[ABUT_RESTING]);
}

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

// All points have the features of the old ones in the same places: nearly always so, and decided without a branch.
static bool same_features(const abut_point *points, const abut_point *points_before, uint32_t count)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        changed |= i < count ? points[i].feature ^ points_before[i].feature : 0;
    }
    return changed == 0;
}

// Whole blocks of four are copied whatever the count: there is room past the last point, and no branch on how many.
static void carry_impulses(abut_impulse *impulses, const abut_point *points, uint32_t count,
                           const ab_contact_store *store, uint32_t origin)
{
    if (origin == ABUT_NONE)
    {
        memset(impulses, 0, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    const abut_impulse *from;
    const abut_point *points_before;
    uint32_t count_before;
    if (origin & AB_FROM_RESTING)
    {
        const uint32_t slot = origin & ~AB_FROM_RESTING;
        from = &store->resting.impulses[AB_MAX_POINTS * slot];
        points_before = &store->resting.points[AB_MAX_POINTS * slot];
        count_before = store->resting.contacts[slot].point_count;
    }
    else
    {
        const ab_results *before = &store->results[store->published];
        const uint32_t first = before->first_points[origin];
        from = &before->impulses[first];
        points_before = &before->points[first];
        count_before = before->first_points[origin + 1] - first;
    }
    if (AB_LIKELY(count_before == count && same_features(points, points_before, count)))
    {
        memcpy(impulses, from, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    match_impulses(impulses, points, from, points_before, count_before);
}

// Field by field into its place: put together elsewhere and copied, it would wait for its own stores.
static void describe(abut_contact *contact, const ab_manifold *m, uint64_t key, const ab_contact_names *names)
{
    const uint32_t slot_a = (uint32_t)(key >> 40), slot_b = (uint32_t)(key >> 16) & 0xffffffu;
    const uint32_t collider_a = names->leaves->collider[m->leaf_a], collider_b = names->leaves->collider[m->leaf_b];
    contact->a.slot = slot_a;
    contact->a.life = names->body_lives[slot_a];
    contact->b.slot = slot_b;
    contact->b.life = names->body_lives[slot_b];
    contact->collider_a.slot = collider_a;
    contact->collider_a.life = names->collider_lives[collider_a];
    contact->collider_b.slot = collider_b;
    contact->collider_b.life = names->collider_lives[collider_b];
    contact->normal.x = m->normal[0];
    contact->normal.y = m->normal[1];
    contact->normal.z = m->normal[2];
    contact->separation = m->separation;
    contact->child = 0;
    contact->point_count = (uint16_t)m->point_count;
    contact->flags = m->separation <= names->margin ? 0 : ABUT_CONTACT_SPECULATIVE;
}

// Asks for what contact `i` will need: its manifold first, and half the way later what the manifold names.
static void look_ahead(const ab_manifolds *manifolds, const ab_contact_order *order, const ab_contact_names *names,
                       uint32_t i)
{
    const uint32_t last = order->count - 1;
    const uint32_t far = i + AHEAD < last ? i + AHEAD : last, near = i + AHEAD / 2 < last ? i + AHEAD / 2 : last;
    AB_PREFETCH(&manifolds->data[order->index[far]]);
    const ab_manifold *m = &manifolds->data[order->index[near]];
    const char *points = (const char *)&manifolds->points[m->first_point];
    AB_PREFETCH(points);
    AB_PREFETCH(points + AB_CACHE_LINE);
    AB_PREFETCH(&names->leaves->collider[m->leaf_a]);
    AB_PREFETCH(&names->leaves->collider[m->leaf_b]);
}

// Writes contacts, points and impulses in sorted order; room must be there.
static void write_contacts(ab_results *now, const ab_contact_store *store, const ab_manifolds *manifolds,
                           const ab_contact_order *order, const ab_merge *merge, const ab_contact_names *names)
{
    uint32_t points = 0;
    now->speculative = 0;
    for (uint32_t i = 0; i < order->count; ++i)
    {
        look_ahead(manifolds, order, names, i);
        const ab_manifold *m = &manifolds->data[order->index[i]];
        const uint32_t origin = merge->previous[i];
        abut_contact *contact = &now->contacts[i];
        describe(contact, m, order->keys[i], names);
        contact->first_point = now->first_points[i] = points;
        contact->previous = origin != ABUT_NONE && (origin & AB_FROM_RESTING) ? ABUT_NONE : origin;
        now->speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
        memcpy(&now->points[points], &manifolds->points[m->first_point], AB_MAX_POINTS * sizeof *now->points);
        carry_impulses(&now->impulses[points], &now->points[points], m->point_count, store, origin);
        points += m->point_count;
    }
    now->first_points[order->count] = points;
    AB_ASSERT(points == arrlenu(now->points), points);
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

static void write_events(ab_results *now, const ab_contact_store *store, const ab_merge *merge,
                         const uint64_t *user_data)
{
    for (uint32_t i = 0; i < merge->begun_count; ++i)
    {
        now->events[ABUT_BEGIN][i] = event_of(&now->contacts[merge->begun[i]], user_data);
    }
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        now->events[ABUT_END][i] = event_of(contact_at(store, merge->ended[i]), user_data);
    }
}

// Takes out of what ended those contacts that were not looked for because both colliders are still: they rest. Gives their
// number; their indices go to `rested`.
static uint32_t set_rested_apart(ab_merge *merge, uint32_t *rested, const ab_contact_store *store,
                                 const ab_contact_names *names)
{
    uint32_t ended = 0, resting = 0;
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        const uint32_t origin = merge->ended[i];
        const abut_contact *contact = contact_at(store, origin);
        const bool rests =
            ab_collider_is_still(names, contact->collider_a) && ab_collider_is_still(names, contact->collider_b);
        rested[resting] = origin;
        resting += rests;
        merge->ended[ended] = origin;
        merge->ended_at[ended] = merge->ended_at[i];
        ended += !rests;
    }
    merge->ended_count = ended;
    return resting;
}

static bool take_merge(ab_merge *merge, ab_arena *arena, size_t count, size_t old_count)
{
    merge->previous = ab_arena_take(arena, (count + 1) * sizeof *merge->previous);
    merge->begun = ab_arena_take(arena, (count + 1) * sizeof *merge->begun);
    merge->begun_at = ab_arena_take(arena, (count + 1) * sizeof *merge->begun_at);
    merge->ended = ab_arena_take(arena, (old_count + 1) * sizeof *merge->ended);
    merge->ended_at = ab_arena_take(arena, (old_count + 1) * sizeof *merge->ended_at);
    return merge->previous && merge->begun && merge->begun_at && merge->ended && merge->ended_at;
}

// What one update works with.
typedef struct update
{
    ab_contact_order order;
    ab_merge merge;
    ab_merge_before before;
    ab_returning returning;
    ab_refusing refusing;
    uint32_t *rested; // indices of the last results
    uint32_t rested_count;
} update;

// What touched before: the last results, with the resting contacts that stirred.
static bool find_before(update *u, const ab_contact_store *store, ab_arena *arena, const ab_contact_names *names)
{
    const ab_results *last = &store->results[store->published];
    u->before.contacts = last->contacts;
    u->before.all_touch = last->speculative == 0;
    return ab_returning_find(&u->returning, arena, &store->resting.lists, names) &&
           ab_returning_weave(&u->before.list, arena, last->keys, (uint32_t)arrlenu(last->keys), &store->resting.lists,
                              &u->returning);
}

// Merges what is left when the caller was asked.
static bool merge_allowed(update *u, const ab_contact_store *store, ab_arena *arena, const ab_manifolds *manifolds,
                          const ab_contact_names *names)
{
    if (names->veto.ask && !ab_refusals_drop(&u->refusing, &store->refusals, arena, &u->order, names))
    {
        return false;
    }
    ab_merge_contacts(&u->merge, &u->before, &u->order, manifolds, names->margin);
    if (!names->veto.ask)
    {
        return true;
    }
    if (!ab_refusals_ask(&u->refusing, arena, &u->order, &u->merge, manifolds, names))
    {
        return false;
    }
    if (u->refusing.count > 0)
    {
        ab_merge_contacts(&u->merge, &u->before, &u->order, manifolds, names->margin);
    }
    return true;
}

// The points of the contacts that are left.
static uint32_t count_points(const ab_contact_order *order, const ab_manifolds *manifolds)
{
    uint32_t points = order->count == manifolds->count ? manifolds->point_count : 0;
    for (uint32_t i = 0; i < order->count && order->count < manifolds->count; ++i)
    {
        points += manifolds->data[order->index[i]].point_count;
    }
    return points;
}

// Everything that can fail, before anything that callers see is touched.
static bool prepare(update *u, ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                    const ab_manifolds *manifolds, const ab_contact_names *names)
{
    ab_results *now = &store->results[1 - store->published];
    const size_t count = manifolds->count;
    u->order.index = ab_arena_take(arena, (count + 1) * sizeof *u->order.index);
    if (!u->order.index || !ab_results_resize(now, memory, count, manifolds->point_count) ||
        !find_before(u, store, arena, names) || !take_merge(&u->merge, arena, count, u->before.list.count))
    {
        return false;
    }
    u->order.keys = now->keys;
    if (!ab_contact_order_make(&u->order, arena, manifolds, names->leaves->record, names->body_slots) ||
        !merge_allowed(u, store, arena, manifolds, names))
    {
        return false;
    }
    u->rested = ab_arena_take(arena, (u->merge.ended_count + 1u) * sizeof *u->rested);
    if (!u->rested)
    {
        return false;
    }
    u->rested_count = set_rested_apart(&u->merge, u->rested, store, names);
    return ab_results_resize(now, memory, u->order.count, count_points(&u->order, manifolds)) &&
           ab_array_resize(now->events[ABUT_BEGIN], memory, u->merge.begun_count) &&
           ab_array_resize(now->events[ABUT_END], memory, u->merge.ended_count) &&
           (u->rested_count == 0 || ab_resting_reserve(&store->resting, memory, u->rested_count, names->body_slots)) &&
           (!names->veto.ask || ab_refusals_end(&u->refusing, &store->refusals, memory, names->body_slots));
}

// Lets come to rest what does, and takes back what stirred.
static void exchange_resting(const update *u, ab_contact_store *store)
{
    for (uint32_t i = 0; i < u->returning.count; ++i)
    {
        ab_resting_remove(&store->resting, u->returning.slots[i]);
    }
    for (uint32_t i = 0; i < u->rested_count; ++i)
    {
        ab_resting_put(&store->resting, &store->results[store->published], u->rested[i]);
    }
}

abut_status ab_contact_store_update(ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                                    const ab_manifolds *manifolds, const ab_contact_names *names)
{
    update u = { 0 };
    if (!prepare(&u, store, memory, arena, manifolds, names))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_results *now = &store->results[1 - store->published];
    write_contacts(now, store, manifolds, &u.order, &u.merge, names);
    write_events(now, store, &u.merge, names->user_data);
    ab_flag_first_begins(now, &u.merge, &u.before, &store->resting.lists);
    exchange_resting(&u, store);
    ab_flag_last_ends(now, &u.merge, &store->resting.lists);
    if (names->veto.ask)
    {
        ab_kept_publish(&u.refusing.update, &store->refusals);
    }
    return ABUT_OK;
}

void ab_contact_store_publish(ab_contact_store *store)
{
    store->published = 1 - store->published;
    store->index[ABUT_AWAKE].made = store->index[ABUT_RESTING].made = false;
}

void ab_contact_store_check(const ab_contact_store *store)
{
    ab_results_check(&store->results[store->published]);
    ab_resting_check(&store->resting);
    ab_kept_check(&store->refusals);
}
