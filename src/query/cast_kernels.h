// What casts of spheres and boxes that do not turn hit of spheres and boxes, eight pairs at a time, to the bit of each
// alone: see ab_sweep_straight. Not in a small build, and not in 2D.
#ifndef AB_CAST_KERNELS_H
#define AB_CAST_KERNELS_H

#include "base/isa.h"
#include "bounds/proxies.h"
#include "narrow/convex/sweep_straight.h"

// What a pair of shapes is.
typedef enum ab_cast_sort
{
    AB_CAST_BOXES,  // each with an area at least
    AB_CAST_POINTS, // one is a sphere, and the other one is a box or a sphere
    AB_CAST_SORTS,
    AB_CAST_NONE = AB_CAST_SORTS // each is swept by itself
} ab_cast_sort;

// A travelling shape, its centre at zero.
typedef struct ab_cast_solid
{
    const ab_mover *mover;
    float origin[3];
    bool point; // a sphere
} ab_cast_solid;

// By pair of cast and shape, as ab_cast_test decides without flags. Of a miss, and of what is not decided, the rest is
// undefined.
typedef struct ab_cast_hits
{
    uint32_t answer[AB_BLOCK]; // an ab_straight_answer
    float fraction[AB_BLOCK];
    float offset[3][AB_BLOCK]; // from the cast's origin
    float normal[3][AB_BLOCK];
    float depth[AB_BLOCK];
} ab_cast_hits;

// Eight pairs, each of a proxy and the index of a cast. No limit is set to the fraction.
typedef void ab_cast_hit_kernel(const ab_proxies *proxies, const ab_cast_solid *casts, const uint32_t *proxy,
                                const uint32_t *cast, ab_cast_hits *out);

typedef struct ab_cast_kernels
{
    ab_cast_hit_kernel *hit[AB_CAST_SORTS];
} ab_cast_kernels;

#endif
