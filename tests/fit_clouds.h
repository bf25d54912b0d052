// Clouds of points for the tests of fits: of every shape that has made a fit fail somewhere.
#ifndef FIT_CLOUDS_H
#define FIT_CLOUDS_H

#include "random.h"

#include <abut/fit.h>

#include <string.h>

#define CLOUD_MOST 400u

typedef struct cloud
{
    float xyz[3 * CLOUD_MOST];
    uint32_t count;
} cloud;

static inline dvec3 cloud_point(const cloud *c, uint32_t i)
{
    return dvec3_make(c->xyz[3 * i], c->xyz[3 * i + 1], c->xyz[3 * i + 2]);
}

static inline abut_vec3 cloud_float_point(const cloud *c, uint32_t i)
{
    return abut_vec3_make(c->xyz[3 * i], c->xyz[3 * i + 1], c->xyz[3 * i + 2]);
}

static inline void cloud_add(cloud *c, dvec3 p)
{
    c->xyz[3 * c->count] = (float)p.x;
    c->xyz[3 * c->count + 1] = (float)p.y;
    c->xyz[3 * c->count + 2] = (float)p.z;
    ++c->count;
}

typedef enum cloud_kind
{
    CLOUD_FILLED_BOX,
    CLOUD_CORNERS, // of a box
    CLOUD_CUBE,    // its corners: no direction varies more than another
    CLOUD_TETRAHEDRON,
    CLOUD_FEW,
    CLOUD_BALL, // on its surface
    CLOUD_SKEWED,
    CLOUD_THIN,     // a thousandth as thick as wide
    CLOUD_CROWDED,  // most points in one corner
    CLOUD_REPEATED, // few points, many times each
    CLOUD_GRID,     // whole numbers, many ties
    CLOUD_KINDS
} cloud_kind;

static inline dvec3 cloud_raw_point(random_source *random, cloud_kind kind, uint32_t i, dvec3 chunk)
{
    static const double tetrahedron[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    const dvec3 p = random_in_box(random, 1.0);
    const dvec3 corner = { i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1 };
    switch (kind)
    {
    case CLOUD_CORNERS:
        return dvec3_make(corner.x * chunk.x, corner.y * chunk.y, corner.z * chunk.z);
    case CLOUD_CUBE:
        return corner;
    case CLOUD_TETRAHEDRON:
        return dvec3_make(tetrahedron[i][0], tetrahedron[i][1], tetrahedron[i][2]);
    case CLOUD_BALL:
        return random_direction(random);
    case CLOUD_SKEWED:
        return dvec3_make(p.x + 2 * chunk.x * p.y, p.y + 2 * chunk.y * p.z, p.z);
    case CLOUD_THIN:
        return dvec3_make(p.x, p.y, 1e-3 * p.z);
    case CLOUD_CROWDED:
        return random_chance(random, 0.1) ? p : dvec3_make(1 + 0.05 * p.x, 1 + 0.05 * p.y, 1 + 0.05 * p.z);
    case CLOUD_GRID:
        return dvec3_make((double)(int)(4 * p.x), (double)(int)(3 * p.y), (double)(int)(2 * p.z));
    default:
        return dvec3_make(p.x * chunk.x, p.y * chunk.y, p.z * chunk.z);
    }
}

// The kind and everything else from the seed; turned and, half the time, shifted away from the origin.
static inline cloud cloud_random(uint64_t seed)
{
    random_source random = random_start(seed);
    const cloud_kind kind = (cloud_kind)(seed % CLOUD_KINDS);
    const dvec3 chunk = { random_between(&random, 0.2, 2), random_between(&random, 0.2, 2),
                          random_between(&random, 0.2, 2) };
    const dquat turn = kind == CLOUD_GRID ? random_cube_rotation(random_below(&random, 24)) : random_rotation(&random);
    const double scale = random_scale(&random, 0.01, 100);
    const dvec3 shift = random_in_box(&random, random_chance(&random, 0.5) ? 0.0 : 10 * scale);
    const bool corners = kind == CLOUD_CORNERS || kind == CLOUD_CUBE;
    const uint32_t count = corners ? 8 : kind == CLOUD_TETRAHEDRON ? 4 : 1 + random_below(&random, 60);
    cloud c = { .count = 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        const dvec3 p = cloud_raw_point(&random, kind, i, chunk);
        cloud_add(&c, dvec3_along(shift, scale, dquat_rotate(turn, p)));
    }
    const uint32_t again = kind == CLOUD_REPEATED ? CLOUD_MOST - count : 0;
    for (uint32_t i = 0; i < again; ++i)
    {
        cloud_add(&c, cloud_point(&c, i % count));
    }
    return c;
}

// The same points turned about the origin.
static inline cloud cloud_turned(const cloud *c, dquat turn)
{
    cloud out = { .count = 0 };
    for (uint32_t i = 0; i < c->count; ++i)
    {
        cloud_add(&out, dquat_rotate(turn, cloud_point(c, i)));
    }
    return out;
}

static inline double cloud_diagonal(const cloud *c)
{
    dvec3 low = cloud_point(c, 0), high = low;
    for (uint32_t i = 1; i < c->count; ++i)
    {
        const dvec3 p = cloud_point(c, i);
        low = dvec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = dvec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return dvec3_length(dvec3_sub(high, low));
}

// What floats this far out are apart by.
static inline double cloud_granularity(const cloud *c)
{
    double farthest = 0;
    for (uint32_t i = 0; i < 3 * c->count; ++i)
    {
        farthest = fmax(farthest, fabs((double)c->xyz[i]));
    }
    return farthest * 0x1p-23;
}

// False when a point is outside, by the library's own question or by more than rounding of double by the referee's
// numbers.
static inline bool cloud_inside(const cloud *c, const abut_placed_shape *fitted)
{
    const dvec3 centre = { fitted->pose.position.x, fitted->pose.position.y, fitted->pose.position.z };
    const abut_quat q = fitted->pose.rotation;
    const dquat back = { q.w, -(double)q.x, -(double)q.y, -(double)q.z };
    const abut_vec3 h = fitted->shape.box.half_extents;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        bool inside = false;
        const abut_status status = abut_shape_contains(&fitted->shape, &fitted->pose, cloud_float_point(c, i), &inside);
        const dvec3 local = dquat_rotate(back, dvec3_sub(cloud_point(c, i), centre));
        const double slack = 1e-13 * (dvec3_length(local) + dvec3_length(centre));
        const bool by_hand = fitted->shape.kind == ABUT_SPHERE
                                 ? dvec3_length(local) <= (double)fitted->shape.sphere.radius + slack
                                 : fabs(local.x) <= (double)h.x + slack && fabs(local.y) <= (double)h.y + slack &&
                                       fabs(local.z) <= (double)h.z + slack;
        if (status != ABUT_OK || !inside || !by_hand)
        {
            return false;
        }
    }
    return true;
}

// How long the cloud is along a direction of length one.
static inline double cloud_extent(const cloud *c, dvec3 direction)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const double along = dvec3_dot(cloud_point(c, i), direction);
        low = fmin(low, along);
        high = fmax(high, along);
    }
    return high - low;
}

#endif
