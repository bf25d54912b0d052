// Replaces the results of a world by those of an image, in room that was reserved: contacts, anchors, the caches of
// pairs, events and impacts.
#include "base/array.h"
#include "contact/sensors.h"
#include "narrow/store/packed_manifold.h"
#include "pairs/pair_index.h"
#include "state/state.h"

#include <string.h>

// What was read into the unpublished results becomes the published ones.
static void exchange_results(ab_contact_store *store)
{
    ab_results *now = ab_contact_store_now(store), *next = ab_contact_store_next(store);
    const ab_results old = *now;
    *now = *next;
    *next = old;
}

// Anchors take slots in the order of their contacts.
static void take_anchors(abut_world *world, const ab_image *image)
{
    ab_contact_store *store = &world->state.store;
    ab_results *results = ab_contact_store_now(store);
    const ab_saved_contact *saved = AB_SAVED(image, CONTACTS, ab_saved_contact);
    const uint32_t anchors = AB_SAVED_COUNT(image, ANCHORS), count = AB_SAVED_COUNT(image, CONTACTS);
    if (!store->recycles)
    {
        return;
    }
    ab_anchors_reset(&store->anchors, anchors);
    if (anchors > 0)
    {
        memcpy(store->anchors.data, image->section[AB_SECTION_ANCHORS].data, anchors * sizeof *store->anchors.data);
    }
    ab_array_set_length(results->anchored, count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool has = (saved[i].packed >> 8 & 1u) != 0;
        results->anchored[i] = (ab_contact_anchor){ has ? next : ABUT_NONE, saved[i].collider_a, saved[i].collider_b };
        next += has;
    }
}

static void take_asleep_contacts(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    ab_asleep_contacts *asleep = &world->state.store.asleep;
    const ab_saved_contact *saved = AB_SAVED(image, ASLEEP_CONTACTS, ab_saved_contact);
    const abut_point *points = AB_SAVED(image, ASLEEP_POINTS, abut_point);
    const abut_impulse *impulses = AB_SAVED(image, ASLEEP_IMPULSES, abut_impulse);
    ab_asleep_contacts_clear(asleep);
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, ASLEEP_CONTACTS); ++i)
    {
        const uint32_t own = saved[i].packed & 0xffu;
        uint32_t first = 0;
        uint64_t key = ab_pair_key(scratch->keys[saved[i].collider_a], scratch->keys[saved[i].collider_b]);
        abut_contact contact = ab_saved_contact_of(scratch, &saved[i], i);
        world->state.store.children = world->state.store.children || saved[i].child != 0;
        abut_point point[AB_MAX_POINTS] = { 0 };
        abut_impulse impulse[AB_MAX_POINTS] = { 0 };
        memcpy(point, points, own * sizeof *points);
        memcpy(impulse, impulses, own * sizeof *impulses);
        points += own;
        impulses += own;
        const ab_results one = {
            .contacts = &contact, .keys = &key, .first_points = &first, .points = point, .impulses = impulse
        };
        ab_asleep_contacts_put(asleep, &one, 0);
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
                                  e->flags };
    }
}

static void take_impacts(abut_body_impact *impacts, ab_section section)
{
    const ab_saved_impact *saved = section.data;
    ab_array_set_length(impacts, (size_t)section.count);
    for (uint64_t i = 0; i < section.count; ++i)
    {
        const ab_saved_impact *it = &saved[i];
        impacts[i] = (abut_body_impact){
            .body = it->body,
            .other = it->other,
            .collider = it->collider,
            .other_collider = it->other_collider,
            .impact = { .hit = it->hit != 0,
                        .time = it->time,
                        .normal = abut_vec3_make(it->normal[0], it->normal[1], it->normal[2]),
                        .offset = abut_vec3_make(it->offset[0], it->offset[1], it->offset[2]),
                        .distance = it->distance,
                        .flags = it->flags },
        };
    }
}

void ab_restore_results(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    ab_contact_store *store = &world->state.store;
    exchange_results(store);
    abut_event *const *sensor_events = world->state.sensors.events[world->state.sensors.overlaps.published];
    take_anchors(world, image);
    take_asleep_contacts(world, image, scratch);
    take_pairs(&store->vetoes, image, scratch, AB_SECTION_VETOES, false);
    take_pairs(&world->state.sensors.overlaps, image, scratch, AB_SECTION_OVERLAPS, true);
    take_events(sensor_events[0], image->section[AB_SECTION_SENSOR_BEGUN]);
    take_events(sensor_events[1], image->section[AB_SECTION_SENSOR_ENDED]);
    take_impacts(world->state.impacts[store->published], image->section[AB_SECTION_IMPACTS]);
    take_impacts(world->state.sensor_impacts[store->published], image->section[AB_SECTION_SENSOR_IMPACTS]);
    store->index[ABUT_AWAKE].made = store->index[ABUT_ASLEEP].made = false;
    store->static_revision =
        world->cache.proxies.region[AB_STATIC_SET].revision - 1u; // the next detect must examine all
}
