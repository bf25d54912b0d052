// Updates the AABBs of some bodies' colliders, and the index above them, without a detect. The proxies keep their
// order: the next detect sorts them as it would have done, and computes all that is written here anew.
#include "base/assert.h"
#include "bounds/lone_block.h"
#include "world/world.h"

#include <abut/query.h>

// Active proxies of the bodies, as many as are bounded at once.
typedef struct batch
{
    uint32_t proxy[AB_BLOCK];
    uint32_t body[AB_BLOCK]; // whose they are, as indices of the call
    uint32_t count;
    uint32_t bad; // the first body whose pose or velocity is invalid, or ABUT_NONE
} batch;

static void renew(abut_world *world, const ab_bounds_in *in, batch *b)
{
    ab_broad *broad = &world->cache.broad;
    const uint32_t bad = ab_bounds_some(in, broad->bounds, &world->cache.proxies, b->proxy, b->count);
    for (uint32_t i = 0; i < b->count; ++i)
    {
        ab_broad_refit_above(broad, b->proxy[i]);
        b->bad = b->bad == ABUT_NONE && (bad >> i & 1u) ? b->body[i] : b->bad;
    }
    b->count = 0;
}

// Proxies of the static set, and those that the next detect puts there, are as the last detect that looked left them.
static void renew_body(abut_world *world, const ab_bounds_in *in, uint32_t slot, uint32_t index, batch *b)
{
    const ab_colliders *colliders = &world->state.colliders;
    const ab_proxies *proxies = &world->cache.proxies;
    for (uint32_t at = world->state.bodies.first[slot]; at != ABUT_NONE; at = colliders->next[at])
    {
        const uint32_t proxy = proxies->proxy_of[at];
        if (proxy != ABUT_NONE && !ab_collider_goes_static(world, at))
        {
            AB_ASSERT(ab_proxies_set_of(proxies, proxy) == AB_ACTIVE, proxy); // an edit takes one out of the static set
            b->proxy[b->count] = proxy;
            b->body[b->count++] = index;
        }
        if (b->count == AB_BLOCK)
        {
            renew(world, in, b);
        }
    }
}

static abut_status update(abut_world *world, const abut_body *bodies, uint32_t count)
{
    static const char *const call = "abut_world_update_bodies";
    const ab_bounds_in in = ab_world_bounds_in(world);
    batch b = { .bad = ABUT_NONE };
    bool extended;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!ab_body_live(world, bodies[i]))
        {
            return ab_fail(world, ABUT_STALE_HANDLE, call, i, "the handle names no live body of this world");
        }
    }
    if (ab_broad_extend(&world->cache.broad, &extended) != ABUT_OK)
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        renew_body(world, &in, bodies[i].slot, i, &b);
    }
    if (b.count > 0)
    {
        renew(world, &in, &b);
    }
    if (extended)
    {
        ab_world_indexed(world);
    }
    AB_WORLD_CHECK(world);
    return b.bad == ABUT_NONE
               ? ABUT_OK
               : ab_fail(world, ABUT_INVALID_ARGUMENT, call, b.bad, "the pose or velocity of the body is not valid");
}

abut_status abut_world_update_bodies(abut_world *world, const abut_body *bodies, uint32_t count)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (count > 0 && !bodies)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, "abut_world_update_bodies", 0, "a pointer is NULL");
    }
    ab_world_float_enter(world);
    const abut_status status = update(world, bodies, count);
    ab_world_float_leave(world);
    return status;
}
