#include "broad/box_kernels.h"

#include "bounds/eights.h"

#define EVERY_LANE 0xffu

static uint32_t sweep(const ab_leaves *leaves, uint32_t leaf, uint32_t first, uint32_t end, ab_pair *out)
{
    const uint32_t own_block = leaf / AB_BLOCK, later = EVERY_LANE << 1 << leaf % AB_BLOCK & EVERY_LANE;
    const box_splat box = splat_lane(&leaves->block[own_block], leaf % AB_BLOCK);
    uint32_t count = 0;
    for (uint32_t block = first; block < end; ++block)
    {
        const uint32_t hit = overlapping(&leaves->block[block], &box) & (block == own_block ? later : EVERY_LANE);
        store_kept_pairs(&out[count].a, block * AB_BLOCK, leaf, hit);
        count += count_kept(hit);
    }
    return count;
}

extern const ab_box_kernels AB_ISA_NAME(ab_box_kernels);
const ab_box_kernels AB_ISA_NAME(ab_box_kernels) = {
    .sweep = sweep,
};
