// The contact of a shape that cuts triangles none of which has one: the way out of each alone is at no normal of the
// surface. It is along the normal of one of them, or across one of its ridges and an edge of the shape.
#include "narrow/mesh/triangle.h"

#include <math.h>
#include <string.h>

#define PARALLEL 1e-14 // squared sine of two edges that give no way of their own

// A way out of a surface along one of its normals, in the mesh's frame.
typedef struct way_out
{
    double separation; // along it: negative
    double normal[3];  // unit, away from the surface
    double at[3];      // what of the shape's core is deepest
} way_out;

// How far along a line the nearest point to another one is, in its own lengths, where both lie across the normal.
// C. Ericson, Real-Time Collision Detection (2005), 5.1.8.
static double place_along(const double from[3], const double along[3], const double to[3], const double across[3],
                          const double normal[3])
{
    double side[3], between[3];
    ab_cross(across, normal, side);
    ab_sub(to, from, between);
    return ab_dot(side, between) / ab_dot(side, along);
}

// The direction across edge k of a triangle and an axis of a box, away from the surface. False: they have none, or it
// is not that of this edge.
static bool lie_across(const ab_triangle_view *view, int k, const double along[3], const double axis[3], double out[3])
{
    double aside[3];
    ab_sub(view->corners->at[(k + 2) % 3], view->corners->at[k], aside);
    ab_cross(along, axis, out);
    const double square = ab_dot(out, out), side = ab_dot(out, view->corners->normal) * view->side < 0.0 ? -1.0 : 1.0;
    if (!(square > PARALLEL * ab_dot(along, along)))
    {
        return false;
    }
    for (int j = 0; j < 3; ++j)
    {
        out[j] *= side / sqrt(square);
    }
    return ab_dot(aside, out) <= 0.0;
}

// The way out of a box, or of a capsule, past edge k, where its own lowest edge along axis i is across that: each
// between the other's ends, and the triangle's no farther than through the shape.
static bool find_past_edge(const ab_triangle_pair *p, const ab_triangle_view *view, int k, int i, way_out *out)
{
    const double *half = p->convex.core.half, *from = view->corners->at[k], *axis = p->axis + 3 * i, *n = out->normal;
    double along[3], edge[3], at[3], to[3], inside[3];
    ab_sub(view->corners->at[(k + 1) % 3], from, along);
    if (!lie_across(view, k, along, axis, out->normal))
    {
        return false;
    }
    memcpy(edge, p->centre, sizeof edge); // its middle
    for (int j = 0; j < 3; ++j)
    {
        const double *other = p->axis + 3 * j, rise = ab_dot(other, n);
        ab_along(edge, j == i ? 0.0 : rise > 0.0 ? -half[j] : half[j], other, edge);
    }
    const double on_ridge = place_along(from, along, edge, axis, n), on_edge = place_along(edge, axis, from, along, n);
    ab_along(edge, on_edge, axis, out->at);
    ab_along(from, on_ridge, along, at);
    ab_sub(out->at, at, to);
    out->separation = ab_dot(to, n) - p->convex.core.rounding;
    ab_triangle_into_shape(p, at, inside);
    return out->separation <= 0.0 && on_ridge >= 0.0 && on_ridge <= 1.0 && fabs(on_edge) <= half[i] &&
           p->convex.row->contains(p->convex.shape, inside);
}

// The least way out past a ridge of the triangle that is less than the shape is low over it. False: there is none. Of a
// mesh with two sides, which way is out may be in doubt.
static bool find_past_ridges(const ab_triangle_pair *p, const ab_triangle_view *view, double low, way_out *out)
{
    out->separation = low;
    for (int k = 0; k < 3 && p->convex.row->box_core && !p->mesh->two_sided; ++k)
    {
        for (int i = 0; i < 3; ++i)
        {
            way_out way;
            uint32_t other;
            if (find_past_edge(p, view, k, i, &way) && way.separation > out->separation &&
                ab_triangle_fit_of(view, way.normal, &other) == AB_FIT_FEATURE)
            {
                *out = way;
            }
        }
    }
    return out->separation > low;
}

// Whether what is cut is as deep as it is low. Beside a ridge it is not: its lowest point is over the other face.
static bool is_as_low(const ab_triangle_pair *p, uint32_t which, const ab_triangle_corners *corners,
                      const ab_triangle_cut *cut, double separation, double low)
{
    const double apart = separation - low;
    const ab_triangle_view view = { p->mesh, which, corners, cut->side, cut->in_doubt };
    ab_triangle_corners copy = *corners;
    double at[3];
    if (cut->elsewhere || apart <= -AB_TRIANGLE_DEEPER * separation)
    {
        return !cut->elsewhere || apart <= -AB_TRIANGLE_DEEPER * separation;
    }
    ab_mesh_nearest_on(copy.at, p->centre, at);
    return ab_triangle_goes_on(p, &view, at, apart / AB_TRIANGLE_DEEPER);
}

// The way out along a triangle's normal, at the shape's lowest point.
static void find_along_normal(const ab_triangle_pair *p, const ab_triangle_view *view, way_out *out)
{
    double n[3], down[3], lowest[3];
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = view->side * view->corners->normal[k];
    }
    ab_triangle_turn_out(&p->placed, out->normal, n);
    for (int k = 0; k < 3; ++k)
    {
        down[k] = -n[k];
    }
    ab_convex_support(&p->convex, down, lowest);
    ab_triangle_into_mesh(p, lowest, out->at);
}

// A contact there, in the middle between the shape and the surface.
static void write_contact(const ab_triangle_pair *p, const way_out *way, abut_manifold *out)
{
    double n[3], at[3];
    ab_triangle_turn_out(&p->placed, way->normal, n);
    ab_convex_place(&p->placed, way->at, at);
    ab_along(at, -p->convex.core.rounding - 0.5 * way->separation, n, at);
    *out = (abut_manifold){ .normal = { -(float)n[0], -(float)n[1], -(float)n[2] },
                            .separation = (float)way->separation,
                            .point_count = 1 };
    out->points[0] = (abut_point){ .offset = { (float)at[0], (float)at[1], (float)at[2] },
                                   .separation = (float)way->separation,
                                   .feature = AB_TRIANGLE_NO_FEATURE };
}

void ab_triangle_collide_cut(const ab_triangle_pair *p, uint32_t which, const ab_triangle_cut *cut, double separation,
                             bool past_ridges, abut_manifold *out)
{
    ab_triangle_corners corners;
    ab_triangle_corners_of(p->mesh, which, &corners);
    const ab_triangle_heights h = ab_triangle_heights_of(p, &corners);
    const bool front = !p->mesh->two_sided || h.high + h.low >= 0.0;
    const ab_triangle_view view = { p->mesh, which, &corners, front ? 1.0 : -1.0, cut->in_doubt };
    const double low = front ? h.low : -h.high;
    way_out way;
    if (!past_ridges || !find_past_ridges(p, &view, low, &way))
    {
        find_along_normal(p, &view, &way);
        way.separation = low < separation && is_as_low(p, which, &corners, cut, separation, low) ? low : separation;
    }
    write_contact(p, &way, out);
}
