// The deepest contact of a shape with a mesh, for casts that begin in it.
#include "base/platform.h"
#include "narrow/convex/sweep.h"
#include "narrow/mesh/mesh_collide.h"
#include "narrow/mesh/mesh_finding.h"

#include <math.h>

// A search for the deepest contact.
typedef struct deepest
{
    ab_mesh_finding finding;
    const double *way;
    abut_manifold manifold;
    uint32_t triangle; // AB_NO_TRIANGLE: none yet
} deepest;

static bool is_approached(const deepest *d, const abut_manifold *m)
{
    const double normal[3] = { (double)m->normal.x, (double)m->normal.y, (double)m->normal.z };
    return !d->way || ab_way_approaches(d->way, normal);
}

// Whether the way leads into the face of a triangle that the shape cuts, by more than along one that lies in a plane
// with its neighbours. It has no contact yet, and no ridge is between, so that nothing else stops the shape. Then its
// contact is as deep as it is cut.
AB_APART static bool is_entered(const deepest *d, uint32_t triangle, const ab_triangle_cut *cut, abut_manifold *m)
{
    const ab_triangle_pair *pair = d->finding.pair;
    if (!d->way || cut->elsewhere)
    {
        return false;
    }
    ab_triangle_collide_cut(pair, triangle, cut, cut->separation, false, m);
    const double into[3] = { (double)m->normal.x, (double)m->normal.y, (double)m->normal.z };
    if (!(ab_dot(into, d->way) > AB_MESH_FLAT * sqrt(ab_dot(d->way, d->way))))
    {
        return false;
    }
    ab_triangle_corners corners;
    double lowest[3]; // over the triangle
    ab_triangle_corners_of(pair->mesh, triangle, &corners);
    ab_convex_support(&pair->convex, into, lowest);
    const ab_triangle_view view = { pair->mesh, triangle, &corners, cut->side, NULL };
    const ab_approach approach = { .shape = &pair->convex,
                                   .mesh = &pair->placed,
                                   .at = lowest,
                                   .way = d->way,
                                   .slack = -ab_sweep_tolerance_of(pair->convex.size, pair->convex.size) };
    return ab_triangle_leads_over(&view, &approach);
}

static bool see_deepest(void *context, uint32_t triangle)
{
    deepest *d = context;
    const ab_mesh *mesh = d->finding.pair->mesh;
    abut_manifold m;
    ab_triangle_cut cut;
    const ab_triangle_answer answer = ab_mesh_ask_triangle(&d->finding, triangle, &m, &cut);
    if (!(answer == AB_TRIANGLE_TOUCHES && is_approached(d, &m)) &&
        !(answer == AB_TRIANGLE_CUT && is_entered(d, triangle, &cut, &m)))
    {
        return true;
    }
    const bool first = d->triangle == AB_NO_TRIANGLE || m.separation < d->manifold.separation;
    if (first ||
        (m.separation == d->manifold.separation && ab_mesh_child(mesh, triangle) < ab_mesh_child(mesh, d->triangle)))
    {
        d->manifold = m;
        d->triangle = triangle;
    }
    return true;
}

bool ab_mesh_deepest(const ab_triangle_pair *pair, const double *way, abut_manifold *out, uint32_t *triangle)
{
    deepest d = { .finding = { .pair = pair, .cut = AB_NO_TRIANGLE }, .way = way, .triangle = AB_NO_TRIANGLE };
    const ab_mesh_box box = ab_mesh_box_of_pair(pair, 0.0);
    (void)ab_mesh_may_overlap(pair->mesh, &box, see_deepest, &d);
    const bool is_cut = d.triangle == AB_NO_TRIANGLE && !d.finding.touches && d.finding.cut != AB_NO_TRIANGLE;
    if (is_cut && d.finding.alike)
    {
        ab_mesh_choose_cut(&d.finding);
    }
    if (is_cut && ab_mesh_has_cut(&d.finding, &box))
    {
        ab_triangle_collide_cut(pair, d.finding.cut, &d.finding.how, d.finding.separation, true, &d.manifold);
        d.triangle = is_approached(&d, &d.manifold) ? d.finding.cut : AB_NO_TRIANGLE;
    }
    *out = d.manifold;
    *triangle = d.triangle;
    return d.triangle != AB_NO_TRIANGLE;
}
