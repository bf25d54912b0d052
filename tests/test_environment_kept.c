// The floating-point environment is the caller's: whatever its rounding mode and its treatment of denormals, every call
// leaves it as it was, also on threads that run tasks, and gives the bits it gives in the usual one.
#include "random.h"
#include "small_world.h"
#include "strange_floats.h"

#include "world/world.h"

#include <abut/abut.h>

static uint64_t strange_begin(void)
{
    const uint64_t usual = present_floats();
    ab_platform_float_leave(STRANGE);
    return usual;
}

// Evaluates in the strange environment, which must last, and goes back to the usual one.
#define KEEPS(call)                                                                                                    \
    do                                                                                                                 \
    {                                                                                                                  \
        const uint64_t usual_ = strange_begin();                                                                       \
        (void)(call);                                                                                                  \
        const uint64_t left_ = present_floats();                                                                       \
        ab_platform_float_leave(usual_);                                                                               \
        if (left_ != STRANGE)                                                                                          \
        {                                                                                                              \
            fail_msg("%s leaves 0x%llx", #call, (unsigned long long)left_);                                            \
        }                                                                                                              \
    } while (0)

#define KEEPS_AND_FAILS(call)                                                                                          \
    do                                                                                                                 \
    {                                                                                                                  \
        abut_status status_ = ABUT_OK;                                                                                 \
        KEEPS(status_ = (call));                                                                                       \
        assert_int_not_equal(status_, ABUT_OK);                                                                        \
    } while (0)

#define KEEPS_OK(call)                                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        abut_status status_ = ABUT_LIMIT;                                                                              \
        KEEPS(status_ = (call));                                                                                       \
        assert_int_equal(status_, ABUT_OK);                                                                            \
    } while (0)

static abut_body_def random_def(random_source *random, uint32_t i)
{
    abut_body_def def = { .motion = i % 7 ? ABUT_DYNAMIC : ABUT_STATIC, .flags = i % 5 ? 0 : ABUT_BODY_CCD };
    const float size = (float)random_between(random, 0.2, 0.7);
    def.collider.shape = i % 3 == 0   ? abut_shape_sphere(size)
                         : i % 3 == 1 ? abut_shape_aabb(size, 0.3f, 0.4f)
                                      : abut_shape_obb(0.5f, size, 0.3f);
    def.collider.flags = i % 11 ? 0 : ABUT_COLLIDER_SENSOR;
    def.pose.position = random_narrow(random_in_box(random, 2.0));
    def.pose.rotation = random_narrow_rotation(random_rotation(random));
    if (def.motion == ABUT_DYNAMIC)
    {
        def.velocity.linear = random_narrow(random_in_box(random, 3.0));
        def.velocity.angular = random_narrow(random_in_box(random, 2.0));
    }
    return def;
}

enum
{
    BODIES = 120
};

// A session of calls on a world, each in the strange environment or each in the usual one. Gives the hash.
static uint64_t session(bool strange)
{
    const uint64_t usual = present_floats();
    random_source random = random_start(5);
    abut_body_def defs[BODIES];
    abut_body body[BODIES];
    abut_world *world;
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        defs[i] = random_def(&random, i);
    }
    ab_platform_float_leave(strange ? STRANGE : usual);
    const uint64_t mine = present_floats();
    world = open_world(&(abut_world_def){ .margin = 0.02f, .recycle_distance = 0.01f, .threads = 3 });
    ab_world_set_granularity(world, (ab_granularity){ .chunk = 16, .whole = 0 });
    assert_int_equal(abut_body_create_many(world, defs, BODIES, body), ABUT_OK);
    assert_int_equal(abut_body_move_to(world, body[1], &defs[2].pose, 0.1f), ABUT_OK);
    for (uint32_t frame = 0; frame < 6; ++frame)
    {
        assert_int_equal(frame % 2 ? abut_world_step(world, 0.01f) : abut_world_detect(world, 0.1f), ABUT_OK);
        assert_true(present_floats() == mine);
        assert_int_equal(abut_world_detect_begin(world, 0.02f), ABUT_OK);
        for (uint32_t tasks; (tasks = abut_world_detect_next(world)) > 0;)
        {
            assert_true(present_floats() == mine);
            for (uint32_t i = 0; i < tasks; ++i)
            {
                assert_int_equal(abut_world_detect_task(world, i), ABUT_OK);
                assert_true(present_floats() == mine);
            }
        }
        assert_int_equal(abut_world_detect_end(world), ABUT_OK);
        assert_true(present_floats() == mine);
    }
    const uint64_t hash = abut_world_hash(world);
    assert_true(present_floats() == mine);
    assert_true(touching(world) > 20 && abut_world_impacts(world).count > 0);
    abut_world_destroy(world);
    assert_true(present_floats() == mine);
    ab_platform_float_leave(usual);
    return hash;
}

