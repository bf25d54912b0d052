// Creates heightfields as geometry.
#include "shape/mesh.h"

#include "math/outward.h"

#include <string.h>

#define STEEPEST 0x1p40 // of the smaller step: differences of heights past it leave a triangle no area that can be told

// Neighbouring columns or rows must not fall together.
static bool is_step(float step, uint32_t count)
{
    return ab_grid_is_height(step) && step > 0.0f && ab_grid_is_height(ab_grid_at(count - 1, count, step)) &&
           ab_grid_at(1, count, step) > ab_grid_at(0, count, step) && step >= 0x1p-100f;
}

bool ab_grid_is_steep(const ab_grid *grid, float near, float near_next, float far, float far_next)
{
    const double least = near < near_next ? near : near_next, most = near > near_next ? near : near_next;
    const double low = far < far_next ? far : far_next, high = far > far_next ? far : far_next;
    const double step = (double)(grid->step_x < grid->step_z ? grid->step_x : grid->step_z);
    return (most > high ? most : high) - (least < low ? least : low) > STEEPEST * step;
}

static bool is_steep(const abut_heightfield_def *def)
{
    const ab_grid grid = { .step_x = def->step_x, .step_z = def->step_z };
    for (uint32_t row = 0; row + 1 < def->rows; ++row)
    {
        const float *near = def->heights + (size_t)row * def->columns, *far = near + def->columns;
        for (uint32_t i = 0; i + 1 < def->columns; ++i)
        {
            if (ab_grid_is_steep(&grid, near[i], near[i + 1], far[i], far[i + 1]))
            {
                return true;
            }
        }
    }
    return false;
}

