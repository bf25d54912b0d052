// Reserves, trims, closes and checks the contact store with all its parts, and lists of contacts.
#include "contact/contact_store.h"

#include "base/array.h"
#include "base/assert.h"

uint32_t ab_key_position(const uint64_t *keys, uint32_t count, uint32_t from, uint64_t key)
{
    uint32_t low = from, high = from;
    for (uint32_t step = 1; high < count && keys[high] < key; step *= 2)
    {
        low = high + 1;
        high += step;
    }
    high = high < count ? high : count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool below = keys[middle] < key;
        low = below ? middle + 1 : low;
        high = below ? high : middle;
    }
    return low;
}

uint32_t ab_contact_list_count(const ab_contact_list *list)
{
    return (uint32_t)arrlenu(list->keys);
}

bool ab_contact_list_reserve(ab_contact_list *list, ab_memory *memory, size_t contacts)
{
    return ab_array_reserve(list->keys, memory, contacts) && ab_array_reserve(list->slots, memory, contacts);
}

bool ab_contact_list_resize(ab_contact_list *list, ab_memory *memory, size_t contacts)
{
    return ab_array_resize(list->keys, memory, contacts) && ab_array_resize(list->slots, memory, contacts);
}

void ab_contact_list_set_length(const ab_contact_list *list, size_t contacts)
{
    ab_array_set_length(list->keys, contacts);
    ab_array_set_length(list->slots, contacts);
}

void ab_contact_list_trim(ab_contact_list *list, ab_memory *memory, size_t contacts)
{
    ab_array_trim(list->keys, memory, contacts);
    ab_array_trim(list->slots, memory, contacts);
}

void ab_contact_list_close(ab_contact_list *list)
{
    arrfree(list->keys);
    arrfree(list->slots);
}

bool ab_contact_store_reserve(ab_contact_store *store, ab_memory *memory, uint32_t contacts)
{
    store->reserved = contacts > store->reserved ? contacts : store->reserved;
    return ab_contact_pool_reserve(&store->pool, memory, contacts) &&
           ab_contact_list_reserve(&store->lists[0], memory, contacts) &&
           ab_contact_list_reserve(&store->lists[1], memory, contacts);
}

void ab_contact_store_trim(ab_contact_store *store, ab_memory *memory, bool all)
{
    ab_contact_list_trim(ab_contact_store_next(store), memory, store->reserved);
    ab_pair_cache_trim(&store->vetoes, memory);
    if (all)
    {
        ab_contact_pool_trim(&store->pool, memory, store->reserved);
        ab_contact_pool_trim(&store->spare, memory, 0);
        ab_array_trim(store->fresh, memory, 0);
        ab_array_trim(store->events[ABUT_BEGIN], memory, 0);
        ab_array_trim(store->events[ABUT_END], memory, 0);
        ab_body_index_trim(&store->index[ABUT_AWAKE], memory);
        ab_body_index_trim(&store->index[ABUT_ASLEEP], memory);
    }
}

void ab_contact_store_close(ab_contact_store *store)
{
    ab_contact_pool_close(&store->pool);
    ab_contact_pool_close(&store->spare);
    ab_contact_list_close(&store->lists[0]);
    ab_contact_list_close(&store->lists[1]);
    arrfree(store->fresh);
    arrfree(store->events[ABUT_BEGIN]);
    arrfree(store->events[ABUT_END]);
    ab_asleep_contacts_close(&store->asleep);
    ab_pair_cache_close(&store->vetoes);
    ab_body_index_close(&store->index[ABUT_AWAKE]);
    ab_body_index_close(&store->index[ABUT_ASLEEP]);
}

static void check_listed(const ab_contact_store *store, const ab_contact_list *list)
{
    uint64_t speculative = 0, points = 0;
    for (uint32_t i = 0; i < ab_contact_list_count(list); ++i)
    {
        const uint32_t slot = list->slots[i];
        AB_ASSERT(slot < ab_contact_pool_slots(&store->pool), slot);
        const abut_contact *contact = &store->pool.contacts[slot];
        AB_ASSERT(contact->a.slot < contact->b.slot, contact->a.slot);
        AB_ASSERT(store->several || (list->keys[i] & 0xffffu) == 0, i);
        AB_ASSERT(list->keys[i] >> 40 == contact->a.slot && (list->keys[i] >> 16 & 0xffffffu) == contact->b.slot, i);
        AB_ASSERT(contact->point_count >= 1 && contact->point_count <= AB_MAX_POINTS, contact->point_count);
        for (uint32_t k = contact->point_count; k < AB_MAX_POINTS; ++k)
        {
            AB_ASSERT(contact->points[k].feature == AB_NO_FEATURE, slot);
        }
        AB_ASSERT(store->pool.axes[slot] == ab_axis_of(ab_features_of(contact->points, contact->point_count)), i);
        AB_ASSERT(
            i == 0 || list->keys[i - 1] < list->keys[i] ||
                (list->keys[i - 1] == list->keys[i] && store->pool.contacts[list->slots[i - 1]].child < contact->child),
            i);
        points += contact->point_count;
        speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
    }
    AB_ASSERT(points == store->points, points);
    AB_ASSERT(speculative == store->speculative, speculative);
}

void ab_contact_store_check(const ab_contact_store *store)
{
    const ab_contact_list *list = &store->lists[store->published];
    size_t listed = 0;
    ab_contact_pool_check(&store->pool);
    check_listed(store, list);
    ab_asleep_contacts_check(&store->asleep);
    ab_pair_cache_check(&store->vetoes);
    for (uint32_t slot = 0; slot < ab_contact_pool_slots(&store->pool); ++slot)
    {
        listed += store->pool.contacts[slot].point_count > 0;
    }
    AB_ASSERT(listed == (size_t)ab_contact_list_count(list) + store->asleep.lists.live, listed);
}
