// Bounding volumes of point clouds: AABB, sphere, OBB, rectangle.
//
// A cloud is `count` points of three floats (two for rectangles), `stride` bytes apart; stride 0: packed. The result
// contains every point after rounding. Points that coincide, or lie on a line or in a plane, give flat results. The
// bits depend on the order of the points and on nothing else. Every call fails with ABUT_INVALID_ARGUMENT for no
// points, NULL or coordinates (or results) past ABUT_MAX_MAGNITUDE, and then leaves *out alone.
#ifndef ABUT_FIT_H
#define ABUT_FIT_H

#include <abut/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gets the AABB, exactly.
ABUT_CHECKED ABUT_API abut_status abut_fit_aabb(const float *points, uint32_t count, size_t stride, abut_aabb *out);

// Gets the smallest enclosing sphere, up to rounding: centre to nearest, radius up. Takes about ten passes.
ABUT_CHECKED ABUT_API abut_status abut_fit_sphere(const float *points, uint32_t count, size_t stride,
                                                  abut_placed_shape *out);

// Gets a sphere in a fixed number of passes, usually less than 1% larger than the smallest.
ABUT_CHECKED ABUT_API abut_status abut_fit_sphere_fast(const float *points, uint32_t count, size_t stride,
                                                       abut_placed_shape *out);

// Gets the OBB along the principal axes: x has the largest variance, z the smallest. Takes microseconds.
ABUT_CHECKED ABUT_API abut_status abut_fit_obb_pca(const float *points, uint32_t count, size_t stride,
                                                   abut_placed_shape *out);

// Gets an OBB of nearly the least volume: rarely above 1.001 of it, never larger than the principal box or the AABB.
// Flat clouds are compared by area, lines by length. Takes about 10 ms, seconds for round clouds of thousands of
// points, and 60 kB of stack.
ABUT_CHECKED ABUT_API abut_status abut_fit_obb(const float *points, uint32_t count, size_t stride,
                                               abut_placed_shape *out);

// Gets the rectangle along the principal axes of 2D points: an OBB with half z zero, x along the largest variance.
ABUT_CHECKED ABUT_API abut_status abut_fit_rectangle_pca(const float *points, uint32_t count, size_t stride,
                                                         abut_placed_shape *out);

// Gets the rectangle of least area of 2D points, rotated by at most 45 degrees. Borrows 48 bytes a point from
// `allocator` (NULL: malloc and free) during the call; fails with ABUT_OUT_OF_MEMORY if it cannot.
ABUT_CHECKED ABUT_API abut_status abut_fit_rectangle(const float *points, uint32_t count, size_t stride,
                                                     const abut_allocator *allocator, abut_placed_shape *out);

#ifdef __cplusplus
}
#endif

#endif
