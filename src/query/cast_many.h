// Tests candidates of many casts: spheres and boxes eight pairs at a time. Not in a small build.
#ifndef AB_CAST_MANY_H
#define AB_CAST_MANY_H

#include "query/cast_kernels.h"
#include "query/travel_many.h"

// As the kernels read it; the shape starts at `origin`. Returns what it is, AB_CAST_NONE if no kernel knows it.
ab_cast_sort ab_cast_solid_make(ab_cast_solid *out, const ab_mover *mover, abut_vec3 origin);

// What a cast and a proxy's shape are, of a cast that is `own`.
ab_cast_sort ab_cast_sort_of(const ab_proxies *proxies, uint32_t proxy, ab_cast_sort own);

// Casts as they are tested.
typedef struct ab_cast_solids
{
    const ab_cast_solid *solid;
    const uint8_t *sort; // ab_cast_sort of each
} ab_cast_solids;

// An ab_travel_test_many; travels->tested is ab_cast_solids.
void ab_cast_test_many(const ab_travels *travels, const ab_candidates *candidates, const uint16_t *which,
                       uint32_t count);

#endif
