// Shapes and sizes of bodies; positions are the scenes' own.
#include "scene_shapes.h"

void scene_shape_draw(abut_body_def *def, abut_shape_kind kind, float low, float high, pcg32 *random)
{
    abut_pose pose = abut_pose_identity();
    abut_shape shape;
    if (kind == ABUT_SPHERE)
    {
        shape = abut_shape_sphere(pcg32_between(random, low, high));
    }
    else
    {
        float x = pcg32_between(random, low, high);
        float y = pcg32_between(random, low, high);
        float z = pcg32_between(random, low, high);
        shape = kind == ABUT_AABB ? abut_shape_aabb(x, y, z) : abut_shape_obb(x, y, z);
    }
    if (kind == ABUT_OBB)
    {
        pose.rotation = pcg32_rotation(random);
    }
    def->pose = pose;
    def->collider.shape = shape;
}

abut_shape_kind scene_kind_in_turn(uint32_t index)
{
    static const abut_shape_kind kinds[3] = { ABUT_SPHERE, ABUT_AABB, ABUT_OBB };
    return kinds[index % 3];
}

float scene_reflect(float at, float side, float *step)
{
    if (at >= 0.0f && at <= side)
    {
        return at;
    }
    *step = -*step;
    return at < 0.0f ? -at : side - (at - side);
}

static float lower(float a, float b)
{
    return a < b ? a : b;
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

abut_aabb scene_hull_bounds(const abut_shape *hull, const abut_pose *pose)
{
    const abut_vec3 *vertices;
    const uint32_t count = abut_geometry_hull_vertices(hull->hull, &vertices);
    const abut_mat3 m = abut_mat3_from_quat(pose->rotation);
    abut_vec3 low = abut_mat3_mul_vec3(&m, vertices[0]), high = low;
    for (uint32_t i = 1; i < count; ++i)
    {
        const abut_vec3 at = abut_mat3_mul_vec3(&m, vertices[i]);
        low = abut_vec3_make(lower(low.x, at.x), lower(low.y, at.y), lower(low.z, at.z));
        high = abut_vec3_make(higher(high.x, at.x), higher(high.y, at.y), higher(high.z, at.z));
    }
    const abut_vec3 more = abut_vec3_scale(abut_vec3_sub(high, low), 1e-6f);
    return abut_aabb_make(abut_vec3_add(pose->position, abut_vec3_sub(low, more)),
                          abut_vec3_add(pose->position, abut_vec3_add(high, more)));
}

bench_crowd scene_crowd(const abut_body_def *defs, uint32_t count)
{
    bench_crowd crowd = { 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        crowd_add(&crowd, crowd_half_extents(&defs[i].collider.shape, defs[i].pose.rotation));
    }
    return crowd;
}