static abut_status judge(const abut_heightfield_def *def)
{
    if (def->columns < 2 || def->rows < 2)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if ((uint64_t)(def->columns - 1) * (def->rows - 1) > ABUT_MAX_MESH_TRIANGLES / 2)
    {
        return ABUT_LIMIT;
    }
    if (!is_step(def->step_x, def->columns) || !is_step(def->step_z, def->rows))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    bool some = !def->cells, valid = true;
    for (size_t i = 0; i < (size_t)def->columns * def->rows; ++i)
    {
        valid = valid && ab_grid_is_height(def->heights[i]);
    }
    for (size_t i = 0; def->cells && i < (size_t)(def->columns - 1) * (def->rows - 1); ++i)
    {
        some = some || def->cells[i] == ABUT_CELL_SURFACE;
        valid = valid && def->cells[i] <= ABUT_CELL_NEIGHBOUR;
    }
    return some && valid && !is_steep(def) ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

// The bits are zeros. Returns how many cells are of the surface.
static uint32_t copy_cells(const abut_heightfield_def *def, uint32_t cells, uint32_t *bare, uint32_t *holes)
{
    uint32_t own = cells;
    for (uint32_t i = 0; def->cells && i < cells; ++i)
    {
        own -= def->cells[i] != ABUT_CELL_SURFACE;
        bare[i / 32] |= (def->cells[i] != ABUT_CELL_SURFACE ? 1u : 0u) << i % 32;
        holes[i / 32] |= (def->cells[i] == ABUT_CELL_HOLE ? 1u : 0u) << i % 32;
    }
    return own;
}

static uint32_t digest_of(const abut_heightfield_def *def, uint32_t cells)
{
    uint32_t digest = 0;
    for (uint32_t i = 0; (def->cells || def->materials) && i < cells; ++i)
    {
        digest += ab_mesh_digest(i, def->materials ? def->materials[i] : 0,
                                 def->cells ? (abut_cell)def->cells[i] : ABUT_CELL_SURFACE);
    }
    return digest;
}

#define DIGEST_BITS 16u // of a whole number that a float holds

static float *header_of(const ab_mesh *mesh)
{
    return mesh->grid.heights - AB_GRID_HEADER;
}

void ab_grid_put_digest(ab_mesh *mesh, uint32_t digest)
{
    header_of(mesh)[5] = (float)(digest >> DIGEST_BITS);
    header_of(mesh)[6] = (float)(digest & ((1u << DIGEST_BITS) - 1));
}

uint32_t ab_grid_get_digest(const ab_mesh *mesh)
{
    return (uint32_t)header_of(mesh)[5] << DIGEST_BITS | (uint32_t)header_of(mesh)[6];
}

// The arrays of a heightfield, one after the other behind it.
static size_t lay_out(const abut_heightfield_def *def, ab_mesh *mesh)
{
    const size_t samples = (size_t)def->columns * def->rows, cells = (size_t)(def->columns - 1) * (def->rows - 1);
    ab_grid grid = { .columns = def->columns, .rows = def->rows, .step_x = def->step_x, .step_z = def->step_z };
    const size_t words = ab_grid_words((uint32_t)cells), blocks = ab_grid_lay_levels(&grid, NULL);
    const size_t bytes = sizeof *mesh + def->rows * sizeof(ab_heights_row) + blocks * sizeof(ab_grid_block) +
                         (AB_GRID_HEADER + samples + 2 * words) * sizeof(uint32_t) +
                         (def->materials ? cells : 0) * sizeof *mesh->materials;
    if (mesh)
    {
        ab_heights_row *row = (ab_heights_row *)(void *)(mesh + 1);
        ab_grid_block *block = (ab_grid_block *)(void *)(row + def->rows);
        float *heights = (float *)(void *)(block + blocks) + AB_GRID_HEADER;
        uint32_t *bare = (uint32_t *)(void *)(heights + samples);
        (void)ab_grid_lay_levels(&grid, block);
        grid.heights = heights;
        grid.bare = bare;
        grid.holes = bare + words;
        grid.row = row;
        mesh->grid = grid;
        mesh->materials = def->materials ? (uint16_t *)(void *)(bare + 2 * words) : NULL;
    }
    return bytes;
}

static abut_status make(const abut_heightfield_def *def, ab_memory *memory, abut_geometry **out)
{
    const size_t samples = (size_t)def->columns * def->rows;
    const uint32_t cells = (def->columns - 1) * (def->rows - 1);
    ab_mesh *mesh = (ab_mesh *)(void *)ab_geometry_make(AB_HEIGHTFIELD_GEOMETRY, lay_out(def, NULL), memory);
    if (!mesh)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    (void)lay_out(def, mesh);
    ab_grid *grid = &mesh->grid;
    const float header[AB_GRID_HEADER] = { (float)def->columns, (float)def->rows, def->step_x, def->step_z,
                                           def->two_sided ? 1.0f : 0.0f };
    memcpy(header_of(mesh), header, sizeof header);
    ab_grid_put_digest(mesh, digest_of(def, cells));
    memcpy(grid->heights, def->heights, samples * sizeof *grid->heights);
    grid->own = copy_cells(def, cells, grid->bare, grid->holes);
    if (mesh->materials)
    {
        memcpy(mesh->materials, def->materials, cells * sizeof *mesh->materials);
    }
    mesh->vertex_count = (uint32_t)samples;
    mesh->triangle_count = mesh->given_count = 2 * cells;
    mesh->two_sided = def->two_sided;
    mesh->head.coordinates = header_of(mesh);
    mesh->head.coordinate_count = AB_GRID_HEADER + (uint32_t)samples;
    for (uint32_t row = 0; row < def->rows; ++row)
    {
        ab_grid_find_row_extents(grid, row);
    }
    ab_grid_find_blocks(grid, (const uint32_t[2]){ 0, 0 }, (const uint32_t[2]){ grid->columns, grid->rows });
    ab_grid_find_extents(mesh);
    *out = &mesh->head;
    return ABUT_OK;
}

abut_status ab_heightfield_make(const abut_heightfield_def *def, ab_memory *memory, abut_geometry **out)
{
    const abut_status status = judge(def);
    return status == ABUT_OK ? make(def, memory, out) : status;
}

// The bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_heightfield(const abut_heightfield_def *def, const abut_allocator *allocator,
                                             abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!def || !def->heights || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = ab_heightfield_make(def, &memory, out);
    ab_platform_float_leave(before);
    return status;
}
