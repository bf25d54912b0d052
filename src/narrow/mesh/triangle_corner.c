// The contact of a box's corner with the face of a triangle: what ab_convex_face_points finds, to within rounding, where
// nothing of the box lies flat. Then its outline is one corner, and it takes no frame to see whether that is over the
// triangle.
#include "narrow/convex/convex_outline.h"
#include "narrow/mesh/triangle.h"

#include <math.h>

#define NO_FEATURE 255u // as in convex_points.c

// The corner of the box farthest down to the triangle, in the mesh's frame. False if an edge or a face of the box lies
// flat.
static bool lowest_corner(const ab_triangle_pair *p, const double n[3], double side, double out[3])
{
    const double *centre = p->centre;
    double x = centre[0], y = centre[1], z = centre[2];
    for (int k = 0; k < 3; ++k)
    {
        const double *axis = p->axis + 3 * k, along = ab_dot(axis, n), half = p->convex.core.half[k];
        const double by = side * along <= 0.0 ? half : -half;
        if (half > 0.0 && along * along <= AB_OUTLINE_FLAT * AB_OUTLINE_FLAT * (1.0 - along * along))
        {
            return false;
        }
        x += by * axis[0];
        y += by * axis[1];
        z += by * axis[2];
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
    return true;
}

// How far past edge j of a triangle, seen from above, times the edge's length.
static double past_edge(const ab_triangle_corners *triangle, int j, const double to[3])
{
    double edge[3], outward[3];
    ab_sub(triangle->at[(j + 1) % 3], triangle->at[j], edge);
    ab_cross(edge, triangle->normal, outward);
    return ab_dot(outward, to);
}

bool ab_triangle_corner_contact(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                                double limit, ab_triangle_corner *out)
{
    const double *n = triangle->normal, rounding = pair->convex.core.rounding;
    double corner[3], to[3][3], at[3];
    if (!pair->convex.row->box_core || !lowest_corner(pair, n, side, corner))
    {
        return false;
    }
    for (int j = 0; j < 3; ++j)
    {
        ab_sub(corner, triangle->at[j], to[j]);
    }
    out->separation = side * ab_dot(to[0], n) - rounding;
    out->touches = out->separation <= limit && past_edge(triangle, 0, to[0]) <= 0.0 &&
                   past_edge(triangle, 1, to[1]) <= 0.0 && past_edge(triangle, 2, to[2]) <= 0.0;
    if (!out->touches)
    {
        return true;
    }
    ab_along(corner, -side * (rounding + 0.5 * out->separation), n, corner);
    ab_convex_place(&pair->placed, corner, at);
    out->point = (abut_point){ .offset = { (float)at[0], (float)at[1], (float)at[2] },
                               .separation = (float)out->separation,
                               .feature = NO_FEATURE };
    return true;
}
