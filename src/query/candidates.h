// Proxies that may be near, and how near: the first of them are measured first.
#ifndef AB_CANDIDATES_H
#define AB_CANDIDATES_H

#include "query/query.h"

#define AB_CANDIDATES 64u // at a time

typedef struct ab_candidates
{
    uint32_t proxy[AB_CANDIDATES + AB_WIDEST], count;
    float least[AB_CANDIDATES + AB_WIDEST]; // metres: they are no nearer
} ab_candidates;

// Writes how near they may be to a point, or to a shape within a ball about it; zero or less where they may overlap it.
void ab_candidates_bound(ab_candidates *candidates, const abut_world *world, abut_vec3 point, float radius);

// Moves the nearest to the front, in order, at most so many.
void ab_candidates_sort(ab_candidates *candidates, uint32_t most);

// Bounds of the distance from a point to each of some proxies. All lists have AB_WIDEST entries more, which it writes.
// Not in a small build.
void ab_proxies_near(const abut_world *world, abut_vec3 point, uint32_t *proxies, uint32_t count, float *least,
                     float *most);

#endif
