// Exclusions: bodies that never collide, whatever their filters; counted, until removed or until one of the bodies is
// destroyed.
#include "small_world.h"

#include "random.h"

#include "base/array.h"
#include "world/world.h"

#include <string.h>

static uint32_t times(abut_world *world, abut_body a, abut_body b)
{
    uint32_t count = 99;
    assert_int_equal(abut_body_excluded(world, a, b, &count), ABUT_OK);
    return count;
}

static void excluded_bodies_end_and_collide_again(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.5f), c = ball(world, 0.9f);
    expect(world, 3, 3, 0);
    assert_int_equal(abut_body_exclude(world, b, a, true), ABUT_OK);
    assert_int_equal(times(world, a, b), 1);
    assert_int_equal(times(world, a, c), 0);
    expect(world, 2, 0, 1);
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_OK); // a second joint
    expect(world, 2, 0, 0);
    assert_int_equal(abut_body_exclude(world, a, b, false), ABUT_OK);
    expect(world, 2, 0, 0);
    assert_int_equal(abut_body_exclude(world, b, a, false), ABUT_OK);
    expect(world, 3, 1, 0);
    assert_int_equal(abut_body_exclude(world, a, b, false), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_exclude(world, a, a, true), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

static void exclusions_hold_for_every_collider_and_for_sensors(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.5f);
    abut_collider collider;
    const abut_collider_def second = { .shape = abut_shape_aabb(1, 1, 1) };
    const abut_collider_def zone = { .shape = abut_shape_aabb(2, 2, 2), .flags = ABUT_COLLIDER_SENSOR };
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_OK);
    assert_int_equal(abut_collider_attach(world, a, &second, &collider), ABUT_OK);
    assert_int_equal(abut_collider_attach(world, a, &zone, &collider), ABUT_OK);
    expect(world, 0, 0, 0);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 0);
    assert_int_equal(abut_body_exclude(world, a, b, false), ABUT_OK);
    expect(world, 2, 2, 0);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 1);
    abut_world_destroy(world);
}

// An exclusion added or removed while both bodies sleep takes effect in the next detect.
static void exclusions_of_sleeping_bodies_take_effect(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body floor = add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body crate = add(world, abut_shape_obb(1, 1, 1), 0, 0.9f, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_body_set_awake(world, crate, false), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 1);
    assert_int_equal(abut_body_exclude(world, crate, floor, true), ABUT_OK);
    expect(world, 0, 0, 1);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 0);
    assert_int_equal(abut_body_exclude(world, crate, floor, false), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 1);
    abut_world_destroy(world);
}

static void exclusions_end_with_either_body(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.5f), c = ball(world, 0.7f);
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_OK);
    assert_int_equal(abut_body_exclude(world, b, c, true), ABUT_OK);
    assert_int_equal(abut_body_destroy(world, b), ABUT_OK);
    uint32_t count;
    assert_int_equal(abut_body_excluded(world, a, b, &count), ABUT_STALE_HANDLE);
    expect(world, 1, 1, 0);
    const abut_body d = ball(world, 0.5f); // in the slot of b
    assert_int_equal(d.slot, b.slot);
    assert_int_equal(times(world, a, d) + times(world, c, d), 0);
    expect(world, 3, 2, 0);
    abut_world_destroy(world);
}

// The table against a matrix of counts, through growth and removal.
static void the_table_finds_what_a_matrix_says(void **state)
{
    (void)state;
    enum
    {
        BODIES = 90
    };
    static uint32_t matrix[BODIES][BODIES];
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        random_source random = random_start(seed);
        ab_memory memory;
        ab_exclusions exclusions = { 0 };
        assert_true(ab_memory_open(&memory, NULL));
        memset(matrix, 0, sizeof matrix);
        for (uint32_t step = 0; step < 6000; ++step)
        {
            const uint32_t a = random_below(&random, BODIES), b = random_below(&random, BODIES);
            const uint32_t what = random_below(&random, 100);
            if (what == 0)
            {
                ab_exclusions_forget(&exclusions, a);
                for (uint32_t k = 0; k < BODIES; ++k)
                {
                    matrix[a][k] = matrix[k][a] = 0;
                }
            }
            else if (a != b && (what < 60 || matrix[a][b] == 0))
            {
                assert_true(ab_exclusions_reserve(&exclusions, &memory, BODIES));
                ab_exclusions_add(&exclusions, a, b);
                matrix[a][b] = ++matrix[b][a];
            }
            else if (a != b)
            {
                ab_exclusions_take(&exclusions, a, b);
                matrix[a][b] = --matrix[b][a];
            }
            if (step % 64 == 0)
            {
                ab_exclusions_check(&exclusions);
            }
        }
        for (uint32_t a = 0; a < BODIES; ++a)
        {
            bool any = false;
            for (uint32_t b = 0; b < BODIES; ++b)
            {
                assert_true(a == b || ab_exclusions_times(&exclusions, a, b) == matrix[a][b]);
                any = any || matrix[a][b] > 0;
            }
            assert_true(ab_exclusions_concern(&exclusions, a) == any);
        }
        assert_true(exclusions.lists.live > 100);
        ab_exclusions_close(&exclusions);
        assert_true(memory.bytes == 0);
    }
}

static void the_count_has_a_limit(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.5f);
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_OK);
    world->state.rules.exclusions.times[0] = UINT32_MAX - 1;
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_OK);
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_LIMIT);
    assert_true(times(world, a, b) == UINT32_MAX);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excluded_bodies_end_and_collide_again),
        cmocka_unit_test(exclusions_hold_for_every_collider_and_for_sensors),
        cmocka_unit_test(exclusions_of_sleeping_bodies_take_effect),
        cmocka_unit_test(exclusions_end_with_either_body),
        cmocka_unit_test(the_table_finds_what_a_matrix_says),
        cmocka_unit_test(the_count_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
