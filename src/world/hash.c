// Hashes the world's state: FNV-1a (Fowler, Noll, Vo) over 32-bit words instead of bytes.
#include "base/array.h"
#include "shape/shape_table.h"
#include "shape/shared.h"
#include "world/world.h"

#include <abut/state.h>

#include <string.h>

#define OFFSET_BASIS 0xcbf29ce484222325u
#define PRIME        0x100000001b3u

static uint64_t feed(uint64_t hash, uint32_t word)
{
    return (hash ^ word) * PRIME;
}

static uint64_t feed_wide(uint64_t hash, uint64_t word)
{
    return feed(feed(hash, (uint32_t)word), (uint32_t)(word >> 32));
}

// -0 and 0 hash alike. Compares bits, because the caller's floating-point environment may flush denormals to zero.
static uint64_t feed_float(uint64_t hash, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return feed(hash, word == 0x80000000u ? 0 : word);
}

static uint64_t feed_vec3(uint64_t hash, abut_vec3 v)
{
    return feed_float(feed_float(feed_float(hash, v.x), v.y), v.z);
}

static AB_APART uint64_t feed_pose(uint64_t hash, const abut_pose *pose)
{
    hash = feed_vec3(hash, pose->position);
    hash = feed_float(feed_float(hash, pose->rotation.x), pose->rotation.y);
    return feed_float(feed_float(hash, pose->rotation.z), pose->rotation.w);
}

static AB_APART uint64_t feed_bodies(uint64_t hash, const ab_bodies *bodies)
{
    for (uint32_t slot = 0; slot < arrlenu(bodies->generation); ++slot)
    {
        if (bodies->generation[slot] != 0)
        {
            hash = feed_pose(feed(hash, slot), &bodies->pose[slot]);
            hash = feed_vec3(feed_vec3(hash, bodies->velocity[slot].linear), bodies->velocity[slot].angular);
        }
    }
    return hash;
}

static uint64_t feed_points(uint64_t hash, const abut_contact *contact, const abut_impulse *impulses)
{
    for (uint32_t i = 0; i < contact->point_count; ++i)
    {
        const abut_point *point = &contact->points[i];
        hash = feed_float(feed_vec3(hash, point->offset), point->separation);
        hash = feed_float(feed(hash, point->feature), impulses[i].normal);
        hash = feed_float(feed_float(feed_float(hash, impulses[i].tangent[0]), impulses[i].tangent[1]),
                          impulses[i].torsion);
    }
    return hash;
}

// Without their ids, which follow from earlier detects.
static AB_APART uint64_t feed_contacts(uint64_t hash, const ab_contact_store *store, const ab_contact_list *list)
{
    hash = feed_wide(hash, ab_contact_list_count(list));
    for (uint32_t i = 0; i < ab_contact_list_count(list); ++i)
    {
        const uint32_t slot = list->slots[i];
        const abut_contact *contact = &store->pool.contacts[slot];
        hash = feed(feed_wide(hash, list->keys[i]), contact->child);
        hash = feed_float(feed_vec3(hash, contact->normal), contact->separation);
        hash = feed(feed(hash, contact->point_count), contact->flags);
        hash = feed_points(hash, contact, &store->pool.impulses[(size_t)slot * AB_MAX_POINTS]);
    }
    return hash;
}

static AB_APART uint64_t feed_all_contacts(uint64_t hash, ab_contact_store *store)
{
    hash = feed_contacts(hash, store, ab_contact_store_now(store));
    return feed_contacts(hash, store, ab_asleep_contacts_sorted(&store->asleep));
}

// Anchors decide how long manifolds stand.
static AB_APART uint64_t feed_anchors(uint64_t hash, const abut_world *world)
{
    const ab_bodies *bodies = &world->state.bodies;
    for (uint32_t slot = 0; slot < arrlenu(world->state.anchors); ++slot)
    {
        if (bodies->generation[slot] != 0 && (bodies->state[slot] & AB_STATE_UNANCHORED) == 0)
        {
            hash = feed_pose(feed(hash, slot), &world->state.anchors[slot]);
        }
    }
    return world->state.unanchored ? feed(hash, UINT32_MAX) : hash;
}

static uint64_t feed_slots_of(uint64_t hash, const ab_contact_list *list)
{
    for (uint32_t i = 0; i < ab_contact_list_count(list); ++i)
    {
        hash = feed(hash, list->slots[i]);
    }
    return hash;
}

