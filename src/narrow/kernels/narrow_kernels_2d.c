// The 2D narrow-phase kernels of one instruction set, and its 2D pair table: circles, capsules, rectangles and
// convex polygons.
#include "narrow/narrow.h"

#include "base/kernels.h"
#include "math/lanes.h"
#include "narrow/chain/chain.h"
#include "narrow/convex/half_space.h"
#include "narrow/kernels/capsule_kernels.h"
#include "narrow/kernels/sphere_kernels.h"
#include "shape/polygon.h"

#include <math.h>
#include <string.h>

#include "narrow/kernels/kernel_common.inl"

#include "narrow/kernels/common_2d.inl"

#include "narrow/kernels/circle_2d.inl"

#include "narrow/kernels/rect_2d.inl"

#include "narrow/kernels/outline_2d.inl"

#include "narrow/kernels/circle_polygon_2d.inl"

#include "narrow/kernels/polygon_2d.inl"

#include "narrow/kernels/capsule_polygon_2d.inl"

#ifdef AB_MESHES
#include "narrow/kernels/half_space.inl"

static void rect_half_space(const ab_batch *batch, ab_manifolds *out)
{
    box_half_space_all(batch, true, out);
}

static uint32_t rect_half_space_touching(const ab_batch *batch, uint32_t *out)
{
    return box_half_space_touching_all(batch, true, out);
}
#endif

// The lower kind comes first, so each pair type has one entry. An aligned rectangle's record has the world's axes, so
// one kernel serves both kinds of rectangle with a polygon.
const ab_pair_table AB_ISA_NAME(ab_pair_table_2d) = {
    // clang-format off
    .type = {
        [ABUT_SPHERE][ABUT_SPHERE]   = { "sphere-sphere",   AB_ISA_NAME(ab_sphere_sphere), AB_ISA_NAME(ab_sphere_sphere_touching), .max_points = 1 },
        [ABUT_SPHERE][ABUT_AABB]     = { "sphere-aabb",     circle_aabb,     circle_aabb_touching,     .max_points = 1 },
        [ABUT_SPHERE][ABUT_OBB]      = { "sphere-obb",      circle_obb,      circle_obb_touching,      .max_points = 1 },
        [ABUT_SPHERE][ABUT_POLYGON]  = { "sphere-polygon",  circle_polygon,  circle_polygon_touching,  .max_points = 1 },
        [ABUT_AABB]  [ABUT_AABB]     = { "aabb-aabb",       flat_aabb_aabb,  flat_aabb_aabb_touching,  .max_points = 2 },
        [ABUT_AABB]  [ABUT_OBB]      = { "aabb-obb",        flat_aabb_obb,   flat_aabb_obb_touching,   .max_points = 2, .caches_axes = true },
        [ABUT_AABB]  [ABUT_POLYGON]  = { "aabb-polygon",    rect_polygon,    rect_polygon_touching,    .max_points = 2, .caches_axes = true },
        [ABUT_OBB]   [ABUT_OBB]      = { "obb-obb",         flat_obb_obb,    flat_obb_obb_touching,    .max_points = 2, .caches_axes = true },
        [ABUT_OBB]   [ABUT_POLYGON]  = { "obb-polygon",     rect_polygon,    rect_polygon_touching,    .max_points = 2, .caches_axes = true },
        [ABUT_POLYGON][ABUT_POLYGON] = { "polygon-polygon", polygon_polygon, polygon_polygon_touching, .max_points = 2, .caches_axes = true },
        [ABUT_SPHERE][ABUT_CUSTOM]   = { "sphere-custom",   ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_AABB]  [ABUT_CUSTOM]   = { "aabb-custom",     ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_OBB]   [ABUT_CUSTOM]   = { "obb-custom",      ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_POLYGON][ABUT_CUSTOM]  = { "polygon-custom",  ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_CUSTOM][ABUT_CUSTOM]   = { "custom-custom",   ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_CUSTOM][ABUT_CAPSULE]  = { "custom-capsule",  ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_SPHERE][ABUT_CAPSULE]  = { "sphere-capsule",  circle_capsule, circle_capsule_touching,  .max_points = 1 },
        [ABUT_AABB]  [ABUT_CAPSULE]  = { "aabb-capsule",    AB_ISA_NAME(ab_rect_capsule), AB_ISA_NAME(ab_rect_capsule_touching),  .max_points = 2 },
        [ABUT_OBB]   [ABUT_CAPSULE]  = { "obb-capsule",     AB_ISA_NAME(ab_rect_capsule), AB_ISA_NAME(ab_rect_capsule_touching),  .max_points = 2 },
        [ABUT_POLYGON][ABUT_CAPSULE] = { "polygon-capsule", polygon_capsule, polygon_capsule_touching, .max_points = 2 },
        [ABUT_CAPSULE][ABUT_CAPSULE] = { "capsule-capsule", AB_ISA_NAME(ab_capsule_capsule_2d), AB_ISA_NAME(ab_capsule_capsule_2d_touching),  .max_points = 2 },
#ifdef AB_MESHES
        [ABUT_SPHERE] [ABUT_CHAIN]   = { "sphere-chain",    ab_chain_kernel, ab_chain_touching, .max_points = 1, .has_parts = true },
        [ABUT_AABB]   [ABUT_CHAIN]   = { "aabb-chain",      ab_chain_kernel, ab_chain_touching, .max_points = 2, .has_parts = true },
        [ABUT_OBB]    [ABUT_CHAIN]   = { "obb-chain",       ab_chain_kernel, ab_chain_touching, .max_points = 2, .has_parts = true },
        [ABUT_POLYGON][ABUT_CHAIN]   = { "polygon-chain",   ab_chain_kernel, ab_chain_touching, .max_points = 2, .has_parts = true },
        [ABUT_CUSTOM] [ABUT_CHAIN]   = { "custom-chain",    ab_chain_kernel, ab_chain_touching, .max_points = 2, .has_parts = true },
        [ABUT_CAPSULE][ABUT_CHAIN]   = { "capsule-chain",   ab_chain_kernel, ab_chain_touching, .max_points = 2, .has_parts = true },
        [ABUT_SPHERE] [ABUT_HALF_SPACE] = { "sphere-half-space", sphere_half_space, sphere_half_space_touching, .max_points = 1 },
        [ABUT_AABB]   [ABUT_HALF_SPACE] = { "aabb-half-space", rect_half_space, rect_half_space_touching, .max_points = 2 },
        [ABUT_OBB]    [ABUT_HALF_SPACE] = { "obb-half-space", rect_half_space, rect_half_space_touching, .max_points = 2 },
        [ABUT_POLYGON][ABUT_HALF_SPACE] = { "polygon-half-space", ab_half_space_kernel, ab_convex_touching, .max_points = 2 },
        [ABUT_CUSTOM] [ABUT_HALF_SPACE] = { "custom-half-space", ab_half_space_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_CAPSULE][ABUT_HALF_SPACE] = { "capsule-half-space", capsule_half_space, capsule_half_space_touching, .max_points = 2 },
#endif
    },
    // clang-format on
};
