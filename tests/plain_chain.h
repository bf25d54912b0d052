// Chains as a referee sees them, in double precision: all segments one by one.
#ifndef PLAIN_CHAIN_H
#define PLAIN_CHAIN_H

#include "random.h"
#include "small_world.h"

#include <math.h>

#define CHAIN_MOST 64u // points

typedef struct plain_chain
{
    abut_vec2 point[CHAIN_MOST];
    uint32_t count;
    bool loop, two_sided;
} plain_chain;

static inline uint32_t plain_segments(const plain_chain *chain)
{
    return chain->loop ? chain->count : chain->count - 1;
}

static inline void plain_segment(const plain_chain *chain, uint32_t i, double p[2], double q[2])
{
    const abut_vec2 a = chain->point[i], b = chain->point[(i + 1) % chain->count];
    p[0] = (double)a.x;
    p[1] = (double)a.y;
    q[0] = (double)b.x;
    q[1] = (double)b.y;
}

// How far a point is in front of a segment's line.
static inline double plain_front(const double p[2], const double q[2], const double at[2])
{
    const double x = q[0] - p[0], y = q[1] - p[1];
    return ((at[0] - p[0]) * y - (at[1] - p[1]) * x) / hypot(x, y);
}

// The distance of a point from a segment, and the share of it at which the nearest point is.
static inline double plain_distance(const double p[2], const double q[2], const double at[2], double *share)
{
    const double x = q[0] - p[0], y = q[1] - p[1];
    double s = ((at[0] - p[0]) * x + (at[1] - p[1]) * y) / (x * x + y * y);
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    *share = s;
    return hypot(p[0] + s * x - at[0], p[1] + s * y - at[1]);
}

static inline double plain_distance_to(const plain_chain *chain, const double at[2])
{
    double least = HUGE_VAL, share;
    for (uint32_t i = 0; i < plain_segments(chain); ++i)
    {
        double p[2], q[2];
        plain_segment(chain, i, p, q);
        least = fmin(least, plain_distance(p, q, at, &share));
    }
    return least;
}

static inline abut_geometry *made_chain(const plain_chain *chain)
{
    const abut_chain_def def = {
        .points = chain->point, .point_count = chain->count, .loop = chain->loop, .two_sided = chain->two_sided
    };
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &out), ABUT_OK);
    return out;
}

// A line from right to left that never turns back, so that its front is above; rough by so much.
static inline plain_chain random_ground(random_source *random, double rough)
{
    plain_chain out = { .count = 8 + random_below(random, CHAIN_MOST - 8) };
    const double step = 12.0 / (double)out.count;
    for (uint32_t i = 0; i < out.count; ++i)
    {
        out.point[i] = (abut_vec2){ (float)(6.0 - step * ((double)i + random_between(random, 0.0, 0.9))),
                                    (float)random_between(random, -rough, rough) };
    }
    return out;
}

static inline abut_world_def chain_world_def(void)
{
    return (abut_world_def){ .dimension = 2 };
}

#endif
