// Geometries of every kind, at random: a level's, with compounds that share a hull and meshes at several scales.
#ifndef SOME_GEOMETRIES_H
#define SOME_GEOMETRIES_H

#include "hull_clouds.h"
#include "plain_chain.h"
#include "random_compound.h"
#include "scaled_surfaces.h"

enum
{
    GEOMETRIES = 12
};

typedef struct some_geometries
{
    abut_geometry *all[GEOMETRIES]; // two compounds of the hull before them; then meshes, of which three are scaled
    uint32_t count;
} some_geometries;

static inline abut_geometry *random_hull(random_source *random)
{
    static abut_vec3 points[HULL_CLOUD_MOST];
    abut_geometry *hull = NULL;
    while (!hull)
    {
        const uint32_t count = hull_cloud_of(random, (hull_cloud)random_below(random, HULL_FLAT), 1e-4, points);
        const uint32_t most = random_chance(random, 0.3) ? 4 + random_below(random, 30) : 0;
        (void)!abut_geometry_create_hull(points, count, most, NULL, &hull);
    }
    return hull;
}

static inline abut_geometry *random_polygon(random_source *random)
{
    abut_vec2 points[12];
    abut_geometry *polygon = NULL;
    while (!polygon)
    {
        for (uint32_t i = 0; i < COUNT(points); ++i)
        {
            points[i].x = (float)random_between(random, -1, 1);
            points[i].y = (float)random_between(random, -1, 1);
        }
        (void)!abut_geometry_create_polygon(points, 3 + random_below(random, 10), NULL, &polygon);
    }
    return polygon;
}

static inline some_geometries make_some_geometries(random_source *random)
{
    some_geometries out = { .count = 0 };
    abut_placed_shape parts[COMPOUND_MOST];
    abut_geometry *hull = random_hull(random);
    out.all[out.count++] = hull;
    for (uint32_t i = 0; i < 2; ++i)
    {
        const uint32_t count = random_parts(random, 2.0, true, hull, parts);
        out.all[out.count++] = compound_of(parts, count);
    }
    surface s = random_surface(random, false);
    abut_geometry *mesh = surface_made(&s);
    out.all[out.count++] = mesh;
    for (uint32_t i = 0; i < 3; ++i)
    {
        abut_geometry *scaled;
        const abut_vec3 scale = random_scale_of(random, &s);
        out.all[out.count++] = scaled = scaled_made(mesh, scale);
        if (i == 0)
        {
            abut_geometry_retain(scaled);
            out.all[out.count++] = scaled; // twice
        }
    }
    surface_close(&s);
    s = random_surface(random, true);
    out.all[out.count++] = surface_made(&s);
    surface_close(&s);
    const plain_chain chain = random_ground(random, 0.3);
    out.all[out.count++] = made_chain(&chain);
    out.all[out.count++] = random_polygon(random);
    assert_true(out.count <= GEOMETRIES);
    return out;
}

static inline void release_all(abut_geometry **all, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_geometry_release(all[i]);
    }
}

#endif
