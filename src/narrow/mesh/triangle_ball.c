// The contact of a ball with a triangle, whose nearest point is known without a search.
#include "narrow/mesh/triangle.h"

#include <math.h>

#define NOISE 0x1p-44 // of sizes and distances: the nearest point of a triangle in double is off by less

// How far rounding may move the point of a triangle that is nearest to a ball's middle.
static double noise_of(const ab_triangle_pair *p, const ab_triangle_corners *triangle)
{
    double far = ab_dot(p->centre, p->centre);
    for (int i = 0; i < 3; ++i)
    {
        far = fmax(far, ab_dot(triangle->at[i], triangle->at[i]));
    }
    return NOISE * (p->convex.core.rounding + 2.0 * sqrt(far));
}

ab_triangle_answer ab_triangle_collide_ball(const ab_triangle_pair *p, ab_triangle_at *it, double limit,
                                            abut_manifold *out, ab_triangle_cut *cut)
{
    const double radius = p->convex.core.rounding;
    ab_triangle_corners *const triangle = &it->corners;
    double n[3], to[3], on[3], away[3];
    uint32_t other;
    ab_mesh_nearest_on(triangle->at, p->centre, on);
    ab_sub(p->centre, on, away);
    const double distance = sqrt(ab_dot(away, away)), separation = distance - radius;
    if ((float)separation > (float)limit)
    {
        return AB_TRIANGLE_APART;
    }
    ab_sub(p->centre, triangle->at[0], to);
    const double noise = noise_of(p, triangle);
    const double height = ab_dot(to, triangle->normal), side = !p->mesh->two_sided || height >= 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k)
    {
        n[k] = triangle->normal[k] * side;
        away[k] = distance > noise ? away[k] / distance : n[k];
    }
    const ab_triangle_view view = { p->mesh, it->which, triangle, side, it->in_doubt };
    const ab_triangle_fit fit = ab_triangle_fit_of(&view, away, &other);
    const bool elsewhere = fit == AB_FIT_OTHER && other != AB_NO_TRIANGLE,
               is_cut = separation <= 0.0 && side * height > 0.0;
    *cut = (ab_triangle_cut){ side * height - radius, separation, side, elsewhere, is_cut, it->in_doubt };
    if (fit != AB_FIT_FACE && fit != AB_FIT_FEATURE)
    {
        return is_cut ? AB_TRIANGLE_CUT : AB_TRIANGLE_APART;
    }
    double normal[3], middle[3], at[3];
    ab_triangle_turn_out(&p->placed, fit == AB_FIT_FACE ? n : away, normal);
    ab_along(on, 0.5 * separation, away, middle);
    ab_convex_place(&p->placed, middle, at);
    *out = (abut_manifold){ .normal = { -(float)normal[0], -(float)normal[1], -(float)normal[2] },
                            .separation = (float)separation,
                            .point_count = 1 };
    out->points[0] = (abut_point){ .offset = { (float)at[0], (float)at[1], (float)at[2] },
                                   .separation = (float)separation,
                                   .feature = AB_TRIANGLE_NO_FEATURE };
    return AB_TRIANGLE_TOUCHES;
}
