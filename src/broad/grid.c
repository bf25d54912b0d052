// The row of the grid. Leaves are ordered, and still ones found, by the tree; active ones find each other in the grid.
#include "broad/grid.h"
#include "base/array.h"
#include "base/assert.h"
#include "broad/grid_kernels.h"
#include "broad/rows.h"

#define FEW_IN_ROW   4u // boxes in a row's range: with fewer, cells are made wider
#define MANY_IN_ROW  7u // with more, narrower
#define STEP_OF_ROW  1.0625f
#define FIRST_SPREAD 2.0f
#define MOST_SPREAD  16.0f

void ab_grid_close(ab_grid *grid)
{
    arrfree(grid->bin);
    arrfree(grid->bucket);
    arrfree(grid->start);
    arrfree(grid->leaf);
    arrfree(grid->row);
    arrfree(grid->memory);
    ab_bvh_close(&grid->tree);
}

void ab_grid_open(ab_broad *broad, ab_grid *grid)
{
    *grid = (ab_grid){ .kernels = ab_grid_kernels_for(broad->isa), .spread = FIRST_SPREAD };
    ab_bvh_open(broad, &grid->tree);
}

static void grid_release(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    if (grid)
    {
        ab_grid_close(grid);
        ab_memory_give(broad->memory, grid, sizeof *grid);
        broad->state = NULL;
    }
}

static abut_status grid_create(ab_broad *broad)
{
    ab_grid *grid = ab_memory_take(broad->memory, sizeof *grid);
    if (!grid)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_grid_open(broad, grid);
    broad->state = grid;
    return ABUT_OK;
}

static void follow_crowding(ab_grid *grid)
{
    if (grid->candidates > MANY_IN_ROW * grid->rows)
    {
        grid->spread /= STEP_OF_ROW;
    }
    else if (grid->candidates < FEW_IN_ROW * grid->rows && grid->spread < MOST_SPREAD)
    {
        grid->spread *= STEP_OF_ROW;
    }
}

static abut_status grid_pairs(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    const ab_tree *active = &grid->tree.set[AB_ACTIVE].tree, *still = &grid->tree.set[AB_STILL].tree;
    abut_status status = ab_grid_sort(broad);
    ab_bvh_begin_pairs(broad);
    status = status == ABUT_OK ? ab_grid_overlap(broad) : status;
    const uint64_t tests = broad->box_tests;
    status = status == ABUT_OK ? ab_bvh_overlap(broad, active, still) : status;
    if (status == ABUT_OK)
    {
        ab_bvh_count_excess(&grid->tree, broad->box_tests - tests, broad->leaves->region[AB_ACTIVE].live);
        follow_crowding(grid);
    }
    return status;
}

const ab_broad_row ab_broad_grid = {
    .name = "grid",
    .create = grid_create,
    .release = grid_release,
    .update = ab_bvh_update,
    .pairs = grid_pairs,
    .check = ab_bvh_check,
};
