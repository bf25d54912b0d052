// A shape that travels, and turns on the way, against one that stands: a sweep (narrow/convex/sweep.h) over a unit of
// time.
#ifndef AB_CAST_SHAPE_H
#define AB_CAST_SHAPE_H

#include "narrow/mesh/mesh_queries.h"
#include "query/bound_kernels.h"

#include <abut/query.h>

typedef struct ab_cast_found
{
    double fraction; // rounded down to a float
    double normal[3];
    double at[3]; // on the standing shape, from where the other one starts
    double depth;
    uint32_t flags; // ABUT_HIT_…
    uint32_t child; // the part of a mesh
} ab_cast_found;

// NULL when the way of a cast is valid in 3D, or in 2D; else the sentence that says why not.
const char *ab_cast_fault(const abut_cast *cast, bool is_2d);

// The travelling shape, at an accepted pose. Positions are relative to where it starts.
void ab_cast_mover(ab_mover *out, const abut_cast *cast, const abut_pose *pose, const ab_kind_set *kinds, bool is_2d);

// False when it does not hit the standing shape, or only at a fraction above `limit`: such hits may be found or not.
// `flags` are the query's. Of the standing shape `start` is there; the rest is set, for it does not move.
bool ab_cast_test(const ab_mover *mover, ab_mover *standing, uint32_t flags, float limit, ab_cast_found *out);

// Which overlaps the flags of a query let count.
ab_overlaps ab_cast_overlaps(uint32_t flags);

// As the kernel that bounds casts reads it; the shape starts at `origin`.
void ab_cast_row_make(ab_cast_row *out, const ab_mover *mover, abut_vec3 origin);

#endif
