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
    ABUT_SPHERE,  // a ball about the origin
    ABUT_AABB,    // a box whose axes stay the world's, however its body turns; its centre follows the body
    ABUT_OBB,     // a box that turns with its body
    ABUT_POLYGON, // a convex polygon in the body's own xy plane, which turns with it; meets others in the plane only
    ABUT_CUSTOM,  // of a kind of the caller's own, which turns with its body: see abut_kind_def
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

#define ABUT_CUSTOM_BYTES 48u // of a custom shape's own parameters, at most

// A shape of a kind that was registered: abut_world_register_kind.
typedef struct abut_custom
{
    uint32_t kind;                        // the id that registering it gave
    uint32_t size;                        // bytes of `data` in use
    uint64_t data[ABUT_CUSTOM_BYTES / 8]; // by value; zeros past `size`
} abut_custom;

#define ABUT_MAX_VERTICES 16u // of a polygon

// Geometry that a shape points to rather than holds. Never changes; shared by counting who refers to it: the caller who
// made it, and every collider of every world that has a shape of it. Freed when the last of them lets go. Several
// threads may retain and release one geometry at the same time.
typedef struct abut_geometry abut_geometry;

// Copied freely, at most 64 bytes; a polygon points to its geometry, which must live as long as the shape is used. Zero
// sizes are valid: points, segments and flat boxes. Sizes and distances below about 1e-9 lose accuracy: their squares
// leave the range of a float.
typedef struct abut_shape
{
    abut_shape_kind kind;
    union
    {
        abut_sphere sphere;
        abut_box box; // both kinds of box
        const abut_geometry *polygon;
        abut_custom custom;
    };
} abut_shape;

// A ball. No checks here: whatever takes a shape checks it.
ABUT_API abut_shape abut_shape_sphere(float radius);

// Boxes by half extents. No checks here: whatever takes a shape checks it.
ABUT_API abut_shape abut_shape_aabb(float half_x, float half_y, float half_z);
ABUT_API abut_shape abut_shape_obb(float half_x, float half_y, float half_z);

// A polygon of this geometry. NULL gives a shape that is not valid.
ABUT_API abut_shape abut_shape_polygon(const abut_geometry *polygon);

// The convex polygon around `count` points (in the shape's own frame, in any order), held once for the caller, who
// releases it. It has those of the points for vertices that are corners: counter-clockwise, from the one farthest from
// the first. A point that lies on the line between two corners, or off it by no more than 2^-20 of the size of the
// whole (from the first point to the farthest), is none. Where several lie off by about as much: no point is left
// farther outside than that, and no corner is kept that could be left out. `allocator` (NULL: malloc and free) gives
// its memory and takes it back on whichever thread lets go last. ABUT_INVALID_ARGUMENT: NULL, no allocator's pair of
// functions, a coordinate that is NaN or past ABUT_MAX_MAGNITUDE, or points that are fewer than three corners (all on
// one line). ABUT_LIMIT: more than ABUT_MAX_VERTICES corners. ABUT_OUT_OF_MEMORY. *out is NULL on every status but
// ABUT_OK. Time grows as points times their logarithm; more than 64 points borrow 48 bytes each from the allocator
// until the call returns.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_polygon(const abut_vec2 *points, uint32_t count,
                                                               const abut_allocator *allocator, abut_geometry **out);

// One more who refers to it, or one less. NULL is allowed.
ABUT_API void abut_geometry_retain(const abut_geometry *geometry);
ABUT_API void abut_geometry_release(const abut_geometry *geometry);

// The corners, counter-clockwise; they stand as long as the geometry. Zero and NULL for NULL.
ABUT_API uint32_t abut_geometry_vertices(const abut_geometry *geometry, const abut_vec2 **out);

// The centre of its area, in its own frame. Zeros for NULL.
ABUT_API abut_vec2 abut_geometry_centroid(const abut_geometry *geometry);

// A shape of a registered kind with a copy of its parameters; `size` zero: none, and `data` may be NULL. No checks
// here.
ABUT_API abut_shape abut_shape_custom(uint32_t kind, const void *data, uint32_t size);

// True when the kind is known, a polygon has its geometry, and every size is finite, not negative and at most
// ABUT_MAX_MAGNITUDE. False for a custom shape, about which only what knows its kind can tell: a world, or an
// abut_pair_list. For the same reason no call of this header that takes a shape takes a custom one.
ABUT_API bool abut_shape_valid(const abut_shape *shape);

// The radius of the smallest ball about the shape's own origin that contains it, rounded outward.
ABUT_API float abut_shape_bounding_radius(const abut_shape *shape);

// A shape where it is.
typedef struct abut_placed_shape
{
    abut_shape shape;
    abut_pose pose;
} abut_placed_shape;

