// Which axes may part a box from triangles, found in lanes: one triangle a lane, in floats. What is left out is left
// out for sure: the bounds allow for all rounding, so that answers in double do not depend on it.
#ifndef AB_TRIANGLE_AXES_H
#define AB_TRIANGLE_AXES_H

#include "base/isa.h"
#include "shape/mesh.h"
#include "shape/polytope.h"

#include <stdbool.h>
#include <stdint.h>

// Axes by bit: those of the box; the triangle's normal; across the triangle's edge j and the box's axis k.
#define AB_AXES_FACES      0x7u
#define AB_AXES_NORMAL     0x8u
#define AB_AXES_EDGE(j, k) (0x10u << (3 * (j) + (k)))
#define AB_AXES_EDGES(j)   (0x70u << 3 * (j))
#define AB_AXES_ALL        0x1fffu

// Not an axis: the two overlap, and what is lowest of the box over the triangle, seen from the front, is all beside one
// of its edges: a corner, or an edge or a face that may lie flat.
// Of a ball, with AB_AXES_EDGES(j) alone: its centre is nearest to edge j, for sure, neither to its ends nor to the
// face.
#define AB_AXES_BESIDE 0x2000u

// Nor this: a corner of the box may be over the triangle, and within the limit of it.
#define AB_AXES_CORNERS 0x8000u

// Nor this. The two overlap, and the box's middle is behind the triangle, both for sure. AB_AXES_AHEAD has those of the
// axes that may lead out to the triangle's front.
#define AB_AXES_BEHIND      0x4000u
#define AB_AXES_AHEAD(axes) ((axes) >> 16)

// A box about a convex shape's core, in the mesh's frame.
typedef struct ab_axes_box
{
    float centre[3], rest[3]; // the second is what the rounding of the first leaves
    float axis[9], half[3];
    float limit;  // beyond this the two are apart: the rounding radius is in it
    float behind; // the same of a box behind the triangle
    float rounding;
    bool two_sided;
} ab_axes_box;

#define AB_AXES_ROW AB_WIDEST

// Corners of triangles in the mesh's frame: by corner, then by coordinate.
typedef struct ab_axes_row
{
    float corner[3][3][AB_AXES_ROW];
} ab_axes_row;

// Writes the axes along which each of `count` triangles may be the most apart from the box; none: it is beyond the
// limit along some axis, or the box is behind it. Entries behind `count` must be numbers; their answers are dropped.
typedef void ab_triangle_axes_kernel(const ab_axes_box *box, const ab_axes_row *row, uint32_t count,
                                     uint32_t axes[AB_AXES_ROW]);

// The same to find out whether a shape touches any of at most eight triangles: true when it overlaps one for sure,
// with its middle in front of it; then no axes are written. `exact`: the box is the shape itself, or it is a ball.
// Writes AB_AXES_BEHIND, but neither AB_AXES_BESIDE nor AB_AXES_CORNERS.
typedef bool ab_triangle_touch_kernel(const ab_axes_box *box, const ab_axes_row *row, uint32_t count, bool exact,
                                      uint32_t axes[AB_AXES_ROW]);

// Clears the axes of triangles that a face of the hull in the box, or their own plane, parts from it by more than the
// limit, or that it is behind. Of the others those of the box stay, with AB_AXES_CORNERS where a corner of the hull may
// be over the triangle, and within the limit of it.
typedef void ab_triangle_hull_kernel(const ab_axes_box *box, const ab_polytope *hull, const ab_axes_row *row,
                                     uint32_t count, uint32_t axes[AB_AXES_ROW]);

struct ab_triangle_pair;
struct ab_triangle_row;

// Lays out what the box of a pair is to a row of triangles. Corners of those that are not there must be numbers.
typedef void ab_triangle_row_kernel(const struct ab_triangle_pair *pair, struct ab_triangle_row *row);

typedef struct ab_triangle_kernels
{
    ab_triangle_axes_kernel *axes;
    ab_triangle_hull_kernel *hull;
    ab_triangle_touch_kernel *touch;
    ab_triangle_row_kernel *row; // NULL: of an instruction set that is not faster by it
} ab_triangle_kernels;

#endif
