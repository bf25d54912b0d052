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

// Copied freely, at most 64 bytes. Zero sizes are valid: points, segments and flat boxes.
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

// Lower-case name such as "sphere"; static storage; "none" for ABUT_SHAPE_NONE, "unknown" outside the enumeration.
ABUT_API const char *abut_shape_kind_name(abut_shape_kind kind);

#ifdef __cplusplus
}
#endif

#endif
