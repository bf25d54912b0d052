// Two shapes with poses, no world. The same kernels that a world runs, so the same bits; only that a world knows which
// axis named a contact before (see abut_contact).
//
// Calls about one pair refuse custom shapes, of which only their kind's definition knows anything; an abut_pair_list
// brings the definitions along.
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
    // With a sphere: 0. In the plane: bits 8-15 the side that the contact stands on, i of a or 16 + i of b, and bits
    // 0-7 the corner of the other shape; where two polygons are apart corner to corner, 32 + the corner of a, and that
    // of b. A rectangle's corners are numbered as abut_shape_rectangle_corners gives them, side i running from corner i
    // to the next. With a custom shape: 0-3 the part of b's outline, 4-7 of a's (15: none), or what its pair function
    // gave.
    uint32_t feature;
} abut_point;

// How two shapes meet. Whether they touch is decided by all axes of the separating axis theorem; the axis that names
// the contact is the best of them, or a face that is worse by no more than a thousandth of the boxes' size. Boxes have
// a separation above zero, and no point at zero or below, exactly when they are apart: where the axis that names the
// contact says less than that, the best axis says how far.
typedef struct abut_manifold
{
    abut_vec3 normal;     // unit, from a to b
    float separation;     // metres along the normal; negative: depth. Moving b by the depth along the normal separates
    uint32_t point_count; // 1 to 4 when touching, else 0
    abut_point points[4];
} abut_manifold;

// Pairs of two kinds, as a caller's own pair function gets them: pair i is of shapes_a[i] at poses_a[i] and shapes_b[i]
// at poses_b[i]. Poses are in a frame with the world's axes whose origin is near; rotations are of unit length.
typedef struct abut_pair_batch
{
    uint32_t count;
    const abut_shape *shapes_a, *shapes_b;
    const abut_pose *poses_a, *poses_b;
    const float *margins; // metres of gap up to which pair i is wanted
} abut_pair_batch;

// Writes the manifold of every pair of the batch: out[i] is all zero, and stays so when pair i has a larger gap than
// margins[i]. The normal points from a to b; points are offsets from the origin of the poses' frame (not from a's
// position). A manifold with a point must have a unit normal (its square within 1e-3 of 1), 1 to 4 points and finite
// numbers; one that has not makes the detect answer ABUT_INVALID_ARGUMENT, the last results standing. One farther apart
// than its margin is dropped. How pairs are cut into batches, and how often a pair is asked about, is nobody's promise:
// like the functions of a kind it must be pure, and it may be called from any thread, with the world busy.
typedef void abut_pair_function(void *context, const abut_pair_batch *pairs, abut_manifold *out);

// Whether the shapes share a point. Boxes given by their corners are compared to the bit by abut_aabb_overlaps. Poses:
// unit rotations kept, others normalised, zero refused. ABUT_INVALID_ARGUMENT leaves *overlapping alone; a polygon,
// which lives in the plane, is answered so here.
ABUT_CHECKED ABUT_API abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, bool *overlapping);

// The manifold of shapes whose separation is at most `margin` metres; beyond it point_count is zero and the rest is
// zero. Shapes that overlap always have at least one point. Coincident centres of spheres give the normal (0, 1, 0).
// ABUT_INVALID_ARGUMENT leaves *out alone.
ABUT_CHECKED ABUT_API abut_status abut_collide(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, float margin, abut_manifold *out);

// Where two shapes come nearest to each other.
typedef struct abut_closest
{
    float distance;       // metres; zero when they overlap
    abut_vec3 on_a, on_b; // metres from a's position, world axes; when they overlap, the first point of the manifold
} abut_closest;

// The Euclidean distance, and the points between which it is measured; computed in double precision and rounded once.
// Of several nearest pairs, one. Boxes take a few microseconds. ABUT_INVALID_ARGUMENT leaves the result alone; polygons
// are answered so.
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

    // Kinds of the caller's own among the shapes: kinds[i] has the id ABUT_FIRST_KIND + i. May be left zero.
    const abut_kind_def *kinds;
    uint32_t kind_count;
} abut_pair_list;

// The same for many pairs at once, many times faster than one by one, with the same bits: the answer to pair k goes to
// place k. Everything is looked at before anything is written: with a shape, a pose or an index that is not valid the
// answer is ABUT_INVALID_ARGUMENT, and the results are left alone. Asks for no memory; takes about 200 KB of stack.
// Without pairs, everything may be NULL. Distances and nearest points are found one after the other, in the time that
// single calls take.
ABUT_CHECKED ABUT_API abut_status abut_overlap_many(const abut_pair_list *pairs, bool *overlapping);
ABUT_CHECKED ABUT_API abut_status abut_collide_many(const abut_pair_list *pairs, float margin, abut_manifold *out);
ABUT_CHECKED ABUT_API abut_status abut_closest_points_many(const abut_pair_list *pairs, abut_closest *out);
ABUT_CHECKED ABUT_API abut_status abut_distance_many(const abut_pair_list *pairs, float *distances);

// The plane -----------------------------------------------------------------------------------------------------------
//
// The same in two dimensions, as a world of them has it: spheres are circles, boxes are rectangles (half z is ignored),
// and polygons, which meet nothing in space, meet all of these. Poses lie in the plane: z zero and the rotation about z
// alone, as abut_pose_2d makes them; another is ABUT_INVALID_ARGUMENT.
//
// Manifolds have one point or two. The separation of what overlaps is that of the separating axis theorem over the
// directions of all sides. Of what is apart it is the distance, but for two rectangles, whose axes may say as little as
// 1 / sqrt 2 of it where they are nearest corner to corner.

ABUT_CHECKED ABUT_API abut_status abut_overlap_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                  const abut_pose *pose_b, bool *overlapping);
ABUT_CHECKED ABUT_API abut_status abut_collide_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                                  const abut_pose *pose_b, float margin, abut_manifold *out);
ABUT_CHECKED ABUT_API abut_status abut_overlap_2d_many(const abut_pair_list *pairs, bool *overlapping);
ABUT_CHECKED ABUT_API abut_status abut_collide_2d_many(const abut_pair_list *pairs, float margin, abut_manifold *out);

#ifdef __cplusplus
}
#endif

#endif
