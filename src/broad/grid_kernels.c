// The grid's kernels of one instruction set: measure sizes, place boxes in cells, list their reachable ranges, test
// boxes.
#include "broad/grid_kernels.h"

#include "base/kernels.h"
#include "bounds/box8.h"

#define WHOLE 8388608.0f // 2^23: from here on floats are whole numbers, and their low 23 bits count from zero

static void measure(const ab_aabb8 *blocks, uint32_t count, uint32_t *bins, uint32_t *buckets)
{
    const f32w empty = splatw(AB_EMPTY_BOX);
    const u32w none = splatu(AB_GRID_NO_BIN);
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_aabb8 *b = &blocks[i];
        for (uint32_t k = 0; k < AB_BLOCK; k += LANES)
        {
            const f32w min_x = loadw(b->min_x + k);
            const f32w x = subw(loadw(b->max_x + k), min_x), y = subw(loadw(b->max_y + k), loadw(b->min_y + k));
            const f32w z = subw(loadw(b->max_z + k), loadw(b->min_z + k));
            const u32w bin = shru(bitsw(maxw(maxw(maxw(x, y), z), splatw(0.0f))), AB_GRID_BIN_SHIFT);
            storeu(bins + i * AB_BLOCK + k, picku(eqw(min_x, empty), none, bin));
            storeu(buckets + i * AB_BLOCK + k, splatu(0));
        }
    }
}

// The number of a coordinate's cell, as a float: any rounding will do, as long as a larger coordinate never has a
// smaller number.
AB_INLINE f32w cell_along(const ab_grid_level *level, uint32_t axis, f32w coordinate)
{
    const f32w at = mulw(subw(coordinate, splatw(level->low[axis])), splatw(level->per_metre[axis]));
    const f32w clamped = clampw(at, splatw(0.0f), splatw(level->last[axis]));
    return subw(addw(clamped, splatw(WHOLE)), splatw(WHOLE));
}

AB_INLINE f32w row_of(const ab_grid_level *level, f32w y, f32w z)
{
    return addw(mulw(y, splatw(level->width)), mulw(z, splatw(level->area)));
}

AB_INLINE u32w bin_of(const ab_grid_level *level, f32w row, f32w x)
{
    const u32w number = andu(bitsw(addw(addw(row, x), splatw(WHOLE))), splatu(0x7fffffu));
    return addu(number, splatu(level->bucket));
}

static void place(const ab_grid_level *level, const ab_aabb8 *blocks, uint32_t count, const uint32_t *bins,
                  uint32_t *buckets)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_aabb8 *b = &blocks[i];
        for (uint32_t k = 0; k < AB_BLOCK; k += LANES)
        {
            const uint32_t at = i * AB_BLOCK + k;
            const u32w bin = loadu(bins + at);
            const maskw here = notm(orm(gtu(splatu(level->first_bin), bin), gtu(bin, splatu(level->last_bin))));
            const f32w x = cell_along(level, 0, loadw(b->min_x + k)), y = cell_along(level, 1, loadw(b->min_y + k));
            const f32w row = row_of(level, y, cell_along(level, 2, loadw(b->min_z + k)));
            storeu(buckets + at, picku(here, bin_of(level, row, x), loadu(buckets + at)));
        }
    }
}

// The rows, and the ranges in them, that boxes reach in one level: from the cell of the lowest corner that an
// overlapping box may have, to that of the highest.
typedef struct reached
{
    f32w x0, x1, y0, y1, z0, z1;
} reached;

AB_INLINE f32w low_along(const ab_grid_level *level, uint32_t axis, f32w min)
{
    return cell_along(level, axis, subw(min, splatw(level->size)));
}

AB_INLINE void append_range(ab_grid_list *list, const ab_grid_level *level, u32w box, f32w row, const reached *r,
                            maskw needed)
{
    const uint32_t at = list->count;
    appendu(list->box + at, box, needed);
    appendu(list->low + at, bin_of(level, row, r->x0), needed);
    list->count += appendu(list->high + at, bin_of(level, row, r->x1), needed);
}

