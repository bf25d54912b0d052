// The grid's search. The tree orders the proxies and finds the static ones; active proxies find each other in the grid.
#include "broad/grid.h"
#include "base/array.h"
#include "base/kernels.h"
#include "broad/grid_kernels.h"
#include "broad/pair_writer.h"

#define FEW_IN_ROW   4u // boxes in a row's range: with fewer, cells become wider
#define MANY_IN_ROW  7u // with more, narrower
#define STEP_OF_ROW  1.0625f
#define FIRST_SPREAD 2.0f
#define MOST_SPREAD  16.0f

void ab_grid_close(ab_grid *grid)
{
    arrfree(grid->bin);
    arrfree(grid->bucket);
    arrfree(grid->start);
    arrfree(grid->proxy);
    arrfree(grid->row);
    arrfree(grid->memory);
    arrfree(grid->tallies);
    arrfree(grid->dealt);
    arrfree(grid->parts);
    ab_bvh_close(&grid->tree);
}

void ab_grid_open(ab_broad *broad, ab_grid *grid)
{
    *grid = (ab_grid){ .kernels = ab_kernels_for(broad->isa)->grid, .spread = FIRST_SPREAD, .limit = UINT64_MAX };
    ab_bvh_open(broad, &grid->tree);
}

static void follow_crowding(ab_grid *grid)
{
    if (grid->tally.candidates > MANY_IN_ROW * grid->tally.rows)
    {
        grid->spread /= STEP_OF_ROW;
    }
    else if (grid->tally.candidates < FEW_IN_ROW * grid->tally.rows && grid->spread < MOST_SPREAD)
    {
        grid->spread *= STEP_OF_ROW;
    }
}

uint64_t ab_grid_sorting_cost(const ab_grid *grid)
{
    return (AB_GRID_BOX_COST + AB_GRID_LEVEL_COST * (uint64_t)grid->levels) * grid->count;
}

void ab_grid_restart(ab_grid *grid)
{
    grid->crowded = false;
    atomic_store_explicit(&grid->cost, 0, memory_order_relaxed);
}

// Resets the cost to that of sorting, which precedes any search.
static void restart_cost(ab_grid *grid)
{
    atomic_store_explicit(&grid->cost, ab_grid_sorting_cost(grid), memory_order_relaxed);
}

bool ab_grid_gave_up(const ab_grid *grid)
{
    return grid->crowded || atomic_load_explicit(&grid->cost, memory_order_relaxed) > grid->limit;
}

static abut_status prepare_measuring(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_grid *grid = broad->state;
    if (!ab_grid_reserve(broad))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *tasks = grid->blocks.tasks;
    return ABUT_OK;
}

static void measure(void *pass, uint32_t task)
{
    ab_grid_measure(pass, task);
}

static abut_status prepare_placing(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_grid *grid = broad->state;
    grid->count = grid->levels = grid->buckets = 0;
    grid->hashed = grid->divided = false;
    if (broad->proxies->region[AB_ACTIVE].live > 0)
    {
        ab_grid_plan(broad);
        restart_cost(grid);
        if (ab_grid_gave_up(grid))
        {
            return ABUT_OK;
        }
        *tasks = grid->blocks.tasks;
        grid->divided = AB_GRID_DIVIDES && grid->blocks.tasks > 1 && !broad->single_threaded;
        if (ab_grid_is_divided(grid))
        {
            ab_grid_divide(grid);
        }
    }
    return ABUT_OK;
}

static void place(void *pass, uint32_t task)
{
    ab_grid_place(pass, task);
}

static abut_status prepare_dealing(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    const ab_grid *grid = broad->state;
    *tasks = ab_grid_is_divided(grid) ? ab_grid_prepare_deal(broad) : 0;
    return ABUT_OK;
}

static void deal(void *pass, uint32_t task)
{
    if (AB_GRID_DIVIDES)
    {
        ab_grid_deal(pass, task);
    }
}

static abut_status prepare_sorting(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    const ab_grid *grid = broad->state;
    if (!ab_grid_is_divided(grid))
    {
        ab_grid_sort(broad);
        return ABUT_OK;
    }
    *tasks = grid->sort.tasks;
    return ABUT_OK;
}

static void sort_range(void *pass, uint32_t task)
{
    if (AB_GRID_DIVIDES)
    {
        ab_grid_sort_range(pass, task);
    }
}

static abut_status prepare_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_grid *grid = broad->state;
    broad->depth = grid->tree.set[AB_ACTIVE].tree.levels;
    broad->partition = ab_partition_into(&broad->granularity, grid->count, 1);
    *tasks = broad->partition.tasks;
    const abut_status status = ab_bvh_prepare_static(broad, tasks);
    if (status != ABUT_OK)
    {
        return status;
    }
    return ab_pair_writers_open(broad, *tasks) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void find_active(ab_broad *broad, uint32_t task, ab_pair_writer *writer)
{
    ab_grid *grid = broad->state;
    ab_grid_look look;
    look.grid = grid;
    look.writer = writer;
    look.tally = (ab_grid_tally){ 0 };
    look.box_tests = 0;
    look.cost = &grid->cost;
    look.counted_rows = 0;
    look.gave_up = false;
    ab_grid_find(&look, (uint32_t)ab_partition_first(&broad->partition, task),
                 (uint32_t)ab_partition_end(&broad->partition, task));
    grid->tallies[task] = look.tally;
    broad->notes[task].box_tests = look.box_tests;
}

static void find_pairs(void *pass, uint32_t task)
{
    ab_broad *broad = pass;
    ab_pair_writer writer;
    ab_pair_writer_open(&writer, broad, task);
    if (task < broad->partition.tasks)
    {
        find_active(broad, task, &writer);
    }
    else
    {
        ab_bvh_find_static(broad, task, &writer);
    }
    ab_pair_writer_close(&writer);
}

static abut_status repeat_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_grid *grid = broad->state;
    const bool dropped = broad->drops;
    const abut_status status = ab_pair_writers_repeat(broad, tasks);
    grid->crowded = status == ABUT_OK && broad->drops != dropped;
    *tasks = grid->crowded ? 0 : *tasks;
    if (*tasks > 0)
    {
        restart_cost(grid);
    }
    return status;
}

static abut_status finish_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_grid *grid = broad->state;
    (void)tasks;
    const abut_status status = ab_pair_writers_finish(broad);
    if (status != ABUT_OK)
    {
        return status;
    }
    grid->tally = (ab_grid_tally){ 0 };
    for (uint32_t task = 0; task < broad->partition.tasks; ++task)
    {
        grid->tally.rows += grid->tallies[task].rows;
        grid->tally.candidates += grid->tallies[task].candidates;
    }
    const uint64_t active_tests = broad->box_tests;
    ab_bvh_count_top(broad);
    ab_bvh_count_excess(&grid->tree, broad->box_tests - active_tests, 0, broad->proxies->region[AB_ACTIVE].live);
    follow_crowding(grid);
    return ABUT_OK;
}

const ab_phase ab_grid_pairs_phases[] = {
    { prepare_measuring, measure },  { prepare_placing, place },    { prepare_dealing, deal },
    { prepare_sorting, sort_range }, { prepare_pairs, find_pairs }, { repeat_pairs, find_pairs },
    { repeat_pairs, find_pairs },    { finish_pairs, NULL },        { NULL, NULL }
};
