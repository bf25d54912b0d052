// Sorts boxes by bucket: a counting sort, whose counts become the index of first boxes.
#include "base/array.h"
#include "base/assert.h"
#include "broad/grid_kernels.h"

#include <string.h>

static ab_partition partition_blocks(const ab_broad *broad)
{
    const ab_granularity granularity = { broad->granularity.chunk / AB_BLOCK, broad->granularity.whole / AB_BLOCK };
    return ab_partition_into(&granularity, broad->proxies->region[AB_ACTIVE].blocks, 1);
}

bool ab_grid_reserve(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    grid->blocks = partition_blocks(broad);
    const size_t proxies = (size_t)broad->proxies->region[AB_ACTIVE].blocks * AB_BLOCK;
    const size_t boxes = proxies + AB_GRID_PADDING;
    const uint32_t tasks = ab_partition_into(&broad->granularity, proxies, 1).tasks;
    const bool divided = AB_GRID_DIVIDES && grid->blocks.tasks > 1 && !broad->single_threaded;
    return ab_array_resize(grid->tallies, broad->memory, tasks) &&
           (!divided || (ab_array_resize(grid->dealt, broad->memory, proxies) &&
                         ab_array_resize(grid->parts, broad->memory, grid->blocks.tasks))) &&
           ab_array_resize(grid->bin, broad->memory, proxies) &&
           ab_array_resize(grid->bucket, broad->memory, proxies) &&
           ab_array_resize(grid->proxy, broad->memory, boxes) && ab_array_resize(grid->row, broad->memory, boxes) &&
           ab_array_resize(grid->memory, broad->memory, 6 * boxes) &&
           ab_array_resize(grid->start, broad->memory, AB_GRID_CELLS * proxies + AB_GRID_BESIDES + 1);
}

