// Heightfields of several levels of blocks: rays and nearest points near and far are those of a mesh of the same
// triangles, to the bit, and an update finds the extents of all levels anew. What a box meets is listed as it is seen.
#include "mesh_twins.h"

#include <abut/query.h>

#include <math.h>
#include <stdlib.h>

enum
{
    SIDE = 150 // columns and rows, at most
};

typedef struct large_field
{
    float heights[SIDE * SIDE];
    uint8_t cells[SIDE * SIDE];
    abut_heightfield_def def;
    double wide, high, deep; // half of what it is in
} large_field;

// Hills, steps, or a plain with a few peaks and pits.
static float height_at(random_source *random, const large_field *f, uint32_t kind, uint32_t column, uint32_t row)
{
    const double x = 0.1 * column, z = 0.1 * row;
    switch (kind)
    {
    case 0:
        return (float)(f->high * (0.6 * sin(x) * cos(1.3 * z) + 0.3 * sin(7.0 * x + z)));
    case 1:
        return (float)(f->high * ((column / 24 + row / 40) % 3 - 1.0));
    default:
        return random_chance(random, 0.003) ? (float)random_between(random, -f->high, f->high) : 0.0f;
    }
}

static void fill(random_source *random, large_field *f)
{
    const uint32_t kind = random_below(random, 3), columns = 2 + random_below(random, SIDE - 1),
                   rows = 2 + random_below(random, SIDE - 1);
    const double holes = random_chance(random, 0.5) ? 0.0 : 0.3;
    f->def = (abut_heightfield_def){ .heights = f->heights,
                                     .cells = f->cells,
                                     .columns = columns,
                                     .rows = rows,
                                     .step_x = (float)random_scale(random, 0.1, 3.0),
                                     .step_z = (float)random_scale(random, 0.1, 3.0),
                                     .two_sided = random_chance(random, 0.3) };
    f->wide = 0.5 * (double)f->def.step_x * columns;
    f->deep = 0.5 * (double)f->def.step_z * rows;
    f->high = random_scale(random, 1e-3, 10.0);
    for (uint32_t row = 0; row < rows; ++row)
    {
        for (uint32_t column = 0; column < columns; ++column)
        {
            f->heights[row * columns + column] = height_at(random, f, kind, column, row);
        }
    }
    for (uint32_t i = 0; i < (columns - 1) * (rows - 1); ++i)
    {
        f->cells[i] = (uint8_t)(i > 0 && random_chance(random, holes) ? ABUT_CELL_HOLE : ABUT_CELL_SURFACE);
    }
}

static abut_geometry *made(const large_field *f)
{
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_heightfield(&f->def, NULL, &out), ABUT_OK);
    return out;
}

// Triangles of holes have no area.
static abut_geometry *mesh_like(const abut_geometry *field)
{
    const ab_grid *grid = &ab_mesh_of_geometry(field)->grid;
    const uint32_t cells = (grid->columns - 1) * (grid->rows - 1);
    mesh_maker m = { 0 };
    for (uint32_t i = 0; i < grid->columns * grid->rows; ++i)
    {
        const abut_vec3 at = ab_grid_position(grid, i);
        mesh_vertex(&m, (double)at.x, (double)at.y, (double)at.z);
    }
    for (uint32_t triangle = 0; triangle < 2 * cells; ++triangle)
    {
        const uint32_t a = ab_grid_vertex(grid, triangle, 0), b = ab_grid_vertex(grid, triangle, 1);
        mesh_triangle(&m, a, ab_grid_is_own(grid, triangle / 2) ? b : a, ab_grid_vertex(grid, triangle, 2));
    }
    const abut_mesh_def given = mesh_def_of(&m);
    abut_mesh_def def = given;
    def.two_sided = ab_mesh_of_geometry(field)->two_sided;
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    mesh_maker_close(&m);
    return out;
}

static void expect_same_nearest(random_source *random, const large_field *f, abut_geometry *const geometry[2])
{
    const double far = random_scale(random, 0.01, 100.0), wide = f->wide * random_scale(random, 0.5, 20.0),
                 deep = f->deep * random_scale(random, 0.5, 20.0);
    const double point[3] = { random_between(random, -wide, wide), far * random_between(random, -f->high, f->high),
                              random_between(random, -deep, deep) };
    const ab_mesh *grid = ab_mesh_of_geometry(geometry[0]), *mesh = ab_mesh_of_geometry(geometry[1]);
    double on[2][3];
    const uint32_t one = ab_mesh_nearest(grid, point, on[0]), other = ab_mesh_nearest(mesh, point, on[1]);
    assert_true(ab_mesh_is_triangle(grid, one));
    assert_memory_equal(on[0], on[1], sizeof on[0]);
    assert_int_equal(ab_mesh_child(grid, one), ab_mesh_child(mesh, other));
}

