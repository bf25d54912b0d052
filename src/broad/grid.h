// The grid: sorts boxes into rows of cells, and searches each box's few reachable rows.
//
// Boxes are assigned to levels by size. A level's cells are wider than its largest box, so a box reaches no further
// than the next row either way; along a row they are narrow, so the candidates in one row are a short range of boxes. A
// box belongs to the cell of its lowest corner. It is tested forward in its own level, and both ways in every coarser
// level, so each pair is found from one side only.
//
// Where the cells of all levels are few, each has a number of its own. Where they are too many, as when bodies are
// sparse or one is far away, rows begin at hashed numbers and share cells: that costs box tests, never a pair.
//
// Static proxies stay in the tree, and the grid keeps the tree's order of proxies, so its state begins with one.
#ifndef AB_GRID_H
#define AB_GRID_H

#include "base/radix.h"
#include "broad/bvh.h"

#define AB_GRID_LEVELS    256u  // at most: the number of doublings of floats
#define AB_GRID_BINS      2048u // of sizes: eight per doubling, by the upper bits of a float
#define AB_GRID_BIN_SHIFT 20u
#define AB_GRID_NO_BIN    (AB_GRID_BINS - 1) // of a dead proxy
#define AB_GRID_CELLS     4u                 // at most for each box,
#define AB_GRID_BESIDES   1024u              // and these besides
#define AB_GRID_PADDING   16u                // floats that are read behind the last

// Costs in units of about a twelfth of a nanosecond, with everything in cache.
#define AB_GRID_BOX_COST   150u // of a box: its size, its bucket, its copy
#define AB_GRID_LEVEL_COST 40u  // of a box, per level
#define AB_GRID_TEST_COST  75u  // of eight boxes against one, scattered in memory
#define AB_GRID_ROW_COST   80u  // of a row that a box searches

// The cells of one level. Cell numbers are whole, as floats.
typedef struct ab_grid_level
{
    uint32_t first_bin, last_bin; // of its sizes
    uint32_t count;               // boxes
    uint32_t first;               // of its boxes, in the order of the grid
    float size;                   // metres: larger than any of its boxes along any axis
    float low[3];                 // origin of the cells
    float per_metre[3];           // cells, by axis
    float last[3];                // number of the last cell, by axis
    float width, area;            // cells from a row to the next along y, and along z
    uint32_t bucket;              // its first
    uint32_t bin_mask;            // hashed: its number of buckets, less one
} ab_grid_level;

// Boxes in the order of the grid, by axis, with padding behind them.
typedef struct ab_grid_boxes
{
    float *min[3], *max[3];
} ab_grid_boxes;

// The cell of a hashed row.
typedef struct ab_grid_row
{
    int64_t y, z;
} ab_grid_row;

// A task's counts of work.
typedef struct ab_grid_tally
{
    uint64_t rows;       // searched
    uint64_t candidates; // boxes in them
} ab_grid_tally;

struct ab_grid_kernels;

typedef struct ab_grid
{
    ab_bvh tree; // first: functions of the tree cast the state to their own type
    const struct ab_grid_kernels *kernels;
    ab_grid_level level[AB_GRID_LEVELS];
    uint32_t levels;
    uint32_t count;   // boxes
    uint32_t buckets; // of all levels
    bool hashed;
    float spread;           // width of a cell in largest boxes; adapts to the number of candidates per row
    ab_grid_tally *tallies; // growable: by task
    ab_grid_tally tally;    // of the last run
    ab_partition blocks;    // the partition of measuring and placing, in blocks
    bool divided;           // sorting is divided too:
    ab_radix sort;          // by bucket; only its places are used
    uint64_t *dealt;        // growable: bucket << 32 | proxy, by range of buckets
    ab_radix_places *parts; // growable: by part of the blocks
    uint32_t *bin;          // growable: of each active proxy
    uint32_t *bucket;       // growable: the same
    uint32_t *start;        // growable: first box of each bucket; one more behind the last
    uint32_t *proxy;        // growable: of each box
    ab_grid_row *row;       // growable: of each box; only when hashed
    float *memory;          // growable: the memory of `boxes`
    ab_grid_boxes boxes;
    bool crowded;   // the run has found very many pairs before any was dropped: it is abandoned, too
    uint64_t limit; // of a run's cost: past it, the run is abandoned
    _Alignas(AB_CACHE_LINE) _Atomic uint64_t cost; // of the run so far, by all tasks
} ab_grid;

// Small builds sort boxes on one thread.
#ifdef AB_SMALL
#define AB_GRID_DIVIDES false
#else
#define AB_GRID_DIVIDES true
#endif

static inline bool ab_grid_is_divided(const ab_grid *grid)
{
    return AB_GRID_DIVIDES && grid->divided;
}

// The cost of sorting its boxes.
uint64_t ab_grid_sorting_cost(const ab_grid *grid);

// Whether the run has exceeded the limit or is crowded, so its pairs are incomplete. Depends on the boxes, the limit
// and the room for pairs alone: tasks go on until their total has passed it.
bool ab_grid_gave_up(const ab_grid *grid);

// Before a run.
void ab_grid_restart(ab_grid *grid);

// Finds the pairs, unless it gives up: then no later phase may run.
extern const ab_phase ab_grid_pairs_phases[];

// Closing frees what it owns, not itself.
void ab_grid_open(ab_broad *broad, ab_grid *grid);
void ab_grid_close(ab_grid *grid);

// Partitions the active set and reserves everything for it. False when out of memory.
bool ab_grid_reserve(ab_broad *broad);

// Assigns sizes to levels from the measured boxes, from the finest on, and sets the number of cells.
void ab_grid_plan(ab_broad *broad);

// Sort the boxes of the active set: measuring and placing them in tasks of grid->blocks, the rest on one thread.
void ab_grid_measure(ab_broad *broad, uint32_t task);
void ab_grid_place(ab_broad *broad, uint32_t task);
void ab_grid_sort(ab_broad *broad);

// The rest in tasks, if grid->divided, which must be decided before boxes are placed: deal them to ranges of buckets,
// partitioned like placing, then sort the ranges. The prepare step runs on one thread and returns the number of tasks.
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
