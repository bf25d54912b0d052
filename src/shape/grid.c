// What a box meets of a heightfield, and how its triangles meet each other.
#include "shape/mesh.h"

#include <math.h>

#define SLACK    1e-3    // of a cell
#define ROUNDING 0x1p-22 // of a cell for each cell that a place is from the middle

// The cells of one axis that a range reaches into, or one more: places of columns and rows are rounded.
static void range_within(double min, double max, uint32_t count, float step, uint32_t *first, uint32_t *end)
{
    const double middle = 0.5 * ((double)count - 1.0), cells = (double)count - 1.0;
    const double slack = SLACK + ROUNDING * middle;
    const double low = floor(min / (double)step + middle - slack), high = floor(max / (double)step + middle + slack);
    *first = low <= 0.0 ? 0 : low >= cells ? count - 1 : (uint32_t)low;
    *end = high < 0.0 ? 0 : high >= cells ? count - 1 : (uint32_t)high + 1;
}

ab_grid_cells ab_grid_cells_within(const ab_grid *grid, const double min[3], const double max[3])
{
    ab_grid_cells out;
    range_within(min[0], max[0], grid->columns, grid->step_x, &out.first[0], &out.end[0]);
    range_within(min[2], max[2], grid->rows, grid->step_z, &out.first[1], &out.end[1]);
    return out;
}

static ab_grid_cells cells_of(const ab_grid *grid, const ab_mesh_box *box)
{
    const double min[3] = { (double)box->min[0], (double)box->min[1], (double)box->min[2] },
                 max[3] = { (double)box->max[0], (double)box->max[1], (double)box->max[2] };
    return ab_grid_cells_within(grid, min, max);
}

bool ab_grid_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    const ab_grid *grid = &mesh->grid;
    const uint32_t across = grid->columns - 1;
    for (uint32_t row = cells_of(grid, box).first[1]; row < cells_of(grid, box).end[1]; ++row)
    {
        const ab_grid_cells cells = cells_of(grid, box);
        for (uint32_t column = cells.first[0]; column < cells.end[0]; ++column)
        {
            const uint32_t cell = row * across + column;
            for (uint32_t t = 2 * cell; t < 2 * cell + 2 && !ab_grid_is_hole(grid, cell); ++t)
            {
                if (ab_mesh_triangle_within(mesh, t, box) && !see(context, t))
                {
                    return false;
                }
            }
        }
    }
    return true;
}

// Of triangle 0, edge 0 is at the lower column, 1 the diagonal, 2 at the lower row; of triangle 1 at the higher ones.
static uint32_t grid_neighbour(const ab_grid *grid, uint32_t triangle, int k)
{
    const uint32_t across = grid->columns - 1, down = grid->rows - 1, cell = triangle / 2, other = 1 - triangle % 2;
    const uint32_t column = cell % across, row = cell / across;
    uint32_t beside = cell;
    if (k == 0)
    {
        beside = other == 1            ? (column > 0 ? cell - 1 : AB_NO_TRIANGLE)
                 : column + 1 < across ? cell + 1
                                       : AB_NO_TRIANGLE;
    }
    else if (k == 2)
    {
        beside = other == 1       ? (row > 0 ? cell - across : AB_NO_TRIANGLE)
                 : row + 1 < down ? cell + across
                                  : AB_NO_TRIANGLE;
    }
    return beside == AB_NO_TRIANGLE || ab_grid_is_hole(grid, beside) ? AB_NO_TRIANGLE : 2 * beside + other;
}

uint32_t ab_mesh_neighbour(const ab_mesh *mesh, uint32_t triangle, int k)
{
    return ab_mesh_is_grid(mesh) ? grid_neighbour(&mesh->grid, triangle, k) : mesh->triangles[triangle].neighbour[k];
}

ab_edge_kind ab_mesh_edge_kind(const ab_mesh *mesh, uint32_t triangle, int k)
{
    if (!ab_mesh_is_grid(mesh))
    {
        return ab_mesh_edge(&mesh->triangles[triangle], k);
    }
    const uint32_t neighbour = grid_neighbour(&mesh->grid, triangle, k);
    if (neighbour == AB_NO_TRIANGLE)
    {
        return AB_EDGE_BORDER;
    }
    double corner[3][3], beside[3][3], n[3], m[3], along[3];
    ab_mesh_corners(mesh, triangle, corner);
    ab_mesh_corners(mesh, neighbour, beside);
    ab_mesh_triangle_normal(corner, n);
    ab_mesh_triangle_normal(beside, m);
    for (int i = 0; i < 3; ++i)
    {
        along[i] = corner[(k + 1) % 3][i] - corner[k][i];
    }
    return ab_mesh_meet(n, m, along);
}