// How far a box is from both.
static void expect_same_distance(random_source *random, const large_field *f, abut_geometry *const geometry[2])
{
    const double far = random_scale(random, 0.1, 100.0);
    const abut_placed_shape box = {
        .shape =
            abut_shape_obb((float)random_scale(random, 0.01, f->wide), (float)random_scale(random, 0.01, 3.0), 0.5f),
        .pose = { .position = { (float)random_between(random, -2.0 * f->wide, 2.0 * f->wide),
                                (float)(far * f->high + 3.0), (float)random_between(random, -f->deep, f->deep) },
                  .rotation = random_narrow_rotation(random_rotation(random)) }
    };
    abut_near near[2];
    for (int i = 0; i < 2; ++i)
    {
        abut_world *world;
        abut_body body;
        uint32_t count;
        const abut_body_def def = { .pose = abut_pose_identity(), .collider.shape = abut_shape_mesh(geometry[i]) };
        assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        assert_int_equal(abut_world_nearest_shape(world, &box, INFINITY, NULL, &near[i], 1, &count), ABUT_OK);
        assert_int_equal(count, 1);
        abut_world_destroy(world);
    }
    assert_memory_equal(&near[0].distance, &near[1].distance, sizeof near[0].distance);
    assert_memory_equal(&near[0].on_collider, &near[1].on_collider, sizeof near[0].on_collider);
    assert_int_equal(near[0].child, near[1].child);
}

static bool expect_same_ray(random_source *random, const large_field *f, abut_geometry *const geometry[2])
{
    const double above = f->high * random_between(random, -0.5, 3.0),
                 below = random_chance(random, 0.5) ? above : f->high * random_between(random, -3.0, 3.0),
                 from[3] = { f->wide * random_between(random, -1.2, 1.2), above,
                             f->deep * random_between(random, -1.2, 1.2) },
                 way[3] = { f->wide * random_between(random, -2.0, 2.0), below - above,
                            random_chance(random, 0.1) ? 0.0 : f->deep * random_between(random, -2.0, 2.0) };
    return ray_at_twins(geometry, from, way);
}

static void answers_are_those_of_a_mesh(void **state)
{
    (void)state;
    static large_field f;
    const random_seeds seeds = random_seeds_of(60);
    uint32_t hits = 0, misses = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        fill(&random, &f);
        abut_geometry *const field = made(&f);
        abut_geometry *const geometry[2] = { field, mesh_like(field) };
        for (uint32_t i = 0; i < 200; ++i)
        {
            expect_same_nearest(&random, &f, geometry);
            const bool hit = expect_same_ray(&random, &f, geometry);
            hits += hit;
            misses += !hit;
        }
        for (uint32_t i = 0; i < 10; ++i)
        {
            expect_same_distance(&random, &f, geometry);
        }
        abut_geometry_release(geometry[0]);
        abut_geometry_release(geometry[1]);
    }
    assert_true(!random_seeds_all() || (hits > 1000 && misses > 1000));
}

// As those of a new field.
static void updates_find_all_extents(void **state)
{
    (void)state;
    static large_field f;
    const random_seeds seeds = random_seeds_of(60);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        fill(&random, &f);
        abut_geometry *updated = made(&f);
        for (uint32_t i = 0; i < 20; ++i)
        {
            static float heights[SIDE * SIDE];
            abut_heightfield_region region = { .column = random_below(&random, f.def.columns),
                                               .row = random_below(&random, f.def.rows),
                                               .heights = heights };
            region.columns = 1 + random_below(&random, f.def.columns - region.column);
            region.rows = 1 + random_below(&random, f.def.rows - region.row);
            for (uint32_t row = 0; row < region.rows; ++row)
            {
                for (uint32_t column = 0; column < region.columns; ++column)
                {
                    const float height = (float)random_between(&random, -f.high, f.high);
                    heights[row * region.columns + column] = height;
                    f.heights[(region.row + row) * f.def.columns + region.column + column] = height;
                }
            }
            assert_int_equal(abut_geometry_update_heightfield(updated, &region), ABUT_OK);
            abut_geometry *const fresh = made(&f);
            const ab_grid *one = &ab_mesh_of_geometry(updated)->grid, *other = &ab_mesh_of_geometry(fresh)->grid;
            assert_int_equal(one->levels, other->levels);
            for (uint32_t level = 0; level < one->levels; ++level)
            {
                const size_t blocks = (size_t)ab_grid_blocks(one->columns, level) * ab_grid_blocks(one->rows, level);
                assert_true(level + 1 < one->levels || blocks == 1);
                assert_memory_equal(one->level[level], other->level[level], blocks * sizeof *one->level[level]);
            }
            abut_geometry_release(fresh);
        }
        abut_geometry_release(updated);
    }
}

