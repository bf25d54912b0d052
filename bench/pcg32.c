// Draws by rejection and by inverting the distribution; no libm call but the square root, which is exactly rounded.
#include "pcg32.h"

#include <math.h>

pcg32 pcg32_seed(uint64_t seed, uint64_t stream)
{
    pcg32 random = { 0, (stream << 1) | 1 };
    pcg32_next(&random);
    random.state += seed;
    pcg32_next(&random);
    return random;
}

uint32_t pcg32_next(pcg32 *random)
{
    uint64_t old = random->state;
    random->state = old * 6364136223846793005u + random->increment;
    uint32_t folded = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return folded >> turn | folded << (-turn & 31);
}

float pcg32_unit(pcg32 *random)
{
    return (float)(pcg32_next(random) >> 8) * 0x1p-24f;
}

float pcg32_between(pcg32 *random, float low, float high)
{
    return low + (high - low) * pcg32_unit(random);
}

abut_vec3 pcg32_in_ball(pcg32 *random)
{
    for (;;)
    {
        float x = pcg32_between(random, -1.0f, 1.0f);
        float y = pcg32_between(random, -1.0f, 1.0f);
        float z = pcg32_between(random, -1.0f, 1.0f);
        abut_vec3 v = abut_vec3_make(x, y, z);
        if (abut_vec3_dot(v, v) <= 1.0f)
        {
            return v;
        }
    }
}

// By the high half of a product; the bias is below 2^-8 for the counts scenes have, and the same everywhere.
uint32_t pcg32_below(pcg32 *random, uint32_t count)
{
    return (uint32_t)((uint64_t)pcg32_next(random) * count >> 32);
}

// Short draws are repeated because their direction is coarse.
abut_vec3 pcg32_direction(pcg32 *random)
{
    for (;;)
    {
        abut_vec3 v = pcg32_in_ball(random);
        float squared = abut_vec3_dot(v, v);
        if (squared >= 0.01f)
        {
            return abut_vec3_scale(v, 1.0f / sqrtf(squared));
        }
    }
}

// A direction in four dimensions, which is a uniform rotation (Shoemake, Graphics Gems III, 1992).
abut_quat pcg32_rotation(pcg32 *random)
{
    for (;;)
    {
        abut_quat q;
        q.x = pcg32_between(random, -1.0f, 1.0f);
        q.y = pcg32_between(random, -1.0f, 1.0f);
        q.z = pcg32_between(random, -1.0f, 1.0f);
        q.w = pcg32_between(random, -1.0f, 1.0f);
        float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (squared >= 0.01f && squared <= 1.0f)
        {
            return abut_quat_normalise(q);
        }
    }
}

// For x in (0, 1]. Newton from above on a convex function falls towards the root and stops when it no longer can.
static double fifth_root(double x)
{
    double root = 1.0;
    for (;;)
    {
        double fourth = root * root * root * root;
        double next = root - (fourth * root - x) / (5.0 * fourth);
        if (next >= root)
        {
            return root;
        }
        root = next;
    }
}

// With v = P(size > s) over (P(size > high), 1]: s = low v^(-2/5).
float power_law(float u, float low, float high)
{
    double ratio = (double)high / (double)low;
    double beyond = 1.0 / (ratio * ratio * sqrt(ratio));
    double root = fifth_root(1.0 - (1.0 - beyond) * (double)u);
    return (float)((double)low / (root * root));
}
