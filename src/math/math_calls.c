// The calls of abut/math.h that compute or compare. Each runs in abut's own floating-point environment and restores the
// caller's, so that results do not depend on the caller's rounding mode or flush-to-zero.
#include "base/platform.h"
#include "math/rotation.h"

// Defines `abut_name` with these parameters: calls `ab_name` in our own environment.
#define CALL(type, name, parameters, arguments)                                                                        \
    type abut_##name parameters                                                                                        \
    {                                                                                                                  \
        const uint64_t before = ab_platform_float_enter();                                                             \
        const type answer = ab_##name arguments;                                                                       \
        ab_platform_float_leave(before);                                                                               \
        return answer;                                                                                                 \
    }

CALL(float, vec3_length, (abut_vec3 v), (v))
CALL(abut_vec3, vec3_normalise, (abut_vec3 v), (v))
CALL(abut_quat, quat_normalise, (abut_quat q), (q))
CALL(abut_quat, quat_from_axis_angle, (abut_vec3 axis, float radians), (axis, radians))
CALL(abut_quat, quat_from_euler, (float x, float y, float z, abut_euler_order order), (x, y, z, order))
CALL(abut_quat, quat_from_mat3, (const abut_mat3 *m), (m))
CALL(abut_mat3, mat3_from_quat, (abut_quat q), (q))
CALL(abut_mat3, mat3_from_axis_angle, (abut_vec3 axis, float radians), (axis, radians))
CALL(abut_mat3, mat3_from_euler, (float x, float y, float z, abut_euler_order order), (x, y, z, order))
CALL(abut_vec3, quat_rotate, (abut_quat q, abut_vec3 v), (q, v))
CALL(abut_vec3, pose_apply, (const abut_pose *pose, abut_vec3 local), (pose, local))
CALL(abut_pose, pose_compose, (const abut_pose *pose, const abut_pose *local), (pose, local))
CALL(float, pose_angle, (const abut_pose *pose), (pose))
CALL(abut_aabb, aabb_from_centre, (abut_vec3 centre, abut_vec3 half_extents), (centre, half_extents))
CALL(abut_vec3, aabb_centre, (const abut_aabb *box), (box))
CALL(abut_vec3, aabb_half_extents, (const abut_aabb *box), (box))
CALL(bool, aabb_contains, (const abut_aabb *box, abut_vec3 point), (box, point))
CALL(bool, aabb_overlaps, (const abut_aabb *a, const abut_aabb *b), (a, b))
CALL(bool, aabb_contains_aabb, (const abut_aabb *outer, const abut_aabb *inner), (outer, inner))
CALL(abut_vec3, aabb_closest_point, (const abut_aabb *box, abut_vec3 point), (box, point))

abut_pose abut_pose_2d(float x, float y, float radians)
{
    const uint64_t before = ab_platform_float_enter();
    const abut_pose pose = ab_pose_2d(x, y, radians);
    ab_platform_float_leave(before);
    return pose;
}

bool abut_pose_move(abut_pose *pose, const abut_velocity *velocity, float dt)
{
    if (!pose || !velocity)
    {
        return false;
    }
    const uint64_t before = ab_platform_float_enter();
    abut_quat rotation = pose->rotation;
    const bool moved = ab_rotation_accept(&rotation) && ab_pose_move(pose, velocity, dt);
    ab_platform_float_leave(before);
    return moved;
}

void abut_sincos(float radians, float *sine, float *cosine)
{
    const uint64_t before = ab_platform_float_enter();
    ab_sincos_float(radians, sine, cosine);
    ab_platform_float_leave(before);
}
