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

// Two bits for each kind of shape.
#define AB_EXACT_OF(kind, sort) ((((uint64_t)AB_EXACT_NONE) ^ (uint64_t)(sort)) << 2 * (kind))

// Without a branch: kinds cannot be predicted.
static inline ab_exact_sort ab_exact_sort_of(uint32_t proxy_flags)
{
    const uint64_t differ = AB_EXACT_OF(ABUT_SPHERE, AB_EXACT_SPHERES) | AB_EXACT_OF(ABUT_AABB, AB_EXACT_BOXES) |
                            AB_EXACT_OF(ABUT_OBB, AB_EXACT_BOXES);
    const uint32_t by_kind = (uint32_t)(differ >> (proxy_flags & AB_PROXY_TYPE_KEY & ~3u) / 2u) & 3u;
    return (ab_exact_sort)((proxy_flags & AB_PROXY_SIZED ? by_kind : 0u) ^ AB_EXACT_NONE);
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

// One of them.
typedef struct ab_ray_point
{
    float fraction;
    float x, y, z; // the offset
    float nx, ny, nz;
    bool inside;
} ab_ray_point;

AB_INLINE ab_ray_point ab_ray_hits_read(const ab_ray_hits *hits, uint32_t lane)
{
    return (
        ab_ray_point){ hits->fraction[lane],  hits->offset[0][lane], hits->offset[1][lane], hits->offset[2][lane],
                       hits->normal[0][lane], hits->normal[1][lane], hits->normal[2][lane], hits->inside[lane] != 0 };
}

// By pair of point and shape: the shape's nearest point, from the point that asks.
typedef struct ab_near_points
{
    float distance[AB_BLOCK]; // zero inside
    float on[3][AB_BLOCK];    // likewise
    uint32_t inside[AB_BLOCK];
    uint32_t collider_key[AB_BLOCK]; // of the shape's record
} ab_near_points;

// Eight pairs, each of a proxy and the index of a query. Of rays `query` may be NULL: all pairs are of the first.
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
