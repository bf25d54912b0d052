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
        arrfree(results->points);
        arrfree(results->impulses);
        arrfree(results->events[ABUT_BEGIN]);
        arrfree(results->events[ABUT_END]);
    }
}

// Gives each manifold its key, and the names of its colliders in place of its leaves: here they lie together.
static void make_entries(ab_sort_entry *entries, const ab_manifolds *manifolds, const ab_contact_names *names)
{
    for (uint32_t i = 0; i < manifolds->count; ++i)
    {
        ab_manifold *m = &manifolds->data[i];
        entries[i].key = ab_contact_key(names->records[m->leaf_a].order, names->records[m->leaf_b].order);
        entries[i].child = 0;
        entries[i].index = i;
        m->leaf_a = names->leaf_collider[m->leaf_a];
        m->leaf_b = names->leaf_collider[m->leaf_b];
    }
}

// What a solver kept at a point goes to the point of the same feature.
static void carry_impulses(abut_impulse *impulses, const abut_point *points, uint32_t count, const ab_results *before,
                           const abut_contact *old)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        impulses[i] = (abut_impulse){ 0 };
        for (uint32_t j = 0; old && j < old->point_count; ++j)
        {
            if (before->points[old->first_point + j].feature == points[i].feature)
            {
                impulses[i] = before->impulses[old->first_point + j];
            }
        }
    }
}

static abut_contact describe(const ab_manifold *m, const ab_sort_entry *entry, const ab_contact_names *names)
{
    const uint32_t slot_a = (uint32_t)(entry->key >> 40), slot_b = (uint32_t)(entry->key >> 16) & 0xffffffu;
    return (abut_contact){
        .a = { slot_a, names->body_lives[slot_a] },
        .b = { slot_b, names->body_lives[slot_b] },
        .collider_a = { m->leaf_a, names->collider_lives[m->leaf_a] },
        .collider_b = { m->leaf_b, names->collider_lives[m->leaf_b] },
        .normal = { m->normal[0], m->normal[1], m->normal[2] },
        .separation = m->separation,
        .child = entry->child,
        .point_count = (uint16_t)m->point_count,
        .flags = m->separation <= names->margin ? 0 : ABUT_CONTACT_SPECULATIVE,
    };
}

// Writes contacts, points and impulses in sorted order; room must be there.
static void write_contacts(ab_results *now, const ab_results *before, const ab_manifolds *manifolds,
                           const ab_sort_entry *entries, const ab_merge *merge, const ab_contact_names *names)
{
    const uint32_t count = manifolds->count;
    uint32_t points = 0;
    now->speculative = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t ahead = i + AHEAD < count ? i + AHEAD : count - 1;
        const uint32_t nearer = i + AHEAD / 2 < count ? i + AHEAD / 2 : count - 1;
        AB_PREFETCH(&manifolds->data[entries[ahead].index]);
        AB_PREFETCH(&manifolds->points[manifolds->data[entries[nearer].index].first_point]);

        const ab_manifold *m = &manifolds->data[entries[i].index];
        abut_contact contact = describe(m, &entries[i], names);
        contact.first_point = points;
        contact.previous = merge->previous[i];
        now->contacts[i] = contact;
        now->keys[i] = entries[i].key;
        now->speculative += contact.flags & ABUT_CONTACT_SPECULATIVE;
        memcpy(&now->points[points], &manifolds->points[m->first_point], m->point_count * sizeof *now->points);
        carry_impulses(&now->impulses[points], &now->points[points], m->point_count, before,
                       contact.previous == ABUT_NONE ? NULL : &before->contacts[contact.previous]);
        points += m->point_count;
    }
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

static bool make_room(ab_results *now, ab_memory *memory, const ab_manifolds *manifolds, const ab_merge *merge)
{
    return ab_array_resize(now->contacts, memory, manifolds->count) &&
           ab_array_resize(now->keys, memory, manifolds->count) &&
           ab_array_resize(now->points, memory, manifolds->point_count) &&
           ab_array_resize(now->impulses, memory, manifolds->point_count) &&
           ab_array_resize(now->events[ABUT_BEGIN], memory, merge->begun_count) &&
           ab_array_resize(now->events[ABUT_END], memory, merge->ended_count);
}

abut_status ab_contact_store_update(ab_contact_store *store, ab_memory *memory, ab_arena *arena,
                                    const ab_manifolds *manifolds, const ab_contact_names *names)
{
    const ab_results *before = &store->results[store->published];
    ab_results *now = &store->results[1 - store->published];
    const size_t count = manifolds->count, old_count = arrlenu(before->contacts);

    ab_sort_entry *entries = ab_arena_take(arena, (count + 1) * sizeof *entries);
    ab_sort_entry *scratch = ab_arena_take(arena, (count + 1) * sizeof *scratch);
    ab_merge merge = {
        .previous = ab_arena_take(arena, (count + 1) * sizeof *merge.previous),
        .begun = ab_arena_take(arena, (count + 1) * sizeof *merge.begun),
        .ended = ab_arena_take(arena, (old_count + 1) * sizeof *merge.ended),
    };
    if (!entries || !scratch || !merge.previous || !merge.begun || !merge.ended)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    make_entries(entries, manifolds, names);
    entries = ab_radix_sort(entries, scratch, count);
    ab_merge_contacts(&merge, before, entries, manifolds->count, manifolds->data, names->margin);
    if (!make_room(now, memory, manifolds, &merge))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    write_contacts(now, before, manifolds, entries, &merge, names);
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
