// Pairs of a convex shape with a half-space: by the half-space's plane, in double, in closed form.
#ifndef AB_HALF_SPACE_H
#define AB_HALF_SPACE_H

#include "narrow/convex/convex.h"
#include "shape/kinds.h"

// Whether a side of the pair is a half-space. Never both: they do not collide.
static inline bool ab_has_half_space(const ab_convex_pair *pair)
{
    return AB_HAS_CHILDREN && (pair->a.row->unbounded || pair->b.row->unbounded);
}

// Measures the cores, as GJK and EPA would: the point of the convex core that is lowest over the plane, and the one
// under it. The way out of an overlap leads up.
void ab_half_space_measure(const ab_convex_pair *pair, ab_convex_contact *out);

// The kernel of hulls, polygons and custom shapes with a half-space, which is b. Spheres, boxes and capsules have some
// in lanes. Whether two touch, ab_convex_touching says.
ab_narrow_kernel ab_half_space_kernel;

#endif