enum
{
    SEEN = 2 * SIDE * SIDE,
    GUARD = 0x55555555
};

typedef struct seen_triangles
{
    uint32_t triangle[SEEN], count;
} seen_triangles;

static bool note(void *context, uint32_t triangle)
{
    seen_triangles *seen = context;
    seen->triangle[seen->count++] = triangle;
    return true;
}

static ab_mesh_box any_box(random_source *random, const large_field *f)
{
    const double far = random_scale(random, 0.01, 1.5);
    const double at[3] = { random_between(random, -f->wide, f->wide), random_between(random, -f->high, f->high),
                           random_between(random, -f->deep, f->deep) };
    const double half[3] = { far * random_unit(random) * f->wide, far * random_unit(random) * f->high,
                             far * random_unit(random) * f->deep };
    const double min[3] = { at[0] - half[0], at[1] - half[1], at[2] - half[2] },
                 max[3] = { at[0] + half[0], at[1] + half[1], at[2] + half[2] };
    return ab_mesh_box_of(min, max, 0.0);
}

static void expect_list_of_box(random_source *random, const ab_mesh *mesh, const ab_mesh_box *box)
{
    static seen_triangles seen;
    static uint32_t list[SEEN + 1];
    seen.count = 0;
    assert_true(ab_mesh_overlap(mesh, box, note, &seen));
    const uint32_t room = random_chance(random, 0.5) ? SEEN : random_below(random, seen.count + 2),
                   some = seen.count < room ? seen.count : room;
    list[room] = GUARD;
    const ab_grid_cells cells = ab_grid_fetch(mesh, box);
    assert_int_equal(ab_grid_list(mesh, box, &cells, list, room), seen.count);
    assert_memory_equal(list, seen.triangle, some * sizeof *list);
    assert_int_equal(list[room], GUARD);
}

// Those that a box may meet, in their order; what there is no room for is counted.
static void triangles_are_listed_as_they_are_seen(void **state)
{
    (void)state;
    static large_field f;
    const random_seeds seeds = random_seeds_of(20);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        fill(&random, &f);
        abut_geometry *const field = made(&f);
        for (uint32_t k = 0; k < 100; ++k)
        {
            const ab_mesh_box box = any_box(&random, &f);
            expect_list_of_box(&random, ab_mesh_of_geometry(field), &box);
        }
        abut_geometry_release(field);
    }
}

// The highest of them has one block.
static void the_longest_fields_have_all_levels(void **state)
{
    (void)state;
    const uint32_t columns = ABUT_MAX_MESH_TRIANGLES / 2 + 1;
    float *heights = calloc((size_t)2 * columns, sizeof *heights);
    assert_non_null(heights);
    const abut_heightfield_def def = {
        .heights = heights, .columns = columns, .rows = 2, .step_x = 0.01f, .step_z = 1.0f
    };
    abut_geometry *field = NULL;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &field), ABUT_OK);
    assert_true(ab_mesh_of_geometry(field)->grid.levels < AB_GRID_LEVELS);
    const double point[3] = { 30000.0, 10.0, 0.0 };
    double on[3];
    assert_true(ab_mesh_nearest(ab_mesh_of_geometry(field), point, on) != AB_NO_TRIANGLE);
    assert_true(on[0] == point[0] && on[1] == 0.0);
    abut_geometry_release(field);
    free(heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_mesh),
        cmocka_unit_test(updates_find_all_extents),
        cmocka_unit_test(the_longest_fields_have_all_levels),
        cmocka_unit_test(triangles_are_listed_as_they_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
