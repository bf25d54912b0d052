// Input that is not 2D fails, in every call and wherever it was written: other dimensions, poses and velocities that
// lead out of the xy plane. Polygons fail in 3D.
#include "small_world.h"

#include <string.h>

static void other_dimensions_fail(void **state)
{
    (void)state;
    for (uint32_t dimension = 0; dimension < 6; ++dimension)
    {
        const abut_world_def def = { .dimension = dimension };
        abut_world *world;
        const bool sound = dimension == 0 || dimension == 2 || dimension == 3;
        assert_int_equal(abut_world_create(&def, &world), sound ? ABUT_OK : ABUT_INVALID_ARGUMENT);
        abut_world_destroy(world);
    }
}

static void polygons_fail_in_3d(void **state)
{
    (void)state;
    error_note last = { 0 };
    const abut_world_def def = { .on_error = note_error, .on_error_context = &last };
    abut_world *world = open_world(&def);
    const abut_vec2 corners[3] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    abut_geometry *triangle;
    assert_int_equal(abut_geometry_create_polygon(corners, COUNT(corners), NULL, &triangle), ABUT_OK);
    const abut_shape polygon = abut_shape_polygon(triangle);
    const abut_body_def body_def = { .collider.shape = polygon };
    abut_body body;
    assert_int_equal(abut_body_create(world, &body_def, &body), ABUT_INVALID_ARGUMENT);
    assert_non_null(strstr(last.sentence, "2D"));
    body = add(world, abut_shape_sphere(1), 0, 0, 0, ABUT_DYNAMIC);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collider_attach(world, body, &body_def.collider, &collider), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_geometry_release(triangle);
}

// Poses and velocities that lead out of the xy plane, one fault each.
static const abut_pose not_2d[] = {
    { .position = { 0, 0, 1e-9f }, .rotation = { 0, 0, 0, 1 } },
    { .rotation = { 1e-9f, 0, 0, 1 } },
    { .rotation = { 0, 1e-9f, 0.6f, 0.8f } },
};

static const abut_velocity leads_out_of_2d[] = {
    { .linear = { 0, 0, 1e-9f } },
    { .angular = { 1e-9f, 0, 0 } },
    { .angular = { 0, 1e-9f, 0 } },
};

static void every_setter_demands_2d(void **state)
{
    (void)state;
    error_note last = { 0 };
    const abut_world_def def = { .dimension = 2, .on_error = note_error, .on_error_context = &last };
    abut_world *world = open_world(&def);
    const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    const uint64_t hash = abut_world_hash(world);
    for (size_t k = 0; k < COUNT(not_2d); ++k)
    {
        const abut_collider_def local_def = { .shape = abut_shape_sphere(1), .local = not_2d[k] };
        const abut_body_def defs[3] = { { .pose = not_2d[k] },
                                        { .velocity = leads_out_of_2d[k] },
                                        { .collider = local_def } };
        abut_body other;
        abut_collider another;
        for (int i = 0; i < 3; ++i)
        {
            last.sentence = NULL;
            assert_int_equal(abut_body_create(world, &defs[i], &other), ABUT_INVALID_ARGUMENT);
            assert_non_null(strstr(last.sentence, "2D"));
        }
        assert_int_equal(abut_body_set_pose(world, body, &not_2d[k]), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_set_pose_many(world, &body, 1, &not_2d[k]), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_move_to(world, body, &not_2d[k], 0.1f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_set_velocity(world, body, &leads_out_of_2d[k]), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_set_velocity_many(world, &body, 1, &leads_out_of_2d[k]), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collider_attach(world, body, &local_def, &another), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collider_set(world, collider, &local_def), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collider_set_local(world, collider, &not_2d[k]), ABUT_INVALID_ARGUMENT);
    }
    assert_true(abut_world_hash(world) == hash);
    detect(world);
    abut_world_destroy(world);
}

static void values_written_in_place_must_be_2d(void **state)
{
    (void)state;
    for (int isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (!abut_isa_available((abut_isa)isa))
        {
            continue;
        }
        const abut_world_def def = { .dimension = 2, .isa = (abut_isa)isa };
        abut_world *world = open_world(&def);
        const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
        add(world, abut_shape_sphere(1), 1, 0, 0, ABUT_DYNAMIC);
        expect(world, 1, 1, 0);
        const abut_bodies bodies = abut_world_bodies(world);
        const abut_pose sound = bodies.poses[body.slot];
        for (size_t k = 0; k < COUNT(not_2d); ++k)
        {
            bodies.poses[body.slot] = not_2d[k];
            bodies.velocities[body.slot].linear.x = 1.0f; // so that a move looks at it
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_world_move(world, 0.1f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(touching(world), 1);
            bodies.poses[body.slot] = sound;
            bodies.velocities[body.slot] = leads_out_of_2d[k];
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK); // reads no velocities
            assert_int_equal(abut_world_detect(world, 0.1f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_world_move(world, 0.1f), ABUT_INVALID_ARGUMENT);
            bodies.velocities[body.slot] = (abut_velocity){ 0 };
            expect(world, 1, 0, 0);
        }
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_dimensions_fail),
        cmocka_unit_test(polygons_fail_in_3d),
        cmocka_unit_test(every_setter_demands_2d),
        cmocka_unit_test(values_written_in_place_must_be_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
