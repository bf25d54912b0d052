// What goes into the lanes: a box about a shape's core, and corners of triangles.
#include "narrow/mesh/triangle_axes.h"

#include "narrow/mesh/triangle.h"

#include <string.h>

bool ab_axes_box_of(const ab_triangle_pair *pair, double limit, ab_axes_box *out)
{
    const ab_core *core = &pair->convex.core;
    const bool ball = core->half[0] == 0.0 && core->half[1] == 0.0 && core->half[2] == 0.0;
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

// Triangles come row by row, so that few are behind a row's end.
static void row_of_grid(const ab_grid *grid, const uint32_t *triangles, uint32_t count, ab_axes_row *out)
{
    const uint32_t across = grid->columns - 1;
    uint32_t row = 0, column;
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_vec3 corner[3];
        const uint32_t cell = triangles[i] / 2;
        column = cell - row * across;
        if (column >= across)
        {
            row = cell / across;
            column = cell - row * across;
        }
        ab_grid_cell_corners(grid, row, column, triangles[i] % 2 != 0, corner);
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

// To what ab_mesh_scaled says, but for the sign of a zero.
AB_APART static void scale_row(abut_vec3 scale, uint32_t count, ab_axes_row *row)
{
    for (int j = 0; j < 3; ++j)
    {
        for (int k = 0; k < 3; ++k)
        {
            float *const to = row->corner[j][k];
            for (uint32_t i = 0; i < count; ++i)
            {
                to[i] *= (&scale.x)[k];
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
