// Making scaled meshes and heightfields: what shares what, what is left out, and what is refused.
#include "scaled_surfaces.h"
#include "scarce_memory.h"
#include "shape/mesh.h"

#include <stdio.h>

static void expect_same_triangles(const abut_geometry *a, const abut_geometry *b)
{
    const uint32_t count = abut_geometry_mesh_triangles(a);
    assert_int_equal(abut_geometry_mesh_triangles(b), count);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_vec3 at[2][3];
        const bool there = abut_geometry_mesh_triangle(a, i, at[0]);
        assert_int_equal(abut_geometry_mesh_triangle(b, i, at[1]), there);
        assert_true(!there || memcmp(at[0], at[1], sizeof at[0]) == 0);
    }
}

// However often: the one in between is not kept.
static void a_scaled_mesh_is_scaled_from_the_original(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; ++seed)
    {
        random_source random = random_start(seed);
        surface s = random_surface(&random, false);
        const abut_vec3 one = random_scale_of(&random, &s), other = random_scale_of(&random, &s);
        abut_geometry *original = surface_made(&s), *between = scaled_made(original, one),
                      *last = scaled_made(between, other);
        abut_geometry *at_once =
            scaled_made(original, abut_vec3_make(one.x * other.x, one.y * other.y, one.z * other.z));
        assert_ptr_equal(ab_mesh_of_geometry(last)->original, ab_mesh_of_geometry(original));
        abut_geometry_release(original);
        abut_geometry_release(between);
        expect_same_triangles(last, at_once);
        abut_geometry_release(last);
        abut_geometry_release(at_once);
        surface_close(&s);
    }
}

// Bit for bit that of the products, its header with the digest of cells and materials included. It and its original are
// updated each by itself.
static void a_scaled_field_is_a_field_of_its_own(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        random_source random = random_start(seed);
        surface s = { .is_grid = true, .two_sided = seed % 2 != 0 };
        surface_grid(&s, &random);
        surface_paint(&s, &random);
        const abut_vec3 scale = random_scale_of(&random, &s);
        surface by_hand = surface_scaled(&s, scale);
        abut_geometry *original = surface_made(&s), *scaled = scaled_made(original, scale),
                      *made = surface_made(&by_hand);
        const size_t bytes = made->coordinate_count * sizeof(float);
        assert_int_equal(scaled->kind, AB_HEIGHTFIELD_GEOMETRY);
        assert_int_equal(scaled->coordinate_count, made->coordinate_count);
        assert_memory_equal(scaled->coordinates, made->coordinates, bytes);

        // All but the first row and column, which has the cell that is always of the surface.
        const uint32_t across = s.field.columns - 1, down = s.field.rows - 1;
        surface other = { .is_grid = true };
        surface_grid(&other, &random);
        surface_paint(&other, &random);
        const abut_heightfield_region region = { .column = 1,
                                                 .row = 1,
                                                 .columns = across,
                                                 .rows = down,
                                                 .heights = other.heights,
                                                 .cells = other.cells,
                                                 .materials = other.materials };
        assert_int_equal(abut_geometry_update_heightfield(original, &region), ABUT_OK);
        assert_memory_equal(scaled->coordinates, made->coordinates, bytes);
        expect_same_triangles(scaled, made);
        assert_int_equal(scaled->version, 0);
        assert_memory_equal(&ab_mesh_of_geometry(scaled)->half, &ab_mesh_of_geometry(made)->half, sizeof(abut_vec3));

        abut_geometry *anew = scaled_made(original, scale);
        abut_heightfield_region products = region;
        surface multiplied = surface_scaled(&other, scale);
        products.heights = multiplied.heights;
        abut_geometry_release(original);
        assert_int_equal(abut_geometry_update_heightfield(scaled, &products), ABUT_OK);
        assert_memory_equal(scaled->coordinates, anew->coordinates, bytes);
        expect_same_triangles(scaled, anew);
        abut_geometry_release(scaled);
        abut_geometry_release(made);
        abut_geometry_release(anew);
    }
}

