// The point of one face of a convex hull that is closest to a point.
#include "shape/hull_tree.h"

#include <math.h>
#include <string.h>

// The point of a segment closest to `point`; an end exactly.
static void closest_on_edge(const double a[3], const double b[3], const double point[3], double out[3])
{
    const double along[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
    const double to[3] = { point[0] - a[0], point[1] - a[1], point[2] - a[2] };
    const double part = ab_dot(to, along) / ab_dot(along, along), at = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    for (int k = 0; k < 3; ++k)
    {
        out[k] = at == 1.0 ? b[k] : a[k] + at * along[k];
    }
}

static double square_between(const double a[3], const double b[3])
{
    const double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return ab_dot(d, d);
}

double ab_hull_closest_on_face(const ab_hull_faces *hull, const ab_hull_face *face, const double point[3],
                               double out[3])
{
    const uint32_t *corner = hull->corners + face->first;
    const double height = ab_hull_above(face, point);
    double least = HUGE_VAL;
    bool over = true;
    for (uint32_t i = 0; i < face->count; ++i)
    {
        double a[3], b[3], here[3];
        ab_hull_widen(hull->vertices, corner[i], a);
        ab_hull_widen(hull->vertices, corner[i + 1 < face->count ? i + 1 : 0], b);
        const double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
        const double to[3] = { point[0] - a[0], point[1] - a[1], point[2] - a[2] };
        const double *n = face->normal;
        const double inward[3] = { n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0] };
        over = over && ab_dot(inward, to) >= 0.0;
        closest_on_edge(a, b, point, here);
        const double square = square_between(here, point);
        if (square < least)
        {
            least = square;
            memcpy(out, here, sizeof here);
        }
    }
    if (over && height * height < least)
    {
        least = height * height;
        for (int k = 0; k < 3; ++k)
        {
            out[k] = point[k] - height * face->normal[k];
        }
    }
    return least;
}
