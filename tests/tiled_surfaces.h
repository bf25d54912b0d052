// Surfaces in tiles, for tests: fields and meshes as a whole, and cut into tiles that know what is beside them.
#ifndef TILED_SURFACES_H
#define TILED_SURFACES_H

#include "mesh_makers.h"

enum
{
    TILES = 4,
    ACROSS = 24 // cells of a field, at most
};

// A surface as a whole and in tiles.
typedef struct tiling
{
    abut_geometry *whole, *tile[TILES];
    abut_vec3 at[TILES];       // where the tiles are; the whole is at the origin
    uint32_t *child_of[TILES]; // by a tile's triangle: the whole's
    uint32_t tiles;
    double half, cell; // of the square that it is over, and of a cell's or triangle's side
    double off;        // of contacts: by the rounding of the tiles' frames; meshes have the whole's
    bool is_rounded;   // corners of tiles, too, are not quite where the whole's are
} tiling;

static inline void give_tiling(tiling *t)
{
    abut_geometry_release(t->whole);
    for (uint32_t i = 0; i < t->tiles; ++i)
    {
        abut_geometry_release(t->tile[i]);
        free(t->child_of[i]);
    }
}

typedef enum relief
{
    FLAT,
    SMOOTH,
    BUMPY
} relief;

static inline double height_at(random_source *random, relief kind, double cell, double x, double z)
{
    return kind == FLAT     ? 0.0
           : kind == SMOOTH ? 2.0 * cell * sin(0.4 * x / cell) * cos(0.3 * z / cell)
                            : cell * random_between(random, -0.5, 0.5);
}

// A range of the whole field's cells.
typedef struct range
{
    uint32_t first[2], end[2]; // columns, rows
} range;

static inline bool is_within(const range *r, uint32_t column, uint32_t row)
{
    return column >= r->first[0] && column < r->end[0] && row >= r->first[1] && row < r->end[1];
}

static inline range widened(const range *r, uint32_t rings, const abut_heightfield_def *whole)
{
    const uint32_t most[2] = { whole->columns - 1, whole->rows - 1 };
    range out;
    for (int k = 0; k < 2; ++k)
    {
        out.first[k] = r->first[k] > rings ? r->first[k] - rings : 0;
        out.end[k] = r->end[k] + rings < most[k] ? r->end[k] + rings : most[k];
    }
    return out;
}

static inline double middle_of(uint32_t first, uint32_t count, uint32_t all, double step)
{
    return step * (first + 0.5 * (count - 1.0) - 0.5 * (all - 1.0));
}

// The tile with these cells of the whole field, and so many rings of what is around them.
static inline void add_field_tile(tiling *t, const abut_heightfield_def *whole, const range *own, uint32_t rings)
{
    const range all = widened(own, rings, whole);
    const uint32_t across = all.end[0] - all.first[0], down = all.end[1] - all.first[1];
    float heights[(ACROSS + 1) * (ACROSS + 1)];
    uint8_t cells[ACROSS * ACROSS];
    uint32_t *child_of = malloc(2 * (size_t)across * down * sizeof *child_of);
    assert_non_null(child_of);
    for (uint32_t row = 0; row <= down; ++row)
    {
        memcpy(heights + row * (across + 1), whole->heights + (all.first[1] + row) * whole->columns + all.first[0],
               (across + 1) * sizeof *heights);
    }
    for (uint32_t i = 0; i < across * down; ++i)
    {
        const uint32_t column = all.first[0] + i % across, row = all.first[1] + i / across;
        const uint32_t cell = row * (whole->columns - 1) + column;
        const bool here = is_within(own, column, row);
        cells[i] =
            (uint8_t)(whole->cells[cell] == ABUT_CELL_SURFACE && !here ? ABUT_CELL_NEIGHBOUR : whole->cells[cell]);
        child_of[2 * i] = 2 * cell;
        child_of[2 * i + 1] = 2 * cell + 1;
    }
    abut_heightfield_def def = *whole;
    def.heights = heights;
    def.cells = cells;
    def.columns = across + 1;
    def.rows = down + 1;
    const uint32_t tile = t->tiles++;
    t->child_of[tile] = child_of;
    t->at[tile].x = (float)middle_of(all.first[0], def.columns, whole->columns, (double)def.step_x);
    t->at[tile].z = (float)middle_of(all.first[1], def.rows, whole->rows, (double)def.step_z);
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &t->tile[tile]), ABUT_OK);
}

// Four tiles.
static inline tiling tiled_field_of(random_source *random, relief kind, uint32_t rings, double cell, double off)
{
    float heights[(ACROSS + 1) * (ACROSS + 1)];
    uint8_t cells[ACROSS * ACROSS];
    tiling t = { .cell = cell, .off = off };
    const uint32_t across = 12 + random_below(random, ACROSS - 11);
    const double holes = random_chance(random, 0.3) ? 0.1 : 0.0;
    t.half = 0.5 * across * t.cell;
    for (uint32_t i = 0; i < (across + 1) * (across + 1); ++i)
    {
        heights[i] = (float)height_at(random, kind, t.cell, i % (across + 1) * t.cell, i / (across + 1) * t.cell);
    }
    for (uint32_t i = 0; i < across * across; ++i)
    {
        cells[i] = random_chance(random, holes) ? ABUT_CELL_HOLE : ABUT_CELL_SURFACE;
    }
    const abut_heightfield_def whole = { .heights = heights,
                                         .cells = cells,
                                         .columns = across + 1,
                                         .rows = across + 1,
                                         .step_x = (float)t.cell,
                                         .step_z = (float)t.cell,
                                         .two_sided = random_chance(random, 0.3) };
    const uint32_t x = across / 2 - 2 + random_below(random, 5), z = across / 2 - 2 + random_below(random, 5);
    assert_int_equal(abut_geometry_create_heightfield(&whole, NULL, &t.whole), ABUT_OK);
    add_field_tile(&t, &whole, &(range){ { 0, 0 }, { x, z } }, rings);
    add_field_tile(&t, &whole, &(range){ { x, 0 }, { across, z } }, rings);
    add_field_tile(&t, &whole, &(range){ { 0, z }, { x, across } }, rings);
    add_field_tile(&t, &whole, &(range){ { x, z }, { across, across } }, rings);
    return t;
}