static void a_world_is_the_same_in_any_environment_and_leaves_it(void **state)
{
    (void)state;
    assert_true(session(true) == session(false));
}

static void calls_on_worlds_leave_the_environment(void **state)
{
    (void)state;
    random_source random = random_start(6);
    abut_body_def def = random_def(&random, 2);
    abut_world *world = NULL;
    abut_body body, other;
    abut_collider collider;
    abut_audit audit;
    const abut_ray ray = { { 9, 2, 3 }, { -30, 1, 1 } }, bad_ray = { { NAN, 0, 0 }, { 0, 0, 0 } };
    abut_hit hit;
    abut_ray_hit alone;
    uint32_t hits;
    bool any;
    uint64_t lines;
    const abut_velocity velocity = { .linear = { 1, 0, 0 } };
    abut_pose pose = { .position = { 1, 2, 3 }, .rotation = { 0.1f, 0.2f, 0.3f, 0.9f } };
    KEEPS_OK(abut_world_create(&(abut_world_def){ .margin = 0.1f }, &world));
    KEEPS_OK(abut_body_create(world, &def, &body));
    KEEPS_OK(abut_body_create(world, &def, &other));
    KEEPS_OK(abut_body_set_pose(world, body, &pose));
    KEEPS_OK(abut_body_set_pose_many(world, &body, 1, &pose));
    KEEPS_OK(abut_body_set_velocity(world, body, &velocity));
    KEEPS_OK(abut_body_set_velocity_many(world, &body, 1, &velocity));
    KEEPS_OK(abut_body_move_to(world, body, &pose, 0.1f));
    KEEPS_OK(abut_collider_attach(world, body, &def.collider, &collider));
    KEEPS_OK(abut_collider_set_shape(world, collider, &def.collider.shape));
    KEEPS_OK(abut_collider_set_local(world, collider, &pose));
    KEEPS_OK(abut_world_move(world, 0.01f));
    KEEPS_OK(abut_world_detect(world, 0.0f));
    KEEPS_OK(abut_world_update(world));
    KEEPS_OK(abut_world_ray_closest(world, &ray, NULL, &hit));
    KEEPS_OK(abut_world_ray_any(world, &ray, NULL, &any));
    KEEPS_OK(abut_world_ray_all(world, &ray, NULL, &hit, 1, &hits));
    KEEPS_OK(abut_ray_shape(&ray, &def.collider.shape, &pose, 0, &alone));
    KEEPS_OK(abut_world_audit(world, &audit));
    KEEPS_OK(abut_world_draw(world, &(abut_draw_def){ 0 }, NULL, 0, &lines));
    KEEPS(abut_world_hash(world));
    // and those that fail, at a pose that was written in place
    KEEPS_AND_FAILS(abut_world_move(world, NAN));
    KEEPS_AND_FAILS(abut_body_set_pose(world, body, &(abut_pose){ .position = { NAN, 0, 0 } }));
    KEEPS_AND_FAILS(abut_world_step(world, NAN));
    KEEPS_AND_FAILS(abut_world_detect(world, -1.0f));
    KEEPS_AND_FAILS(abut_world_ray_closest(world, &bad_ray, NULL, &hit));
    KEEPS_AND_FAILS(abut_ray_shape(&bad_ray, &def.collider.shape, &pose, 0, &alone));
    abut_world_bodies(world).poses[body.slot].position.x = NAN;
    KEEPS_AND_FAILS(abut_world_step(world, 0.01f));
    KEEPS_AND_FAILS(abut_world_detect(world, 0.0f));
    KEEPS_AND_FAILS(abut_world_update(world));
    KEEPS_OK(abut_world_detect_begin(world, 0.0f));
    for (uint32_t tasks = 1; tasks > 0;)
    {
        KEEPS(tasks = abut_world_detect_next(world));
        for (uint32_t i = 0; i < tasks; ++i)
        {
            KEEPS_OK(abut_world_detect_task(world, i));
            KEEPS_AND_FAILS(abut_world_detect_task(world, i)); // again
        }
    }
    KEEPS_AND_FAILS(abut_world_detect_end(world));
    KEEPS((abut_world_destroy(world), 0));
}

