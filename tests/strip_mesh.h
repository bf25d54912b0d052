// A crumpled strip of triangles: a mesh that follows from its points alone.
#ifndef STRIP_MESH_H
#define STRIP_MESH_H

#include <abut/shape.h>

#include <stdbool.h>

enum
{
    STRIP_MOST = 20 // points, and triangles
};

// Triangle i has points i, i + 1 and i + 2, in turn the one way round and the other. Of an odd number the mesh has two
// sides.
static inline abut_status strip_mesh(const abut_vec3 *points, uint32_t count, abut_geometry **out)
{
    uint32_t indices[3 * STRIP_MOST];
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t turned = i & 1u;
        indices[3 * i] = (i + turned) % count;
        indices[3 * i + 1] = (i + 1 - turned) % count;
        indices[3 * i + 2] = (i + 2) % count;
    }
    const abut_mesh_def def = { .vertices = points,
                                .indices = indices,
                                .vertex_count = count,
                                .triangle_count = count,
                                .two_sided = count % 2 != 0 };
    return abut_geometry_create_mesh(&def, NULL, out);
}

// The points of such a mesh; false when a triangle has no area.
static inline bool strip_mesh_points(const abut_geometry *mesh, abut_vec3 out[STRIP_MOST])
{
    const uint32_t count = abut_geometry_mesh_triangles(mesh);
    bool all = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_vec3 corner[3] = { { 0 } };
        all = abut_geometry_mesh_triangle(mesh, i, corner) && all;
        out[i] = corner[i & 1u];
    }
    return all;
}

#endif