// Coordinates are exact: steps are powers of two.
static inline tiling tiled_field(random_source *random, relief kind, uint32_t rings)
{
    return tiled_field_of(random, kind, rings, random_chance(random, 0.5) ? 1.0 : 0.25, 1e-6);
}

// They are rounded in each tile.
static inline tiling rounded_field(random_source *random, relief kind, uint32_t rings)
{
    const double cell = (double)(float)random_scale(random, 0.2, 2.0);
    tiling t = tiled_field_of(random, kind, rings, cell, 1e-4 * cell);
    t.is_rounded = true;
    return t;
}

// Marks the vertices of the triangles that have a mark, or the triangles that have a vertex with one.
static inline void spread(const mesh_maker *m, uint8_t *triangles, uint8_t *vertices, bool to_triangles)
{
    for (uint32_t i = 0; i < 3 * m->triangle_count; ++i)
    {
        uint8_t *triangle = &triangles[i / 3], *vertex = &vertices[m->indices[i]];
        *(to_triangles ? triangle : vertex) |= *(to_triangles ? vertex : triangle);
    }
}

// The tile of the triangles of one owner, in the frame of the whole, and so many rings around them.
static inline void add_mesh_tile(tiling *t, const mesh_maker *m, const uint8_t *owner, uint8_t which, uint32_t rings,
                                 bool two_sided)
{
    uint8_t *near = calloc(m->triangle_count, 1), *vertices = calloc(m->vertex_count, 1);
    uint32_t *child_of = malloc(m->triangle_count * sizeof *child_of);
    mesh_maker part = { 0 };
    assert_true(near && vertices && child_of);
    for (uint32_t i = 0; i < m->triangle_count; ++i)
    {
        near[i] = owner[i] == which;
    }
    for (uint32_t i = 0; i < 2 * rings; ++i)
    {
        spread(m, near, vertices, i % 2 != 0);
    }
    uint32_t own = 0;
    for (int neighbours = 0; neighbours < 2; ++neighbours)
    {
        for (uint32_t i = 0; i < m->triangle_count; ++i)
        {
            if (near[i] && (owner[i] != which) == neighbours)
            {
                child_of[part.triangle_count] = i;
                mesh_triangle(&part, m->indices[3 * i], m->indices[3 * i + 1], m->indices[3 * i + 2]);
            }
        }
        own = neighbours ? own : part.triangle_count;
    }
    const abut_mesh_def def = { .vertices = m->vertices,
                                .vertex_count = m->vertex_count,
                                .indices = part.indices,
                                .triangle_count = part.triangle_count,
                                .two_sided = two_sided,
                                .neighbour_count = part.triangle_count - own };
    const uint32_t tile = t->tiles++;
    t->child_of[tile] = child_of;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &t->tile[tile]), ABUT_OK);
    assert_int_equal(abut_geometry_mesh_triangles(t->tile[tile]), own);
    mesh_maker_close(&part);
    free(near);
    free(vertices);
}

// Uneven triangles, in tiles with a ragged border; now and then a triangle is missing.
static inline tiling tiled_mesh(random_source *random, relief kind, uint32_t rings)
{
    tiling t = { .cell = random_scale(random, 0.1, 3.0) };
    const uint32_t across = 12 + random_below(random, ACROSS - 11);
    mesh_maker m = { 0 };
    t.half = 0.5 * across * t.cell;
    mesh_field(&m, random, across, across, t.half, t.half, 0.2, NULL, NULL);
    for (uint32_t i = 0; i < m.vertex_count; ++i)
    {
        abut_vec3 *v = &m.vertices[i];
        v->y = (float)height_at(random, kind, t.cell, (double)v->x, (double)v->z);
    }
    uint8_t *owner = malloc(m.triangle_count);
    assert_non_null(owner);
    const bool ragged = random_chance(random, 0.5), two_sided = random_chance(random, 0.3);
    for (uint32_t i = 0; i < m.triangle_count; ++i)
    {
        const abut_vec3 v = m.vertices[m.indices[3 * i + random_below(random, 3)]];
        const uint32_t row = i / (2 * across), column = i % (2 * across);
        owner[i] = ragged ? v.x + 0.3f * v.z > 0.0f : (column >= across) + 2 * (row >= across / 2);
    }
    const abut_mesh_def def = { .vertices = m.vertices,
                                .vertex_count = m.vertex_count,
                                .indices = m.indices,
                                .triangle_count = m.triangle_count,
                                .two_sided = two_sided };
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &t.whole), ABUT_OK);
    for (uint8_t which = 0; which < (ragged ? 2 : 4); ++which)
    {
        add_mesh_tile(&t, &m, owner, which, rings, two_sided);
    }
    free(owner);
    mesh_maker_close(&m);
    return t;
}

#endif