// They are part of a mesh, though not of its box: where a mesh made of the products is refused or has them no longer.
static void neighbours_count_for_what_can_be_scaled(void **state)
{
    (void)state;
    surface s = { .neighbours = 2 };
    const uint32_t a = mesh_vertex(&s.mesh, 0, 0, 0), b = mesh_vertex(&s.mesh, 0, 0, 1),
                   c = mesh_vertex(&s.mesh, 1, 0, 0), far = mesh_vertex(&s.mesh, 100, 0, 1),
                   low = mesh_vertex(&s.mesh, 0.5, -1e-3, -1e-7);
    mesh_triangle(&s.mesh, a, b, c);
    mesh_triangle(&s.mesh, c, b, far);
    mesh_triangle(&s.mesh, a, c, low);
    abut_geometry *original = surface_made(&s);
    abut_geometry *out;
    const float most = ABUT_MAX_MAGNITUDE;
    assert_int_equal(abut_geometry_create_scaled(original, abut_vec3_make(most, 1, 1), NULL, &out),
                     ABUT_INVALID_ARGUMENT);
    out = scaled_made(original, abut_vec3_make(0.009f * most, 1, 1));
    assert_true(ab_mesh_of_geometry(out)->half.x == 0.009f * most);
    abut_geometry_release(out);

    // The third triangle loses its area, and the first one's edge towards it becomes a border.
    const ab_edge_kind was = ab_mesh_edge_kind(ab_mesh_of_geometry(original), 0, 2);
    out = scaled_made(original, abut_vec3_make(-1, 1e-12f, 1e-7f));
    const ab_mesh *mesh = ab_mesh_of_geometry(out);
    assert_int_not_equal(was, AB_EDGE_BORDER);
    assert_false(mesh->is_scaled);
    assert_int_equal(mesh->joined_count - mesh->triangle_count, 1);
    uint32_t borders = 0;
    for (int k = 0; k < 3; ++k)
    {
        borders += ab_mesh_edge_kind(mesh, 0, k) == AB_EDGE_BORDER;
    }
    assert_int_equal(borders, 2);
    abut_geometry_release(out);
    abut_geometry_release(original);
    surface_close(&s);
}

// Corners of slivers come onto one line when they are rounded anew.
static void triangles_that_lose_their_area_are_left_out(void **state)
{
    (void)state;
    uint32_t lost = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        random_source random = random_start(seed);
        surface s = { .two_sided = seed % 2 != 0 };
        mesh_field(&s.mesh, &random, 3, 3, 1.0, 1.0, 0.3, surface_bumps, &random);
        surface_slivers(&s.mesh, &random);
        const abut_vec3 scale = { 1.1f, (float)random_scale(&random, 1e-3, 1.0),
                                  random_chance(&random, 0.5) ? -0.7f : 3 };
        surface by_hand = surface_scaled(&s, scale);
        abut_geometry *original = surface_made(&s), *scaled = scaled_made(original, scale),
                      *made = surface_made(&by_hand);
        uint32_t left[2] = { 0, 0 };
        for (uint32_t i = 0; i < s.mesh.triangle_count; ++i)
        {
            abut_vec3 at[2][3];
            const bool was = abut_geometry_mesh_triangle(original, i, NULL),
                       is = abut_geometry_mesh_triangle(scaled, i, at[0]);
            assert_int_equal(is, was && abut_geometry_mesh_triangle(made, i, at[1]));
            assert_true(!is || memcmp(at[0], at[1], sizeof at[0]) == 0);
            left[0] += was;
            left[1] += is;
        }
        lost += left[0] - left[1];
        assert_true((left[0] == left[1]) == ab_mesh_of_geometry(scaled)->is_scaled);
        abut_geometry *again = scaled_made(scaled, abut_vec3_make(0.5f, 1, 2));
        assert_ptr_equal(ab_mesh_of_geometry(again)->original, ab_mesh_of_geometry(original));
        abut_geometry_release(original);
        abut_geometry_release(scaled);
        abut_geometry_release(made);
        abut_geometry_release(again);
        surface_close(&s);
        surface_close(&by_hand);
    }
    printf("%u lost\n", lost);
    assert_true(lost > 20);
}

