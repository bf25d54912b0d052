// Room in a world for all that an image has, reserved before anything changes.
// Proxies that stay in their set keep their index, so the broad phase's order survives.
#include "base/array.h"
#include "state/restore.h"

#include <string.h>

// Whether two descriptions differ in what the broad phase keeps of a static proxy: its kind, motion, flags and filter.
static bool is_described_alike(const abut_world *world, const ab_image *image, uint32_t slot)
{
    const ab_saved_collider *saved = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    const uint32_t key = saved->collider_key;
    const uint32_t state = AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot] & ~(AB_SAVED_LIVE | AB_SAVED_STATIC);
    const ab_saved_body *body = &AB_SAVED(image, BODIES, ab_saved_body)[key >> 8];
    return world->state.colliders.collider_key[slot] == key && world->state.colliders.state[slot] == state &&
           world->state.bodies.state[key >> 8] == (body->state & ~(uint32_t)AB_SAVED_LIVE) &&
           (uint32_t)world->state.colliders.shape[slot].kind == saved->shape.kind &&
           ab_bytes_equal(&world->state.colliders.filter[slot], &saved->filter, sizeof saved->filter);
}

// Whether a collider's proxy stays where it is: in the same set, and in the static one unchanged, because the broad
// phase looks only at what was added there.
static bool stays(const abut_world *world, const ab_image *image, uint32_t slot, ab_set wanted,
                  const ab_saved_static *saved)
{
    const uint32_t proxy =
        slot < arrlenu(world->cache.proxies.proxy_of) ? world->cache.proxies.proxy_of[slot] : ABUT_NONE;
    if (proxy == ABUT_NONE || ab_proxies_set_of(&world->cache.proxies, proxy) != wanted)
    {
        return false;
    }
    if (wanted == AB_STATIC_SET && saved)
    {
        const ab_static_proxy saved_static = ab_static_proxy_of(saved);
        ab_static_proxy present;
        ab_proxies_get_static(&world->cache.proxies, proxy, &present);
        return is_described_alike(world, image, slot) && ab_bytes_equal(&saved_static, &present, sizeof saved_static);
    }
    return true;
}

// ab_array_reserve as a function, for a growable array at `place`.
static bool reserve_array(void *place, ab_memory *memory, size_t element, size_t count)
{
    void *array;
    memcpy(&array, place, sizeof array);
    if (arrcap(array) >= count)
    {
        return true;
    }
    if (!ab_array_grow(memory, array, element, count))
    {
        return false;
    }
    memcpy(place, &memory->grown, sizeof memory->grown);
    return true;
}

#define RESERVE(array, count)     reserve_array(&(array), memory, sizeof *(array), (count))
#define RESERVE_BODY_(column)     RESERVE(world->state.bodies.column, bodies) &&
#define RESERVE_COLLIDER_(column) RESERVE(world->state.colliders.column, colliders) &&

static bool reserve_slots(abut_world *world, size_t bodies, size_t colliders, bool placed)
{
    ab_memory *memory = &world->memory;
    return AB_BODY_COLUMNS(RESERVE_BODY_) RESERVE(world->state.bodies.free, bodies) &&
           RESERVE(world->state.bodies.retired, bodies) &&
           AB_COLLIDER_COLUMNS(RESERVE_COLLIDER_) RESERVE(world->state.colliders.free, colliders) &&
           RESERVE(world->state.colliders.retired, colliders) &&
           ((!placed && !world->state.colliders.local) || ab_locals_reserve(world, colliders));
}

