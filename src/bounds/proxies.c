// Appends, removes and moves single proxies. Writes AABBs only when a lane is emptied or moved; the bounds pass
// computes those of live proxies.
#include "bounds/proxies.h"

#include "base/assert.h"
#include "bounds/proxy_lanes.h"

#include <string.h>

ab_set ab_proxies_set_of(const ab_proxies *proxies, uint32_t proxy)
{
    return proxy / AB_BLOCK < proxies->region[AB_STATIC_SET].first ? AB_ACTIVE : AB_STATIC_SET;
}

static uint32_t take_tail(ab_proxies *proxies, ab_set set)
{
    ab_region *region = &proxies->region[set];
    AB_ASSERT(region->tail < region->room * AB_BLOCK, region->tail);
    const uint32_t proxy = region->first * AB_BLOCK + region->tail;
    set_tail(region, region->tail + 1);
    ++region->live;
    ++region->revision;
    return proxy;
}

static void write_description(ab_proxies *proxies, uint32_t proxy, const ab_proxy_def *description)
{
    ab_record *record = &proxies->record[proxy];
    record->position[0] = description->position.x;
    record->position[1] = description->position.y;
    record->position[2] = description->position.z;
    record->half_x = description->half[0];
    record->half_y = description->half[1];
    record->half_z = description->half[2];
    record->collider_key = description->collider_key;
    proxies->proxy_flags[proxy] = description->proxy_flags;
    proxies->collider_key[proxy] = description->collider_key;
#ifndef AB_SMALL
    proxies->name[proxy] = description->name;
    if ((description->proxy_flags & AB_PROXY_TURNS) == 0) // a shape before it may have turned, and queries come first
    {
        static const float world_axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        memcpy(record->axis, world_axes, sizeof world_axes);
    }
#endif
}

uint32_t ab_proxies_append(ab_proxies *proxies, ab_set set, const ab_proxy_def *proxy)
{
    const uint32_t at = take_tail(proxies, set);
    proxies->collider[at] = proxy->collider;
    proxies->proxy_of[proxy->collider] = at;
    write_description(proxies, at, proxy);
    return at;
}

void ab_proxies_describe(ab_proxies *proxies, uint32_t proxy, const ab_proxy_def *description)
{
    AB_ASSERT(proxies->collider[proxy] == description->collider, proxy);
    write_description(proxies, proxy, description);
}

void ab_proxies_remove(ab_proxies *proxies, uint32_t proxy)
{
    const ab_set set = ab_proxies_set_of(proxies, proxy);
    ab_region *region = &proxies->region[set];
    const uint32_t first = region->first * AB_BLOCK;
    AB_ASSERT(proxies->collider[proxy] != ABUT_NONE, proxy);
    proxies->proxy_of[proxies->collider[proxy]] = ABUT_NONE;
    make_dead(proxies, proxy);
    fit_aabb(&proxies->block[proxy / AB_BLOCK], &proxies->aabb[proxy / AB_BLOCK]);
    --region->live;
    ++region->revision;
    uint32_t tail = region->tail;
    while (tail > 0 && proxies->collider[first + tail - 1] == ABUT_NONE)
    {
        --tail;
    }
    set_tail(region, tail);
}

void ab_proxies_hide(ab_proxies *proxies, uint32_t proxy)
{
    empty_lane(&proxies->block[proxy / AB_BLOCK], proxy % AB_BLOCK);
    fit_aabb(&proxies->block[proxy / AB_BLOCK], &proxies->aabb[proxy / AB_BLOCK]);
}

#ifdef AB_SMALL
static void take_in_lane(ab_proxies *proxies, uint32_t proxy)
{
    fit_aabb(&proxies->block[proxy / AB_BLOCK], &proxies->aabb[proxy / AB_BLOCK]);
}
#else
static void widen_axis(float min, float max, float *least, float *most)
{
    *least = min < *least ? min : *least;
    *most = max > *most ? max : *most;
}

// Makes the AABB of a block contain a lane that was filled: the others did not change, and behind the tail all are
// empty.
static void take_in_lane(ab_proxies *proxies, uint32_t proxy)
{
    const ab_aabb8 *block = &proxies->block[proxy / AB_BLOCK];
    ab_aabb *aabb = &proxies->aabb[proxy / AB_BLOCK];
    const uint32_t lane = proxy % AB_BLOCK;
    if (lane == 0)
    {
        fit_aabb(block, aabb);
        return;
    }
    widen_axis(block->min_x[lane], block->max_x[lane], &aabb->min[0], &aabb->max[0]);
    widen_axis(block->min_y[lane], block->max_y[lane], &aabb->min[1], &aabb->max[1]);
    widen_axis(block->min_z[lane], block->max_z[lane], &aabb->min[2], &aabb->max[2]);
}
#endif

