// Heightfields that are updated in place against ones that are made anew with the same heights: the geometry, and what
// it answers, are the same to the bit. Bad updates change nothing.
#include "shape/mesh.h"
#include "updated_field.h"

static void expect_same_geometry(const abut_geometry *one, const abut_geometry *other)
{
    const ab_mesh *p = ab_mesh_of_geometry(one), *q = ab_mesh_of_geometry(other);
    const abut_shape shape[2] = { abut_shape_mesh(one), abut_shape_mesh(other) };
    const abut_pose identity = abut_pose_identity();
    abut_aabb box[2];
    assert_int_equal(one->coordinate_count, other->coordinate_count);
    assert_memory_equal(one->coordinates, other->coordinates, one->coordinate_count * sizeof(float));
    for (uint32_t i = 0; i < p->triangle_count; ++i)
    {
        abut_vec3 corner[2][3];
        const bool there = abut_geometry_mesh_triangle(one, i, corner[0]);
        assert_true(there == abut_geometry_mesh_triangle(other, i, corner[1]));
        assert_true(!there || memcmp(corner[0], corner[1], sizeof corner[0]) == 0);
        assert_int_equal(abut_geometry_mesh_material(one, i), abut_geometry_mesh_material(other, i));
        for (int k = 0; there && k < 3; ++k)
        {
            assert_int_equal(ab_mesh_neighbour(p, i, k), ab_mesh_neighbour(q, i, k));
        }
    }
    assert_int_equal(p->grid.own, q->grid.own);
    assert_true(p->grid.least == q->grid.least && p->grid.most == q->grid.most);
    assert_true(abut_shape_bounding_radius(&shape[0]) == abut_shape_bounding_radius(&shape[1]));
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_shape_bounds(&shape[i], &identity, &box[i]), ABUT_OK);
    }
    assert_memory_equal(&box[0], &box[1], sizeof box[0]);
}

static void updated_fields_are_those_made_anew(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        model m;
        open_model(&random, &m);
        abut_geometry *field = made(&m);
        for (uint32_t i = 0; i < 10; ++i)
        {
            update(&random, &m, field);
            abut_geometry *anew = made(&m);
            expect_same_geometry(field, anew);
            for (uint32_t k = 0; k < 10; ++k)
            {
                const dvec3 at = random_in_box(&random, 8.0), to = random_in_box(&random, 8.0);
                const double from[3] = { at.x, at.y, at.z }, way[3] = { to.x - at.x, -to.y - at.y, to.z - at.z };
                const abut_shape shape[2] = { abut_shape_mesh(field), abut_shape_mesh(anew) };
                ab_ray_entry hit[2];
                double on[2][3];
                memset(hit, 0, sizeof hit);
                assert_true(ab_mesh_ray(&shape[0], from, way, &hit[0]) == ab_mesh_ray(&shape[1], from, way, &hit[1]));
                assert_memory_equal(&hit[0], &hit[1], sizeof hit[0]);
                assert_int_equal(ab_mesh_nearest(ab_mesh_of_geometry(field), from, on[0]),
                                 ab_mesh_nearest(ab_mesh_of_geometry(anew), from, on[1]));
                assert_memory_equal(on[0], on[1], sizeof on[0]);
            }
            abut_geometry_release(anew);
        }
        abut_geometry_release(field);
    }
}

static void bad_updates_change_nothing(void **state)
{
    (void)state;
    random_source random = random_start(1);
    model m;
    do
    {
        open_model(&random, &m);
    } while (m.def.columns < 5 || m.def.rows < 5);
    abut_geometry *field = made(&m);
    const uint64_t hash = hash_with_mesh(field);
    float heights[9] = { 0 };
    uint8_t cells[MOST * MOST] = { 0 };
    const uint16_t materials[4] = { 1, 2, 3, 4 };
    const abut_heightfield_region good = {
        .column = 1, .row = 2, .columns = 3, .rows = 3, .heights = heights, .cells = cells, .materials = materials
    };
    const abut_heightfield_region past[] = {
        { .columns = 0, .rows = 1 },
        { .columns = 1, .rows = 0 },
        { .column = m.def.columns, .columns = 1, .rows = 1 },
        { .row = m.def.rows, .columns = 1, .rows = 1 },
        { .column = 1, .columns = m.def.columns, .rows = 1 },
        { .row = 1, .columns = 1, .rows = m.def.rows },
        { .column = 1, .columns = UINT32_MAX, .rows = 1 },
        { .row = UINT32_MAX, .columns = 1, .rows = 2 },
    };
    for (size_t i = 0; i < COUNT(past); ++i)
    {
        assert_int_equal(abut_geometry_update_heightfield(field, &past[i]), ABUT_INVALID_ARGUMENT);
    }
    const float values[] = { NAN, INFINITY, -INFINITY, 2.0f * ABUT_MAX_MAGNITUDE };
    for (size_t i = 0; i < COUNT(values); ++i)
    {
        heights[8] = values[i];
        assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_INVALID_ARGUMENT);
    }
    heights[8] = 0.0f;
    cells[3] = 3;
    assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_INVALID_ARGUMENT);
    memset(cells, ABUT_CELL_HOLE, sizeof cells);
    const abut_heightfield_region holes = { .columns = m.def.columns, .rows = m.def.rows, .cells = cells };
    assert_int_equal(abut_geometry_update_heightfield(field, &holes), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_update_heightfield(field, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_update_heightfield(NULL, &good), ABUT_INVALID_ARGUMENT);
    assert_true(hash_with_mesh(field) == hash);
    memset(cells, 0, sizeof cells);
    assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_OK);
    assert_true(hash_with_mesh(field) != hash);
    abut_geometry_release(field);
    // No materials; too steep beside the region; a mesh.
    m.has_materials = false;
    m.def.step_x = m.def.step_z = 1e-6f;
    field = made(&m);
    assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_INVALID_ARGUMENT);
    heights[0] = 9e6f;
    const abut_heightfield_region steep = { .column = 2, .row = 2, .columns = 1, .rows = 1, .heights = heights };
    assert_int_equal(abut_geometry_update_heightfield(field, &steep), ABUT_INVALID_ARGUMENT);
    heights[0] = 9e5f;
    assert_int_equal(abut_geometry_update_heightfield(field, &steep), ABUT_OK);
    abut_geometry_release(field);
    mesh_maker maker = { 0 };
    mesh_field(&maker, &random, 2, 2, 1.0, 1.0, 0.0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&maker);
    const abut_heightfield_region one = { .columns = 1, .rows = 1 };
    assert_int_equal(abut_geometry_update_heightfield(mesh, &one), ABUT_INVALID_ARGUMENT);
    abut_geometry_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updated_fields_are_those_made_anew),
        cmocka_unit_test(bad_updates_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
