// The recycling kernels for one instruction set; recycle.h explains the geometry.
#include "narrow/kernels/recycle.h"

#include "base/kernels.h"
#include "math/lanes.h"

#include "narrow/kernels/kernel_common.inl"

#include <string.h>

typedef struct anchorw
{
    v3w between;
    v3w turn[3];
    v3w normal;
    f32w separation;
    v3w at[AB_MAX_POINTS];
    f32w gap[AB_MAX_POINTS];
} anchorw;

AB_INLINE void gather_anchors(const ab_recycle_batch *batch, uint32_t i, anchorw *out)
{
    const float *rows = (const float *)(const void *)batch->anchors;
    uint32_t row[LANES];
    f32w column[16];
    const u32w first_row = shlu(loadu(batch->anchor + i), 1);
    storeu(row, first_row);
    gather_rows16(rows, row, column);
    out->between = v3w_make(column[0], column[1], column[2]);
    out->separation = column[3];
    for (uint32_t j = 0; j < 3; ++j)
    {
        out->turn[j] = v3w_make(column[4 + 3 * j], column[5 + 3 * j], column[6 + 3 * j]);
    }
    out->normal = v3w_make(column[13], column[14], column[15]);
    storeu(row, addu(first_row, splatu(1)));
    gather_rows16(rows, row, column);
    for (uint32_t c = 0; c < AB_MAX_POINTS; ++c)
    {
        out->at[c] = v3w_make(column[c], column[AB_MAX_POINTS + c], column[2 * AB_MAX_POINTS + c]);
        out->gap[c] = column[3 * AB_MAX_POINTS + c];
    }
}

AB_INLINE v3w to_axes(const v3w axis[3], v3w v)
{
    return v3w_make(v3w_dot(axis[0], v), v3w_dot(axis[1], v), v3w_dot(axis[2], v));
}

AB_INLINE v3w from_axes(const v3w axis[3], v3w v)
{
    return v3w_along(v3w_along(v3w_scale(axis[0], v.x), axis[1], v.y), axis[2], v.z);
}

// The points of manifolds from the position of a; entries past a manifold's own points repeat its first.
AB_INLINE void gather_points(const ab_anchor_batch *batch, uint32_t i, const f32w near[16], v3w at[AB_MAX_POINTS],
                             f32w gap[AB_MAX_POINTS])
{
    const float *rows = (const float *)(const void *)batch->manifolds;
    const u32w count = loadu(batch->point_count + i), near_points = splatu(AB_NEAR_POINTS);
    const u32w next =
        picku(gtu(count, near_points), splatu(1), splatu(0)); // if there is no second line, it is not read
    uint32_t line[LANES];
    f32w far[8];
    storeu(line, addu(loadu(batch->line + i), next));
    gather_columns4(rows, 0, line, far);
    gather_columns4(rows, 4, line, far + 4);
    for (uint32_t c = 0; c < AB_MAX_POINTS; ++c)
    {
        const f32w *from = c < AB_NEAR_POINTS ? near + 8 + 4 * (size_t)c : far + 4 * (size_t)(c - AB_NEAR_POINTS);
        const maskw there = gtu(count, splatu(c));
        at[c] = v3w_pick(there, v3w_make(from[0], from[1], from[2]), v3w_make(near[8], near[9], near[10]));
        gap[c] = pickw(there, from[3], near[11]);
    }
}

AB_INLINE void store_anchors(const ab_anchor_batch *batch, uint32_t i, const anchorw *r)
{
    const f32w columns[8][4] = {
        { r->between.x, r->between.y, r->between.z, r->separation },
        { r->turn[0].x, r->turn[0].y, r->turn[0].z, r->turn[1].x },
        { r->turn[1].y, r->turn[1].z, r->turn[2].x, r->turn[2].y },
        { r->turn[2].z, r->normal.x, r->normal.y, r->normal.z },
        { r->at[0].x, r->at[1].x, r->at[2].x, r->at[3].x },
        { r->at[0].y, r->at[1].y, r->at[2].y, r->at[3].y },
        { r->at[0].z, r->at[1].z, r->at[2].z, r->at[3].z },
        { r->gap[0], r->gap[1], r->gap[2], r->gap[3] },
    };
    ab_anchor made[LANES];
    uint32_t rows[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = k * (uint32_t)(sizeof *made / sizeof(float));
    }
    for (uint32_t c = 0; c < 8; ++c)
    {
        scatter4((float *)(void *)made + 4 * (size_t)c, rows, columns[c]);
    }
    for (uint32_t k = 0; k < LANES; ++k)
    {
        memcpy(&batch->anchors[batch->slot[i + k]], &made[k], sizeof *made);
    }
}

