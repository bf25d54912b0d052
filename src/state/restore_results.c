// Replaces the results of a world by those of an image, in room that was reserved: contacts, the caches of pairs,
// events and impacts.
#include "base/array.h"
#include "contact/sensors.h"
#include "narrow/store/packed_manifold.h"
#include "pairs/pair_index.h"
#include "state/state.h"

#include <string.h>

// What was read into the spare pool and the unpublished list becomes the world's.
static void take_contacts(ab_contact_store *store, const ab_read_results *read)
{
    const ab_contact_pool pool = store->pool;
    const ab_contact_list list = store->lists[store->published], asleep = *read->asleep;
    store->pool = store->spare;
    store->spare = pool;
    store->lists[store->published] = store->lists[1 - store->published];
    store->lists[1 - store->published] = list;
    ++store->listings;
    store->points = read->points;
    store->speculative = read->speculative;
    store->fresh_unknown = true;
    store->children = store->children || read->children;
    store->several = store->several || read->several;
    ab_asleep_contacts_clear(&store->asleep);
    for (uint32_t i = 0; i < ab_contact_list_count(&asleep); ++i)
    {
        ab_asleep_contacts_put(&store->asleep, &store->pool, asleep.keys[i], asleep.slots[i]);
    }
}

static void take_pairs(ab_pair_cache *cache, const ab_image *image, const ab_image_scratch *scratch, ab_section_id id,
                       bool sensors)
{
    ab_pair_cache_clear(cache);
    for (uint32_t asleep = 0; asleep < 2; ++asleep)
    {
        const ab_section section = image->section[id + asleep];
        const ab_saved_pair *saved = section.data;
        for (uint64_t i = 0; i < section.count; ++i)
        {
            const ab_contact_name a = scratch->names[saved[i].collider_a], b = scratch->names[saved[i].collider_b];
            const uint32_t key_a = scratch->keys[saved[i].collider_a], key_b = scratch->keys[saved[i].collider_b];
            const ab_cached_pair pair = {
                a.body, b.body, a.collider, b.collider, saved[i].filter_a, saved[i].filter_b
            };
            ab_pair_cache_put(cache, sensors ? ab_sensor_key(key_a, key_b) : ab_pair_key(key_a, key_b), &pair,
                              asleep != 0);
        }
    }
}

static void take_events(abut_event *events, ab_section section)
{
    const ab_saved_event *saved = section.data;
    ab_array_set_length(events, (size_t)section.count);
    for (uint64_t i = 0; i < section.count; ++i)
    {
        const ab_saved_event *e = &saved[i];
        events[i] = (abut_event){ e->a,           e->b,           e->collider_a,      e->collider_b,
                                  e->user_data_a, e->user_data_b, e->collider_data_a, e->collider_data_b,
                                  e->contact,     e->flags };
    }
}

static void take_impacts(abut_body_impact *impacts, ab_section section)
{
    const ab_saved_impact *saved = section.data;
    ab_array_set_length(impacts, (size_t)section.count);
    for (uint64_t i = 0; i < section.count; ++i)
    {
        memcpy(&impacts[i], &saved[i], sizeof impacts[i]);
        impacts[i].impact.hit = saved[i].hit != 0;
    }
}

void ab_restore_results(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                        const ab_read_results *read)
{
    ab_contact_store *store = &world->state.store;
    abut_event *const *sensor_events = world->state.sensors.events[world->state.sensors.overlaps.published];
    take_contacts(store, read);
    take_pairs(&store->vetoes, image, scratch, AB_SECTION_VETOES, false);
    take_pairs(&world->state.sensors.overlaps, image, scratch, AB_SECTION_OVERLAPS, true);
    take_events(store->events[ABUT_BEGIN], image->section[AB_SECTION_BEGUN]);
    take_events(store->events[ABUT_END], image->section[AB_SECTION_ENDED]);
    take_events(sensor_events[0], image->section[AB_SECTION_SENSOR_BEGUN]);
    take_events(sensor_events[1], image->section[AB_SECTION_SENSOR_ENDED]);
    take_impacts(world->state.impacts[store->published], image->section[AB_SECTION_IMPACTS]);
    take_impacts(world->state.sensor_impacts[store->published], image->section[AB_SECTION_SENSOR_IMPACTS]);
    store->index[ABUT_AWAKE].made = store->index[ABUT_ASLEEP].made = false;
    store->static_revision =
        world->cache.proxies.region[AB_STATIC_SET].revision - 1u; // the next detect must examine all
}
