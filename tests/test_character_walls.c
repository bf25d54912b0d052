// Characters between things: walls that lean, corners, steep ground, edges, lifts, presses, and what they ride on.
#include "character_scene.h"

static void it_goes_on_along_walls_that_lean_over_sloping_ground(void **state)
{
    (void)state;
    for (int lean = -40; lean <= 40; lean += 10)
    {
        for (int slope = -30; slope <= 30; slope += 15)
        {
            abut_world *world = open_world(NULL);
            put(world, abut_shape_obb(30, 1, 30), 0, -1, (float)slope);
            const abut_body wall = put(world, abut_shape_obb(30, 30, 1), 0, 0, 0);
            abut_pose *pose = &abut_world_bodies(world).poses[wall.slot];
            pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), (float)lean * DEGREE);
            pose->position.z = 1 / cosf((float)lean * DEGREE) + 1;
            update(world);
            abut_character c = person(0, 1, -2);
            (void)go(world, &c, 0, 60);
            const float from = c.pose.position.x;
            for (int i = 0; i < 200; ++i)
            {
                (void)move(world, &c, PACE, -FALL, PACE);
            }
            assert_true(c.pose.position.x > from + 80 * PACE);
            abut_world_destroy(world);
        }
    }
}

static void it_slides_down_steep_ground_that_it_presses_against(void **state)
{
    (void)state;
    for (int degrees = 50; degrees < 90; degrees += 3)
    {
        for (int turn = 0; turn < 360; turn += 40)
        {
            abut_world *world = open_world(NULL);
            const abut_body slope = put(world, abut_shape_obb(30, 1, 30), 0, 0, 0);
            const abut_quat about = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), (float)turn * DEGREE);
            const abut_quat rise = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), (float)degrees * DEGREE);
            abut_world_bodies(world).poses[slope.slot].rotation = abut_quat_mul(about, rise);
            update(world);
            const abut_vec3 into = abut_quat_rotate(about, abut_vec3_make(PACE, 0, 0));
            const abut_vec3 above = abut_quat_rotate(about, abut_vec3_make(-2 / sinf((float)degrees * DEGREE), 0, 0));
            abut_character c = person(above.x, above.y, above.z);
            float fall = 0;
            for (int i = 0; i < 100; ++i)
            {
                const float before = c.pose.position.y;
                fall += FALL;
                fall = -move(world, &c, into.x, -fall, into.z).translation.y;
                assert_true(c.pose.position.y < before);
            }
            abut_world_destroy(world);
        }
    }
}

static void it_falls_along_corners_and_steep_ground_does_not_lift_it(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    put(world, abut_shape_obb(0.5f, 5, 5), 2.5f, 5, 0);
    const abut_body side = put(world, abut_shape_obb(5, 5, 0.5f), 0, 5, 0);
    // a corner of 60 degrees about (2, 3)
    abut_pose *pose = &abut_world_bodies(world).poses[side.slot];
    pose->position = abut_vec3_make(1.75f, 5, 3.433f);
    pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), -30 * DEGREE);
    put(world, abut_shape_obb(1, 20, 5), -10, 0, 30); // leans at 60 degrees, through (-9.1, 0)
    update(world);
    abut_character c = person(1, 4, 0);
    c.pose.position.z = 1.9f;
    for (int i = 1; i <= 10; ++i)
    {
        const abut_character_move m = move(world, &c, 0.1f, -0.2f, 0.1f);
        assert_float_equal(c.pose.position.y, 4 + FEET + SKIN - 0.2f * (float)i, 1e-4);
        assert_float_equal(m.translation.y, -0.2f, 1e-5);
    }
    c = person(-9, 4, 0);
    for (int i = 0; i < 20; ++i)
    {
        (void)move(world, &c, -0.2f, 0, 0);
        assert_true(c.pose.position.y <= 4 + FEET + SKIN + 1e-4f);
    }
    abut_world_destroy(world);
}

