// Copies proxies to a block of their own and back.
#include "bounds/lone_block.h"

#include "bounds/proxy_lanes.h"

void ab_lone_block_open(ab_lone_block *lone)
{
    *lone = (ab_lone_block){ 0 };
    lone->proxies = (ab_proxies){ .block = lone->block,
                                  .aabb = lone->aabb,
                                  .record = lone->record,
                                  .collider = lone->collider,
                                  .proxy_flags = lone->proxy_flags,
                                  .collider_key = lone->collider_key,
#ifndef AB_SMALL
                                  .name = lone->name,
#endif
                                  .reach = lone->reach,
                                  .offset = lone->offset };
    for (uint32_t lane = 0; lane < AB_BLOCK; ++lane)
    {
        lone->collider[lane] = ABUT_NONE;
        lone->proxy_flags[lane] = AB_PROXY_DEAD;
    }
}

static void take(ab_lone_block *lone, uint32_t lane, const ab_proxies *proxies, uint32_t proxy)
{
    lone->record[lane] = proxies->record[proxy];
    lone->collider[lane] = proxies->collider[proxy];
    lone->proxy_flags[lane] = proxies->proxy_flags[proxy];
    lone->collider_key[lane] = proxies->collider_key[proxy];
}

// What the bounds pass writes.
static void put_back(const ab_lone_block *lone, uint32_t lane, ab_proxies *proxies, uint32_t proxy)
{
    ab_aabb8 *const block = &proxies->block[proxy / AB_BLOCK];
    proxies->record[proxy] = lone->record[lane];
    copy_lane(block, proxy % AB_BLOCK, lone->block, lane);
    fit_aabb(block, &proxies->aabb[proxy / AB_BLOCK]);
    if (proxies->reach)
    {
        proxies->reach[proxy] = lone->reach[lane];
    }
    if (proxies->offset)
    {
        proxies->offset[proxy] = lone->offset[lane];
    }
}

// Whether all are valid.
static bool bound(const ab_bounds_in *in, ab_bounds_pass *pass, ab_proxies *proxies, const uint32_t *some,
                  uint32_t count)
{
    ab_lone_block lone;
    ab_lone_block_open(&lone);
    lone.proxies.offset = proxies->offset ? lone.offset : NULL;
    for (uint32_t lane = 0; lane < count; ++lane)
    {
        take(&lone, lane, proxies, some[lane]);
    }
    const uint32_t bad = pass(in, &lone.proxies, 0, 1);
    for (uint32_t lane = 0; lane < count; ++lane)
    {
        put_back(&lone, lane, proxies, some[lane]);
    }
    return bad == ABUT_NONE;
}

uint32_t ab_bounds_some(const ab_bounds_in *in, ab_bounds_pass *pass, ab_proxies *proxies, const uint32_t *some,
                        uint32_t count)
{
    ab_bounds_in now = *in;
    uint32_t bad = 0;
    if (bound(in, pass, proxies, some, count))
    {
        return 0;
    }
    now.horizon = 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (bound(in, pass, proxies, &some[i], 1))
        {
            continue;
        }
        bad |= 1u << i;
        if (!bound(&now, pass, proxies, &some[i], 1))
        {
            ab_proxies_hide(proxies, some[i]);
        }
    }
    return bad;
}
