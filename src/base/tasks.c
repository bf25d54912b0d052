// The pool. All that threads contend for is one word, the ticket: the lower half counts up to HALF as tasks are taken, and is
// past it when none are left; the upper half counts the rounds, so that a ticket is never seen twice. What a round is about is
// written before its ticket is, and read only by those who took a task of it: the round cannot end before they are done.
#include "base/tasks.h"

#include "base/platform.h"
#include "base/threads.h"

#include <stdatomic.h>

#define HALF        0x80000000u
#define MOST_PAUSES 1000u // before a thread that waits goes to sleep
#define WORK        0u    // conditions
#define DONE        1u
#define CONDITIONS  2u

typedef struct ab_pool
{
    // Each of the first three on a cache line of its own.
    _Alignas(AB_CACHE_LINE) _Atomic uint64_t ticket;
    _Alignas(AB_CACHE_LINE) _Atomic uint32_t done; // tasks of this round
    _Alignas(AB_CACHE_LINE) ab_task *task;         // of this round, like the next two
    void *pass;
    uint32_t tasks;
    uint32_t pauses;
    _Alignas(AB_CACHE_LINE) ab_lock lock; // around going to sleep, and waking
    ab_condition condition[CONDITIONS];
    atomic_uint sleeping; // workers
    atomic_bool waiting;  // the caller
    atomic_bool closing;
    ab_thread_start start;
    uint32_t workers;
    ab_thread worker[];
} ab_pool;

abut_status ab_phases_run(const ab_phase *phases, void *pass)
{
    for (; phases->prepare; ++phases)
    {
        uint32_t tasks = 0;
        const abut_status status = phases->prepare(pass, &tasks);
        if (status != ABUT_OK)
        {
            return status;
        }
        ab_pool_run(NULL, phases->task, pass, tasks);
    }
    return ABUT_OK;
}

ab_cut ab_cut_into(const ab_grain *grain, size_t count, uint32_t multiple)
{
    if (count <= grain->whole)
    {
        return (ab_cut){ count, count, count > 0 };
    }
    const size_t least = grain->chunk > 0 ? grain->chunk : 1;
    const size_t chunk = (least + multiple - 1) / multiple * multiple;
    return (ab_cut){ count, chunk, (uint32_t)((count + chunk - 1) / chunk) };
}

static bool has_task(uint64_t ticket)
{
    return (uint32_t)ticket < HALF;
}

// Runs tasks until none are left.
static void work(ab_pool *pool)
{
    uint32_t done = 0, tasks = 0;
    for (;;)
    {
        const uint64_t ticket = atomic_fetch_add_explicit(&pool->ticket, 1, memory_order_acquire);
        if (!has_task(ticket))
        {
            break;
        }
        tasks = pool->tasks;
        pool->task(pool->pass, (uint32_t)ticket - (HALF - tasks));
        ++done;
    }
    if (done > 0 && atomic_fetch_add(&pool->done, done) + done == tasks && atomic_load(&pool->waiting))
    {
        ab_lock_take(&pool->lock);
        ab_condition_wake(&pool->condition[DONE]);
        ab_lock_give(&pool->lock);
    }
}

static bool something_to_do(ab_pool *pool)
{
    return has_task(atomic_load(&pool->ticket)) || atomic_load(&pool->closing);
}

static void sleep_until_work(ab_pool *pool)
{
    for (uint32_t i = 0; i < pool->pauses; ++i)
    {
        if (something_to_do(pool))
        {
            return;
        }
        ab_thread_pause();
    }
    ab_lock_take(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1);
    while (!something_to_do(pool))
    {
        ab_condition_wait(&pool->condition[WORK], &pool->lock);
    }
    atomic_fetch_sub(&pool->sleeping, 1);
    ab_lock_give(&pool->lock);
}

static void worker_main(void *given)
{
    ab_pool *pool = given;
    const uint64_t mode = ab_platform_float_enter();
    while (!atomic_load(&pool->closing))
    {
        work(pool);
        sleep_until_work(pool);
    }
    ab_platform_float_leave(mode);
}

