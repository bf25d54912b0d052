// Blocks of eight boxes, whatever the width of the lanes: the box around a block, one box tested against eight, a block
// against itself, and appending the lanes that were hit. Nothing here branches on what it finds.
//
// A set of lanes is an integer whose bit k stands for lane k of the block.
#ifndef AB_EIGHTS_H
#define AB_EIGHTS_H

#define AB_LANES_EIGHT_AT_MOST
#include "base/platform.h"
#include "bounds/leaves.h"
#include "math/kept_lanes.h"
#include "math/lanes.h"

// One box in every lane.
typedef struct box_splat
{
    f32w min_x, min_y, min_z;
    f32w max_x, max_y, max_z;
} box_splat;

AB_INLINE box_splat splat_extent(const ab_extent *extent)
{
    return (box_splat){ splatw(extent->min[0]), splatw(extent->min[1]), splatw(extent->min[2]),
                        splatw(extent->max[0]), splatw(extent->max[1]), splatw(extent->max[2]) };
}

// The box of a leaf, counted from that which the blocks begin with. A block has six rows, of which every leaf has a place.
AB_INLINE box_splat splat_leaf(const ab_block *blocks, uint32_t leaf)
{
    const size_t before_block = leaf & ~(AB_BLOCK - 1u);
    const float *min_x = (const float *)(const void *)blocks + leaf + 5 * before_block;
    return (box_splat){ splatw(min_x[0]),  splatw(min_x[8]),  splatw(min_x[16]),
                        splatw(min_x[24]), splatw(min_x[32]), splatw(min_x[40]) };
}

#if defined(AB_LANES_AVX2) || defined(AB_LANES_AVX512)
#include "bounds/eights_avx2.h"
#else
#include "bounds/eights_lanes.h"
#endif

#endif
