// When a shape that does not turn may reach triangles of a mesh that does not turn either.
#ifndef AB_MESH_PAST_H
#define AB_MESH_PAST_H

#include "narrow/convex/sweep.h"
#include "narrow/mesh/triangle.h"

// A shape that travels past triangles: everything relative to the mesh's motion, in the world's axes.
typedef struct ab_past
{
    const ab_convex *shape, *placed; // the second: the mesh
    double way[3];                   // in all of the time
} ab_past;

// Sets *time to a share of the way before which the shape does not come within a sweep's tolerance of a triangle, by
// the axes of the separating axis theorem. False: it does not until the end, or not before `limit`.
bool ab_past_triangle(const ab_past *past, uint32_t triangle, double limit, double *time);

// The same in floats, in the mesh's axes, each turned round along which the shape goes backward: for a first look at
// many triangles.
typedef struct ab_past_lanes
{
    float sign[3], min[3], max[3]; // of the box about the shape at the start, and all that rounding may change
    float way[3], inverse[3];      // zero: along this axis there is no way
    float stays[3];                // a long time where there is none
    float centre[3], axis[9];      // of the shape; times its half extents
    float rounding, size, slop;    // size: more than any coordinate from the centre, but for the triangle's
} ab_past_lanes;

void ab_past_lanes_of(const ab_past *past, ab_past_lanes *out);

#define AB_PAST_NEVER 1e30f

// Writes for each of eight triangles a share of the way before which the shape does not reach it; AB_PAST_NEVER: not
// before `limit`.
void ab_past_row(const ab_past_lanes *lanes, const ab_axes_row *row, float limit, float *restrict times);

#endif
