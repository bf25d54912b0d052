// Overlapping pairs of boxes in the grid. A batch of boxes at a time: the rows that each reaches, the boxes there, then
// the tests; each stage is a loop over the list of the one before.
#include "base/assert.h"
#include "base/platform.h"
#include "broad/grid_kernels.h"

#define EVERY_LANE 0xffu

static bool comes_after(const ab_grid *grid, uint32_t a, uint32_t b)
{
    const ab_grid_row *r = &grid->row[a], *s = &grid->row[b];
    return r->z != s->z ? r->z > s->z : r->y != s->y ? r->y > s->y : a > b;
}

// Replaces boxes by proxies. Returns the number of pairs left.
static uint32_t name_proxies(const ab_grid *grid, ab_pair *pairs, uint32_t count, bool forward)
{
    const uint32_t *proxy = grid->proxy;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t found = pairs[i].a, box = pairs[i].b;
        pairs[kept] = (ab_pair){ proxy[found], proxy[box] };
        kept += !forward || comes_after(grid, found, box);
    }
    return kept;
}

static void count_cost(ab_grid_look *look)
{
    const uint64_t rows = look->tally.rows - look->counted_rows;
    const uint64_t cost = AB_GRID_TEST_COST * (uint64_t)look->tasks.count + AB_GRID_ROW_COST * rows;
    const uint64_t before = atomic_fetch_add_explicit(look->cost, cost, memory_order_relaxed);
    look->counted_rows = look->tally.rows;
    look->gave_up = before + cost > look->grid->limit;
}

void ab_grid_run_tasks(ab_grid_look *look)
{
    const ab_grid *grid = look->grid;
    ab_grid_tasks *tasks = &look->tasks;
    for (uint32_t first = 0; first < tasks->count; first += AB_GRID_TESTED)
    {
        const uint32_t left = tasks->count - first, count = left < AB_GRID_TESTED ? left : AB_GRID_TESTED;
        ab_pair *found = ab_pair_writer_room(look->writer);
        const uint32_t hits = grid->kernels->test(&grid->boxes, tasks, first, count, found);
        ab_pair_writer_took(look->writer, name_proxies(grid, found, hits, look->forward));
    }
    count_cost(look);
    look->box_tests += tasks->count;
    tasks->count = 0;
}

// Ensures room for two tests from each entry of a list.
static void leave_room(ab_grid_look *look)
{
    if (look->tasks.count + 2 * AB_GRID_CHUNK > AB_GRID_TASKS)
    {
        ab_grid_run_tasks(look);
    }
}

void ab_grid_add_tasks(ab_grid_look *look, uint32_t box, uint32_t first, uint32_t end)
{
    ab_grid_tasks *tasks = &look->tasks;
    for (uint32_t at = first; at < end; at += AB_BLOCK)
    {
        if (tasks->count == AB_GRID_TASKS)
        {
            ab_grid_run_tasks(look);
            if (look->gave_up)
            {
                return;
            }
        }
        tasks->box[tasks->count] = box;
        tasks->first[tasks->count] = at;
        tasks->lanes[tasks->count++] = end - at < AB_BLOCK ? (1u << (end - at)) - 1u : EVERY_LANE;
    }
}

// Lists the tests of a range of boxes, up to 16 without a branch. `tasks` is the number of tests: a copy, so that it
// stays in a register.
AB_INLINE uint32_t add_range(ab_grid_look *look, uint32_t tasks, uint32_t box, uint32_t first, uint32_t end)
{
    ab_grid_tasks *to = &look->tasks;
    const uint32_t count = end - first, two = count < 2 * AB_BLOCK ? count : 2 * AB_BLOCK;
    const uint32_t lanes = (1u << two) - 1u, next = tasks + (count > 0);
    to->box[next] = box;
    to->first[next] = first + AB_BLOCK;
    to->lanes[next] = lanes >> AB_BLOCK;
    to->box[tasks] = box;
    to->first[tasks] = first;
    to->lanes[tasks] = lanes & EVERY_LANE;
    tasks = next + (count > AB_BLOCK);
    if (AB_LIKELY(count <= 2 * AB_BLOCK))
    {
        return tasks;
    }
    to->count = tasks;
    ab_grid_add_tasks(look, box, first + 2 * AB_BLOCK, end);
    leave_room(look);
    return to->count;
}

// The boxes that follow in the same row.
static void add_own_row(ab_grid_look *look, uint32_t first)
{
    const uint32_t *start = look->grid->start, *high = look->list[0].high, count = look->list[0].count;
    uint64_t candidates = 0;
    leave_room(look);
    uint32_t tasks = look->tasks.count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t end = start[high[i] + 1], box = first + i;
        candidates += end - box;
        tasks = add_range(look, tasks, box, box + 1, end);
    }
    look->tasks.count = tasks;
    look->tally.candidates += candidates;
    look->tally.rows += count;
}

static void add_list(ab_grid_look *look, ab_grid_list *list)
{
    const uint32_t *start = look->grid->start, count = list->count;
    uint64_t candidates = 0;
    leave_room(look);
    uint32_t tasks = look->tasks.count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t from = start[list->low[i]], end = start[list->high[i] + 1];
        AB_ASSERT(from <= end && end <= look->grid->count, from);
        candidates += end - from;
        tasks = add_range(look, tasks, list->box[i], from, end);
    }
    look->tasks.count = tasks;
    look->tally.candidates += candidates;
    look->tally.rows += count;
    list->count = 0;
}

static void search_own(ab_grid_look *look, const ab_grid_level *level, uint32_t first, uint32_t count)
{
    look->grid->kernels->reach_own(level, &look->grid->boxes, first, count, look->list);
    add_own_row(look, first);
    for (uint32_t i = 1; i <= 4; ++i)
    {
        add_list(look, &look->list[i]);
    }
}

static void search_coarser(ab_grid_look *look, const ab_grid_level *level, uint32_t first, uint32_t count)
{
    look->list[0].count = 0;
    look->grid->kernels->reach_coarser(level, &look->grid->boxes, first, count, look->list);
    for (uint32_t i = 0; i < AB_GRID_REACHES; ++i)
    {
        add_list(look, &look->list[i]);
    }
}

static void search_level(ab_grid_look *look, const ab_grid_level *finer, const ab_grid_level *coarser, uint32_t first,
                         uint32_t end)
{
    for (uint32_t at = first; at < end && !look->gave_up; at += AB_GRID_CHUNK)
    {
        const uint32_t count = end - at < AB_GRID_CHUNK ? end - at : AB_GRID_CHUNK;
        if (finer == coarser)
        {
            search_own(look, coarser, at, count);
        }
        else
        {
            search_coarser(look, coarser, at, count);
        }
    }
    ab_grid_run_tasks(look);
}

void ab_grid_find(ab_grid_look *look, uint32_t first, uint32_t end)
{
    const ab_grid *grid = look->grid;
    for (uint32_t i = 0; i < AB_GRID_REACHES; ++i)
    {
        look->list[i].count = 0;
    }
    look->tasks.count = 0;
    for (uint32_t i = 0; i < grid->levels; ++i)
    {
        const ab_grid_level *mine = &grid->level[i];
        const uint32_t mine_end = mine->first + mine->count;
        const uint32_t from = first > mine->first ? first : mine->first, to = end < mine_end ? end : mine_end;
        for (uint32_t j = i; j < grid->levels && from < to; ++j)
        {
            look->forward = grid->hashed && i == j;
            (grid->hashed ? ab_grid_find_hashed : search_level)(look, mine, &grid->level[j], from, to);
        }
    }
}
