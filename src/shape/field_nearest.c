// What of a heightfield is nearest, block by block from the one below: blocks and cells say how far they are at least.
#include "shape/mesh_nearest.h"

#include "math/three.h"

#include <math.h>

static void see_waiting(ab_nearest *n)
{
    const uint32_t count = n->waiting;
    for (uint32_t i = count; i < AB_MESH_WIDTH && count > 0; ++i)
    {
        n->wait[i] = n->wait[0];
    }
    if (count > 0)
    {
        ab_nearest_see(n, n->wait, count);
    }
    n->waiting = 0;
}

// Both triangles of a cell.
static void see_cell(ab_nearest *n, uint32_t column, uint32_t row)
{
    const ab_grid *grid = &n->mesh->grid;
    const uint32_t cell = row * (grid->columns - 1) + column;
    if (ab_grid_is_own(grid, cell))
    {
        n->wait[n->waiting++] = 2 * cell;
        n->wait[n->waiting++] = 2 * cell + 1;
        if (n->waiting == AB_MESH_WIDTH)
        {
            see_waiting(n);
        }
    }
}

// Blocks of cells: columns and rows [first, end), of blocks.
typedef struct blocks
{
    uint32_t first[2], end[2];
} blocks;

// Where cells begin that are in blocks from `block` on, or where the last one ends.
static float block_at(uint32_t block, uint32_t heights, float step)
{
    const uint32_t at = block * AB_GRID_BLOCK;
    return ab_grid_at(at < heights ? at : heights - 1, heights, step);
}

// The least that the square of the distance from a block may be.
static float square_to_block(const ab_nearest *n, uint32_t x, uint32_t z)
{
    const ab_grid *grid = &n->mesh->grid;
    const ab_grid_block *block = &grid->level[0][(size_t)z * ab_grid_blocks(grid->columns, 0) + x];
    const float a = ab_outside(n->low[0], n->high[0], block_at(x, grid->columns, grid->step_x),
                               block_at(x + 1, grid->columns, grid->step_x)),
                b = ab_outside(n->low[1], n->high[1], block->least, block->most),
                c = ab_outside(n->low[2], n->high[2], block_at(z, grid->rows, grid->step_z),
                               block_at(z + 1, grid->rows, grid->step_z));
    return (a * a + b * b + c * c) * AB_NEAREST_ROUNDED;
}

// Cells that may be near enough, seen from above.
static ab_grid_cells cells_near(const ab_nearest *n)
{
    const double reach = sqrt((double)n->limit);
    double min[3], max[3];
    for (int k = 0; k < 3; ++k)
    {
        min[k] = (double)n->low[k] - reach;
        max[k] = (double)n->high[k] + reach;
    }
    return ab_grid_cells_within(&n->mesh->grid, min, max);
}

#ifdef AB_SMALL
// Those cells of a block that are in a row.
static void see_row(ab_nearest *n, const ab_grid_cells *cells, uint32_t row)
{
    for (uint32_t column = cells->first[0]; column < cells->end[0]; ++column)
    {
        see_cell(n, column, row);
    }
}
#else
// From the cells of a row: a row of heights on both sides of them, and where the lines between them are.
typedef struct cell_row
{
    float near[AB_GRID_BLOCK + 1], far[AB_GRID_BLOCK + 1], x[AB_GRID_BLOCK + 1], z[2];
} cell_row;

AB_APART static void squares_to_cells(const ab_nearest *n, const cell_row *r, float *restrict out)
{
    const float x = n->low[0], high_x = n->high[0], y = n->low[1], high_y = n->high[1];
    const float c = ab_outside(n->low[2], n->high[2], r->z[0], r->z[1]);
    for (uint32_t i = 0; i < AB_GRID_BLOCK; ++i)
    {
        const float least = ab_least_of_3(r->near[i], r->near[i + 1], r->far[i]),
                    most = ab_most_of_3(r->near[i], r->near[i + 1], r->far[i]);
        const float last = r->far[i + 1];
        const float a = ab_outside(x, high_x, r->x[i], r->x[i + 1]),
                    b = ab_outside(y, high_y, least < last ? least : last, most > last ? most : last);
        out[i] = (a * a + b * b + c * c) * AB_NEAREST_ROUNDED;
    }
}

