// The calls of a caller-driven detect fail, or finish it, when they come in the wrong order; on any thread an invalid
// pose fails the detect; and a world has no more threads than there are.
#define _POSIX_C_SOURCE 200809L // for job_systems.h

#include "scarce_memory.h"
#include "threaded_pile.h"

static void pieces_in_the_wrong_order_fail_and_lose_nothing(void **state)
{
    (void)state;
    abut_world *world, *other;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    assert_int_equal(abut_world_create(NULL, &other), ABUT_OK);
    fill(world, 300, 1);
    fill(other, 300, 1);
    ab_world_set_granularity(world, fine);

    assert_int_equal(abut_world_detect_begin(NULL, 0.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_next(NULL), 0);
    assert_int_equal(abut_world_detect_task(NULL, 0), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_end(NULL), ABUT_INVALID_ARGUMENT);

    assert_int_equal(abut_world_detect_next(world), 0);
    assert_int_equal(abut_world_detect_task(world, 0), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_end(world), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_begin(world, -1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_begin(world, NAN), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_end(world), ABUT_INVALID_ARGUMENT);
    assert_true(abut_world_hash(world) == abut_world_hash(other));

    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_BUSY);
    assert_int_equal(abut_world_detect_task(world, 0), ABUT_INVALID_ARGUMENT);
    assert_true(abut_world_detect_next(world) > 0);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_BUSY);
    assert_int_equal(abut_world_step(world, 0.1f), ABUT_BUSY);
    assert_int_equal(abut_world_move(world, 0.1f), ABUT_BUSY);
    assert_int_equal(abut_world_reserve(world, 9, 9), ABUT_BUSY);
    assert_null(abut_world_bodies(world).poses);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
    // abut_world_detect_end runs the others.
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    assert_int_equal(abut_world_detect_next(world), 0);
    assert_int_equal(abut_world_detect(other, 0.0f), ABUT_OK);
    assert_same(world, other, false, 0);

    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    assert_int_equal(abut_world_detect(other, 0.0f), ABUT_OK);
    assert_same(world, other, false, 0);

    // A world that ends in the middle of a detect gives everything back.
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_true(abut_world_detect_next(world) > 0);
    abut_world_destroy(world);
    abut_world_destroy(other);
}

static void a_task_that_has_not_returned_holds_everything_up(void **state)
{
    (void)state;
    abut_world *world;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    fill(world, 300, 1);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_true(abut_world_detect_next(world) > 0);
    atomic_store(&world->work.detection.progress[0], 1); // as while it runs
    assert_int_equal(abut_world_detect_next(world), ABUT_NONE);
    assert_int_equal(abut_world_detect_end(world), ABUT_BUSY);
    abut_world_destroy(world);
    atomic_store(&world->work.detection.progress[0], 0);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    abut_world_destroy(world);
}

static void an_invalid_pose_fails_the_detect_on_any_thread(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads < 4; ++threads)
    {
        abut_world *world, *other;
        const abut_world_def def = { .threads = threads };
        assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
        assert_int_equal(abut_world_create(NULL, &other), ABUT_OK);
        fill(world, 400, 1);
        fill(other, 400, 1);
        ab_world_set_granularity(world, fine);
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        assert_int_equal(abut_world_detect(other, 0.0f), ABUT_OK);
        for (uint32_t slot = 1; slot < 400; slot += 55) // none of them static
        {
            float *x = &abut_world_bodies(world).poses[slot].position.x;
            const float before = *x;
            *x = NAN;
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_world_step(world, 0.1f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
            assert_int_equal(abut_world_detect_end(world), ABUT_INVALID_ARGUMENT);
            *x = before;
            assert_true(abut_world_hash(world) == abut_world_hash(other));
        }
        assert_int_equal(abut_world_step(world, 0.1f), ABUT_OK);
        assert_int_equal(abut_world_step(other, 0.1f), ABUT_OK);
        assert_true(abut_world_hash(world) == abut_world_hash(other));
        abut_world_destroy(world);
        abut_world_destroy(other);
    }
}

static void so_many_threads_there_are_not(void **state)
{
    (void)state;
    abut_world *world;
    assert_int_equal(abut_world_create(&(abut_world_def){ .threads = ABUT_MAX_THREADS + 1 }, &world),
                     ABUT_INVALID_ARGUMENT);
    assert_null(world);
    for (uint64_t at = 0; at < 2; ++at)
    {
        source memory = { .first_failed = at };
        const abut_world_def def = { .allocator = { lend, take_back, &memory }, .threads = 16 };
        while (abut_world_create(&def, &world) != ABUT_OK)
        {
            assert_null(world);
            assert_int_equal(memory.blocks, 0);
            memory.asked = 0;
            ++memory.first_failed;
        }
        abut_world_destroy(world);
        assert_int_equal(memory.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_the_wrong_order_fail_and_lose_nothing),
        cmocka_unit_test(a_task_that_has_not_returned_holds_everything_up),
        cmocka_unit_test(an_invalid_pose_fails_the_detect_on_any_thread),
        cmocka_unit_test(so_many_threads_there_are_not),
    };
    unsetenv("ABUT_THREADS"); // the threads and the granularity of every world are said here
    return cmocka_run_group_tests(tests, NULL, NULL);
}
