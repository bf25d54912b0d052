#include "shape/shape_table.h"

#include "math/rotation.h"
#include "shape/record.h"

static bool size_valid(float size)
{
    return size >= 0.0f && size <= ABUT_MAX_MAGNITUDE; // false for NaN
}

static bool sphere_valid(const abut_shape *shape)
{
    return size_valid(shape->sphere.radius);
}

static abut_vec3 sphere_half_extents(const abut_shape *shape)
{
    const float r = shape->sphere.radius;
    return abut_vec3_make(r, r, r);
}

static float sphere_bounding_radius(const abut_shape *shape)
{
    return shape->sphere.radius;
}

static bool box_valid(const abut_shape *shape)
{
    const abut_vec3 h = shape->box.half_extents;
    return size_valid(h.x) && size_valid(h.y) && size_valid(h.z);
}

static abut_vec3 box_half_extents(const abut_shape *shape)
{
    return shape->box.half_extents;
}

// One part in 2^22 covers the rounding of the length.
static float box_bounding_radius(const abut_shape *shape)
{
    return abut_vec3_length(shape->box.half_extents) * (1.0f + 0x1p-22f);
}

static const ab_shape_row rows[ABUT_SHAPE_KIND_COUNT] = {
    [ABUT_SPHERE] = { "sphere", false, sphere_valid, sphere_half_extents, sphere_bounding_radius },
    [ABUT_AABB] = { "aabb", false, box_valid, box_half_extents, box_bounding_radius },
    [ABUT_OBB] = { "obb", true, box_valid, box_half_extents, box_bounding_radius },
};

const ab_shape_row *ab_shape_row_for(abut_shape_kind kind)
{
    return (unsigned)kind < ABUT_SHAPE_KIND_COUNT && rows[kind].name ? &rows[kind] : NULL;
}

void ab_record_make(ab_record *out, const abut_shape *shape, const abut_pose *pose, uint32_t order)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const abut_vec3 half = row->half_extents(shape);
    *out = (ab_record){
        .position = { pose->position.x, pose->position.y, pose->position.z },
        .half_x = half.x,
        .axis = { 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f },
        .half_y = half.y,
        .half_z = half.z,
        .order = order,
    };
    if (row->turns)
    {
        ab_rotation_axes(pose->rotation, out->axis);
    }
}
