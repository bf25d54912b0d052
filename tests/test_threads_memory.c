// Memory of a detect in tasks: requests come from the calling thread alone, none comes once contacts are being written,
// each may fail and changes nothing then, and a world at rest makes none.
#define _POSIX_C_SOURCE 200809L // for job_systems.h

#include "base/array.h"
#include "scarce_memory.h"
#include "threaded_pile.h"

#include <pthread.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_request_in_any_phase_changes_nothing),
        cmocka_unit_test(no_phase_fails_after_contacts_were_written),
        cmocka_unit_test(a_world_at_rest_allocates_nothing),
    };
    unsetenv("ABUT_THREADS"); // the threads and the granularity of every world are said here
    return cmocka_run_group_tests(tests, NULL, NULL);
}
