// Characters in small scenes: slopes, steps, ceilings, corners, lifts and presses; filters, batches, worlds of two
// dimensions, and what is refused.
#include "every_isa.h"
#include "mesh_makers.h"
#include "random_world.h"

#include <string.h>

#define RADIUS 0.3f
#define HALF   0.6f
#define FEET   (RADIUS + HALF)
#define SKIN   0.01f
#define PACE   0.05f  // metres a tick
#define FALL   0.003f // metres a tick, each tick more
#define DEGREE 0.017453293f

static abut_character person(float x, float y, float z)
{
    abut_character c = { .shape = abut_shape_capsule(RADIUS, HALF),
                         .pose = abut_pose_identity(),
                         .max_slope = 47 * DEGREE,
                         .step_height = 0.3f,
                         .snap_distance = 0.2f,
                         .skin = SKIN };
    c.pose.position = abut_vec3_make(x, y + FEET + SKIN, z);
    return c;
}

static abut_body put(abut_world *world, abut_shape shape, float x, float y, float degrees)
{
    abut_body body = { 0 };
    abut_body_def def = { .pose.position = { x, y, 0 }, .motion = ABUT_STATIC, .collider.shape = shape };
    def.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), degrees * DEGREE);
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static abut_world *open_floor(void)
{
    abut_world *world = open_world(NULL);
    put(world, abut_shape_obb(50, 1, 50), 0, -1, 0);
    return world;
}

static void update(abut_world *world)
{
    assert_int_equal(abut_world_update(world), ABUT_OK);
}

static abut_character_move move(abut_world *world, abut_character *c, float x, float y, float z)
{
    abut_character_move m;
    c->translation = abut_vec3_make(x, y, z);
    assert_int_equal(abut_world_move_character(world, c, NULL, &m), ABUT_OK);
    c->pose.position = m.position;
    c->stands = m.footing == ABUT_FOOTING_GROUND;
    return m;
}

// So many ticks along x, with gravity.
static abut_character_move go(abut_world *world, abut_character *c, float pace, int ticks)
{
    abut_character_move m = { .footing = ABUT_FOOTING_NONE };
    float fall = 0;
    for (int i = 0; i < ticks; ++i)
    {
        fall = c->stands ? 0 : fall + FALL;
        m = move(world, c, pace, -fall, 0);
        fall = -m.translation.y;
    }
    return m;
}

static void expect_at(const abut_character *c, float x, float y, float tolerance)
{
    assert_float_equal(c->pose.position.x, x, tolerance);
    assert_float_equal(c->pose.position.y - FEET - SKIN, y, tolerance);
}

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

static void filters_leave_out_each_ones_own_body(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    abut_character c[3];
    abut_body own[3];
    abut_character_move m[3];
    for (int i = 0; i < 3; ++i)
    {
        c[i] = person((float)i, 0, 0);
        c[i].stands = true;
        c[i].translation = abut_vec3_make(0.5f, 0, 0);
        own[i] = add(world, c[i].shape, c[i].pose.position.x, c[i].pose.position.y, 0, ABUT_KINEMATIC);
    }
    update(world);
    abut_query_filter filter = { .ignore_each = own };
    assert_int_equal(abut_world_move_character_many(world, c, 3, &filter, m), ABUT_OK);
    assert_float_equal(m[0].position.x, 1 - 2 * RADIUS - SKIN, 1e-3);
    assert_float_equal(m[1].position.x, 2 - 2 * RADIUS - SKIN, 1e-3);
    assert_float_equal(m[2].position.x, 2.5f, 1e-5);
    assert_int_equal(m[0].touches[0].body.slot, own[1].slot);
    filter.motions = 1u << ABUT_STATIC;
    assert_int_equal(abut_world_move_character_many(world, c, 3, &filter, m), ABUT_OK);
    assert_float_equal(m[0].position.x, 0.5f, 1e-5);
    abut_world_destroy(world);
}

