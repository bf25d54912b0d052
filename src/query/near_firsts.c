// The first candidates of points, spheres and boxes, measured eight at a time.
#include "query/near_query.h"

#ifndef AB_SMALL

#include <math.h>

void ab_near_measure(const ab_questions *asked, ab_exact_sort sort, const ab_near_row *rows,
                     const uint32_t proxy[AB_BLOCK], const uint32_t query[AB_BLOCK], uint32_t count,
                     ab_near_measured *const out[AB_BLOCK])
{
    const bool skips = (asked->accepted.flags & ABUT_QUERY_SKIP_INSIDE) != 0;
    ab_near_points points;
    asked->world->kernels->exact->near[sort](&asked->world->cache.proxies, rows, proxy, query, &points);
    for (uint32_t k = 0; k < count; ++k)
    {
        const float distance = points.inside[k] && skips ? INFINITY : points.distance[k];
        *out[k] = (ab_near_measured){ distance, { points.on[0][k], points.on[1][k], points.on[2][k] } };
    }
}

void ab_near_try_measured(ab_near_query *q, uint32_t proxy, const ab_near_measured *measured)
{
    if (measured->distance == AB_NEAR_UNDECIDED)
    {
        ab_near_try(q, proxy);
    }
    else if (measured->distance <= q->reach)
    {
        ab_near_take_measured(q, proxy, measured);
    }
    else if (measured->distance < q->beyond)
    {
        q->beyond = measured->distance;
    }
}

uint32_t ab_near_try_firsts(ab_near_query *q, const ab_candidates *c)
{
    const ab_questions *asked = q->asked;
    const uint32_t *flags = asked->world->cache.proxies.proxy_flags;
    const ab_near_row row = { .point = { q->position.x, q->position.y, q->position.z } };
    const uint32_t some = q->most < AB_NEAR_FIRSTS ? q->most : AB_NEAR_FIRSTS,
                   count = c->count < some ? c->count : some;
    ab_near_measured measured[AB_NEAR_FIRSTS];
    if (q->shape || count < AB_EXACT_FEW)
    {
        return 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        measured[i].distance = AB_NEAR_UNDECIDED;
    }
    for (ab_exact_sort sort = 0; sort < AB_EXACT_SORTS; ++sort)
    {
        const uint32_t query[AB_BLOCK] = { 0 };
        uint32_t proxy[AB_BLOCK], found = 0;
        ab_near_measured *out[AB_BLOCK];
        for (uint32_t k = 0; k < AB_BLOCK; ++k)
        {
            proxy[k] = c->proxy[0];
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            const bool own = ab_exact_sort_of(flags[c->proxy[i]]) == sort && c->least[i] <= q->reach;
            proxy[found] = own ? c->proxy[i] : proxy[found];
            out[found] = &measured[i];
            found += own;
        }
        if (found >= AB_EXACT_FEW)
        {
            ab_near_measure(asked, sort, &row, proxy, query, found, out);
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (c->least[i] <= q->reach)
        {
            ab_near_try_measured(q, c->proxy[i], &measured[i]);
        }
    }
    return count;
}

#endif
