// Helpers of the proxies' files: empty and copy lanes, and move a region's tail.
#ifndef AB_PROXY_LANES_H
#define AB_PROXY_LANES_H

#include "bounds/box8.h"

static inline void empty_lane(ab_aabb8 *block, uint32_t lane)
{
    block->min_x[lane] = block->min_y[lane] = block->min_z[lane] = AB_EMPTY_BOX;
    block->max_x[lane] = block->max_y[lane] = block->max_z[lane] = -AB_EMPTY_BOX;
}

static inline void copy_lane(ab_aabb8 *to, uint32_t to_lane, const ab_aabb8 *from, uint32_t from_lane)
{
    to->min_x[to_lane] = from->min_x[from_lane];
    to->min_y[to_lane] = from->min_y[from_lane];
    to->min_z[to_lane] = from->min_z[from_lane];
    to->max_x[to_lane] = from->max_x[from_lane];
    to->max_y[to_lane] = from->max_y[from_lane];
    to->max_z[to_lane] = from->max_z[from_lane];
}

static inline void make_dead(ab_proxies *proxies, uint32_t proxy)
{
    empty_lane(&proxies->block[proxy / AB_BLOCK], proxy % AB_BLOCK);
    memset(&proxies->record[proxy], 0, sizeof proxies->record[proxy]);
    proxies->collider[proxy] = ABUT_NONE;
    proxies->proxy_flags[proxy] = AB_PROXY_DEAD;
    proxies->collider_key[proxy] = 0;
    if (proxies->reach)
    {
        proxies->reach[proxy] = 0.0f;
    }
    if (proxies->offset)
    {
        proxies->offset[proxy] = abut_vec3_make(0.0f, 0.0f, 0.0f);
    }
}

static inline void make_dead_range(ab_proxies *proxies, uint32_t first, uint32_t end)
{
    for (uint32_t proxy = first; proxy < end; ++proxy)
    {
        make_dead(proxies, proxy);
    }
}

// Makes proxies [first, end) dead and updates the AABBs of their blocks.
static inline void clear_proxies(ab_proxies *proxies, uint32_t first, uint32_t end)
{
    make_dead_range(proxies, first, end);
    for (uint32_t block = first / AB_BLOCK; block < (end + AB_BLOCK - 1) / AB_BLOCK; ++block)
    {
        fit_aabb(&proxies->block[block], &proxies->aabb[block]);
    }
}

static inline void set_tail(ab_region *region, uint32_t tail)
{
    region->tail = tail;
    region->blocks = (tail + AB_BLOCK - 1) / AB_BLOCK;
    region->ordered = region->ordered < tail ? region->ordered : tail;
}

#endif
