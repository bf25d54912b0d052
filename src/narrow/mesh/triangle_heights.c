// How low and how high a shape reaches over a triangle's plane.
#include "narrow/mesh/triangle.h"
#include "shape/hull.h"

#include <math.h>
#include <string.h>

// From points of the core.
static ab_triangle_heights heights_between(const ab_triangle_pair *p, const ab_triangle_corners *triangle,
                                           const double bottom[3], const double top[3])
{
    const double *n = triangle->normal, radius = p->convex.core.rounding;
    ab_triangle_heights out;
    double to[3];
    memcpy(out.bottom, bottom, sizeof out.bottom);
    memcpy(out.top, top, sizeof out.top);
    ab_sub(bottom, triangle->at[0], to);
    out.low = ab_dot(to, n) - radius;
    ab_sub(top, triangle->at[0], to);
    out.high = ab_dot(to, n) + radius;
    return out;
}

static ab_triangle_heights heights_of_hull(const ab_triangle_pair *p, const ab_triangle_corners *triangle,
                                           const ab_hull *hull)
{
    double along[3], low = HUGE_VAL, high = -HUGE_VAL, bottom[3], top[3];
    uint32_t lowest = 0, highest = 0;
    for (int k = 0; k < 3; ++k)
    {
        along[k] = ab_dot(p->axis + 3 * k, triangle->normal);
    }
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        const abut_vec3 v = hull->vertices[i];
        const double here = along[0] * (double)v.x + along[1] * (double)v.y + along[2] * (double)v.z;
        lowest = here < low ? i : lowest;
        low = here < low ? here : low;
        highest = here > high ? i : highest;
        high = here > high ? here : high;
    }
    const abut_vec3 *a = &hull->vertices[lowest], *b = &hull->vertices[highest];
    for (int k = 0; k < 3; ++k)
    {
        const double *axis = p->axis + k;
        bottom[k] = p->centre[k] + (axis[0] * (double)a->x + axis[3] * (double)a->y + axis[6] * (double)a->z);
        top[k] = p->centre[k] + (axis[0] * (double)b->x + axis[3] * (double)b->y + axis[6] * (double)b->z);
    }
    return heights_between(p, triangle, bottom, top);
}

ab_triangle_heights ab_triangle_heights_of(const ab_triangle_pair *p, const ab_triangle_corners *triangle)
{
    const ab_core *core = &p->convex.core;
    const double *n = triangle->normal;
    if (p->convex.row->box_core)
    {
        double to[3], radius = core->rounding;
        ab_sub(p->centre, triangle->at[0], to);
        for (int k = 0; k < 3; ++k)
        {
            radius += core->half[k] * fabs(ab_dot(p->axis + 3 * k, n));
        }
        const double at = ab_dot(to, n);
        return (ab_triangle_heights){ .low = at - radius, .high = at + radius };
    }
    const ab_hull *hull = ab_triangle_hull_of(p);
    if (hull)
    {
        return heights_of_hull(p, triangle, hull);
    }
    double up[3], point[3], bottom[3], top[3];
    ab_triangle_turn_out(&p->placed, n, up);
    const double down[3] = { -up[0], -up[1], -up[2] };
    ab_convex_support(&p->convex, down, point);
    ab_triangle_into_mesh(p, point, bottom);
    ab_convex_support(&p->convex, up, point);
    ab_triangle_into_mesh(p, point, top);
    return heights_between(p, triangle, bottom, top);
}