static void lay_out_boxes(ab_grid *grid)
{
    const size_t stride = arrlenu(grid->proxy);
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

static uint32_t hashed_bin(const ab_grid_level *level, const ab_aabb8 *block, uint32_t lane)
{
    const int64_t y = ab_grid_cell(block->min_y[lane], level->per_metre[1]);
    const int64_t z = ab_grid_cell(block->min_z[lane], level->per_metre[2]);
    const uint32_t along = (uint32_t)(uint64_t)ab_grid_cell(block->min_x[lane], level->per_metre[0]);
    return level->bucket + ((ab_grid_hash(y, z) + along) & level->bin_mask);
}

static const ab_aabb8 *active_blocks(const ab_broad *broad)
{
    return broad->proxies->block + broad->proxies->region[AB_ACTIVE].first;
}

void ab_grid_measure(ab_broad *broad, uint32_t task)
{
    const ab_grid *grid = broad->state;
    const size_t first = ab_partition_first(&grid->blocks, task), end = ab_partition_end(&grid->blocks, task);
    grid->kernels->measure(active_blocks(broad) + first, (uint32_t)(end - first), grid->bin + first * AB_BLOCK,
                           grid->bucket + first * AB_BLOCK);
}

// Counts the boxes of proxies [first, end) in each range of buckets.
static void count_ranges(const ab_grid *grid, uint32_t task, size_t first, size_t end)
{
    uint32_t *counts = grid->parts[task].next;
    memset(counts, 0, sizeof grid->parts[task].next);
    for (size_t i = first; i < end; ++i)
    {
        AB_ASSERT(grid->bin[i] == AB_GRID_NO_BIN || grid->bucket[i] < grid->buckets, i);
        if (grid->bin[i] != AB_GRID_NO_BIN)
        {
            ++counts[ab_radix_range(&grid->sort, grid->bucket[i])];
        }
    }
}

void ab_grid_place(ab_broad *broad, uint32_t task)
{
    const ab_grid *grid = broad->state;
    const size_t first = ab_partition_first(&grid->blocks, task), end = ab_partition_end(&grid->blocks, task);
    const ab_aabb8 *blocks = active_blocks(broad);
    for (uint32_t i = 0; i < grid->levels && !grid->hashed; ++i)
    {
        grid->kernels->place(&grid->level[i], blocks + first, (uint32_t)(end - first), grid->bin + first * AB_BLOCK,
                             grid->bucket + first * AB_BLOCK);
    }
    for (size_t i = first * AB_BLOCK; i < end * AB_BLOCK && grid->hashed; ++i)
    {
        if (grid->bin[i] != AB_GRID_NO_BIN)
        {
            grid->bucket[i] = hashed_bin(level_of(grid, grid->bin[i]), &blocks[i / AB_BLOCK], i % AB_BLOCK);
        }
    }
    if (ab_grid_is_divided(grid))
    {
        count_ranges(grid, task, first * AB_BLOCK, end * AB_BLOCK);
    }
}

// Computes each bucket's beginning, one entry late: the scatter moves them up.
static void count_bins(ab_grid *grid, uint32_t proxies)
{
    uint32_t *start = grid->start;
    memset(start, 0, ((size_t)grid->buckets + 1) * sizeof *start);
    for (uint32_t i = 0; i < proxies; ++i)
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

static void copy_box(const ab_grid_boxes *boxes, uint32_t to, const ab_aabb8 *block, uint32_t lane)
{
    boxes->min[0][to] = block->min_x[lane];
    boxes->min[1][to] = block->min_y[lane];
    boxes->min[2][to] = block->min_z[lane];
    boxes->max[0][to] = block->max_x[lane];
    boxes->max[1][to] = block->max_y[lane];
    boxes->max[2][to] = block->max_z[lane];
}

static void scatter(const ab_grid *grid, const ab_aabb8 *blocks, uint32_t first_proxy, uint32_t proxies)
{
    const ab_grid_boxes boxes = grid->boxes;
    const uint32_t *bin = grid->bin, *bucket = grid->bucket;
    uint32_t *next = grid->start + 1, *proxy = grid->proxy;
    for (uint32_t i = 0; i < proxies; ++i)
    {
        if (bin[i] != AB_GRID_NO_BIN)
        {
            const uint32_t to = next[bucket[i]]++;
            copy_box(&boxes, to, &blocks[i / AB_BLOCK], i % AB_BLOCK);
            proxy[to] = first_proxy + i;
        }
    }
}

// For boxes [first, end).
static void find_rows(const ab_grid *grid, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < grid->levels; ++i)
    {
        const ab_grid_level *level = &grid->level[i];
        const uint32_t level_end = level->first + level->count, last = level_end < end ? level_end : end;
        for (uint32_t box = level->first > first ? level->first : first; box < last; ++box)
        {
            grid->row[box] = (ab_grid_row){ ab_grid_cell(grid->boxes.min[1][box], level->per_metre[1]),
                                            ab_grid_cell(grid->boxes.min[2][box], level->per_metre[2]) };
        }
    }
}

void ab_grid_sort(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    const ab_region *active = &broad->proxies->region[AB_ACTIVE];
    const uint32_t proxies = active->blocks * AB_BLOCK;
    lay_out_boxes(grid);
    count_bins(grid, proxies);
    scatter(grid, active_blocks(broad), active->first * AB_BLOCK, proxies);
    if (grid->hashed)
    {
        find_rows(grid, 0, grid->count);
    }
}

// The sort in tasks.

void ab_grid_divide(ab_grid *grid)
{
    unsigned bits = 1;
    while (grid->buckets >> bits != 0)
    {
        ++bits;
    }
    grid->sort = (ab_radix){ .bits = bits,
                             .parts = grid->blocks.tasks,
                             .chunk = (uint32_t)grid->blocks.chunk * AB_BLOCK,
                             .places = grid->parts };
}

uint32_t ab_grid_prepare_deal(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    lay_out_boxes(grid);
    ab_radix_place(&grid->sort);
    grid->start[0] = 0;
    AB_ASSERT(grid->sort.first[grid->sort.tasks] == grid->count, grid->count);
    return grid->blocks.tasks;
}

void ab_grid_deal(ab_broad *broad, uint32_t task)
{
    const ab_grid *grid = broad->state;
    const uint32_t *bin = grid->bin, *bucket = grid->bucket;
    const size_t end = ab_partition_end(&grid->blocks, task) * AB_BLOCK;
    uint32_t *next = grid->parts[task].next;
    for (size_t i = ab_partition_first(&grid->blocks, task) * AB_BLOCK; i < end; ++i)
    {
        if (bin[i] != AB_GRID_NO_BIN)
        {
            grid->dealt[next[ab_radix_range(&grid->sort, bucket[i])]++] = (uint64_t)bucket[i] << 32 | i;
        }
    }
}

// Computes the beginnings of buckets [first, end), one entry late: the scatter moves them up.
static void count_dealt(const ab_grid *grid, const ab_radix *sort, uint32_t task, uint32_t first, uint32_t end)
{
    uint32_t *start = grid->start + 1, sum = sort->first[task];
    memset(start + first, 0, (end - first) * sizeof *start);
    for (uint32_t i = sort->first[task]; i < sort->first[task + 1]; ++i)
    {
        ++start[grid->dealt[i] >> 32];
    }
    for (uint32_t b = first; b < end; ++b)
    {
        const uint32_t here = start[b];
        start[b] = sum;
        sum += here;
    }
}

// Writes the ends of its own buckets, which are the beginnings of the next.
void ab_grid_sort_range(ab_broad *broad, uint32_t task)
{
    const ab_grid *grid = broad->state;
    const ab_radix *sort = &grid->sort;
    const unsigned shift = ab_radix_range_shift(sort);
    const uint64_t last = (uint64_t)sort->range[task + 1] << shift;
    const uint32_t first_proxy = broad->proxies->region[AB_ACTIVE].first * AB_BLOCK;
    const uint32_t first = sort->range[task] << shift, end = last < grid->buckets ? (uint32_t)last : grid->buckets;
    const ab_aabb8 *blocks = active_blocks(broad);
    if (first >= end)
    {
        return;
    }
    count_dealt(grid, sort, task, first, end);
    for (uint32_t i = sort->first[task]; i < sort->first[task + 1]; ++i)
    {
        const uint32_t proxy = (uint32_t)grid->dealt[i], to = grid->start[(grid->dealt[i] >> 32) + 1]++;
        copy_box(&grid->boxes, to, &blocks[proxy / AB_BLOCK], proxy % AB_BLOCK);
        grid->proxy[to] = first_proxy + proxy;
    }
    if (grid->hashed)
    {
        find_rows(grid, sort->first[task], sort->first[task + 1]);
    }
}
