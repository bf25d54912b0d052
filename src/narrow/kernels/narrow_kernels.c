// The narrow-phase kernels of one instruction set, and its pair table. Each pair type has a file of its own, written
// once for any number of lanes.
#include "narrow/narrow.h"

#include "base/assert.h"
#include "base/kernels.h"
#include "math/lanes.h"
#include "narrow/kernels/capsule_kernels.h"
#include "narrow/kernels/hull_kernels.h"
#include "narrow/kernels/sphere_kernels.h"

#include "narrow/kernels/kernel_common.inl"

#include "narrow/kernels/sphere_sphere.inl"

#include "narrow/kernels/sphere_box.inl"

#include "narrow/kernels/aabb_aabb.inl"

#include "narrow/kernels/box_box.inl"

#ifdef AB_MESHES
#include "narrow/compound/compound_pairs.h"
#include "narrow/convex/half_space.h"
#include "narrow/kernels/triangle_kernels.h"

#include "narrow/kernels/half_space.inl"

static void box_half_space(const ab_batch *batch, ab_manifolds *out)
{
    box_half_space_all(batch, false, out);
}

static uint32_t box_half_space_touching(const ab_batch *batch, uint32_t *out)
{
    return box_half_space_touching_all(batch, false, out);
}

static void compound_kernel(const ab_batch *batch, ab_manifolds *out)
{
    ab_compound_collide(batch, &AB_ISA_NAME(ab_pair_table), out);
}

static uint32_t compound_touching(const ab_batch *batch, uint32_t *out)
{
    return ab_compound_touch(batch, &AB_ISA_NAME(ab_pair_table), out);
}
#endif

