// What hits of triangles say of the surface: which of them count, and with which normal.
#include "narrow/mesh/mesh_impact.h"

#include "narrow/mesh/mesh_collide.h"

#include <math.h>
#include <string.h>

// Both shapes are of their own frame's axes.
AB_APART bool ab_mesh_starts_inside(const ab_mesh_sweep *s, ab_sweep *out, uint32_t *child)
{
    ab_triangle_pair pair = { .mesh = s->mesh, .placed = s->mesh_mover->start, .convex = s->shape->start };
    abut_manifold m;
    ab_triangle shape;
    ab_convex placed;
    double way[3];
    uint32_t triangle;
    ab_triangle_pair_up(&pair);
    const bool any = s->overlaps == AB_OVERLAPS_ALL;
    ab_sub(s->shape->v, s->mesh_mover->v, way);
    if (!ab_mesh_deepest(&pair, any ? NULL : way, &m, &triangle))
    {
        return false;
    }
    ab_triangle_place(s->mesh, &pair.placed, triangle, &shape, &placed);
    if (!((double)m.separation < -ab_sweep_tolerance_of(pair.convex.size, placed.size)))
    {
        return false;
    }
    const float turn = s->mesh_first ? -1.0f : 1.0f; // the manifold's normal points to the mesh
    const double normal[3] = { (double)(turn * m.normal.x), (double)(turn * m.normal.y), (double)(turn * m.normal.z) };
    const abut_point *point = &m.points[0];
    for (uint32_t i = 1; i < m.point_count; ++i)
    {
        point = m.points[i].separation < point->separation ? &m.points[i] : point;
    }
    const double middle[3] = { (double)point->offset.x, (double)point->offset.y, (double)point->offset.z };
    *out = (ab_sweep){ .hit = true, .initial = true, .distance = (double)m.separation };
    memcpy(out->normal, normal, sizeof normal);
    ab_along(middle, -0.5 * (double)point->separation, normal, out->on_a);
    ab_along(middle, 0.5 * (double)point->separation, normal, out->on_b);
    *child = ab_mesh_child(s->mesh, triangle);
    return true;
}

// The velocity, against the mesh, of the point of the shape that touches; of a shape without axes, which rolls for all
// that is known, of its middle.
static void velocity_at(const ab_mesh_sweep *s, const ab_sweep *impact, double out[3])
{
    const ab_mover *mover[2] = { s->shape, s->mesh_mover };
    double v[2][3];
    for (int i = 0; i < 2; ++i)
    {
        ab_convex placed;
        double pivot[3], arm[3], turned[3];
        ab_mover_at(mover[i], impact->time, &placed);
        ab_along(mover[i]->pivot, impact->time, mover[i]->v, pivot);
        ab_sub(!mover[i]->turns ? placed.centre : s->mesh_first ? impact->on_b : impact->on_a, pivot, arm);
        ab_cross(mover[i]->w, arm, turned);
        ab_along(mover[i]->v, 1.0, turned, v[i]);
    }
    ab_sub(v[0], v[1], out);
}

// A triangle that is hit.
typedef struct touched
{
    ab_convex shape, mesh; // at the time of the impact
    ab_triangle_corners corners;
    ab_triangle_view view; // from the side that it is hit from
    double away[3];        // the impact's direction from the mesh to the shape, in its frame
    bool behind;           // that goes backwards
    double normal[3];      // of the face on that side
} touched;

// Of two sides it is hit from that which the shape's middle is on, unless the direction only fits the other.
static ab_triangle_fit fit_of(const ab_mesh_sweep *s, const ab_sweep *impact, uint32_t triangle, touched *out)
{
    double *const away = out->away;
    uint32_t other;
    ab_mover_at(s->shape, impact->time, &out->shape);
    ab_mover_at(s->mesh_mover, impact->time, &out->mesh);
    for (int i = 0; i < 3; ++i)
    {
        const double along = ab_dot(impact->normal, out->mesh.axis + 3 * i);
        away[i] = s->mesh_first ? along : -along;
    }
    ab_triangle_corners_of(s->mesh, triangle, &out->corners);
    out->view = (ab_triangle_view){ s->mesh, triangle, &out->corners, -1.0, NULL };
    out->view.side = s->mesh->two_sided && ab_triangle_faces(&out->view, &out->mesh, &out->shape) ? -1.0 : 1.0;
    ab_triangle_fit fit = ab_triangle_fit_of(&out->view, away, &other);
    bool behind = fit == AB_FIT_OTHER && other == AB_NO_TRIANGLE;
    if (behind && s->mesh->two_sided)
    {
        ab_triangle_view view = out->view;
        view.side = -view.side;
        const ab_triangle_fit back = ab_triangle_fit_of(&view, away, &other);
        behind = back != AB_FIT_FACE && back != AB_FIT_FEATURE;
        out->view = behind ? out->view : view;
        fit = behind ? fit : back;
    }
    out->behind = behind;
    fit = behind ? AB_FIT_NOT : fit; // its middle may be in front all the same
    ab_triangle_turn_out(&out->mesh, out->corners.normal, out->normal);
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] *= out->view.side;
    }
    return fit;
}