static void calls_without_a_world_leave_the_environment(void **state)
{
    (void)state;
    const abut_shape crate = abut_shape_obb(0.5f, 0.6f, 0.7f), ball = abut_shape_sphere(0.5f);
    const abut_pose here = { .rotation = { 0.1f, 0.2f, 0.3f, 0.9f } };
    const abut_pose there = { .position = { 0.9f, 0.1f, 0.2f }, .rotation = { 0, 0, 0, 1 } };
    static const float points[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3 };
    const abut_vec2 corners[] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    const size_t stride = 3 * sizeof *points;
    bool overlapping;
    abut_manifold manifold;
    abut_closest closest;
    float distance;
    abut_impact impact;
    abut_placed_shape placed;
    abut_aabb box;
    abut_vec3 v;
    abut_geometry *polygon;
    KEEPS_OK(abut_overlap(&crate, &here, &ball, &there, &overlapping));
    KEEPS_OK(abut_collide(&crate, &here, &crate, &there, 0.1f, &manifold));
    KEEPS_OK(abut_closest_points(&crate, &here, &crate, &there, &closest));
    KEEPS_OK(abut_distance(&crate, &here, &crate, &there, &distance));
    const abut_moving_shape a = { .shape = crate, .pose = here, .velocity.linear = { 1, 0, 0 } };
    const abut_moving_shape b = { .shape = ball, .pose = { { 9, 0, 0 }, 0, { 0, 0, 0, 1 } } };
    KEEPS_OK(abut_time_of_impact(&a, &b, 10.0f, 0.001f, &impact));
    KEEPS_OK(abut_fit_aabb(points, 5, stride, &box));
    KEEPS_OK(abut_fit_sphere(points, 5, stride, &placed));
    KEEPS_OK(abut_fit_sphere_fast(points, 5, stride, &placed));
    KEEPS_OK(abut_fit_obb(points, 5, stride, &placed));
    KEEPS_OK(abut_fit_obb_pca(points, 5, stride, &placed));
    KEEPS_OK(abut_fit_rectangle_pca(points, 5, stride, &placed));
    KEEPS_OK(abut_fit_rectangle(points, 5, stride, NULL, &placed));
    KEEPS_OK(abut_geometry_create_polygon(corners, 3, NULL, &polygon));
    KEEPS((abut_geometry_release(polygon), 0));
    KEEPS_OK(abut_shape_bounds(&crate, &here, &box));
    KEEPS_OK(abut_shape_contains(&crate, &here, there.position, &overlapping));
    KEEPS_OK(abut_shape_closest_point(&crate, &here, there.position, &v));
    KEEPS_OK(abut_shape_support(&crate, &here, there.position, &v));
    KEEPS_OK(abut_shape_bounding_sphere(&crate, &here, &placed));
    KEEPS_AND_FAILS(abut_collide(&crate, &here, &crate, &there, NAN, &manifold));
    KEEPS_AND_FAILS(abut_time_of_impact(&a, &b, -1.0f, 0.001f, &impact));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_the_same_in_any_environment_and_leaves_it),
        cmocka_unit_test(calls_on_worlds_leave_the_environment),
        cmocka_unit_test(calls_without_a_world_leave_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
