// Whether a surface goes on around a point of a triangle, in eight directions.
#include "narrow/mesh/triangle.h"

#include <math.h>

// How far a shape has to be moved to come out of a surface past one of its ends.
static double way_past(const ab_triangle_pair *p, const ab_surface_end *end)
{
    double out[3], back[3], last[3], to[3];
    const double length = sqrt(ab_dot(end->outward, end->outward));
    ab_triangle_turn_out(&p->placed, end->outward, out);
    for (int k = 0; k < 3; ++k)
    {
        back[k] = -out[k];
    }
    ab_convex_support(&p->convex, back, last);
    ab_sub(last, p->placed.centre, to);
    return (end->at - ab_dot(to, out)) / length + p->convex.core.rounding;
}

#define DIAGONAL 0.70710678118654752

// Whether a triangle has all within a distance of one of its points.
static bool is_around(const ab_triangle_corners *corners, const double point[3], double distance)
{
    bool around = true;
    for (int k = 0; k < 3 && around; ++k)
    {
        double edge[3], to[3], inward[3];
        ab_sub(corners->at[(k + 1) % 3], corners->at[k], edge);
        ab_sub(point, corners->at[k], to);
        ab_cross(corners->normal, edge, inward);
        const double away = ab_dot(inward, to);
        around = away > 0.0 && away * away > distance * distance * ab_dot(edge, edge);
    }
    return around;
}

#define RIDGES 4.0 // times as far: past a ridge is another face, which has what comes out there

bool ab_triangle_goes_on(const ab_triangle_pair *p, const ab_triangle_view *view, const double from[3], double far)
{
    // of a turn, in eighths
    static const double cosine[8] = { 1.0, DIAGONAL, 0.0, -DIAGONAL, -1.0, -DIAGONAL, 0.0, DIAGONAL };
    const ab_triangle_corners *corners = view->corners;
    double along[3], across[3], direction[3];
    if (is_around(corners, from, 2.0 * RIDGES * far))
    {
        return true;
    }
    ab_sub(corners->at[1], corners->at[0], along);
    const double length = sqrt(ab_dot(along, along));
    ab_along(along, 1.0 / length - 1.0, along, along);
    ab_cross(corners->normal, along, across);
    for (int i = 0; i < 8; ++i)
    {
        ab_surface_end end;
        for (int k = 0; k < 3; ++k)
        {
            direction[k] = cosine[i] * along[k] + cosine[(i + 6) % 8] * across[k];
        }
        if (ab_triangle_meets_end(view, from, direction, 2.0 * RIDGES * far, &end) &&
            way_past(p, &end) < (end.is_border ? far : RIDGES * far))
        {
            return false;
        }
    }
    return true;
}
