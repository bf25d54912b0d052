// Creates heightfields as geometry.
#include "shape/mesh.h"

#include "math/outward.h"

#include <math.h>
#include <string.h>

#define STEEPEST 0x1p40 // of the smaller step: differences of heights past it leave a triangle no area that can be told

static bool is_in_range(float x)
{
    return x >= -ABUT_MAX_MAGNITUDE && x <= ABUT_MAX_MAGNITUDE;
}

// Neighbouring columns or rows must not fall together.
static bool is_step(float step, uint32_t count)
{
    return is_in_range(step) && step > 0.0f && is_in_range(ab_grid_at(count - 1, count, step)) &&
           ab_grid_at(1, count, step) > ab_grid_at(0, count, step) && step >= 0x1p-100f;
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
    float least = def->heights[0], most = least;
    for (size_t i = 0; i < (size_t)def->columns * def->rows; ++i)
    {
        const float height = def->heights[i];
        if (!is_in_range(height))
        {
            return ABUT_INVALID_ARGUMENT;
        }
        least = height < least ? height : least;
        most = height > most ? height : most;
    }
    const double step = (double)(def->step_x < def->step_z ? def->step_x : def->step_z);
    bool some = !def->cells, valid = true;
    for (size_t i = 0; def->cells && i < (size_t)(def->columns - 1) * (def->rows - 1); ++i)
    {
        some = some || def->cells[i] == ABUT_CELL_SURFACE;
        valid = valid && def->cells[i] <= ABUT_CELL_NEIGHBOUR;
    }
    return some && valid && (double)most - (double)least <= STEEPEST * step ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

// The bits are zeros.
static void copy_cells(const abut_heightfield_def *def, uint32_t cells, uint32_t *bare, uint32_t *holes)
{
    for (uint32_t i = 0; def->cells && i < cells; ++i)
    {
        bare[i / 32] |= (def->cells[i] != ABUT_CELL_SURFACE ? 1u : 0u) << i % 32;
        holes[i / 32] |= (def->cells[i] == ABUT_CELL_HOLE ? 1u : 0u) << i % 32;
    }
}

static uint32_t digest_of(const abut_heightfield_def *def, uint32_t cells)
{
    uint32_t digest = 0;
    for (uint32_t i = 0; i < cells; ++i)
    {
        digest += ab_mesh_digest(i, def->materials ? def->materials[i] : 0,
                                 def->cells ? (abut_cell)def->cells[i] : ABUT_CELL_SURFACE);
    }
    return digest;
}

static void write_header(const abut_heightfield_def *def, uint32_t digest, float out[AB_GRID_HEADER])
{
    const float header[AB_GRID_HEADER] = {
        (float)def->columns,   (float)def->rows,          def->step_x, def->step_z, def->two_sided ? 1.0f : 0.0f,
        (float)(digest >> 16), (float)(digest & 0xffffu), 0.0f,
    };
    memcpy(out, header, sizeof header);
}

static abut_status make(const abut_heightfield_def *def, ab_memory *memory, abut_geometry **out)
{
    const size_t samples = (size_t)def->columns * def->rows;
    const uint32_t cells = (def->columns - 1) * (def->rows - 1), words = ab_grid_words(cells);
    ab_mesh *mesh;
    const size_t bytes = sizeof *mesh + (AB_GRID_HEADER + samples) * sizeof(float) + 2 * words * sizeof(uint32_t) +
                         (def->materials ? cells : 0) * sizeof *mesh->materials;
    mesh = (ab_mesh *)(void *)ab_geometry_make(AB_HEIGHTFIELD_GEOMETRY, bytes, memory);
    if (!mesh)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    float *const header = (float *)(void *)(mesh + 1), *const heights = header + AB_GRID_HEADER;
    uint32_t *const bare = (uint32_t *)(void *)(heights + samples), *const holes = bare + words;
    memcpy(heights, def->heights, samples * sizeof *heights);
    copy_cells(def, cells, bare, holes);
    mesh->grid = (ab_grid){ def->columns, def->rows, def->step_x,        def->step_z,        heights,
                            bare,         holes,     ABUT_MAX_MAGNITUDE, -ABUT_MAX_MAGNITUDE };
    write_header(def, digest_of(def, cells), header);
    mesh->materials = def->materials ? memcpy(holes + words, def->materials, cells * sizeof *mesh->materials) : NULL;
    for (uint32_t i = 0; i < samples; ++i)
    {
        const bool lower = heights[i]<mesh->grid.least, higher = heights[i]> mesh->grid.most;
        if ((lower || higher) && ab_grid_uses(&mesh->grid, i))
        {
            mesh->grid.least = lower ? heights[i] : mesh->grid.least;
            mesh->grid.most = higher ? heights[i] : mesh->grid.most;
        }
    }
    mesh->vertex_count = (uint32_t)samples;
    mesh->triangle_count = mesh->given_count = 2 * cells;
    mesh->two_sided = def->two_sided;
    mesh->head.coordinates = header;
    mesh->head.coordinate_count = AB_GRID_HEADER + (uint32_t)samples;
    ab_mesh_measure(mesh);
    *out = &mesh->head;
    return ABUT_OK;
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
    abut_status status = judge(def);
    status = status == ABUT_OK ? make(def, &memory, out) : status;
    ab_platform_float_leave(before);
    return status;
}
