// Shapes near triangles, for tests: near and far, thin and long, level and tilted by hairs.
#ifndef TRIANGLE_COUPLES_H
#define TRIANGLE_COUPLES_H

#include "mesh_makers.h"
#include "narrow/mesh/triangle.h"

static inline void any_direction(random_source *random, double out[3])
{
    double square = 0.0;
    while (square < 0.01 || square > 1.0)
    {
        for (int k = 0; k < 3; ++k)
        {
            out[k] = random_between(random, -1.0, 1.0);
        }
        square = ab_dot(out, out);
    }
}

// Level, tilted by a hair, or any rotation.
static inline abut_quat any_turn(random_source *random)
{
    const uint32_t kind = random_below(random, 3);
    const double most = kind == 0 ? 0.0 : kind == 1 ? 1e-5 : 1.0;
    double axis[3];
    any_direction(random, axis);
    const abut_quat q = { (float)(most * axis[0]), (float)(most * axis[1]), (float)(most * axis[2]),
                          kind == 2 ? (float)random_between(random, -1.0, 1.0) : 1.0f };
    return abut_quat_normalise(q);
}

static inline abut_geometry *any_triangle(random_source *random, double size)
{
    const uint32_t indices[3] = { 0, 1, 2 };
    const bool level = random_below(random, 2) == 0, thin = random_below(random, 4) == 0;
    abut_geometry *geometry = NULL;
    while (!geometry)
    {
        abut_vec3 v[3];
        for (int i = 0; i < 3; ++i)
        {
            const double across = (thin ? 0.01 : 1.0) * size;
            v[i] = abut_vec3_make((float)random_between(random, -size, size),
                                  level ? 0.0f : (float)random_between(random, -size, size),
                                  (float)random_between(random, -across, across));
        }
        const abut_mesh_def def = { .vertices = v,
                                    .indices = indices,
                                    .vertex_count = 3,
                                    .triangle_count = 1,
                                    .two_sided = random_below(random, 2) == 0 };
        if (abut_geometry_create_mesh(&def, NULL, &geometry) != ABUT_OK)
        {
            geometry = NULL;
        }
    }
    return geometry;
}

static inline void place(ab_convex *out, const abut_shape *shape, const double at[3], abut_quat turn)
{
    const abut_pose pose = { .rotation = turn };
    ab_frame frame = ab_frame_of(&pose, true);
    memcpy(frame.position, at, sizeof frame.position);
    ab_convex_at(out, NULL, shape, &frame, false);
}

// A triangle of a mesh of one, and a shape near it.
typedef struct couple
{
    abut_geometry *geometry;
    abut_shape mesh;
    ab_triangle_pair pair;
    ab_triangle_corners corners;
    double of; // the triangle's size
} couple;

static inline void couple_open(couple *c, random_source *random, const abut_shape *shape, double size)
{
    const double here[3] = { 0.0, 0.0, 0.0 };
    c->of = random_below(random, 2) == 0 ? size : random_scale(random, 0.01, 100.0);
    c->geometry = any_triangle(random, c->of);
    c->mesh = abut_shape_mesh(c->geometry);
    c->pair = (ab_triangle_pair){ .mesh = ab_mesh_of_geometry(c->geometry) };
    const abut_quat turn = any_turn(random);
    double at[3];
    any_direction(random, at);
    for (int k = 0; k < 3; ++k)
    {
        at[k] *= random_between(random, 0.0, 1.2) * (random_below(random, 2) == 0 ? size : size + c->of);
    }
    place(&c->pair.placed, &c->mesh, here, turn);
    place(&c->pair.convex, shape, at, random_below(random, 2) == 0 ? turn : any_turn(random));
    ab_triangle_pair_up(&c->pair);
    ab_triangle_corners_of(c->pair.mesh, 0, &c->corners);
}

// Random heights, for mesh_field.
typedef struct bumps
{
    random_source *random;
    double high;
} bumps;

static inline double bump(void *context, double x, double z)
{
    const bumps *b = context;
    (void)x, (void)z;
    return random_between(b->random, -b->high, b->high);
}

#endif
