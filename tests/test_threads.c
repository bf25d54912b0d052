// Tasks: whichever thread runs them, in whatever order, on however many threads and however finely divided, the result
// has the same bits; and the calls of a caller-driven detect fail, or finish it, when they come in the wrong order.
#define _POSIX_C_SOURCE 200809L // for job_systems.h

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/array.h"
#include "job_systems.h"
#include "observed.h"
#include "random_world.h"
#include "scarce_memory.h"
#include "world/world.h"

#include <abut/abut.h>

#include <pthread.h>

static const ab_granularity fine = { 32, 0 }, finer = { 5, 0 };

static uint64_t counted(const abut_world *world)
{
    abut_statistics s;
    abut_world_statistics(world, &s);
    uint64_t hash = 1;
    const uint64_t counts[] = { s.box_tests, s.tree_depth, s.sorts, s.candidates, s.filtered };
    hash = observed_bytes(hash, counts, sizeof counts);
    hash = observed_bytes(hash, s.level_tests, sizeof s.level_tests);
    for (uint32_t i = 0; i < ABUT_PAIR_TYPE_MAX; ++i)
    {
        const uint64_t tally[] = { s.pair_types[i].pairs, s.pair_types[i].touching };
        hash = observed_bytes(hash, tally, sizeof tally);
    }
    return hash;
}

// Laws ----------------------------------------------------------------------------------------------------------------

// After a failure proxies may be in another order than without it, and other AABBs are tested to find the same pairs.
static void assert_same(abut_world *a, abut_world *b, bool failed, uint64_t seed)
{
    if (abut_world_hash(a) != abut_world_hash(b) || observed_results(1, a) != observed_results(1, b) ||
        (!failed && counted(a) != counted(b)))
    {
        fail_msg("seed %llu: not the same", (unsigned long long)seed);
    }
}

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

// Under sanitizers, which are up to fifty times slower, worlds and tasks are smaller, and only one in so many requests
// fails.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SLOW 1
#endif
#endif
enum
{
#ifdef SLOW
    LARGE = 700,
    CHUNK = 100,
    SITES_APART = 9
#else
    LARGE = 5000,
    CHUNK = 1024,
    SITES_APART = 1
#endif
};