static bool reserve_proxies(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    const uint32_t colliders = AB_SAVED_COUNT(image, COLLIDERS);
    const ab_saved_static *saved_static = AB_SAVED(image, STATIC, ab_saved_static);
    uint32_t more[AB_SET_COUNT + 1] = { 0 }, next = 0;
    bool reaches = false;
    for (uint32_t slot = 0; slot < colliders; ++slot)
    {
        const ab_set wanted = ab_saved_set(image, scratch, slot);
        const bool kept = ab_mark_is_kept(scratch->collider[slot]) ||
                          stays(world, image, slot, wanted, saved_static ? &saved_static[next] : NULL);
        scratch->collider[slot] |= kept ? AB_SLOT_STAYS : 0;
        more[wanted] += !kept;
        next += wanted != AB_SET_COUNT && ab_saved_is_static(image, scratch, slot);
    }
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, STATIC); ++i)
    {
        reaches = reaches || saved_static[i].reach != 0.0f;
    }
    ab_proxies *proxies = &world->cache.proxies;
    ab_memory *memory = &world->memory;
    return ab_proxies_reserve(proxies, memory, AB_ACTIVE, more[AB_ACTIVE],
                              (uint32_t)arrcap(world->state.colliders.shape)) &&
           ab_proxies_reserve(proxies, memory, AB_STATIC_SET, more[AB_STATIC_SET],
                              (uint32_t)arrcap(world->state.colliders.shape)) &&
           (!reaches || ab_proxies_need_reach(proxies, memory)) &&
           RESERVE(world->state.woken, AB_SAVED_COUNT(image, WOKEN) + (size_t)scratch->static_count) &&
           RESERVE(world->state.dirty, AB_SAVED_COUNT(image, DIRTY)) &&
           RESERVE(world->state.was_dirty, AB_SAVED_COUNT(image, WAS_DIRTY));
}

static bool reserve_events(abut_world *world, const ab_image *image)
{
    ab_contact_store *store = &world->state.store;
    ab_memory *memory = &world->memory;
    abut_event **sensor_events = world->state.sensors.events[world->state.sensors.overlaps.published];
    return RESERVE(store->events[ABUT_BEGIN], AB_SAVED_COUNT(image, BEGUN)) &&
           RESERVE(store->events[ABUT_END], AB_SAVED_COUNT(image, ENDED)) &&
           RESERVE(sensor_events[0], AB_SAVED_COUNT(image, SENSOR_BEGUN)) &&
           RESERVE(sensor_events[1], AB_SAVED_COUNT(image, SENSOR_ENDED)) &&
           RESERVE(world->state.impacts[store->published], AB_SAVED_COUNT(image, IMPACTS)) &&
           ab_array_reserve(world->state.sensor_impacts[store->published], memory,
                            AB_SAVED_COUNT(image, SENSOR_IMPACTS));
}

static bool reserve_results(abut_world *world, const ab_image *image)
{
    ab_contact_store *store = &world->state.store;
    ab_memory *memory = &world->memory;
    const uint32_t contacts = AB_SAVED_COUNT(image, CONTACTS), bodies = AB_SAVED_COUNT(image, BODIES);
    const uint32_t asleep = AB_SAVED_COUNT(image, ASLEEP_CONTACTS), live = store->asleep.lists.live;
    return RESERVE(world->state.anchors, AB_SAVED_COUNT(image, ANCHORS)) &&
           (!world->state.at_anchors || RESERVE(world->cache.anchoring.told, AB_SAVED_COUNT(image, ANCHORS))) &&
           ab_contact_list_reserve(ab_contact_store_next(store), memory, contacts) &&
           ab_contact_pool_reserve(&store->spare, memory, AB_SAVED_COUNT(image, CONTACT_SLOTS)) &&
           ab_contact_list_reserve(&store->asleep.sorted, memory, asleep) &&
           RESERVE(store->spare.retired, AB_SAVED_COUNT(image, SLOTS_RETIRED)) &&
           ab_asleep_contacts_reserve(&store->asleep, memory, asleep > live ? asleep - live : 0, bodies) &&
           ab_pair_cache_reserve_all(&store->vetoes, memory, AB_SAVED_COUNT(image, VETOES),
                                     AB_SAVED_COUNT(image, ASLEEP_VETOES), bodies) &&
           ab_pair_cache_reserve_all(&world->state.sensors.overlaps, memory, AB_SAVED_COUNT(image, OVERLAPS),
                                     AB_SAVED_COUNT(image, ASLEEP_OVERLAPS), bodies) &&
           ab_exclusions_reserve_all(&world->state.rules.exclusions, memory, AB_SAVED_COUNT(image, EXCLUSIONS),
                                     bodies) &&
           reserve_events(world, image);
}

bool ab_restore_reserve(abut_world *world, const ab_image *image, const ab_image_scratch *scratch, bool kept)
{
    return (kept || (reserve_slots(world, AB_SAVED_COUNT(image, BODIES), AB_SAVED_COUNT(image, COLLIDERS),
                                   AB_SAVED_COUNT(image, LOCALS) > 0) &&
                     reserve_proxies(world, image, scratch))) &&
           reserve_results(world, image);
}
