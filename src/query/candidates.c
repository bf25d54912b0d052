// Bounds for a vector of candidates at a time, and a selection by insertion.
#include "query/candidates.h"

#include "query/bound_kernels.h"

#ifndef AB_SMALL
void ab_proxies_near(const abut_world *world, abut_vec3 point, uint32_t *proxies, uint32_t count, float *least,
                     float *most)
{
    const float at[3] = { point.x, point.y, point.z };
    if (count > 0)
    {
        const uint32_t first = proxies[0];
        uint32_t *const behind = proxies + count;
        for (uint32_t i = 0; i < AB_WIDEST; ++i)
        {
            behind[i] = first;
        }
    }
    world->kernels->queries->near(&world->cache.proxies, at, proxies, count, least, most);
}
#endif

void ab_candidates_bound(ab_candidates *c, const abut_world *world, abut_vec3 point, float radius)
{
#ifdef AB_SMALL
    (void)world, (void)point, (void)radius;
    memset(c->least, 0, sizeof c->least);
#else
    float most[AB_CANDIDATES + AB_WIDEST];
    ab_proxies_near(world, point, c->proxy, c->count, c->least, most);
    for (uint32_t i = 0; radius > 0.0f && i < c->count; ++i)
    {
        c->least[i] -= radius;
    }
#endif
}

// Most are farther than the last of the first, and stay where they are.
void ab_candidates_sort(ab_candidates *c, uint32_t most)
{
    for (uint32_t i = 1; i < c->count; ++i)
    {
        const float least = c->least[i];
        const uint32_t proxy = c->proxy[i], last = i < most ? i : most - 1;
        if (last < i && c->least[last] <= least)
        {
            continue;
        }
        c->least[i] = c->least[last];
        c->proxy[i] = c->proxy[last];
        uint32_t at = last;
        for (; at > 0 && c->least[at - 1] > least; --at)
        {
            c->least[at] = c->least[at - 1];
            c->proxy[at] = c->proxy[at - 1];
        }
        c->least[at] = least;
        c->proxy[at] = proxy;
    }
}
