// Seeded chance for tests: PCG32 (O'Neill 2014), the same numbers everywhere. A failing case prints its seed, and with
// ABUT_SEED=that the loop of random_seeds runs it alone.
#ifndef RANDOM_H
#define RANDOM_H

#include "referee_math.h"

#include <abut/math.h>

#include <stdlib.h>

typedef struct random_source
{
    uint64_t state;
} random_source;

static inline uint32_t random_bits(random_source *random)
{
    uint64_t old = random->state;
    random->state = old * 6364136223846793005u + 1442695040888963407u;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32u - turn) & 31u));
}

// ABUT_SALT=n gives every test other numbers than by default, so that a test run n times sees n times as many cases.
static inline random_source random_start(uint64_t seed)
{
    const char *salt = getenv("ABUT_SALT");
    const uint64_t other = salt ? strtoull(salt, NULL, 0) << 40 : 0;
    random_source random = { (seed ^ other) * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du };
    random_bits(&random);
    return random;
}

// In [0, 1), a multiple of 2^-32.
static inline double random_unit(random_source *random)
{
    return random_bits(random) * 0x1p-32;
}

static inline double random_between(random_source *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

// Evenly spread over the orders of magnitude; low > 0.
static inline double random_scale(random_source *random, double low, double high)
{
    return low * pow(high / low, random_unit(random));
}

static inline uint32_t random_below(random_source *random, uint32_t count)
{
    return (uint32_t)((uint64_t)random_bits(random) * count >> 32);
}

static inline bool random_chance(random_source *random, double probability)
{
    return random_unit(random) < probability;
}

static inline double random_sign(random_source *random)
{
    return random_bits(random) & 1u ? 1.0 : -1.0;
}

static inline dvec3 random_in_box(random_source *random, double half)
{
    double x = random_between(random, -half, half);
    double y = random_between(random, -half, half);
    double z = random_between(random, -half, half);
    return dvec3_make(x, y, z);
}

static inline dvec3 random_direction(random_source *random)
{
    for (;;)
    {
        dvec3 v = random_in_box(random, 1.0);
        double length = dvec3_length(v);
        if (length > 0.1 && length <= 1.0)
        {
            return dvec3_scale(v, 1.0 / length);
        }
    }
}

static inline dquat random_rotation(random_source *random)
{
    for (;;)
    {
        dvec3 v = random_in_box(random, 1.0);
        dquat q = { random_between(random, -1.0, 1.0), v.x, v.y, v.z };
        double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        if (length > 0.1 && length <= 1.0)
        {
            return (dquat){ q.w / length, q.x / length, q.y / length, q.z / length };
        }
    }
}

// One of the 24 rotations that carry a cube to itself; the first is identity.
static inline dquat random_cube_rotation(uint32_t index)
{
    static const double r = 0.70710678118654752440;
    const dquat top[6] = { { 1, 0, 0, 0 },  { r, r, 0, 0 }, { 0, 1, 0, 0 },
                           { r, -r, 0, 0 }, { r, 0, r, 0 }, { r, 0, -r, 0 } };
    const dquat spin[4] = { { 1, 0, 0, 0 }, { r, 0, 0, r }, { 0, 0, 0, 1 }, { r, 0, 0, -r } };
    return dquat_mul(top[index / 4 % 6], spin[index % 4]);
}

static inline abut_vec3 random_narrow(dvec3 v)
{
    return abut_vec3_make((float)v.x, (float)v.y, (float)v.z);
}

static inline abut_quat random_narrow_rotation(dquat q)
{
    return (abut_quat){ (float)q.x, (float)q.y, (float)q.z, (float)q.w };
}

typedef struct random_seeds
{
    uint64_t first, end;
} random_seeds;

// Seeds 1 to `count`, or so many per cent of them as ABUT_SHARE says, or the one that ABUT_SEED names.
static inline random_seeds random_seeds_of(uint32_t count)
{
    const char *chosen = getenv("ABUT_SEED"), *share = getenv("ABUT_SHARE");
    if (chosen)
    {
        uint64_t seed = strtoull(chosen, NULL, 0);
        return (random_seeds){ seed, seed + 1 };
    }
    const uint64_t wanted = share ? count * strtoull(share, NULL, 10) / 100 + 1 : count;
    return (random_seeds){ 1, wanted + 1 };
}

// `count`, or so many per cent of it as ABUT_SHARE says, but at least `least`: of steps and questions.
static inline uint32_t random_share_of(uint32_t count, uint32_t least)
{
    const char *share = getenv("ABUT_SHARE");
    const uint64_t wanted = share ? count * strtoull(share, NULL, 10) / 100 : count;
    return wanted > least ? (uint32_t)wanted : least;
}

// Whether random_seeds_of gives all of them, so that it can be asked how often something came about.
static inline bool random_seeds_all(void)
{
    return !getenv("ABUT_SEED") && !getenv("ABUT_SHARE");
}

#endif
