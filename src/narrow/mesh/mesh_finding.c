// Which triangle has the contact of a shape that cuts a mesh and touches no triangle of it.
#include "narrow/mesh/mesh_finding.h"

ab_triangle_answer ab_mesh_ask_triangle(ab_mesh_finding *f, uint32_t triangle, abut_manifold *m, ab_triangle_cut *cut)
{
    const ab_triangle_answer answer =
        ab_triangle_collide(f->pair, triangle, AB_AXES_ALL | AB_AXES_CORNERS, f->limit, m, cut);
    ab_mesh_note_answer(f, triangle, answer, m, cut);
    return answer;
}

// False: enough is known.
static bool look(void *context, uint32_t triangle)
{
    ab_mesh_finding *f = context;
    abut_manifold m;
    ab_triangle_cut cut;
    (void)ab_mesh_ask_triangle(f, triangle, &m, &cut);
    return !f->touches;
}

ab_mesh_finding ab_mesh_find_in_pair(const ab_triangle_pair *pair, double limit)
{
    ab_mesh_finding f = { .pair = pair, .limit = limit, .cut = AB_NO_TRIANGLE };
    const ab_mesh_box box = ab_mesh_box_of_pair(pair, limit);
    (void)ab_mesh_may_overlap(pair->mesh, &box, look, &f);
    return f;
}

// The separation that a triangle that is cut has: past its ridges, too.
static float separation_past_ridges(const ab_mesh_finding *f, uint32_t triangle, const ab_triangle_cut *how)
{
    abut_manifold m;
    ab_triangle_collide_cut(f->pair, triangle, how, f->separation, true, &m);
    return m.separation;
}

// Of triangles over which the shape's lowest point is alike, that which it is the least deep in: past a ridge of it.
typedef struct least_way
{
    ab_mesh_finding *finding;
    uint32_t triangle;
    float separation;
    ab_triangle_cut how;
} least_way;

static bool see_alike(void *context, uint32_t triangle)
{
    least_way *n = context;
    const ab_mesh_finding *f = n->finding;
    const ab_mesh *mesh = f->pair->mesh;
    abut_manifold m;
    ab_triangle_cut cut;
    const ab_triangle_answer answer =
        ab_triangle_collide(f->pair, triangle, AB_AXES_ALL | AB_AXES_CORNERS, f->limit, &m, &cut);
    if (!ab_triangle_is_cut(answer) || !ab_mesh_is_alike(f, &cut))
    {
        return true;
    }
    const float separation = separation_past_ridges(f, triangle, &cut);
    if (n->triangle == AB_NO_TRIANGLE || separation > n->separation ||
        (separation == n->separation && ab_mesh_child(mesh, triangle) < ab_mesh_child(mesh, n->triangle)))
    {
        n->triangle = triangle;
        n->separation = separation;
        n->how = cut;
    }
    return true;
}

// Which of them has the contact follows from the least way out, not from how heights over one plane are rounded.
void ab_mesh_choose_cut(ab_mesh_finding *f)
{
    const ab_mesh_box box = ab_mesh_box_of_pair(f->pair, f->limit);
    const double low = f->how.low;
    least_way n = { .finding = f, .triangle = AB_NO_TRIANGLE };
    (void)ab_mesh_may_overlap(f->pair->mesh, &box, see_alike, &n);
    f->cut = n.triangle != AB_NO_TRIANGLE ? n.triangle : f->cut;
    f->how = n.triangle != AB_NO_TRIANGLE ? n.how : f->how;
    f->how.low = low;
}

// Whether the shape is less deep in a neighbouring surface's triangle than in the one that is cut here, by more than by
// rounding.
static bool is_less_deep(const ab_mesh_finding *f, uint32_t triangle, const ab_triangle_cut *cut)
{
    const double slack = ab_triangle_slack(f->pair);
    if (!ab_mesh_is_alike(f, cut))
    {
        return cut->low > f->how.low;
    }
    const double there = (double)separation_past_ridges(f, triangle, cut); // maybe in doubt
    return !*cut->in_doubt && there > (double)separation_past_ridges(f, f->cut, &f->how) + slack;
}

// Whether a neighbouring surface has the contact: it touches the shape, or is cut where the shape is less deep.
//
// Surfaces never all leave a contact to another. A surface knows all around its own triangles, so that it answers of
// these as the whole would. What it answers of another's triangle is the same where it is not in doubt: then a triangle
// that touches has a contact there. In doubt, it is sure all the same that a triangle that the shape overlaps from in
// front touches it or is cut, and how low the shape is over it. So whoever leaves the contact leaves it to a surface
// that has one of its own, or is cut where the shape is less deep, and one of those that are cut is the last.
static bool look_beyond(void *context, uint32_t triangle)
{
    ab_mesh_finding *f = context;
    abut_manifold m;
    ab_triangle_cut cut;
    bool in_doubt = false;
    ab_triangle_at at = { .which = triangle, .axes = AB_AXES_ALL | AB_AXES_CORNERS, .in_doubt = &in_doubt };
    ab_triangle_corners_of(f->pair->mesh, triangle, &at.corners);
    const ab_triangle_answer answer = ab_triangle_collide_at(f->pair, &at, f->limit, &m, &cut);
    const bool is_cut = ab_triangle_is_cut(answer);
    if (is_cut || in_doubt)
    {
        f->touches = (is_cut || cut.overlaps) && is_less_deep(f, triangle, &cut);
    }
    else
    {
        f->touches = answer == AB_TRIANGLE_TOUCHES && ab_mesh_is_overlap(&m);
    }
    f->separation = is_cut && cut.separation < f->separation ? cut.separation : f->separation;
    return !f->touches;
}

bool ab_mesh_has_cut(ab_mesh_finding *f, const ab_mesh_box *box)
{
    return ab_mesh_overlap_neighbours(f->pair->mesh, box, look_beyond, f);
}
