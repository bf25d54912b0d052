// The surface of a heightfield: triangles by arithmetic. A cell lies between four heights. Its triangle 0 is the one at
// its lower column and row, its triangle 1 the other; they share the diagonal between the other two corners. Edge k of
// a triangle is also edge k of its neighbour.
#ifndef AB_SHAPE_GRID_H
#define AB_SHAPE_GRID_H

#include "base/platform.h"

#include <abut/shape.h>

#include <stdbool.h>
#include <stdint.h>

// Floats in front of the heights: columns, rows, both steps, whether two-sided, two numbers that follow from the cells.
#define AB_GRID_HEADER 8u

// What is known of a row of heights; its extents are of those that are corners of the field's own surface.
typedef struct ab_heights_row
{
    float least, most; // heights; least > most: the row has none
    float reach;       // along x, from the middle
    uint32_t version;  // of the geometry when a height of the row changed, or what is of the cells behind it
    double farthest;   // square of the distance from the origin
} ab_heights_row;

// The heights at the corners of a block of cells: AB_GRID_BLOCK by AB_GRID_BLOCK on level 0, two by two blocks of the
// level below on those above, or fewer at the ends. The highest level has one.
typedef struct ab_grid_block
{
    float least, most;
} ab_grid_block;

#define AB_GRID_BLOCK  8u
#define AB_GRID_LEVELS 22u // of one row of ABUT_MAX_MESH_TRIANGLES

typedef struct ab_grid
{
    uint32_t columns, rows; // of heights, along x and along z
    float step_x, step_z;   // metres between them
    float *heights;         // along y; row after row
    uint32_t *bare;         // a bit a cell: no surface of this field's, because it is a hole or a neighbour's
    uint32_t *holes;        // a bit a cell: no surface at all
    ab_heights_row *row;    // by row
    float least, most;      // of the surface
    uint32_t own;           // cells of the surface
    uint32_t levels;
    ab_grid_block *level[AB_GRID_LEVELS]; // blocks, row after row, as many as cover the cells
} ab_grid;

// Words for a bit of each of so many cells.
static inline uint32_t ab_grid_words(uint32_t cells)
{
    return (cells + 31) / 32;
}

// Cells along a block.
static inline uint32_t ab_grid_block_cells(uint32_t level)
{
    return AB_GRID_BLOCK << level;
}

// Blocks along so many heights.
static inline uint32_t ab_grid_blocks(uint32_t heights, uint32_t level)
{
    return (heights - 2) / ab_grid_block_cells(level) + 1;
}

static inline bool ab_grid_bit(const uint32_t *bits, uint32_t cell)
{
    return (bits[cell / 32] >> cell % 32 & 1u) != 0;
}

static inline abut_cell ab_grid_cell(const ab_grid *grid, uint32_t cell)
{
    return !ab_grid_bit(grid->bare, cell)   ? ABUT_CELL_SURFACE
           : ab_grid_bit(grid->holes, cell) ? ABUT_CELL_HOLE
                                            : ABUT_CELL_NEIGHBOUR;
}

// Whether a cell is of the field's own surface.
static inline bool ab_grid_is_own(const ab_grid *grid, uint32_t cell)
{
    return !ab_grid_bit(grid->bare, cell);
}

// Where a column or row is: the middle of them is at zero.
static inline float ab_grid_at(uint32_t which, uint32_t count, float step)
{
    return (float)(((double)which - 0.5 * ((double)count - 1.0)) * (double)step);
}

static inline uint32_t ab_grid_vertex(const ab_grid *grid, uint32_t triangle, int i)
{
    static const uint8_t column[2][3] = { { 0, 0, 1 }, { 1, 1, 0 } }, row[2][3] = { { 0, 1, 0 }, { 1, 0, 1 } };
    const uint32_t cell = triangle / 2, half = triangle % 2, across = grid->columns - 1;
    return (cell / across + row[half][i]) * grid->columns + cell % across + column[half][i];
}

static inline abut_vec3 ab_grid_position(const ab_grid *grid, uint32_t vertex)
{
    return abut_vec3_make(ab_grid_at(vertex % grid->columns, grid->columns, grid->step_x), grid->heights[vertex],
                          ab_grid_at(vertex / grid->columns, grid->rows, grid->step_z));
}

// Asks for the memory of a cell's heights.
AB_INLINE void ab_grid_fetch_cell(const ab_grid *grid, uint32_t cell)
{
    const float *near = grid->heights + cell + cell / (grid->columns - 1);
    AB_PREFETCH(near);
    AB_PREFETCH(near + grid->columns);
}

static inline void ab_grid_cell_corners(const ab_grid *grid, uint32_t row, uint32_t column, bool second,
                                        abut_vec3 out[3])
{
    const float *near = grid->heights + (size_t)row * grid->columns + column, *far = near + grid->columns;
    const float x = ab_grid_at(column, grid->columns, grid->step_x),
                next_x = ab_grid_at(column + 1, grid->columns, grid->step_x),
                z = ab_grid_at(row, grid->rows, grid->step_z), next_z = ab_grid_at(row + 1, grid->rows, grid->step_z);
    out[0] = second ? abut_vec3_make(next_x, far[1], next_z) : abut_vec3_make(x, near[0], z);
    out[second ? 2 : 1] = abut_vec3_make(x, far[0], next_z);
    out[second ? 1 : 2] = abut_vec3_make(next_x, near[1], z);
}

static inline void ab_grid_corners(const ab_grid *grid, uint32_t triangle, abut_vec3 out[3])
{
    const uint32_t cell = triangle / 2, row = cell / (grid->columns - 1);
    ab_grid_cell_corners(grid, row, cell - row * (grid->columns - 1), triangle % 2 != 0, out);
}

// Whether a height is a corner of the field's own surface.
bool ab_grid_uses(const ab_grid *grid, uint32_t vertex);

// Finds the extents of a row.
void ab_grid_find_row_extents(ab_grid *grid, uint32_t row);

// Lays out the levels of a field of so many heights from `room` on, which may be NULL. Returns the number of blocks.
size_t ab_grid_lay_levels(ab_grid *grid, ab_grid_block *room);

// Finds the extents of the blocks that have heights of a rectangle: columns and rows [first, end).
void ab_grid_find_blocks(ab_grid *grid, const uint32_t first[2], const uint32_t end[2]);

// A range of cells: columns and rows [first, end).
typedef struct ab_grid_cells
{
    uint32_t first[2], end[2];
} ab_grid_cells;

// Those that a box of the grid's frame reaches over, seen from above, or some more.
ab_grid_cells ab_grid_cells_within(const ab_grid *grid, const double min[3], const double max[3]);

#endif
