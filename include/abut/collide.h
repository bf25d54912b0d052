// Two shapes with poses, no world. The same kernels that a world runs, so the same bits.
#ifndef ABUT_COLLIDE_H
#define ABUT_COLLIDE_H

#include <abut/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// A point of a contact, midway between the two surfaces.
typedef struct abut_point
{
    abut_vec3 offset; // metres from the position of a's body, world axes
    float separation; // metres along the normal; negative: penetration
    // Which features of the two shapes made the point; equal in two detects when they are the same. Bits 8-15: the
    // separating axis (0-2 faces of a, 3-5 faces of b, 6-14 the edge pair i,j as 6 + 3i + j). Bits 0-7: the slot on it.
    // With a sphere: 0. In the plane: bits 8-15 the side that the contact stands on, i of a or 16 + i of b, and bits 0-7 the
    // corner of the other shape; where two polygons are apart corner to corner, 32 + the corner of a, and that of b. A
    // rectangle's corners are numbered as abut_shape_rectangle_corners gives them, side i running from corner i to the next.
    uint32_t feature;
} abut_point;

// How two shapes meet. Whether they touch is decided by all axes of the separating axis theorem; the axis that names the
// contact is the best of them, or a face that is worse by no more than a thousandth of the boxes' size.
typedef struct abut_manifold
{
    abut_vec3 normal;     // unit, from a to b
    float separation;     // metres along the normal; negative: depth. Moving b by the depth along the normal separates
    uint32_t point_count; // 1 to 4 when touching, else 0
    abut_point points[4];
} abut_manifold;

// Whether the shapes share a point. Poses: unit rotations kept, others normalised, zero refused.
// ABUT_INVALID_ARGUMENT leaves *overlapping alone; a polygon, which lives in the plane, is answered so here.
ABUT_CHECKED ABUT_API abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, bool *overlapping);

// The manifold of shapes whose separation is at most `margin` metres; beyond it point_count is zero and the rest is zero.
// Shapes that overlap always have at least one point. Coincident centres of spheres give the normal (0, 1, 0).
// ABUT_INVALID_ARGUMENT leaves *out alone.
ABUT_CHECKED ABUT_API abut_status abut_collide(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, float margin, abut_manifold *out);

// Where two shapes come nearest to each other.
typedef struct abut_closest
{
    float distance;       // metres; zero when they overlap
    abut_vec3 on_a, on_b; // metres from a's position, world axes; when they overlap, the first point of the manifold
} abut_closest;

// The Euclidean distance, and the points between which it is measured; computed in double precision and rounded once. Of
// several nearest pairs, one. Boxes take a few microseconds. ABUT_INVALID_ARGUMENT leaves the result alone; polygons are
// answered so.
ABUT_CHECKED ABUT_API abut_status abut_closest_points(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                      const abut_pose *pose_b, abut_closest *out);
ABUT_CHECKED ABUT_API abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                const abut_pose *pose_b, float *distance);

// Placed shapes, and pairs of them by index.
typedef struct abut_pair_list
{
    const abut_shape *shapes; // shape i is at poses[i]
    const abut_pose *poses;
    uint32_t shape_count;
    uint32_t pair_count;
    const uint32_t *a, *b; // pair k is of the shapes a[k] and b[k]
} abut_pair_list;

// The same for many pairs at once, many times faster than one by one, with the same bits: the answer to pair k goes to place
// k. Everything is looked at before anything is written: with a shape, a pose or an index that is not valid the answer is
// ABUT_INVALID_ARGUMENT, and the results are left alone. Asks for no memory; takes about 100 KB of stack. Without pairs,
// everything may be NULL.
ABUT_CHECKED ABUT_API abut_status abut_overlap_many(const abut_pair_list *pairs, bool *overlapping);
ABUT_CHECKED ABUT_API abut_status abut_collide_many(const abut_pair_list *pairs, float margin, abut_manifold *out);

// The plane ------------------------------------------------------------------------------------------------------------
//
// The same in two dimensions, as a world of them has it: spheres are circles, boxes are rectangles (half z is ignored), and
// polygons, which meet nothing in space, meet all of these. Poses lie in the plane: z zero and the rotation about z alone,
// as abut_pose_plane makes them; another is ABUT_INVALID_ARGUMENT.
//
// Manifolds have one point or two. The separation of what overlaps is that of the separating axis theorem over the
// directions of all sides. Of what is apart it is the distance, but for two rectangles, whose axes may say as little as
// 1 / sqrt 2 of it where they are nearest corner to corner.

ABUT_CHECKED ABUT_API abut_status abut_overlap_plane(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                     const abut_pose *pose_b, bool *overlapping);
ABUT_CHECKED ABUT_API abut_status abut_collide_plane(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                     const abut_pose *pose_b, float margin, abut_manifold *out);
ABUT_CHECKED ABUT_API abut_status abut_overlap_plane_many(const abut_pair_list *pairs, bool *overlapping);
ABUT_CHECKED ABUT_API abut_status abut_collide_plane_many(const abut_pair_list *pairs, float margin,
                                                          abut_manifold *out);

#ifdef __cplusplus
}
#endif

#endif
