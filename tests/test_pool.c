// The pool: each task of a round runs once, at the same time as others where there are threads, and whoever has nothing
// left to do of its own helps.
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/tasks.h"
#include "random.h"
#include "strange_floats.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum
{
    MOST_THREADS = 7,
    MOST_TASKS = 100
};

// What a task did is plain memory: that the caller may read it after the round is the pool's doing.
typedef struct round_of_tasks
{
    uint32_t tasks;
    uint32_t times[MOST_TASKS];
    atomic_uint arrived;
} round_of_tasks;

static ab_pool *open_pool(ab_memory *memory, uint32_t threads)
{
    assert_true(ab_memory_open(memory, NULL));
    ab_pool *pool = ab_pool_open(memory, threads);
    assert_non_null(pool);
    assert_int_equal(ab_pool_threads(pool), threads);
    return pool;
}

static void close_pool(ab_pool *pool, ab_memory *memory)
{
    ab_pool_close(pool, memory);
    assert_true(memory->bytes == 0);
}

static void expect_each_once(const round_of_tasks *round)
{
    for (uint32_t i = 0; i < MOST_TASKS; ++i)
    {
        assert_int_equal(round->times[i], i < round->tasks);
    }
}

static void count_task(void *given, uint32_t task)
{
    round_of_tasks *round = given;
    ++round->times[task];
}

// Long enough for every thread to have gone to sleep.
static void let_all_sleep(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

static void each_task_of_each_round_runs_once(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= MOST_THREADS; ++threads)
    {
        ab_memory memory;
        ab_pool *pool = open_pool(&memory, threads);
        random_source random = random_start(threads);
        for (uint32_t i = 0; i < 2000; ++i)
        {
            round_of_tasks round = { .tasks = random_below(&random, MOST_TASKS + 1) };
            if (i % 200 == 0)
            {
                let_all_sleep();
            }
            ab_pool_run(pool, count_task, &round, round.tasks);
            expect_each_once(&round);
        }
        close_pool(pool, &memory);
    }
}

// Rounds of so many tasks, or of as many as there are threads where that is zero, on pools of every size.
static void run_on_every_pool(ab_task *task, uint32_t tasks)
{
    for (uint32_t threads = 2; threads <= MOST_THREADS; ++threads)
    {
        ab_memory memory;
        ab_pool *pool = open_pool(&memory, threads);
        for (uint32_t i = 0; i < 20; ++i)
        {
            round_of_tasks round = { .tasks = tasks > 0 ? tasks : threads };
            ab_pool_run(pool, task, &round, round.tasks);
            expect_each_once(&round);
        }
        close_pool(pool, &memory);
    }
}

// Returns when as many tasks have arrived as there are.
static void meet_all(void *given, uint32_t task)
{
    round_of_tasks *round = given;
    count_task(given, task);
    atomic_fetch_add(&round->arrived, 1);
    while (atomic_load(&round->arrived) < round->tasks)
    {
        sched_yield();
    }
}

static void as_many_tasks_as_threads_run_at_once(void **state)
{
    (void)state;
    run_on_every_pool(meet_all, 0);
}

// The first task returns when all others have.
static void outlast_others(void *given, uint32_t task)
{
    round_of_tasks *round = given;
    count_task(given, task);
    while (task == 0 && atomic_load(&round->arrived) + 1 < round->tasks)
    {
        sched_yield();
    }
    atomic_fetch_add(&round->arrived, 1);
}

static void others_take_over_what_a_thread_cannot_come_to(void **state)
{
    (void)state;
    run_on_every_pool(outlast_others, MOST_TASKS);
}

static void expect_turn(void *given, uint32_t task)
{
    round_of_tasks *round = given;
    count_task(given, task);
    assert_int_equal(atomic_fetch_add(&round->arrived, 1), task);
}

static void without_a_pool_tasks_run_in_order_on_this_thread(void **state)
{
    (void)state;
    round_of_tasks round = { .tasks = MOST_TASKS };
    ab_pool_run(NULL, expect_turn, &round, MOST_TASKS);
    expect_each_once(&round);
    assert_int_equal(ab_pool_threads(NULL), 1);
    ab_pool_close(NULL, NULL);
}

typedef struct environments
{
    round_of_tasks round;
    uint64_t seen[MOST_THREADS];
} environments;

static void note_environment(void *given, uint32_t task)
{
    environments *e = given;
    e->seen[task] = present_floats();
    meet_all(&e->round, task);
}

// Threads may inherit the environment of who opens them; the caller's own thread keeps it.
static void threads_compute_in_our_environment_whoever_opens_them(void **state)
{
    (void)state;
    const uint64_t before = ab_platform_float_enter(), ours = present_floats();
    ab_platform_float_leave(before);
    for (uint32_t threads = 2; threads <= MOST_THREADS; ++threads)
    {
        ab_memory memory;
        environments e = { .round.tasks = threads };
        ab_platform_float_leave(STRANGE);
        ab_pool *pool = open_pool(&memory, threads);
        ab_pool_run(pool, note_environment, &e, threads); // each thread has one
        assert_true(present_floats() == STRANGE);
        ab_platform_float_leave(before);
        close_pool(pool, &memory);
        uint32_t strange = 0;
        for (uint32_t i = 0; i < threads; ++i)
        {
            strange += e.seen[i] == STRANGE;
            assert_true(e.seen[i] == STRANGE || e.seen[i] == ours);
        }
        assert_int_equal(strange, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_of_each_round_runs_once),
        cmocka_unit_test(as_many_tasks_as_threads_run_at_once),
        cmocka_unit_test(others_take_over_what_a_thread_cannot_come_to),
        cmocka_unit_test(without_a_pool_tasks_run_in_order_on_this_thread),
        cmocka_unit_test(threads_compute_in_our_environment_whoever_opens_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
