// The first candidates of points, spheres and boxes, measured eight at a time.
#include "query/near_query.h"

#ifndef AB_SMALL

#include <string.h>

#define ALONE UINT8_MAX // is measured by itself

uint32_t ab_near_try_firsts(ab_near_query *q, const ab_candidates *c)
{
    const abut_world *world = q->asked->world;
    const ab_proxies *proxies = &world->cache.proxies;
    const ab_near_row row = { .point = { q->position.x, q->position.y, q->position.z } };
    const uint32_t some = q->most < AB_NEAR_FIRSTS ? q->most : AB_NEAR_FIRSTS,
                   count = c->count < some ? c->count : some;
    ab_near_points points[AB_EXACT_SORTS];
    uint8_t lane[AB_NEAR_FIRSTS];
    if (q->shape || count == 0)
    {
        return 0;
    }
    memset(lane, ALONE, sizeof lane);
    for (ab_exact_sort sort = 0; sort < AB_EXACT_SORTS; ++sort)
    {
        const uint32_t query[AB_BLOCK] = { 0 };
        uint32_t proxy[AB_BLOCK], found = 0;
        uint8_t which[AB_BLOCK];
        for (uint32_t k = 0; k < AB_BLOCK; ++k)
        {
            proxy[k] = c->proxy[0];
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            const bool own = ab_exact_sort_of(proxies->proxy_flags[c->proxy[i]]) == sort && c->least[i] <= q->reach;
            proxy[found] = own ? c->proxy[i] : proxy[found];
            which[found] = (uint8_t)i;
            found += own;
        }
        if (found > 0)
        {
            world->kernels->exact->near[sort](proxies, &row, proxy, query, &points[sort]);
            for (uint32_t k = 0; k < found; ++k)
            {
                lane[which[k]] = (uint8_t)(sort * AB_BLOCK + k);
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (c->least[i] > q->reach)
        {
            continue;
        }
        if (lane[i] == ALONE)
        {
            ab_near_try(q, c->proxy[i]);
        }
        else
        {
            ab_near_try_point(q, c->proxy[i], &points[lane[i] / AB_BLOCK], lane[i] % AB_BLOCK);
        }
    }
    return count;
}

#endif
