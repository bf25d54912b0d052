// The kernels of one instruction set, in one table. Each layer defines and calls its own; only their names are here, so
// that a world, a broad phase and a test find them the same way.
#ifndef AB_KERNELS_H
#define AB_KERNELS_H

#include "base/isa.h"

typedef struct ab_kernels
{
    const struct ab_anchor_kernels *anchors;
    const struct ab_bounds_kernels *bounds;
    const struct ab_index_kernels *index;
    const struct ab_query_kernels *queries;
    const struct ab_box_kernels *boxes; // of the tree and of brute force
    const struct ab_halve_kernels *halves;
    const struct ab_grid_kernels *grid;
    const struct ab_pair_kernels *pairs;
    const struct ab_pair_table *table,
        *table_2d; // the pair types in space, and in the plane: z is zero, rotations about z
    const struct ab_follow_kernels *follow;
    const struct ab_checksum_kernels *checksum;
#ifndef AB_SMALL
    const struct ab_exact_kernels *exact;
    const struct ab_cast_kernels *casts;
#endif
#ifdef AB_MESHES
    const struct ab_triangle_kernels *triangles;
    const struct ab_mesh_ray_kernels *mesh_rays;
#endif
} ab_kernels;

// NULL for an instruction set that is not compiled in.
const ab_kernels *ab_kernels_for(abut_isa isa);

#ifdef AB_MESHES
#define AB_KERNELS_DECLARE_MESHES(name)                                                                                \
    extern const struct ab_triangle_kernels ab_triangle_kernels_##name;                                                \
    extern const struct ab_mesh_ray_kernels ab_mesh_ray_kernels_##name;
#else
#define AB_KERNELS_DECLARE_MESHES(name)
#endif

#ifdef AB_SMALL
#define AB_KERNELS_DECLARE_EXACT(name)
#else
#define AB_KERNELS_DECLARE_EXACT(name)                                                                                 \
    extern const struct ab_exact_kernels ab_exact_kernels_##name;                                                      \
    extern const struct ab_cast_kernels ab_cast_kernels_##name;
#endif

#define AB_KERNELS_DECLARE(name, isa)                                                                                  \
    extern const struct ab_anchor_kernels ab_anchor_kernels_##name;                                                    \
    extern const struct ab_bounds_kernels ab_bounds_kernels_##name;                                                    \
    extern const struct ab_index_kernels ab_index_kernels_##name;                                                      \
    extern const struct ab_query_kernels ab_query_kernels_##name;                                                      \
    extern const struct ab_box_kernels ab_box_kernels_##name;                                                          \
    extern const struct ab_halve_kernels ab_halve_kernels_##name;                                                      \
    extern const struct ab_grid_kernels ab_grid_kernels_##name;                                                        \
    extern const struct ab_pair_kernels ab_pair_kernels_##name;                                                        \
    extern const struct ab_pair_table ab_pair_table_##name, ab_pair_table_2d_##name;                                   \
    extern const struct ab_follow_kernels ab_follow_kernels_##name;                                                    \
    extern const struct ab_checksum_kernels ab_checksum_kernels_##name;                                                \
    AB_KERNELS_DECLARE_EXACT(name)                                                                                     \
    AB_KERNELS_DECLARE_MESHES(name)
#ifdef AB_ISA
#define AB_KERNELS_DECLARE_NAMED(name) AB_KERNELS_DECLARE(name, )
AB_KERNELS_DECLARE_NAMED(AB_ISA) // a kernel unit sees its own alone
#endif

#endif
