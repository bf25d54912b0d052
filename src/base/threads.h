// Threads, locks and conditions of the system. Only the pool uses them.
#ifndef AB_THREADS_H
#define AB_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
typedef HANDLE ab_thread;
typedef SRWLOCK ab_lock;
typedef CONDITION_VARIABLE ab_condition;
#elif defined(__wasi__)
typedef char ab_thread;
typedef char ab_lock;
typedef char ab_condition;
#else
#include <pthread.h>
typedef pthread_t ab_thread;
typedef pthread_mutex_t ab_lock;
typedef pthread_cond_t ab_condition;
#endif

typedef void ab_thread_main(void *context);

// A thread's start function; must outlive the thread.
typedef struct ab_thread_start
{
    ab_thread_main *main;
    void *context;
} ab_thread_start;

// False on failure. A system without threads (WASI) opens one that never runs: the pool's caller runs all tasks.
bool ab_thread_open(ab_thread *thread, ab_thread_start *start);
void ab_thread_join(ab_thread *thread);

// False on failure.
bool ab_lock_open(ab_lock *lock, ab_condition *conditions, uint32_t count);
void ab_lock_close(ab_lock *lock, ab_condition *conditions, uint32_t count);
void ab_lock_take(ab_lock *lock);
void ab_lock_give(ab_lock *lock);

// The caller holds the lock; waiting releases it and takes it again. May wake spuriously.
void ab_condition_wait(ab_condition *condition, ab_lock *lock);
void ab_condition_wake(ab_condition *condition);
void ab_condition_wake_all(ab_condition *condition);

// Processors that this program's threads may run on; at least one.
uint32_t ab_threads_processors(void);

// Hints to the processor that this thread is spinning.
void ab_thread_pause(void);

#endif
