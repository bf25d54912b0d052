// What goes into the lanes: a box about a shape's core, and corners of triangles.
#include "narrow/mesh/triangle_axes.h"

#include "narrow/mesh/triangle.h"

#include <string.h>

bool ab_axes_box_of(const ab_triangle_pair *pair, double limit, ab_axes_box *out)
{
    const ab_core *core = &pair->convex.core;
    const bool ball = ab_core_is_point(core);
    for (int k = 0; k < 3; ++k)
    {
        out->centre[k] = (float)pair->centre[k];
        out->rest[k] = (float)(pair->centre[k] - (double)out->centre[k]);
        out->half[k] = (float)core->half[k];
    }
    for (int k = 0; k < 9; ++k)
    {
        out->axis[k] = (float)pair->axis[k];
    }
    out->limit = (float)(limit + core->rounding);
    out->rounding = (float)core->rounding;
    out->two_sided = pair->mesh->two_sided;
    out->behind = pair->mesh->two_sided || ball ? out->limit : (float)core->rounding;
    return pair->convex.def == NULL;
}

static void write_corners(const abut_vec3 corner[3], uint32_t i, ab_axes_row *out)
{
    for (int j = 0; j < 3; ++j)
    {
        out->corner[j][0][i] = corner[j].x;
        out->corner[j][1][i] = corner[j].y;
        out->corner[j][2][i] = corner[j].z;
    }
}

// A cell between two rows and two columns.
typedef struct cell_place
{
    uint32_t cell, row, column;
    float x[2], z[2];
} cell_place;

// Triangles come row by row, so that few are behind a row's end, and both of a cell together.
AB_INLINE void go_to_cell(const ab_grid *grid, uint32_t cell, cell_place *at)
{
    const uint32_t across = grid->columns - 1, row = at->row;
    const bool first = at->cell == AB_NO_TRIANGLE, next = !first && at->cell + 1 == cell;
    uint32_t column = cell - row * across;
    if (first || column >= across)
    {
        at->row = cell / across;
        column = cell - at->row * across;
        at->z[0] = ab_grid_at(at->row, grid->rows, grid->step_z);
        at->z[1] = ab_grid_at(at->row + 1, grid->rows, grid->step_z);
    }
    at->x[0] = next && row == at->row ? at->x[1] : ab_grid_at(column, grid->columns, grid->step_x);
    at->x[1] = ab_grid_at(column + 1, grid->columns, grid->step_x);
    at->column = column;
    at->cell = cell;
}

// As ab_grid_cell_corners has them.
static void row_of_grid(const ab_grid *grid, const uint32_t *triangles, uint32_t count, ab_axes_row *out)
{
    cell_place at = { .cell = AB_NO_TRIANGLE };
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t cell = triangles[i] / 2;
        const bool second = triangles[i] % 2 != 0;
        if (cell != at.cell)
        {
            go_to_cell(grid, cell, &at);
        }
        const float *near = grid->heights + (size_t)at.row * grid->columns + at.column, *far = near + grid->columns;
        const abut_vec3 lower = abut_vec3_make(at.x[0], far[0], at.z[1]),
                        higher = abut_vec3_make(at.x[1], near[1], at.z[0]);
        const abut_vec3 corner[3] = { second ? abut_vec3_make(at.x[1], far[1], at.z[1])
                                             : abut_vec3_make(at.x[0], near[0], at.z[0]),
                                      second ? higher : lower, second ? lower : higher };
        write_corners(corner, i, out);
    }
}

// Vertices as the mesh's array has them.
static void row_of_mesh(const ab_mesh *mesh, const uint32_t *triangles, uint32_t count, ab_axes_row *out)
{
    ab_mesh_reader reader = ab_mesh_reader_of(&mesh->triangles, mesh->vertices);
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 *at[3];
        ab_mesh_read(&reader, &mesh->triangles, mesh->vertices, triangles[i], at);
        for (int j = 0; j < 3; ++j)
        {
            out->corner[j][0][i] = at[j]->x;
            out->corner[j][1][i] = at[j]->y;
            out->corner[j][2][i] = at[j]->z;
        }
    }
}

AB_APART static void mirror_row(ab_axes_row *row)
{
    float second[3][AB_AXES_ROW];
    memcpy(second, row->corner[1], sizeof second);
    memcpy(row->corner[1], row->corner[2], sizeof second);
    memcpy(row->corner[2], second, sizeof second);
}

// To what ab_mesh_scaled says.
AB_APART static void scale_row(abut_vec3 scale, uint32_t count, ab_axes_row *row)
{
    for (int j = 0; j < 3; ++j)
    {
        for (int k = 0; k < 3; ++k)
        {
            float *const to = row->corner[j][k];
            for (uint32_t i = 0; i < count; ++i)
            {
                to[i] = to[i] * (&scale.x)[k] + 0.0f;
            }
        }
    }
}

void ab_axes_row_of(const ab_mesh *mesh, const uint32_t *triangles, uint32_t count, ab_axes_row *out)
{
    if (ab_mesh_is_grid(mesh))
    {
        row_of_grid(&mesh->grid, triangles, count, out);
        return;
    }
    row_of_mesh(mesh, triangles, count, out);
    if (mesh->is_mirrored)
    {
        mirror_row(out);
    }
    if (mesh->is_scaled)
    {
        scale_row(mesh->scale, count, out);
    }
}