static void it_walks_in_the_plane(void **state)
{
    (void)state;
    const abut_world_def def = { .dimension = 2 };
    abut_world *world = open_world(&def);
    put(world, abut_shape_obb(50, 1, 0), 0, -1, 0);
    put(world, abut_shape_obb(1, 0.25f, 0), 3, 0, 0);
    put(world, abut_shape_obb(1, 5, 0), 8, 0, 0);
    update(world);
    abut_character c = person(0, 0.5f, 0);
    c.shape = abut_shape_capsule(RADIUS, HALF);
    (void)go(world, &c, 0, 40);
    expect_at(&c, 0, 0, 1e-4f);
    (void)go(world, &c, PACE, 60);
    expect_at(&c, 3, 0.25f, 1.1f * SKIN);
    const abut_character_move m = go(world, &c, PACE, 120);
    expect_at(&c, 7 - RADIUS - SKIN, 0, 1e-3f);
    assert_int_equal(m.touch_count, 1);
    assert_int_equal(c.pose.position.z, 0);
    c.up = abut_vec3_make(0, 0, 1);
    abut_character_move unused;
    assert_int_equal(abut_world_move_character(world, &c, NULL, &unused), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// Hills of a chain, up to 40 degrees, for feet of any shape.
static void it_walks_over_chains(void **state)
{
    (void)state;
    enum
    {
        POINTS = 401
    };
    static abut_vec2 points[POINTS];
    for (int i = 0; i < POINTS; ++i)
    {
        const float x = 0.05f * (float)(i - POINTS / 2);
        points[i] = (abut_vec2){ -x, 0.8f * sinf(x) }; // from right to left: the front is above
    }
    const abut_chain_def def = { .points = points, .point_count = POINTS };
    const abut_world_def plane = { .dimension = 2 };
    abut_geometry *chain = NULL;
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &chain), ABUT_OK);
    abut_world *world = open_world(&plane);
    put(world, abut_shape_chain(chain), 0, 0, 0);
    update(world);
    for (int kind = 0; kind < 3; ++kind)
    {
        abut_character c = person(-9, 2, 0);
        c.shape = kind == 0   ? abut_shape_capsule(RADIUS, HALF)
                  : kind == 1 ? abut_shape_sphere(RADIUS)
                              : abut_shape_obb(RADIUS, FEET, 0);
        (void)go(world, &c, 0, 120);
        const float from = c.pose.position.x;
        for (int i = 1; i <= 300; ++i)
        {
            const abut_character_move m = go(world, &c, PACE, 1);
            assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
            assert_int_equal(m.touch_count, 0);
            assert_float_equal(c.pose.position.x, from + PACE * (float)i, 1e-3);
        }
    }
    abut_world_destroy(world);
    abut_geometry_release(chain);
}

static void refuse(abut_world *world, const abut_character *c)
{
    abut_character_move m, before;
    memset(&m, 0x5a, sizeof m);
    memcpy(&before, &m, sizeof m);
    assert_int_equal(abut_world_move_character(world, c, NULL, &m), ABUT_INVALID_ARGUMENT);
    assert_memory_equal(&m, &before, sizeof m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    abut_character_move m;
    const abut_character good = person(0, 0, 0);
    mesh_maker maker = { 0 };
    mesh_field(&maker, &(random_source){ 1 }, 2, 2, 1, 1, 0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&maker);
    update(world);
    const float wrong[] = { NAN, INFINITY, -1 };
    for (size_t i = 0; i < COUNT(wrong); ++i)
    {
        abut_character c = good;
        c.max_slope = wrong[i];
        refuse(world, &c);
        c = good;
        c.step_height = wrong[i];
        refuse(world, &c);
        c = good;
        c.snap_distance = wrong[i];
        refuse(world, &c);
        c = good;
        c.skin = wrong[i];
        refuse(world, &c);
        c = good;
        c.translation.x = wrong[i] < 0 ? NAN : wrong[i];
        refuse(world, &c);
        c = good;
        c.up.y = wrong[i] < 0 ? NAN : wrong[i];
        refuse(world, &c);
        c = good;
        c.pose.position.z = wrong[i] < 0 ? NAN : wrong[i];
        refuse(world, &c);
    }
    abut_character c = good;
    c.max_slope = 1.5708f;
    refuse(world, &c);
    c = good;
    c.shape = abut_shape_mesh(mesh);
    refuse(world, &c);
    const abut_query_filter flags = { .flags = ABUT_QUERY_SENSORS };
    assert_int_equal(abut_world_move_character(world, &good, &flags, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character(world, NULL, NULL, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character(world, &good, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character(NULL, &good, NULL, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character_many(world, NULL, 0, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_world_move_character_many(world, NULL, 1, NULL, NULL), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
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
        cmocka_unit_test(it_falls_along_corners_and_steep_ground_does_not_lift_it),
        cmocka_unit_test(the_slow_climb_steps_too),
        cmocka_unit_test(it_goes_on_along_walls_that_lean_over_sloping_ground),
        cmocka_unit_test(it_slides_down_steep_ground_that_it_presses_against),
        cmocka_unit_test(it_walks_with_any_direction_up),
        cmocka_unit_test(walls_and_edges_give_it_no_speed),
        cmocka_unit_test(it_runs_up_stairs_at_any_speed),
        cmocka_unit_test(corners_stop_it_and_walls_turn_it),
        cmocka_unit_test(a_lift_carries_it_and_a_press_holds_it),
        cmocka_unit_test(it_rides_on_what_moves_and_turns),
        cmocka_unit_test(ground_of_small_triangles_does_not_slow_it),
        cmocka_unit_test(filters_leave_out_each_ones_own_body),
        cmocka_unit_test(it_walks_in_the_plane),
        cmocka_unit_test(it_walks_over_chains),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
