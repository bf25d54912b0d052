// Vectors, rotations, poses and boxes by value. Right-handed; metres and radians. Everything here is exact arithmetic
// in a fixed order (no libm), so that it gives the same bits wherever it is compiled with contraction off.
#ifndef ABUT_MATH_H
#define ABUT_MATH_H

#include <abut/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_vec3
{
    float x, y, z;
} abut_vec3;

// A point or direction of the plane.
typedef struct abut_vec2
{
    float x, y;
} abut_vec2;

// w + xi + yj + zk. A rotation when its length is one. All zeros means identity where a definition says so.
typedef struct abut_quat
{
    float x, y, z, w;
} abut_quat;

// Three columns: where the unit axes go.
typedef struct abut_mat3
{
    abut_vec3 x, y, z;
} abut_mat3;

// Where a body is: rotation first, then position. 32 bytes, so that arrays of poses load in whole vectors.
typedef struct abut_pose
{
    abut_vec3 position; // metres, world frame
    float unused;       // neither read nor kept
    abut_quat rotation; // from the body's frame to the world's
} abut_pose;

// How a body moves: both in the world's frame.
typedef struct abut_velocity
{
    abut_vec3 linear;  // metres a second, of the body's origin
    abut_vec3 angular; // radians a second, about the body's origin
} abut_velocity;

// The points p with min <= p <= max on each axis.
typedef struct abut_aabb
{
    abut_vec3 min, max;
} abut_aabb;

