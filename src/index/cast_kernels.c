// Expands the nodes of one level for a cast: eight slab tests at a time.
//
// Rounding errors. The difference of a side and the line, the inverse and their product are each rounded once: 3 x
// 2^-24 of the result together, so the first and the last of all slabs may err by that much of themselves. The factors
// below are more than twice that.
#include "index/cast.h"

#include "bounds/box8.h"

#define EARLIER (1.0f - 0x1p-21f)
#define LATER   (1.0f + 0x1p-21f)

// The line in every lane. The row, not the lesser of both sides, says where a slab is entered: otherwise every line
// would enter an empty lane.
typedef struct line_splat
{
    f32w enter_from[3], leave_from[3], inverse[3], near, far;
    uint32_t enter_row[3], leave_row[3]; // in floats
} line_splat;

AB_INLINE line_splat splat_line(const ab_cast_line *line)
{
    line_splat s = { .near = splatw(line->near), .far = splatw(line->far) };
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.enter_from[k] = splatw(line->enter_from[k]);
        s.leave_from[k] = splatw(line->leave_from[k]);
        s.inverse[k] = splatw(line->inverse[k]);
        s.enter_row[k] = AB_BLOCK * line->enter_row[k];
        s.leave_row[k] = AB_BLOCK * (2 * k + 3 - line->enter_row[k]);
    }
    return s;
}

// The lanes of a block that are entered, and where; the others' entries are undefined.
AB_INLINE uint32_t entered_lanes(const ab_aabb8 *block, const line_splat *s, float entered[AB_BLOCK])
{
    const float *const rows = (const float *)(const void *)block;
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
    {
        f32w enter[3], leave[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            enter[k] = mulw(subw(loadw(rows + s->enter_row[k] + lane), s->enter_from[k]), s->inverse[k]);
            leave[k] = mulw(subw(loadw(rows + s->leave_row[k] + lane), s->leave_from[k]), s->inverse[k]);
        }
        const f32w first = maxw(maxw(enter[0], enter[1]), maxw(enter[2], splatw(0.0f)));
        const f32w last = mulw(minw(minw(leave[0], leave[1]), leave[2]), splatw(LATER));
        const f32w early = mulw(first, splatw(EARLIER));
        set |= bitsm(lew(maxw(early, s->near), minw(last, s->far))) << lane;
        storew(entered + lane, early);
    }
    return set;
}

AB_INLINE void store_entered(float *to, const float entered[AB_BLOCK], uint32_t set)
{
    const uint64_t kept = ab_compress_lanes[set];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[k] = entered[kept >> 8 * k & 0xffu];
    }
}

AB_INLINE uint32_t expand_nodes(const ab_aabb8 *blocks, const ab_cast_line *line, const uint32_t *nodes, uint32_t count,
                                uint32_t *children, float *entered, bool proxies)
{
    const line_splat s = splat_line(line);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
    {
        float at[AB_BLOCK];
        const uint32_t set = entered_lanes(&blocks[nodes[i]], &s, at);
        store_children(children + found, &nodes[i], set);
        if (proxies)
        {
            store_entered(entered + found, at, set);
        }
        found += count_kept(set);
    }
    return (uint32_t)found;
}

ab_cast_kernel AB_ISA_NAME(ab_cast_kernel);
uint32_t AB_ISA_NAME(ab_cast_kernel)(const ab_aabb8 *blocks, const ab_cast_line *line, const uint32_t *nodes,
                                     uint32_t count, uint32_t *children, float *entered)
{
    return entered ? expand_nodes(blocks, line, nodes, count, children, entered, true)
                   : expand_nodes(blocks, line, nodes, count, children, NULL, false);
}
