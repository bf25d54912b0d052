// World-free collision of two shapes with poses: overlap, manifold, distance; one pair or many.
//
// The same kernels that a world runs, with the same bits; only a world caches separating axes between steps. Calls with
// two shapes fail for custom shapes; an abut_pair_list brings their kinds along. Poses: a unit rotation is kept bit for
// bit, another normalised, zero is invalid. Every call that fails leaves its results alone.
#ifndef ABUT_COLLIDE_H
#define ABUT_COLLIDE_H

#include <abut/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// A contact point, midway between the two surfaces.
typedef struct abut_point
{
    abut_vec3 offset; // metres from the position of a's body, world axes
    float separation; // metres along the normal; negative: penetration
    uint32_t feature; // which features of the shapes made the point; equal while they are the same: docs/contacts.md
} abut_point;

// The contact manifold of two shapes. Touching follows the separating axis theorem over all axes; a face names the
// normal unless two edges more than 0.002 radians from either box's faces are better by more than 0.001 of the smallest
// half extent. See docs/contacts.md.
typedef struct abut_manifold
{
    abut_vec3 normal;     // unit, from a to b
    float separation;     // metres along the normal; negative: depth. Moving b by the depth along the normal separates
    uint32_t point_count; // 1 to 4 when touching, else 0
    abut_point points[4]; // the first point_count are in use
} abut_manifold;

// Pairs of two kinds for a caller's pair function. Poses have the world's axes, a nearby origin, and unit rotations.
typedef struct abut_pair_batch
{
    uint32_t count;             // pairs; pair i is shapes_a[i] at poses_a[i] and shapes_b[i] at poses_b[i]
    const abut_shape *shapes_a; // of the first kind
    const abut_shape *shapes_b; // of the second kind
    const abut_pose *poses_a;   // of shapes_a
    const abut_pose *poses_b;   // of shapes_b
    const float *margins;       // metres: the largest gap at which pair i still counts
} abut_pair_batch;

// Writes the manifold of pair i to out[i], which is all zero on entry and stays so for a gap above margins[i]. Point
// offsets are from the origin of the poses' frame. The function must be pure; it may run on any thread, for any batch,
// and more than once for a pair. An invalid manifold fails the detect. See docs/contacts.md.
typedef void abut_pair_function(void *context, const abut_pair_batch *pairs, abut_manifold *out);

// Sets *overlapping to whether the shapes share a point. abut_aabb_overlaps compares boxes given by their corners.
ABUT_CHECKED ABUT_API abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, bool *overlapping);

// Gets the manifold if the separation is at most `margin` metres, else all zeros. Overlapping shapes have at least one
// point; spheres with one centre have the normal (0, 1, 0).
ABUT_CHECKED ABUT_API abut_status abut_collide(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, float margin, abut_manifold *out);

// The closest points of two shapes.
typedef struct abut_closest
{
    float distance; // metres; zero if they overlap
    abut_vec3 on_a; // metres from a's position, world axes; if they overlap, the manifold's first point, or zero if
                    // they are not both convex
    abut_vec3 on_b; // likewise, on b and from a's position
} abut_closest;

// Gets the distance and the points it is measured between, of several such pairs one; in double, rounded once. Either
// shape may be a compound, a mesh or a heightfield, which is a surface without an inside; two surfaces fail. Fails with
// ABUT_INVALID_ARGUMENT for polygons, too.
ABUT_CHECKED ABUT_API abut_status abut_closest_points(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                      const abut_pose *pose_b, abut_closest *out);

// Gets the distance alone, in metres.
ABUT_CHECKED ABUT_API abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                const abut_pose *pose_b, float *distance);

// Placed shapes, and pairs of them by index.
typedef struct abut_pair_list
{
    const abut_shape *shapes;   // shape i is at poses[i]
    const abut_pose *poses;     // one for each shape
    uint32_t shape_count;       // shapes and poses
    uint32_t pair_count;        // pairs: entries of a and b
    const uint32_t *a;          // indices of the first shapes
    const uint32_t *b;          // indices of the second shapes
    const abut_kind_def *kinds; // custom kinds among the shapes: kinds[i] has the id ABUT_FIRST_KIND + i; may be NULL
    uint32_t kind_count;        // entries of kinds
} abut_pair_list;

// abut_overlap of every pair: overlapping[k] is of pair k. Checks all input, each shape of the list, before it writes.
// The _many calls ask for no memory and take about 200 KB of stack. See docs/contacts.md for what they save.
ABUT_CHECKED ABUT_API abut_status abut_overlap_many(const abut_pair_list *pairs, bool *overlapping);

// abut_collide of every pair: out[k] is of pair k.
ABUT_CHECKED ABUT_API abut_status abut_collide_many(const abut_pair_list *pairs, float margin, abut_manifold *out);

// abut_closest_points of every pair: out[k] is of pair k. No faster than single calls.
ABUT_CHECKED ABUT_API abut_status abut_closest_points_many(const abut_pair_list *pairs, abut_closest *out);

// abut_distance of every pair: distances[k] is of pair k. No faster than single calls.
ABUT_CHECKED ABUT_API abut_status abut_distance_many(const abut_pair_list *pairs, float *distances);

// Two dimensions ------------------------------------------------------------------------------------------------------

// abut_overlap of circles, capsules, rectangles and polygons, at poses as abut_pose_2d makes them. See docs/2d.md.
ABUT_CHECKED ABUT_API abut_status abut_overlap_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                  const abut_pose *pose_b, bool *overlapping);

// abut_collide in two dimensions: at most two points, by the axes of all sides. See docs/2d.md.
ABUT_CHECKED ABUT_API abut_status abut_collide_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                  const abut_pose *pose_b, float margin, abut_manifold *out);

// abut_closest_points in two dimensions; either shape may be a chain. Gives the true distance of two rectangles, too,
// which abut_collide_2d does not. See docs/2d.md.
ABUT_CHECKED ABUT_API abut_status abut_closest_points_2d(const abut_shape *a, const abut_pose *pose_a,
                                                         const abut_shape *b, const abut_pose *pose_b,
                                                         abut_closest *out);

// abut_distance in two dimensions.
ABUT_CHECKED ABUT_API abut_status abut_distance_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                   const abut_pose *pose_b, float *distance);

// abut_overlap_2d of every pair: overlapping[k] is of pair k.
ABUT_CHECKED ABUT_API abut_status abut_overlap_2d_many(const abut_pair_list *pairs, bool *overlapping);

// abut_collide_2d of every pair: out[k] is of pair k.
ABUT_CHECKED ABUT_API abut_status abut_collide_2d_many(const abut_pair_list *pairs, float margin, abut_manifold *out);

// abut_closest_points_2d of every pair: out[k] is of pair k. No faster than single calls.
ABUT_CHECKED ABUT_API abut_status abut_closest_points_2d_many(const abut_pair_list *pairs, abut_closest *out);

// abut_distance_2d of every pair: distances[k] is of pair k. No faster than single calls.
ABUT_CHECKED ABUT_API abut_status abut_distance_2d_many(const abut_pair_list *pairs, float *distances);

#ifdef __cplusplus
}
#endif

#endif
