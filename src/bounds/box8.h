// Operations on blocks of eight AABBs, for any lane width: a block's AABB, one AABB against eight, a block against
// itself, and appending the lanes that hit. None branches on what it finds.
//
// A set of lanes is an integer whose bit k stands for lane k of the block.
#ifndef AB_BOX8_H
#define AB_BOX8_H

#define AB_LANES_EIGHT_AT_MOST
#include "base/platform.h"
#include "bounds/proxies.h"
#include "math/compress_lanes.h"
#include "math/lanes.h"

// One AABB in every lane.
typedef struct box_splat
{
    f32w min_x, min_y, min_z;
    f32w max_x, max_y, max_z;
} box_splat;

AB_INLINE box_splat splat_aabb(const ab_aabb *aabb)
{
    return (box_splat){ splatw(aabb->min[0]), splatw(aabb->min[1]), splatw(aabb->min[2]),
                        splatw(aabb->max[0]), splatw(aabb->max[1]), splatw(aabb->max[2]) };
}

// The AABB of a proxy, by its index from the first of `blocks`. A block has six rows with an entry per proxy.
AB_INLINE box_splat splat_proxy(const ab_aabb8 *blocks, uint32_t proxy)
{
    const size_t before_block = proxy & ~(AB_BLOCK - 1u);
    const float *min_x = (const float *)(const void *)blocks + proxy + 5 * before_block;
    return (box_splat){ splatw(min_x[0]),  splatw(min_x[8]),  splatw(min_x[16]),
                        splatw(min_x[24]), splatw(min_x[32]), splatw(min_x[40]) };
}

#if defined(AB_LANES_AVX2) || defined(AB_LANES_AVX512)
#include "bounds/box8_avx2.h"
#else
#include "bounds/box8_lanes.h"
#endif

#endif
