// Reserves, closes and checks the contact store with all its parts, and each set of results with its arrays.
#include "contact/contact_store.h"

#include "base/array.h"
#include "base/assert.h"
#include "narrow/narrow.h"

bool ab_results_have_room(const ab_results *results, size_t contacts, size_t points)
{
    const bool whole = (arrcap(results->contacts) >= contacts) & (arrcap(results->keys) >= contacts) &
                       (arrcap(results->first_points) >= contacts + 1) & (arrcap(results->features) >= contacts);
    return whole & (arrcap(results->points) >= points + AB_MAX_POINTS) &
           (arrcap(results->impulses) >= points + AB_MAX_POINTS);
}

bool ab_results_reserve(ab_results *results, ab_memory *memory, size_t contacts, size_t points)
{
    return ab_array_reserve(results->contacts, memory, contacts) && ab_array_reserve(results->keys, memory, contacts) &&
           ab_array_reserve(results->first_points, memory, contacts + 1) &&
           ab_array_reserve(results->features, memory, contacts) &&
           ab_array_reserve(results->points, memory, points + AB_MAX_POINTS) &&
           ab_array_reserve(results->impulses, memory, points + AB_MAX_POINTS);
}

bool ab_results_resize(ab_results *results, ab_memory *memory, size_t contacts, size_t points)
{
    if (!ab_array_resize(results->contacts, memory, contacts) || !ab_array_resize(results->keys, memory, contacts) ||
        !ab_array_resize(results->first_points, memory, contacts + 1) ||
        !ab_array_resize(results->features, memory, contacts) ||
        !ab_array_resize(results->points, memory, points + AB_MAX_POINTS) ||
        !ab_array_resize(results->impulses, memory, points + AB_MAX_POINTS))
    {
        return false;
    }
    ab_array_set_length(results->points, points);
    ab_array_set_length(results->impulses, points);
    return true;
}

void ab_results_close(ab_results *results)
{
    arrfree(results->contacts);
    arrfree(results->keys);
    arrfree(results->first_points);
    arrfree(results->features);
    arrfree(results->points);
    arrfree(results->impulses);
    arrfree(results->anchored);
    arrfree(results->events[ABUT_BEGIN]);
    arrfree(results->events[ABUT_END]);
}

void ab_results_trim(ab_results *results, ab_memory *memory, size_t contacts)
{
    ab_array_trim(results->contacts, memory, contacts);
    ab_array_trim(results->keys, memory, contacts);
    ab_array_trim(results->first_points, memory, contacts + 1);
    ab_array_trim(results->features, memory, contacts);
    ab_array_trim(results->points, memory, AB_MAX_POINTS * (contacts + 1));
    ab_array_trim(results->impulses, memory, AB_MAX_POINTS * (contacts + 1));
    ab_array_trim(results->anchored, memory, contacts);
    ab_array_trim(results->events[ABUT_BEGIN], memory, 0);
    ab_array_trim(results->events[ABUT_END], memory, 0);
}

void ab_results_check(const ab_results *results)
{
    uint32_t points = 0, speculative = 0;
    for (uint32_t i = 0; i < arrlenu(results->contacts); ++i)
    {
        const abut_contact *contact = &results->contacts[i];
        AB_ASSERT(contact->a.slot < contact->b.slot, contact->a.slot);
        AB_ASSERT(contact->first_point == points && results->first_points[i] == points, contact->first_point);
        AB_ASSERT(contact->point_count >= 1 && contact->point_count <= AB_MAX_POINTS, contact->point_count);
        AB_ASSERT(results->features[i] == ab_features_of(&results->points[points], contact->point_count), i);
        AB_ASSERT(i == 0 || results->keys[i - 1] < results->keys[i] ||
                      (results->keys[i - 1] == results->keys[i] && contact[-1].child < contact->child),
                  i);
        points += contact->point_count;
        speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
    }
    AB_ASSERT(points == arrlenu(results->points) && points == arrlenu(results->impulses), points);
    AB_ASSERT(speculative == results->speculative, speculative);
}

bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts)
{
    const size_t points = (size_t)AB_MAX_POINTS * contacts;
    store->reserved = contacts > store->reserved ? contacts : store->reserved;
    return ab_results_reserve(&store->results[0], memory, contacts, points) &&
           ab_results_reserve(&store->results[1], memory, contacts, points) &&
           (!store->recycles || (ab_array_reserve(store->results[0].anchored, memory, contacts) &&
                                 ab_array_reserve(store->results[1].anchored, memory, contacts) &&
                                 ab_anchors_make_room(&store->anchors, memory, (size_t)2 * contacts)));
}

void ab_contact_store_trim(ab_contact_store *store, ab_memory *memory, bool all)
{
    ab_results_trim(&store->results[1 - store->published], memory, store->reserved);
    ab_pair_cache_trim(&store->vetoes, memory);
    if (all)
    {
        ab_anchors_trim(&store->anchors, memory, ab_contact_store_now(store), (size_t)2 * store->reserved);
        ab_body_index_trim(&store->index[ABUT_AWAKE], memory);
        ab_body_index_trim(&store->index[ABUT_ASLEEP], memory);
    }
}

void ab_contact_store_close(ab_contact_store *store)
{
    ab_results_close(&store->results[0]);
    ab_results_close(&store->results[1]);
    ab_asleep_contacts_close(&store->asleep);
    ab_anchors_close(&store->anchors);
    ab_pair_cache_close(&store->vetoes);
    ab_body_index_close(&store->index[ABUT_AWAKE]);
    ab_body_index_close(&store->index[ABUT_ASLEEP]);
}

void ab_contact_store_check(const ab_contact_store *store)
{
    ab_results_check(&store->results[store->published]);
    ab_asleep_contacts_check(&store->asleep);
    ab_anchors_check(&store->anchors, &store->results[store->published]);
    ab_pair_cache_check(&store->vetoes);
}
