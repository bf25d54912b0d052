// What queries and sweeps ask of a mesh: triangle by triangle.
#ifndef AB_MESH_QUERIES_H
#define AB_MESH_QUERIES_H

#include "narrow/convex/sweep.h"
#include "narrow/mesh/triangle.h"

// As ab_sweep_to_touch, where either of the two may be a mesh, a compound or a chain, but not both a surface; *child is what
// abut_shape_children splits. The first of several triangles or parts counts, and of those at the same time the lowest
// child. Only impacts whose normal the surface as a whole has count (see ab_triangle_fit_of), and those at edges that
// have none where the shape goes on into the face, whose normal they then have; and at a border of a mesh with one
// side, of a shape in front that comes from beyond it. Of those that overlap at time 0 and count (`overlaps`) the
// deepest comes first: with a mesh as its deepest contact has it (see ab_mesh_deepest).
void ab_sweep_shapes(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                     uint32_t *child);

// The nearest points of a convex shape (a) and a mesh (b), as ab_convex_distance and ab_convex_round say. False when
// they overlap. Returns the part in *child. Where they are farther apart than `most`, infinity may be the distance, and
// what else is written is of no use.
bool ab_mesh_distance(const ab_convex *shape, const ab_convex *placed, double most, ab_convex_contact *out,
                      uint32_t *child);

// Shows the triangles that share a point with a convex shape, from whichever side, by their children. False when `see`
// did not want more.
bool ab_mesh_find_overlapping(const ab_convex *shape, const ab_convex *placed, ab_mesh_see *see, void *context);

// Whether one triangle does.
bool ab_mesh_triangle_overlaps(const ab_convex *shape, const ab_convex *placed, uint32_t triangle);

// A test of a triangle's corners, in the axes and from the origin of the placed mesh.
typedef bool ab_corner_test(const void *context, double corner[3][3]);

// Whether a triangle in a box, of the core's half extents, placed likewise, may pass.
typedef bool ab_box_test(const void *context, const ab_convex *box);

// Shows the triangles of all that pass, by their children. False when `see` did not want more.
bool ab_mesh_find_passing(const ab_convex *placed, ab_corner_test *test, ab_box_test *may_pass, const void *context,
                          ab_mesh_see *see, void *seer);

#endif