// Adds in the same order as shift_since, so that a pair that has not moved shows no motion in a single bit.
static void make_anchors(const ab_anchor_batch *batch)
{
    const ab_batch pairs = { .records = batch->proxies->record, .offsets = batch->proxies->offset };
    const float *rows = (const float *)(const void *)batch->manifolds;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        uint32_t a[LANES], b[LANES];
        pairw m;
        anchorw r;
        f32w near[16];
        for (uint32_t k = 0; k < LANES; ++k)
        {
            a[k] = batch->manifolds[batch->line[i + k]].proxy_a;
            b[k] = batch->manifolds[batch->line[i + k]].proxy_b;
        }
        gather_pair(&pairs, a, TURN, b, TURN, &m);
        gather_rows16(rows, batch->line + i, near);
        r.between = to_axes(m.a.axis, m.between);
        for (uint32_t j = 0; j < 3; ++j)
        {
            r.turn[j] = to_axes(m.a.axis, m.b.axis[j]);
        }
        r.normal = to_axes(m.a.axis, v3w_make(near[0], near[1], near[2]));
        r.separation = near[3];
        gather_points(batch, i, near, r.at, r.gap);
        for (uint32_t c = 0; c < AB_MAX_POINTS; ++c)
        {
            r.at[c] = to_axes(m.a.axis, v3w_sub(r.at[c], m.a.offset));
        }
        store_anchors(batch, i, &r);
    }
}

// The motion of the pair in the axes of a.
typedef struct shiftw
{
    v3w of_centre;
    v3w of_axis[3]; // of b
    f32w distance;  // bounds the displacement of any point of one in the frame of the other
} shiftw;

// The farthest displacement of a corner, given that of the centre and the change of the axes.
AB_INLINE f32w way_of(v3w shift, f32w turned, const f32w half[3])
{
    const v3w size = v3w_make(half[0], half[1], half[2]);
    const f32w swing = mulw(splatw(0.5f), mulw(turned, v3w_dot(size, size)));
    return addw(sqrtw(v3w_dot(shift, shift)), sqrtw(swing));
}

AB_INLINE shiftw shift_since(const pairw *m, const anchorw *then)
{
    const v3w between = to_axes(m->a.axis, m->between);
    f32w turned = splatw(0.0f); // twice the square of the chord at distance 1
    v3w turn[3];
    shiftw s;
    s.of_centre = v3w_sub(between, then->between);
    for (uint32_t j = 0; j < 3; ++j)
    {
        turn[j] = to_axes(m->a.axis, m->b.axis[j]);
        s.of_axis[j] = v3w_sub(turn[j], then->turn[j]);
        turned = addw(turned, v3w_dot(s.of_axis[j], s.of_axis[j]));
    }
    const v3w seen_from_b = v3w_sub(to_axes(turn, between), to_axes(then->turn, then->between));
    s.distance = minw(way_of(seen_from_b, turned, m->a.half), way_of(s.of_centre, turned, m->b.half));
    return s;
}

// The change of each point's separation. Exactly zero if nothing has moved.
AB_INLINE void changes_of(const anchorw *then, const shiftw *s, f32w out[AB_MAX_POINTS])
{
    const v3w n = then->normal;
    const v3w along_axes = v3w_make(v3w_dot(s->of_axis[0], n), v3w_dot(s->of_axis[1], n), v3w_dot(s->of_axis[2], n));
    const v3w tilt = from_axes(then->turn, along_axes);
    const f32w all = subw(v3w_dot(n, s->of_centre), v3w_dot(tilt, then->between));
    const f32w half_lean = mulw(splatw(0.5f), v3w_dot(tilt, n));
    for (uint32_t c = 0; c < AB_MAX_POINTS; ++c)
    {
        out[c] = addw(addw(all, v3w_dot(tilt, then->at[c])), mulw(half_lean, then->gap[c]));
    }
}

