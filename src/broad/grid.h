// The grid: boxes sorted into rows of cells, each box looked for in the few rows it can reach.
//
// Boxes are put into levels by size. A level's cells are wider than its largest box, so that a box reaches no further
// than into the next row either way; along a row they are narrow, so that the candidates of one row are one short range
// of boxes. A box belongs to the cell of its lowest corner. It meets its own level going forward, and every coarser
// level whole, so that each pair is found from one side only.
//
// Where the cells of all levels are few, each has a number of its own. Where they are too many, as when bodies are
// spread thinly or one is far away, rows begin at hashed numbers and share them: that costs tests of boxes, never a
// pair.
//
// Still leaves stay in the tree, and the order of leaves is the tree's, which is why a grid begins with one.
#ifndef AB_GRID_H
#define AB_GRID_H

#include "broad/bvh.h"

#define AB_GRID_LEVELS    256u  // at most: as many as there are doublings of floats
#define AB_GRID_BINS      2048u // of sizes: eight to a doubling, by the upper bits of a float
#define AB_GRID_BIN_SHIFT 20u
#define AB_GRID_NO_BIN    (AB_GRID_BINS - 1) // of a dead leaf
#define AB_GRID_CELLS     4u                 // at most for each box,
#define AB_GRID_BESIDES   1024u              // and these besides
#define AB_GRID_PADDING   16u                // floats that are read behind the last

// Costs in units of a twelfth of a nanosecond, about, where nothing is far away.
#define AB_GRID_BOX_COST   150u // of a box: its size, its bucket, being copied
#define AB_GRID_LEVEL_COST 40u  // of a box, for each level
#define AB_GRID_TEST_COST  75u  // of eight boxes against one: they lie anywhere
#define AB_GRID_ROW_COST   80u  // looked through by a box

// The cells of one level. Numbers of cells are whole, as floats.
typedef struct ab_grid_level
{
    uint32_t first_bin, last_bin; // of its sizes
    uint32_t count;               // boxes
    uint32_t first;               // of its boxes, in the order of the grid
    float size;                   // metres: larger than its boxes are along any axis
    float low[3];                 // where cells begin
    float per_metre[3];           // cells, by axis
    float last[3];                // number of the last cell, by axis
    float width, area;            // cells from a row to the next along y, and along z
    uint32_t bucket;              // its first
    uint32_t bin_mask;            // hashed: how many buckets it has, less one
} ab_grid_level;

// Boxes in the order of the grid, by axis, with padding behind them.
typedef struct ab_grid_boxes
{
    float *min[3], *max[3];
} ab_grid_boxes;

// Of cells, where numbers are hashed.
typedef struct ab_grid_row
{
    int64_t y, z;
} ab_grid_row;

// What a task has done.
typedef struct ab_grid_tally
{
    uint64_t rows;       // looked through
    uint64_t candidates; // boxes in them
} ab_grid_tally;

struct ab_grid_kernels;

typedef struct ab_grid
{
    ab_bvh tree; // first: functions of the tree take the state for one of theirs
    const struct ab_grid_kernels *kernels;
    ab_grid_level level[AB_GRID_LEVELS];
    uint32_t levels;
    uint32_t count;   // boxes
    uint32_t buckets; // of all levels
    bool hashed;
    float spread;           // width of a cell in largest boxes; follows how many candidates a row has
    ab_grid_tally *tallies; // growable: by task
    ab_grid_tally tally;    // of the last run
    ab_partition blocks;    // how measuring and placing are cut, in blocks
    bool divided;           // sorting is divided too:
    ab_radix sort;          // by bucket, of which only places are used
    uint64_t *dealt;        // growable: bucket << 32 | leaf, by range of buckets
    ab_radix_places *parts; // growable: by part of the blocks
    uint32_t *bin;          // growable: of each active leaf
    uint32_t *bucket;       // growable: the same
    uint32_t *start;        // growable: where the boxes of each bucket begin; one more behind the last
    uint32_t *proxy;        // growable: of each box
    ab_grid_row *row;       // growable: of each box; only when hashed
    float *memory;          // growable: what boxes point into
    ab_grid_boxes boxes;
    uint64_t limit;                                // of what a run may cost: past it, it is given up
    _Alignas(AB_CACHE_LINE) _Atomic uint64_t cost; // of the run so far, by all tasks
} ab_grid;

// What sorting its boxes costs.
uint64_t ab_grid_sorting_cost(const ab_grid *grid);

// Whether the run has cost more than the limit, so that its pairs are not complete. It depends on the boxes and the
// limit alone: tasks go on until all of them together have passed it.
bool ab_grid_gave_up(const ab_grid *grid);

// Closing frees what it owns, not itself.
void ab_grid_open(ab_broad *broad, ab_grid *grid);
void ab_grid_close(ab_grid *grid);

// Cuts the active set as it is, and makes room for all that goes with it. False when out of memory.
bool ab_grid_reserve(ab_broad *broad);

// Decides from the measured boxes which sizes go together, level by level from the finest, and how many cells there
// are.
void ab_grid_plan(ab_broad *broad);

// Sorts the boxes of the active set: measuring and placing them, each cut by grid->blocks, and the rest on one thread.
void ab_grid_measure(ab_broad *broad, uint32_t task);
void ab_grid_place(ab_broad *broad, uint32_t task);
void ab_grid_sort(ab_broad *broad);

// Or the rest in tasks, when grid->divided says so, which is to be known before boxes are placed: dealing them to
// ranges of buckets, cut like placing, and sorting the ranges. What comes before is done on one thread, and gives how
// many tasks there are.
void ab_grid_divide(ab_grid *grid);
uint32_t ab_grid_prepare_deal(ab_broad *broad);
void ab_grid_deal(ab_broad *broad, uint32_t task);
void ab_grid_sort_range(ab_broad *broad, uint32_t task);

// The cell of a coordinate when numbers are hashed, and the bucket of a cell.
static inline int64_t ab_grid_cell(float coordinate, float per_metre)
{
    const float at = coordinate * per_metre;
    const int64_t whole = (int64_t)at;
    return whole - (at < (float)whole);
}

static inline uint32_t ab_grid_hash(int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)y * 0x9e3779b97f4a7c15u ^ (uint64_t)z * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

#endif
