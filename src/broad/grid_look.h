// Boxes of the grid looking for others: what a task keeps while it works.
#ifndef AB_GRID_LOOK_H
#define AB_GRID_LOOK_H

#include "broad/grid.h"
#include "broad/pair_writer.h"

#define AB_GRID_CHUNK   128u // boxes that look at a time
#define AB_GRID_REACHES 9u   // rows of a coarser level that a box may reach
#define AB_GRID_TASKS   512u
#define AB_GRID_TESTED  128u // tasks tested together: a sink takes what comes of them
#define AB_LOOK_PADDING 16u  // entries that are written behind the last

_Static_assert(AB_GRID_TESTED *AB_BLOCK + AB_BLOCK <= AB_PAIR_WRITER_MOST, "a sink takes what tests give");

// Ranges of buckets for boxes to look through.
typedef struct ab_grid_list
{
    uint32_t box[AB_GRID_CHUNK + AB_LOOK_PADDING];
    uint32_t low[AB_GRID_CHUNK + AB_LOOK_PADDING];
    uint32_t high[AB_GRID_CHUNK + AB_LOOK_PADDING];
    uint32_t count;
} ab_grid_list;

// One box against up to eight that follow each other.
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
    bool gave_up;           // it is past the limit: what is left need not be looked for
    bool forward;           // only pairs of which the second box comes after the first in the order of hashed rows
    ab_grid_list list[AB_GRID_REACHES];
    ab_grid_tasks tasks;
} ab_grid_look;

// Hands every pair of overlapping active leaves of which a box in [first, end) finds the other to the sink.
void ab_grid_find(ab_grid_look *look, uint32_t first, uint32_t end);

// The same for boxes of one level among each other or with those of a coarser one, where numbers are hashed.
void ab_grid_find_hashed(ab_grid_look *look, const ab_grid_level *finer, const ab_grid_level *coarser, uint32_t first,
                         uint32_t end);

// Adds the boxes [first, end) to what `box` is to be tested with.
void ab_grid_add_tasks(ab_grid_look *look, uint32_t box, uint32_t first, uint32_t end);

// Does the tests.
void ab_grid_run_tasks(ab_grid_look *look);

#endif
