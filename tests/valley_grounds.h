// Grounds with a valley or a ledge, of all kinds of meshes, and what stands on them.
#ifndef VALLEY_GROUNDS_H
#define VALLEY_GROUNDS_H

#include "mesh_makers.h"

enum
{
    SHAPES = 5,
    SIDE = 13 // of a field of heights, a metre apart
};

// Half a metre in each direction, or about so.
typedef struct bodies
{
    abut_shape shape[SHAPES];
    float half[SHAPES]; // down
    abut_geometry *hull;
} bodies;

static inline bodies open_bodies(void)
{
    abut_vec3 corner[8];
    bodies b = { .half = { 0.5f, 0.75f, 0.5f, 0.5f, 0.25f } };
    for (int i = 0; i < 8; ++i)
    {
        corner[i] = abut_vec3_make(i & 1 ? 0.3f : -0.3f, i & 2 ? 0.25f : -0.25f, i & 4 ? 0.3f : -0.3f);
    }
    assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, &b.hull), ABUT_OK);
    b.shape[0] = abut_shape_sphere(0.5f);
    b.shape[1] = abut_shape_capsule(0.25f, 0.5f);
    b.shape[2] = abut_shape_obb(0.5f, 0.5f, 0.4f);
    b.shape[3] = abut_shape_aabb(0.4f, 0.5f, 0.4f);
    b.shape[4] = abut_shape_hull(b.hull);
    return b;
}

typedef enum ground_kind
{
    GROUND_MESH,
    GROUND_TWO_SIDED,
    GROUND_FIELD,
    GROUND_BACK,        // a mesh with two sides, its back upwards
    GROUND_UNDER,       // a mesh with two sides upside down: shapes come to its back, from below
    GROUND_UNDER_FIELD, // likewise a heightfield
    GROUND_KINDS
} ground_kind;

// A world with a floor, and a slope that begins at x = left, up or down.
typedef struct ground
{
    abut_world *world;
    abut_geometry *geometry;
    float left, up; // up: 1; -1 upside down
} ground;

static inline abut_geometry *mesh_slope(double slope, ground_kind kind)
{
    const double far = 6.0 + 6.0 * cos(slope), high = (kind == GROUND_UNDER ? -6.0 : 6.0) * sin(slope);
    mesh_maker m = { 0 };
    abut_geometry *out = NULL;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const double x = i < 2 ? 6.0 * i : far, y = i < 2 ? 0.0 : high;
        mesh_vertex(&m, x, y, -5.0);
        mesh_vertex(&m, x, y, 5.0);
    }
    if (kind == GROUND_BACK)
    {
        mesh_quad(&m, 1, 0, 2, 3, false);
        mesh_quad(&m, 3, 2, 4, 5, true);
    }
    else
    {
        mesh_quad(&m, 0, 1, 3, 2, false);
        mesh_quad(&m, 2, 3, 5, 4, true);
    }
    abut_mesh_def def = mesh_def_of(&m);
    def.two_sided = kind != GROUND_MESH;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    mesh_maker_close(&m);
    return out;
}

static inline abut_geometry *field_slope(double slope, ground_kind kind)
{
    const double rise = (kind == GROUND_FIELD ? 1.0 : -1.0) * tan(slope);
    float heights[SIDE * SIDE];
    abut_geometry *out = NULL;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
    {
        heights[i] = (float)(fmax((double)(i % SIDE) - 6.0, 0.0) * rise);
    }
    const abut_heightfield_def def = {
        .heights = heights, .columns = SIDE, .rows = SIDE, .step_x = 1, .step_z = 1, .two_sided = kind != GROUND_FIELD
    };
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
    return out;
}

static inline ground open_ground(double degrees, ground_kind kind)
{
    const bool is_field = kind == GROUND_FIELD || kind == GROUND_UNDER_FIELD;
    const double slope = degrees * 0.017453292519943295;
    const ground g = { .world = open_world(NULL),
                       .geometry = is_field ? field_slope(slope, kind) : mesh_slope(slope, kind),
                       .left = is_field ? 0.0f : 6.0f,
                       .up = kind == GROUND_UNDER || kind == GROUND_UNDER_FIELD ? -1.0f : 1.0f };
    add(g.world, abut_shape_mesh(g.geometry), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(g.world), ABUT_OK);
    return g;
}

static inline void close_ground(ground *g)
{
    abut_world_destroy(g->world);
    abut_geometry_release(g->geometry);
}

// A cast in the mirror of y = 0, of a shape that is the same there when it is turned about z by half a turn.
static inline abut_cast mirrored(abut_cast cast)
{
    const abut_quat q = cast.pose.rotation, half = { 0, 0, 1, 0 };
    cast.pose.rotation = abut_quat_mul((abut_quat){ -q.x, q.y, -q.z, q.w }, half);
    cast.pose.position.y = -cast.pose.position.y;
    cast.translation.y = -cast.translation.y;
    cast.rotation = abut_vec3_make(-cast.rotation.x, cast.rotation.y, -cast.rotation.z);
    return cast;
}

// A surface over the plane, and how deep a ball or a level cube is in it, upwards: at many of its lowest points.
typedef struct field
{
    float heights[SIDE * SIDE];
} field;

// By the triangle of the cell: see abut_geometry_create_heightfield.
static inline double height_at(const field *f, double x, double z)
{
    const double gx = x + (SIDE - 1) / 2.0, gz = z + (SIDE - 1) / 2.0, u = gx - floor(gx), v = gz - floor(gz);
    const uint32_t at = (uint32_t)gz * SIDE + (uint32_t)gx;
    const double a = (double)f->heights[at], b = (double)f->heights[at + 1], c = (double)f->heights[at + SIDE],
                 d = (double)f->heights[at + SIDE + 1];
    return u + v <= 1.0 ? a + u * (b - a) + v * (c - a) : d + (1.0 - u) * (c - d) + (1.0 - v) * (b - d);
}

static inline double depth_in(const field *f, bool ball, dvec3 p, double r)
{
    enum
    {
        RINGS = 32
    };
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) // peaks
    {
        const double x = (double)(i % SIDE) - (SIDE - 1) / 2.0 - p.x, z = (double)(i / SIDE) - (SIDE - 1) / 2.0 - p.z;
        const double square = r * r - x * x - z * z;
        if (ball ? square > 0.0 : fabs(x) < r && fabs(z) < r)
        {
            most = fmax(most, (double)f->heights[i] - (p.y - (ball ? sqrt(square) : r)));
        }
    }
    for (int i = 0; i <= RINGS; ++i)
    {
        for (int k = 0; k <= RINGS; ++k)
        {
            const double angle = 6.283185307179586 * i / RINGS, s = r * k / RINGS;
            const double x = p.x + (ball ? s * cos(angle) : r * (2.0 * i / RINGS - 1.0)),
                         z = p.z + (ball ? s * sin(angle) : r * (2.0 * k / RINGS - 1.0));
            most = fmax(most, height_at(f, x, z) - (p.y - (ball ? sqrt(fmax(r * r - s * s, 0.0)) : r)));
        }
    }
    return most;
}

#endif