AB_INLINE f32w leastw(const f32w gap[AB_MAX_POINTS])
{
    return minw(minw(gap[0], gap[1]), minw(gap[2], gap[3]));
}

// The largest change.
AB_INLINE f32w farthestw(const f32w change[AB_MAX_POINTS])
{
    return maxw(maxw(absw(change[0]), absw(change[1])), maxw(absw(change[2]), absw(change[3])));
}

// The pairs of a group, then and now.
typedef struct groupw
{
    pairw m;
    anchorw then;
    shiftw shift;
    f32w change[AB_MAX_POINTS], gap[AB_MAX_POINTS];
    f32w separation;
} groupw;

AB_INLINE void look_at(const ab_recycle_batch *batch, uint32_t i, groupw *g)
{
    const ab_batch *pairs = &batch->pairs;
    gather_pair(pairs, pairs->a + i, TURN, pairs->b + i, TURN, &g->m);
    gather_anchors(batch, i, &g->then);
    g->shift = shift_since(&g->m, &g->then);
    changes_of(&g->then, &g->shift, g->change);
    for (uint32_t c = 0; c < AB_MAX_POINTS; ++c)
    {
        g->gap[c] = addw(g->then.gap[c], g->change[c]);
    }
    g->separation = addw(g->then.separation, subw(leastw(g->gap), leastw(g->then.gap)));
}

// Four numbers per pair, at offset `at` in each of its manifolds.
AB_INLINE void store_four(ab_refreshed *made, const uint32_t rows[LANES], size_t at, v3w v, f32w w)
{
    const f32w columns[4] = { v.x, v.y, v.z, w };
    scatter4((float *)(void *)made + at, rows, columns);
}

AB_INLINE void store_manifolds(const ab_recycle_batch *batch, uint32_t i, const groupw *g, ab_refreshed *made)
{
    uint32_t rows[LANES];
    const v3w *axis = g->m.a.axis;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = batch->position[i + k] * (uint32_t)(sizeof *made / sizeof(float));
    }
    store_four(made, rows, 0, from_axes(axis, g->then.normal), g->separation);
    for (uint32_t c = 0; c < AB_MAX_POINTS; ++c)
    {
        const v3w local = v3w_along(g->then.at[c], g->then.normal, mulw(splatw(0.5f), g->change[c]));
        const v3w offset = v3w_add(g->m.a.offset, from_axes(axis, local));
        store_four(made, rows, 4 + 4 * (size_t)c, offset, g->gap[c]);
    }
}

// Prefetches a group's share of the next batch's input, few lines at a time so that none stalls.
AB_INLINE void look_ahead(const ab_recycle_batch *next, uint32_t i)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        AB_PREFETCH(&next->pairs.records[next->pairs.a[i + k]]);
        AB_PREFETCH(&next->pairs.records[next->pairs.b[i + k]]);
        ab_anchor_prefetch(next->anchors, next->anchor[i + k]);
    }
}

static uint32_t keep(const ab_recycle_batch *batch, uint32_t *kept, ab_refreshed *made)
{
    uint32_t count = 0, ahead = batch->next ? batch->next->pairs.count : 0;
    for (uint32_t i = 0; i < batch->pairs.count; i += LANES)
    {
        groupw g;
        if (i < ahead)
        {
            look_ahead(batch->next, i);
        }
        look_at(batch, i, &g);
        const f32w moved = maxw(g.shift.distance, farthestw(g.change));
        const maskw here = andm(touching_at(&batch->pairs, i, g.separation), lew(moved, splatw(batch->tolerance)));
        count += appendu(kept + count, addu(lane_indices(), splatu(i)), here);
        store_manifolds(batch, i, &g, made);
    }
    return count;
}

const ab_recycle_kernels AB_ISA_NAME(ab_recycle_kernels) = { make_anchors, keep };