// Which slots contacts have and later ones get, and their generations.
static AB_APART uint64_t feed_slots(uint64_t hash, ab_contact_store *store)
{
    const ab_contact_pool *pool = &store->pool;
    hash = feed_slots_of(hash, ab_contact_store_now(store));
    hash = feed_slots_of(hash, ab_asleep_contacts_sorted(&store->asleep));
    hash = feed(feed(hash, ab_contact_pool_slots(pool)), pool->dropped);
    for (uint32_t slot = 0; slot < ab_contact_pool_slots(pool); ++slot)
    {
        hash = feed(feed(hash, pool->contacts[slot].id.generation), pool->contacts[slot].point_count);
    }
    for (size_t i = 0; i < arrlenu(pool->retired); ++i)
    {
        hash = feed(hash, pool->retired[i]);
    }
    return hash;
}

static AB_APART uint64_t feed_events(uint64_t hash, const abut_event *events)
{
    hash = feed_wide(hash, arrlenu(events));
    for (uint32_t i = 0; i < arrlenu(events); ++i)
    {
        const abut_event *event = &events[i];
        hash = feed(feed(hash, event->a.slot), event->b.slot);
        hash = feed(feed(hash, event->collider_a.slot), event->collider_b.slot);
        hash = feed(hash, event->flags);
    }
    return hash;
}

static AB_APART uint64_t feed_impacts(uint64_t hash, abut_impacts impacts)
{
    for (uint32_t i = 0; i < impacts.count; ++i)
    {
        const abut_body_impact *it = &impacts.data[i];
        hash = feed(feed(hash, it->body.slot), it->other.slot);
        hash = feed(feed(hash, it->collider.slot), it->other_collider.slot);
        hash = feed_float(feed_float(hash, it->impact.time), it->impact.distance);
        hash = feed(feed_vec3(feed_vec3(hash, it->impact.normal), it->impact.offset), it->impact.flags);
        hash = feed(hash, it->child);
    }
    return hash;
}

static uint64_t feed_keys(uint64_t hash, const ab_cached_pairs *list)
{
    hash = feed_wide(hash, arrlenu(list->keys));
    for (uint32_t i = 0; i < arrlenu(list->keys); ++i)
    {
        hash = feed_wide(hash, list->keys[i]);
    }
    return hash;
}

static AB_APART uint64_t feed_pair_cache(uint64_t hash, ab_pair_cache *kept)
{
    return feed_keys(feed_keys(hash, ab_pair_cache_found(kept)), ab_pair_cache_asleep(kept));
}

// Exclusions are unordered: their hashes are summed.
static AB_APART uint64_t feed_exclusions(uint64_t hash, const ab_exclusions *exclusions)
{
    uint64_t sum = 0;
    for (uint32_t slot = 0; slot < arrlenu(exclusions->lists.keys); ++slot)
    {
        const uint64_t key = exclusions->lists.keys[slot];
        sum += key != AB_NO_KEY ? feed(feed_wide(OFFSET_BASIS, key), exclusions->times[slot]) : 0;
    }
    return feed_wide(hash, sum);
}

static AB_APART uint64_t feed_results(uint64_t hash, abut_world *world)
{
    hash = feed_events(hash, world->state.store.events[ABUT_BEGIN]);
    hash = feed_events(hash, world->state.store.events[ABUT_END]);
    hash = feed_events(hash, ab_sensors_events(&world->state.sensors, 0));
    hash = feed_events(hash, ab_sensors_events(&world->state.sensors, 1));
    hash = feed_impacts(hash, abut_world_impacts(world));
    return feed_impacts(hash, abut_world_sensor_impacts(world));
}

uint64_t abut_world_results_hash(abut_world *world)
{
    if (!world)
    {
        return 0;
    }
    uint64_t hash = feed_all_contacts(OFFSET_BASIS, &world->state.store);
    hash = feed_pair_cache(hash, &world->state.sensors.overlaps);
    return feed_results(hash, world);
}

static AB_APART uint64_t feed_list(uint64_t hash, const uint32_t *list)
{
    hash = feed_wide(hash, arrlenu(list));
    for (size_t i = 0; i < arrlenu(list); ++i)
    {
        hash = feed(hash, list[i]);
    }
    return hash;
}

// The parameters of a shape, or the vertices of its geometry.
static uint64_t feed_shape(uint64_t hash, const abut_shape *shape)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    uint32_t words[sizeof(abut_shape) / sizeof(uint32_t)];
    hash = feed(hash, (uint32_t)shape->kind);
    if (row->geometry)
    {
        const abut_geometry *geometry = row->geometry(shape);
        for (uint32_t i = 0; i < geometry->coordinate_count; ++i)
        {
            hash = feed_float(hash, geometry->coordinates[i]);
        }
        return feed(hash, geometry->coordinate_count);
    }
    memcpy(words, &shape->custom, row->words * sizeof *words);
    for (uint32_t i = 0; i < row->words; ++i)
    {
        hash = feed(hash, words[i]);
    }
    return hash;
}

// SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators" (2014).
static uint64_t mixed(uint64_t slot)
{
    uint64_t x = (slot + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// A sum, in any order, over the colliders that are in the static set, or that the next detect moves there before all
// else: a detect that failed may have moved them already.
static uint64_t static_sum(const abut_world *world)
{
    const ab_proxies *proxies = &world->cache.proxies;
    uint64_t sum = 0;
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const uint32_t proxy = world->state.colliders.generation[slot] != 0 ? proxies->proxy_of[slot] : ABUT_NONE;
        sum += proxy != ABUT_NONE && ab_proxies_set_of(proxies, proxy) == AB_STATIC_SET ? mixed(slot) : 0;
    }
    for (uint32_t i = 0; i < arrlenu(world->state.was_dirty); ++i)
    {
        const uint32_t slot = world->state.was_dirty[i];
        sum += ab_collider_goes_static(world, slot) ? mixed(slot) : 0;
    }
    return sum;
}

static uint64_t feed_colliders(uint64_t hash, const abut_world *world)
{
    static const abut_pose identity = { .rotation = { .w = 1.0f } };
    const ab_colliders *colliders = &world->state.colliders;
    for (uint32_t slot = 0; slot < arrlenu(colliders->generation); ++slot)
    {
        if (colliders->generation[slot] != 0)
        {
            const abut_filter *filter = &colliders->filter[slot];
            hash = feed(feed(feed(hash, slot), colliders->collider_key[slot]), colliders->state[slot]);
            hash = feed(hash, colliders->edited[slot] == ab_next_detect(world));
            hash = feed(feed(feed(hash, filter->category), filter->mask), (uint32_t)filter->group);
            hash = feed_shape(hash, &colliders->shape[slot]);
            hash = feed_pose(hash, slot < arrlenu(colliders->local) ? &colliders->local[slot] : &identity);
        }
    }
    const uint64_t still = static_sum(world);
    hash = feed(feed(hash, (uint32_t)still), (uint32_t)(still >> 32));
    return feed_list(feed_list(hash, colliders->free), colliders->retired);
}

static uint64_t feed_settings(uint64_t hash, const abut_world *world)
{
    hash = feed(feed_float(feed_float(hash, world->state.margin), world->state.recycle_distance),
                (uint32_t)world->state.is_2d | (uint32_t)world->state.at_anchors << 1u);
    hash = world->state.speculative_distance > 0.0f ? feed_float(hash, world->state.speculative_distance) : hash;
    for (uint32_t bit = 0; bit < ABUT_MOTION_COUNT * ABUT_MOTION_COUNT; ++bit)
    {
        hash = feed(hash, world->state.rules.motions_collide[bit / ABUT_MOTION_COUNT][bit % ABUT_MOTION_COUNT]);
    }
    return feed(feed(hash, world->state.rules_edited == ab_next_detect(world)), world->state.kind_set.count);
}

uint64_t abut_world_state_hash(abut_world *world)
{
    if (!world)
    {
        return 0;
    }
    uint64_t hash = feed_bodies(feed_settings(OFFSET_BASIS, world), &world->state.bodies);
    for (uint32_t slot = 0; slot < arrlenu(world->state.bodies.state); ++slot)
    {
        hash = feed(hash, world->state.bodies.generation[slot] != 0 ? world->state.bodies.state[slot] : UINT32_MAX);
    }
    hash = feed_list(feed_list(hash, world->state.bodies.free), world->state.bodies.retired);
    hash = feed_colliders(hash, world);
    hash = feed_list(feed_list(hash, world->state.woken), world->state.dirty);
    hash = feed_anchors(feed_all_contacts(hash, &world->state.store), world);
    hash = feed_slots(hash, &world->state.store);
    hash = feed_pair_cache(hash, &world->state.store.vetoes);
    hash = feed_pair_cache(hash, &world->state.sensors.overlaps);
    return feed_exclusions(hash, &world->state.rules.exclusions);
}

uint64_t abut_world_hash(abut_world *world)
{
    if (!world)
    {
        return 0;
    }
    uint64_t hash = feed_bodies(OFFSET_BASIS, &world->state.bodies);
    hash = feed_anchors(feed_all_contacts(hash, &world->state.store), world);
    hash = feed_events(hash, world->state.store.events[ABUT_BEGIN]);
    hash = feed_events(hash, world->state.store.events[ABUT_END]);
    hash = feed_pair_cache(hash, &world->state.store.vetoes);
    hash = feed_pair_cache(hash, &world->state.sensors.overlaps);
    hash = feed_events(hash, ab_sensors_events(&world->state.sensors, 0));
    hash = feed_events(hash, ab_sensors_events(&world->state.sensors, 1));
    hash = feed_impacts(feed_exclusions(hash, &world->state.rules.exclusions), abut_world_impacts(world));
    return feed_impacts(hash, abut_world_sensor_impacts(world));
}