static void reach_own(const ab_grid_level *level, const ab_grid_boxes *boxes, uint32_t first, uint32_t count,
                      ab_grid_list *lists)
{
    const f32w width = splatw(level->width), area = splatw(level->area);
    for (uint32_t i = 0; i < count; i += LANES)
    {
        const uint32_t at = first + i;
        const f32w min_y = loadw(boxes->min[1] + at), min_z = loadw(boxes->min[2] + at);
        const f32w y = cell_along(level, 1, min_y), z = cell_along(level, 2, min_z);
        const reached r = { .x0 = low_along(level, 0, loadw(boxes->min[0] + at)),
                            .x1 = cell_along(level, 0, loadw(boxes->max[0] + at)),
                            .y0 = low_along(level, 1, min_y),
                            .y1 = cell_along(level, 1, loadw(boxes->max[1] + at)),
                            .z1 = cell_along(level, 2, loadw(boxes->max[2] + at)) };
        const u32w box = addu(splatu(at), lane_indices());
        const f32w row = row_of(level, y, z), above = addw(row, area);
        const maskw live = first_lanes(count - i);
        const maskw up = andm(live, gtw(r.y1, y)), far = andm(live, gtw(r.z1, z));
        storeu(lists[0].high + i, bin_of(level, row, r.x1));
        append_range(&lists[1], level, box, addw(row, width), &r, up);
        append_range(&lists[2], level, box, subw(above, width), &r, andm(far, ltw(r.y0, y)));
        append_range(&lists[3], level, box, above, &r, far);
        append_range(&lists[4], level, box, addw(above, width), &r, andm(far, up));
    }
    lists[0].count = count;
}

static void reach_coarser(const ab_grid_level *level, const ab_grid_boxes *boxes, uint32_t first, uint32_t count,
                          ab_grid_list *lists)
{
    const f32w one = splatw(1.0f), two = splatw(2.0f), width = splatw(level->width), area = splatw(level->area);
    for (uint32_t i = 0; i < count; i += LANES)
    {
        const uint32_t at = first + i;
        const reached r = { .x0 = low_along(level, 0, loadw(boxes->min[0] + at)),
                            .x1 = cell_along(level, 0, loadw(boxes->max[0] + at)),
                            .y0 = low_along(level, 1, loadw(boxes->min[1] + at)),
                            .y1 = cell_along(level, 1, loadw(boxes->max[1] + at)),
                            .z0 = low_along(level, 2, loadw(boxes->min[2] + at)),
                            .z1 = cell_along(level, 2, loadw(boxes->max[2] + at)) };
        const u32w box = addu(splatu(at), lane_indices());
        const maskw live = first_lanes(count - i);
        const maskw y[3] = { live, andm(live, gew(r.y1, addw(r.y0, one))), andm(live, gew(r.y1, addw(r.y0, two))) };
        const maskw z[3] = { live, gew(r.z1, addw(r.z0, one)), gew(r.z1, addw(r.z0, two)) };
        f32w plane = row_of(level, r.y0, r.z0);
        for (uint32_t up = 0; up < 3; ++up, plane = addw(plane, area))
        {
            append_range(&lists[3 * up], level, box, plane, &r, andm(y[0], z[up]));
            append_range(&lists[3 * up + 1], level, box, addw(plane, width), &r, andm(y[1], z[up]));
            append_range(&lists[3 * up + 2], level, box, addw(addw(plane, width), width), &r, andm(y[2], z[up]));
        }
    }
}

AB_INLINE box_splat splat_box(const ab_grid_boxes *boxes, uint32_t i)
{
    return (box_splat){ splatw(boxes->min[0][i]), splatw(boxes->min[1][i]), splatw(boxes->min[2][i]),
                        splatw(boxes->max[0][i]), splatw(boxes->max[1][i]), splatw(boxes->max[2][i]) };
}

// Which of the eight boxes from `first` on overlap `box`; touching counts.
AB_INLINE uint32_t overlapping_from(const ab_grid_boxes *boxes, uint32_t first, const box_splat *box)
{
    uint32_t set = 0;
    for (uint32_t k = 0; k < AB_BLOCK; k += LANES)
    {
        const uint32_t i = first + k;
        const maskw x = andm(lew(loadw(boxes->min[0] + i), box->max_x), gew(loadw(boxes->max[0] + i), box->min_x));
        const maskw y = andm(lew(loadw(boxes->min[1] + i), box->max_y), gew(loadw(boxes->max[1] + i), box->min_y));
        const maskw z = andm(lew(loadw(boxes->min[2] + i), box->max_z), gew(loadw(boxes->max[2] + i), box->min_z));
        set |= bitsm(andm(andm(x, y), z)) << k;
    }
    return set;
}

static uint32_t test(const ab_grid_boxes *boxes, const ab_grid_tasks *tasks, uint32_t first, uint32_t count,
                     ab_pair *out)
{
    const ab_grid_boxes rows = *boxes;
    const uint32_t end = first + count;
    uint32_t found = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const box_splat box = splat_box(&rows, tasks->box[i]);
        const uint32_t hit = overlapping_from(&rows, tasks->first[i], &box) & tasks->lanes[i];
        store_pairs(&out[found].a, tasks->first[i], tasks->box[i], hit);
        found += count_kept(hit);
    }
    return found;
}

const ab_grid_kernels AB_ISA_NAME(ab_grid_kernels) = {
    .measure = measure,
    .place = place,
    .reach_own = reach_own,
    .reach_coarser = reach_coarser,
    .test = test,
};