static void walls_and_edges_give_it_no_speed(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    put(world, abut_shape_obb(30, 3, 0.5f), 0, 3, 0); // from z = -0.5 on
    put(world, abut_shape_obb(1, 0.7f, 1), 40, 0, 0);
    update(world);
    // slowly along a wall
    abut_character c = person(0, 0, 0);
    c.pose.position.z = -0.5f - RADIUS - 2 * SKIN;
    c.stands = true;
    for (int i = 0; i < 200; ++i)
    {
        (void)move(world, &c, 0.006f, -FALL, 0.002f);
    }
    assert_float_equal(c.pose.position.x, 200 * 0.006f, 1e-3);
    // over an edge that it brushes as it rises
    for (int k = 0; k < 40; ++k)
    {
        c = person(38.6f - 0.05f * (float)k, 0, 0);
        float rise = 0.075f;
        for (int i = 0; i < 60 && !c.stands; ++i)
        {
            const abut_character_move m = move(world, &c, 0.1f, rise, 0);
            assert_true(m.translation.y <= (rise > 0 ? rise : 0) + 1e-6f);
            rise = m.translation.y - FALL;
            assert_true(c.pose.position.y < FEET + SKIN + 1.1f);
        }
    }
    abut_world_destroy(world);
}

// Two upright walls with up to 170 degrees between them, walked into in the middle.
static void obtuse_corners_do_not_throw_it_back(void **state)
{
    (void)state;
    for (int degrees = 100; degrees <= 170; degrees += 10)
    {
        abut_world *world = open_floor();
        for (int side = -1; side <= 1; side += 2)
        {
            const float half = 0.5f * (float)(180 - degrees) * DEGREE * (float)side;
            const abut_body wall = put(world, abut_shape_obb(0.5f, 3, 5), 0, 3, 0);
            abut_pose *pose = &abut_world_bodies(world).poses[wall.slot];
            pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), half);
            pose->position = abut_quat_rotate(pose->rotation, abut_vec3_make(0.5f, 0, -5.0f * (float)side));
            pose->position.x += 2;
        }
        update(world);
        abut_character c = person(0, 0, 0);
        c.stands = true;
        for (int i = 0; i < 100; ++i)
        {
            const float x = c.pose.position.x, z = c.pose.position.z;
            const abut_character_move m = move(world, &c, PACE, -FALL, 0.001f);
            // it has come to the corner by then
            assert_true(i < 60 || fabsf(m.translation.x - (c.pose.position.x - x)) < 2e-3f);
            assert_true(i < 60 || fabsf(m.translation.z - (c.pose.position.z - z)) < 2e-3f);
        }
        abut_world_destroy(world);
    }
}

static void its_footing_does_not_flicker_beside_steep_ground(void **state)
{
    (void)state;
    for (int degrees = 50; degrees <= 80; degrees += 3)
    {
        abut_world *world = open_floor();
        const abut_body bank = put(world, abut_shape_obb(60, 1, 10), 0, 0, 0);
        abut_pose *pose = &abut_world_bodies(world).poses[bank.slot];
        pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), -(float)degrees * DEGREE);
        pose->position.z = 3;
        update(world);
        abut_character c = person(-20, 0, 0);
        c.stands = true;
        for (int i = 0; i < 1000; ++i)
        {
            assert_int_equal(move(world, &c, 0.033f, -FALL, 0.002f).footing, ABUT_FOOTING_GROUND);
        }
        abut_world_destroy(world);
    }
}

static void corners_stop_it_and_walls_turn_it(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    put(world, abut_shape_obb(0.5f, 2, 5), 2.5f, 2, 0);
    const abut_body side = put(world, abut_shape_obb(5, 2, 0.5f), 0, 2, 0);
    abut_world_bodies(world).poses[side.slot].position.z = 3.5f;
    update(world);
    abut_character c = person(0, 0, 0);
    c.stands = true;
    abut_character_move m;
    for (int i = 0; i < 200; ++i)
    {
        m = move(world, &c, PACE, -FALL, 0.5f * PACE);
    }
    const abut_vec3 before = c.pose.position;
    assert_float_equal(before.x, 2 - RADIUS - SKIN, 1e-4);
    assert_float_equal(before.z, 3 - RADIUS - SKIN, 1e-4);
    m = move(world, &c, PACE, -FALL, 0.5f * PACE);
    assert_memory_equal(&before, &c.pose.position, sizeof before);
    assert_float_equal(abut_vec3_length(m.translation), 0, 1e-6);
    assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
    // out again, along one wall
    m = move(world, &c, PACE, -FALL, -PACE);
    assert_float_equal(c.pose.position.x, before.x, 1e-6);
    assert_float_equal(c.pose.position.z, before.z - PACE, 1e-5);
    assert_int_equal(m.touch_count, 1);
    assert_float_equal(m.touches[0].stopped.x, PACE, 1e-5);
    assert_float_equal(m.touches[0].normal.x, -1, 1e-5);
    abut_world_destroy(world);
}

