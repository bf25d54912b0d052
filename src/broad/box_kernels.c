#include "broad/box_kernels.h"

#include "bounds/eights.h"

#define EVERY_LANE 0xffu
#define AHEAD      12u // entries that the cache is asked for in advance; at most AB_LIST_PADDING

AB_INLINE void prefetch_block(const ab_block *block)
{
    AB_PREFETCH(block->min_x);
    AB_PREFETCH(block->min_z);
    AB_PREFETCH(block->max_y);
}

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

AB_INLINE uint32_t open_pairs(const ab_node_sides *sides, const ab_node_pairs *in, ab_node_pairs *out, bool same)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < in->count; ++i)
    {
        const uint32_t node = in->opened[i], other = in->other[i], soon = in->other[i + AHEAD];
        prefetch_block(&sides->opened[in->opened[i + AHEAD]]);
        prefetch_block(&sides->soon[soon]);
        AB_PREFETCH(&sides->other[soon]);
        const box_splat box = splat_extent(&sides->other[other]);
        const uint32_t up_to_other = (2u << other % AB_BLOCK) - 1;
        const uint32_t wanted = same && other / AB_BLOCK == node ? up_to_other : EVERY_LANE;
        const uint32_t hit = overlapping(&sides->opened[node], &box) & wanted;
        store_kept(out->opened + count, node * AB_BLOCK, hit);
        store_eight(out->other + count, other);
        count += count_kept(hit);
    }
    return count;
}

static void open(const ab_node_sides *sides, const ab_node_pairs *in, ab_node_pairs *out)
{
    out->count = sides->same ? open_pairs(sides, in, out, true) : open_pairs(sides, in, out, false);
}

AB_INLINE uint32_t meet_pairs(const ab_leaf_sides *sides, const ab_node_pairs *in, ab_pair *out, bool same)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < in->count; ++i)
    {
        const uint32_t block = in->opened[i], leaf = in->other[i];
        const box_splat box = splat_lane(&sides->other[leaf / AB_BLOCK], leaf % AB_BLOCK);
        const uint32_t before_leaf = (1u << leaf % AB_BLOCK) - 1;
        const uint32_t wanted = same && leaf / AB_BLOCK == block ? before_leaf : EVERY_LANE;
        const uint32_t hit = overlapping(&sides->opened[block], &box) & wanted;
        store_kept_pairs(&out[count].a, sides->first_opened + block * AB_BLOCK, sides->first_other + leaf, hit);
        count += count_kept(hit);
    }
    return count;
}

static uint32_t meet(const ab_leaf_sides *sides, const ab_node_pairs *in, ab_pair *out)
{
    return sides->same ? meet_pairs(sides, in, out, true) : meet_pairs(sides, in, out, false);
}

static void refit(const ab_extent *children, uint32_t count, ab_block *nodes, ab_extent *extents)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_block *node = &nodes[i];
        for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
        {
            const float *rows[LANES];
            f32w columns[8];
            for (uint32_t k = 0; k < LANES; ++k)
            {
                rows[k] = children[i * AB_BLOCK + lane + k].min;
            }
            gather_rows8(rows, columns);
            storew(node->min_x + lane, columns[0]);
            storew(node->min_y + lane, columns[1]);
            storew(node->min_z + lane, columns[2]);
            storew(node->max_x + lane, columns[4]);
            storew(node->max_y + lane, columns[5]);
            storew(node->max_z + lane, columns[6]);
        }
        fit_extent(node, &extents[i]);
    }
}

extern const ab_box_kernels AB_ISA_NAME(ab_box_kernels);
const ab_box_kernels AB_ISA_NAME(ab_box_kernels) = {
    .sweep = sweep,
    .open = open,
    .meet = meet,
    .refit = refit,
};
