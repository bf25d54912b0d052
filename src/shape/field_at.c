// Where the surface of a heightfield is over a place, by arithmetic.
#include "shape/mesh.h"

// Columns, or rows, between which a place is: one pair of neighbours, or two where it is on a column.
typedef struct between
{
    uint32_t first, end; // lower ones
} between;

static between columns_about(float at, uint32_t count, float step)
{
    const double place = (double)at / (double)step + 0.5 * ((double)count - 1.0), last = (double)count - 2.0;
    uint32_t lower = place <= 0.0 ? 0 : place >= last ? count - 2 : (uint32_t)place;
    // Rounded, a place just before a column may seem to be on it, but none seems to be before a column that it is past:
    // the column's number is a double, and division rounds to nearest.
    if (lower > 0 && at < ab_grid_at(lower, count, step))
    {
        --lower;
    }
    const bool on_lower = at == ab_grid_at(lower, count, step), on_next = at == ab_grid_at(lower + 1, count, step);
    return (between){ on_lower && lower > 0 ? lower - 1 : lower, on_next && lower + 2 < count ? lower + 2 : lower + 1 };
}

static bool is_over(float at, uint32_t count, float step)
{
    return at >= ab_grid_at(0, count, step) && at <= ab_grid_at(count - 1, count, step);
}

// The share of the way from one place to another that a place between them is at.
static double share(float at, float from, float to)
{
    return ((double)at - (double)from) / ((double)to - (double)from);
}

// From corner 0 of either triangle, corner 2 is along x and corner 1 along z.
static abut_heightfield_point point_of_cell(const ab_grid *grid, uint32_t row, uint32_t column, float x, float z)
{
    abut_vec3 low[3], c[3];
    double corner[3][3], normal[3];
    ab_grid_cell_corners(grid, row, column, false, low);
    const bool second = share(x, low[0].x, low[2].x) + share(z, low[0].z, low[1].z) > 1.0;
    ab_grid_cell_corners(grid, row, column, second, c);
    for (int i = 0; i < 3; ++i)
    {
        corner[i][0] = (double)c[i].x;
        corner[i][1] = (double)c[i].y;
        corner[i][2] = (double)c[i].z;
    }
    ab_mesh_triangle_normal(corner, normal);
    const double y = corner[0][1] + share(x, c[0].x, c[2].x) * (corner[2][1] - corner[0][1]) +
                     share(z, c[0].z, c[1].z) * (corner[1][1] - corner[0][1]);
    return (abut_heightfield_point){ .position = abut_vec3_make(x, (float)y, z),
                                     .normal = abut_vec3_make((float)normal[0], (float)normal[1], (float)normal[2]),
                                     .triangle = 2 * (row * (grid->columns - 1) + column) + (second ? 1u : 0u) };
}

// The first cell of the surface that the place is over; both triangles of a cell have their diagonal, the first counts.
static bool find(const ab_grid *grid, float x, float z, abut_heightfield_point *out)
{
    const between columns = columns_about(x, grid->columns, grid->step_x),
                  rows = columns_about(z, grid->rows, grid->step_z);
    for (uint32_t row = rows.first; row < rows.end; ++row)
    {
        for (uint32_t column = columns.first; column < columns.end; ++column)
        {
            if (ab_grid_is_own(grid, row * (grid->columns - 1) + column))
            {
                *out = point_of_cell(grid, row, column, x, z);
                return true;
            }
        }
    }
    return false;
}

bool abut_geometry_heightfield_at(const abut_geometry *field, float x, float z, abut_heightfield_point *out)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(field);
    abut_heightfield_point point;
    bool found = false;
    if (mesh && ab_mesh_is_grid(mesh))
    {
        const ab_grid *grid = &mesh->grid;
        const uint64_t before = ab_platform_float_enter();
        found =
            is_over(x, grid->columns, grid->step_x) && is_over(z, grid->rows, grid->step_z) && find(grid, x, z, &point);
        ab_platform_float_leave(before);
    }
    if (found && out)
    {
        *out = point;
    }
    return found;
}