// Geometry of a shape at a pose ---------------------------------------------------------------------------------------
//
// A polygon counts as flat here: it lies in the xy plane of its pose, wherever that is, and has no thickness. So is a
// box with half z zero the rectangle of the plane, at a pose of abut_pose_2d: contains, closest point, support and
// projection radius answer for it as they do for boxes.
//
// Worked out in double and rounded once. Poses: unit rotations kept, others normalised, zero refused; a shape that does
// not turn ignores its pose's rotation. ABUT_INVALID_ARGUMENT (NULL, a shape or pose that is not valid, a point that is
// not finite or past ABUT_MAX_MAGNITUDE) leaves *out alone.

// Whether the point is in the shape, its surface included.
ABUT_CHECKED ABUT_API abut_status abut_shape_contains(const abut_shape *shape, const abut_pose *pose, abut_vec3 point,
                                                      bool *out);

// The point of the shape nearest to `point`: that point itself, bit for bit, when it is inside.
ABUT_CHECKED ABUT_API abut_status abut_shape_closest_point(const abut_shape *shape, const abut_pose *pose,
                                                           abut_vec3 point, abut_vec3 *out);

// The point of the shape farthest along `direction` (any length but zero, in the world's frame). Where several are
// equally far, on the positive side of the shape's own axes; of a polygon's corners, the first.
ABUT_CHECKED ABUT_API abut_status abut_shape_support(const abut_shape *shape, const abut_pose *pose,
                                                     abut_vec3 direction, abut_vec3 *out);

// How far the shape reaches from its position along `axis` (any length but zero), in metres: half the length of its
// shadow on a line of that direction (of a polygon, which need not be the same on both sides: how far on this one). Two
// shapes are apart along an axis when the distance of their positions along it is more than the sum of these.
ABUT_CHECKED ABUT_API abut_status abut_shape_projection_radius(const abut_shape *shape, const abut_pose *pose,
                                                               abut_vec3 axis, float *out);

// The box around the shape along the world's axes: it contains it, rounded outward by at most two units in the last
// place.
ABUT_CHECKED ABUT_API abut_status abut_shape_bounds(const abut_shape *shape, const abut_pose *pose, abut_aabb *out);

// A ball about the shape's position that contains it, rounded outward.
ABUT_CHECKED ABUT_API abut_status abut_shape_bounding_sphere(const abut_shape *shape, const abut_pose *pose,
                                                             abut_placed_shape *out);

// The eight corners of a box (either kind; spheres and polygons are ABUT_INVALID_ARGUMENT). Corner i lies on the
// positive side of the box's x axis when bit 0 of i is set, of its y axis for bit 1, of its z axis for bit 2.
ABUT_CHECKED ABUT_API abut_status abut_shape_corners(const abut_shape *shape, const abut_pose *pose, abut_vec3 out[8]);

// The four corners of the rectangle in which a box cuts its own xy plane, counter-clockwise seen from its +z: on the
// sides (-x, -y), (+x, -y), (+x, +y), (-x, +y).
ABUT_CHECKED ABUT_API abut_status abut_shape_rectangle_corners(const abut_shape *shape, const abut_pose *pose,
                                                               abut_vec3 out[4]);

// A kind of shape of the caller's own: any convex body about which three questions can be answered. The functions get
// the definition's context and the shape's parameters (8-byte aligned, ABUT_CUSTOM_BYTES of them, zeros past the
// shape's size). They must be pure: the same answer to the same question, whenever and from whichever thread it is
// asked. Calls into the world from inside them give ABUT_BUSY.
//
// What is wrong with an answer is found when a shape is attached, as far as asking in a few directions can find it, and
// refused there with ABUT_INVALID_ARGUMENT. Later a support that is not finite or lies outside the bounds is moved into
// them, and bounds that have become invalid count as the largest: contacts of such a shape mean little, and nothing
// worse.
typedef struct abut_kind_def
{
    const char *name; // for the caller; not copied. NULL: "custom"
    void *context;

    // A box in the shape's own frame that contains it. What is wanted of it are half extents: it is taken to be as
    // large on either side of the origin as it is on the larger one, so a shape whose origin is its middle is found
    // fastest.
    abut_aabb (*bounds)(void *context, const void *data);

    // The point farthest along `direction` (any length but zero), both in the shape's own frame; of several, any, but
    // always the same. With a rounding, of the core alone.
    void (*support)(void *context, const void *data, const double direction[3], double out[3]);

    // The shape is everything within so many metres of the core that `support` describes: a capsule is a rounded
    // segment, a ball a rounded point. Exact and faster where a body is round; corners and faces want zero. NULL: zero.
    float (*rounding)(void *context, const void *data);

    // Whether the parameters make a shape. NULL: all do.
    bool (*valid)(void *context, const void *data);
} abut_kind_def;

#define ABUT_FIRST_KIND 256u   // the id of the first kind that is registered; each further one has the next number
#define ABUT_MAX_KINDS  65536u // of a caller's own in one world

// Lower-case name such as "sphere"; static storage; "none" for ABUT_SHAPE_NONE, "unknown" outside the enumeration.
ABUT_API const char *abut_shape_kind_name(abut_shape_kind kind);

#ifdef __cplusplus
}
#endif

#endif