static size_t size_for(uint32_t workers)
{
    return sizeof(ab_pool) + workers * sizeof(ab_thread);
}

static void stop(ab_pool *pool)
{
    ab_lock_take(&pool->lock);
    atomic_store(&pool->closing, true);
    ab_condition_wake_all(&pool->condition[WORK]);
    ab_lock_give(&pool->lock);
    for (uint32_t i = 0; i < pool->workers; ++i)
    {
        ab_thread_join(&pool->worker[i]);
    }
    ab_lock_close(&pool->lock, pool->condition, CONDITIONS);
}

static bool start(ab_pool *pool, uint32_t workers)
{
    pool->start = (ab_thread_start){ worker_main, pool };
    if (!ab_lock_open(&pool->lock, pool->condition, CONDITIONS))
    {
        return false;
    }
    for (; pool->workers < workers; ++pool->workers)
    {
        if (!ab_thread_open(&pool->worker[pool->workers], &pool->start))
        {
            stop(pool);
            return false;
        }
    }
    return true;
}

ab_pool *ab_pool_open(ab_memory *memory, uint32_t threads)
{
    const uint32_t workers = threads - 1;
    ab_pool *pool = ab_memory_take(memory, size_for(workers));
    if (!pool)
    {
        return NULL;
    }
    pool->workers = 0;
    pool->tasks = 0;
    // Where threads share a processor, who waits takes it from who works.
    pool->pauses = threads <= ab_threads_processors() ? MOST_PAUSES : 0;
    atomic_init(&pool->ticket, HALF);
    atomic_init(&pool->done, 0);
    atomic_init(&pool->sleeping, 0);
    atomic_init(&pool->waiting, false);
    atomic_init(&pool->closing, false);
    if (!start(pool, workers))
    {
        ab_memory_give(memory, pool, size_for(workers));
        return NULL;
    }
    return pool;
}

void ab_pool_close(ab_pool *pool, ab_memory *memory)
{
    if (pool)
    {
        const size_t size = size_for(pool->workers);
        stop(pool);
        ab_memory_give(memory, pool, size);
    }
}

static void begin_round(ab_pool *pool, ab_task *task, void *pass, uint32_t tasks)
{
    pool->task = task;
    pool->pass = pass;
    pool->tasks = tasks;
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    const uint64_t round = (atomic_load_explicit(&pool->ticket, memory_order_relaxed) >> 32) + 1;
    atomic_store(&pool->ticket, round << 32 | (HALF - tasks));
    uint32_t asleep = atomic_load(&pool->sleeping);
    if (asleep > 0)
    {
        ab_lock_take(&pool->lock);
        for (uint32_t woken = 0; woken < asleep && woken + 1 < tasks; ++woken)
        {
            ab_condition_wake(&pool->condition[WORK]);
        }
        ab_lock_give(&pool->lock);
    }
}

static void end_round(ab_pool *pool)
{
    for (uint32_t i = 0; i < pool->pauses && atomic_load(&pool->done) != pool->tasks; ++i)
    {
        ab_thread_pause();
    }
    if (atomic_load(&pool->done) != pool->tasks)
    {
        ab_lock_take(&pool->lock);
        atomic_store(&pool->waiting, true);
        while (atomic_load(&pool->done) != pool->tasks)
        {
            ab_condition_wait(&pool->condition[DONE], &pool->lock);
        }
        atomic_store(&pool->waiting, false);
        ab_lock_give(&pool->lock);
    }
}

void ab_pool_run(ab_pool *pool, ab_task *task, void *pass, uint32_t tasks)
{
    if (!pool || tasks < 2)
    {
        for (uint32_t i = 0; i < tasks; ++i)
        {
            task(pass, i);
        }
        return;
    }
    begin_round(pool, task, pass, tasks);
    work(pool);
    end_round(pool);
}
