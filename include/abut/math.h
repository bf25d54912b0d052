// Vectors, rotations, poses and boxes by value. Right-handed; metres and radians. Fixed order of operations and no
// libm: the same bits on every compiler that does not contract.
#ifndef ABUT_MATH_H
#define ABUT_MATH_H

#include <abut/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// A point or direction in space.
typedef struct abut_vec3
{
    float x; // first coordinate
    float y; // second coordinate
    float z; // third coordinate
} abut_vec3;

// A point or direction in 2D.
typedef struct abut_vec2
{
    float x; // first coordinate
    float y; // second coordinate
} abut_vec2;

// A quaternion w + xi + yj + zk; a rotation if its length is one. In definitions all zeros mean identity.
typedef struct abut_quat
{
    float x; // of i
    float y; // of j
    float z; // of k
    float w; // real part
} abut_quat;

// A 3x3 matrix by columns: the images of the unit axes.
typedef struct abut_mat3
{
    abut_vec3 x; // image of (1, 0, 0)
    abut_vec3 y; // image of (0, 1, 0)
    abut_vec3 z; // image of (0, 0, 1)
} abut_mat3;

// A position and rotation; the rotation is applied first. 32 bytes, so that arrays load in whole vectors.
typedef struct abut_pose
{
    abut_vec3 position; // metres, world frame
    float unused;       // padding: neither read nor kept
    abut_quat rotation; // from the body's frame to the world's
} abut_pose;

// A linear and an angular velocity in the world's frame.
typedef struct abut_velocity
{
    abut_vec3 linear;  // metres a second, of the body's origin
    abut_vec3 angular; // radians a second, about the body's origin
} abut_velocity;

// An axis-aligned box: the points p with min <= p <= max on each axis.
typedef struct abut_aabb
{
    abut_vec3 min; // the lower corner
    abut_vec3 max; // the upper corner
} abut_aabb;

