// The thread pool. A round's tasks are divided into consecutive shares, one per thread. A thread runs the tasks of its
// own share first, then takes from the others': a thread mostly reads what it wrote in the pass before, from its own
// caches.
//
// Threads contend only for the shares' tickets: a ticket counts up to HALF as tasks are taken, and is at or slightly
// past it when none are left. The round's description is written before its tickets, and only threads that took one of
// its tasks read it: the round cannot end before they are done.
#include "base/tasks.h"

#include "base/platform.h"
#include "base/threads.h"

#include <stdatomic.h>

#define HALF        0x80000000u
#define MOST_PAUSES 4000u // before a waiting thread sleeps
#define WORK        0u    // conditions
#define DONE        1u
#define CONDITIONS  2u

// The tasks that one thread takes first. On cache lines of its own.
typedef struct share
{
    _Alignas(AB_CACHE_LINE) _Atomic uint32_t ticket;
    uint32_t end; // past the last task of this round
    ab_pool *pool;
    ab_thread thread; // unused in the first share, the caller's
    ab_thread_start start;
} share;

struct ab_pool
{
    // Each of the first three on a cache line of its own.
    _Alignas(AB_CACHE_LINE) _Atomic uint32_t round;
    _Alignas(AB_CACHE_LINE) _Atomic uint32_t done; // tasks of this round
    _Alignas(AB_CACHE_LINE) ab_task *task;         // of this round, like the next two
    void *pass;
    uint32_t tasks;
    uint32_t pauses;
    uint32_t threads;                     // including the caller's
    _Alignas(AB_CACHE_LINE) ab_lock lock; // held to sleep and to wake
    ab_condition condition[CONDITIONS];
    atomic_uint sleeping; // workers
    atomic_bool waiting;  // the caller
    atomic_bool closing;
    atomic_bool claimed;
    share shares[]; // by thread
};

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

ab_partition ab_partition_into(const ab_granularity *granularity, size_t count, uint32_t multiple)
{
    if (count <= granularity->whole)
    {
        return (ab_partition){ count, count, count > 0 };
    }
    const size_t least = granularity->chunk > 0 ? granularity->chunk : 1;
    const size_t chunk = (least + multiple - 1) / multiple * multiple;
    return (ab_partition){ count, chunk, (uint32_t)((count + chunk - 1) / chunk) };
}

static bool has_task(uint32_t ticket)
{
    return ticket < HALF;
}

// Runs tasks of a share until none are left; returns how many.
static uint32_t work_off(const ab_pool *pool, share *s)
{
    uint32_t done = 0;
    while (has_task(atomic_load_explicit(&s->ticket, memory_order_relaxed)))
    {
        const uint32_t ticket = atomic_fetch_add_explicit(&s->ticket, 1, memory_order_acquire);
        if (has_task(ticket))
        {
            pool->task(pool->pass, s->end - (HALF - ticket));
            ++done;
        }
    }
    return done;
}

// Runs tasks until none are left, those of the thread's own share first.
static void work(ab_pool *pool, uint32_t thread)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < pool->threads; ++i)
    {
        done += work_off(pool, &pool->shares[(thread + i) % pool->threads]);
    }
    if (done == 0)
    {
        return; // this may already be another round
    }
    const uint32_t tasks = pool->tasks;
    if (atomic_fetch_add(&pool->done, done) + done == tasks && atomic_load(&pool->waiting))
    {
        ab_lock_take(&pool->lock);
        ab_condition_wake(&pool->condition[DONE]);
        ab_lock_give(&pool->lock);
    }
}

static bool something_to_do(ab_pool *pool, uint32_t seen)
{
    return atomic_load(&pool->round) != seen || atomic_load(&pool->closing);
}

// Waits for another round than the one seen last.
static void sleep_until_work(ab_pool *pool, uint32_t seen)
{
    for (uint32_t i = 0; i < pool->pauses; ++i)
    {
        if (something_to_do(pool, seen))
        {
            return;
        }
        ab_thread_pause();
    }
    ab_lock_take(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1);
    while (!something_to_do(pool, seen))
    {
        ab_condition_wait(&pool->condition[WORK], &pool->lock);
    }
    atomic_fetch_sub(&pool->sleeping, 1);
    ab_lock_give(&pool->lock);
}