// The lower kind comes first, so each pair type has one entry.
const ab_pair_table AB_ISA_NAME(ab_pair_table) = {
    // clang-format off
    .type = {
        [ABUT_SPHERE][ABUT_SPHERE] = { "sphere-sphere", AB_ISA_NAME(ab_sphere_sphere), AB_ISA_NAME(ab_sphere_sphere_touching), .max_points = 1 },
        [ABUT_SPHERE][ABUT_AABB]   = { "sphere-aabb",   sphere_aabb,   sphere_aabb_touching,   .max_points = 1 },
        [ABUT_SPHERE][ABUT_OBB]    = { "sphere-obb",    sphere_obb,    sphere_obb_touching,    .max_points = 1 },
        [ABUT_AABB]  [ABUT_AABB]   = { "aabb-aabb",     aabb_aabb,     aabb_aabb_touching,     .max_points = 4 },
        [ABUT_AABB]  [ABUT_OBB]    = { "aabb-obb",      aabb_obb,      aabb_obb_touching,      .max_points = 4, .caches_axes = true },
        [ABUT_OBB]   [ABUT_OBB]    = { "obb-obb",       obb_obb,       obb_obb_touching,       .max_points = 4, .caches_axes = true },
        [ABUT_SPHERE][ABUT_CUSTOM] = { "sphere-custom", ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_AABB]  [ABUT_CUSTOM] = { "aabb-custom",   ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_OBB]   [ABUT_CUSTOM] = { "obb-custom",    ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_CUSTOM][ABUT_CUSTOM] = { "custom-custom", ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_SPHERE][ABUT_CAPSULE]  = { "sphere-capsule",  sphere_capsule, sphere_capsule_touching, .max_points = 1 },
        [ABUT_AABB]  [ABUT_CAPSULE]  = { "aabb-capsule",    AB_ISA_NAME(ab_box_capsule), AB_ISA_NAME(ab_box_capsule_touching), .max_points = 2 },
        [ABUT_OBB]   [ABUT_CAPSULE]  = { "obb-capsule",     AB_ISA_NAME(ab_box_capsule), AB_ISA_NAME(ab_box_capsule_touching), .max_points = 2 },
        [ABUT_CUSTOM][ABUT_CAPSULE]  = { "custom-capsule",  ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_CAPSULE][ABUT_CAPSULE] = { "capsule-capsule", AB_ISA_NAME(ab_capsule_capsule), AB_ISA_NAME(ab_capsule_capsule_touching), .max_points = 2 },
#ifdef AB_HULLS
        [ABUT_SPHERE][ABUT_HULL]   = { "sphere-hull",   AB_ISA_NAME(ab_sphere_hull), AB_ISA_NAME(ab_sphere_hull_touching), .max_points = 1 },
        [ABUT_AABB]  [ABUT_HULL]   = { "aabb-hull",     AB_ISA_NAME(ab_box_hull), AB_ISA_NAME(ab_box_hull_touching), .max_points = 4, .caches_axes = true },
        [ABUT_OBB]   [ABUT_HULL]   = { "obb-hull",      AB_ISA_NAME(ab_box_hull), AB_ISA_NAME(ab_box_hull_touching), .max_points = 4, .caches_axes = true },
        [ABUT_CUSTOM][ABUT_HULL]   = { "custom-hull",   ab_convex_kernel, ab_convex_touching,  .max_points = 4 },
        [ABUT_CAPSULE][ABUT_HULL]  = { "capsule-hull",  AB_ISA_NAME(ab_capsule_hull), AB_ISA_NAME(ab_capsule_hull_touching), .max_points = 2 },
        [ABUT_SPHERE][ABUT_CYLINDER]  = { "sphere-cylinder",  ab_convex_kernel, ab_convex_touching, .max_points = 1 },
        [ABUT_AABB]  [ABUT_CYLINDER]  = { "aabb-cylinder",    ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_OBB]   [ABUT_CYLINDER]  = { "obb-cylinder",     ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_CUSTOM][ABUT_CYLINDER]  = { "custom-cylinder",  ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_CAPSULE][ABUT_CYLINDER] = { "capsule-cylinder", ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_HULL]  [ABUT_CYLINDER]  = { "hull-cylinder",    ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_CYLINDER][ABUT_CYLINDER] = { "cylinder-cylinder", ab_convex_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_HULL]  [ABUT_HULL]   = { "hull-hull",     AB_ISA_NAME(ab_hull_hull), AB_ISA_NAME(ab_hull_hull_touching), .max_points = 4, .caches_axes = true },
#endif
#ifdef AB_MESHES
        [ABUT_SPHERE] [ABUT_MESH]  = { "sphere-mesh",   AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 1, .has_parts = true },
        [ABUT_AABB]   [ABUT_MESH]  = { "aabb-mesh",     AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 4, .has_parts = true },
        [ABUT_OBB]    [ABUT_MESH]  = { "obb-mesh",      AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 4, .has_parts = true },
        [ABUT_CUSTOM] [ABUT_MESH]  = { "custom-mesh",   AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 4, .has_parts = true },
        [ABUT_CAPSULE][ABUT_MESH]  = { "capsule-mesh",  AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 2, .has_parts = true },
#ifdef AB_HULLS
        [ABUT_CYLINDER][ABUT_MESH] = { "cylinder-mesh", AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 4, .has_parts = true },
        [ABUT_HULL]   [ABUT_MESH]  = { "hull-mesh",     AB_ISA_NAME(ab_mesh_kernel), AB_ISA_NAME(ab_mesh_touching),      .max_points = 4, .has_parts = true },
#endif
        [ABUT_SPHERE]  [ABUT_COMPOUND] = { "sphere-compound", compound_kernel, compound_touching, .max_points = 1, .has_parts = true },
        [ABUT_AABB]    [ABUT_COMPOUND] = { "aabb-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_OBB]     [ABUT_COMPOUND] = { "obb-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_CUSTOM]  [ABUT_COMPOUND] = { "custom-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_CAPSULE] [ABUT_COMPOUND] = { "capsule-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_MESH]    [ABUT_COMPOUND] = { "mesh-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_COMPOUND][ABUT_COMPOUND] = { "compound-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
#ifdef AB_HULLS
        [ABUT_HULL]    [ABUT_COMPOUND] = { "hull-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_CYLINDER][ABUT_COMPOUND] = { "cylinder-compound", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
        [ABUT_CYLINDER][ABUT_HALF_SPACE] = { "cylinder-half-space", ab_half_space_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_HULL]    [ABUT_HALF_SPACE] = { "hull-half-space", ab_half_space_kernel, ab_convex_touching, .max_points = 4 },
#endif
        [ABUT_SPHERE]  [ABUT_HALF_SPACE] = { "sphere-half-space", sphere_half_space, sphere_half_space_touching, .max_points = 1 },
        [ABUT_AABB]    [ABUT_HALF_SPACE] = { "aabb-half-space", box_half_space, box_half_space_touching, .max_points = 4 },
        [ABUT_OBB]     [ABUT_HALF_SPACE] = { "obb-half-space", box_half_space, box_half_space_touching, .max_points = 4 },
        [ABUT_CUSTOM]  [ABUT_HALF_SPACE] = { "custom-half-space", ab_half_space_kernel, ab_convex_touching, .max_points = 4 },
        [ABUT_CAPSULE] [ABUT_HALF_SPACE] = { "capsule-half-space", capsule_half_space, capsule_half_space_touching, .max_points = 2 },
        [ABUT_COMPOUND][ABUT_HALF_SPACE] = { "compound-half-space", compound_kernel, compound_touching, .max_points = 4, .has_parts = true },
#endif
    },
    // clang-format on
};
