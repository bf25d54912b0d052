// The triangles of a mesh in few bytes are those that cooking makes: corners, neighbours, kinds of edges and numbers.
#include "mesh_makers.h"
#include "scarce_mesh.h"
#include "shape/mesh.h"

#include "base/array.h"

// What a list of a group has.
typedef struct seen
{
    uint32_t wide, near, loose, listed, in_eight, in_group, borders, left_out;
} seen;

static void see_neighbour(const ab_mesh *mesh, uint32_t triangle, uint32_t neighbour, seen *out)
{
    const ab_mesh_group *group = ab_mesh_group_of(&mesh->triangles, triangle);
    const uint32_t apart = neighbour ^ triangle;
    if (neighbour == AB_NO_TRIANGLE)
    {
        ++out->borders;
        return;
    }
    ++*(apart < AB_MESH_WIDTH ? &out->in_eight : apart < AB_MESH_GROUP ? &out->in_group : &out->listed);
    ++*(group->is_wide ? &out->wide : &out->near);
}

static void expect_triangle(const ab_mesh *mesh, const ab_mesh_parts *parts, uint32_t triangle, seen *out)
{
    const ab_mesh_triangle *t = &parts->triangles[triangle];
    uint32_t vertex[3];
    ab_mesh_own_vertices(mesh, triangle, vertex);
    assert_memory_equal(vertex, t->vertex, sizeof vertex);
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(ab_mesh_own_vertex(mesh, triangle, k), t->vertex[k]);
        assert_int_equal(ab_mesh_own_neighbour(mesh, triangle, k), t->neighbour[k]);
        assert_int_equal(ab_mesh_listed_edge(mesh, triangle, k), ab_mesh_edge(t, k));
        see_neighbour(mesh, triangle, t->neighbour[k], out);
    }
    assert_int_equal(ab_mesh_child(mesh, triangle), t->child);
    out->loose += ab_mesh_is_loose(ab_mesh_eight_of(&mesh->triangles, triangle));
    if (triangle < parts->own)
    {
        assert_int_equal(ab_mesh_find_child(mesh, t->child), triangle);
    }
}

static void expect_left_out(const ab_mesh *mesh, seen *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < mesh->given_count; ++i)
    {
        found += ab_mesh_find_child(mesh, i) != AB_NO_TRIANGLE;
    }
    assert_int_equal(found, mesh->triangle_count);
    assert_int_equal(ab_mesh_find_child(mesh, mesh->given_count), AB_NO_TRIANGLE);
    out->left_out += mesh->given_count - found;
}

// The small boxes contain the triangles, and a leaf's blocks are no larger than they have to be by more than two steps.
static void expect_boxes(const ab_mesh *mesh, uint32_t block)
{
    const ab_mesh_leaf *leaf = &mesh->leaves[block / AB_MESH_WIDTH];
    const uint32_t child = block % AB_MESH_WIDTH, first = block * AB_MESH_WIDTH;
    assert_true((leaf->there >> child & 1u) != 0);
    for (int k = 0; k < 3; ++k)
    {
        const double step = leaf->step[k] > 0 ? ldexp(1.0, leaf->step[k] - 127) : 0.0, slack = 1e-6 * step;
        const double min = leaf->origin[k] + step * leaf->min[k][child],
                     max = leaf->origin[k] + step * leaf->max[k][child];
        double least = HUGE_VAL, most = -HUGE_VAL, size = 0.0;
        for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
        {
            const uint32_t inset = (uint32_t)(mesh->blocks[block].inset[k] >> 8 * i & 0xffu);
            if (first + i >= mesh->triangle_count)
            {
                assert_int_equal(inset, AB_MESH_ABSENT);
                continue;
            }
            abut_vec3 at[3];
            ab_mesh_positions(mesh, first + i, at);
            for (int j = 0; j < 3; ++j)
            {
                const double here = (double)(&at[j].x)[k];
                size = fmax(size, fabs(here));
                least = fmin(least, here);
                most = fmax(most, here);
                const double rounded = 1e-6 * (max - min) + 1e-6 * fabs(here);
                assert_true(here >= min + (inset & 15u) * (max - min) / AB_MESH_STEPS - rounded);
                assert_true(here <= max - (inset >> 4) * (max - min) / AB_MESH_STEPS + rounded);
            }
        }
        const double rounding = 1e-6 * size + slack;
        assert_true(min <= least + rounding && least <= min + step + rounding);
        assert_true(max >= most - rounding && most >= max - 2.0 * step - rounding);
    }
}

