// The row of triangle meshes.
#include "shape/mesh.h"

#include <math.h>

abut_shape abut_shape_mesh(const abut_geometry *mesh)
{
    abut_shape shape = { .kind = ABUT_MESH };
    shape.mesh = mesh;
    return shape;
}

static const char *mesh_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_mesh_of_geometry(shape->mesh) != NULL);
}

static abut_vec3 mesh_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_mesh_of_valid(shape)->half;
}

static void mesh_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], (double)size[2] }, 0.0 };
}

// Of its convex hull.
static void mesh_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const ab_mesh *mesh = ab_mesh_of_valid(shape);
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
    {
        if (ab_mesh_is_grid(mesh) && !ab_grid_uses(&mesh->grid, i))
        {
            continue;
        }
        const abut_vec3 v = ab_mesh_position(mesh, i);
        const double here = direction[0] * v.x + direction[1] * v.y + direction[2] * v.z;
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    const abut_vec3 v = ab_mesh_position(mesh, best);
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static float mesh_bounding_radius(const abut_shape *shape)
{
    return ab_mesh_of_valid(shape)->bounding_radius;
}

static const abut_geometry *mesh_geometry(const abut_shape *shape)
{
    return shape->mesh;
}

// A surface has no inside; what lies on it is in it.
static bool mesh_contains(const abut_shape *shape, const double point[3])
{
    double on[3];
    (void)ab_mesh_nearest(ab_mesh_of_valid(shape), point, on);
    return on[0] == point[0] && on[1] == point[1] && on[2] == point[2];
}

static void mesh_closest(const abut_shape *shape, const double point[3], double out[3])
{
    (void)ab_mesh_nearest(ab_mesh_of_valid(shape), point, out);
}

// Whether a triangle draws an edge: of two neighbours, the first in order does.
static bool draws(const ab_mesh *mesh, uint32_t triangle, int k)
{
    const uint32_t neighbour = ab_mesh_neighbour(mesh, triangle, k);
    return neighbour >= triangle || !ab_mesh_is_triangle(mesh, neighbour);
}

// Each edge once.
static void mesh_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)flat;
    const ab_mesh *mesh = ab_mesh_of_valid(shape);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            if (ab_mesh_is_triangle(mesh, i) && draws(mesh, i, k))
            {
                line(context, ab_mesh_position(mesh, ab_mesh_vertex(mesh, i, k)),
                     ab_mesh_position(mesh, ab_mesh_vertex(mesh, i, (k + 1) % 3)));
            }
        }
    }
}

const ab_shape_row ab_mesh_row = {
    .name = "mesh",
    .turns = true,
    .solid = true,
    .parts = true,
    .surface = true,
    .objection = mesh_objection,
    .size = mesh_size,
    .core = mesh_core,
    .support = mesh_support,
    .bounding_radius = mesh_bounding_radius,
    .geometry = mesh_geometry,
    .contains = mesh_contains,
    .closest = mesh_closest,
    .ray = ab_mesh_ray,
    .wire = mesh_wire,
};
