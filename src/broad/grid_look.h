// The search of boxes in the grid: a task's working memory.
#ifndef AB_GRID_LOOK_H
#define AB_GRID_LOOK_H

#include "broad/grid.h"
#include "broad/pair_writer.h"

#define AB_GRID_CHUNK   128u // boxes per batch
#define AB_GRID_REACHES 9u   // rows of a coarser level that a box may reach
#define AB_GRID_TASKS   512u
#define AB_GRID_TESTED  128u // run together: their output fits a pair writer
#define AB_LOOK_PADDING 16u  // entries that are written behind the last

_Static_assert(AB_GRID_TESTED *AB_BLOCK + AB_BLOCK <= AB_PAIR_WRITER_MOST, "a pair writer takes what tests give");

// Ranges of buckets for boxes to search.
typedef struct ab_grid_list
{
    uint32_t box[AB_GRID_CHUNK + AB_LOOK_PADDING];
    uint32_t low[AB_GRID_CHUNK + AB_LOOK_PADDING];
    uint32_t high[AB_GRID_CHUNK + AB_LOOK_PADDING];
    uint32_t count;
} ab_grid_list;

// Tests of one box against up to eight consecutive ones.
typedef struct ab_grid_tasks
{
    uint32_t box[AB_GRID_TASKS + AB_LOOK_PADDING];
    uint32_t first[AB_GRID_TASKS + AB_LOOK_PADDING];
    uint32_t lanes[AB_GRID_TASKS + AB_LOOK_PADDING]; // which of the eight count
    uint32_t count;
} ab_grid_tasks;

typedef struct ab_grid_look
{
    const ab_grid *grid;
    ab_pair_writer *writer;
    ab_grid_tally tally;
    uint64_t box_tests;
    _Atomic uint64_t *cost; // the grid's
    uint64_t counted_rows;  // of the tally that are in it
    bool gave_up;           // it is past the limit: the rest of the search is void
    bool forward;           // only pairs whose second box comes after the first in the order of hashed rows
    ab_grid_list list[AB_GRID_REACHES];
    ab_grid_tasks tasks;
} ab_grid_look;

// Writes every pair of overlapping active proxies that a box in [first, end) finds to the pair writer.
void ab_grid_find(ab_grid_look *look, uint32_t first, uint32_t end);

// The same for boxes of one level among each other or with those of a coarser one, where numbers are hashed.
void ab_grid_find_hashed(ab_grid_look *look, const ab_grid_level *finer, const ab_grid_level *coarser, uint32_t first,
                         uint32_t end);

// Adds tests of `box` against the boxes [first, end).
void ab_grid_add_tasks(ab_grid_look *look, uint32_t box, uint32_t first, uint32_t end);

// Runs the tests.
void ab_grid_run_tasks(ab_grid_look *look);

#endif
