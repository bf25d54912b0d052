// What queries decide of spheres and boxes, eight at a time, to the bit of each alone. Not in a small build.
#ifndef AB_EXACT_KERNELS_H
#define AB_EXACT_KERNELS_H

#include "query/bound_kernels.h"

// Which kernels decide of a proxy's shape.
typedef enum ab_exact_sort
{
    AB_EXACT_SPHERES,
    AB_EXACT_BOXES,
    AB_EXACT_SORTS,
    AB_EXACT_NONE = AB_EXACT_SORTS // each is tested by itself
} ab_exact_sort;

// Without a branch: kinds cannot be predicted.
static inline ab_exact_sort ab_exact_sort_of(uint32_t proxy_flags)
{
    const uint32_t kind = (proxy_flags & AB_PROXY_TYPE_KEY) >> 2, sized = (proxy_flags & AB_PROXY_SIZED) != 0;
    const uint32_t sphere = kind == ABUT_SPHERE, box = (kind == ABUT_AABB) | (kind == ABUT_OBB);
    return (ab_exact_sort)(AB_EXACT_NONE - sized * (sphere * (AB_EXACT_NONE - AB_EXACT_SPHERES) +
                                                    box * (AB_EXACT_NONE - AB_EXACT_BOXES)));
}

#define AB_EXACT_FEW 3u // are tested one by one

// By pair of ray and shape, as ab_ray_test decides without flags. Of a miss, where the fraction is infinite, the rest
// is undefined.
typedef struct ab_ray_hits
{
    float fraction[AB_BLOCK];
    float offset[3][AB_BLOCK]; // from the ray's origin
    float normal[3][AB_BLOCK]; // zero inside
    uint32_t inside[AB_BLOCK]; // 1: the ray begins there
} ab_ray_hits;

// By pair of point and shape: the shape's nearest point, from the point that asks.
typedef struct ab_near_points
{
    float distance[AB_BLOCK]; // zero inside
    float on[3][AB_BLOCK];    // likewise
    uint32_t inside[AB_BLOCK];
} ab_near_points;

// Eight pairs, each of a proxy and the index of a query.
typedef void ab_ray_hit_kernel(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy,
                               const uint32_t *query, ab_ray_hits *out);
typedef void ab_near_point_kernel(const ab_proxies *proxies, const ab_near_row *points, const uint32_t *proxy,
                                  const uint32_t *query, ab_near_points *out);

// By sort.
typedef struct ab_exact_kernels
{
    ab_ray_hit_kernel *ray[AB_EXACT_SORTS];
    ab_near_point_kernel *near[AB_EXACT_SORTS];
} ab_exact_kernels;

#endif
