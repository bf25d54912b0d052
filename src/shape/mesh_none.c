// What there is of triangle meshes in a build without them.
#include <abut/tiles.h>

static abut_status unsupported(abut_geometry **out)
{
    if (out)
    {
        *out = NULL;
    }
    return ABUT_UNSUPPORTED;
}

abut_status abut_geometry_create_mesh(const abut_mesh_def *def, const abut_allocator *allocator, abut_geometry **out)
{
    (void)def, (void)allocator;
    return unsupported(out);
}

abut_status abut_geometry_check_mesh(const abut_mesh_def *def, const abut_allocator *allocator, abut_mesh_fault *out,
                                     uint32_t capacity, uint32_t *count)
{
    (void)def, (void)allocator, (void)out, (void)capacity, (void)count;
    return ABUT_UNSUPPORTED;
}

abut_status abut_geometry_create_heightfield(const abut_heightfield_def *def, const abut_allocator *allocator,
                                             abut_geometry **out)
{
    (void)def, (void)allocator;
    return unsupported(out);
}

abut_status abut_geometry_update_heightfield(abut_geometry *field, const abut_heightfield_region *region)
{
    (void)field, (void)region;
    return ABUT_UNSUPPORTED;
}

bool abut_geometry_heightfield_at(const abut_geometry *field, float x, float z, abut_heightfield_point *out)
{
    (void)field, (void)x, (void)z, (void)out;
    return false;
}

abut_status abut_geometry_create_scaled(const abut_geometry *mesh, abut_vec3 scale, const abut_allocator *allocator,
                                        abut_geometry **out)
{
    (void)mesh, (void)scale, (void)allocator;
    return unsupported(out);
}

abut_shape abut_shape_mesh(const abut_geometry *mesh)
{
    return (abut_shape){ .kind = ABUT_MESH, .mesh = mesh };
}

uint32_t abut_geometry_mesh_triangles(const abut_geometry *geometry)
{
    (void)geometry;
    return 0;
}

bool abut_geometry_mesh_triangle(const abut_geometry *geometry, uint32_t triangle, abut_vec3 out[3])
{
    (void)geometry, (void)triangle, (void)out;
    return false;
}

uint16_t abut_geometry_mesh_material(const abut_geometry *geometry, uint32_t triangle)
{
    (void)geometry, (void)triangle;
    return 0;
}

abut_status abut_geometry_create_compound(const abut_placed_shape *parts, uint32_t count,
                                          const abut_allocator *allocator, abut_geometry **out)
{
    (void)parts, (void)count, (void)allocator;
    return unsupported(out);
}

abut_shape abut_shape_compound(const abut_geometry *compound)
{
    return (abut_shape){ .kind = ABUT_COMPOUND, .compound = compound };
}

uint32_t abut_geometry_compound_parts(const abut_geometry *geometry)
{
    (void)geometry;
    return 0;
}

bool abut_geometry_compound_part(const abut_geometry *geometry, uint32_t part, abut_placed_shape *out)
{
    (void)geometry, (void)part, (void)out;
    return false;
}

abut_status abut_geometry_create_chain(const abut_chain_def *def, const abut_allocator *allocator, abut_geometry **out)
{
    (void)def, (void)allocator;
    return unsupported(out);
}

abut_status abut_geometries_of_tiles(const abut_tile_map *map, const abut_tile_part *part,
                                     const abut_allocator *allocator, abut_geometry **out, uint32_t capacity,
                                     uint32_t *count)
{
    (void)map, (void)part, (void)allocator, (void)out, (void)capacity, (void)count;
    return ABUT_UNSUPPORTED;
}

abut_shape abut_shape_chain(const abut_geometry *chain)
{
    return (abut_shape){ .kind = ABUT_CHAIN, .chain = chain };
}

abut_shape abut_shape_half_space(void)
{
    return (abut_shape){ .kind = ABUT_HALF_SPACE };
}

abut_pose abut_pose_of_plane(abut_vec3 normal, float offset)
{
    (void)normal, (void)offset;
    return abut_pose_identity();
}

uint32_t abut_geometry_chain_points(const abut_geometry *geometry, const abut_vec2 **out)
{
    (void)geometry;
    if (out)
    {
        *out = NULL;
    }
    return 0;
}

uint32_t abut_geometry_chain_segments(const abut_geometry *geometry)
{
    (void)geometry;
    return 0;
}

void abut_shape_children(const abut_shape *a, const abut_shape *b, uint32_t child, uint32_t *child_a, uint32_t *child_b)
{
    (void)a, (void)b, (void)child;
    if (child_a)
    {
        *child_a = 0;
    }
    if (child_b)
    {
        *child_b = 0;
    }
}
