// Overlapping pairs of boxes in the grid. A chunk of boxes at a time: which rows each reaches, which boxes lie there, and
// then the tests, each stage a loop over what the one before has listed.
#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "broad/grid_kernels.h"

#define EVERY_LANE 0xffu

static bool comes_after(const ab_grid *grid, uint32_t a, uint32_t b)
{
    const ab_grid_row *r = &grid->row[a], *s = &grid->row[b];
    return r->z != s->z ? r->z > s->z : r->y != s->y ? r->y > s->y : a > b;
}

// Pairs of boxes become pairs of leaves. Returns how many are left.
static uint32_t name_leaves(const ab_grid *grid, ab_pair *pairs, uint32_t count, bool forward)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t found = pairs[i].a, box = pairs[i].b;
        pairs[kept] = (ab_pair){ grid->leaf[found], grid->leaf[box] };
        kept += !forward || comes_after(grid, found, box);
    }
    return kept;
}

abut_status ab_grid_run_tasks(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    ab_grid_tasks *tasks = &grid->tasks;
    const size_t count = arrlenu(broad->pairs);
    if (!ab_array_reserve(broad->pairs, broad->memory, count + AB_BLOCK * (AB_GRID_TASKS + 1)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_pair *found = broad->pairs + count;
    const uint32_t tested = grid->kernels->test(&grid->boxes, tasks, found);
    ab_array_set_length(broad->pairs, count + name_leaves(grid, found, tested, tasks->forward));
    broad->box_tests += tasks->count;
    tasks->count = 0;
    return ABUT_OK;
}

static uint32_t first_of_eight(uint32_t count)
{
    return count < AB_BLOCK ? EVERY_LANE >> (AB_BLOCK - count) : EVERY_LANE;
}

abut_status ab_grid_add_task(ab_broad *broad, uint32_t box, uint32_t first, uint32_t end)
{
    ab_grid *grid = broad->state;
    ab_grid_tasks *tasks = &grid->tasks;
    for (uint32_t at = first; at < end; at += AB_BLOCK)
    {
        if (tasks->count == AB_GRID_TASKS)
        {
            const abut_status status = ab_grid_run_tasks(broad);
            if (status != ABUT_OK)
            {
                return status;
            }
        }
        tasks->box[tasks->count] = box;
        tasks->first[tasks->count] = at;
        tasks->lanes[tasks->count++] = first_of_eight(end - at);
    }
    return ABUT_OK;
}

// Room for two tasks from each entry of a list.
static abut_status leave_room(ab_broad *broad)
{
    const ab_grid *grid = broad->state;
    return grid->tasks.count + 2 * AB_GRID_CHUNK <= AB_GRID_TASKS ? ABUT_OK : ab_grid_run_tasks(broad);
}

static abut_status add_rest(ab_broad *broad, uint32_t box, uint32_t first, uint32_t end)
{
    const abut_status status = ab_grid_add_task(broad, box, first, end);
    return status == ABUT_OK ? leave_room(broad) : status;
}

// Lists the tests of a range of boxes, up to 16 without a branch.
static abut_status add_range(ab_broad *broad, ab_grid_tasks *tasks, uint32_t box, uint32_t first, uint32_t end)
{
    const uint32_t count = end - first, at = tasks->count, next = at + (count > 0);
    tasks->box[at] = tasks->box[next] = box;
    tasks->first[next] = first + AB_BLOCK;
    tasks->lanes[next] = first_of_eight(count > AB_BLOCK ? count - AB_BLOCK : 0);
    tasks->first[at] = first;
    tasks->lanes[at] = first_of_eight(count);
    tasks->count = next + (count > AB_BLOCK);
    return AB_LIKELY(count <= 2 * AB_BLOCK) ? ABUT_OK : add_rest(broad, box, first + 2 * AB_BLOCK, end);
}

// The boxes that follow in the same row.
static abut_status add_own_row(ab_broad *broad, uint32_t first)
{
    ab_grid *grid = broad->state;
    const ab_grid_list *list = &grid->list[0];
    abut_status status = leave_room(broad);
    for (uint32_t i = 0; i < list->count && status == ABUT_OK; ++i)
    {
        const uint32_t end = grid->start[list->high[i] + 1], box = first + i;
        grid->candidates += end - box;
        status = add_range(broad, &grid->tasks, box, box + 1, end);
    }
    grid->rows += list->count;
    return status;
}

static abut_status add_list(ab_broad *broad, ab_grid_list *list)
{
    ab_grid *grid = broad->state;
    abut_status status = leave_room(broad);
    for (uint32_t i = 0; i < list->count && status == ABUT_OK; ++i)
    {
        const uint32_t from = grid->start[list->low[i]], end = grid->start[list->high[i] + 1];
        AB_ASSERT(from <= end && end <= grid->count, from);
        grid->candidates += end - from;
        status = add_range(broad, &grid->tasks, list->box[i], from, end);
    }
    grid->rows += list->count;
    list->count = 0;
    return status;
}

static abut_status meet_own(ab_broad *broad, const ab_grid_level *level, uint32_t first, uint32_t count)
{
    ab_grid *grid = broad->state;
    grid->kernels->reach_own(level, &grid->boxes, first, count, grid->list);
    abut_status status = add_own_row(broad, first);
    for (uint32_t i = 1; i <= 4 && status == ABUT_OK; ++i)
    {
        status = add_list(broad, &grid->list[i]);
    }
    return status;
}

static abut_status meet_coarser(ab_broad *broad, const ab_grid_level *level, uint32_t first, uint32_t count)
{
    ab_grid *grid = broad->state;
    abut_status status = ABUT_OK;
    grid->list[0].count = 0;
    grid->kernels->reach_coarser(level, &grid->boxes, first, count, grid->list);
    for (uint32_t i = 0; i < AB_GRID_REACHES && status == ABUT_OK; ++i)
    {
        status = add_list(broad, &grid->list[i]);
    }
    return status;
}

static abut_status overlap_levels(ab_broad *broad, uint32_t finer, uint32_t coarser)
{
    ab_grid *grid = broad->state;
    const ab_grid_level *mine = &grid->level[finer], *theirs = &grid->level[coarser];
    abut_status status = ABUT_OK;
    for (uint32_t done = 0; done < mine->count && status == ABUT_OK; done += AB_GRID_CHUNK)
    {
        const uint32_t left = mine->count - done, count = left < AB_GRID_CHUNK ? left : AB_GRID_CHUNK;
        status = finer == coarser ? meet_own(broad, theirs, mine->first + done, count)
                                  : meet_coarser(broad, theirs, mine->first + done, count);
    }
    return status == ABUT_OK ? ab_grid_run_tasks(broad) : status;
}

abut_status ab_grid_overlap(ab_broad *broad)
{
    ab_grid *grid = broad->state;
    abut_status status = ABUT_OK;
    grid->rows = grid->candidates = 0;
    grid->tasks.count = 0;
    grid->tasks.forward = false;
    for (uint32_t i = 0; i < AB_GRID_REACHES; ++i)
    {
        grid->list[i].count = 0;
    }
    for (uint32_t finer = 0; finer < grid->levels; ++finer)
    {
        for (uint32_t coarser = finer; coarser < grid->levels && status == ABUT_OK; ++coarser)
        {
            status =
                grid->hashed ? ab_grid_overlap_hashed(broad, finer, coarser) : overlap_levels(broad, finer, coarser);
        }
    }
    return status;
}
