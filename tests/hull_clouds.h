// Clouds of points that convex hulls are known to fail on.
#ifndef HULL_CLOUDS_H
#define HULL_CLOUDS_H

#include "random.h"

typedef enum hull_cloud
{
    HULL_BALL,     // points in a ball
    HULL_SPHERE,   // on a sphere
    HULL_BOX,      // the corners of a turned box, with doubles and points within
    HULL_GRID,     // a grid: many points in one plane, many on one line
    HULL_TURNED,   // a turned grid: these by rounding only
    HULL_NOISE,    // a turned box, with points off its faces by about the tolerance
    HULL_NEEDLE,   // thin in two directions
    HULL_PLATE,    // thin in one
    HULL_WEDGE,    // two thin triangles that share an edge
    HULL_CYLINDER, // two circles
    HULL_CONE,     // a circle and a tip
    HULL_CLOSE,    // few distinct coordinates, mostly doubles
    HULL_FAR,      // far from the origin, where coordinates are coarse
    HULL_SCALES,   // every coordinate of another order of magnitude
    HULL_SPIKES,   // a ball with a few points far away
    HULL_FLAT,     // in one plane, on one line, in one point
    HULL_CLOUDS
} hull_cloud;

enum
{
    HULL_CLOUD_MOST = 1000
};

static inline dvec3 hull_round_point(random_source *random, hull_cloud kind, uint32_t i, uint32_t count, double thin)
{
    const double turn = 6.283185307179586 * (i / 2) / ((count + 1) / 2), side = i & 1 ? thin : -thin;
    if (kind == HULL_CYLINDER)
    {
        return dvec3_make(cos(turn), side, sin(turn));
    }
    if (kind == HULL_CONE)
    {
        return i == 0 ? dvec3_make(0, thin, 0) : dvec3_make(cos(turn), 0, sin(turn));
    }
    const dvec3 there = random_direction(random);
    return kind == HULL_SPHERE ? there : dvec3_scale(there, random_unit(random));
}

static inline dvec3 hull_box_point(random_source *random, hull_cloud kind, uint32_t i, uint32_t grid)
{
    dvec3 p = dvec3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    if (kind == HULL_GRID || kind == HULL_TURNED || kind == HULL_CLOSE)
    {
        p = dvec3_make(random_below(random, grid), random_below(random, grid), random_below(random, grid));
        return dvec3_scale(p, 1.0 / grid);
    }
    if (i >= 8 && (kind == HULL_NOISE || random_chance(random, 0.5)))
    {
        p = random_in_box(random, 1.0);
        const double off = kind == HULL_NOISE ? random_scale(random, 1e-9, 1e-4) : 0.0;
        const double side = random_sign(random) * (1.0 + off);
        const uint32_t face = random_below(random, 4);
        p = face == 0 ? dvec3_make(side, p.y, p.z) : face == 1 ? dvec3_make(p.x, side, p.z) : p;
        p = face == 2 ? dvec3_make(p.x, p.y, side) : p;
    }
    return p;
}

// Returns the number of points; at most HULL_CLOUD_MOST. Thin ones are `thinnest` of their size thick at least.
static inline uint32_t hull_cloud_of(random_source *random, hull_cloud kind, double thinnest, abut_vec3 *out)
{
    const double size = random_chance(random, 0.1) ? random_scale(random, 1e-30, 1e6) : random_scale(random, 1e-2, 1e2);
    const double thin = random_scale(random, thinnest, 1.0),
                 away = kind == HULL_FAR ? random_scale(random, 1, 1e3) : 0.0;
    const uint32_t most = random_chance(random, 0.1) ? HULL_CLOUD_MOST : random_chance(random, 0.5) ? 16 : 100;
    const uint32_t count = 8 + random_below(random, most - 7), grid = 2 + random_below(random, 9),
                   flat = random_below(random, 3);
    const bool turned = kind != HULL_GRID && kind != HULL_CLOSE && random_chance(random, 0.8);
    const dquat turn = turned ? random_rotation(random) : (dquat){ 1, 0, 0, 0 };
    const dvec3 offset = dvec3_scale(random_direction(random), away);
    for (uint32_t i = 0; i < count; ++i)
    {
        dvec3 p = kind >= HULL_BOX && kind <= HULL_NOISE ? hull_box_point(random, kind, i, grid)
                  : kind == HULL_CLOSE                   ? hull_box_point(random, kind, i, 3)
                  : kind == HULL_CYLINDER || kind == HULL_CONE || kind == HULL_SPHERE
                      ? hull_round_point(random, kind, i, count, thin)
                      : random_in_box(random, 1.0);
        if (kind == HULL_BALL || kind == HULL_FAR)
        {
            p = hull_round_point(random, kind, i, count, thin);
        }
        if (kind == HULL_CLOSE && i < 8)
        {
            p = hull_box_point(random, HULL_BOX, i, 2);
        }
        if ((kind == HULL_GRID || kind == HULL_TURNED) && i < 8)
        {
            p = dvec3_scale(dvec3_make(i & 1, i >> 1 & 1, i >> 2 & 1), (grid - 1.0) / grid);
        }
        const double small = kind == HULL_FLAT ? 0.0 : thin;
        if (kind == HULL_NEEDLE || kind == HULL_PLATE || kind == HULL_FLAT)
        {
            p = i < 8 ? hull_box_point(random, HULL_BOX, i, 2) : p;
            p.z *= small;
            p.y *= kind == HULL_NEEDLE || (kind == HULL_FLAT && flat > 0) ? small : 1.0;
            p.x *= kind == HULL_FLAT && flat > 1 ? 0.0 : 1.0;
        }
        if (kind == HULL_WEDGE)
        {
            p = i == 0   ? dvec3_make(-1, 0, 0)
                : i == 1 ? dvec3_make(1, 0, 0)
                         : dvec3_make(p.x, fabs(p.y), fabs(p.y) * thin);
            p.z = i & 1 ? p.z : -p.z;
        }
        if (kind == HULL_SCALES)
        {
            p = dvec3_make(p.x * random_scale(random, 1e-3, 1), p.y * random_scale(random, 1e-3, 1),
                           p.z * random_scale(random, 1e-3, 1));
        }
        if (kind == HULL_SPIKES)
        {
            p = dvec3_scale(p, random_chance(random, 0.05) ? 1.0 : 1e-3);
        }
        p = dvec3_add(dquat_rotate(turn, p), offset);
        out[i] = random_narrow(dvec3_scale(p, size));
        if (i > 8 && random_chance(random, kind == HULL_CLOSE ? 0.5 : 0.02))
        {
            out[i] = out[random_below(random, i)];
        }
    }
    return count;
}

#endif
