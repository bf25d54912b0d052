// Random heightfields, and meshes of the same triangles.
#ifndef RANDOM_FIELD_H
#define RANDOM_FIELD_H

#include "mesh_makers.h"

enum
{
    FIELD_SIDE = 20 // columns and rows, at most
};

typedef struct field
{
    float heights[FIELD_SIDE * FIELD_SIDE];
    uint8_t cells[FIELD_SIDE * FIELD_SIDE];
    uint16_t materials[FIELD_SIDE * FIELD_SIDE];
    bool has_materials;
    abut_heightfield_def def;
} field;

static inline field random_field(random_source *random)
{
    field f = { .def = { .columns = 2 + random_below(random, FIELD_SIDE - 1),
                         .rows = 2 + random_below(random, FIELD_SIDE - 1),
                         .step_x = (float)random_scale(random, 0.1, 3.0),
                         .step_z = (float)random_scale(random, 0.1, 3.0),
                         .two_sided = random_chance(random, 0.3) } };
    const double high = random_chance(random, 0.2) ? 0.0 : random_scale(random, 1e-3, 2.0),
                 holes = random_chance(random, 0.5) ? 0.0 : 0.2, neighbours = random_chance(random, 0.6) ? 0.0 : 0.3;
    for (uint32_t i = 0; i < FIELD_SIDE * FIELD_SIDE; ++i)
    {
        f.heights[i] = (float)random_between(random, -high, high);
        const bool hole = random_chance(random, holes), neighbour = random_chance(random, neighbours);
        const abut_cell cell = hole ? ABUT_CELL_HOLE : neighbour ? ABUT_CELL_NEIGHBOUR : ABUT_CELL_SURFACE;
        f.cells[i] = (uint8_t)(i > 0 ? cell : ABUT_CELL_SURFACE);
        f.materials[i] = (uint16_t)random_below(random, 65536);
    }
    return f;
}

static inline abut_geometry *field_made(field *f)
{
    abut_geometry *out;
    f->def.heights = f->heights;
    f->def.cells = f->cells;
    f->def.materials = f->has_materials ? f->materials : NULL;
    assert_int_equal(abut_geometry_create_heightfield(&f->def, NULL, &out), ABUT_OK);
    return out;
}

static inline void cell_triangles(mesh_maker *m, const field *f, uint32_t cell, bool none)
{
    const abut_heightfield_def *d = &f->def;
    const uint32_t row = cell / (d->columns - 1), column = cell % (d->columns - 1);
    const uint32_t a = row * d->columns + column, b = a + 1, c = a + d->columns, e = c + 1;
    mesh_triangle(m, a, none ? a : c, b);
    mesh_triangle(m, e, none ? e : b, c);
}

// The same triangles; those of holes have no area, and those of neighbours are the last.
static inline abut_geometry *mesh_of(const field *f)
{
    const abut_heightfield_def *d = &f->def;
    mesh_maker m = { 0 };
    for (uint32_t row = 0; row < d->rows; ++row)
    {
        for (uint32_t column = 0; column < d->columns; ++column)
        {
            const double x = (double)column - 0.5 * (d->columns - 1.0), z = (double)row - 0.5 * (d->rows - 1.0);
            mesh_vertex(&m, x * (double)d->step_x, (double)f->heights[row * d->columns + column],
                        z * (double)d->step_z);
        }
    }
    const uint32_t cells = (d->columns - 1) * (d->rows - 1);
    for (uint32_t i = 0; i < cells; ++i)
    {
        cell_triangles(&m, f, i, f->cells[i] != ABUT_CELL_SURFACE);
    }
    for (uint32_t i = 0; i < cells; ++i)
    {
        if (f->cells[i] == ABUT_CELL_NEIGHBOUR)
        {
            cell_triangles(&m, f, i, false);
        }
    }
    abut_mesh_def def = mesh_def_of(&m);
    def.neighbour_count = m.triangle_count - 2 * cells;
    def.two_sided = d->two_sided;
    abut_geometry *out;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    mesh_maker_close(&m);
    return out;
}

#endif