// Whether all of the shape is in front of the face's plane at time 0.
static bool was_in_front(const ab_mesh_sweep *s, const touched *t)
{
    const ab_convex *shape = &s->shape->start, *mesh = &s->mesh_mover->start;
    double front[3], down[3], corner[3], lowest[3], to[3];
    ab_triangle_turn_out(mesh, t->corners.normal, front);
    for (int k = 0; k < 3; ++k)
    {
        down[k] = -t->view.side * front[k];
    }
    ab_convex_place(mesh, t->corners.at[0], corner);
    ab_convex_support(shape, down, lowest);
    ab_sub(corner, lowest, to);
    return ab_dot(to, down) - shape->core.rounding > -ab_sweep_tolerance(s->shape, s->mesh_mover);
}

#define SLIDES 1e-6 // of a way: what goes no steeper into a face slides along it

// Whether the shape is in front of the face and goes towards it by more than along one that lies in a plane with its
// neighbours.
static bool closes_in(const ab_mesh_sweep *s, const touched *t, const double velocity[3])
{
    const bool left_out = s->overlaps == AB_OVERLAPS_NONE && !was_in_front(s, t);
    return -ab_dot(velocity, t->normal) > AB_MESH_FLAT * ab_length(velocity) && !left_out &&
           ab_triangle_faces(&t->view, &t->mesh, &t->shape);
}

// Whether the shape goes into the face at an edge that has no normal of its own.
static bool goes_in(const ab_mesh_sweep *s, const ab_sweep *impact, const touched *t, const double velocity[3])
{
    const ab_approach approach = { .shape = &t->shape,
                                   .mesh = &t->mesh,
                                   .at = s->mesh_first ? impact->on_a : impact->on_b,
                                   .way = velocity,
                                   .slack = ab_sweep_tolerance(s->shape, s->mesh_mover),
                                   .least = -SLIDES };
    return closes_in(s, t, velocity) && ab_triangle_leads_over(&t->view, &approach);
}

static bool comes_closer(const ab_mesh_sweep *s, const ab_sweep *impact, const double velocity[3])
{
    const double along = ab_dot(velocity, impact->normal);
    return (s->mesh_first ? -along : along) > SLIDES * ab_length(velocity);
}

// Whether a shape in front of a surface with one side comes to where that ends, from beyond it: by a normal that goes
// backwards. A detect takes it for a contact there, as the shape's middle is in front.
static bool comes_at_border(const ab_mesh_sweep *s, const touched *t)
{
    return t->behind && !s->mesh->two_sided && ab_triangle_ends(&t->view, t->away) &&
           ab_triangle_faces(&t->view, &t->mesh, &t->shape);
}

// Whether the surface has the impact's normal there, or nearly so: then it is made that of the face. Where a shape
// comes to an edge that has none, but goes on into the triangle's face, that has the impact: there is nothing else that
// stops it. What only seems to come nearer to a face, as its edge is near, slides along it; and so does what overlaps
// by a hair, unless it goes deeper. Apart, for what it needs is not to be on the stack below a sweep.
AB_APART static bool fits(const ab_mesh_sweep *s, ab_sweep *impact, uint32_t triangle, bool overlaps)
{
    touched t;
    double velocity[3], measured[3];
    memcpy(measured, impact->normal, sizeof measured);
    const ab_triangle_fit fit = fit_of(s, impact, triangle, &t);
    const bool turned = !ab_mover_is_straight(s->shape) || ab_mover_turns(s->mesh_mover);
    velocity_at(s, impact, velocity);
    for (int k = 0; k < 3 && (fit == AB_FIT_FACE || fit == AB_FIT_NOT); ++k)
    {
        impact->normal[k] = s->mesh_first ? t.normal[k] : -t.normal[k];
    }
    const bool closes = comes_closer(s, impact, velocity);
    if (fit != AB_FIT_NOT)
    {
        return fit == AB_FIT_FACE ? closes || (turned && !overlaps) : fit == AB_FIT_FEATURE && (closes || !overlaps);
    }
    if (goes_in(s, impact, &t, velocity))
    {
        return true;
    }
    memcpy(impact->normal, measured, sizeof measured);
    return comes_at_border(s, &t) && comes_closer(s, impact, velocity);
}

bool ab_mesh_impact_counts(const ab_mesh_sweep *s, ab_sweep *impact, ab_sweep *touching, uint32_t triangle,
                           bool overlaps)
{
    if (fits(s, impact, triangle, overlaps))
    {
        return true;
    }
    const bool touches = !overlaps && fits(s, touching, triangle, false);
    if (touches)
    {
        memcpy(impact->normal, touching->normal, sizeof impact->normal);
    }
    return touches;
}

AB_APART bool ab_mesh_impact_passes(const ab_mesh_sweep *s, const ab_sweep *impact, uint32_t triangle, double normal[3])
{
    touched t;
    double velocity[3];
    ab_triangle_corners_of(s->mesh, triangle, &t.corners);
    ab_mover_at(s->mesh_mover, impact->time, &t.mesh);
    ab_triangle_turn_out(&t.mesh, t.corners.normal, normal);
    velocity_at(s, impact, velocity);
    if (!(fabs(ab_dot(velocity, normal)) > AB_MESH_FLAT * ab_length(velocity))) // most: what slides on a plane
    {
        return false;
    }
    const ab_triangle_fit fit = fit_of(s, impact, triangle, &t);
    memcpy(normal, t.normal, sizeof t.normal);
    return fit == AB_FIT_NOT && closes_in(s, &t, velocity);
}
