// Where a sphere or a box is nearest to a point, in double, without a branch, for one shape or a loop over several. The
// steps are those of the rows of shapes, to the bit. Not in a small build.
#ifndef AB_NEAR_POINTS_H
#define AB_NEAR_POINTS_H

#include "base/platform.h"

#include <math.h>
#include <stdbool.h>

typedef struct ab_d3
{
    double x, y, z;
} ab_d3;

AB_INLINE double ab_d3_dot(ab_d3 a, ab_d3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// From the point that asks; zero inside.
typedef struct ab_nearest_point
{
    ab_d3 on;
    bool inside;
} ab_nearest_point;

AB_INLINE double ab_clamped(double x, double most)
{
    const double raised = x < -most ? -most : x;
    return raised > most ? most : raised;
}

AB_INLINE ab_nearest_point ab_near_unless(bool inside, ab_d3 on)
{
    return (ab_nearest_point){ { inside ? 0.0 : on.x, inside ? 0.0 : on.y, inside ? 0.0 : on.z }, inside };
}

// The point is at `from` as the box's centre sees it, whose axes are u, v and w.
AB_INLINE ab_nearest_point ab_near_on_box(ab_d3 from, ab_d3 u, ab_d3 v, ab_d3 w, ab_d3 half)
{
    const ab_d3 local = { ab_d3_dot(from, u), ab_d3_dot(from, v), ab_d3_dot(from, w) };
    const bool inside = (fabs(local.x) <= half.x) & (fabs(local.y) <= half.y) & (fabs(local.z) <= half.z);
    const ab_d3 at = { ab_clamped(local.x, half.x), ab_clamped(local.y, half.y), ab_clamped(local.z, half.z) };
    const ab_d3 turned = { u.x * at.x + v.x * at.y + w.x * at.z, u.y * at.x + v.y * at.y + w.y * at.z,
                           u.z * at.x + v.z * at.y + w.z * at.z };
    return ab_near_unless(inside, (ab_d3){ turned.x - from.x, turned.y - from.y, turned.z - from.z });
}

AB_INLINE ab_nearest_point ab_near_on_ball(ab_d3 from, double radius)
{
    const double square = ab_d3_dot(from, from);
    const bool inside = square <= radius * radius;
    const double scale = radius / sqrt(inside ? 1.0 : square);
    return ab_near_unless(inside, (ab_d3){ from.x * scale - from.x, from.y * scale - from.y, from.z * scale - from.z });
}

#endif
