// When a shape that does not turn may reach triangles of a mesh that does not turn either.
#ifndef AB_MESH_SWEEP_H
#define AB_MESH_SWEEP_H

#include "narrow/convex/sweep.h"
#include "shape/mesh.h"

// A shape that travels past triangles: everything relative to the mesh's motion, in the world's axes.
typedef struct ab_past
{
    const ab_convex *shape, *placed; // the second: the mesh
    double way[3];                   // in all of the time
} ab_past;

// Sets *time to a share of the way before which the shape does not come within a sweep's tolerance of a triangle, by the axes of
// the separating axis theorem. False: it does not until the end, or not before `limit`.
bool ab_past_triangle(const ab_past *past, uint32_t triangle, double limit, double *time);

#endif
