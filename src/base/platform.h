// All that differs between systems: aligned memory, a clock, the floating-point control word, compiler hints.
#ifndef AB_PLATFORM_H
#define AB_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || defined(__NO_SIGNED_ZEROS__) || defined(__RECIPROCAL_MATH__) ||                          \
    defined(__ASSOCIATIVE_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error                                                                                                                 \
    "abut is compiled with -ffast-math, or a part of it, after its own flags: its results would not be the same everywhere"
#endif

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16 // 16: of _Float16 alone
#error "abut is compiled where floats are computed in a wider type (x87: add -msse2 -mfpmath=sse): results would differ"
#endif

// NULL when out of memory; size zero gives a block of the smallest size. `release` accepts NULL.
void *ab_platform_allocate(size_t size, size_t alignment);
void ab_platform_release(void *block);

// Nanoseconds since a fixed moment; monotonic.
uint64_t ab_platform_now_ns(void);

// A reference count shared by threads. `up` needs a non-zero count. `down` returns the new count; the thread that gets
// zero sees everything that the others did before their `down`.
typedef struct ab_counter
{
    _Atomic size_t count;
} ab_counter;

void ab_counter_open(ab_counter *counter, size_t count);
void ab_counter_up(ab_counter *counter);
size_t ab_counter_down(ab_counter *counter);

// Sets rounding to nearest and disables flush-to-zero; returns the previous setting, for the leave call.
uint64_t ab_platform_float_enter(void);
void ab_platform_float_leave(uint64_t before);

#if defined(__GNUC__)
#ifdef AB_INLINE_SPARINGLY // where size matters more than speed
#define AB_INLINE static inline
#else
#define AB_INLINE static inline __attribute__((always_inline))
#endif
#define AB_APART __attribute__((noinline)) // rarely called: kept out of the hot path
// A function of nothing but these must be AB_INLINE: to the compiler it has no effect, and no call of it stays.
#define AB_PREFETCH(address)          __builtin_prefetch(address)
#define AB_PREFETCH_TO(address)       __builtin_prefetch(address, 1)    // to be written
#define AB_PREFETCH_FAR_TO(address)   __builtin_prefetch(address, 1, 2) // later: into the second level of cache
#define AB_LIKELY(condition)          __builtin_expect(!!(condition), 1)
#define AB_ASSUME_ALIGNED(pointer, n) __builtin_assume_aligned(pointer, n)
// Makes the compiler read a table's values from memory again: with more values than registers it would otherwise spill
// them a second time.
#define AB_READ_AGAIN(table) __asm__("" : "+m"(table))
// A barrier to the compiler's instruction scheduling.
#define AB_IN_ORDER() __asm__ volatile("")
#else
#define AB_INLINE static inline
#define AB_APART
#define AB_PREFETCH(address)          ((void)(address))
#define AB_PREFETCH_TO(address)       ((void)(address))
#define AB_PREFETCH_FAR_TO(address)   ((void)(address))
#define AB_LIKELY(condition)          (condition)
#define AB_ASSUME_ALIGNED(pointer, n) (pointer)
#define AB_READ_AGAIN(table)          ((void)(table))
#define AB_IN_ORDER()                 ((void)0)
#endif

// Whether prefetches do anything: what finds their addresses may be left out otherwise.
#if defined(__GNUC__) && !defined(__wasm__)
#define AB_PREFETCHES true
#else
#define AB_PREFETCHES false
#endif

// The same for an array element that may be past the end, or of a NULL array: forms no such pointer.
#define AB_PREFETCH_AT(array, index)        ab_prefetch_at((array), (size_t)(index) * sizeof *(array))
#define AB_PREFETCH_TO_AT(array, index)     ab_prefetch_to_at((array), (size_t)(index) * sizeof *(array))
#define AB_PREFETCH_FAR_TO_AT(array, index) ab_prefetch_far_to_at((array), (size_t)(index) * sizeof *(array))

AB_INLINE void ab_prefetch_at(const void *array, size_t offset)
{
    AB_PREFETCH(
        (const void *)((uintptr_t)array + offset)); // NOLINT(performance-no-int-to-ptr): nothing is read through it
}

AB_INLINE void ab_prefetch_to_at(const void *array, size_t offset)
{
    AB_PREFETCH_TO(
        (const void *)((uintptr_t)array + offset)); // NOLINT(performance-no-int-to-ptr): nothing is read through it
}

AB_INLINE void ab_prefetch_far_to_at(const void *array, size_t offset)
{
    AB_PREFETCH_FAR_TO(
        (const void *)((uintptr_t)array + offset)); // NOLINT(performance-no-int-to-ptr): nothing is read through it
}

// The index of the highest set bit; one must be set.
static inline uint32_t ab_highest_bit(uint32_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return 31u ^ (uint32_t)__builtin_clz(bits);
#else
    uint32_t place = 0;
    for (uint32_t step = 16; step > 0; step /= 2)
    {
        place += bits >> place >> step != 0 ? step : 0;
    }
    return place;
#endif
}

// The index of the lowest set bit; one must be set.
static inline uint32_t ab_lowest_bit(uint64_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t place = 0;
    for (uint32_t step = 32; step > 0; step /= 2)
    {
        const uint32_t by = (bits & (((uint64_t)1 << step) - 1)) == 0 ? step : 0;
        bits >>= by;
        place += by;
    }
    return place;
#endif
}

// Before a short loop whose counter names registers: unrolls it fully.
#if defined(__clang__)
#define AB_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define AB_UNROLL _Pragma("GCC unroll 16")
#else
#define AB_UNROLL
#endif

#endif
