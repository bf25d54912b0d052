// Searches hashed rows. Any two cells may share a bucket, so the ranges of one box are joined where they overlap, so
// that it finds no box twice. When two boxes of one level find each other, only the first in the order of rows keeps
// the pair.
#include "broad/grid_look.h"

// A box reaches few rows, except that rounding widens boxes far from the origin: beyond this many ranges, it searches
// the whole level.
#define MOST_RANGES 32u

typedef struct range
{
    uint32_t first, end; // boxes
} range;

typedef struct ranges
{
    range at[MOST_RANGES];
    uint32_t count;
} ranges;

// Sorted by their first boxes.
static void insert(ranges *all, uint32_t first, uint32_t end)
{
    uint32_t i = all->count++;
    for (; i > 0 && all->at[i - 1].first > first; --i)
    {
        all->at[i] = all->at[i - 1];
    }
    all->at[i] = (range){ first, end };
}

// Inserts buckets [low, high] of a level, cyclically if low is above high.
static void insert_bins(ranges *all, const ab_grid *grid, const ab_grid_level *level, uint32_t low, uint32_t high)
{
    const uint32_t *start = grid->start + level->bucket;
    if (low <= high)
    {
        insert(all, start[low], start[high + 1]);
        return;
    }
    insert(all, start[low], start[level->bin_mask + 1]);
    insert(all, start[0], start[high + 1]);
}

typedef struct reach
{
    int64_t low[3], high[3];
} reach;

static reach reach_of(const ab_grid *grid, const ab_grid_level *level, uint32_t box)
{
    reach r;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        r.low[axis] = ab_grid_cell(grid->boxes.min[axis][box] - level->size, level->per_metre[axis]);
        r.high[axis] = ab_grid_cell(grid->boxes.max[axis][box], level->per_metre[axis]);
    }
    return r;
}

static bool is_wide(const reach *r, uint32_t bin_mask)
{
    const uint64_t y = (uint64_t)(r->high[1] - r->low[1]) + 1, z = (uint64_t)(r->high[2] - r->low[2]) + 1;
    return (uint64_t)(r->high[0] - r->low[0]) >= bin_mask || y > MOST_RANGES / 2 || z > MOST_RANGES / 2 ||
           2 * y * z > MOST_RANGES;
}

static void find_ranges(ranges *all, const ab_grid *grid, const ab_grid_level *level, const reach *r)
{
    all->count = 0;
    if (is_wide(r, level->bin_mask))
    {
        insert(all, level->first, level->first + level->count);
        return;
    }
    const uint32_t extra = (uint32_t)(r->high[0] - r->low[0]);
    for (int64_t z = r->low[2]; z <= r->high[2]; ++z)
    {
        for (int64_t y = r->low[1]; y <= r->high[1]; ++y)
        {
            const uint32_t low = (ab_grid_hash(y, z) + (uint32_t)(uint64_t)r->low[0]) & level->bin_mask;
            insert_bins(all, grid, level, low, (low + extra) & level->bin_mask);
        }
    }
}

// Joined where they overlap.
static void add_ranges(ab_grid_look *look, uint32_t box, const ranges *all)
{
    uint32_t from = 0;
    for (uint32_t i = 0; i < all->count; ++i)
    {
        const uint32_t first = all->at[i].first > from ? all->at[i].first : from, end = all->at[i].end;
        if (first < end)
        {
            look->tally.candidates += end - first;
            ab_grid_add_tasks(look, box, first, end);
            from = end;
        }
    }
    look->tally.rows += all->count;
}

void ab_grid_find_hashed(ab_grid_look *look, const ab_grid_level *finer, const ab_grid_level *coarser, uint32_t first,
                         uint32_t end)
{
    const ab_grid *grid = look->grid;
    for (uint32_t box = first; box < end && !look->gave_up; ++box)
    {
        reach r = reach_of(grid, coarser, box);
        if (finer == coarser)
        {
            r.low[2] = grid->row[box].z; // boxes of earlier rows find this one themselves
        }
        ranges all;
        find_ranges(&all, grid, coarser, &r);
        add_ranges(look, box, &all);
    }
    ab_grid_run_tasks(look);
}
