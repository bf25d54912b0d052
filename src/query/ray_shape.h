// A ray against one shape, in double precision: where the line enters and leaves it. What a query answers is decided
// here and nowhere else, and does not depend on how the shape was found.
#ifndef AB_RAY_SHAPE_H
#define AB_RAY_SHAPE_H

#include "shape/kinds.h"
#include "shape/record.h"

#include <abut/query.h>

// A ray as a placed shape sees it.
typedef struct ab_ray_target
{
    double from[3]; // the ray's origin, from the shape's own, world axes
    double way[3];  // its translation
    const ab_record *record;
    const abut_shape *shape;
    const ab_kind_set *kinds;         // NULL: none
    const struct ab_kernels *kernels; // NULL: those of a call about one pair
} ab_ray_target;

typedef struct ab_ray_found
{
    double fraction;
    double normal[3];
    uint32_t flags; // ABUT_HIT_…
    uint32_t child; // as ab_ray_entry
} ab_ray_found;

// False when the ray does not hit the shape. `flags` are the query's.
bool ab_ray_test(const ab_ray_target *target, uint32_t flags, ab_ray_found *out);

// Sees each triangle of a mesh or part of a compound that the ray hits as if it were alone, in no order; of another
// shape what ab_ray_test says.
typedef void ab_ray_see(void *context, const ab_ray_found *found);
void ab_ray_test_each(const ab_ray_target *target, uint32_t flags, ab_ray_see *see, void *context);

// Where it hits, from the ray's origin.
static inline void ab_ray_offset(const ab_ray_target *target, const ab_ray_found *found, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = target->way[k] * found->fraction;
    }
}

// NULL when the ray is valid in space, or in the plane; else the sentence that says why not.
const char *ab_ray_fault(const abut_ray *ray, bool is_2d);

#endif
