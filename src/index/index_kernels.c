// Expands the nodes of one level for a query: eight boxes at a time.
//
// Rounding errors. Of a slab the difference of a side and the line, the inverse and their product are each
// rounded once: 3 x 2^-24 of the result together, so the first and the last of all slabs may err by that much of
// themselves; lines have inverses that are less than the true ones by more. Of the square of a distance three
// differences, their squares and two sums are rounded: less than
// 8 x 2^-24 of the result. The factors below are more than twice that. Of a plane the normal, three products and two
// sums are rounded: each product is lowered by more than its share.
#include "index/descend.h"

#include "base/kernels.h"
#include "bounds/box8.h"

#define EARLIER (1.0f - 0x1p-21f)
#define LATER   (1.0f + 0x1p-21f)
#define NEARER  (1.0f - 0x1p-20f)

// The line in every lane. The row, not the lesser of both sides, says where a slab is entered: otherwise every line
// would enter an empty lane.
typedef struct line_splat
{
    f32w enter_from[3], leave_from[3], inverse[3], near, far;
    uint32_t enter_at[3], leave_at[3];
} line_splat;

AB_INLINE line_splat splat_line(const ab_cast_line *line)
{
    line_splat s = { .near = splatw(line->near), .far = splatw(line->far) };
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.enter_from[k] = splatw(line->enter_from[k]);
        s.leave_from[k] = splatw(line->leave_from[k]);
        s.inverse[k] = splatw(line->inverse[k]);
        s.enter_at[k] = line->enter_at[k];
        s.leave_at[k] = line->leave_at[k];
    }
    return s;
}

AB_INLINE const float *rows_of(const ab_aabb8 *block)
{
    return (const float *)(const void *)block;
}

// The lanes of a block that are entered, and where, if that is wanted; the others' entries are undefined. Sides are
// subtracted, and the inverses negative, so that they need no loads of their own.
AB_INLINE uint32_t entered_lanes(const ab_aabb8 *block, const line_splat *s, float *values)
{
    const float *const rows = rows_of(block);
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
    {
        f32w enter[3], leave[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            enter[k] = mulw(subw(s->enter_from[k], loadw(rows + s->enter_at[k] + lane)), s->inverse[k]);
            leave[k] = mulw(subw(s->leave_from[k], loadw(rows + s->leave_at[k] + lane)), s->inverse[k]);
        }
        const f32w first = maxw(maxw(enter[0], enter[1]), enter[2]);
        const f32w last = mulw(minw(minw(leave[0], leave[1]), leave[2]), splatw(AB_LINE_LATEST));
        set |= bitsm(lew(maxw(first, s->near), minw(last, s->far))) << lane;
        if (values)
        {
            storew(values + lane, maxw(first, splatw(0.0f)));
        }
    }
    return set;
}

typedef struct reach_splat
{
    f32w min[3], max[3], square;
} reach_splat;

AB_INLINE reach_splat splat_reach(const ab_index_box *box)
{
    reach_splat s = { .square = splatw(box->square) };
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.min[k] = splatw(box->min[k]);
        s.max[k] = splatw(box->max[k]);
    }
    return s;
}

// The lanes within reach, and the squares of their distances, if these are wanted.
AB_INLINE uint32_t near_lanes(const ab_aabb8 *block, const reach_splat *s, float *values)
{
    const float *const rows = rows_of(block);
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
    {
        f32w sum = splatw(0.0f);
        for (uint32_t k = 0; k < 3; ++k)
        {
            const f32w below = subw(loadw(rows + AB_BLOCK * k + lane), s->max[k]);
            const f32w above = subw(s->min[k], loadw(rows + AB_BLOCK * (k + 3) + lane));
            const f32w apart = maxw(maxw(below, above), splatw(0.0f));
            sum = addw(sum, mulw(apart, apart));
        }
        const f32w square = mulw(sum, splatw(NEARER));
        set |= bitsm(lew(square, s->square)) << lane;
        if (values)
        {
            storew(values + lane, square);
        }
    }
    return set;
}

AB_INLINE void look_ahead(const ab_aabb8 *blocks, const uint32_t *nodes, size_t i, uint32_t count)
{
    if (AB_PREFETCHES && i + AB_DESCEND_AHEAD < count)
    {
        ab_aabb8_prefetch(&blocks[nodes[i + AB_DESCEND_AHEAD]]);
    }
}

// What a level's tests give, node by node: the lanes, and their values if wanted. Where children are stored follows
// from all tests before; so these come first, for none to wait for that.
typedef struct tested
{
    uint8_t sets[AB_DESCEND_CHUNK];
    float values[AB_DESCEND_CHUNK][AB_BLOCK];
} tested;

