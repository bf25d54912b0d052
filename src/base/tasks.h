// Passes divided into tasks. A pass is a list of phases. Each phase is prepared on the calling thread, which alone
// allocates memory and sets the number of tasks; then the tasks run on any threads, in any order, each once, and
// nothing else runs meanwhile. A task works on a fixed part of the whole, so results do not depend on threads or
// timing.
#ifndef AB_TASKS_H
#define AB_TASKS_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>

typedef void ab_task(void *pass, uint32_t task);

// One step of a pass. A list of phases ends with one whose `prepare` is NULL.
typedef struct ab_phase
{
    // Does what cannot be divided and sets *tasks, which is zero before. Any status other than ABUT_OK ends the pass.
    abut_status (*prepare)(void *pass, uint32_t *tasks);
    ab_task *task; // may be NULL if *tasks is always zero
} ab_phase;

// Runs all phases of a list on this thread.
abut_status ab_phases_run(const ab_phase *phases, void *pass);

// How finely passes are divided. No result depends on it; only tests change the default.
typedef struct ab_granularity
{
    uint32_t chunk; // items in a task: proxies, pairs, contacts
    uint32_t whole; // this many items or fewer are one task
} ab_granularity;

#define AB_GRANULARITY_DEFAULT ((ab_granularity){ .chunk = 1024, .whole = 4096 })

// `count` items divided into equal parts; the last may be shorter.
typedef struct ab_partition
{
    size_t count, chunk;
    uint32_t tasks;
} ab_partition;

// Part lengths are a multiple of `multiple`.
ab_partition ab_partition_into(const ab_granularity *granularity, size_t count, uint32_t multiple);

// The first item of a part, and one past its last.
static inline size_t ab_partition_first(const ab_partition *partition, uint32_t task)
{
    return task * partition->chunk;
}

static inline size_t ab_partition_end(const ab_partition *partition, uint32_t task)
{
    const size_t end = (task + (size_t)1) * partition->chunk;
    return end < partition->count ? end : partition->count;
}

// Worker threads that sleep between rounds. The calling thread runs tasks too.
typedef struct ab_pool ab_pool;

// For `threads` threads, 2 to ABUT_MAX_THREADS, including the caller's. NULL when memory or a thread is unavailable.
ab_pool *ab_pool_open(ab_memory *memory, uint32_t threads);
void ab_pool_close(ab_pool *pool, ab_memory *memory); // NULL is allowed

uint32_t ab_pool_threads(const ab_pool *pool); // NULL: 1

// For callers of which several may want the pool at once: whether this one has it; false for no pool. Give it back.
bool ab_pool_claim(ab_pool *pool);
void ab_pool_give_back(ab_pool *pool);

// Runs tasks [0, tasks) and returns when all are done. One task, or no pool (NULL): on this thread.
void ab_pool_run(ab_pool *pool, ab_task *task, void *pass, uint32_t tasks);

#endif
