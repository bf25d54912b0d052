// Directed rounding from double to float by bit operations: the basis of "rounded outward". Avoids (double)(float)x,
// which a vectorising GCC 12 may simplify to x.
#ifndef AB_OUTWARD_H
#define AB_OUTWARD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t ab_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double ab_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The nearest float, safe to widen again: see above.
static inline float ab_float_nearest(double x)
{
    volatile float stored = (float)x;
    return stored;
}

// The smallest float that is not below x, for |x| up to FLT_MAX.
static inline float ab_float_up(double x)
{
    if (x > -0x1p-126 && x < 0x1p-126)
    {
        // Floats here are multiples of 2^-149.
        const double quanta = x * 0x1p149;
        int64_t whole = (int64_t)quanta;
        whole += (double)whole < quanta;
        return (float)((double)whole * 0x1p-149);
    }
    const uint64_t below_float = (UINT64_C(1) << 29) - 1; // the bits of a double that a float lacks
    const uint64_t bits = ab_double_bits(x), towards_zero = bits & ~below_float;
    const bool grows = x > 0.0 && towards_zero != bits;
    return (float)ab_double_of_bits(grows ? towards_zero + below_float + 1 : towards_zero);
}

// The largest float that is not above x.
static inline float ab_float_down(double x)
{
    return -ab_float_up(-x);
}

// The smallest float that is not below a + b. The rounding error of the sum in double: D. E. Knuth, Seminumerical
// Algorithms, 4.2.2.
static inline float ab_sum_up(float a, float b)
{
    const double sum = (double)a + b, b_in_sum = sum - a;
    const double lost = (a - (sum - b_in_sum)) + (b - b_in_sum);
    if (!(lost > 0.0))
    {
        return ab_float_up(sum);
    }
    // There was an error, so the sum is not zero: one step of a double towards positive infinity.
    return ab_float_up(ab_double_of_bits(ab_double_bits(sum) + (sum > 0.0 ? 1 : UINT64_MAX)));
}

static inline float ab_sum_down(float a, float b)
{
    return -ab_sum_up(-a, -b);
}

#endif
