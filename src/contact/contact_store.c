// Reserves, closes and checks the contact store with all its parts.
#include "contact/contact_store.h"

#include "base/array.h"

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