AB_INLINE uint32_t store_all(const uint8_t *sets, const uint32_t *nodes, uint32_t count, uint32_t *children)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t set = sets[i];
        store_children(children + found, &nodes[i], set);
        found += count_kept(set);
    }
    return (uint32_t)found;
}

// With their values. `t` is not const, which gcc 12 would take for uninitialised under the address sanitizer.
static uint32_t store_all_values(tested *t, const uint32_t *nodes, uint32_t count, uint32_t *children, float *values)
{
    for (size_t i = 0; values && i < count; ++i)
    {
        const uint64_t kept = ab_compress_lanes[t->sets[i]];
        for (uint32_t k = 0; k < AB_BLOCK; ++k)
        {
            values[k] = t->values[i][kept >> 8 * k & 0xffu];
        }
        values += count_kept(t->sets[i]);
    }
    return store_all(t->sets, nodes, count, children);
}

// Small builds have one loop for tests with values and without.
#ifdef AB_SMALL
#define ONE_LOOP true
#else
#define ONE_LOOP false
#endif

// `values` is NULL where they are not wanted.
AB_INLINE void test_cast(uint8_t *sets, float (*values)[AB_BLOCK], const ab_aabb8 *blocks, const ab_cast_line *line,
                         const uint32_t *nodes, uint32_t count)
{
    const line_splat s = splat_line(line);
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        sets[i] = (uint8_t)entered_lanes(&blocks[nodes[i]], &s, values ? values[i] : NULL);
    }
}

static AB_APART uint32_t cast_values(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                                     uint32_t *children, float *values)
{
    tested t;
    test_cast(t.sets, t.values, blocks, query, nodes, count);
    return store_all_values(&t, nodes, count, children, values);
}

static uint32_t cast(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                     uint32_t *children, float *values)
{
    if (ONE_LOOP || values)
    {
        return cast_values(blocks, query, nodes, count, children, values);
    }
    if (!ONE_LOOP && count == 1) // nothing else waits for where its children are stored
    {
        const line_splat s = splat_line(query);
        const uint32_t set = entered_lanes(&blocks[nodes[0]], &s, NULL);
        if (set != 0)
        {
            store_children(children, &nodes[0], set);
        }
        return count_kept(set);
    }
    uint8_t sets[AB_DESCEND_CHUNK];
    test_cast(sets, NULL, blocks, query, nodes, count);
    return store_all(sets, nodes, count, children);
}

// Eight copies of a query's index; a child's is written with those behind it.
AB_INLINE void store_queries(uint8_t *to, uint32_t query)
{
    const uint64_t eight = 0x0101010101010101u * query;
    memcpy(to, &eight, sizeof eight);
}

static uint32_t store_many(const uint8_t *sets, const uint32_t *nodes, const uint8_t *queries, uint32_t count,
                           uint32_t *children, uint8_t *child_queries)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t set = sets[i];
        store_children(children + found, &nodes[i], set);
        store_queries(child_queries + found, queries[i]);
        found += count_kept(set);
    }
    return (uint32_t)found;
}

// What travels is a point, or a box.
AB_INLINE uint32_t expand_lines(const ab_aabb8 *blocks, const ab_cast_line *lines, const uint32_t *nodes,
                                const uint8_t *queries, uint32_t count, uint32_t *children, uint8_t *child_queries,
                                bool points)
{
    uint8_t sets[AB_DESCEND_CHUNK];
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        line_splat s = splat_line(&lines[queries[i]]);
        for (uint32_t k = 0; points && k < 3; ++k)
        {
            s.leave_from[k] = s.enter_from[k];
        }
        sets[i] = (uint8_t)entered_lanes(&blocks[nodes[i]], &s, NULL);
    }
    return store_many(sets, nodes, queries, count, children, child_queries);
}

static uint32_t cast_many(const ab_aabb8 *blocks, const void *all, const uint32_t *nodes, const uint8_t *queries,
                          uint32_t count, uint32_t *children, uint8_t *child_queries)
{
    return expand_lines(blocks, all, nodes, queries, count, children, child_queries, false);
}

AB_INLINE void test_near(uint8_t *sets, float (*values)[AB_BLOCK], const ab_aabb8 *blocks, const ab_index_box *box,
                         const uint32_t *nodes, uint32_t count)
{
    const reach_splat s = splat_reach(box);
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        sets[i] = (uint8_t)near_lanes(&blocks[nodes[i]], &s, values ? values[i] : NULL);
    }
}