static void a_lift_carries_it_and_a_press_holds_it(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    const abut_body lift = put(world, abut_shape_obb(1, 0.1f, 1), 0, -0.1f, 0);
    update(world);
    abut_character c = person(0, 0, 0);
    c.stands = true;
    for (int i = 1; i <= 100; ++i)
    {
        abut_world_bodies(world).poses[lift.slot].position.y = -0.1f + 0.03f * (float)i;
        update(world);
        const abut_character_move m = move(world, &c, 0, -FALL, 0);
        assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
        assert_false(m.stuck);
        assert_true(c.pose.position.y > FEET + 0.03f * (float)i);
        assert_true(c.pose.position.y < FEET + 0.03f * (float)i + 1.1f * SKIN);
    }
    const abut_body press = put(world, abut_shape_obb(1, 0.5f, 1), 0, 3 + 2 * FEET + 0.5f + 0.05f, 0);
    update(world);
    assert_false(move(world, &c, 0, -FALL, 0).stuck);
    abut_world_bodies(world).poses[press.slot].position.y -= 0.2f;
    update(world);
    const abut_character_move m = move(world, &c, 0, -FALL, 0);
    assert_true(m.stuck);
    assert_true(fabsf(c.pose.position.y - FEET - 3) < 0.3f);
    for (int i = 0; i < 40; ++i) // it gets out where it can
    {
        (void)move(world, &c, PACE, -FALL, 0);
    }
    assert_true(c.pose.position.x > 1.2f);
    abut_world_destroy(world);
}

// A lift that rises by less than the skin in a tick, level or sloping: the character keeps its distance from it.
static void ride_slowly(float rise, int degrees)
{
    abut_world *world = open_floor();
    const abut_body lift = put(world, abut_shape_obb(2, 0.1f, 2), 0, 0.5f, 0);
    abut_pose *pose = &abut_world_bodies(world).poses[lift.slot];
    pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), (float)degrees * DEGREE);
    update(world);
    abut_character c = person(0, 0.6f + 0.2f, 0);
    c.stands = true;
    for (int i = 0; i < 100; ++i)
    {
        const float before = c.pose.position.y;
        pose->position.y += rise;
        update(world);
        const abut_character_move m = move(world, &c, 0, -FALL, 0);
        if (i > 3)
        {
            assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
            assert_int_equal(m.touch_count, 0);
            assert_float_equal(c.pose.position.x, 0, 1e-5);
            assert_float_equal(c.pose.position.y - before, rise, rise < 0.1f * SKIN ? 0.15f * SKIN : 1e-5f);
        }
    }
    abut_world_destroy(world);
}

static void a_slow_lift_lifts_it_evenly(void **state)
{
    (void)state;
    for (float rise = 0.05f * SKIN; rise < SKIN; rise *= 1.4f)
    {
        for (int degrees = 0; degrees <= 40; degrees += 20)
        {
            ride_slowly(rise, degrees);
        }
    }
}

// It does not lift it into what is above.
static void a_slow_lift_stops_it_below_a_ceiling(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    const abut_body lift = put(world, abut_shape_obb(2, 0.1f, 2), 0, -0.1f, 0);
    (void)put(world, abut_shape_obb(2, 0.1f, 2), 0, 2 * FEET + 0.05f + 0.1f, 0);
    update(world);
    abut_character c = person(0, 0, 0);
    for (int i = 0; i < 200; ++i)
    {
        abut_world_bodies(world).poses[lift.slot].position.y += 0.00019f; // 38 mm in all
        update(world);
        const abut_character_move m = move(world, &c, 0, -FALL, 0);
        assert_false(m.stuck);
        assert_int_equal(m.touch_count, 0);
        assert_true(c.pose.position.y < FEET + 0.05f);
    }
    abut_world_destroy(world);
}

static bool is_in_something(const abut_world *world, const abut_character *c)
{
    const abut_placed_shape shape = { c->shape, c->pose };
    abut_found found;
    uint32_t count;
    assert_int_equal(abut_world_overlap_shape(world, &shape, NULL, &found, 1, &count), ABUT_OK);
    return count > 0;
}

