// The speculative distance of a world: contacts look ahead no farther than that, impacts as far as ever.
#include "random.h"
#include "small_world.h"

#include <math.h>

enum
{
    SCENES = 2000
};

#define HORIZON 0.1f
#define MARGIN  0.02f

static void bad_distances_are_refused(void **state)
{
    (void)state;
    const float bad[] = { NAN, INFINITY, -0.1f, 2 * ABUT_MAX_MAGNITUDE };
    for (size_t i = 0; i < COUNT(bad); ++i)
    {
        abut_world *world;
        const abut_world_def def = { .speculative_distance = bad[i] };
        assert_int_equal(abut_world_create(&def, &world), ABUT_INVALID_ARGUMENT);
        assert_null(world);
    }
}

static abut_world *open_with(float distance)
{
    const abut_world_def def = { .margin = MARGIN, .speculative_distance = distance };
    return open_world(&def);
}

// Two balls; the first one is a bullet.
static void add_balls(abut_world *world, const abut_vec3 at[2], const abut_vec3 velocity[2])
{
    for (int i = 0; i < 2; ++i)
    {
        abut_body body;
        const abut_body_def def = { .pose.position = at[i],
                                    .velocity.linear = velocity[i],
                                    .flags = i == 0 ? ABUT_BODY_CCD : 0,
                                    .collider.shape = abut_shape_sphere(0.5f) };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, HORIZON), ABUT_OK);
    expect_sound(world);
}

static double speed(abut_vec3 v)
{
    return sqrt((double)abut_vec3_dot(v, v));
}

static void contacts_look_so_far_ahead(void **state)
{
    (void)state;
    uint32_t listed = 0, left_out = 0, impacts = 0;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const float distance = (float)random_scale(&random, 1e-3, 1.0);
        const abut_vec3 at[2] = { { 0, 0, 0 }, random_narrow(random_in_box(&random, 1.5)) };
        const abut_vec3 velocity[2] = { random_narrow(random_in_box(&random, 8.0)),
                                        random_narrow(random_in_box(&random, 8.0)) };
        abut_world *far = open_with(0.0f), *near = open_with(distance);
        add_balls(far, at, velocity);
        add_balls(near, at, velocity);
        const double gap = speed(at[1]) - 1.0,
                     travel[2] = { speed(velocity[0]) * (double)HORIZON, speed(velocity[1]) * (double)HORIZON };
        const double limit = (double)MARGIN + fmin(travel[0], (double)distance) + fmin(travel[1], (double)distance);
        const double whole = (double)MARGIN + travel[0] + travel[1];
        if (fabs(gap - limit) > 1e-5 && fabs(gap - whole) > 1e-5)
        {
            assert_int_equal(touching(near), gap <= limit);
            assert_int_equal(touching(far), gap <= whole);
        }
        listed += touching(near) > 0 && gap > (double)MARGIN;
        left_out += touching(near) < touching(far);
        const abut_impacts a = abut_world_impacts(far), b = abut_world_impacts(near);
        assert_int_equal(a.count, b.count);
        assert_true(a.count == 0 || a.data[0].impact.time == b.data[0].impact.time);
        impacts += a.count;
        abut_world_destroy(far);
        abut_world_destroy(near);
    }
    assert_true(!random_seeds_all() || (listed > SCENES / 50 && left_out > SCENES / 20 && impacts > SCENES / 50));
}

// A restored world must have the same.
static void images_keep_the_distance(void **state)
{
    (void)state;
    abut_world *first = open_with(0.05f), *same = open_with(0.05f), *other = open_with(0.06f);
    const abut_vec3 at[2] = { { 0, 0, 0 }, { 1.05f, 0, 0 } }, velocity[2] = { { 2, 0, 0 }, { 0, 0, 0 } };
    add_balls(first, at, velocity);
    size_t size = 0;
    assert_int_equal(abut_world_save(first, 0, NULL, NULL, 0, &size), ABUT_OK);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(abut_world_save(first, 0, NULL, image, size, &size), ABUT_OK);
    assert_int_equal(abut_world_restore(same, NULL, image, size), ABUT_OK);
    assert_true(abut_world_hash(same) == abut_world_hash(first));
    assert_int_equal(abut_world_restore(other, NULL, image, size), ABUT_INVALID_ARGUMENT);
    free(image);
    abut_world_destroy(first);
    abut_world_destroy(same);
    abut_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bad_distances_are_refused),
                                        cmocka_unit_test(contacts_look_so_far_ahead),
                                        cmocka_unit_test(images_keep_the_distance) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
