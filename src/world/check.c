// Asserts the invariants of a world between calls.
#include "base/array.h"
#include "base/assert.h"
#include "shape/shape_table.h"
#include "world/world.h"

#include <string.h>

static void check_bodies(const abut_world *world)
{
    const ab_bodies *bodies = &world->state.bodies;
    uint32_t live = 0, colliders = 0;
    for (uint32_t slot = 0; slot < arrlenu(bodies->generation); ++slot)
    {
        if (bodies->generation[slot] == 0)
        {
            continue;
        }
        ++live;
        AB_ASSERT(bodies->generation[slot] == ab_generation_of(world, bodies->uses[slot]), slot);
        uint32_t before = 0;
        for (uint32_t at = bodies->first[slot]; at != ABUT_NONE; at = world->state.colliders.next[at])
        {
            const uint32_t order = world->state.colliders.collider_key[at];
            AB_ASSERT(order >> 8 == slot, at);
            AB_ASSERT(at == bodies->first[slot] || order > before, at);
            before = order;
            colliders += world->state.colliders.generation[at] != 0;
        }
    }
    AB_ASSERT(live == bodies->live, live);
    AB_ASSERT(colliders == world->state.colliders.live, colliders);
}

// A collider has a proxy exactly when it can collide. A collider in the static set is immobile and not dirty.
static void check_colliders(const abut_world *world)
{
    const ab_colliders *colliders = &world->state.colliders;
    uint32_t proxies = 0;
    for (uint32_t slot = 0; slot < arrlenu(colliders->generation); ++slot)
    {
        if (colliders->generation[slot] == 0)
        {
            continue;
        }
        const uint32_t body = colliders->collider_key[slot] >> 8, proxy = world->cache.proxies.proxy_of[slot];
        const ab_contact_name *name = &colliders->name[slot];
        AB_ASSERT(name->body.slot == body && name->body.generation == world->state.bodies.generation[body], slot);
        AB_ASSERT(name->collider.slot == slot && name->collider.generation == colliders->generation[slot], slot);
        const ab_shape_row *row = ab_shape_row_for(colliders->shape[slot].kind);
        AB_ASSERT(world->state.is_2d ? !row->solid : !row->flat, slot);
        const uint32_t state = world->state.bodies.state[body];
        const bool collides = ((state & AB_STATE_DISABLED) | (colliders->state[slot] & AB_STATE_NOTHING)) == 0;
        AB_ASSERT((proxy != ABUT_NONE) == collides, slot);
        if (proxy == ABUT_NONE)
        {
            continue;
        }
        ++proxies;
        AB_ASSERT(world->cache.proxies.collider[proxy] == slot, slot);
#ifndef AB_SMALL
        AB_ASSERT(memcmp(&world->cache.proxies.name[proxy], name, sizeof *name) == 0, slot);
#endif
        AB_ASSERT(world->cache.proxies.record[proxy].collider_key == colliders->collider_key[slot], slot);
        AB_ASSERT((world->cache.proxies.proxy_flags[proxy] & 3u) == (state & AB_STATE_MOTION), slot);
        const bool senses = (colliders->state[slot] & AB_STATE_SENSOR) != 0;
        AB_ASSERT(((world->cache.proxies.proxy_flags[proxy] & AB_PROXY_SENSOR) != 0) == senses, slot);
        AB_ASSERT((world->cache.proxies.proxy_flags[proxy] & AB_PROXY_EXCLUDED) != 0 ||
                      !ab_exclusions_concern(&world->state.rules.exclusions, body),
                  slot);
        if (ab_proxies_set_of(&world->cache.proxies, proxy) == AB_STATIC_SET)
        {
            AB_ASSERT(ab_is_immobile(state), slot);
            AB_ASSERT((colliders->state[slot] & AB_STATE_DIRTY) == 0, slot);
        }
    }
    const ab_region *region = world->cache.proxies.region;
    AB_ASSERT(proxies == region[AB_ACTIVE].live + region[AB_STATIC_SET].live, proxies);
}

// Exclusions are of live bodies.
static void check_exclusions(const abut_world *world)
{
    const ab_exclusions *exclusions = &world->state.rules.exclusions;
    ab_exclusions_check(exclusions);
    for (uint32_t node = 0; node < arrlenu(exclusions->lists.ends); ++node)
    {
        const uint32_t body = exclusions->lists.ends[node].body;
        AB_ASSERT(exclusions->lists.keys[node / 2] == AB_NO_KEY || world->state.bodies.generation[body] != 0, node);
    }
}

void ab_world_check(const abut_world *world)
{
    check_bodies(world);
    check_colliders(world);
    ab_proxies_check(&world->cache.proxies);
    ab_contact_store_check(&world->state.store);
    ab_pair_cache_check(&world->state.sensors.overlaps);
    check_exclusions(world);
}