// A slab whose upper face goes through the origin, turned about x and then about z.
static void put_slab(abut_world *world, float about_x, float about_z)
{
    const abut_quat x = abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), about_x * DEGREE),
                    z = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), about_z * DEGREE);
    abut_body_def def = { .motion = ABUT_STATIC, .collider.shape = abut_shape_obb(50, 1, 50) };
    abut_body unused;
    def.pose.rotation = abut_quat_mul(z, x);
    def.pose.position = abut_quat_rotate(def.pose.rotation, abut_vec3_make(0, -1, 0));
    assert_int_equal(abut_body_create(world, &def, &unused), ABUT_OK);
}

// A lift comes down on it by 7 mm in each tick: on a slope, or in a gutter between two. What closes is open downhill.
static void close_in(int degrees, float gutter)
{
    abut_world *world = open_world(NULL);
    put_slab(world, gutter, (float)degrees);
    put_slab(world, -gutter, (float)degrees);
    abut_character c = person(0, RADIUS / (cosf((float)degrees * DEGREE) * cosf(gutter * DEGREE)) - RADIUS, 0);
    c.max_slope = 70 * DEGREE;
    c.stands = true;
    const float top = c.pose.position.y + FEET + 0.1f;
    const abut_body lift = put(world, abut_shape_obb(20, 0.1f, 20), 0, top + 0.1f, 0);
    for (int i = 1; i <= 60; ++i)
    {
        abut_world_bodies(world).poses[lift.slot].position.y = top + 0.1f - 0.007f * (float)i;
        update(world);
        assert_false(move(world, &c, 0, -FALL, 0).stuck);
        assert_false(is_in_something(world, &c));
    }
    const float way = 0.3f / tanf((float)degrees * DEGREE); // at least: the lift comes down by more than that
    assert_true(c.pose.position.x < -way && c.pose.position.x > -2 * way);
    abut_world_destroy(world);
}

static void a_wedge_that_closes_lets_it_out(void **state)
{
    (void)state;
    for (int degrees = 8; degrees <= 60; degrees += 4)
    {
        close_in(degrees, 0);
        close_in(degrees, 30);
    }
}

// By the recipe of docs/characters.md.
static void it_rides_on_what_moves_and_turns(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    const abut_body disc = put(world, abut_shape_obb(3, 0.2f, 3), 0, 0.8f, 0);
    update(world);
    abut_character c = person(2, 1, 0);
    abut_vec3 on_ground = { 0, 0, 0 };
    for (int i = 0; i < 1200; ++i)
    {
        const float angle = 0.02f * (float)i;
        abut_pose *pose = &abut_world_bodies(world).poses[disc.slot];
        pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), angle);
        pose->position.x = 4 * sinf(0.01f * (float)i);
        pose->position.y = 0.8f + 0.3f * sinf(0.05f * (float)i);
        update(world);
        c.pose.position = c.stands ? abut_pose_apply(pose, on_ground) : c.pose.position;
        const abut_character_move m = move(world, &c, 0, -FALL, 0);
        assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
        assert_int_equal(m.ground.body.slot, disc.slot);
        on_ground = abut_pose_apply_inverse(pose, c.pose.position);
        assert_float_equal(on_ground.x, 2, 1e-3);
        assert_float_equal(on_ground.z, 0, 1e-3);
        assert_float_equal(on_ground.y, 0.2f + FEET + SKIN, 1e-3);
    }
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_along_walls_that_lean_over_sloping_ground),
        cmocka_unit_test(it_slides_down_steep_ground_that_it_presses_against),
        cmocka_unit_test(it_falls_along_corners_and_steep_ground_does_not_lift_it),
        cmocka_unit_test(walls_and_edges_give_it_no_speed),
        cmocka_unit_test(obtuse_corners_do_not_throw_it_back),
        cmocka_unit_test(its_footing_does_not_flicker_beside_steep_ground),
        cmocka_unit_test(corners_stop_it_and_walls_turn_it),
        cmocka_unit_test(a_lift_carries_it_and_a_press_holds_it),
        cmocka_unit_test(a_slow_lift_lifts_it_evenly),
        cmocka_unit_test(a_slow_lift_stops_it_below_a_ceiling),
        cmocka_unit_test(a_wedge_that_closes_lets_it_out),
        cmocka_unit_test(it_rides_on_what_moves_and_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
