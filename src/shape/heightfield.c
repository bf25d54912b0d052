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
    bool some = !def->holes;
    for (size_t i = 0; !some && i < (size_t)(def->columns - 1) * (def->rows - 1); ++i)
    {
        some = def->holes[i] == 0;
    }
    return some && (double)most - (double)least <= STEEPEST * step ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

bool ab_grid_is_valid(const ab_grid *grid)
{
    const double step = (double)(grid->step_x < grid->step_z ? grid->step_x : grid->step_z);
    return is_step(grid->step_x, grid->columns) && is_step(grid->step_z, grid->rows) && is_in_range(grid->least) &&
           is_in_range(grid->most) && (double)grid->most - (double)grid->least <= STEEPEST * step;
}

static void copy_holes(const abut_heightfield_def *def, uint32_t cells, uint32_t *out)
{
    memset(out, 0, ab_grid_hole_words(cells) * sizeof *out);
    for (uint32_t i = 0; def->holes && i < cells; ++i)
    {
        out[i / 32] |= (def->holes[i] != 0 ? 1u : 0u) << i % 32;
    }
}

static void write_header(const abut_heightfield_def *def, const uint32_t *holes, uint32_t cells,
                         float out[AB_GRID_HEADER])
{
    uint32_t digest = 0x811c9dc5u;
    for (uint32_t i = 0; i < ab_grid_hole_words(cells); ++i)
    {
        digest = (digest ^ holes[i]) * 0x01000193u; // G. Fowler, L. Noll, K. Vo, FNV-1a (1991), by words
        digest ^= digest >> 15;
    }
    const float header[AB_GRID_HEADER] = {
        (float)def->columns,   (float)def->rows,          def->step_x, def->step_z, def->two_sided ? 1.0f : 0.0f,
        (float)(digest >> 16), (float)(digest & 0xffffu), 0.0f,
    };
    memcpy(out, header, sizeof header);
}

static abut_status make(const abut_heightfield_def *def, ab_memory *memory, abut_geometry **out)
{
    const size_t samples = (size_t)def->columns * def->rows;
    const uint32_t cells = (def->columns - 1) * (def->rows - 1), words = ab_grid_hole_words(cells);
    ab_mesh *mesh;
    const size_t bytes = sizeof *mesh + (AB_GRID_HEADER + samples) * sizeof(float) + words * sizeof(uint32_t);
    mesh = (ab_mesh *)(void *)ab_geometry_make(AB_HEIGHTFIELD_GEOMETRY, bytes, memory);
    if (!mesh)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    float *const header = (float *)(void *)(mesh + 1), *const heights = header + AB_GRID_HEADER;
    uint32_t *const holes = (uint32_t *)(void *)(heights + samples);
    memcpy(heights, def->heights, samples * sizeof *heights);
    copy_holes(def, cells, holes);
    write_header(def, holes, cells, header);
    mesh->grid =
        (ab_grid){ def->columns, def->rows, def->step_x, def->step_z, heights, holes, 1.0f, heights[0], heights[0] };
    for (size_t i = 1; i < samples; ++i)
    {
        mesh->grid.least = heights[i] < mesh->grid.least ? heights[i] : mesh->grid.least;
        mesh->grid.most = heights[i] > mesh->grid.most ? heights[i] : mesh->grid.most;
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
