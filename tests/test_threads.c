// Tasks: whichever thread runs them, in whatever order, on however many threads and however finely divided, the result
// has the same bits.
#define _POSIX_C_SOURCE 200809L // for job_systems.h

#include "threaded_pile.h"

static const ab_granularity finer = { 5, 0 };

// So that there are more contacts than a task takes.
static void crowd_both(crowd *a, crowd *b)
{
    for (uint32_t edit = 0; edit < 160; ++edit)
    {
        crowd_edit(a);
        crowd_edit(b);
    }
}

static abut_broad_kind some_broad(uint64_t seed)
{
    return (abut_broad_kind)(1 + seed % (ABUT_BROAD_COUNT - 1));
}

static void threads_and_granularity_change_nothing(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(30);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        static crowd single_threaded, many;
        const abut_broad_kind broad = some_broad(seed);
        assert_int_equal(crowd_open(&single_threaded, seed, (abut_world_def){ .broad = broad }), ABUT_OK);
        assert_int_equal(crowd_open(&many, seed, (abut_world_def){ .broad = broad, .threads = 1 + (uint32_t)seed % 7 }),
                         ABUT_OK);
        ab_world_set_granularity(many.world, seed % 5 ? fine : finer);
        crowd_both(&single_threaded, &many);
        many.mishaps = seed % 4 == 0 ? 0.2 : 0.0;
        for (uint32_t frame = 0; frame < 24; ++frame)
        {
            double dt;
            (void)crowd_frame(&single_threaded, &dt);
            (void)crowd_frame(&many, &dt);
            assert_false(many.broken);
            assert_same(single_threaded.world, many.world, many.mishaps > 0.0, seed);
        }
        abut_world_destroy(single_threaded.world);
        abut_world_destroy(many.world);
    }
}

static void any_job_system_will_do(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(30);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        static crowd whole, pieces;
        const abut_world_def def = { .broad = some_broad(seed), .threads = seed % 2 ? 3 : 0 };
        random_source random = random_start(seed);
        assert_int_equal(crowd_open(&whole, seed, def), ABUT_OK);
        assert_int_equal(crowd_open(&pieces, seed, def), ABUT_OK);
        ab_world_set_granularity(pieces.world, seed % 5 ? fine : finer);
        crowd_both(&whole, &pieces);
        for (uint32_t frame = 0; frame < 16; ++frame)
        {
            for (uint32_t edit = random_below(&random, 9); edit > 0; --edit)
            {
                crowd_edit(&whole);
                crowd_edit(&pieces);
            }
            const float horizon = frame % 3 ? 0.0f : 0.05f;
            assert_int_equal(abut_world_detect(whole.world, horizon), ABUT_OK);
            assert_int_equal(caller_driven(pieces.world, horizon, (uint32_t)seed + frame, &random), ABUT_OK);
            assert_same(whole.world, pieces.world, false, seed);
        }
        abut_world_destroy(whole.world);
        abut_world_destroy(pieces.world);
    }
}

static void a_large_world_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < ABUT_BROAD_COUNT; ++kind)
    {
        abut_world *world[4];
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t threads[4] = { 0, 2, 3, 7 };
            const abut_world_def def = { .broad = (abut_broad_kind)kind, .threads = threads[i] };
            assert_int_equal(abut_world_create(&def, &world[i]), ABUT_OK);
            fill(world[i], kind == ABUT_BROAD_BRUTE ? LARGE / 3 : LARGE, kind);
            complicate(world[i]);
            ab_world_set_granularity(world[i], (ab_granularity){ CHUNK, 0 });
        }
        ab_world_set_granularity(world[3], (ab_granularity){ CHUNK / 3, 0 });
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            for (uint32_t i = 0; i < 4; ++i)
            {
                assert_int_equal(abut_world_step(world[i], 0.02f), ABUT_OK);
                assert_int_equal(abut_world_detect(world[i], 0.1f * (float)frame), ABUT_OK);
            }
            const uint64_t hash = abut_world_hash(world[0]);
            for (uint32_t i = 1; i < 4; ++i)
            {
                assert_true(abut_world_hash(world[i]) == hash);
                assert_true(observed_results(1, world[i]) == observed_results(1, world[0]));
                assert_true(counted(world[i]) == counted(world[0]));
            }
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            abut_world_destroy(world[i]);
        }
    }
}

static void a_small_world_has_one_task_a_phase(void **state)
{
    (void)state;
    abut_world *world;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    fill(world, 200, 1);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    uint32_t phases = 0;
    for (uint32_t tasks; (tasks = abut_world_detect_next(world)) > 0; ++phases)
    {
        assert_int_equal(tasks, 1);
        in_reverse(world, tasks, NULL);
    }
    assert_true(phases >= 4);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_granularity_change_nothing),
        cmocka_unit_test(any_job_system_will_do),
        cmocka_unit_test(a_large_world_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(a_small_world_has_one_task_a_phase),
    };
    unsetenv("ABUT_THREADS"); // the threads and the granularity of every world are said here
    return cmocka_run_group_tests(tests, NULL, NULL);
}