// A box of balls and crates, some of them falling, with a floor of many static ones.
static void fill(abut_world *world, uint32_t bodies, uint64_t seed)
{
    random_source random = random_start(seed);
    const double side = 0.55 * cbrt((double)bodies);
    for (uint32_t i = 0; i < bodies; ++i)
    {
        const float size = (float)random_between(&random, 0.2, 0.6);
        abut_body body;
        const abut_body_def def = {
            .pose.position = random_narrow(random_in_box(&random, side)),
            .pose.rotation = random_narrow_rotation(random_rotation(&random)),
            .velocity.linear = random_narrow(random_in_box(&random, 3.0)),
            .motion = i % 5 == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
            .collider.shape = i % 3 == 0   ? abut_shape_sphere(size)
                              : i % 3 == 1 ? abut_shape_obb(size, 0.4f, size)
                                           : abut_shape_aabb(size, size, 0.3f),
        };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
}

// Bodies of several colliders, sensors and CCD bodies.
static void complicate(abut_world *world)
{
    const abut_bodies all = abut_world_bodies(world);
    for (uint32_t slot = 0; slot < all.count; ++slot)
    {
        const abut_body body = { slot, all.generations[slot] };
        const abut_collider_def more = { .shape = abut_shape_sphere(0.3f),
                                         .local = { .position = { 0.0f, 0.4f, 0.0f }, .rotation = { .w = 1.0f } },
                                         .flags = slot % 4 ? 0 : ABUT_COLLIDER_SENSOR };
        abut_collider collider;
        if (slot % 2 == 0)
        {
            assert_int_equal(abut_collider_attach(world, body, &more, &collider), ABUT_OK);
        }
        assert_int_equal(abut_body_set_ccd(world, body, slot % 7 == 1), ABUT_OK);
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

// Wrong orders --------------------------------------------------------------------------------------------------------

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

// Memory --------------------------------------------------------------------------------------------------------------

typedef struct watched
{
    source memory;
    pthread_t owner;
    uint32_t strangers; // requests from other threads
} watched;

static void *lend_watched(void *context, size_t size, size_t alignment)
{
    watched *w = context;
    w->strangers += !pthread_equal(w->owner, pthread_self());
    return lend(&w->memory, size, alignment);
}

static void take_back_watched(void *context, void *block, size_t size, size_t alignment)
{
    watched *w = context;
    w->strangers += !pthread_equal(w->owner, pthread_self());
    take_back(&w->memory, block, size, alignment);
}

static uint64_t hash_after(abut_world *world, uint32_t how, random_source *random, abut_status *status)
{
    *status = how == 0 ? abut_world_detect(world, 0.05f) : caller_driven(world, 0.05f, how, random);
    return abut_world_hash(world);
}

static void a_failed_request_in_any_phase_changes_nothing(void **state)
{
    (void)state;
    random_source random = random_start(7);
    for (uint32_t kind = 1; kind < ABUT_BROAD_COUNT; ++kind)
    {
        abut_world *plain;
        abut_status status;
        assert_int_equal(abut_world_create(&(abut_world_def){ .broad = (abut_broad_kind)kind }, &plain), ABUT_OK);
        fill(plain, 260, 3);
        complicate(plain);
        const uint64_t empty = abut_world_hash(plain), expected = hash_after(plain, 0, &random, &status);
        abut_world_destroy(plain);
        for (uint64_t at = 0, failed = 1; failed > 0; at += SITES_APART)
        {
            watched w = { .memory.first_failed = NEVER, .owner = pthread_self() };
            const abut_world_def def = { .allocator = { lend_watched, take_back_watched, &w },
                                         .broad = (abut_broad_kind)kind,
                                         .threads = 3 };
            abut_world *world;
            assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
            ab_world_set_granularity(world, fine);
            fill(world, 260, 3);
            complicate(world);
            fail_after(&w.memory, at);
            const uint64_t hash = hash_after(world, (uint32_t)(at % 3), &random, &status);
            failed = w.memory.failed;
            const bool fails = failed > world->memory.forgone;
            assert_int_equal(status, fails ? ABUT_OUT_OF_MEMORY : ABUT_OK);
            assert_true(hash == (fails ? empty : expected));
            fail_after(&w.memory, NEVER);
            assert_true(hash_after(world, (uint32_t)(at % 2), &random, &status) != empty);
            assert_int_equal(status, ABUT_OK);
            abut_world_destroy(world);
            assert_int_equal(w.memory.blocks, 0);
            assert_int_equal(w.strangers, 0);
        }
    }
}

// A world with contacts, of which the next detect changes many.
static abut_world *disturbed(const abut_world_def *def)
{
    abut_world *world;
    assert_int_equal(abut_world_create(def, &world), ABUT_OK);
    fill(world, 260, 3);
    complicate(world);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_move(world, 0.2f), ABUT_OK);
    return world;
}

// A detect in tasks of which the first request after phase `at` fails. *more: there was such a phase.
static abut_status failing_after(abut_world *world, source *memory, uint32_t at, bool *more)
{
    ab_detection *d = &world->work.detection;
    *more = false;
    assert_int_equal(abut_world_detect_begin(world, 0.05f), ABUT_OK);
    for (uint32_t phase = 0, tasks; (tasks = abut_world_detect_next(world)) > 0; ++phase)
    {
        in_reverse(world, tasks, NULL);
        if (phase == at)
        {
            *more = true;
            d->tasks = 0;
            arrfree(d->progress); // as if this phase had had more tasks than any before it
            fail_after(memory, 0);
        }
    }
    return abut_world_detect_end(world);
}

// Contacts are written in place.
static void no_phase_fails_after_contacts_were_written(void **state)
{
    (void)state;
    for (uint32_t recycles = 0; recycles < 3; ++recycles)
    {
        abut_world_def def = { .recycle_distance = recycles ? 0.3f : 0.0f,
                               .separations = recycles == 2 ? ABUT_AT_ANCHORS : ABUT_FOLLOWED };
        abut_world *plain = disturbed(&def);
        assert_int_equal(abut_world_detect(plain, 0.05f), ABUT_OK);
        const uint64_t expected = observed_results(1, plain);
        abut_world_destroy(plain);
        bool more = true;
        for (uint32_t at = 0; more; ++at)
        {
            source memory = { .first_failed = NEVER };
            def.allocator = (abut_allocator){ lend, take_back, &memory };
            abut_world *world = disturbed(&def);
            const uint64_t before = observed_results(1, world);
            const abut_status status = failing_after(world, &memory, at, &more);
            assert_int_equal(status, memory.failed > world->memory.forgone ? ABUT_OUT_OF_MEMORY : ABUT_OK);
            assert_true(observed_results(1, world) == (status == ABUT_OK ? expected : before));
            fail_after(&memory, NEVER);
            assert_int_equal(abut_world_detect(world, 0.05f), ABUT_OK);
            abut_world_destroy(world);
        }
    }
}

static void a_world_at_rest_allocates_nothing(void **state)
{
    (void)state;
    abut_world *world;
    assert_int_equal(abut_world_create(&(abut_world_def){ .threads = 3 }, &world), ABUT_OK);
    fill(world, LARGE, 2);
    ab_world_set_granularity(world, (ab_granularity){ CHUNK / 2, 0 });
    abut_statistics before, after;
    for (uint32_t frame = 0; frame < 12; ++frame)
    {
        assert_int_equal(abut_world_step(world, 0.001f), ABUT_OK);
        if (frame == 5)
        {
            abut_world_statistics(world, &before);
        }
    }
    abut_world_statistics(world, &after);
    assert_int_equal(after.allocations, before.allocations);
    abut_world_destroy(world);
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
        cmocka_unit_test(threads_and_granularity_change_nothing),
        cmocka_unit_test(any_job_system_will_do),
        cmocka_unit_test(a_large_world_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(a_small_world_has_one_task_a_phase),
        cmocka_unit_test(pieces_in_the_wrong_order_fail_and_lose_nothing),
        cmocka_unit_test(a_task_that_has_not_returned_holds_everything_up),
        cmocka_unit_test(an_invalid_pose_fails_the_detect_on_any_thread),
        cmocka_unit_test(a_failed_request_in_any_phase_changes_nothing),
        cmocka_unit_test(no_phase_fails_after_contacts_were_written),
        cmocka_unit_test(a_world_at_rest_allocates_nothing),
        cmocka_unit_test(so_many_threads_there_are_not),
    };
    unsetenv("ABUT_THREADS"); // the threads and the granularity of every world are said here
    return cmocka_run_group_tests(tests, NULL, NULL);
}
