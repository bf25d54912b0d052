// Boxes into the order of their buckets: a counting sort, whose counts become the directory of where each bucket begins.
#include "base/array.h"
#include "base/assert.h"
#include "broad/grid_kernels.h"

#include <string.h>

bool ab_grid_reserve(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    const size_t leaves = (size_t)broad->leaves->region[AB_ACTIVE].blocks * AB_BLOCK;
    const size_t boxes = leaves + AB_GRID_PADDING;
    const uint32_t tasks = ab_cut_into(&broad->grain, leaves, 1).tasks;
    return ab_array_resize(grid->tallies, broad->memory, tasks) && ab_array_resize(grid->bin, broad->memory, leaves) &&
           ab_array_resize(grid->bucket, broad->memory, leaves) && ab_array_resize(grid->leaf, broad->memory, boxes) &&
           ab_array_resize(grid->row, broad->memory, boxes) &&
           ab_array_resize(grid->memory, broad->memory, 6 * boxes) &&
           ab_array_resize(grid->start, broad->memory, AB_GRID_CELLS * leaves + AB_GRID_BESIDES + 1);
}

static void lay_out_boxes(ab_grid *grid)
{
    const size_t stride = arrlenu(grid->leaf);
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        grid->boxes.min[axis] = grid->memory + axis * stride;
        grid->boxes.max[axis] = grid->memory + (axis + 3) * stride;
        for (uint32_t i = 0; i < AB_GRID_PADDING; ++i)
        {
            grid->boxes.min[axis][grid->count + i] = AB_EMPTY_BOX;
            grid->boxes.max[axis][grid->count + i] = -AB_EMPTY_BOX;
        }
    }
}

static const ab_grid_level *level_of(const ab_grid *grid, uint32_t bin)
{
    const ab_grid_level *level = grid->level;
    while (bin > level->last_bin)
    {
        ++level;
    }
    return level;
}

static uint32_t hashed_bucket(const ab_grid_level *level, const ab_block *block, uint32_t lane)
{
    const int64_t y = ab_grid_cell(block->min_y[lane], level->per_metre[1]);
    const int64_t z = ab_grid_cell(block->min_z[lane], level->per_metre[2]);
    const uint32_t along = (uint32_t)(uint64_t)ab_grid_cell(block->min_x[lane], level->per_metre[0]);
    return level->bucket + ((ab_grid_hash(y, z) + along) & level->bucket_mask);
}

static const ab_block *active_blocks(const ab_broad *broad)
{
    return broad->leaves->block + broad->leaves->region[AB_ACTIVE].first;
}

void ab_grid_measure(ab_broad *broad, uint32_t task)
{
    const ab_grid *grid = broad->state;
    const size_t first = ab_cut_first(&grid->blocks, task), end = ab_cut_end(&grid->blocks, task);
    grid->kernels->measure(active_blocks(broad) + first, (uint32_t)(end - first), grid->bin + first * AB_BLOCK,
                           grid->bucket + first * AB_BLOCK);
}

void ab_grid_place(ab_broad *broad, uint32_t task)
{
    const ab_grid *grid = broad->state;
    const size_t first = ab_cut_first(&grid->blocks, task), end = ab_cut_end(&grid->blocks, task);
    const ab_block *blocks = active_blocks(broad);
    for (uint32_t i = 0; i < grid->levels && !grid->hashed; ++i)
    {
        grid->kernels->place(&grid->level[i], blocks + first, (uint32_t)(end - first), grid->bin + first * AB_BLOCK,
                             grid->bucket + first * AB_BLOCK);
    }
    for (size_t i = first * AB_BLOCK; i < end * AB_BLOCK && grid->hashed; ++i)
    {
        if (grid->bin[i] != AB_GRID_NO_BIN)
        {
            grid->bucket[i] = hashed_bucket(level_of(grid, grid->bin[i]), &blocks[i / AB_BLOCK], i % AB_BLOCK);
        }
    }
}

// Where each bucket begins, one place late: what follows moves them up.
static void count_buckets(ab_grid *grid, uint32_t leaves)
{
    uint32_t *start = grid->start;
    memset(start, 0, ((size_t)grid->buckets + 1) * sizeof *start);
    for (uint32_t i = 0; i < leaves; ++i)
    {
        AB_ASSERT(grid->bin[i] == AB_GRID_NO_BIN || grid->bucket[i] < grid->buckets, i);
        start[grid->bucket[i] + 1] += grid->bin[i] != AB_GRID_NO_BIN;
    }
    uint32_t sum = 0;
    for (uint32_t b = 1; b <= grid->buckets; ++b)
    {
        const uint32_t here = start[b];
        start[b] = sum;
        sum += here;
    }
    AB_ASSERT(sum == grid->count, sum);
}

static void copy_box(const ab_grid_boxes *boxes, uint32_t to, const ab_block *block, uint32_t lane)
{
    boxes->min[0][to] = block->min_x[lane];
    boxes->min[1][to] = block->min_y[lane];
    boxes->min[2][to] = block->min_z[lane];
    boxes->max[0][to] = block->max_x[lane];
    boxes->max[1][to] = block->max_y[lane];
    boxes->max[2][to] = block->max_z[lane];
}

static void scatter(const ab_grid *grid, const ab_block *blocks, uint32_t first_leaf, uint32_t leaves)
{
    const ab_grid_boxes boxes = grid->boxes;
    const uint32_t *bin = grid->bin, *bucket = grid->bucket;
    uint32_t *next = grid->start + 1, *leaf = grid->leaf;
    for (uint32_t i = 0; i < leaves; ++i)
    {
        if (bin[i] != AB_GRID_NO_BIN)
        {
            const uint32_t to = next[bucket[i]]++;
            copy_box(&boxes, to, &blocks[i / AB_BLOCK], i % AB_BLOCK);
            leaf[to] = first_leaf + i;
        }
    }
}

static void find_rows(const ab_grid *grid)
{
    for (uint32_t i = 0; i < grid->levels; ++i)
    {
        const ab_grid_level *level = &grid->level[i];
        for (uint32_t box = level->first; box < level->first + level->count; ++box)
        {
            grid->row[box] = (ab_grid_row){ ab_grid_cell(grid->boxes.min[1][box], level->per_metre[1]),
                                            ab_grid_cell(grid->boxes.min[2][box], level->per_metre[2]) };
        }
    }
}

void ab_grid_sort(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    const ab_region *active = &broad->leaves->region[AB_ACTIVE];
    const uint32_t leaves = active->blocks * AB_BLOCK;
    lay_out_boxes(grid);
    count_buckets(grid, leaves);
    scatter(grid, active_blocks(broad), active->first * AB_BLOCK, leaves);
    if (grid->hashed)
    {
        find_rows(grid);
    }
}
