// The kernels of triangles of one instruction set, and the pair kernel that uses them.
#include "narrow/kernels/triangle_kernels.h"

#define AB_LANES_EIGHT_AT_MOST // a shape meets few triangles
#include "base/kernels.h"
#include "math/lanes.h"

#include <math.h>

#include "narrow/kernels/triangle_axes.inl"
#include "narrow/kernels/triangle_hull.inl"
#include "narrow/kernels/triangle_touch.inl"

const ab_triangle_kernels AB_ISA_NAME(ab_triangle_kernels) = {
    .axes = triangle_axes,
    .hull = triangle_hull,
    .touch = triangle_touch,
#ifdef AB_TRIANGLE_ROWS
    .row = AB_ISA_NAME(ab_triangle_lay_row),
#endif
};

void AB_ISA_NAME(ab_mesh_kernel)(const ab_batch *batch, ab_manifolds *out)
{
    ab_mesh_collide(batch, &AB_ISA_NAME(ab_triangle_kernels), out);
}

uint32_t AB_ISA_NAME(ab_mesh_touching)(const ab_batch *batch, uint32_t *out)
{
    return ab_mesh_touching(batch, &AB_ISA_NAME(ab_triangle_kernels), out);
}
