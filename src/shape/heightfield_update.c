// Changes a rectangle of a heightfield in place. Everything is checked before anything is written.
#include "shape/mesh.h"

#include "base/platform.h"

static bool is_within(uint32_t first, uint32_t count, uint32_t all)
{
    return count >= 1 && first < all && count <= all - first;
}

// A height as it will be.
static float height_at(const ab_grid *grid, const abut_heightfield_region *region, uint32_t column, uint32_t row)
{
    const uint32_t c = column - region->column, r = row - region->row;
    const bool changes = column >= region->column && row >= region->row && c < region->columns && r < region->rows;
    return changes ? region->heights[(size_t)r * region->columns + c]
                   : grid->heights[(size_t)row * grid->columns + column];
}

static bool has_valid_heights(const ab_grid *grid, const abut_heightfield_region *region)
{
    bool valid = true;
    for (size_t i = 0; i < (size_t)region->columns * region->rows; ++i)
    {
        valid = valid && ab_grid_is_height(region->heights[i]);
    }
    // The cells that have a corner in the region.
    for (uint32_t row = region->row > 0 ? region->row - 1 : 0; row < region->row + region->rows; ++row)
    {
        for (uint32_t c = region->column > 0 ? region->column - 1 : 0; c < region->column + region->columns; ++c)
        {
            const bool is_cell = row + 1 < grid->rows && c + 1 < grid->columns;
            valid = valid &&
                    (!is_cell ||
                     !ab_grid_is_steep(grid, height_at(grid, region, c, row), height_at(grid, region, c + 1, row),
                                       height_at(grid, region, c, row + 1), height_at(grid, region, c + 1, row + 1)));
        }
    }
    return valid;
}

// Calls a function for each cell between the region's heights, with its number in the field and in the region.
typedef void cell_function(void *context, uint32_t cell, size_t in_region);

static void each_cell(const ab_grid *grid, const abut_heightfield_region *region, cell_function *call, void *context)
{
    for (uint32_t row = 0; row + 1 < region->rows; ++row)
    {
        for (uint32_t column = 0; column + 1 < region->columns; ++column)
        {
            const uint32_t cell = (region->row + row) * (grid->columns - 1) + region->column + column;
            call(context, cell, (size_t)row * (region->columns - 1) + column);
        }
    }
}

// Cells before an update, and during it.
typedef struct changing
{
    ab_mesh *mesh;
    const abut_heightfield_region *region;
    uint32_t own, digest; // as they will be
    bool valid;
} changing;

static void judge_cell(void *context, uint32_t cell, size_t in_region)
{
    changing *c = context;
    const uint8_t kind = c->region->cells[in_region];
    c->valid = c->valid && kind <= ABUT_CELL_NEIGHBOUR;
    c->own -= ab_grid_is_own(&c->mesh->grid, cell);
    c->own += kind == ABUT_CELL_SURFACE;
}

static bool is_valid(changing *c)
{
    const ab_grid *grid = &c->mesh->grid;
    const abut_heightfield_region *region = c->region;
    if (!is_within(region->column, region->columns, grid->columns) ||
        !is_within(region->row, region->rows, grid->rows) || (region->materials && !c->mesh->materials))
    {
        return false;
    }
    c->own = grid->own;
    c->valid = !region->heights || has_valid_heights(grid, region);
    if (region->cells)
    {
        each_cell(grid, region, judge_cell, c);
    }
    return c->valid && c->own > 0;
}

static void set_bit(uint32_t *bits, uint32_t cell, bool value)
{
    bits[cell / 32] = (bits[cell / 32] & ~(1u << cell % 32)) | (value ? 1u : 0u) << cell % 32;
}

static uint32_t digest_of_cell(const ab_mesh *mesh, uint32_t cell)
{
    return ab_mesh_digest(cell, mesh->materials ? mesh->materials[cell] : 0, ab_grid_cell(&mesh->grid, cell));
}

static void change_cell(void *context, uint32_t cell, size_t in_region)
{
    changing *c = context;
    const abut_heightfield_region *region = c->region;
    c->digest -= digest_of_cell(c->mesh, cell);
    if (region->cells)
    {
        set_bit(c->mesh->grid.bare, cell, region->cells[in_region] != ABUT_CELL_SURFACE);
        set_bit(c->mesh->grid.holes, cell, region->cells[in_region] == ABUT_CELL_HOLE);
    }
    if (region->materials)
    {
        c->mesh->materials[cell] = region->materials[in_region];
    }
    c->digest += digest_of_cell(c->mesh, cell);
}

static void change_heights(ab_grid *grid, const abut_heightfield_region *region)
{
    for (uint32_t row = 0; row < region->rows; ++row)
    {
        const float *from = region->heights + (size_t)row * region->columns;
        float *to = grid->heights + (size_t)(region->row + row) * grid->columns + region->column;
        for (uint32_t i = 0; i < region->columns; ++i)
        {
            to[i] = from[i];
        }
    }
}

// Corners of the region's cells are heights of the region, so that the extents of no other row change.
static void change(changing *c)
{
    ab_mesh *mesh = c->mesh;
    const abut_heightfield_region *region = c->region;
    if (region->heights)
    {
        const uint32_t first[2] = { region->column, region->row },
                       end[2] = { region->column + region->columns, region->row + region->rows };
        change_heights(&mesh->grid, region);
        ab_grid_find_blocks(&mesh->grid, first, end);
    }
    if (region->cells || region->materials)
    {
        c->digest = ab_grid_get_digest(mesh);
        each_cell(&mesh->grid, region, change_cell, c);
        ab_grid_put_digest(mesh, c->digest);
    }
    mesh->grid.own = c->own;
    ++mesh->head.version;
    for (uint32_t row = region->row; row < region->row + region->rows; ++row)
    {
        ab_grid_find_row_extents(&mesh->grid, row);
        mesh->grid.row[row].version = mesh->head.version;
    }
    ab_grid_find_extents(mesh);
}

// The bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_update_heightfield(abut_geometry *field, const abut_heightfield_region *region)
{
    if (!field || field->kind != AB_HEIGHTFIELD_GEOMETRY || !region)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    changing c = { .mesh = (ab_mesh *)(void *)field, .region = region };
    const uint64_t before = ab_platform_float_enter();
    const bool valid = is_valid(&c);
    if (valid)
    {
        change(&c);
    }
    ab_platform_float_leave(before);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}