static AB_APART uint32_t near_values(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                                     uint32_t *children, float *values)
{
    tested t;
    test_near(t.sets, t.values, blocks, query, nodes, count);
    return store_all_values(&t, nodes, count, children, values);
}

static uint32_t near(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                     uint32_t *children, float *values)
{
    if (ONE_LOOP || values)
    {
        return near_values(blocks, query, nodes, count, children, values);
    }
    uint8_t sets[AB_DESCEND_CHUNK];
    test_near(sets, NULL, blocks, query, nodes, count);
    return store_all(sets, nodes, count, children);
}

AB_INLINE box_splat splat_box(const ab_index_box *box)
{
    return (box_splat){ splatw(box->min[0]), splatw(box->min[1]), splatw(box->min[2]),
                        splatw(box->max[0]), splatw(box->max[1]), splatw(box->max[2]) };
}

static uint32_t overlap(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                        uint32_t *children, float *values)
{
    const box_splat box = splat_box(query);
    uint8_t sets[AB_DESCEND_CHUNK];
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        sets[i] = (uint8_t)overlapping(&blocks[nodes[i]], &box);
    }
    (void)values;
    return store_all(sets, nodes, count, children);
}

#ifndef AB_SMALL

static uint32_t ray_many(const ab_aabb8 *blocks, const void *all, const uint32_t *nodes, const uint8_t *queries,
                         uint32_t count, uint32_t *children, uint8_t *child_queries)
{
    return expand_lines(blocks, all, nodes, queries, count, children, child_queries, true);
}

static uint32_t near_many(const ab_aabb8 *blocks, const void *all, const uint32_t *nodes, const uint8_t *queries,
                          uint32_t count, uint32_t *children, uint8_t *child_queries)
{
    const ab_index_box *boxes = all;
    uint8_t sets[AB_DESCEND_CHUNK];
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        const reach_splat s = splat_reach(&boxes[queries[i]]);
        sets[i] = (uint8_t)near_lanes(&blocks[nodes[i]], &s, NULL);
    }
    return store_many(sets, nodes, queries, count, children, child_queries);
}

static uint32_t overlap_many(const ab_aabb8 *blocks, const void *all, const uint32_t *nodes, const uint8_t *queries,
                             uint32_t count, uint32_t *children, uint8_t *child_queries)
{
    const ab_index_box *boxes = all;
    uint8_t sets[AB_DESCEND_CHUNK];
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        const box_splat box = splat_box(&boxes[queries[i]]);
        sets[i] = (uint8_t)overlapping(&blocks[nodes[i]], &box);
    }
    return store_many(sets, nodes, queries, count, children, child_queries);
}

#endif

// The lanes whose farthest corner along -normal is in the half-space.
AB_INLINE uint32_t lanes_within(const ab_aabb8 *block, const ab_index_plane *plane)
{
    const float *const rows = rows_of(block);
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
    {
        f32w sum = splatw(0.0f);
        for (uint32_t k = 0; k < 3; ++k)
        {
            const f32w product = mulw(loadw(rows + AB_BLOCK * plane->row[k] + lane), splatw(plane->normal[k]));
            sum = addw(sum, minw(mulw(product, splatw(EARLIER)), mulw(product, splatw(LATER))));
        }
        set |= bitsm(lew(sum, splatw(plane->offset))) << lane;
    }
    return set;
}

// The lanes that are not empty: half-spaces may hold empty boxes, too, and below those there is nothing.
AB_INLINE uint32_t lanes_there(const ab_aabb8 *block)
{
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
    {
        set |= bitsm(lew(loadw(block->min_x + lane), loadw(block->max_x + lane))) << lane;
    }
    return set;
}

static uint32_t planes(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                       uint32_t *children, float *values)
{
    const ab_index_planes *all = query;
    uint8_t sets[AB_DESCEND_CHUNK];
    for (size_t i = 0; i < count; ++i)
    {
        look_ahead(blocks, nodes, i, count);
        uint32_t set = lanes_there(&blocks[nodes[i]]);
        for (uint32_t k = 0; k < all->count && set != 0; ++k)
        {
            set &= lanes_within(&blocks[nodes[i]], &all->planes[k]);
        }
        sets[i] = (uint8_t)set;
    }
    (void)values;
    return store_all(sets, nodes, count, children);
}

const ab_index_kernels AB_ISA_NAME(ab_index_kernels) = {
    .cast = cast,
    .cast_many = cast_many,
    .overlap = overlap,
    .near = near,
    .planes = planes,
#ifndef AB_SMALL
    .ray_many = ray_many,
    .overlap_many = overlap_many,
    .near_many = near_many,
#endif
};
