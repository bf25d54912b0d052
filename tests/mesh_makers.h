// Meshes for tests: surfaces of which it is known what normals they have.
#ifndef MESH_MAKERS_H
#define MESH_MAKERS_H

#include "random.h"
#include "small_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh_maker
{
    abut_vec3 *vertices;
    uint32_t *indices;
    uint32_t vertex_count, triangle_count, vertex_room, triangle_room;
} mesh_maker;

static inline uint32_t mesh_vertex(mesh_maker *m, double x, double y, double z)
{
    if (m->vertex_count == m->vertex_room)
    {
        m->vertex_room = 2 * m->vertex_room + 64;
        m->vertices = realloc(m->vertices, m->vertex_room * sizeof *m->vertices);
        assert_non_null(m->vertices);
    }
    m->vertices[m->vertex_count] = abut_vec3_make((float)x, (float)y, (float)z);
    return m->vertex_count++;
}

static inline void mesh_triangle(mesh_maker *m, uint32_t a, uint32_t b, uint32_t c)
{
    if (m->triangle_count == m->triangle_room)
    {
        m->triangle_room = 2 * m->triangle_room + 64;
        m->indices = realloc(m->indices, 3 * (size_t)m->triangle_room * sizeof *m->indices);
        assert_non_null(m->indices);
    }
    uint32_t *to = m->indices + 3 * (size_t)m->triangle_count++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

// Two triangles, divided along a-c or b-d.
static inline void mesh_quad(mesh_maker *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool other)
{
    mesh_triangle(m, a, b, other ? d : c);
    mesh_triangle(m, other ? b : a, c, d);
}

static inline abut_mesh_def mesh_def_of(const mesh_maker *m)
{
    return (abut_mesh_def){ .vertices = m->vertices,
                            .indices = m->indices,
                            .vertex_count = m->vertex_count,
                            .triangle_count = m->triangle_count };
}

static inline void mesh_maker_close(mesh_maker *m)
{
    free(m->vertices);
    free(m->indices);
    *m = (mesh_maker){ 0 };
}

static inline abut_geometry *mesh_made(mesh_maker *m)
{
    const abut_mesh_def def = mesh_def_of(m);
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    mesh_maker_close(m);
    return out;
}

// Triangles anywhere in a box, which go through each other.
static inline void mesh_soup(mesh_maker *m, random_source *random, uint32_t count, double half)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t vertex[3];
        for (int j = 0; j < 3; ++j)
        {
            const dvec3 at = random_in_box(random, half);
            vertex[j] = mesh_vertex(m, at.x, at.y, at.z);
        }
        mesh_triangle(m, vertex[0], vertex[1], vertex[2]);
    }
}

// A height for a place.
typedef double mesh_height(void *context, double x, double z);

// A field of x_count times z_count quads from (-x_half, -z_half) on, with borders at uneven places, upwards.
static inline void mesh_field(mesh_maker *m, random_source *random, uint32_t x_count, uint32_t z_count, double x_half,
                              double z_half, double uneven, mesh_height *height, void *context)
{
    const uint32_t first = m->vertex_count;
    for (uint32_t j = 0; j <= z_count; ++j)
    {
        for (uint32_t i = 0; i <= x_count; ++i)
        {
            const bool rim = i == 0 || j == 0 || i == x_count || j == z_count;
            const double by = rim ? 0.0 : uneven;
            const double x = x_half * (2.0 * (i + random_between(random, -by, by)) / x_count - 1.0);
            const double z = z_half * (2.0 * (j + random_between(random, -by, by)) / z_count - 1.0);
            mesh_vertex(m, x, height ? height(context, x, z) : 0.0, z);
        }
    }
    for (uint32_t j = 0; j < z_count; ++j)
    {
        for (uint32_t i = 0; i < x_count; ++i)
        {
            const uint32_t a = first + j * (x_count + 1) + i, b = a + x_count + 1;
            mesh_quad(m, a, b, b + 1, a + 1, random_below(random, 2) != 0);
        }
    }
}

// The side of a cylinder along z, of `facets` facets, seen from outside or from inside.
static inline void mesh_cylinder(mesh_maker *m, random_source *random, uint32_t facets, uint32_t rings, double radius,
                                 double half_length, bool inside)
{
    const uint32_t first = m->vertex_count;
    for (uint32_t j = 0; j <= rings; ++j)
    {
        for (uint32_t i = 0; i < facets; ++i)
        {
            const double angle = 6.283185307179586 * i / facets;
            mesh_vertex(m, radius * cos(angle), radius * sin(angle), half_length * (2.0 * j / rings - 1.0));
        }
    }
    for (uint32_t j = 0; j < rings; ++j)
    {
        for (uint32_t i = 0; i < facets; ++i)
        {
            const uint32_t k = (i + 1) % facets, a = first + j * facets + i, b = first + j * facets + k;
            const bool other = random_below(random, 2) != 0;
            if (inside)
            {
                mesh_quad(m, a, a + facets, b + facets, b, other);
            }
            else
            {
                mesh_quad(m, a, b, b + facets, a + facets, other);
            }
        }
    }
}

// A hash of a world's state with a mesh in it.
static inline uint64_t hash_with_mesh(const abut_geometry *geometry)
{
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(geometry), 0, 0, 0, ABUT_STATIC);
    detect(world);
    const uint64_t hash = abut_world_state_hash(world);
    abut_world_destroy(world);
    return hash;
}

#endif
