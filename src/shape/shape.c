// Public calls on a single shape, answered by its row of the table.
#include "base/platform.h"
#include "shape/shape_table.h"

#include <string.h>

abut_shape abut_shape_sphere(float radius)
{
    abut_shape shape = { .kind = ABUT_SPHERE };
    shape.sphere.radius = radius;
    return shape;
}

static abut_shape make_box(abut_shape_kind kind, float half_x, float half_y, float half_z)
{
    abut_shape shape = { .kind = kind };
    shape.box.half_extents = abut_vec3_make(half_x, half_y, half_z);
    return shape;
}

abut_shape abut_shape_aabb(float half_x, float half_y, float half_z)
{
    return make_box(ABUT_AABB, half_x, half_y, half_z);
}

abut_shape abut_shape_obb(float half_x, float half_y, float half_z)
{
    return make_box(ABUT_OBB, half_x, half_y, half_z);
}

abut_shape abut_shape_custom(uint32_t kind, const void *data, uint32_t size)
{
    abut_shape shape = { .kind = ABUT_CUSTOM };
    shape.custom = (abut_custom){ .kind = kind, .size = size };
    const uint32_t kept = size < ABUT_CUSTOM_BYTES ? size : ABUT_CUSTOM_BYTES;
    if (data && kept)
    {
        memcpy(shape.custom.data, data, kept);
    }
    return shape;
}

abut_shape abut_shape_polygon(const abut_geometry *polygon)
{
    abut_shape shape = { .kind = ABUT_POLYGON };
    shape.polygon = polygon;
    return shape;
}

bool ab_shape_valid(const abut_shape *shape)
{
    const ab_shape_row *row = shape ? ab_shape_row_for(shape->kind) : NULL;
    return row && !row->objection(NULL, shape);
}

bool abut_shape_valid(const abut_shape *shape)
{
    const uint64_t before = ab_platform_float_enter();
    const bool valid = ab_shape_valid(shape);
    ab_platform_float_leave(before);
    return valid;
}

float abut_shape_bounding_radius(const abut_shape *shape)
{
    const uint64_t before = ab_platform_float_enter();
    const float radius = ab_shape_valid(shape) ? ab_shape_row_for(shape->kind)->bounding_radius(shape) : 0.0f;
    ab_platform_float_leave(before);
    return radius;
}

const char *abut_shape_kind_name(abut_shape_kind kind)
{
    const ab_shape_row *row = ab_shape_row_for(kind);
    return row ? row->name : kind == ABUT_SHAPE_NONE ? "none" : "unknown";
}
