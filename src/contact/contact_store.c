#include "contact/contact_store.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "contact/merge.h"

#include <string.h>

#define AHEAD                                                                                                          \
    12u // manifolds fetched before they are needed: they lie in the order they were found, not in the sorted one

static bool reserve(ab_results *results, ab_memory *memory, size_t contacts, size_t points)
{
    return ab_array_reserve(results->contacts, memory, contacts) && ab_array_reserve(results->keys, memory, contacts) &&
           ab_array_reserve(results->first_points, memory, contacts + 1) &&
           ab_array_reserve(results->points, memory, points) && ab_array_reserve(results->impulses, memory, points);
}

bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts)
{
    const size_t points = (size_t)AB_MAX_POINTS * contacts;
    return reserve(&store->results[0], memory, contacts, points) &&
           reserve(&store->results[1], memory, contacts, points);
}

void ab_contact_store_close(ab_contact_store *store)
{
    for (uint32_t i = 0; i < 2; ++i)
    {
        ab_results *results = &store->results[i];
        arrfree(results->contacts);
        arrfree(results->keys);
        arrfree(results->first_points);
        arrfree(results->points);
        arrfree(results->impulses);
        arrfree(results->events[ABUT_BEGIN]);
        arrfree(results->events[ABUT_END]);
    }
}

