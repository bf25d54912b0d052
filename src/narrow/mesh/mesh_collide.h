// The kernels of mesh pairs. They want a pair for each triangle, `touching` each pair once.
#ifndef AB_MESH_COLLIDE_H
#define AB_MESH_COLLIDE_H

#include "narrow/mesh/triangle_axes.h"
#include "narrow/narrow.h"

void ab_mesh_collide(const ab_batch *batch, ab_triangle_axes_kernel *axes, ab_manifolds *out);

uint32_t ab_mesh_touching(const ab_batch *batch, ab_triangle_touch_kernel *touch, uint32_t *out);

#endif
