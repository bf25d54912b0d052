// Heightfields: how triangles are numbered, materials, what is refused, hashes, images, and out of memory.
#include "random_field.h"
#include "scarce_memory.h"
#include "whole_image.h"

static void triangles_are_numbered_by_cells(void **state)
{
    (void)state;
    field f = { .def = { .columns = 3, .rows = 4, .step_x = 2, .step_z = 1 } };
    f.cells[1] = ABUT_CELL_HOLE;
    f.heights[4] = 5.0f;
    abut_geometry *geometry = field_made(&f), *mesh = mesh_of(&f);
    abut_vec3 corner[3], of_mesh[3];
    assert_int_equal(abut_geometry_mesh_triangles(geometry), 12);
    for (uint32_t i = 0; i < 13; ++i)
    {
        const bool there = i / 2 != 1 && i < 12;
        assert_true(abut_geometry_mesh_triangle(geometry, i, corner) == there);
        assert_true(abut_geometry_mesh_triangle(mesh, i, of_mesh) == there);
        if (there)
        {
            assert_memory_equal(corner, of_mesh, sizeof corner);
        }
    }
    assert_true(abut_geometry_mesh_triangle(geometry, 0, corner));
    assert_true(corner[0].x == -2.0f && corner[0].z == -1.5f && corner[1].z == -0.5f && corner[2].x == 0.0f);
    assert_true(abut_geometry_mesh_triangle(geometry, 0, NULL));
    const abut_shape shape = abut_shape_mesh(geometry), same = abut_shape_mesh(mesh);
    assert_true(abut_shape_bounding_radius(&shape) == abut_shape_bounding_radius(&same));
    abut_geometry_release(geometry);
    abut_geometry_release(mesh);
}

static void materials_are_of_cells(void **state)
{
    (void)state;
    random_source random = random_start(7);
    field f = random_field(&random);
    const uint32_t cells = (f.def.columns - 1) * (f.def.rows - 1);
    for (int given = 0; given < 2; ++given)
    {
        f.has_materials = given != 0;
        abut_geometry *geometry = field_made(&f);
        for (uint32_t i = 0; i < 2 * cells; ++i)
        {
            assert_int_equal(abut_geometry_mesh_material(geometry, i), given ? f.materials[i / 2] : 0);
        }
        assert_int_equal(abut_geometry_mesh_material(geometry, 2 * cells), 0);
        abut_geometry_release(geometry);
    }
    assert_int_equal(abut_geometry_mesh_material(NULL, 0), 0);
}

static abut_status status_of(const abut_heightfield_def *def)
{
    abut_geometry *out;
    const abut_status status = abut_geometry_create_heightfield(def, NULL, &out);
    assert_true((status == ABUT_OK) == (out != NULL));
    abut_geometry_release(out);
    return status;
}

static void what_is_no_heightfield_is_refused(void **state)
{
    (void)state;
    float heights[4] = { 0 };
    const uint8_t cells[] = { ABUT_CELL_HOLE, ABUT_CELL_NEIGHBOUR, 3, 255 };
    const abut_heightfield_def good = { .heights = heights, .columns = 2, .rows = 2, .step_x = 1, .step_z = 1 };
    abut_heightfield_def bad = good;
    abut_geometry *out = (abut_geometry *)(void *)heights;
    assert_int_equal(status_of(&good), ABUT_OK);
    bad.columns = 1;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    bad = good;
    bad.rows = 0;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    bad.rows = bad.columns = 1u << 13;
    assert_int_equal(status_of(&bad), ABUT_LIMIT);
    const float steps[] = { 0.0f, -1.0f, NAN, INFINITY, 2.0f * ABUT_MAX_MAGNITUDE, 1e-40f };
    for (size_t i = 0; i < COUNT(steps); ++i)
    {
        bad = good;
        bad.step_x = steps[i];
        assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
        bad = good;
        bad.step_z = steps[i];
        assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    }
    bad = good;
    for (size_t i = 0; i < COUNT(cells); ++i)
    {
        bad.cells = &cells[i];
        assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    }
    bad = good;
    bad.heights = NULL;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    const float values[] = { NAN, INFINITY, -2.0f * ABUT_MAX_MAGNITUDE };
    for (size_t i = 0; i < COUNT(values); ++i)
    {
        heights[3] = values[i];
        assert_int_equal(status_of(&good), ABUT_INVALID_ARGUMENT);
    }
    heights[3] = 1e6f;
    bad = good;
    bad.step_x = bad.step_z = 1e-7f;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_heightfield(NULL, NULL, &out), ABUT_INVALID_ARGUMENT);
    assert_null(out);
    assert_int_equal(abut_geometry_create_heightfield(&good, NULL, NULL), ABUT_INVALID_ARGUMENT);
    const abut_allocator half = { .allocate = lend };
    assert_int_equal(abut_geometry_create_heightfield(&good, &half, &out), ABUT_INVALID_ARGUMENT);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    const float heights[4] = { 0, 1, 2, 3 };
    const abut_heightfield_def def = { .heights = heights, .columns = 2, .rows = 2, .step_x = 1, .step_z = 1 };
    for (uint64_t granted = 0; granted < 2; ++granted)
    {
        source memory = { .first_failed = granted };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        abut_geometry *out;
        assert_int_equal(abut_geometry_create_heightfield(&def, &allocator, &out),
                         granted ? ABUT_OK : ABUT_OUT_OF_MEMORY);
        abut_geometry_release(out);
        assert_int_equal(memory.blocks, 0);
    }
}

static void hashes_are_of_heights_cells_materials_and_sides(void **state)
{
    (void)state;
    random_source random = random_start(5);
    field f = random_field(&random);
    uint64_t hash[6];
    f.cells[1] = ABUT_CELL_SURFACE;
    for (uint32_t i = 0; i < 6; ++i)
    {
        field changed = f;
        changed.has_materials = true;
        changed.materials[1] = (uint16_t)(f.materials[1] ^ (i == 5 ? 1u : 0u));
        changed.cells[1] = i == 1 ? ABUT_CELL_HOLE : i == 4 ? ABUT_CELL_NEIGHBOUR : ABUT_CELL_SURFACE;
        changed.heights[2] += i == 2 ? 0.5f : 0.0f;
        changed.def.two_sided = i == 3 ? !f.def.two_sided : f.def.two_sided;
        abut_geometry *geometry = field_made(&changed);
        hash[i] = hash_with_mesh(geometry);
        assert_true(i == 0 || (hash[i] != hash[0] && (i != 4 || hash[4] != hash[1])));
        abut_geometry_release(geometry);
    }
}

static void images_name_a_heightfield(void **state)
{
    (void)state;
    random_source random = random_start(6);
    field f = random_field(&random);
    abut_geometry *geometry = field_made(&f);
    const abut_geometry *list[1] = { geometry };
    const abut_registry registry = { list, 1 };
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(geometry), 0, 0, 0, ABUT_STATIC);
    const abut_body body = add(world, abut_shape_sphere(1), 0, 0.5f, 0, ABUT_DYNAMIC);
    detect(world);
    size_t size;
    void *image = image_restored(world, &registry, body, &size);
    free(image);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_numbered_by_cells),
        cmocka_unit_test(what_is_no_heightfield_is_refused),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(materials_are_of_cells),
        cmocka_unit_test(hashes_are_of_heights_cells_materials_and_sides),
        cmocka_unit_test(images_name_a_heightfield),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
