// Rays against eight spheres or eight boxes at a time, decided as ab_ray_test does without flags. Not in a small build.
#ifndef AB_RAY_KERNELS_H
#define AB_RAY_KERNELS_H

#include "query/bound_kernels.h"

// By pair of ray and shape. Of a miss, where the fraction is infinite, the rest is undefined.
typedef struct ab_ray_hits
{
    float fraction[AB_BLOCK];
    float offset[3][AB_BLOCK]; // from the ray's origin
    float normal[3][AB_BLOCK]; // zero inside
    uint32_t inside[AB_BLOCK]; // 1: the ray begins there
} ab_ray_hits;

// Eight pairs, each of a proxy and the index of a ray.
typedef void ab_ray_hit_kernel(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy,
                               const uint32_t *query, ab_ray_hits *out);

typedef struct ab_ray_kernels
{
    ab_ray_hit_kernel *spheres, *boxes;
} ab_ray_kernels;

#endif
