// A heightfield that is updated in place, and a model of what it should have then.
#ifndef UPDATED_FIELD_H
#define UPDATED_FIELD_H

#include "mesh_makers.h"

#include <string.h>

enum
{
    MOST = 24 // columns and rows
};

// What a field should have.
typedef struct model
{
    float heights[MOST * MOST];
    uint8_t cells[MOST * MOST];
    uint16_t materials[MOST * MOST];
    bool has_materials;
    abut_heightfield_def def; // without the arrays
    double high;
} model;

static inline uint8_t random_cell(random_source *random)
{
    return (uint8_t)(random_chance(random, 0.8) ? ABUT_CELL_SURFACE : random_below(random, 3));
}

static inline void open_model(random_source *random, model *m)
{
    m->high = random_scale(random, 0.1, 1.0);
    m->has_materials = true;
    m->def = (abut_heightfield_def){ .columns = 2 + random_below(random, MOST - 1),
                                     .rows = 2 + random_below(random, MOST - 1),
                                     .step_x = 0.75f,
                                     .step_z = 0.5f,
                                     .two_sided = random_chance(random, 0.3) };
    for (uint32_t i = 0; i < MOST * MOST; ++i)
    {
        m->heights[i] = (float)random_between(random, -m->high, m->high);
        m->cells[i] = i == 0 ? (uint8_t)ABUT_CELL_SURFACE : random_cell(random);
        m->materials[i] = (uint16_t)random_below(random, 65536);
    }
}

static inline abut_geometry *made(const model *m)
{
    abut_geometry *out;
    abut_heightfield_def def = m->def;
    def.heights = m->heights;
    def.cells = m->cells;
    def.materials = m->has_materials ? m->materials : NULL;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
    return out;
}

// Some rectangle, with values of its own.
typedef struct patch
{
    float heights[MOST * MOST];
    uint8_t cells[MOST * MOST];
    uint16_t materials[MOST * MOST];
    abut_heightfield_region region;
} patch;

static inline void random_patch(random_source *random, const model *m, patch *out)
{
    abut_heightfield_region *r = &out->region;
    const bool small = random_chance(random, 0.5);
    r->column = random_below(random, m->def.columns);
    r->row = random_below(random, m->def.rows);
    r->columns = 1 + random_below(random, small && m->def.columns - r->column > 4 ? 4 : m->def.columns - r->column);
    r->rows = 1 + random_below(random, small && m->def.rows - r->row > 4 ? 4 : m->def.rows - r->row);
    r->heights = random_chance(random, 0.8) ? out->heights : NULL;
    r->cells = random_chance(random, 0.5) ? out->cells : NULL;
    r->materials = random_chance(random, 0.3) ? out->materials : NULL;
    const double high = m->high * random_scale(random, 0.1, 3.0);
    for (uint32_t i = 0; i < MOST * MOST; ++i)
    {
        out->heights[i] = (float)random_between(random, -high, high);
        out->cells[i] = random_cell(random);
        out->materials[i] = (uint16_t)random_below(random, 65536);
    }
    if (r->column == 0 && r->row == 0)
    {
        out->cells[0] = ABUT_CELL_SURFACE; // some cell always is
    }
}

static inline void apply(model *m, const abut_heightfield_region *r)
{
    for (uint32_t row = 0; row < r->rows; ++row)
    {
        for (uint32_t column = 0; column < r->columns; ++column)
        {
            const uint32_t to_row = r->row + row, to_column = r->column + column;
            const uint32_t cell = to_row * (m->def.columns - 1) + to_column, from = row * (r->columns - 1) + column;
            if (r->heights)
            {
                m->heights[to_row * m->def.columns + to_column] = r->heights[row * r->columns + column];
            }
            if (row + 1 < r->rows && column + 1 < r->columns)
            {
                m->cells[cell] = r->cells ? r->cells[from] : m->cells[cell];
                m->materials[cell] = r->materials ? r->materials[from] : m->materials[cell];
            }
        }
    }
}

// Updates the model and the field.
static inline void update(random_source *random, model *m, abut_geometry *field)
{
    patch p;
    random_patch(random, m, &p);
    apply(m, &p.region);
    assert_int_equal(abut_geometry_update_heightfield(field, &p.region), ABUT_OK);
}

#endif
