// Random numbers that are the same bits everywhere: PCG-XSH-RR with 64 bits of state (M. O'Neill, PCG: A Family of
// Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation, 2014), and what scenes draw
// from it.
#ifndef ABUT_BENCH_PCG32_H
#define ABUT_BENCH_PCG32_H

#include <abut/math.h>

typedef struct pcg32
{
    uint64_t state, increment; // the increment is odd and chooses the stream
} pcg32;

pcg32 pcg32_seed(uint64_t seed, uint64_t stream);

uint32_t pcg32_next(pcg32 *random);

// Uniform in [0, 1), a multiple of 2^-24.
float pcg32_unit(pcg32 *random);

// Uniform in [low, high].
float pcg32_between(pcg32 *random, float low, float high);

// Uniform in the ball of radius 1.
abut_vec3 pcg32_in_ball(pcg32 *random);

// Uniform on the sphere of radius 1.
abut_vec3 pcg32_direction(pcg32 *random);

// Uniform over all rotations.
abut_quat pcg32_rotation(pcg32 *random);

// Uniform in the integers [0, count).
uint32_t pcg32_below(pcg32 *random, uint32_t count);

// The size in [low, high] that a share u, from [0, 1), of all sizes is below, when P(size > s) falls as s^-2.5.
float power_law(float u, float low, float high);

#endif
