// Threads, locks and conditions over the Windows, POSIX and WASI interfaces.
#if defined(__linux__)
#define _GNU_SOURCE // sched_getaffinity
#elif !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/threads.h"

#if defined(__linux__)
#include <sched.h>
#endif
#if !defined(_WIN32) && !defined(__wasi__)
#include <unistd.h>
#endif

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

// A thread's least stack in bytes: eight times what tasks are documented to need, for callers' functions that they
// call. Some systems default to less.
#define STACK ((size_t)1 << 20)

void ab_thread_pause(void)
{
#if defined(__SSE2__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ volatile("isb");
#endif
}

#if defined(_WIN32)

static DWORD WINAPI enter(LPVOID given)
{
    const ab_thread_start *start = given;
    start->main(start->context);
    return 0;
}

bool ab_thread_open(ab_thread *thread, ab_thread_start *start)
{
    *thread = CreateThread(NULL, STACK, enter, start, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return *thread != NULL;
}

void ab_thread_join(ab_thread *thread)
{
    WaitForSingleObject(*thread, INFINITE);
    CloseHandle(*thread);
}

bool ab_lock_open(ab_lock *lock, ab_condition *conditions, uint32_t count)
{
    InitializeSRWLock(lock);
    for (uint32_t i = 0; i < count; ++i)
    {
        InitializeConditionVariable(&conditions[i]);
    }
    return true;
}

void ab_lock_close(ab_lock *lock, ab_condition *conditions, uint32_t count)
{
    (void)lock, (void)conditions, (void)count;
}

void ab_lock_take(ab_lock *lock)
{
    AcquireSRWLockExclusive(lock);
}

void ab_lock_give(ab_lock *lock)
{
    ReleaseSRWLockExclusive(lock);
}

void ab_condition_wait(ab_condition *condition, ab_lock *lock)
{
    SleepConditionVariableSRW(condition, lock, INFINITE, 0);
}

void ab_condition_wake(ab_condition *condition)
{
    WakeConditionVariable(condition);
}

void ab_condition_wake_all(ab_condition *condition)
{
    WakeAllConditionVariable(condition);
}

uint32_t ab_threads_processors(void)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return system.dwNumberOfProcessors > 0 ? (uint32_t)system.dwNumberOfProcessors : 1;
}

#elif defined(__wasi__)

bool ab_thread_open(ab_thread *thread, ab_thread_start *start)
{
    (void)thread, (void)start;
    return true;
}

void ab_thread_join(ab_thread *thread)
{
    (void)thread;
}

bool ab_lock_open(ab_lock *lock, ab_condition *conditions, uint32_t count)
{
    (void)lock, (void)conditions, (void)count;
    return true;
}

void ab_lock_close(ab_lock *lock, ab_condition *conditions, uint32_t count)
{
    (void)lock, (void)conditions, (void)count;
}

void ab_lock_take(ab_lock *lock)
{
    (void)lock;
}

void ab_lock_give(ab_lock *lock)
{
    (void)lock;
}

void ab_condition_wait(ab_condition *condition, ab_lock *lock)
{
    (void)condition, (void)lock;
}

void ab_condition_wake(ab_condition *condition)
{
    (void)condition;
}

void ab_condition_wake_all(ab_condition *condition)
{
    (void)condition;
}

uint32_t ab_threads_processors(void)
{
    return 1;
}

#else

static void *enter(void *given)
{
    const ab_thread_start *start = given;
    start->main(start->context);
    return NULL;
}

bool ab_thread_open(ab_thread *thread, ab_thread_start *start)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
    {
        return false;
    }
    size_t size = 0;
    bool made = pthread_attr_getstacksize(&attributes, &size) == 0;
    made = made && (size >= STACK || pthread_attr_setstacksize(&attributes, STACK) == 0);
    made = made && pthread_create(thread, &attributes, enter, start) == 0;
    pthread_attr_destroy(&attributes);
    return made;
}

void ab_thread_join(ab_thread *thread)
{
    pthread_join(*thread, NULL);
}

bool ab_lock_open(ab_lock *lock, ab_condition *conditions, uint32_t count)
{
    if (pthread_mutex_init(lock, NULL) != 0)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (pthread_cond_init(&conditions[i], NULL) != 0)
        {
            ab_lock_close(lock, conditions, i);
            return false;
        }
    }
    return true;
}

void ab_lock_close(ab_lock *lock, ab_condition *conditions, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        pthread_cond_destroy(&conditions[i]);
    }
    pthread_mutex_destroy(lock);
}

void ab_lock_take(ab_lock *lock)
{
    pthread_mutex_lock(lock);
}

void ab_lock_give(ab_lock *lock)
{
    pthread_mutex_unlock(lock);
}

void ab_condition_wait(ab_condition *condition, ab_lock *lock)
{
    pthread_cond_wait(condition, lock);
}

void ab_condition_wake(ab_condition *condition)
{
    pthread_cond_signal(condition);
}

void ab_condition_wake_all(ab_condition *condition)
{
    pthread_cond_broadcast(condition);
}

uint32_t ab_threads_processors(void)
{
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    {
        return (uint32_t)CPU_COUNT(&allowed);
    }
#endif
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (uint32_t)processors : 1;
}

#endif
