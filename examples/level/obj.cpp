// OBJ files by tinyobjloader.
#include "triangles.h"

#include <cstdio>
#include <string>
#include <vector>

#include <tiny_obj_loader.h>

bool triangles_read_obj(triangles *t, const char *path)
{
    tinyobj::attrib_t attributes;
    std::vector<tinyobj::shape_t> shapes;
    std::vector<tinyobj::material_t> materials;
    std::string warning, error;
    if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, path))
    {
        std::fprintf(stderr, "level: cannot read %s: %s\n", path, error.c_str());
        return false;
    }
    const uint32_t first = t->vertex_count;
    for (size_t i = 0; i + 2 < attributes.vertices.size(); i += 3)
    {
        const auto *at = &attributes.vertices[i];
        triangles_add_vertex(t, abut_vec3{ at[0], at[1], at[2] });
    }
    for (const tinyobj::shape_t &shape : shapes)
    {
        const std::vector<tinyobj::index_t> &corners = shape.mesh.indices;
        for (size_t i = 0; i + 2 < corners.size(); i += 3)
        {
            triangles_add(t, first + static_cast<uint32_t>(corners[i].vertex_index),
                          first + static_cast<uint32_t>(corners[i + 1].vertex_index),
                          first + static_cast<uint32_t>(corners[i + 2].vertex_index), PART_OTHER);
        }
    }
    return !t->short_of_memory;
}
