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

bench_crowd scene_crowd(const abut_body_def *defs, uint32_t count)
{
    bench_crowd crowd = { 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        crowd_add(&crowd, crowd_half_extents(&defs[i].collider.shape, defs[i].pose.rotation));
    }
    return crowd;
}
