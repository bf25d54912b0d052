// The point of a heightfield over a place: judged by all triangles, one after the other, and by rays straight down.
#include "random_field.h"

#include <abut/query.h>

#include <math.h>

static double cross(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// Of a triangle seen from above: how far within it a place is, in its heights; its plane's height there, and its normal.
static double within(const abut_vec3 c[3], double x, double z, double *height, double normal[3])
{
    const double p[2] = { x, z };
    double at[3][2], weight[3], least = HUGE_VAL;
    for (int i = 0; i < 3; ++i)
    {
        at[i][0] = (double)c[i].x;
        at[i][1] = (double)c[i].z;
    }
    const double area = cross(at[0], at[1], at[2]);
    *height = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        weight[i] = cross(at[(i + 1) % 3], at[(i + 2) % 3], p) / area;
        *height += weight[i] * (double)c[i].y;
        least = fmin(least, weight[i]);
    }
    const double u[3] = { (double)c[1].x - (double)c[0].x, (double)c[1].y - (double)c[0].y,
                          (double)c[1].z - (double)c[0].z },
                 v[3] = { (double)c[2].x - (double)c[0].x, (double)c[2].y - (double)c[0].y,
                          (double)c[2].z - (double)c[0].z };
    for (int k = 0; k < 3; ++k)
    {
        normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    }
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < 3; ++k)
    {
        normal[k] /= length;
    }
    return least;
}

// On columns and rows, on diagonals, anywhere, or past the border.
static float place_along(random_source *random, uint32_t count, float step)
{
    const double middle = 0.5 * ((double)count - 1.0);
    const double place =
        random_chance(random, 0.3) ? random_below(random, count) : random_between(random, -0.2, (double)count - 0.8);
    return (float)((place - middle) * (double)step);
}

// What is judged: a field and a place over it.
typedef struct question
{
    const field *f;
    const abut_geometry *geometry;
    float x, z;
} question;

static void judge(const question *q, uint32_t *hits, uint32_t *edges)
{
    const uint32_t count = abut_geometry_mesh_triangles(q->geometry);
    abut_heightfield_point out = { .triangle = ABUT_NONE };
    const bool found = abut_geometry_heightfield_at(q->geometry, q->x, q->z, &out);
    uint32_t surely = ABUT_NONE, perhaps = 0; // the first triangle that the place is in; those it may be in
    bool listed = false;
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_vec3 corner[3];
        double height, normal[3];
        if (!abut_geometry_mesh_triangle(q->geometry, i, corner))
        {
            continue;
        }
        const double inside = within(corner, (double)q->x, (double)q->z, &height, normal);
        surely = inside > 1e-6 && surely == ABUT_NONE ? i : surely;
        perhaps += inside >= -1e-12;
        if (inside >= -1e-6 && i == out.triangle)
        {
            listed = true;
            assert_true(fabs((double)out.position.y - height) <= 1e-6 * (1.0 + fabs(height)));
            const float n[3] = { out.normal.x, out.normal.y, out.normal.z };
            for (int k = 0; k < 3; ++k)
            {
                assert_true(fabs((double)n[k] - normal[k]) < 1e-6);
            }
        }
    }
    assert_true(found == listed);
    assert_true(found || surely == ABUT_NONE);
    assert_true(surely == ABUT_NONE || out.triangle == surely);
    assert_true(!found || (out.position.x == q->x && out.position.z == q->z && out.normal.y > 0.0f));
    *hits += found;
    *edges += perhaps > 1;
}

static void points_are_those_of_the_triangles(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    uint32_t hits = 0, edges = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f = random_field(&random);
        abut_geometry *geometry = field_made(&f);
        for (uint32_t i = 0; i < 100; ++i)
        {
            const question q = { &f, geometry, place_along(&random, f.def.columns, f.def.step_x),
                                 place_along(&random, f.def.rows, f.def.step_z) };
            judge(&q, &hits, &edges);
        }
        abut_geometry_release(geometry);
    }
    assert_true(!random_seeds_all() || (hits > 10000 && edges > 3000));
}

static void rays_straight_down_hit_there(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f = random_field(&random);
        abut_geometry *geometry = field_made(&f);
        const abut_shape shape = abut_shape_mesh(geometry);
        const abut_pose pose = abut_pose_identity();
        for (uint32_t i = 0; i < 100; ++i)
        {
            const float x = place_along(&random, f.def.columns, f.def.step_x),
                        z = place_along(&random, f.def.rows, f.def.step_z);
            const abut_ray ray = { .origin = { x, 4.0f, z }, .translation = { 0.0f, -8.0f, 0.0f } };
            abut_ray_hit hit;
            abut_heightfield_point out;
            assert_int_equal(abut_ray_shape(&ray, &shape, &pose, 0, &hit), ABUT_OK);
            const bool found = abut_geometry_heightfield_at(geometry, x, z, &out);
            assert_true(found == hit.hit);
            assert_true(!found || fabsf(4.0f - 8.0f * hit.fraction - out.position.y) < 2e-6f);
            hits += found;
        }
        abut_geometry_release(geometry);
    }
    assert_true(!random_seeds_all() || hits > 3000);
}

