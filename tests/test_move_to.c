// abut_body_move_to: the next move arrives at the pose, by a straight way and the shorter turn.
#include "small_world.h"

#include "random.h"

#include <math.h>

// Of 1, how much two rotations differ, whatever the sign of their quaternions.
static double apart(abut_quat a, abut_quat b)
{
    const double same =
        (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z + (double)a.w * (double)b.w;
    const double s = same < 0.0 ? -1.0 : 1.0;
    const double dx = (double)a.x - s * (double)b.x, dy = (double)a.y - s * (double)b.y;
    const double dz = (double)a.z - s * (double)b.z, dw = (double)a.w - s * (double)b.w;
    return sqrt(dx * dx + dy * dy + dz * dz + dw * dw);
}

static abut_quat rotation(random_source *random)
{
    const dvec3 axis = random_direction(random);
    return abut_quat_from_axis_angle(abut_vec3_make((float)axis.x, (float)axis.y, (float)axis.z),
                                     (float)random_between(random, -4.0, 4.0));
}

static abut_vec3 place(random_source *random, double reach)
{
    const dvec3 at = random_in_box(random, reach);
    return abut_vec3_make((float)at.x, (float)at.y, (float)at.z);
}

static void near_in_float(float is, float due, float from)
{
    const float size = fabsf(due) > fabsf(from) ? fabsf(due) : fabsf(from);
    if (!(fabsf(is - due) <= 2.4e-7f * size))
    {
        fail_msg("at %.9g, not %.9g, from %.9g", (double)is, (double)due, (double)from);
    }
}

static void the_next_move_arrives(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_KINEMATIC);
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        const double reach = random_scale(&random, 1e-3, 1e6);
        const double least = reach * 1e-7 > 1e-3 ? reach * 1e-7 : 1e-3; // within the limit of speed
        const float dt = (float)random_scale(&random, least, 10.0);
        abut_pose from = { .position = place(&random, reach), .rotation = rotation(&random) };
        abut_pose to = { .position = place(&random, reach), .rotation = rotation(&random) }, now;
        if (seed % 8 == 0) // a small turn
        {
            const abut_quat little =
                abut_quat_from_axis_angle(place(&random, 1), (float)random_scale(&random, 1e-7, 0.1));
            to.rotation = abut_quat_mul(little, from.rotation);
        }
        assert_int_equal(abut_body_set_pose(world, body, &from), ABUT_OK);
        assert_int_equal(abut_body_move_to(world, body, &to, dt), ABUT_OK);
        abut_velocity velocity;
        assert_int_equal(abut_body_velocity(world, body, &velocity), ABUT_OK);
        assert_true((double)abut_vec3_length(velocity.angular) * (double)dt <= 3.14159266 * 1.000001);
        assert_int_equal(abut_world_move(world, dt), ABUT_OK);
        assert_int_equal(abut_body_pose(world, body, &now), ABUT_OK);
        near_in_float(now.position.x, to.position.x, from.position.x);
        near_in_float(now.position.y, to.position.y, from.position.y);
        near_in_float(now.position.z, to.position.z, from.position.z);
        if (apart(now.rotation, to.rotation) > 4e-7)
        {
            fail_msg("seed %llu: turned %g away", (unsigned long long)seed, apart(now.rotation, to.rotation));
        }
    }
    abut_world_destroy(world);
}

static void the_turn_is_the_shorter_one_and_none_is_none(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    abut_velocity velocity;
    abut_pose to = { .rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 5.0f) };
    assert_int_equal(abut_body_move_to(world, body, &to, 1.0f), ABUT_OK);
    assert_int_equal(abut_body_velocity(world, body, &velocity), ABUT_OK);
    assert_true(fabs((double)velocity.angular.z - (5.0 - 6.283185307179586)) < 1e-6);
    to.rotation = (abut_quat){ 0, 0, 0, -1 }; // the same as none
    assert_int_equal(abut_body_move_to(world, body, &to, 1.0f), ABUT_OK);
    assert_int_equal(abut_body_velocity(world, body, &velocity), ABUT_OK);
    assert_true(velocity.angular.x == 0 && velocity.angular.y == 0 && velocity.angular.z == 0);
    to.rotation = (abut_quat){ 0, 3, 0, 0 }; // half a turn, not of unit length
    assert_int_equal(abut_body_move_to(world, body, &to, 0.5f), ABUT_OK);
    assert_int_equal(abut_body_velocity(world, body, &velocity), ABUT_OK);
    assert_true(fabs(fabs((double)velocity.angular.y) - 2 * 3.141592653589793) < 1e-6);
    abut_world_destroy(world);
}

// What lies on the way is found by the horizon of a detect, where a teleport would pass it by.
static void obstacles_on_the_way_are_found_ahead(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body lift = add(world, abut_shape_aabb(1, 0.1f, 1), 0, 0, 0, ABUT_KINEMATIC);
    add(world, abut_shape_sphere(0.2f), 0, 2, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_body_move_to(world, lift, &(abut_pose){ { 0, 4, 0 }, 0, { 0, 0, 0, 1 } }, 0.1f), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_int_equal(touching(world), 1);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_NEW);
    abut_world_destroy(world);
}

