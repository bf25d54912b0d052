// AABBs by minimum and maximum, and by centre and half extents. Conversions round outward: no point is lost.
#include "math/outward.h"
#include "math/rotation.h"

abut_aabb ab_aabb_from_centre(abut_vec3 centre, abut_vec3 half_extents)
{
    abut_aabb box;
    box.min = abut_vec3_make(ab_sum_down(centre.x, -half_extents.x), ab_sum_down(centre.y, -half_extents.y),
                             ab_sum_down(centre.z, -half_extents.z));
    box.max = abut_vec3_make(ab_sum_up(centre.x, half_extents.x), ab_sum_up(centre.y, half_extents.y),
                             ab_sum_up(centre.z, half_extents.z));
    return box;
}

static float middle(float low, float high)
{
    return ab_float_nearest(0.5 * ((double)low + high));
}

static float half_about(float centre, float low, float high)
{
    const float below = ab_sum_up(centre, -low), above = ab_sum_up(high, -centre);
    return below < above ? above : below;
}

abut_vec3 ab_aabb_centre(const abut_aabb *box)
{
    return abut_vec3_make(middle(box->min.x, box->max.x), middle(box->min.y, box->max.y),
                          middle(box->min.z, box->max.z));
}

abut_vec3 ab_aabb_half_extents(const abut_aabb *box)
{
    const abut_vec3 c = ab_aabb_centre(box);
    return abut_vec3_make(half_about(c.x, box->min.x, box->max.x), half_about(c.y, box->min.y, box->max.y),
                          half_about(c.z, box->min.z, box->max.z));
}

abut_aabb abut_aabb_make(abut_vec3 min, abut_vec3 max)
{
    abut_aabb box;
    box.min = min;
    box.max = max;
    return box;
}

bool ab_aabb_contains(const abut_aabb *box, abut_vec3 point)
{
    return point.x >= box->min.x && point.x <= box->max.x && point.y >= box->min.y && point.y <= box->max.y &&
           point.z >= box->min.z && point.z <= box->max.z;
}

bool ab_aabb_overlaps(const abut_aabb *a, const abut_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

bool ab_aabb_contains_aabb(const abut_aabb *outer, const abut_aabb *inner)
{
    return outer->min.x <= inner->min.x && inner->max.x <= outer->max.x && outer->min.y <= inner->min.y &&
           inner->max.y <= outer->max.y && outer->min.z <= inner->min.z && inner->max.z <= outer->max.z;
}

static float clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

abut_vec3 ab_aabb_closest_point(const abut_aabb *box, abut_vec3 point)
{
    return abut_vec3_make(clamp(point.x, box->min.x, box->max.x), clamp(point.y, box->min.y, box->max.y),
                          clamp(point.z, box->min.z, box->max.z));
}