static void worker_main(void *given)
{
    const share *own = given;
    ab_pool *pool = own->pool;
    const uint64_t mode = ab_platform_float_enter();
    uint32_t seen = 0;
    while (!atomic_load(&pool->closing))
    {
        sleep_until_work(pool, seen);
        seen = atomic_load(&pool->round);
        work(pool, (uint32_t)(own - pool->shares));
    }
    ab_platform_float_leave(mode);
}

static size_t size_for(uint32_t threads)
{
    return sizeof(ab_pool) + threads * sizeof(share);
}

// Ends the first `threads` threads.
static void stop(ab_pool *pool, uint32_t threads)
{
    ab_lock_take(&pool->lock);
    atomic_store(&pool->closing, true);
    ab_condition_wake_all(&pool->condition[WORK]);
    ab_lock_give(&pool->lock);
    for (uint32_t i = 1; i < threads; ++i)
    {
        ab_thread_join(&pool->shares[i].thread);
    }
    ab_lock_close(&pool->lock, pool->condition, CONDITIONS);
}

static bool start(ab_pool *pool)
{
    if (!ab_lock_open(&pool->lock, pool->condition, CONDITIONS))
    {
        return false;
    }
    for (uint32_t i = 0; i < pool->threads; ++i)
    {
        share *s = &pool->shares[i];
        atomic_init(&s->ticket, HALF);
        s->pool = pool;
        s->start = (ab_thread_start){ worker_main, s };
    }
    for (uint32_t i = 1; i < pool->threads; ++i)
    {
        if (!ab_thread_open(&pool->shares[i].thread, &pool->shares[i].start))
        {
            stop(pool, i);
            return false;
        }
    }
    return true;
}

ab_pool *ab_pool_open(ab_memory *memory, uint32_t threads)
{
    ab_pool *pool = ab_memory_take(memory, size_for(threads));
    if (!pool)
    {
        return NULL;
    }
    pool->threads = threads;
    pool->tasks = 0;
    // If threads share a processor, a spinning thread would keep a working one from it.
    pool->pauses = threads <= ab_threads_processors() ? MOST_PAUSES : 0;
    atomic_init(&pool->round, 0);
    atomic_init(&pool->done, 0);
    atomic_init(&pool->sleeping, 0);
    atomic_init(&pool->waiting, false);
    atomic_init(&pool->closing, false);
    atomic_init(&pool->claimed, false);
    if (!start(pool))
    {
        ab_memory_give(memory, pool, size_for(threads));
        return NULL;
    }
    return pool;
}

void ab_pool_close(ab_pool *pool, ab_memory *memory)
{
    if (pool)
    {
        const size_t size = size_for(pool->threads);
        stop(pool, pool->threads);
        ab_memory_give(memory, pool, size);
    }
}

// The first task of a thread's share.
static uint32_t share_first(const ab_pool *pool, uint32_t thread)
{
    return (uint32_t)((uint64_t)pool->tasks * thread / pool->threads);
}

static void deal(ab_pool *pool)
{
    for (uint32_t i = 0; i < pool->threads; ++i)
    {
        const uint32_t first = share_first(pool, i), end = share_first(pool, i + 1);
        pool->shares[i].end = end;
        atomic_store_explicit(&pool->shares[i].ticket, HALF - (end - first), memory_order_release);
    }
}

uint32_t ab_pool_threads(const ab_pool *pool)
{
    return pool ? pool->threads : 1;
}

bool ab_pool_claim(ab_pool *pool)
{
    return pool && !atomic_exchange_explicit(&pool->claimed, true, memory_order_acquire);
}

void ab_pool_give_back(ab_pool *pool)
{
    atomic_store_explicit(&pool->claimed, false, memory_order_release);
}

static void begin_round(ab_pool *pool, ab_task *task, void *pass, uint32_t tasks)
{
    const uint32_t round = atomic_load_explicit(&pool->round, memory_order_relaxed) + 1;
    pool->task = task;
    pool->pass = pass;
    pool->tasks = tasks;
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    deal(pool);
    atomic_store(&pool->round, round);
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
    work(pool, 0);
    end_round(pool);
}
