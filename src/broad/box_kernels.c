// The box kernels of one instruction set: expand node pairs, test leaves, scan by brute force, overlap blocks with
// themselves, and refit.
#include "broad/box_kernels.h"

#include "base/kernels.h"
#include "bounds/box8.h"

#define EVERY_LANE    0xffu
#define AHEAD         12u // entries prefetched ahead; at most AB_LIST_PADDING
#define WRITTEN_AHEAD 64u // output pairs prefetched ahead; the memory need not exist

static uint32_t brute_scan(const ab_proxies *proxies, uint32_t proxy, uint32_t first, uint32_t end, ab_pair *out)
{
    const uint32_t own_block = proxy / AB_BLOCK, later = EVERY_LANE << 1 << proxy % AB_BLOCK & EVERY_LANE;
    const box_splat box = splat_proxy(proxies->block, proxy);
    uint32_t count = 0;
    for (uint32_t block = first; block < end; ++block)
    {
        const uint32_t hit = overlapping(&proxies->block[block], &box) & (block == own_block ? later : EVERY_LANE);
        store_pairs(&out[count].a, block * AB_BLOCK, proxy, hit);
        count += count_kept(hit);
    }
    return count;
}

// Arithmetic, because a branch would mispredict every third time.
AB_INLINE uint32_t every_lane_unless(bool own)
{
    return (uint32_t)own - 1u;
}

// A node that is expanded against nodes was the other one in the step before, and was prefetched then; proxies are in a
// block that was just expanded.
AB_INLINE void prefetch_next(const ab_node_sides *sides, const ab_node_pairs *in, size_t i, bool proxies)
{
    if (proxies)
    {
        ab_aabb8_prefetch(&sides->opened[in->opened[i]]);
    }
    else
    {
        ab_aabb8_prefetch(&sides->blocks[in->other[i]]);
        AB_PREFETCH(&sides->other[in->other[i]]);
    }
}

AB_INLINE uint32_t wanted_children(uint32_t node, uint32_t other, uint32_t hit, ab_children children)
{
    const uint32_t here = 1u << other % AB_BLOCK, elsewhere = every_lane_unless(other / AB_BLOCK == node);
    switch (children)
    {
    case AB_CHILDREN_UP_TO_OTHER:
        return hit & ((2 * here - 1) | elsewhere);
    case AB_CHILDREN_BEFORE_OTHER:
        return hit & ((here - 1) | elsewhere);
    default:
        return hit;
    }
}

// Copies of what the lists point to, to stay in registers: the compiler must assume that stores alias the originals.
AB_INLINE uint32_t expand_pairs(const ab_node_sides *sides, const ab_node_pairs *in, const ab_node_pairs *out,
                                bool proxies, ab_children children, bool distant)
{
    const ab_node_sides s = *sides;
    const ab_node_pairs from = *in, to = *out;
    size_t count = 0;
    for (size_t i = 0; i < from.count; ++i)
    {
        const uint32_t node = from.opened[i], other = from.other[i];
        if (distant)
        {
            prefetch_next(&s, &from, i + AHEAD, proxies);
        }
        const box_splat box = proxies ? splat_proxy(s.blocks, other) : splat_aabb(&s.other[other]);
        const uint32_t hit = wanted_children(node, other, overlapping(&s.opened[node], &box), children);
        store_children(to.opened + count, &from.opened[i], hit);
        store_eight(to.other + count, &from.other[i]);
        count += count_kept(hit);
    }
    return (uint32_t)count;
}

AB_INLINE uint32_t expand_pairs_of(const ab_node_sides *sides, const ab_node_pairs *in, const ab_node_pairs *out,
                                   bool distant)
{
    if (!sides->other)
    {
        return expand_pairs(sides, in, out, true, AB_CHILDREN_ALL, distant);
    }
    switch (sides->children)
    {
    case AB_CHILDREN_UP_TO_OTHER:
        return expand_pairs(sides, in, out, false, AB_CHILDREN_UP_TO_OTHER, distant);
    case AB_CHILDREN_BEFORE_OTHER:
        return expand_pairs(sides, in, out, false, AB_CHILDREN_BEFORE_OTHER, distant);
    default:
        return expand_pairs(sides, in, out, false, AB_CHILDREN_ALL, distant);
    }
}

static void expand(const ab_node_sides *sides, const ab_node_pairs *in, ab_node_pairs *out)
{
    out->count = AB_PREFETCHES && sides->distant ? expand_pairs_of(sides, in, out, true)
                                                 : expand_pairs_of(sides, in, out, false);
}

AB_INLINE uint32_t leaf_test_pairs(const ab_proxy_sides *sides, const ab_node_pairs *in, ab_pair *out, bool distant)
{
    const ab_proxy_sides s = *sides;
    const ab_node_pairs from = *in;
    ab_pair *to = out;
    for (size_t i = 0; i < from.count; ++i)
    {
        const size_t block = from.opened[i], proxy = from.other[i];
        if (distant)
        {
            ab_aabb8_prefetch(&s.opened[from.opened[i + AHEAD]]);
        }
        AB_PREFETCH_TO_AT(to, WRITTEN_AHEAD); // the stores miss the cache otherwise
        const box_splat box = splat_proxy(s.other, (uint32_t)proxy);
        const uint32_t hit = overlapping(&s.opened[block], &box);
        store_pairs(&to->a, s.first_opened + block * AB_BLOCK, s.first_other + proxy, hit);
        to += count_kept(hit);
    }
    return (uint32_t)(to - out);
}

static uint32_t leaf_test(const ab_proxy_sides *sides, const ab_node_pairs *in, ab_pair *out)
{
    return AB_PREFETCHES && sides->distant ? leaf_test_pairs(sides, in, out, true)
                                           : leaf_test_pairs(sides, in, out, false);
}

// Tests each lane against the one `by` further on, cyclically: 1 to 4 make every pair once, except that 4 makes its own
// twice.
static uint32_t overlap_self(const ab_aabb8 *blocks, uint32_t count, uint32_t first, ab_pair *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const turned_block turned = turn_block(&blocks[i]);
        for (uint32_t by = 1; by <= AB_BLOCK / 2; ++by)
        {
            const uint32_t once = by == AB_BLOCK / 2 ? EVERY_LANE >> AB_BLOCK / 2 : EVERY_LANE;
            const uint32_t hit = overlapping_turned(&blocks[i], &turned, by) & once;
            store_turned_pairs(&out[found].a, first + i * AB_BLOCK, by, hit);
            found += count_kept(hit);
        }
    }
    return found;
}

static void refit(const ab_aabb *children, uint32_t count, ab_aabb8 *nodes, ab_aabb *aabbs)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_aabb8 *node = &nodes[i];
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
        fit_aabb(node, &aabbs[i]);
    }
}

const ab_box_kernels AB_ISA_NAME(ab_box_kernels) = {
    .brute_scan = brute_scan,
    .expand = expand,
    .leaf_test = leaf_test,
    .overlap_self = overlap_self,
    .refit = refit,
};
