// Impacts of a sweep against a mesh: which hits of its triangles are hits of the surface as a whole.
#ifndef AB_MESH_IMPACT_H
#define AB_MESH_IMPACT_H

#include "narrow/convex/sweep.h"
#include "narrow/mesh/triangle.h"

typedef struct ab_mesh_sweep
{
    const ab_mesh *mesh;
    const ab_mover *shape, *mesh_mover;
    double duration;
    ab_overlaps overlaps;
    bool mesh_first;
} ab_mesh_sweep;

// Whether they overlap at time 0 by more than the tolerance: *out is then the deepest contact there, whose way out is
// the surface's, as that of a detect.
bool ab_mesh_starts_inside(const ab_mesh_sweep *s, ab_sweep *out, uint32_t *child);

// Whether a triangle's impact counts, where the shape stops or where it would touch; its normal becomes the surface's.
// What comes down just beside an edge may have that nearest where it stops, and never touch the triangle over which it
// is then. `overlaps`: they overlap at time 0.
bool ab_mesh_impact_counts(const ab_mesh_sweep *s, ab_sweep *impact, ab_sweep *touching, uint32_t triangle,
                           bool overlaps);

// Whether the shape goes into a triangle's face at an edge that has no normal of its own, and not on over the face:
// from an impact that does not count. *normal is then the face's, towards the shape.
bool ab_mesh_impact_passes(const ab_mesh_sweep *s, const ab_sweep *impact, uint32_t triangle, double normal[3]);

#endif
