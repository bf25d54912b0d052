// Meshes that are cooked on threads: the same to the bit, and each refused request for memory leaves nothing behind.
#include "cook/mesh.h"
#include "mesh_makers.h"
#include "scarce_mesh.h"

#include "base/array.h"

// A fan whose middle is a corner of so many.
static void add_fan(mesh_maker *m, uint32_t spokes)
{
    const uint32_t middle = mesh_vertex(m, 0, 1, 0);
    for (uint32_t i = 0; i < spokes; ++i)
    {
        const double turn = 6.283185307179586 * i / spokes;
        mesh_vertex(m, 5.0 * cos(turn), 0, 5.0 * sin(turn));
        mesh_triangle(m, middle, middle + 1 + (i + 1) % spokes, middle + 1 + i);
    }
}

// Fields that lie over each other, uneven or of triangles on one line, and a fan.
static mesh_maker random_heap(random_source *random)
{
    mesh_maker m = { 0 };
    const uint32_t fields = 1 + random_below(random, 3), spokes = 3 + random_below(random, 100);
    for (uint32_t i = 0; i < fields; ++i)
    {
        const double far = random_chance(random, 0.2) ? 0.0 : random_scale(random, 1e-3, 1e3);
        mesh_field(&m, random, 1 + random_below(random, 120), 1 + random_below(random, 120),
                   random_scale(random, 0.1, 10.0), far, random_chance(random, 0.5) ? 0.3 : 0.0, NULL, NULL);
    }
    add_fan(&m, spokes);
    return m;
}

static void expect_same_parts(const ab_mesh_parts *a, const ab_mesh_parts *b)
{
    assert_int_equal(arrlenu(a->triangles), arrlenu(b->triangles));
    assert_int_equal(arrlenu(a->vertices), arrlenu(b->vertices));
    assert_int_equal(arrlenu(a->nodes), arrlenu(b->nodes));
    assert_int_equal(arrlenu(a->leaves), arrlenu(b->leaves));
    assert_int_equal(a->own, b->own);
    assert_int_equal(a->own_vertices, b->own_vertices);
    assert_int_equal(a->levels, b->levels);
    assert_memory_equal(a->first, b->first, sizeof a->first);
    assert_memory_equal(a->triangles, b->triangles, arrlenu(a->triangles) * sizeof *a->triangles);
    assert_memory_equal(a->vertices, b->vertices, arrlenu(a->vertices) * sizeof *a->vertices);
    assert_memory_equal(a->nodes, b->nodes, arrlenu(a->nodes) * sizeof *a->nodes);
    assert_memory_equal(a->leaves, b->leaves, arrlenu(a->leaves) * sizeof *a->leaves);
    assert_memory_equal(a->blocks, b->blocks, arrlenu(a->blocks) * sizeof *a->blocks);
}

static void threads_do_not_change_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint32_t cooked = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = random_heap(&random);
        abut_mesh_def def = mesh_def_of(&m);
        def.neighbour_count = random_chance(&random, 0.5) ? 0 : random_below(&random, def.triangle_count / 4);
        ab_memory memory;
        ab_mesh_parts one, other;
        assert_true(ab_memory_open(&memory, NULL));
        const abut_status status = ab_mesh_cook(&def, &memory, &one); // a heap may be without an area
        for (uint32_t k = 0; k < 2; ++k)
        {
            def.threads = 1 + random_below(&random, 8);
            assert_int_equal(ab_mesh_cook(&def, &memory, &other), status);
            expect_same_parts(&one, &other);
            ab_mesh_parts_free(&other);
        }
        ab_mesh_parts_free(&one);
        cooked += status == ABUT_OK;
        mesh_maker_close(&m);
    }
    assert_true(!random_seeds_all() || cooked > 50);
}

static void the_triangles_of_a_fan_are_neighbours(void **state)
{
    (void)state;
    for (uint32_t spokes = 3; spokes < 200; spokes += 7)
    {
        mesh_maker m = { 0 };
        add_fan(&m, spokes);
        abut_mesh_def def = mesh_def_of(&m);
        def.threads = 1 + spokes % 3;
        ab_memory memory;
        ab_mesh_parts parts;
        assert_true(ab_memory_open(&memory, NULL));
        assert_int_equal(ab_mesh_cook(&def, &memory, &parts), ABUT_OK);
        for (uint32_t i = 0; i < spokes; ++i)
        {
            uint32_t ridges = 0, borders = 0;
            for (int k = 0; k < 3; ++k)
            {
                ridges += ab_mesh_edge(&parts.triangles[i], k) == AB_EDGE_CONVEX;
                borders += ab_mesh_edge(&parts.triangles[i], k) == AB_EDGE_BORDER;
            }
            assert_true(ridges == 2 && borders == 1);
        }
        ab_mesh_parts_free(&parts);
        mesh_maker_close(&m);
    }
}

static void a_field_has_borders_at_its_rim_alone(void **state)
{
    (void)state;
    random_source random = random_start(3);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 90, 70, 9.0, 7.0, 0.3, NULL, NULL);
    abut_mesh_def def = mesh_def_of(&m);
    for (def.threads = 1; def.threads < 5; ++def.threads)
    {
        ab_memory memory;
        ab_mesh_parts parts;
        uint32_t borders = 0;
        assert_true(ab_memory_open(&memory, NULL));
        assert_int_equal(ab_mesh_cook(&def, &memory, &parts), ABUT_OK);
        for (uint32_t i = 0; i < def.triangle_count; ++i)
        {
            for (int k = 0; k < 3; ++k)
            {
                borders += ab_mesh_edge(&parts.triangles[i], k) == AB_EDGE_BORDER;
            }
        }
        assert_int_equal(borders, 2 * (90 + 70));
        ab_mesh_parts_free(&parts);
    }
    mesh_maker_close(&m);
}

static void too_many_threads_are_refused(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker m = random_heap(&random);
    abut_mesh_def def = mesh_def_of(&m);
    abut_geometry *mesh;
    def.threads = ABUT_MAX_THREADS + 1;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_INVALID_ARGUMENT);
    assert_null(mesh);
    mesh_maker_close(&m);
}

static void out_of_memory_is_reported_at_each_request(void **state)
{
    (void)state;
    random_source random = random_start(2);
    mesh_maker m = random_heap(&random);
    abut_mesh_def def = mesh_def_of(&m);
    def.threads = 3;
    expect_each_request_can_fail(&def);
    mesh_maker_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_mesh),
        cmocka_unit_test(the_triangles_of_a_fan_are_neighbours),
        cmocka_unit_test(a_field_has_borders_at_its_rim_alone),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(out_of_memory_is_reported_at_each_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
