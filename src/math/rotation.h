// The matrix of a rotation in one fixed order of operations, for a float and for a vector of them, so that both give
// the same bits. s = 2 / |q|^2 makes it orthonormal for any non-zero q, and equal for q and -q.
#ifndef AB_ROTATION_H
#define AB_ROTATION_H

#include <abut/math.h>

// T: the number type; add, sub, mul, div: its arithmetic; one, two: constants of it. axis[3 * i + k] becomes component
// k, in the outer frame, of the inner frame's axis i.
#define AB_ROTATION_AXES(T, add, sub, mul, div, one, two, qx, qy, qz, qw, axis)                                        \
    do                                                                                                                 \
    {                                                                                                                  \
        const T square_ = add(add(add(mul(qx, qx), mul(qy, qy)), mul(qz, qz)), mul(qw, qw));                           \
        const T s_ = div(two, square_);                                                                                \
        const T xs_ = mul(qx, s_), ys_ = mul(qy, s_), zs_ = mul(qz, s_);                                               \
        const T xx_ = mul(qx, xs_), xy_ = mul(qx, ys_), xz_ = mul(qx, zs_);                                            \
        const T yy_ = mul(qy, ys_), yz_ = mul(qy, zs_), zz_ = mul(qz, zs_);                                            \
        const T wx_ = mul(qw, xs_), wy_ = mul(qw, ys_), wz_ = mul(qw, zs_);                                            \
        (axis)[0] = sub(one, add(yy_, zz_));                                                                           \
        (axis)[1] = add(xy_, wz_);                                                                                     \
        (axis)[2] = sub(xz_, wy_);                                                                                     \
        (axis)[3] = sub(xy_, wz_);                                                                                     \
        (axis)[4] = sub(one, add(xx_, zz_));                                                                           \
        (axis)[5] = add(yz_, wx_);                                                                                     \
        (axis)[6] = add(xz_, wy_);                                                                                     \
        (axis)[7] = sub(yz_, wx_);                                                                                     \
        (axis)[8] = sub(one, add(xx_, yy_));                                                                           \
    } while (0)

void ab_rotation_axes(abut_quat q, float axis[9]);

// abut_sincos before rounding: errs by less than 1e-13 for |radians| up to 1e5. False past 1e15, and for NaN.
bool ab_sincos(double radians, double *sine, double *cosine);

// Whether q can be a rotation: finite and not zero. Normalises it in place, unless it already has unit length (to 5e-7
// of its square); then it keeps its bits.
bool ab_rotation_accept(abut_quat *q);

// abut_pose_move for a pose with an accepted rotation, in our own floating-point environment.
bool ab_pose_move(abut_pose *pose, const abut_velocity *velocity, float dt);

// The functions of abut/math.h of the same names, for callers in our own floating-point environment.
float ab_vec3_length(abut_vec3 v);
abut_vec3 ab_vec3_normalise(abut_vec3 v);
abut_quat ab_quat_normalise(abut_quat q);
abut_quat ab_quat_from_axis_angle(abut_vec3 axis, float radians);
abut_quat ab_quat_from_euler(float x, float y, float z, abut_euler_order order);
abut_quat ab_quat_from_mat3(const abut_mat3 *m);
abut_mat3 ab_mat3_from_quat(abut_quat q);
abut_mat3 ab_mat3_from_axis_angle(abut_vec3 axis, float radians);
abut_mat3 ab_mat3_from_euler(float x, float y, float z, abut_euler_order order);
abut_vec3 ab_quat_rotate(abut_quat q, abut_vec3 v);
abut_vec3 ab_pose_apply(const abut_pose *pose, abut_vec3 local);
abut_pose ab_pose_compose(const abut_pose *pose, const abut_pose *local);
abut_pose ab_pose_2d(float x, float y, float radians);
float ab_pose_angle(const abut_pose *pose);
abut_aabb ab_aabb_from_centre(abut_vec3 centre, abut_vec3 half_extents);
abut_vec3 ab_aabb_centre(const abut_aabb *box);
abut_vec3 ab_aabb_half_extents(const abut_aabb *box);
bool ab_aabb_contains(const abut_aabb *box, abut_vec3 point);
bool ab_aabb_overlaps(const abut_aabb *a, const abut_aabb *b);
bool ab_aabb_contains_aabb(const abut_aabb *outer, const abut_aabb *inner);
abut_vec3 ab_aabb_closest_point(const abut_aabb *box, abut_vec3 point);
void ab_sincos_float(float radians, float *sine, float *cosine);

// Whether every coordinate is finite and at most ABUT_MAX_MAGNITUDE.
bool ab_vec3_in_range(abut_vec3 v);

// Checks both position and rotation; the pose's unused word becomes zero.
bool ab_pose_accept(abut_pose *pose);

// Turns an all-zero rotation, the default in a definition, into identity.
void ab_rotation_default(abut_quat *q);

// Whether it is 2D: z is zero, and the rotation or angular velocity is about z alone.
bool ab_pose_is_2d(const abut_pose *pose);
bool ab_velocity_is_2d(const abut_velocity *velocity);

#endif
