// What differs from system to system, and nothing else: aligned memory, a clock, the floating-point control word,
// hints.
#ifndef AB_PLATFORM_H
#define AB_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || defined(__NO_SIGNED_ZEROS__) || defined(__RECIPROCAL_MATH__) ||                          \
    defined(__ASSOCIATIVE_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error                                                                                                                 \
    "abut is compiled with -ffast-math, or a part of it, after its own flags: its results would not be the same everywhere"
#endif

// NULL when refused; size zero gives a block of the smallest size. `release` takes NULL.
void *ab_platform_allocate(size_t size, size_t alignment);
void ab_platform_release(void *block);

// Nanoseconds since some fixed moment; never goes back.
uint64_t ab_platform_now_ns(void);

// A count that several threads may change. `up` needs a count that is not zero; `down` gives what is left, and whoever
// is given zero sees everything the others did before they let go.
typedef struct ab_counter
{
    _Atomic size_t count;
} ab_counter;

void ab_counter_open(ab_counter *counter, size_t count);
void ab_counter_up(ab_counter *counter);
size_t ab_counter_down(ab_counter *counter);

// Sets rounding to nearest and flushing to zero off; gives back what was set before, for the leave call.
uint64_t ab_platform_float_enter(void);
void ab_platform_float_leave(uint64_t before);

#if defined(__GNUC__)
#define AB_INLINE                     static inline __attribute__((always_inline))
#define AB_APART                      __attribute__((noinline)) // seldom called: not to be in the way of what is
#define AB_PREFETCH(address)          __builtin_prefetch(address)
#define AB_PREFETCH_TO(address)       __builtin_prefetch(address, 1) // to be written
#define AB_LIKELY(condition)          __builtin_expect(!!(condition), 1)
#define AB_ASSUME_ALIGNED(pointer, n) __builtin_assume_aligned(pointer, n)
// What was stored in a table is read from there from now on: a compiler that remembers more values than there are
// registers stores them a second time.
#define AB_READ_AGAIN(table) __asm__("" : "+m"(table))
// A compiler that orders instructions by what they need moves none past this.
#define AB_IN_ORDER() __asm__ volatile("")
#else
#define AB_INLINE static inline
#define AB_APART
#define AB_PREFETCH(address)          ((void)(address))
#define AB_PREFETCH_TO(address)       ((void)(address))
#define AB_LIKELY(condition)          (condition)
#define AB_ASSUME_ALIGNED(pointer, n) (pointer)
#define AB_READ_AGAIN(table)          ((void)(table))
#define AB_IN_ORDER()                 ((void)0)
#endif

// The same of an entry of an array that may be past its end, or of an array that is not there: such a pointer is not
// made.
#define AB_PREFETCH_AT(array, index)    ab_prefetch_at((array), (size_t)(index) * sizeof *(array))
#define AB_PREFETCH_TO_AT(array, index) ab_prefetch_to_at((array), (size_t)(index) * sizeof *(array))

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

// The place of the lowest bit that is set; there is one.
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

// Before a loop of a few rounds whose counter names registers: written out round by round, however long that gets.
#if defined(__clang__)
#define AB_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define AB_UNROLL _Pragma("GCC unroll 16")
#else
#define AB_UNROLL
#endif

#endif