// Cooks a mesh, and makes one.
static void expect_packed(const abut_mesh_def *def, seen *out)
{
    ab_memory memory;
    ab_mesh_parts parts;
    abut_geometry *geometry;
    assert_true(ab_memory_open(&memory, NULL));
    const abut_status status = ab_mesh_cook(def, &memory, &parts);
    assert_int_equal(abut_geometry_create_mesh(def, NULL, &geometry), status);
    if (status == ABUT_OK)
    {
        const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
        const abut_vec3 *vertex[3];
        ab_mesh_reader reader = ab_mesh_reader_of(&mesh->triangles, mesh->vertices);
        assert_int_equal(mesh->joined_count, arrlenu(parts.triangles));
        for (uint32_t i = 0; i < mesh->joined_count; ++i)
        {
            expect_triangle(mesh, &parts, i, out);
            ab_mesh_read(&reader, &mesh->triangles, mesh->vertices, i, vertex);
            for (int k = 0; k < 3; ++k)
            {
                assert_ptr_equal(vertex[k], &mesh->vertices[parts.triangles[i].vertex[k]]);
            }
        }
        expect_left_out(mesh, out);
        for (uint32_t i = 0; i < (mesh->triangle_count + AB_MESH_WIDTH - 1) / AB_MESH_WIDTH; ++i)
        {
            expect_boxes(mesh, i);
        }
    }
    abut_geometry_release(geometry);
    ab_mesh_parts_free(&parts);
}

// Triangles that have corners in common by chance, some of them without area.
static void add_soup(mesh_maker *m, random_source *random)
{
    const uint32_t vertices = 3 + random_below(random, 400), triangles = random_below(random, 400);
    const uint32_t first = m->vertex_count;
    for (uint32_t i = 0; i < vertices; ++i)
    {
        mesh_vertex(m, random_between(random, -9.0, 9.0), random_between(random, -9.0, 9.0),
                    random_between(random, -9.0, 9.0));
    }
    for (uint32_t i = 0; i < triangles; ++i)
    {
        mesh_triangle(m, first + random_below(random, vertices), first + random_below(random, vertices),
                      first + random_below(random, vertices));
    }
}

static void triangles_are_those_that_were_cooked(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    seen all = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        mesh_field(&m, &random, 1 + random_below(&random, 30), 1 + random_below(&random, 30), 9.0, 9.0,
                   random_chance(&random, 0.5) ? 0.3 : 0.0, NULL, NULL);
        if (random_chance(&random, 0.5))
        {
            add_soup(&m, &random);
        }
        abut_mesh_def def = mesh_def_of(&m);
        def.neighbour_count = random_chance(&random, 0.5) ? 0 : random_below(&random, def.triangle_count);
        expect_packed(&def, &all);
        mesh_maker_close(&m);
    }
    assert_true(!random_seeds_all() || (all.listed > 1000 && all.in_group > 1000 && all.in_eight > 1000));
    assert_true(!random_seeds_all() || (all.borders > 1000 && all.left_out > 100 && all.loose > 1000));
}