// Returns (x, y, z).
static inline abut_vec3 abut_vec3_make(float x, float y, float z)
{
    abut_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

// Returns a + b.
static inline abut_vec3 abut_vec3_add(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

// Returns a - b.
static inline abut_vec3 abut_vec3_sub(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

// Returns v times s.
static inline abut_vec3 abut_vec3_scale(abut_vec3 v, float s)
{
    return abut_vec3_make(v.x * s, v.y * s, v.z * s);
}

// Returns -v.
static inline abut_vec3 abut_vec3_negate(abut_vec3 v)
{
    return abut_vec3_make(-v.x, -v.y, -v.z);
}

// Returns the dot product.
static inline float abut_vec3_dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Returns the cross product.
static inline abut_vec3 abut_vec3_cross(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// Returns the identity.
static inline abut_quat abut_quat_identity(void)
{
    abut_quat q;
    q.x = q.y = q.z = 0.0f;
    q.w = 1.0f;
    return q;
}

// Returns the product ab: the rotation b followed by a.
static inline abut_quat abut_quat_mul(abut_quat a, abut_quat b)
{
    abut_quat q;
    q.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    q.y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x;
    q.z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w;
    q.w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    return q;
}

// Returns the conjugate: the inverse of a unit quaternion.
static inline abut_quat abut_quat_conjugate(abut_quat q)
{
    q.x = -q.x;
    q.y = -q.y;
    q.z = -q.z;
    return q;
}

// Returns the pose at the origin without rotation.
static inline abut_pose abut_pose_identity(void)
{
    abut_pose p;
    p.position = abut_vec3_make(0.0f, 0.0f, 0.0f);
    p.unused = 0.0f;
    p.rotation = abut_quat_identity();
    return p;
}

// Returns the product of matrix and vector.
static inline abut_vec3 abut_mat3_mul_vec3(const abut_mat3 *m, abut_vec3 v)
{
    return abut_vec3_add(abut_vec3_add(abut_vec3_scale(m->x, v.x), abut_vec3_scale(m->y, v.y)),
                         abut_vec3_scale(m->z, v.z));
}

// Returns the length, computed in double: it neither overflows nor vanishes in the range of a float.
ABUT_API float abut_vec3_length(abut_vec3 v);

// Returns v divided by its length, computed in double; zero for a zero, NaN or infinite v.
ABUT_API abut_vec3 abut_vec3_normalise(abut_vec3 v);

// Returns q divided by its length; identity for a zero, NaN or infinite q.
ABUT_API abut_quat abut_quat_normalise(abut_quat q);

// Returns the rotation by `radians` about `axis` (any length), counter-clockwise seen from its tip, accurate to 2 units
// in the last place for every finite angle. Identity for a zero axis.
ABUT_API abut_quat abut_quat_from_axis_angle(abut_vec3 axis, float radians);

// Returns the orthonormal matrix of q, of any length but zero; NaN for a zero, NaN or infinite q.
ABUT_API abut_mat3 abut_mat3_from_quat(abut_quat q);

// The order of Euler rotations as a matrix product: ABUT_EULER_ZYX is Rz * Ry * Rx, so x rotates first about fixed
// axes. Equally: about z, then the new y, then the new x.
typedef enum abut_euler_order
{
    ABUT_EULER_XYZ = 0,    // Rx * Ry * Rz
    ABUT_EULER_XZY,        // Rx * Rz * Ry
    ABUT_EULER_YXZ,        // Ry * Rx * Rz
    ABUT_EULER_YZX,        // Ry * Rz * Rx
    ABUT_EULER_ZXY,        // Rz * Rx * Ry
    ABUT_EULER_ZYX,        // Rz * Ry * Rx
    ABUT_EULER_ORDER_COUNT // number of orders
} abut_euler_order;

// Returns the unit rotation by x, y and z radians about those axes in the given order; NaN for angles that are not
// finite, identity for an unknown order.
ABUT_API abut_quat abut_quat_from_euler(float x, float y, float z, abut_euler_order order);

// Returns abut_quat_from_axis_angle as a matrix.
ABUT_API abut_mat3 abut_mat3_from_axis_angle(abut_vec3 axis, float radians);

// Returns abut_quat_from_euler as a matrix.
ABUT_API abut_mat3 abut_mat3_from_euler(float x, float y, float z, abut_euler_order order);

// Returns the unit quaternion of a rotation matrix, with w not negative. Some rotation for another matrix, identity for
// one with NaN.
ABUT_API abut_quat abut_quat_from_mat3(const abut_mat3 *m);

// Returns v rotated by q, which must be of unit length.
ABUT_API abut_vec3 abut_quat_rotate(abut_quat q, abut_vec3 v);

// Returns a point of the pose's frame in the world's frame.
ABUT_API abut_vec3 abut_pose_apply(const abut_pose *pose, abut_vec3 local);

// Returns the product of two poses: `local` in the frame of `pose`, in the world's frame.
ABUT_API abut_pose abut_pose_compose(const abut_pose *pose, const abut_pose *local);

// Returns a point of the world's frame in the pose's frame. The rotation must be of unit length, here and below.
static inline abut_vec3 abut_pose_apply_inverse(const abut_pose *pose, abut_vec3 world)
{
    return abut_quat_rotate(abut_quat_conjugate(pose->rotation), abut_vec3_sub(world, pose->position));
}

// Returns the inverse of a pose: composed with it, but for rounding, it is the identity.
static inline abut_pose abut_pose_inverse(const abut_pose *pose)
{
    abut_pose p;
    p.rotation = abut_quat_conjugate(pose->rotation);
    p.unused = 0.0f;
    p.position = abut_quat_rotate(p.rotation, abut_vec3_negate(pose->position));
    return p;
}

// Returns the velocity of a point of a body, both in the world's frame. Of a body that turns it changes over the step:
// where the point goes, abut_pose_apply says with the pose after, of abut_pose_apply_inverse with the one before.
static inline abut_vec3 abut_velocity_at(const abut_velocity *velocity, const abut_pose *pose, abut_vec3 point)
{
    return abut_vec3_add(velocity->linear, abut_vec3_cross(velocity->angular, abut_vec3_sub(point, pose->position)));
}

// Moves a pose along a velocity for `dt` seconds, with the bits of abut_world_move. Returns false, and changes nothing,
// if it would leave ABUT_MAX_MAGNITUDE or turn by more than 1e9 radians, and for invalid or NULL input.
ABUT_API bool abut_pose_move(abut_pose *pose, const abut_velocity *velocity, float dt);

// Returns a 2D pose: position (x, y, 0), rotated counter-clockwise by `radians` about z. Its rotation has x and y
// exactly zero, as 2D worlds require.
ABUT_API abut_pose abut_pose_2d(float x, float y, float radians);

// Returns the pose of the half-space of all points p with dot(normal, p) <= offset, at the point of its plane that is
// nearest to the origin. The normal may have any length but zero, and lies in the xy plane in 2D. Without a direction
// (zero, not finite) it is the identity.
ABUT_API abut_pose abut_pose_of_plane(abut_vec3 normal, float offset);

// Returns the angle of a 2D pose in radians, from -pi to pi, accurate to one unit in the last place; of another
// rotation that of its part about z. Zero for NULL.
ABUT_API float abut_pose_angle(const abut_pose *pose);

// Returns the box with this centre and these half extents (not negative), rounded outward by at most one unit in the
// last place.
ABUT_API abut_aabb abut_aabb_from_centre(abut_vec3 centre, abut_vec3 half_extents);

// Returns the centre, rounded to nearest.
ABUT_API abut_vec3 abut_aabb_centre(const abut_aabb *box);

// Returns the half extents about abut_aabb_centre, rounded up: together they cover the box.
ABUT_API abut_vec3 abut_aabb_half_extents(const abut_aabb *box);

// Returns the box with these corners, unchanged.
ABUT_API abut_aabb abut_aabb_make(abut_vec3 min, abut_vec3 max);

// Returns whether the point is in the box, faces included. Exact; false for NaN.
ABUT_API bool abut_aabb_contains(const abut_aabb *box, abut_vec3 point);

// Returns whether the boxes share a point, faces included. Exact, by plain comparisons; false for NaN.
ABUT_API bool abut_aabb_overlaps(const abut_aabb *a, const abut_aabb *b);

// Returns whether `outer` contains all of `inner`; faces may coincide. Exact; false for NaN.
ABUT_API bool abut_aabb_contains_aabb(const abut_aabb *outer, const abut_aabb *inner);

// Returns the point of the box closest to `point`: itself if it is inside. Exact.
ABUT_API abut_vec3 abut_aabb_closest_point(const abut_aabb *box, abut_vec3 point);

// Gets sine and cosine with the same bits everywhere, within 2 units in the last place or 1e-13 for every finite angle;
// NaN for others. Reduction by quarter turns and polynomials in double.
ABUT_API void abut_sincos(float radians, float *sine, float *cosine);

#ifdef __cplusplus
}
#endif

#endif
