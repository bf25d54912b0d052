// A random session, and the poses and shapes it makes: every kind, of any size.
#ifndef SESSION_SHAPES_H
#define SESSION_SHAPES_H

#include "random.h"
#include "strip_mesh.h"

#include <abut/abut.h>

enum
{
    MOST_BODIES = 160,
    MOST_POLYGONS = 4096
};

typedef struct session
{
    random_source random;
    abut_world *world;
    abut_body body[MOST_BODIES];
    uint32_t bodies;
    bool restless;         // changes its broad phase now and then
    int64_t alive, sensed; // pairs that began and did not end: contacts, and what is in sensors
    uint64_t detects, audits;
    bool is_2d;
    abut_geometry **polygon; // all that were made, MOST_POLYGONS at most; the last four are in use
    uint32_t polygons;
} session;

static inline float between(session *s, double low, double high)
{
    return (float)random_between(&s->random, low, high);
}

static inline abut_pose random_pose(session *s)
{
    if (s->is_2d)
    {
        return abut_pose_2d(between(s, -15, 15), between(s, -15, 15), between(s, -3, 3));
    }
    const abut_vec3 axis = { between(s, -1, 1), between(s, -1, 1), between(s, -1, 1) };
    return (abut_pose){ .position = { between(s, -6, 6), between(s, -6, 6), between(s, -6, 6) },
                        .rotation = abut_quat_from_axis_angle(axis, between(s, -3, 3)) };
}

static inline float size(session *s)
{
    const uint32_t sort = random_below(&s->random, 12);
    return sort == 0 ? 0.0f : sort == 1 ? between(s, 2, 6) : between(s, 0.1, 1);
}

static inline abut_status random_hull(session *s, abut_geometry **out)
{
    abut_vec3 points[20];
    const uint32_t count = 4 + random_below(&s->random, 17);
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = abut_vec3_make(between(s, -1, 1), between(s, -1, 1), between(s, -1, 1));
    }
    return abut_geometry_create_hull(points, count, 0, NULL, out);
}

static inline abut_status random_mesh(session *s, abut_geometry **out)
{
    abut_vec3 points[STRIP_MOST];
    const uint32_t count = 4 + random_below(&s->random, STRIP_MOST - 3);
    const float most = random_chance(&s->random, 0.3) ? 5.0f : 1.5f;
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = abut_vec3_make(between(s, -most, most), between(s, -1, 1), between(s, -most, most));
    }
    return strip_mesh(points, count, out);
}

// Of hulls in use and of small shapes, turned.
static inline abut_status random_compound(session *s, abut_geometry **out)
{
    abut_placed_shape parts[8];
    const uint32_t count = 1 + random_below(&s->random, (uint32_t)(sizeof parts / sizeof *parts));
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_geometry *hull = s->polygons > 0 ? s->polygon[s->polygons - 1] : NULL;
        const uint32_t kind = random_below(&s->random, 4);
        parts[i].pose = random_pose(s);
        parts[i].pose.position = abut_vec3_scale(parts[i].pose.position, 0.2f);
        parts[i].shape = kind == 0                                     ? abut_shape_sphere(between(s, 0, 1))
                         : kind == 1                                   ? abut_shape_capsule(between(s, 0, 0.5), size(s))
                         : kind == 2 && abut_geometry_hull_faces(hull) ? abut_shape_hull(hull)
                                                                       : abut_shape_obb(size(s), size(s), size(s));
    }
    return abut_geometry_create_compound(parts, count, NULL, out);
}

static inline abut_status random_chain(session *s, abut_geometry **out)
{
    abut_vec2 points[12];
    const uint32_t count = 3 + random_below(&s->random, 10);
    const float most = random_chance(&s->random, 0.5) ? 5.0f : 1.5f;
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = (abut_vec2){ most * (1.0f - 2.0f * (float)i / (float)count), between(s, -1, 1) };
    }
    const abut_chain_def def = { .points = points,
                                 .point_count = count,
                                 .loop = random_chance(&s->random, 0.3),
                                 .two_sided = random_chance(&s->random, 0.3) };
    return abut_geometry_create_chain(&def, NULL, out);
}

// A polygon or chain; in 3D a hull, a mesh or a compound.
static inline void add_polygon(session *s)
{
    abut_status status = ABUT_INVALID_ARGUMENT;
    abut_geometry *made = NULL;
    if (s->polygons == MOST_POLYGONS)
    {
        return;
    }
    while (status != ABUT_OK)
    {
        abut_vec2 points[6];
        const uint32_t count = 3 + random_below(&s->random, 4);
        if (!s->is_2d)
        {
            const uint32_t kind = random_below(&s->random, 5);
            status = (kind < 2 ? random_hull : kind < 4 ? random_mesh : random_compound)(s, &made);
            continue;
        }
        if (random_chance(&s->random, 0.3))
        {
            status = random_chain(s, &made);
            continue;
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = (abut_vec2){ between(s, -1, 1), between(s, -1, 1) };
        }
        status = abut_geometry_create_polygon(points, count, NULL, &made);
    }
    abut_geometry_release(s->polygon[s->polygons]); // of a run that was taken back
    s->polygon[s->polygons++] = made;
}

static inline abut_shape random_shape(session *s)
{
    if (random_chance(&s->random, s->is_2d ? 0.4 : 0.2))
    {
        const abut_geometry *geometry = s->polygon[s->polygons - 1 - random_below(&s->random, 4)];
        return abut_geometry_chain_segments(geometry) > 0   ? abut_shape_chain(geometry)
               : s->is_2d                                   ? abut_shape_polygon(geometry)
               : abut_geometry_mesh_triangles(geometry) > 0 ? abut_shape_mesh(geometry)
               : abut_geometry_compound_parts(geometry) > 0 ? abut_shape_compound(geometry)
                                                            : abut_shape_hull(geometry);
    }
    if (random_chance(&s->random, 0.02))
    {
        return abut_shape_half_space();
    }
    switch (random_below(&s->random, 4))
    {
    case 0:
        return abut_shape_sphere(size(s));
    case 3:
        return s->is_2d || random_chance(&s->random, 0.5) ? abut_shape_capsule(size(s), size(s))
                                                          : abut_shape_tapered_cylinder(size(s), size(s), size(s));
    case 1:
        return abut_shape_aabb(size(s), size(s), size(s));
    default:
        return abut_shape_obb(size(s), size(s), size(s));
    }
}

#endif