static void immobile_bodies_cannot_be_moved_to(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_KINEMATIC);
    const abut_body wall = add(world, abut_shape_obb(1, 1, 1), 9, 0, 0, ABUT_STATIC);
    const abut_pose to = { { 1, 0, 0 }, 0, { 0, 0, 0, 1 } }, far_off = { { 9e7f, 0, 0 }, 0, { 0, 0, 0, 1 } };
    const float wrong[] = { 0.0f, -1.0f, NAN, INFINITY };
    for (uint32_t i = 0; i < COUNT(wrong); ++i)
    {
        assert_int_equal(abut_body_move_to(world, body, &to, wrong[i]), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_body_move_to(world, wall, &to, 1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_move_to(world, body, &far_off, 0.5f), ABUT_INVALID_ARGUMENT); // 1.8e8 m/s
    assert_int_equal(abut_body_move_to(world, body, &to, 1e-42f), ABUT_INVALID_ARGUMENT);
    const abut_pose turned = { { 0, 0, 0 }, 0, { 1, 0, 0, 0 } };
    assert_int_equal(abut_body_move_to(world, body, &turned, 1e-8f), ABUT_INVALID_ARGUMENT); // 3e8 rad/s
    assert_int_equal(abut_body_set_awake(world, body, false), ABUT_OK);
    assert_int_equal(abut_body_move_to(world, body, &to, 1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_awake(world, body, true), ABUT_OK);
    assert_int_equal(abut_body_set_enabled(world, body, false), ABUT_OK);
    assert_int_equal(abut_body_move_to(world, body, &to, 1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_enabled(world, body, true), ABUT_OK);
    abut_world_bodies(world).poses[body.slot].position.x = NAN;
    assert_int_equal(abut_body_move_to(world, body, &to, 1.0f), ABUT_INVALID_ARGUMENT);
    abut_velocity velocity;
    assert_int_equal(abut_body_velocity(world, body, &velocity), ABUT_OK);
    assert_true(velocity.linear.x == 0.0f && velocity.angular.x == 0.0f);
    abut_world_destroy(world);
}

static void a_pose_moves_by_itself_as_in_a_world(void **state)
{
    (void)state;
    random_source random = { 31 };
    abut_world *world = open_world(NULL);
    const abut_body body = ball(world, 0);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        abut_pose pose = { place(&random, 50.0), 0, rotation(&random) }, moved;
        const abut_velocity velocity = { place(&random, 10.0), place(&random, i % 5 ? 20.0 : 0.0) };
        const float dt = (float)random_between(&random, -0.1, 0.1);
        assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
        assert_int_equal(abut_body_set_velocity(world, body, &velocity), ABUT_OK);
        assert_int_equal(abut_body_pose(world, body, &pose), ABUT_OK);
        assert_int_equal(abut_world_move(world, dt), ABUT_OK);
        assert_int_equal(abut_body_pose(world, body, &moved), ABUT_OK);
        assert_true(abut_pose_move(&pose, &velocity, dt));
        assert_memory_equal(&pose.position, &moved.position, sizeof pose.position);
        assert_memory_equal(&pose.rotation, &moved.rotation, sizeof pose.rotation);
    }
    abut_world_destroy(world);
}

static void a_pose_that_would_be_none_does_not_move(void **state)
{
    (void)state;
    const abut_pose start = { { 1, 2, 3 }, 0, { 0, 0, 0, 1 } };
    const abut_velocity far = { { 9e7f, 0, 0 }, { 0, 0, 0 } }, fast = { { 1, 0, 0 }, { 0, 9e7f, 0 } };
    abut_pose pose = start;
    assert_false(abut_pose_move(&pose, &far, 2));
    assert_false(abut_pose_move(&pose, &fast, 12));
    assert_false(abut_pose_move(&pose, &fast, NAN));
    assert_false(abut_pose_move(&pose, NULL, 1));
    abut_pose none = { { 1, 2, 3 }, 0, { NAN, 0, 0, 1 } };
    assert_false(abut_pose_move(&none, &(abut_velocity){ .linear = { 1, 0, 0 } }, 1));
    assert_true(none.position.x == 1);
    assert_false(abut_pose_move(NULL, &fast, 1));
    assert_memory_equal(&pose, &start, sizeof pose);
}

// In 2D a body stays 2D: other poses fail, and the turn is about z alone.
static void in_2d_a_movement_stays_2d(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
    const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_KINEMATIC);
    const abut_pose above = { { 1, 0, 1 }, 0, { 0, 0, 0, 1 } }, tilted = { { 1, 0, 0 }, 0, { 1, 0, 0, 0 } };
    assert_int_equal(abut_body_move_to(world, body, &above, 1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_move_to(world, body, &tilted, 1.0f), ABUT_INVALID_ARGUMENT);
    const abut_pose to = { { 3, -2, 0 }, 0, abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 2.0f) };
    abut_pose now;
    assert_int_equal(abut_body_move_to(world, body, &to, 0.5f), ABUT_OK);
    assert_int_equal(abut_world_step(world, 0.5f), ABUT_OK);
    assert_int_equal(abut_body_pose(world, body, &now), ABUT_OK);
    assert_true(now.position.x == 3 && now.position.y == -2 && now.position.z == 0);
    assert_true(apart(now.rotation, to.rotation) < 4e-7);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_move_arrives),
        cmocka_unit_test(the_turn_is_the_shorter_one_and_none_is_none),
        cmocka_unit_test(obstacles_on_the_way_are_found_ahead),
        cmocka_unit_test(immobile_bodies_cannot_be_moved_to),
        cmocka_unit_test(a_pose_moves_by_itself_as_in_a_world),
        cmocka_unit_test(a_pose_that_would_be_none_does_not_move),
        cmocka_unit_test(in_2d_a_movement_stays_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
