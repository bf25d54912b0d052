// Characters on the ground: slopes, steps and stairs at any speed, standing still, jumps, small triangles, any direction
// up.
#include "character_scene.h"
#include "mesh_makers.h"

static void slopes_up_to_the_steepest_are_walked_at_full_speed(void **state)
{
    (void)state;
    for (int degrees = 5; degrees <= 85; degrees += 5)
    {
        abut_world *world = open_floor();
        const float angle = (float)degrees * DEGREE;
        // its upper face goes through (2, 0)
        put(world, abut_shape_obb(20, 1, 5), 2 + sinf(angle) + 20 * cosf(angle) - 20 * cosf(angle), -cosf(angle),
            (float)degrees);
        update(world);
        abut_character c = person(0, 0, 0);
        c.stands = true;
        const abut_character_move m = go(world, &c, PACE, 100);
        assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
        if (degrees < 47)
        {
            assert_float_equal(c.pose.position.x, 5, 1e-3);
            assert_true(c.pose.position.y > FEET + 2 * tanf(angle));
            assert_float_equal(m.ground.normal.y, cosf(angle), 1e-4);
            // and down again, with its feet on the ground all the way
            for (int i = 0; i < 50; ++i)
            {
                const float before = c.pose.position.y;
                assert_int_equal(go(world, &c, -PACE, 1).footing, ABUT_FOOTING_GROUND);
                assert_true(c.pose.position.y <= before + 1e-5f);
            }
        }
        else
        {
            assert_true(c.pose.position.x < 2 && c.pose.position.y < FEET + SKIN + 1e-3f);
            assert_int_equal(m.touch_count, 1);
        }
        abut_world_destroy(world);
    }
}

static void too_steep_ground_is_slid_down(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    put(world, abut_shape_obb(20, 1, 5), 0, 0, 60);
    update(world);
    abut_character c = person(1, 5, 0);
    abut_character_move m = go(world, &c, 0, 45);
    assert_int_equal(m.footing, ABUT_FOOTING_STEEP);
    assert_float_equal(m.ground.normal.y, 0.5f, 1e-4);
    for (int i = 0; i < 100 && !c.stands; ++i)
    {
        m = move(world, &c, m.translation.x, m.translation.y - FALL, 0);
    }
    assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
    expect_at(&c, c.pose.position.x, 0, 0.5f * SKIN);
    assert_true(c.pose.position.x < 0);
    abut_world_destroy(world);
}

static void it_stands_still_on_slopes(void **state)
{
    (void)state;
    for (int degrees = 0; degrees < 47; degrees += 9)
    {
        abut_world *world = open_world(NULL);
        put(world, abut_shape_obb(20, 1, 5), 0, -1, (float)degrees);
        update(world);
        abut_character c = person(0, 2, 0);
        assert_int_equal(go(world, &c, 0, 100).footing, ABUT_FOOTING_GROUND);
        const abut_vec3 before = c.pose.position;
        for (int i = 0; i < 300; ++i)
        {
            assert_int_equal(move(world, &c, 0, -0.16f, 0).footing, ABUT_FOOTING_GROUND);
        }
        assert_memory_equal(&before, &c.pose.position, sizeof before);
        abut_world_destroy(world);
    }
}

static void steps_are_climbed_up_to_their_height(void **state)
{
    (void)state;
    for (int centimetres = 5; centimetres <= 60; centimetres += 5)
    {
        abut_world *world = open_floor();
        const float height = 0.01f * (float)centimetres;
        put(world, abut_shape_obb(2, height, 2), 4, 0, 0);
        update(world);
        for (int kind = 0; kind < 3; ++kind)
        {
            abut_character c = person(0, 0, 0);
            c.shape = kind == 0   ? c.shape
                      : kind == 1 ? abut_shape_obb(RADIUS, FEET, RADIUS)
                                  : abut_shape_sphere(RADIUS);
            c.pose.position.y = (kind == 2 ? RADIUS : FEET) + SKIN;
            c.stands = true;
            (void)go(world, &c, PACE, 80);
            const float up = c.pose.position.y - (kind == 2 ? RADIUS : FEET) - SKIN;
            if (centimetres <= 30)
            {
                expect_at(&c, 4, kind == 2 ? height + RADIUS - FEET : height, 1.1f * SKIN);
                assert_int_equal(go(world, &c, PACE, 80).footing, ABUT_FOOTING_GROUND);
                assert_float_equal(c.pose.position.x, 8, 1.1f * SKIN);
                assert_float_equal(c.pose.position.y, (kind == 2 ? RADIUS : FEET) + SKIN, 2e-3);
            }
            else
            {
                assert_float_equal(c.pose.position.x, 2 - RADIUS - SKIN, 2e-3);
                assert_float_equal(up, 0, 1e-3);
            }
        }
        abut_world_destroy(world);
    }
}

static void stairs_are_gone_down_on_foot(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    for (int i = 1; i <= 10; ++i)
    {
        put(world, abut_shape_obb(0.15f * (float)i, 0.1f * (float)(11 - i), 2), 0, 0, 0);
    }
    update(world);
    abut_character c = person(0, 1, 0);
    c.stands = true;
    for (int i = 0; i < 80; ++i)
    {
        assert_int_equal(go(world, &c, PACE, 1).footing, ABUT_FOOTING_GROUND);
    }
    expect_at(&c, 4, 0, 1e-3f);
    abut_world_destroy(world);
}

