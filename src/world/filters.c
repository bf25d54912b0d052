// Decides when the broad phase gets the filters, so that it drops pairs that do not collide. That costs something for
// each pair, so it pays only where many pairs do not collide: where many sensors with filters were created or changed,
// or where a detect has filtered many candidates, or dropped many because there were very many. It ends when too few
// proxies are left that a filter, sensor flag or motion kind excludes. Candidates of newly placed static bodies do not
// count: they occur once.
#include "base/array.h"
#include "world/world.h"

#define LEAST_SHARE   2u   // at least one candidate in so many was filtered
#define LEAST         256u // filtered candidates
#define LEAST_PROXIES 16u  // at least one proxy in so many is set apart
#define MANY_OF_BODY  16u  // colliders
#define COUNTED       256u // detects between counts of such proxies

static uint32_t live_proxies(const abut_world *world)
{
    return world->cache.proxies.region[AB_ACTIVE].live + world->cache.proxies.region[AB_STATIC_SET].live;
}

bool ab_world_drops_pairs(const abut_world *world)
{
    return world->cache.drops_pairs || (world->cache.sensors_placed > 0 &&
                                        (uint64_t)LEAST_PROXIES * world->cache.sensors_placed >= live_proxies(world));
}

// Whether a proxy has its own filter, is of a body with many colliders, or does not collide with its own kind. Static
// proxies do not do that either, but are never tested against each other.
static bool is_set_apart(const abut_world *world, uint32_t proxy)
{
    const uint32_t proxy_flags = world->cache.proxies.proxy_flags[proxy], motion = ab_motion_set(proxy_flags);
    const bool of_many = (world->cache.proxies.collider_key[proxy] & 0xffu) >= MANY_OF_BODY;
    const bool collides = (world->state.rules.collides[motion] & motion) != 0 || motion == 1u << ABUT_STATIC;
    return (proxy_flags & AB_PROXY_DEAD) == 0 && (!collides || of_many || (proxy_flags & AB_PROXY_FILTERED) != 0);
}

static bool many_set_apart(abut_world *world)
{
    const ab_proxies *proxies = &world->cache.proxies;
    uint64_t count = 0;
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const uint32_t first = proxies->region[set].first * AB_BLOCK, end = first + proxies->region[set].tail;
        for (uint32_t proxy = first; proxy < end; ++proxy)
        {
            count += is_set_apart(world, proxy);
        }
    }
    world->cache.filters_counted = world->state.detects;
    return count > 0 && LEAST_PROXIES * count >= live_proxies(world);
}

// Pairs of colliders of a body with few count as filtered too, so the cause must be counted: not in every detect.
static bool is_worth_dropping(abut_world *world)
{
    const abut_statistics *s = &world->statistics;
    const bool most_filtered = s->filtered > LEAST && LEAST_SHARE * s->filtered > s->candidates;
    const bool many_dropped = world->cache.broad.undropped > s->candidates;
    const bool placed = LEAST_PROXIES * (uint64_t)arrlenu(world->state.was_dirty) >= live_proxies(world);
    const bool counted =
        world->cache.filters_counted > 0 && world->state.detects - world->cache.filters_counted < COUNTED;
    return !placed && !counted && (most_filtered || many_dropped) && many_set_apart(world);
}

void ab_world_judge_filters(abut_world *world)
{
    const bool dropped = world->cache.broad.filters.drops;
    world->cache.sensors_placed = 0;
    if (!dropped)
    {
        world->cache.drops_pairs = is_worth_dropping(world);
    }
    else
    {
        world->cache.drops_pairs = world->state.detects % COUNTED != 0 || many_set_apart(world);
    }
}