void ab_proxies_make_static(ab_proxies *proxies, uint32_t proxy)
{
    AB_ASSERT(ab_proxies_set_of(proxies, proxy) == AB_ACTIVE, proxy);
    const uint32_t collider = proxies->collider[proxy];
    const uint32_t at = take_tail(proxies, AB_STATIC_SET);
    proxies->record[at] = proxies->record[proxy];
    proxies->proxy_flags[at] = proxies->proxy_flags[proxy];
    proxies->collider_key[at] = proxies->collider_key[proxy];
    proxies->collider[at] = collider;
#ifndef AB_SMALL
    proxies->name[at] = proxies->name[proxy];
#endif
    if (proxies->reach)
    {
        proxies->reach[at] = proxies->reach[proxy];
    }
    if (proxies->offset)
    {
        proxies->offset[at] = proxies->offset[proxy];
    }
    copy_lane(&proxies->block[at / AB_BLOCK], at % AB_BLOCK, &proxies->block[proxy / AB_BLOCK], proxy % AB_BLOCK);
    take_in_lane(proxies, at);
    ab_proxies_remove(proxies, proxy);
    proxies->proxy_of[collider] = at;
}

void ab_proxies_get_static(const ab_proxies *proxies, uint32_t proxy, ab_static_proxy *out)
{
    const ab_aabb8 *block = &proxies->block[proxy / AB_BLOCK];
    const uint32_t lane = proxy % AB_BLOCK;
    memset(out, 0, sizeof *out); // compared as bytes
    out->record = proxies->record[proxy];
    out->record.collider_key = 0;
    out->aabb.min = abut_vec3_make(block->min_x[lane], block->min_y[lane], block->min_z[lane]);
    out->aabb.max = abut_vec3_make(block->max_x[lane], block->max_y[lane], block->max_z[lane]);
    out->reach = proxies->reach ? proxies->reach[proxy] : 0.0f;
    out->offset = proxies->offset ? proxies->offset[proxy] : abut_vec3_make(0.0f, 0.0f, 0.0f);
}

void ab_proxies_set_static(ab_proxies *proxies, uint32_t proxy, const ab_static_proxy *given)
{
    ab_aabb8 *block = &proxies->block[proxy / AB_BLOCK];
    const uint32_t lane = proxy % AB_BLOCK, collider_key = proxies->record[proxy].collider_key;
    proxies->record[proxy] = given->record;
    proxies->record[proxy].collider_key = collider_key;
    block->min_x[lane] = given->aabb.min.x;
    block->min_y[lane] = given->aabb.min.y;
    block->min_z[lane] = given->aabb.min.z;
    block->max_x[lane] = given->aabb.max.x;
    block->max_y[lane] = given->aabb.max.y;
    block->max_z[lane] = given->aabb.max.z;
    fit_aabb(block, &proxies->aabb[proxy / AB_BLOCK]);
    if (proxies->reach)
    {
        proxies->reach[proxy] = given->reach;
    }
    if (proxies->offset)
    {
        proxies->offset[proxy] = given->offset;
    }
}

static void check_proxy(const ab_proxies *proxies, uint32_t proxy)
{
    const ab_aabb8 *block = &proxies->block[proxy / AB_BLOCK];
    const uint32_t collider = proxies->collider[proxy], lane = proxy % AB_BLOCK;
    const bool empty = block->min_x[lane] == AB_EMPTY_BOX && block->max_x[lane] == -AB_EMPTY_BOX;
    AB_ASSERT((collider == ABUT_NONE) == ((proxies->proxy_flags[proxy] & AB_PROXY_DEAD) != 0), proxy);
    AB_ASSERT(proxies->collider_key[proxy] == proxies->record[proxy].collider_key, proxy);
    AB_ASSERT(collider != ABUT_NONE || (empty && proxies->record[proxy].collider_key == 0), proxy);
    AB_ASSERT(collider == ABUT_NONE || proxies->proxy_of[collider] == proxy, proxy);
#ifndef AB_SMALL
    AB_ASSERT(collider == ABUT_NONE || proxies->name[proxy].collider.slot == collider, proxy);
#endif
}

void ab_proxies_check(const ab_proxies *proxies)
{
    AB_ASSERT(proxies->region[AB_ACTIVE].first == 0, proxies->region[AB_ACTIVE].first);
    AB_ASSERT(proxies->region[AB_STATIC_SET].first == proxies->region[AB_ACTIVE].room,
              proxies->region[AB_STATIC_SET].first);
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_region *region = &proxies->region[set];
        uint32_t live = 0;
        AB_ASSERT(region->room % AB_ROOM_GRANULE == 0 && region->blocks <= region->room, region->room);
        AB_ASSERT(region->ordered <= region->tail && region->tail <= region->blocks * AB_BLOCK, region->tail);
        for (uint32_t i = 0; i < region->room * AB_BLOCK; ++i)
        {
            check_proxy(proxies, region->first * AB_BLOCK + i);
            live += proxies->collider[region->first * AB_BLOCK + i] != ABUT_NONE;
            AB_ASSERT(i < region->tail || proxies->collider[region->first * AB_BLOCK + i] == ABUT_NONE, i);
        }
        AB_ASSERT(live == region->live, live);
    }
}
