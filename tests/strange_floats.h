// A floating-point environment that is not ours: rounds upwards and takes denormals for zero, where the processor is
// known.
#ifndef STRANGE_FLOATS_H
#define STRANGE_FLOATS_H

#include "base/platform.h"

#include <fenv.h>

#if defined(__SSE2__) || defined(_M_X64)
#define STRANGE (0x1f80u | 0x8000u | 0x4000u | 0x40u)
#elif defined(__aarch64__) || (defined(__arm__) && defined(__ARM_FP))
#define STRANGE ((uint64_t)1 << 24 | (uint64_t)1 << 22)
#else
#define STRANGE ((uint64_t)FE_UPWARD)
#endif

// Without the exceptions that were raised, which are no part of how it computes.
static inline uint64_t floats_of(uint64_t mode)
{
#if defined(__SSE2__) || defined(_M_X64)
    return mode & ~(uint64_t)0x3f;
#elif defined(__arm__) && defined(__ARM_FP)
    return mode & ~(uint64_t)0xf000009f;
#else
    return mode;
#endif
}

// Entering tells what was there before.
static inline uint64_t present_floats(void)
{
    const uint64_t mode = ab_platform_float_enter();
    ab_platform_float_leave(mode);
    return floats_of(mode);
}

#endif
