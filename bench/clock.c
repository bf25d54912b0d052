#if defined(_WIN32)

// Windows counts a thread's time in sixty-fourths of a second, which is of no use here.
#include "clock.h"

#include <stdbool.h>
#include <windows.h>

uint64_t clock_elapsed_ns(void)
{
    LARGE_INTEGER frequency, count;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    const uint64_t whole = (uint64_t)(count.QuadPart / frequency.QuadPart);
    const uint64_t rest = (uint64_t)(count.QuadPart % frequency.QuadPart);
    return whole * 1000000000u + rest * 1000000000u / (uint64_t)frequency.QuadPart;
}

static bool thread_ns(uint64_t *ns)
{
    (void)ns;
    return false;
}

#else

#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "clock.h"

#include <stdbool.h>
#include <time.h>

static uint64_t in_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

uint64_t clock_elapsed_ns(void)
{
    struct timespec now = { 0 };
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return in_ns(&now);
}

static bool thread_ns(uint64_t *ns)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec now = { 0 };
    const bool known = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0;
    *ns = in_ns(&now);
    return known;
#else
    (void)ns;
    return false;
#endif
}

#endif

uint64_t clock_thread_ns(void)
{
    uint64_t ns = 0;
    return thread_ns(&ns) ? ns : clock_elapsed_ns();
}

uint64_t clock_step_ns(uint32_t threads)
{
    return threads > 1 ? clock_elapsed_ns() : clock_thread_ns();
}

const char *clock_step_name(uint32_t threads)
{
    uint64_t ns = 0;
    return threads == 1 && thread_ns(&ns) ? "processor" : "elapsed";
}
