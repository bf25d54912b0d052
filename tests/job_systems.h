// Job systems that run the tasks of a detect as nobody should: backwards, several times, from within each other, on
// many threads that stall, or not at all. Of a file that defines _POSIX_C_SOURCE before it includes anything.
#ifndef JOB_SYSTEMS_H
#define JOB_SYSTEMS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_world.h"

#include <abut/abut.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

typedef void run_tasks(abut_world *world, uint32_t tasks, random_source *random);

static inline void run_one(abut_world *world, uint32_t task)
{
    assert_int_equal(abut_world_detect_task(world, task), ABUT_OK);
}

static inline void in_reverse(abut_world *world, uint32_t tasks, random_source *random)
{
    (void)random;
    while (tasks > 0)
    {
        run_one(world, --tasks);
    }
}

static inline void some_and_twice(abut_world *world, uint32_t tasks, random_source *random)
{
    for (uint32_t i = 0; i < tasks; ++i)
    {
        const uint32_t task = random_below(random, tasks);
        const abut_status status = abut_world_detect_task(world, task);
        assert_true(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_detect_task(world, task), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_world_detect_task(world, tasks), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect_task(world, UINT32_MAX), ABUT_INVALID_ARGUMENT);
}

// From the innermost frame outwards.
static inline void nested(abut_world *world, uint32_t tasks, random_source *random)
{
    volatile char frame[256];
    frame[0] = (char)tasks;
    if (tasks > 0)
    {
        nested(world, tasks - 1, random);
        run_one(world, tasks - 1);
    }
    (void)frame[0];
}

typedef struct crew
{
    abut_world *world;
    uint32_t tasks;
    atomic_uint next;
    atomic_uint failed;
    bool stalls;
} crew;

static inline void *pull(void *given)
{
    crew *c = given;
    for (uint32_t task; (task = atomic_fetch_add(&c->next, 1)) < c->tasks;)
    {
        if (c->stalls && task % 3 == 0)
        {
            nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
        }
        atomic_fetch_add(&c->failed, abut_world_detect_task(c->world, task) != ABUT_OK);
    }
    return NULL;
}

static inline void with_crew(abut_world *world, uint32_t tasks, uint32_t threads, bool stalls)
{
    crew c = { .world = world, .tasks = tasks, .stalls = stalls };
    pthread_t thread[8];
    for (uint32_t i = 0; i < threads; ++i)
    {
        assert_int_equal(pthread_create(&thread[i], NULL, pull, &c), 0);
    }
    for (uint32_t i = 0; i < threads; ++i)
    {
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(c.failed, 0);
}

static inline void many_threads(abut_world *world, uint32_t tasks, random_source *random)
{
    (void)random;
    with_crew(world, tasks, 8, false);
}

static inline void stalled_threads(abut_world *world, uint32_t tasks, random_source *random)
{
    with_crew(world, tasks < 12 ? tasks : 12, 3, random_chance(random, 0.2));
}

static inline void nobody(abut_world *world, uint32_t tasks, random_source *random)
{
    (void)world, (void)tasks, (void)random;
}

static run_tasks *const systems[] = { in_reverse, some_and_twice, nested, many_threads, stalled_threads, nobody };

enum
{
    SYSTEMS = sizeof systems / sizeof *systems
};

static inline abut_status caller_driven(abut_world *world, float horizon, uint32_t system, random_source *random)
{
    const abut_status begun = abut_world_detect_begin(world, horizon);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    for (uint32_t tasks; (tasks = abut_world_detect_next(world)) > 0;)
    {
        systems[system % SYSTEMS](world, tasks, random);
    }
    return abut_world_detect_end(world);
}

#endif