// At most AB_GRID_BLOCK cells.
static void find_squares_of_row(const ab_nearest *n, const ab_grid_cells *cells, uint32_t row, float out[AB_GRID_BLOCK])
{
    const ab_grid *grid = &n->mesh->grid;
    const float *const heights = grid->heights + (size_t)row * grid->columns;
    cell_row r = { .z = { ab_grid_at(row, grid->rows, grid->step_z), ab_grid_at(row + 1, grid->rows, grid->step_z) } };
    for (uint32_t i = 0; i <= AB_GRID_BLOCK; ++i)
    {
        const uint32_t own = cells->first[0] + i, column = own < cells->end[0] ? own : cells->end[0];
        r.near[i] = heights[column];
        r.far[i] = heights[grid->columns + column];
        r.x[i] = ab_grid_at(column, grid->columns, grid->step_x);
    }
    squares_to_cells(n, &r, out);
}

// Those cells of a block that are in a row, where they may be near enough.
static void see_row(ab_nearest *n, const ab_grid_cells *cells, uint32_t row)
{
    float square[AB_GRID_BLOCK];
    find_squares_of_row(n, cells, row, square);
    for (uint32_t column = cells->first[0]; column < cells->end[0]; ++column)
    {
        if (square[column - cells->first[0]] <= n->limit)
        {
            see_cell(n, column, row);
        }
    }
}
#endif

// The triangles of a block, if they may be near enough.
static void see_cells(ab_nearest *n, uint32_t x, uint32_t z)
{
    const uint32_t from[2] = { x * AB_GRID_BLOCK, z * AB_GRID_BLOCK };
    if (!(square_to_block(n, x, z) <= n->limit))
    {
        return;
    }
    ab_grid_cells cells = cells_near(n);
    for (int i = 0; i < 2; ++i)
    {
        cells.first[i] = cells.first[i] > from[i] ? cells.first[i] : from[i];
        cells.end[i] = cells.end[i] < from[i] + AB_GRID_BLOCK ? cells.end[i] : from[i] + AB_GRID_BLOCK;
    }
    for (uint32_t row = cells.first[1]; row < cells.end[1]; ++row)
    {
        see_row(n, &cells, row);
    }
    see_waiting(n);
}

// The least that the square of the distance from all other blocks may be; infinite if there are none.
static float square_beyond(const ab_nearest *n, const blocks *b)
{
    const ab_grid *grid = &n->mesh->grid;
    const uint32_t count[2] = { grid->columns, grid->rows };
    const float step[2] = { grid->step_x, grid->step_z };
    const float height = ab_outside(n->low[1], n->high[1], grid->least, grid->most);
    float away = HUGE_VALF;
    for (int i = 0; i < 2; ++i)
    {
        const float below = n->low[2 * i] - block_at(b->first[i], count[i], step[i]),
                    above = block_at(b->end[i], count[i], step[i]) - n->high[2 * i];
        away = b->first[i] > 0 && below < away ? below : away;
        away = b->end[i] < ab_grid_blocks(count[i], 0) && above < away ? above : away;
    }
    away = away > 0.0f ? away : 0.0f;
    return (away * away + height * height) * AB_NEAREST_ROUNDED;
}

// One block more on every side. Those on the new sides are seen.
static void widen(ab_nearest *n, blocks *b)
{
    const ab_grid *grid = &n->mesh->grid;
    const uint32_t most[2] = { ab_grid_blocks(grid->columns, 0), ab_grid_blocks(grid->rows, 0) };
    const blocks had = *b;
    for (int i = 0; i < 2; ++i)
    {
        b->first[i] -= had.first[i] > 0;
        b->end[i] += had.end[i] < most[i];
    }
    for (uint32_t z = b->first[1]; z < b->end[1]; ++z)
    {
        const bool whole = z < had.first[1] || z >= had.end[1];
        for (uint32_t x = b->first[0]; x < b->end[0]; ++x)
        {
            x = !whole && x == had.first[0] ? had.end[0] : x; // past those that were seen
            if (x < b->end[0])
            {
                see_cells(n, x, z);
            }
        }
    }
}

void ab_nearest_of_field(ab_nearest *n)
{
    const ab_grid *grid = &n->mesh->grid;
    double middle[3];
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = 0.5 * ((double)n->low[k] + (double)n->high[k]);
    }
    const ab_grid_cells below = ab_grid_cells_within(grid, middle, middle);
    const uint32_t across = grid->columns - 1, down = grid->rows - 1;
    const uint32_t x = below.first[0] < across ? below.first[0] : across - 1,
                   z = below.first[1] < down ? below.first[1] : down - 1;
    if (!n->measure)
    {
        see_cell(n, x, z);
        see_waiting(n);
    }
    blocks b = { { x / AB_GRID_BLOCK, z / AB_GRID_BLOCK }, { x / AB_GRID_BLOCK + 1, z / AB_GRID_BLOCK + 1 } };
    see_cells(n, b.first[0], b.first[1]);
    while (square_beyond(n, &b) <= n->limit)
    {
        widen(n, &b);
    }
}
