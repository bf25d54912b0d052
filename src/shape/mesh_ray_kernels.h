// A ray or a box down a mesh's tree, eight boxes at a time, in single precision: finds the triangles that a ray may
// hit, and the blocks that a box meets.
#ifndef AB_SHAPE_MESH_RAY_KERNELS_H
#define AB_SHAPE_MESH_RAY_KERNELS_H

#include "base/isa.h"
#include "shape/mesh.h"

// Sees triangles of a block of eight: bit i for triangle i, at least one.
typedef void ab_mesh_see_some(void *context, uint32_t block, uint32_t mask);

// Shows the triangles whose boxes the ray enters before *far, a fraction of its way that who sees may lower. Nearest
// blocks come first, in an order that does not depend on the instruction set. A block at the end of the mesh has
// triangles less.
typedef void ab_mesh_ray_kernel(const ab_mesh *mesh, const double from[3], const double way[3], const float *far,
                                ab_mesh_see_some *see, void *context);

// Finds the leaves that a box meets, in their order. False where there may be more than there is room for.
typedef bool ab_mesh_leaves_kernel(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_leaves *out);

// The same of several boxes, AB_MESH_TOGETHER at most.
typedef bool ab_mesh_all_leaves_kernel(const ab_mesh *mesh, const ab_mesh_box *boxes, uint32_t count,
                                       ab_mesh_leaves *out);

// Finds the blocks of leaves that the box meets likewise.
typedef bool ab_mesh_blocks_kernel(const ab_mesh *mesh, const ab_mesh_box *box, const ab_mesh_leaves *leaves,
                                   ab_mesh_blocks *out);

// Blocks are as many as there is room for. False: no more are wanted.
typedef bool ab_mesh_see_found(void *context);

// Finds the blocks of eight that a box meets, in their order. Whenever there may be too many for `found`, shows those
// that are there, and begins again with none: who sees may shrink the box. False when it did not want more.
typedef bool ab_mesh_find_kernel(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_blocks *found,
                                 ab_mesh_see_found *see, void *context);

// ab_mesh_list_blocks.
typedef uint32_t ab_mesh_list_kernel(const ab_mesh *mesh, const ab_mesh_blocks *blocks, uint32_t *out, uint32_t room);

typedef struct ab_mesh_ray_kernels
{
    ab_mesh_ray_kernel *descend;
    ab_mesh_leaves_kernel *find_leaves;
    ab_mesh_all_leaves_kernel *find_all_leaves;
    ab_mesh_blocks_kernel *blocks_of;
    ab_mesh_find_kernel *find_blocks;
    ab_mesh_list_kernel *list_blocks;
} ab_mesh_ray_kernels;

#endif
