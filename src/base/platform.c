// Aligned memory, the clock, a shared counter and the floating-point control word, per system.
#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#elif !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/platform.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <malloc.h>
#include <windows.h>
#else
#include <time.h>
#endif

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

#if defined(__linux__) && defined(MADV_HUGEPAGE)
#define HUGE_PAGE ((size_t)1 << 21)

// Large arrays are read in an order that follows from the scene: with small pages every access would miss the TLB. The
// advice covers whole huge pages, so that the rest of the last one is not committed.
static void *allocate_huge(size_t size)
{
    void *block;
    if (posix_memalign(&block, HUGE_PAGE, size) != 0)
    {
        return NULL;
    }
    (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return block;
}
#endif

void *ab_platform_allocate(size_t size, size_t alignment)
{
    if (size > SIZE_MAX - alignment)
    {
        return NULL;
    }
    const size_t whole = size == 0 ? alignment : (size + alignment - 1) / alignment * alignment;
#if defined(_WIN32)
    return _aligned_malloc(whole, alignment);
#elif defined(HUGE_PAGE)
    return whole < HUGE_PAGE ? aligned_alloc(alignment, whole) : allocate_huge(whole);
#else
    return aligned_alloc(alignment, whole);
#endif
}

void ab_platform_release(void *block)
{
#if defined(_WIN32)
    _aligned_free(block);
#else
    free(block);
#endif
}

uint64_t ab_platform_now_ns(void)
{
#if defined(_WIN32)
    LARGE_INTEGER frequency, count;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    const uint64_t whole = (uint64_t)(count.QuadPart / frequency.QuadPart);
    const uint64_t rest = (uint64_t)(count.QuadPart % frequency.QuadPart);
    return whole * 1000000000u + rest * 1000000000u / (uint64_t)frequency.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

void ab_counter_open(ab_counter *counter, size_t count)
{
    atomic_init(&counter->count, count);
}

void ab_counter_up(ab_counter *counter)
{
    atomic_fetch_add_explicit(&counter->count, 1, memory_order_relaxed);
}

size_t ab_counter_down(ab_counter *counter)
{
    return atomic_fetch_sub_explicit(&counter->count, 1, memory_order_acq_rel) - 1;
}

#if defined(__SSE2__) || defined(_M_X64)

#define FLAGS 0x3fu // of exceptions that came about

// Exceptions masked, round to nearest, denormals kept; as mostly it is, and writing it takes longer than a rotation.
uint64_t ab_platform_float_enter(void)
{
    const unsigned before = _mm_getcsr(), wanted = 0x1f80u;
    if ((before & ~FLAGS) != wanted)
    {
        _mm_setcsr(wanted);
    }
    return before;
}

// Flags that were not there before are taken back.
void ab_platform_float_leave(uint64_t before)
{
    if (_mm_getcsr() != (unsigned)before)
    {
        _mm_setcsr((unsigned)before);
    }
}

#elif defined(__aarch64__) && defined(__GNUC__)

uint64_t ab_platform_float_enter(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    if (before != 0)
    {
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    }
    return before;
}

void ab_platform_float_leave(uint64_t before)
{
    if (before != 0)
    {
        __asm__ volatile("msr fpcr, %0" : : "r"(before));
    }
}

#elif defined(__arm__) && defined(__ARM_FP) && defined(__GNUC__)

#define FLAGS 0xf000009fu // what came of comparisons, and exceptions that came about

uint64_t ab_platform_float_enter(void)
{
    uint32_t before;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(before));
    if ((before & ~FLAGS) != 0)
    {
        __asm__ volatile("vmsr fpscr, %0" : : "r"(before & FLAGS));
    }
    return before;
}

void ab_platform_float_leave(uint64_t before)
{
    if (((uint32_t)before & ~FLAGS) != 0)
    {
        __asm__ volatile("vmsr fpscr, %0" : : "r"((uint32_t)before));
    }
}

#else
#include <fenv.h>

uint64_t ab_platform_float_enter(void)
{
    const int before = fegetround();
    fesetround(FE_TONEAREST);
    return (uint64_t)before;
}

void ab_platform_float_leave(uint64_t before)
{
    fesetround((int)before);
}

#endif