// What a solver kept at a point goes to the point of the same feature.
static void match_impulses(abut_impulse *impulses, const abut_point *points, uint32_t count, const abut_impulse *before,
                           const abut_point *points_before, uint32_t count_before)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        impulses[i] = (abut_impulse){ 0 };
        for (uint32_t j = 0; j < count_before; ++j)
        {
            if (points_before[j].feature == points[i].feature)
            {
                impulses[i] = before[j];
            }
        }
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
static void carry_impulses(abut_impulse *impulses, const abut_point *points, uint32_t count, const ab_results *before,
                           uint32_t previous)
{
    if (previous == ABUT_NONE)
    {
        memset(impulses, 0, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    const uint32_t first = before->first_points[previous], count_before = before->first_points[previous + 1] - first;
    const abut_impulse *from = &before->impulses[first];
    const abut_point *points_before = &before->points[first];
    if (AB_LIKELY(count_before == count && same_features(points, points_before, count)))
    {
        memcpy(impulses, from, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    match_impulses(impulses, points, count, from, points_before, count_before);
}

// Field by field into its place: put together elsewhere and copied, it would wait for its own stores.
static void describe(abut_contact *contact, const ab_manifold *m, uint64_t key, const ab_contact_names *names)
{
    const uint32_t slot_a = (uint32_t)(key >> 40), slot_b = (uint32_t)(key >> 16) & 0xffffffu;
    const uint32_t collider_a = names->leaf_collider[m->leaf_a], collider_b = names->leaf_collider[m->leaf_b];
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
    const uint32_t last = manifolds->count - 1;
    const uint32_t far = i + AHEAD < last ? i + AHEAD : last, near = i + AHEAD / 2 < last ? i + AHEAD / 2 : last;
    AB_PREFETCH(&manifolds->data[order->index[far]]);
    const ab_manifold *m = &manifolds->data[order->index[near]];
    AB_PREFETCH(&manifolds->points[m->first_point]);
    AB_PREFETCH(&names->leaf_collider[m->leaf_a]);
    AB_PREFETCH(&names->leaf_collider[m->leaf_b]);
}

// Writes contacts, points and impulses in sorted order; room must be there.
static void write_contacts(ab_results *now, const ab_results *before, const ab_manifolds *manifolds,
                           const ab_contact_order *order, const ab_merge *merge, const ab_contact_names *names)
{
    uint32_t points = 0;
    now->speculative = 0;
    for (uint32_t i = 0; i < manifolds->count; ++i)
    {
        look_ahead(manifolds, order, names, i);
        const ab_manifold *m = &manifolds->data[order->index[i]];
        abut_contact *contact = &now->contacts[i];
        describe(contact, m, order->keys[i], names);
        contact->first_point = now->first_points[i] = points;
        contact->previous = merge->previous[i];
        now->speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
        memcpy(&now->points[points], &manifolds->points[m->first_point], AB_MAX_POINTS * sizeof *now->points);
        carry_impulses(&now->impulses[points], &now->points[points], m->point_count, before, contact->previous);
        points += m->point_count;
    }
    now->first_points[manifolds->count] = points;
    AB_ASSERT(points == manifolds->point_count, points);
}

static void write_events(abut_event *events, const abut_contact *contacts, const uint32_t *which, uint32_t count,
                         const uint64_t *user_data)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_contact *contact = &contacts[which[i]];
        events[i] = (abut_event){
            .a = contact->a,
            .b = contact->b,
            .collider_a = contact->collider_a,
            .collider_b = contact->collider_b,
            .user_data_a = user_data[contact->a.slot],
            .user_data_b = user_data[contact->b.slot],
        };
    }
}

// Points and impulses are written in whole blocks of four, so there is room for one more block.
static bool resize_points(ab_results *now, ab_memory *memory, size_t count)
{
    if (!ab_array_resize(now->points, memory, count + AB_MAX_POINTS) ||
        !ab_array_resize(now->impulses, memory, count + AB_MAX_POINTS))
    {
        return false;
    }
    ab_array_set_length(now->points, count);
    ab_array_set_length(now->impulses, count);
    return true;
}

static bool take_merge(ab_merge *merge, ab_arena *arena, size_t count, size_t old_count)
{
    merge->previous = ab_arena_take(arena, (count + 1) * sizeof *merge->previous);
    merge->begun = ab_arena_take(arena, (count + 1) * sizeof *merge->begun);
    merge->ended = ab_arena_take(arena, (old_count + 1) * sizeof *merge->ended);
    return merge->previous && merge->begun && merge->ended;
}

abut_status ab_contact_store_update(ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                                    const ab_manifolds *manifolds, const ab_contact_names *names)
{
    const ab_results *before = &store->results[store->published];
    ab_results *now = &store->results[1 - store->published];
    const size_t count = manifolds->count, old_count = arrlenu(before->contacts);

    ab_contact_order order = { .index = ab_arena_take(arena, (count + 1) * sizeof *order.index) };
    ab_merge merge;
    if (!order.index || !take_merge(&merge, arena, count, old_count) || !ab_array_resize(now->keys, memory, count) ||
        !ab_array_resize(now->contacts, memory, count) || !ab_array_resize(now->first_points, memory, count + 1) ||
        !resize_points(now, memory, manifolds->point_count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    order.keys = now->keys;
    if (!ab_contact_order_make(&order, arena, manifolds, names->records, names->body_slots))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const ab_merge_before old = { before->contacts, before->keys, (uint32_t)old_count, before->speculative == 0 };
    ab_merge_contacts(&merge, &old, &order, manifolds, names->margin);
    if (!ab_array_resize(now->events[ABUT_BEGIN], memory, merge.begun_count) ||
        !ab_array_resize(now->events[ABUT_END], memory, merge.ended_count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    write_contacts(now, before, manifolds, &order, &merge, names);
    write_events(now->events[ABUT_BEGIN], now->contacts, merge.begun, merge.begun_count, names->user_data);
    write_events(now->events[ABUT_END], before->contacts, merge.ended, merge.ended_count, names->user_data);
    AB_ASSERT(old_count - before->speculative + merge.begun_count == count - now->speculative + merge.ended_count,
              count);
    store->published = 1 - store->published;
    return ABUT_OK;
}

void ab_contact_store_check(const ab_contact_store *store)
{
    const ab_results *now = &store->results[store->published];
    uint32_t points = 0, speculative = 0;
    for (uint32_t i = 0; i < arrlenu(now->contacts); ++i)
    {
        const abut_contact *contact = &now->contacts[i];
        AB_ASSERT(contact->a.slot < contact->b.slot, contact->a.slot);
        AB_ASSERT(contact->first_point == points, contact->first_point);
        AB_ASSERT(contact->point_count >= 1 && contact->point_count <= AB_MAX_POINTS, contact->point_count);
        AB_ASSERT(i == 0 || now->keys[i - 1] < now->keys[i] ||
                      (now->keys[i - 1] == now->keys[i] && contact[-1].child < contact->child),
                  i);
        points += contact->point_count;
        speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
    }
    AB_ASSERT(points == arrlenu(now->points) && points == arrlenu(now->impulses), points);
    AB_ASSERT(speculative == now->speculative, speculative);
}
