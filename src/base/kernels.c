// The table of instruction sets in this build.
#include "base/kernels.h"

AB_FOR_EACH_ISA(AB_KERNELS_DECLARE)

#ifdef AB_MESHES
#define MESHES(name) .triangles = &ab_triangle_kernels_##name, .mesh_rays = &ab_mesh_ray_kernels_##name,
#else
#define MESHES(name)
#endif

#ifdef AB_SMALL
#define EXACT(name)
#else
#define EXACT(name) .exact = &ab_exact_kernels_##name, .casts = &ab_cast_kernels_##name,
#endif

#define ROW(name, isa)                                                                                                 \
    [isa] = { .anchors = &ab_anchor_kernels_##name,                                                                    \
              .bounds = &ab_bounds_kernels_##name,                                                                     \
              .index = &ab_index_kernels_##name,                                                                       \
              .queries = &ab_query_kernels_##name,                                                                     \
              .boxes = &ab_box_kernels_##name,                                                                         \
              .halves = &ab_halve_kernels_##name,                                                                      \
              .grid = &ab_grid_kernels_##name,                                                                         \
              .pairs = &ab_pair_kernels_##name,                                                                        \
              .table = &ab_pair_table_##name,                                                                          \
              .table_2d = &ab_pair_table_2d_##name,                                                                    \
              .follow = &ab_follow_kernels_##name,                                                                     \
              .checksum = &ab_checksum_kernels_##name,                                                                 \
              EXACT(name) MESHES(name) },
static const ab_kernels kernels[ABUT_ISA_COUNT] = { AB_FOR_EACH_ISA(ROW) };

const ab_kernels *ab_kernels_for(abut_isa isa)
{
    return (unsigned)isa < ABUT_ISA_COUNT && kernels[isa].bounds ? &kernels[isa] : NULL;
}
