// Boxes and spheres around clouds of points.
//
// A cloud is `count` points of three floats x, y, z (two for rectangles: x, y), the first at `points`, each `stride`
// bytes after the one before; stride zero: packed. It is read only during the call. Sums are in double and in the order
// of the points, so the same cloud gives the same bits everywhere; the same points in another order give another
// rounding.
//
// What comes back contains every point after rounding to float: abut_shape_contains is true of each, and of no box or
// sphere is that bought with more than a few units in the last place of its size and position.
//
// ABUT_INVALID_ARGUMENT when there is no point at all, when a coordinate is NaN, infinite or past ABUT_MAX_MAGNITUDE,
// when a pointer is NULL, or when the result would itself pass ABUT_MAX_MAGNITUDE (a cloud of nearly that size). *out
// is then left alone, as it is on every status but ABUT_OK.
//
// Degenerate clouds have answers. One point, or several that coincide: size zero at that point, no rotation. Points on
// a line: a box with its length along the line, a sphere about its middle. Points in a plane: a flat box. In general
// directions "flat" means as thin as the rounding of a quaternion of floats allows, some 1e-7 of the length.
#ifndef ABUT_FIT_H
#define ABUT_FIT_H

#include <abut/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// The box along the world's axes, exactly.
ABUT_CHECKED ABUT_API abut_status abut_fit_aabb(const float *points, size_t stride, uint32_t count, abut_aabb *out);

// The smallest sphere, but for rounding: the centre is rounded to float, and the radius up. Time grows as the count
// times the number of rounds, about ten.
ABUT_CHECKED ABUT_API abut_status abut_fit_sphere(const float *points, size_t stride, uint32_t count,
                                                  abut_placed_shape *out);

// A sphere found in a fixed number of looks at each point, usually less than a hundredth larger than the smallest.
ABUT_CHECKED ABUT_API abut_status abut_fit_sphere_fast(const float *points, size_t stride, uint32_t count,
                                                       abut_placed_shape *out);

// The oriented box along the principal axes of the points: x along the direction in which they vary most, z that of
// least. Quick and smooth, but not small where points crowd on one side; directions of equal variance come out as they
// may.
ABUT_CHECKED ABUT_API abut_status abut_fit_obb_pca(const float *points, size_t stride, uint32_t count,
                                                   abut_placed_shape *out);

// An oriented box of nearly the least volume: never larger than the principal one or than the axis-aligned one as an
// oriented box, nearly always within a thousandth of the best there is and seldom (one cloud in some hundreds) a few
// hundredths above it. Extents below about 2^-21 of the cloud's own (or of the rounding of its place) count as that
// much, so flat clouds are compared by area and lines by length. Of the 24 rotations that describe the same box, the
// smallest. Takes some ten milliseconds where the principal one takes microseconds, and a second or two for thousands
// of points on a round surface. Works on some 60 kB of stack.
ABUT_CHECKED ABUT_API abut_status abut_fit_obb(const float *points, size_t stride, uint32_t count,
                                               abut_placed_shape *out);

// The rectangle of points x, y along their principal axes: an oriented box with half z zero, turned about z. Its x axis
// is the direction in which the points vary most.
ABUT_CHECKED ABUT_API abut_status abut_fit_rectangle_pca(const float *points, size_t stride, uint32_t count,
                                                         abut_placed_shape *out);

// The rectangle of least area, exactly but for rounding, in the same form; of equal ones the first in the order of its
// hull. Turned by at most 45 degrees. `allocator` lends 48 bytes a point during the call (NULL: malloc and free);
// ABUT_OUT_OF_MEMORY when it refuses.
ABUT_CHECKED ABUT_API abut_status abut_fit_rectangle(const float *points, size_t stride, uint32_t count,
                                                     const abut_allocator *allocator, abut_placed_shape *out);

#ifdef __cplusplus
}
#endif

#endif
