// A surface as a whole and in tiles, each with a world of its own, and shapes near the borders of the tiles.
#ifndef TILE_TWINS_H
#define TILE_TWINS_H

#include "hull_clouds.h"
#include "tiled_surfaces.h"

#include <abut/query.h>

enum
{
    SHAPES = 60
};

static inline abut_shape some_shape(random_source *random, double size, const abut_geometry *hull)
{
    const float x = (float)(size * random_between(random, 0.2, 1.0)),
                y = (float)(size * random_between(random, 0.2, 1.0)),
                z = (float)(size * random_between(random, 0.2, 1.0));
    switch (random_below(random, 5))
    {
    case 0:
        return abut_shape_sphere(x);
    case 1:
        return abut_shape_capsule(0.5f * x, 0.5f * y);
    case 2:
        return abut_shape_obb(0.55f * x, 0.55f * y, 0.55f * z);
    case 3:
        return abut_shape_aabb(0.55f * x, 0.55f * y, 0.55f * z);
    default:
        return abut_shape_hull(hull);
    }
}

// Within `size` of its origin.
static inline abut_geometry *some_hull(random_source *random, double size)
{
    abut_vec3 points[12];
    abut_geometry *out;
    for (size_t i = 0; i < COUNT(points); ++i)
    {
        points[i] = random_narrow(dvec3_scale(random_direction(random), size));
    }
    assert_int_equal(abut_geometry_create_hull(points, COUNT(points), 0, NULL, &out), ABUT_OK);
    return out;
}

// A world with the whole surface, and one with its tiles; before these, the same shapes near the borders of the tiles.
typedef struct twins
{
    abut_world *world[2];
    const tiling *tiling;
    bool at_end[SHAPES]; // whether a shape may reach where the whole surface ends
} twins;

static inline abut_pose some_pose(random_source *random, const tiling *t, double size)
{
    abut_pose pose = { .rotation = random_narrow_rotation(random_rotation(random)) };
    const double along = t->half * random_between(random, -0.9, 0.9),
                 beside = t->cell * random_between(random, -1.5, 1.5);
    const bool turned = random_chance(random, 0.5);
    pose.position.x = (float)(turned ? along : beside);
    pose.position.z = (float)(turned ? beside : along);
    pose.position.y = (float)(size * random_between(random, -0.5, 1.0));
    if (random_chance(random, 0.3)) // level
    {
        pose.rotation = (abut_quat){ 0.0f, 0.0f, 0.0f, 1.0f };
    }
    return pose;
}

// Puts the shape over the surface, sunk in by a part of its size.
static inline void let_down(random_source *random, const tiling *t, double size, abut_pose *pose)
{
    const abut_shape surface = abut_shape_mesh(t->whole);
    const abut_pose identity = abut_pose_identity();
    abut_vec3 on = pose->position;
    on.y = 0.0f;
    assert_int_equal(abut_shape_closest_point(&surface, &identity, on, &on), ABUT_OK);
    pose->position.y = on.y + (float)(size * random_between(random, -0.3, 1.0));
}

static inline void add_surfaces(twins *w)
{
    const tiling *t = w->tiling;
    add(w->world[0], abut_shape_mesh(t->whole), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < t->tiles; ++i)
    {
        add(w->world[1], abut_shape_mesh(t->tile[i]), t->at[i].x, t->at[i].y, t->at[i].z, ABUT_STATIC);
    }
}

static inline twins open_twins(random_source *random, const tiling *t, double size)
{
    const abut_world_def def = { .margin = random_chance(random, 0.3) ? (float)(0.05 * t->cell) : 0.0f };
    twins w = { .world = { open_world(&def), open_world(&def) }, .tiling = t };
    abut_geometry *hull = some_hull(random, size);
    for (uint32_t i = 0; i < SHAPES; ++i)
    {
        abut_body_def body = { .pose = some_pose(random, t, size),
                               .collider.shape = some_shape(random, size, hull),
                               .collider.filter = { .category = 1, .mask = 1, .group = -1 } };
        abut_body made;
        let_down(random, t, size, &body.pose);
        w.at_end[i] = fmax(fabs((double)body.pose.position.x), fabs((double)body.pose.position.z)) > t->half - size;
        assert_int_equal(abut_body_create(w.world[0], &body, &made), ABUT_OK);
        assert_int_equal(abut_body_create(w.world[1], &body, &made), ABUT_OK);
    }
    abut_geometry_release(hull);
    add_surfaces(&w);
    return w;
}

static inline void close_twins(twins *w)
{
    abut_world_destroy(w->world[0]);
    abut_world_destroy(w->world[1]);
}

static inline bool near_vectors(abut_vec3 p, abut_vec3 q, double most)
{
    return fabs((double)p.x - (double)q.x) <= most && fabs((double)p.y - (double)q.y) <= most &&
           fabs((double)p.z - (double)q.z) <= most;
}

#endif
