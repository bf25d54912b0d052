// The kernels of mesh pairs. They want a pair for each triangle, `touching` each pair once.
#ifndef AB_MESH_COLLIDE_H
#define AB_MESH_COLLIDE_H

#include "narrow/mesh/triangle.h"
#include "narrow/mesh/triangle_axes.h"
#include "narrow/narrow.h"

void ab_mesh_collide(const ab_batch *batch, const ab_triangle_kernels *kernels, ab_manifolds *out);

uint32_t ab_mesh_touching(const ab_batch *batch, const ab_triangle_kernels *kernels, uint32_t *out);

// The deepest contact of a pair that overlaps, of equals that of the lowest child. Its normal points to the mesh. False
// if the two have none: the shape is apart from the mesh, or behind its surface. With a way of the shape only contacts
// count that it goes deeper into, and triangles without a contact that it cuts and whose faces it goes into.
bool ab_mesh_deepest(const ab_triangle_pair *pair, const double *way, abut_manifold *out, uint32_t *triangle);

#endif