// A fan's middle is the first vertex; what is across the middle of a field is far away in the order.
static void lists_are_wide_where_two_bytes_are_too_few(void **state)
{
    (void)state;
    random_source random = random_start(1);
    seen fan = { 0 }, field = { 0 };
    mesh_maker m = { 0 };
    const uint32_t spokes = 70000, middle = mesh_vertex(&m, 0, 1, 0);
    for (uint32_t i = 0; i < spokes; ++i)
    {
        const double turn = 6.283185307179586 * i / spokes;
        mesh_vertex(&m, 500.0 * cos(turn), 0, 500.0 * sin(turn));
        mesh_triangle(&m, middle, middle + 1 + (i + 1) % spokes, middle + 1 + i);
    }
    abut_mesh_def def = mesh_def_of(&m);
    expect_packed(&def, &fan);
    assert_true(fan.wide > 1000 && fan.near > 100000);
    mesh_maker_close(&m);
    m = (mesh_maker){ 0 };
    mesh_field(&m, &random, 240, 240, 9.0, 9.0, 0.3, NULL, NULL);
    def = mesh_def_of(&m);
    expect_packed(&def, &field);
    assert_true(field.wide > 1000 && field.near > 100000);
    mesh_maker_close(&m);
}

// Triangles that are beside each other have numbers that are far apart.
static void numbers_may_be_far_apart(void **state)
{
    (void)state;
    random_source random = random_start(1);
    seen all = { 0 };
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 300, 300, 9.0, 9.0, 0.3, NULL, NULL);
    abut_mesh_def def = mesh_def_of(&m);
    uint32_t *const indices = malloc(3 * sizeof *indices * def.triangle_count);
    assert_non_null(indices);
    for (uint32_t i = 0; i < def.triangle_count; ++i)
    {
        const uint32_t from = (uint32_t)(((uint64_t)i * 77777u) % def.triangle_count);
        memcpy(indices + 3 * i, def.indices + 3 * from, 3 * sizeof *indices);
    }
    def.indices = indices;
    expect_packed(&def, &all);
    assert_true(all.loose > 100000);
    free(indices);
    mesh_maker_close(&m);
}

// A part of eight triangles again and again: what is at a place of a part has a number that is at the same place.
static void parts_that_repeat_are_found(void **state)
{
    (void)state;
    seen all = { 0 };
    mesh_maker m = { 0 };
    for (uint32_t i = 0; i < 4000; ++i)
    {
        const double x = 4.0 * (i * 1237u % 4000u);
        const uint32_t first = mesh_vertex(&m, x, 1, 0);
        for (int k = 0; k < 8; ++k)
        {
            mesh_vertex(&m, x + cos(0.7853981633974483 * k), 0, sin(0.7853981633974483 * k));
        }
        for (uint32_t k = 0; k < 8; ++k)
        {
            mesh_triangle(&m, first, first + 1 + (k + 1) % 8, first + 1 + k);
        }
    }
    const abut_mesh_def def = mesh_def_of(&m);
    expect_packed(&def, &all);
    assert_int_equal(all.left_out, 0);
    mesh_maker_close(&m);
}

static void out_of_memory_is_reported_at_each_request(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 40, 40, 9.0, 9.0, 0.2, NULL, NULL);
    mesh_triangle(&m, 0, 0, 1); // has no area
    const abut_mesh_def def = mesh_def_of(&m);
    expect_each_request_can_fail(&def);
    mesh_maker_close(&m);
}

// Of a field of half a million.
static void a_triangle_takes_few_bytes(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker m = { 0 };
    abut_geometry *geometry;
    mesh_field(&m, &random, 500, 500, 250.0, 250.0, 0.3, NULL, NULL);
    source memory = { .first_failed = NEVER };
    const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
    const abut_mesh_def def = mesh_def_of(&m);
    assert_int_equal(abut_geometry_create_mesh(&def, &allocator, &geometry), ABUT_OK);
    assert_true(geometry->bytes < 20 * (size_t)def.triangle_count);
    abut_geometry_release(geometry);
    mesh_maker_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_those_that_were_cooked),
        cmocka_unit_test(lists_are_wide_where_two_bytes_are_too_few),
        cmocka_unit_test(numbers_may_be_far_apart),
        cmocka_unit_test(parts_that_repeat_are_found),
        cmocka_unit_test(out_of_memory_is_reported_at_each_request),
        cmocka_unit_test(a_triangle_takes_few_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
