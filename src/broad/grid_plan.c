// Assigns sizes to levels, and divides the space of each level into cells. Computed anew in each run from the present
// boxes; only the spread is kept from run to run, and affects nothing but speed.
#include "base/assert.h"
#include "broad/grid.h"

#include <string.h>

#define BINS_IN_OCTAVE 8u
#define CROWDING       32u  // a level includes the next larger sizes until it would have so many boxes for one of them
#define ALONG_ROW      0.5f // largest boxes per cell along a row
#define LEAST_SPREAD   1.125f
#define WIDER          1.25f
#define WIDENINGS      3u // attempts: many cells may be due to a few bodies far away, not to wide spaces between all
#define MOST_ACROSS    65535.0f   // cells along y and z, where rounding is still far below the slack of a spread
#define MOST_ALONG     1048575.0f // cells along x
#define MOST_CELLS     8388608.0f // integers that floats represent exactly, with room for sums
#define SMALLEST       1.0e-30f   // metres: of a level's size, so that its inverse is finite
#define FINEST         1.0e-18f   // the same, relative to the greatest coordinate, so that cell numbers fit 64 bits
#define LEAST_BINS     2u

// The number of boxes of sizes up to a bin per box of that size, if each size filled its share of a space.
typedef struct group
{
    uint64_t crowding;
    uint32_t octave, last_bin, count;
} group;

static float size_from_bin(uint32_t bin)
{
    const uint32_t bits = (bin + 1) << AB_GRID_BIN_SHIFT;
    float size;
    memcpy(&size, &bits, sizeof size);
    return size;
}

static bool joins(const group *g, uint32_t octave, uint32_t count)
{
    const uint32_t doublings = octave - g->octave;
    return g->count == 0 || (doublings < 8 && g->crowding << 3 * doublings <= (uint64_t)CROWDING * count);
}

static void end_level(ab_grid *grid, const group *g)
{
    ab_grid_level *level = &grid->level[grid->levels++];
    level->count = g->count;
    level->first_bin = grid->levels > 1 ? level[-1].last_bin + 1 : 0;
    level->last_bin = g->last_bin;
    level->size = size_from_bin(g->last_bin);
}

static void find_levels(ab_grid *grid, const uint32_t *counts, uint32_t first_bin, uint32_t last_bin)
{
    group g = { 0 };
    grid->levels = 0;
    for (uint32_t octave = first_bin / BINS_IN_OCTAVE; octave <= last_bin / BINS_IN_OCTAVE; ++octave)
    {
        uint32_t count = 0, last = 0;
        for (uint32_t bin = octave * BINS_IN_OCTAVE; bin < (octave + 1) * BINS_IN_OCTAVE; ++bin)
        {
            count += counts[bin];
            last = counts[bin] ? bin : last;
        }
        if (count == 0)
        {
            continue;
        }
        const bool together = joins(&g, octave, count);
        if (!together)
        {
            end_level(grid, &g);
        }
        const uint64_t carried = together && g.count ? g.crowding << 3 * (octave - g.octave) : 0;
        g = (group){ carried + count, octave, last, (together ? g.count : 0) + count };
    }
    end_level(grid, &g);
}

// Divides one level's space; returns its number of cells, or more than MOST_CELLS.
static float partition(ab_grid_level *level, const ab_aabb *around, float spread)
{
    const float across = level->size * spread, along = level->size * ALONG_ROW;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const float most = axis == 0 ? MOST_ALONG : MOST_ACROSS;
        level->low[axis] = around->min[axis];
        level->per_metre[axis] = 1.0f / (axis == 0 ? along : across);
        const float last = (around->max[axis] - around->min[axis]) * level->per_metre[axis];
        if (!(last < most))
        {
            return 2.0f * MOST_CELLS;
        }
        level->last[axis] = (float)(uint32_t)(last + 1.0f);
    }
    level->width = level->last[0] + 1.0f;
    const float plane = level->width * (level->last[1] + 1.0f);
    level->area = plane < MOST_CELLS ? plane : MOST_CELLS;
    return level->area * (level->last[2] + 1.0f);
}

// Numbers the cells of all levels consecutively. False when there would be too many.
static bool number_cells(ab_grid *grid, const ab_aabb *around, float spread)
{
    const float most = (float)AB_GRID_CELLS * (float)grid->count + (float)AB_GRID_BESIDES;
    float cells = 0.0f;
    for (uint32_t i = 0; i < grid->levels; ++i)
    {
        ab_grid_level *level = &grid->level[i];
        const float here = partition(level, around, spread);
        level->bucket = (uint32_t)cells;
        cells += here;
        if (!(here < MOST_CELLS && cells <= most && cells < MOST_CELLS))
        {
            return false;
        }
    }
    grid->buckets = (uint32_t)cells;
    return true;
}

static void hash_cells(ab_grid *grid)
{
    grid->buckets = 0;
    for (uint32_t i = 0; i < grid->levels; ++i)
    {
        ab_grid_level *level = &grid->level[i];
        uint32_t buckets = LEAST_BINS;
        while (buckets < level->count && buckets < 1u << 30)
        {
            buckets <<= 1;
        }
        level->bucket = grid->buckets;
        level->bin_mask = buckets - 1;
        level->per_metre[0] = 1.0f / (level->size * ALONG_ROW);
        level->per_metre[1] = level->per_metre[2] = 1.0f / (level->size * grid->spread);
        grid->buckets += buckets;
    }
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float greatest_coordinate(const ab_aabb *around)
{
    float greatest = 0.0f;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        greatest = larger(greatest, larger(-around->min[axis], around->max[axis]));
    }
    return greatest;
}

void ab_grid_plan(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    const ab_tree *tree = &grid->tree.set[AB_ACTIVE].tree;
    const ab_aabb *around = &tree->aabb[tree->levels - 1][0];
    uint32_t counts[AB_GRID_BINS] = { 0 };
    const uint32_t proxies = broad->proxies->region[AB_ACTIVE].blocks * AB_BLOCK;
    uint32_t first_bin = AB_GRID_NO_BIN, last_bin = 0;
    for (uint32_t i = 0; i < proxies; ++i)
    {
        const uint32_t bin = grid->bin[i], live = bin == AB_GRID_NO_BIN ? 0 : bin;
        ++counts[bin];
        first_bin = bin < first_bin ? bin : first_bin;
        last_bin = live > last_bin ? live : last_bin;
    }
    grid->count = proxies - counts[AB_GRID_NO_BIN];
    AB_ASSERT(grid->count == broad->proxies->region[AB_ACTIVE].live, grid->count);
    find_levels(grid, counts, first_bin, last_bin);
    const float finest = larger(SMALLEST, FINEST * greatest_coordinate(around));
    uint32_t first = 0;
    for (uint32_t i = 0; i < grid->levels; ++i)
    {
        grid->level[i].size = larger(grid->level[i].size, finest);
        grid->level[i].first = first;
        first += grid->level[i].count;
    }
    float spread = grid->spread = larger(grid->spread, LEAST_SPREAD);
    grid->hashed = true;
    for (uint32_t i = 0; grid->hashed && i < WIDENINGS; ++i)
    {
        grid->hashed = !number_cells(grid, around, spread);
        spread *= WIDER;
    }
    if (grid->hashed)
    {
        hash_cells(grid);
    }
}
