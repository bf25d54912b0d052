// Shapes: geometry by value, in a frame of its own. A collider places one in a body.
#ifndef ABUT_SHAPE_H
#define ABUT_SHAPE_H

#include <abut/math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum abut_shape_kind
{
    ABUT_SHAPE_NONE = 0,
    ABUT_SPHERE, // a ball about the origin
    ABUT_AABB,   // a box whose axes stay the world's, however its body turns; its centre follows the body
    ABUT_OBB,    // a box that turns with its body
    ABUT_SHAPE_KIND_COUNT
} abut_shape_kind;

typedef struct abut_sphere
{
    float radius; // metres, not negative
} abut_sphere;

typedef struct abut_box
{
    abut_vec3 half_extents; // metres, not negative
} abut_box;

// Copied freely, at most 64 bytes. Zero sizes are valid: points, segments and flat boxes. Sizes and distances below about 1e-9
// lose accuracy: their squares leave the range of a float.
typedef struct abut_shape
{
    abut_shape_kind kind;
    union
    {
        abut_sphere sphere;
        abut_box box; // both kinds of box
    };
} abut_shape;

// A ball. No checks here: whatever takes a shape checks it.
ABUT_API abut_shape abut_shape_sphere(float radius);

// Boxes by half extents. No checks here: whatever takes a shape checks it.
ABUT_API abut_shape abut_shape_aabb(float half_x, float half_y, float half_z);
ABUT_API abut_shape abut_shape_obb(float half_x, float half_y, float half_z);

// True when the kind is known and every size is finite, not negative and at most ABUT_MAX_MAGNITUDE.
ABUT_API bool abut_shape_valid(const abut_shape *shape);

// The radius of the smallest ball about the shape's own origin that contains it, rounded outward.
ABUT_API float abut_shape_bounding_radius(const abut_shape *shape);

// A shape where it is.
typedef struct abut_placed_shape
{
    abut_shape shape;
    abut_pose pose;
} abut_placed_shape;

// Geometry of a shape at a pose ----------------------------------------------------------------------------------------
//
// Worked out in double and rounded once. Poses: unit rotations kept, others normalised, zero refused; a shape that does not
// turn ignores its pose's rotation. ABUT_INVALID_ARGUMENT (NULL, a shape or pose that is not valid, a point that is not
// finite or past ABUT_MAX_MAGNITUDE) leaves *out alone.

// Whether the point is in the shape, its surface included.
ABUT_CHECKED ABUT_API abut_status abut_shape_contains(const abut_shape *shape, const abut_pose *pose, abut_vec3 point,
                                                      bool *out);

// The point of the shape nearest to `point`: that point itself, bit for bit, when it is inside.
ABUT_CHECKED ABUT_API abut_status abut_shape_closest_point(const abut_shape *shape, const abut_pose *pose,
                                                           abut_vec3 point, abut_vec3 *out);

// The point of the shape farthest along `direction` (any length but zero, in the world's frame). Where several are equally
// far, on the positive side of the shape's own axes.
ABUT_CHECKED ABUT_API abut_status abut_shape_support(const abut_shape *shape, const abut_pose *pose,
                                                     abut_vec3 direction, abut_vec3 *out);

// How far the shape reaches from its position along `axis` (any length but zero), in metres: half the length of its shadow
// on a line of that direction. Two shapes are apart along an axis when the distance of their positions along it is more
// than the sum of these.
ABUT_CHECKED ABUT_API abut_status abut_shape_projection_radius(const abut_shape *shape, const abut_pose *pose,
                                                               abut_vec3 axis, float *out);

// The box around the shape along the world's axes: it contains it, rounded outward by at most two units in the last place.
ABUT_CHECKED ABUT_API abut_status abut_shape_bounds(const abut_shape *shape, const abut_pose *pose, abut_aabb *out);

// A ball about the shape's position that contains it, rounded outward.
ABUT_CHECKED ABUT_API abut_status abut_shape_bounding_sphere(const abut_shape *shape, const abut_pose *pose,
                                                             abut_placed_shape *out);

// The eight corners of a box (either kind; a sphere has none and is ABUT_INVALID_ARGUMENT). Corner i lies on the positive
// side of the box's x axis when bit 0 of i is set, of its y axis for bit 1, of its z axis for bit 2.
ABUT_CHECKED ABUT_API abut_status abut_shape_corners(const abut_shape *shape, const abut_pose *pose, abut_vec3 out[8]);

// The four corners of the rectangle in which a box cuts its own xy plane, counter-clockwise seen from its +z: on the sides
// (-x, -y), (+x, -y), (+x, +y), (-x, +y).
ABUT_CHECKED ABUT_API abut_status abut_shape_rectangle_corners(const abut_shape *shape, const abut_pose *pose,
                                                               abut_vec3 out[4]);

// Lower-case name such as "sphere"; static storage; "none" for ABUT_SHAPE_NONE, "unknown" outside the enumeration.
ABUT_API const char *abut_shape_kind_name(abut_shape_kind kind);

#ifdef __cplusplus
}
#endif

#endif
