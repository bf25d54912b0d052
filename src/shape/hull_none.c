// What there is of convex hulls and cylinders in a build without them.
#include "shape/hull.h"

abut_status abut_geometry_create_hull(const abut_vec3 *points, uint32_t count, uint32_t max_vertices,
                                      const abut_allocator *allocator, abut_geometry **out)
{
    (void)points, (void)count, (void)max_vertices, (void)allocator;
    if (out)
    {
        *out = NULL;
    }
    return ABUT_UNSUPPORTED;
}

const ab_hull *ab_hull_of_geometry(const abut_geometry *geometry)
{
    (void)geometry;
    return NULL;
}

abut_shape abut_shape_hull(const abut_geometry *hull)
{
    return (abut_shape){ .kind = ABUT_HULL, .hull = hull };
}

abut_shape abut_shape_tapered_cylinder(float bottom_radius, float top_radius, float half_height)
{
    (void)bottom_radius, (void)top_radius, (void)half_height;
    return (abut_shape){ .kind = ABUT_CYLINDER };
}

abut_shape abut_shape_cylinder(float radius, float half_height)
{
    return abut_shape_tapered_cylinder(radius, radius, half_height);
}

abut_shape abut_shape_cone(float radius, float half_height)
{
    return abut_shape_tapered_cylinder(radius, 0.0f, half_height);
}

uint32_t abut_geometry_hull_vertices(const abut_geometry *geometry, const abut_vec3 **out)
{
    (void)geometry;
    if (out)
    {
        *out = NULL;
    }
    return 0;
}

uint32_t abut_geometry_hull_faces(const abut_geometry *geometry)
{
    (void)geometry;
    return 0;
}

uint32_t abut_geometry_hull_face(const abut_geometry *geometry, uint32_t face, const uint32_t **out)
{
    (void)geometry, (void)face;
    if (out)
    {
        *out = NULL;
    }
    return 0;
}

float abut_geometry_hull_deviation(const abut_geometry *geometry)
{
    (void)geometry;
    return 0.0f;
}

bool ab_hull_mark_beyond(const ab_hull *hull, const ab_hull_beyond *beyond, uint64_t out[AB_HULL_MARKS])
{
    (void)hull, (void)beyond, (void)out;
    return false;
}