static void it_jumps_and_ceilings_stop_it(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    put(world, abut_shape_obb(5, 0.5f, 5), 0, 2.8f, 0); // from 2.3 m on
    update(world);
    abut_character c = person(0, 0, 0);
    c.stands = true;
    abut_character_move m = move(world, &c, 0.02f, 0.3f, 0);
    assert_int_equal(m.footing, ABUT_FOOTING_NONE);
    assert_int_equal(m.touch_count, 0);
    assert_float_equal(c.pose.position.y, FEET + SKIN + 0.3f, 1e-5);
    m = move(world, &c, 0.02f, 0.3f, 0);
    assert_int_equal(m.touch_count, 1);
    assert_float_equal(m.touches[0].normal.y, -1, 1e-5);
    assert_float_equal(m.translation.y, 0, 1e-6);
    assert_float_equal(m.translation.x, 0.02f, 1e-6);
    expect_at(&c, 0.04f, 0.5f - 2 * SKIN, 1e-4f);
    abut_world_destroy(world);
}

static void the_slow_climb_steps_too(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    put(world, abut_shape_obb(2, 0.2f, 2), 4, 0, 0);
    update(world);
    abut_character c = person(1.6f, 0, 0);
    c.stands = true;
    (void)go(world, &c, 0.002f, 300);
    assert_true(c.pose.position.x > 2 && c.pose.position.y > FEET + 0.2f);
    abut_world_destroy(world);
}

// Without gravity in its translation, which rounding may make rise a little.
static void it_walks_with_any_direction_up(void **state)
{
    (void)state;
    random_source random = random_start(3);
    for (int level = 0; level < 50; ++level)
    {
        abut_world *world = open_world(NULL);
        abut_body floor;
        abut_body_def def = { .motion = ABUT_STATIC, .collider.shape = abut_shape_obb(50, 1, 50) };
        def.pose.rotation = random_narrow_rotation(random_rotation(&random));
        assert_int_equal(abut_body_create(world, &def, &floor), ABUT_OK);
        update(world);
        abut_character c = person(0, 0, 0);
        c.up = abut_quat_rotate(def.pose.rotation, abut_vec3_make(0, 1, 0));
        c.pose.rotation = def.pose.rotation;
        c.pose.position = abut_vec3_scale(c.up, 1 + FEET + SKIN);
        c.stands = true;
        for (int i = 0; i < 100; ++i)
        {
            const double angle = random_between(&random, 0, 6.2832);
            const abut_vec3 way = abut_vec3_make(PACE * (float)cos(angle), 0, PACE * (float)sin(angle));
            const abut_vec3 t = abut_quat_rotate(def.pose.rotation, way);
            assert_int_equal(move(world, &c, t.x, t.y, t.z).footing, ABUT_FOOTING_GROUND);
        }
        abut_world_destroy(world);
    }
}

static void it_runs_up_stairs_at_any_speed(void **state)
{
    (void)state;
    for (int fast = 1; fast <= 20; ++fast)
    {
        abut_world *world = open_floor();
        for (int i = 1; i <= 10; ++i)
        {
            put(world, abut_shape_obb(20 - 0.3f * (float)i, 0.18f * (float)i, 2), 21, 0, 0);
        }
        update(world);
        abut_character c = person(0, 0, 0);
        c.stands = true;
        assert_int_equal(go(world, &c, 0.05f * (float)fast, 400 / fast).footing, ABUT_FOOTING_GROUND);
        assert_true(c.pose.position.y > FEET + 1.79f);
        abut_world_destroy(world);
    }
}

static double bumps(void *context, double x, double z)
{
    (void)context;
    return 0.04 * sin(9 * x) * cos(7 * z) - 0.05;
}

static void ground_of_small_triangles_does_not_slow_it(void **state)
{
    (void)state;
    random_source random = random_start(7);
    mesh_maker maker = { 0 };
    mesh_field(&maker, &random, 150, 150, 3, 3, 0.2, bumps, NULL); // 4 cm
    abut_geometry *ground = mesh_made(&maker);
    abut_world *world = open_world(NULL);
    put(world, abut_shape_mesh(ground), 0, 0, 0);
    update(world);
    abut_character c = person(-2.5f, 0.3f, 0.1f);
    (void)go(world, &c, 0, 60);
    const float pace = 0.2f;
    for (int i = 0; i < 25; ++i)
    {
        const float before = c.pose.position.x;
        const abut_character_move m = go(world, &c, pace, 1);
        assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
        assert_float_equal(c.pose.position.x, before + pace, 1e-4);
    }
    abut_world_destroy(world);
    abut_geometry_release(ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_up_to_the_steepest_are_walked_at_full_speed),
        cmocka_unit_test(too_steep_ground_is_slid_down),
        cmocka_unit_test(it_stands_still_on_slopes),
        cmocka_unit_test(steps_are_climbed_up_to_their_height),
        cmocka_unit_test(stairs_are_gone_down_on_foot),
        cmocka_unit_test(it_jumps_and_ceilings_stop_it),
        cmocka_unit_test(the_slow_climb_steps_too),
        cmocka_unit_test(it_walks_with_any_direction_up),
        cmocka_unit_test(it_runs_up_stairs_at_any_speed),
        cmocka_unit_test(ground_of_small_triangles_does_not_slow_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