static inline abut_vec3 abut_vec3_make(float x, float y, float z)
{
    abut_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline abut_vec3 abut_vec3_add(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline abut_vec3 abut_vec3_sub(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline abut_vec3 abut_vec3_scale(abut_vec3 v, float s)
{
    return abut_vec3_make(v.x * s, v.y * s, v.z * s);
}

static inline abut_vec3 abut_vec3_negate(abut_vec3 v)
{
    return abut_vec3_make(-v.x, -v.y, -v.z);
}

static inline float abut_vec3_dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline abut_vec3 abut_vec3_cross(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline abut_quat abut_quat_identity(void)
{
    abut_quat q;
    q.x = q.y = q.z = 0.0f;
    q.w = 1.0f;
    return q;
}

// The rotation b followed by the rotation a.
static inline abut_quat abut_quat_mul(abut_quat a, abut_quat b)
{
    abut_quat q;
    q.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    q.y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x;
    q.z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w;
    q.w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    return q;
}

static inline abut_quat abut_quat_conjugate(abut_quat q)
{
    q.x = -q.x;
    q.y = -q.y;
    q.z = -q.z;
    return q;
}

static inline abut_pose abut_pose_identity(void)
{
    abut_pose p;
    p.position = abut_vec3_make(0.0f, 0.0f, 0.0f);
    p.unused = 0.0f;
    p.rotation = abut_quat_identity();
    return p;
}

static inline abut_vec3 abut_mat3_mul_vec3(const abut_mat3 *m, abut_vec3 v)
{
    return abut_vec3_add(abut_vec3_add(abut_vec3_scale(m->x, v.x), abut_vec3_scale(m->y, v.y)),
                         abut_vec3_scale(m->z, v.z));
}

// Length, with the square taken in double so that nothing in range overflows or vanishes.
ABUT_API float abut_vec3_length(abut_vec3 v);

// q over its length. A zero, NaN or infinite q gives identity.
ABUT_API abut_quat abut_quat_normalise(abut_quat q);

// The turn by `radians` about `axis` (any length; a zero axis gives identity), counter-clockwise seen from its tip.
// Accurate to 2 units in the last place of a float for every finite angle, which is taken for the number it is.
ABUT_API abut_quat abut_quat_from_axis_angle(abut_vec3 axis, float radians);

// The matrix of a rotation; q may have any length but zero: the matrix is orthonormal all the same. Of a zero, NaN or
// infinite q it has NaN.
ABUT_API abut_mat3 abut_mat3_from_quat(abut_quat q);

// The three turns about the axes that Euler angles are put together from, as the product of matrices is written:
// ABUT_EULER_ZYX is Rz * Ry * Rx, so that the turn about x comes first, then those about y and z, all about axes that
// stand still. (Read from left to right it is the same rotation as turns about the axes carried along: about z, about
// the new y, about the new x.)
typedef enum abut_euler_order
{
    ABUT_EULER_XYZ = 0,
    ABUT_EULER_XZY,
    ABUT_EULER_YXZ,
    ABUT_EULER_YZX,
    ABUT_EULER_ZXY,
    ABUT_EULER_ZYX,
    ABUT_EULER_ORDER_COUNT
} abut_euler_order;

// The rotation by x, y and z radians about the axes of those names, in the given order. Of unit length to rounding; NaN
// for angles that are not finite; identity for an order outside the enumeration.
ABUT_API abut_quat abut_quat_from_euler(float x, float y, float z, abut_euler_order order);

// The same as matrices.
ABUT_API abut_mat3 abut_mat3_from_axis_angle(abut_vec3 axis, float radians);
ABUT_API abut_mat3 abut_mat3_from_euler(float x, float y, float z, abut_euler_order order);

// The rotation that a matrix is, of unit length, w not negative; of its two signs at w = 0, either. The matrix must be
// a rotation to rounding; of another comes some rotation, and identity of one with NaN.
ABUT_API abut_quat abut_quat_from_mat3(const abut_mat3 *m);

// v turned by q, which must be of unit length.
ABUT_API abut_vec3 abut_quat_rotate(abut_quat q, abut_vec3 v);

// A point of the pose's frame in the world's frame.
ABUT_API abut_vec3 abut_pose_apply(const abut_pose *pose, abut_vec3 local);

// The pose `local` of something within `pose`, in the world's frame.
ABUT_API abut_pose abut_pose_compose(const abut_pose *pose, const abut_pose *local);

// Moves a pose, whose rotation is of unit length, along a velocity for `dt` seconds (any), as abut_world_move does, to
// the bit: linearly, and about the constant axis, exactly. False, and nothing has changed, when it would leave the
// range of ABUT_MAX_MAGNITUDE or turn by more than 1e9 radians, and for a rotation that is zero, NaN and NULL.
ABUT_API bool abut_pose_move(abut_pose *pose, const abut_velocity *velocity, float dt);

// A pose in the plane: the point (x, y, 0), turned by `radians` about z, counter-clockwise. Its rotation has x and y
// exactly zero, as everything that works in the plane asks for.
ABUT_API abut_pose abut_pose_2d(float x, float y, float radians);

// The angle of a pose in the plane, from -pi to pi: accurate to one unit in the last place, the same bits everywhere.
// Of a rotation off z, that of its part about z; zero where there is none, and for NULL.
ABUT_API float abut_pose_angle(const abut_pose *pose);

// The box with this centre and these half extents (not negative). Rounded outward: exact where floats can hold it, and
// at most one unit in the last place larger elsewhere.
ABUT_API abut_aabb abut_aabb_from_centre(abut_vec3 centre, abut_vec3 half_extents);

// The centre, rounded to nearest, and the half extents about that centre, rounded outward: together they cover the box.
ABUT_API abut_vec3 abut_aabb_centre(const abut_aabb *box);
ABUT_API abut_vec3 abut_aabb_half_extents(const abut_aabb *box);

// The box with these corners, as they are.
ABUT_API abut_aabb abut_aabb_make(abut_vec3 min, abut_vec3 max);

// Whether the point is in the box, its faces included. False for NaN.
ABUT_API bool abut_aabb_contains(const abut_aabb *box, abut_vec3 point);

// Whether the boxes share a point; their faces belong to them. Compares the given numbers and computes none, so that
// nothing is rounded, as it is for the shapes of abut_overlap, which have a centre and half extents. False for NaN.
ABUT_API bool abut_aabb_overlaps(const abut_aabb *a, const abut_aabb *b);

// Whether `outer` has all of `inner` in it; faces may coincide. Compares the given numbers only. False for NaN.
ABUT_API bool abut_aabb_contains_aabb(const abut_aabb *outer, const abut_aabb *inner);

// The point of the box nearest to `point`, exactly; the point itself when it is inside.
ABUT_API abut_vec3 abut_aabb_closest_point(const abut_aabb *box, abut_vec3 point);

// Sine and cosine without libm: reduction by quarter turns and polynomials in double, rounded once. The same bits
// everywhere. Wrong by no more than 2 units in the last place, or 1e-13, for every finite angle; NaN and infinity give
// NaN.
ABUT_API void abut_sincos(float radians, float *sine, float *cosine);

#ifdef __cplusplus
}
#endif

#endif