static void edges_are_of_the_lowest_triangle_of_the_surface(void **state)
{
    (void)state;
    field f = { .def = { .columns = 4, .rows = 3, .step_x = 2, .step_z = 1 } };
    abut_heightfield_point out;
    for (uint32_t i = 0; i < 12; ++i)
    {
        f.heights[i] = (float)i;
    }
    for (uint32_t hole = 0; hole < 2; ++hole)
    {
        f.cells[0] = (uint8_t)(hole ? ABUT_CELL_HOLE : ABUT_CELL_SURFACE);
        abut_geometry *geometry = field_made(&f);
        // Column 1, row 1: a corner of cells 0, 1, 3 and 4.
        assert_true(abut_geometry_heightfield_at(geometry, -1.0f, 0.0f, &out));
        assert_int_equal(out.triangle, hole ? 2 : 1);
        assert_true(out.position.y == 5.0f);
        assert_true(abut_geometry_heightfield_at(geometry, -3.0f, 0.0f, &out)); // column 0, row 1
        assert_int_equal(out.triangle, hole ? 6 : 0);
        assert_true(abut_geometry_heightfield_at(geometry, 0.0f, -0.5f, &out)); // the diagonal of cell 1
        assert_int_equal(out.triangle, 2);
        assert_true(abut_geometry_heightfield_at(geometry, 3.0f, 1.0f, &out)); // the last corner
        assert_int_equal(out.triangle, 11);
        assert_true(out.position.y == 11.0f);
        assert_true(abut_geometry_heightfield_at(geometry, -3.0f, -1.0f, NULL) == (hole == 0));
        abut_geometry_release(geometry);
    }
}

static void where_there_is_no_surface_nothing_is_written(void **state)
{
    (void)state;
    field f = { .def = { .columns = 3, .rows = 3, .step_x = 1, .step_z = 1 } };
    f.cells[1] = ABUT_CELL_HOLE;
    f.cells[2] = ABUT_CELL_NEIGHBOUR;
    abut_geometry *geometry = field_made(&f), *mesh = mesh_of(&f);
    const float places[][2] = { { 0.5f, -0.5f },    { -0.5f, 0.5f },     { -1.001f, -0.5f },  { -0.5f, -1.001f },
                                { 1.001f, 0.5f },   { 0.5f, 1.001f },    { NAN, 0.0f },       { 0.0f, NAN },
                                { INFINITY, 0.5f }, { -0.5f, INFINITY }, { -INFINITY, 0.0f }, { 3e38f, -3e38f } };
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    {
        abut_heightfield_point out = { .triangle = 77 };
        assert_false(abut_geometry_heightfield_at(geometry, places[i][0], places[i][1], &out));
        assert_int_equal(out.triangle, 77);
    }
    assert_true(abut_geometry_heightfield_at(geometry, -0.5f, -0.5f, NULL));
    assert_false(abut_geometry_heightfield_at(mesh, -0.5f, -0.5f, NULL));
    assert_false(abut_geometry_heightfield_at(NULL, -0.5f, -0.5f, NULL));
    abut_geometry_release(geometry);
    abut_geometry_release(mesh);
}

// Far from the middle, columns are rounded to floats; updates are seen.
static void long_fields_and_changed_ones_are_told_right(void **state)
{
    (void)state;
    enum
    {
        COLUMNS = 40001
    };
    static float heights[2 * COLUMNS];
    for (uint32_t i = 0; i < 2 * COLUMNS; ++i)
    {
        heights[i] = (float)(i % COLUMNS % 64);
    }
    const abut_heightfield_def def = {
        .heights = heights, .columns = COLUMNS, .rows = 2, .step_x = 0.3f, .step_z = 1.0f
    };
    abut_geometry *geometry;
    abut_vec3 corner[3];
    abut_heightfield_point out;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &geometry), ABUT_OK);
    for (uint32_t cell = 0; cell + 1 < COLUMNS; ++cell)
    {
        assert_true(abut_geometry_mesh_triangle(geometry, 2 * cell, corner));
        assert_true(abut_geometry_heightfield_at(geometry, corner[0].x, corner[0].z, &out));
        assert_true(out.position.y == corner[0].y);
        assert_int_equal(out.triangle, cell > 0 ? 2 * cell - 2 : 0);
        assert_true(abut_geometry_heightfield_at(geometry, nextafterf(corner[0].x, 1e9f), -0.5f, &out));
        assert_int_equal(out.triangle, 2 * cell);
        assert_true(abut_geometry_heightfield_at(geometry, nextafterf(corner[2].x, -1e9f), 0.5f, &out));
        assert_int_equal(out.triangle, 2 * cell + 1);
    }
    const float raised = 100.0f;
    const abut_heightfield_region region = { .column = 5, .row = 0, .columns = 1, .rows = 1, .heights = &raised };
    assert_int_equal(abut_geometry_update_heightfield(geometry, &region), ABUT_OK);
    assert_true(abut_geometry_mesh_triangle(geometry, 10, corner));
    assert_true(abut_geometry_heightfield_at(geometry, corner[0].x, corner[0].z, &out) && out.position.y == raised);
    abut_geometry_release(geometry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_the_triangles),
        cmocka_unit_test(rays_straight_down_hit_there),
        cmocka_unit_test(edges_are_of_the_lowest_triangle_of_the_surface),
        cmocka_unit_test(where_there_is_no_surface_nothing_is_written),
        cmocka_unit_test(long_fields_and_changed_ones_are_told_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
