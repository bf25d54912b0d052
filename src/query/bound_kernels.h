// Where rays may enter shapes and casts hit them, and how near shapes may be, a vector of them at a time, in single
// precision: no later and no farther than they are. What is behind another result, or missed by more than rounding,
// needs no exact test.
#ifndef AB_BOUND_KERNELS_H
#define AB_BOUND_KERNELS_H

#include "base/isa.h"
#include "bounds/proxies.h"

// A ray as the kernel reads it; one cache line.
typedef struct ab_ray_row
{
    float origin[3];
    float inverse; // 1 / length; zero: the ray is a point, or as good as one
    float unit[3]; // its direction
    float spare;
    float way[3]; // its translation
    float unused[5];
} ab_ray_row;

void ab_ray_row_make(ab_ray_row *out, const float origin[3], const double way[3], double length);

// Of all kernels: behind the last proxy and query are AB_WIDEST more that are valid. Their entries are written, too, up
// to a whole vector.

// Writes for each proxy, by a query that meets its AABB, a fraction of the way no larger than that at which the ray
// enters the shape, zero where nothing is known of its kind, or infinity when it misses.
typedef void ab_ray_many_bound_kernel(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy,
                                      const uint8_t *query, uint32_t count, float *bounds);

// The same for one ray, to the bit, with fewer steps.
typedef void ab_ray_bound_kernel(const ab_proxies *proxies, const ab_ray_row *ray, const uint32_t *proxy,
                                 uint32_t count, float *bounds);

// A cast as the kernel reads it, a box with a rounding; two cache lines.
typedef struct ab_cast_row
{
    float origin[3];
    float inverse; // of a ray's row
    float unit[3];
    float rounding; // the tolerance of a sweep, too
    float half[3];  // of the core; what turns is a ball
    float size;     // of the shape
    float unused[4];
    float axis[9];
    float unused_too[7];
} ab_cast_row;

// The same for where casts may hit shapes.
typedef void ab_cast_many_bound_kernel(const ab_proxies *proxies, const ab_cast_row *casts, const uint32_t *proxy,
                                       const uint8_t *query, uint32_t count, float *bounds);
typedef void ab_cast_bound_kernel(const ab_proxies *proxies, const ab_cast_row *cast, const uint32_t *proxy,
                                  uint32_t count, float *bounds);

// Writes for each proxy two distances of its shape from a point, zero inside: it is no nearer than the first and no
// farther than the second. Zero and infinity where nothing is known of its kind.
typedef void ab_near_bound_kernel(const ab_proxies *proxies, const float point[3], const uint32_t *proxy,
                                  uint32_t count, float *least, float *most);

// A point as the kernel reads it, or a shape in a ball about it; one cache line.
typedef struct ab_near_row
{
    float point[3];
    float radius; // taken off the first distance
    float unused[12];
} ab_near_row;

// The same for many of them.
typedef void ab_near_many_bound_kernel(const ab_proxies *proxies, const ab_near_row *rows, const uint32_t *proxy,
                                       const uint8_t *query, uint32_t count, float *least, float *most);

// Writes how many of all keys are below each. AB_WIDEST keys behind the last are read, too.
typedef void ab_rank_kernel(const uint32_t *keys, uint32_t count, uint32_t *below);

// Writes the indices of keys, at most AB_ORDERED, in the order of these. Keys are not negative; of those that are alike
// but for their lowest bits, as many as an index has, the order is that of the indices. AB_WIDEST keys behind the last
// are read, too.
#define AB_ORDERED 64u
typedef void ab_sort_kernel(const float *keys, uint32_t count, uint8_t *order);

// Lists have AB_WIDEST entries more than counted, to be written.
typedef struct ab_query_kernels
{
    ab_ray_many_bound_kernel *ray_many;
    ab_ray_bound_kernel *ray;   // this and the others are NULL in a small build
    ab_cast_bound_kernel *cast; // which tests each cast by itself
    ab_cast_many_bound_kernel *cast_many;
    ab_near_bound_kernel *near;
    ab_near_many_bound_kernel *near_many;
    ab_rank_kernel *rank;
    ab_sort_kernel *sort;
} ab_query_kernels;

#endif
