// The table of built-in kinds of shape: one row of functions per kind.
#include "shape/shape_table.h"

#include "math/rotation.h"
#include "shape/kinds.h"
#include "shape/record.h"

#include <math.h>
#include <string.h>

static const ab_shape_row *const rows[AB_KIND_COUNT] = {
    [ABUT_SPHERE] = &ab_sphere_row, [ABUT_AABB] = &ab_aabb_row,
    [ABUT_OBB] = &ab_obb_row,       [ABUT_POLYGON] = &ab_polygon_row,
    [ABUT_CUSTOM] = &ab_custom_row, [ABUT_CAPSULE] = &ab_capsule_row,
#ifdef AB_HULLS
    [ABUT_HULL] = &ab_hull_row,     [ABUT_CYLINDER] = &ab_cylinder_row,
#endif
#ifdef AB_MESHES
    [ABUT_MESH] = &ab_mesh_row,     [ABUT_COMPOUND] = &ab_compound_row,
    [ABUT_CHAIN] = &ab_chain_row,   [ABUT_HALF_SPACE] = &ab_half_space_row,
#endif
};

const ab_shape_row *ab_shape_row_for(abut_shape_kind kind)
{
    return (unsigned)kind < AB_KIND_COUNT ? rows[kind] : NULL;
}

static const abut_geometry *geometry_of(const abut_shape *shape)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    return row && row->geometry ? row->geometry(shape) : NULL;
}

void ab_shape_retain(const abut_shape *shape)
{
    abut_geometry_retain(geometry_of(shape));
}

void ab_shape_release(const abut_shape *shape)
{
    abut_geometry_release(geometry_of(shape));
}

bool ab_size_valid(float size)
{
    // By bits, of which no floating-point environment has its own opinion: under flush-to-zero a negative denormal
    // would compare as zero, and a compiler may move comparisons past a change of the environment. NaN has the largest
    // bits.
    const uint32_t negative_zero = 0x80000000u;
    const float most = ABUT_MAX_MAGNITUDE;
    uint32_t bits, most_bits;
    memcpy(&bits, &size, sizeof bits);
    memcpy(&most_bits, &most, sizeof most_bits);
    return bits <= most_bits || bits == negative_zero;
}

const char *ab_size_objection(bool valid)
{
    return valid ? NULL
                 : "the shape's kind or geometry is not valid, or a size is negative, not finite or past the limit";
}

void ab_box_points_make(const float min[3], const float max[3], ab_box_points *out)
{
    for (uint32_t i = 0; i < AB_POINTS_GROUP; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            out->at[k][i] = i >> k & 1u ? max[k] : min[k];
        }
    }
}

const char *ab_shape_objection(const ab_kind_set *kinds, const abut_shape *shape)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    return row ? row->objection(ab_shape_def(kinds, shape), shape) : ab_size_objection(false);
}

abut_vec3 ab_shape_size(const ab_kind_set *kinds, const abut_shape *shape)
{
    return ab_shape_row_for(shape->kind)->size(ab_shape_def(kinds, shape), shape);
}

void ab_shape_farthest(const ab_shape_row *row, const abut_shape *shape, const double direction[3], double out[3])
{
    const abut_vec3 of = row->size(NULL, shape);
    const float size[3] = { of.x, of.y, of.z };
    ab_core core;
    row->core(NULL, shape, size, &core);
    row->support(NULL, shape, direction, out);
    if (core.rounding > 0.0)
    {
        const double *d = direction, scale = core.rounding / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int k = 0; k < 3; ++k)
        {
            out[k] += d[k] * scale;
        }
    }
}

void ab_record_make(ab_record *out, const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose,
                    uint32_t collider_key)
{
    const abut_vec3 size = ab_shape_size(kinds, shape);
    *out = (ab_record){
        .position = { pose->position.x, pose->position.y, pose->position.z },
        .half_x = size.x,
        .axis = { 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f },
        .half_y = size.y,
        .half_z = size.z,
        .collider_key = collider_key,
    };
    if (ab_shape_row_for(shape->kind)->turns)
    {
        ab_rotation_axes(pose->rotation, out->axis);
    }
}