static abut_status status_of(const abut_geometry *geometry, float x, float y, float z)
{
    abut_geometry *out = (abut_geometry *)(void *)&geometry;
    const abut_status status = abut_geometry_create_scaled(geometry, abut_vec3_make(x, y, z), NULL, &out);
    assert_true((status == ABUT_OK) == (out != NULL));
    abut_geometry_release(out);
    return status;
}

static void what_cannot_be_scaled_is_refused(void **state)
{
    (void)state;
    random_source random = random_start(3);
    surface s = { .is_grid = false }, field = { .is_grid = true };
    mesh_field(&s.mesh, &random, 2, 2, 1.0, 2.0, 0.0, surface_bumps, &random);
    surface_grid(&field, &random);
    s.mesh.vertices[0].y = field.heights[0] = 0.25f;
    abut_geometry *surfaces[2] = { surface_made(&s), surface_made(&field) }, *out;
    const float bad[] = { 0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e38f, 1e30f };
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(status_of(surfaces[i], 1, 1, 1), ABUT_OK);
        for (size_t k = 0; k < COUNT(bad); ++k)
        {
            assert_int_equal(status_of(surfaces[i], 1, 1, bad[k]), ABUT_INVALID_ARGUMENT);
            assert_int_equal(status_of(surfaces[i], bad[k], 1, 1), ABUT_INVALID_ARGUMENT);
            assert_int_equal(status_of(surfaces[i], 1, bad[k], 1), ABUT_INVALID_ARGUMENT);
        }
        assert_int_equal(status_of(surfaces[i], 1, 1e-45f, 1), ABUT_OK);
        assert_int_equal(abut_geometry_create_scaled(surfaces[i], abut_vec3_make(1, 1, 1), NULL, NULL),
                         ABUT_INVALID_ARGUMENT);
        const abut_allocator half = { .allocate = lend };
        assert_int_equal(abut_geometry_create_scaled(surfaces[i], abut_vec3_make(1, 1, 1), &half, &out),
                         ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(status_of(surfaces[1], 1e-45f, 1, 1e-45f), ABUT_INVALID_ARGUMENT); // columns fall together
    surface small = surface_scaled(&s, abut_vec3_make(0.1f, 0.1f, 0.1f));
    abut_geometry *point = surface_made(&small);
    assert_int_equal(status_of(point, 1e-45f, 1e-45f, 1e-45f), ABUT_INVALID_ARGUMENT); // all is at the origin
    abut_geometry_release(point);
    surface_close(&small);
    // A scale that is too much together with the first one.
    abut_geometry *large = scaled_made(surfaces[0], abut_vec3_make(1e7f, 1, 1));
    assert_int_equal(status_of(large, 1e3f, 1, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(status_of(large, 1e-7f, 1, 1), ABUT_OK);
    abut_geometry_release(large);
    assert_int_equal(status_of(surfaces[0], -1, 1, 1), ABUT_OK);
    assert_int_equal(status_of(surfaces[1], -1, 1, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(status_of(surfaces[1], 1, -1, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(status_of(surfaces[1], 1, 1, -1), ABUT_INVALID_ARGUMENT);
    const abut_placed_shape part = { abut_shape_sphere(1), abut_pose_identity() };
    abut_geometry *compound;
    assert_int_equal(abut_geometry_create_compound(&part, 1, NULL, &compound), ABUT_OK);
    assert_int_equal(status_of(compound, 1, 1, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(status_of(NULL, 1, 1, 1), ABUT_INVALID_ARGUMENT);
    abut_geometry_release(compound);
    abut_geometry_release(surfaces[0]);
    abut_geometry_release(surfaces[1]);
    surface_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scaled_mesh_is_scaled_from_the_original),
        cmocka_unit_test(a_scaled_field_is_a_field_of_its_own),
        cmocka_unit_test(neighbours_count_for_what_can_be_scaled),
        cmocka_unit_test(triangles_that_lose_their_area_are_left_out),
        cmocka_unit_test(what_cannot_be_scaled_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
