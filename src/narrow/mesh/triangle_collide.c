// The contact of a convex shape with a triangle: what GJK and EPA find for the two alone, as far as it fits the surface
// that the triangle is a part of.
#include "narrow/convex/convex_outline.h"
#include "narrow/mesh/triangle.h"

#include <math.h>
#include <string.h>

#define LEANING 0.95    // cosine: past a ridge, corners are over a triangle where the way out is not farther off
#define ALIKE   1e-4    // of the smaller size: two depths that differ by less are the same
#define SLACK   0x1p-21 // of coordinates: two floats that should be the same differ by less

// The contact as measured, with this normal.
static bool collide_feature(const ab_convex_pair *pair, const ab_convex_contact *contact, const double normal[3],
                            double limit, abut_manifold *out)
{
    out->normal = abut_vec3_make((float)normal[0], (float)normal[1], (float)normal[2]);
    out->separation = (float)contact->separation;
    out->point_count = ab_convex_points(pair, contact, limit, out->points);
    return true;
}

double ab_triangle_slack(const ab_triangle_pair *p)
{
    const double *half = p->convex.core.half;
    double sum = p->convex.core.rounding;
    for (int k = 0; k < 3; ++k)
    {
        sum += fabs(p->centre[k]) + half[k];
    }
    return SLACK * sum;
}

// Whether a shape's lowest point below another triangle is lower than `low`. If that is a neighbouring surface's, it is
// so in doubt: then both surfaces have a contact, rather than none.
static bool is_above(const ab_triangle_pair *p, uint32_t other, double side, double low)
{
    ab_triangle_corners triangle;
    ab_triangle_corners_of(p->mesh, other, &triangle);
    const ab_triangle_heights h = ab_triangle_heights_of(p, &triangle);
    const double slack = ab_mesh_is_triangle(p->mesh, other) ? 0.0 : ab_triangle_slack(p);
    return low >= (side > 0.0 ? h.low : -h.high) - slack;
}

// The two as a convex pair, which is laid out only where a pair gets so far.
typedef struct meeting
{
    ab_triangle triangle;
    ab_convex_pair pair;
} meeting;

static void lay_out(meeting *m, const ab_triangle_pair *p, uint32_t which)
{
    m->pair.a = p->convex;
    ab_triangle_place(p->mesh, &p->placed, which, &m->triangle, &m->pair.b);
    ab_convex_pair_up(&m->pair);
}

// A triangle that a shape is near: where it is, and what was measured.
typedef struct nearness
{
    const ab_triangle_corners *corners;
    ab_triangle_heights heights;
    ab_convex_contact contact;
    double side;                // 1: the shape is in front; -1: behind a mesh with two sides
    const ab_triangle_row *row; // as in ab_triangle_at
    uint32_t place;
    bool *in_doubt; // likewise
    bool is_laid;
    ab_triangle_low low; // where it is laid for that side
} nearness;

// False: they are apart by more than the limit along the triangle's normal, or the shape is behind.
static bool is_within(const ab_triangle_pair *p, const ab_triangle_at *at, double limit, nearness *out)
{
    if (at->row)
    {
        out->heights.low = at->row->low[at->place];
        out->heights.high = at->row->high[at->place];
    }
    else
    {
        out->heights = ab_triangle_heights_of(p, out->corners);
    }
    const ab_triangle_heights h = out->heights;
    const bool one_sided = !p->mesh->two_sided;
    out->side = one_sided || h.high + h.low >= 0.0 ? 1.0 : -1.0;
    return h.low <= limit && (one_sided ? h.high >= 0.0 : h.high >= -limit);
}

// False: they are apart by more than the limit.
static bool measure(const ab_triangle_pair *p, const ab_triangle_at *at, double limit, nearness *out)
{
    const ab_triangle_gap gap = at->row ? ab_triangle_measure_row(p, at, limit, &out->contact)
                                : ab_triangle_hull_of(p)
                                    ? ab_triangle_measure_hull(p, out->corners, &out->heights, limit, &out->contact)
                                    : ab_triangle_measure(p, out->corners, at->axes, limit, &out->contact);
    if (gap == AB_GAP_UNKNOWN)
    {
        meeting m;
        lay_out(&m, p, at->which);
        ab_convex_collide(&m.pair, limit, &out->contact);
    }
    return gap != AB_GAP_BEYOND && (float)out->contact.separation <= (float)limit;
}

// What of a box or capsule is lowest, which is found out once. False if it is not known.
static bool lay_low(const ab_triangle_pair *p, nearness *near)
{
    if (!near->is_laid || near->low.side != near->side)
    {
        near->is_laid = true;
        near->low.side = near->side;
        near->low.is_known =
            near->row && near->side > 0.0
                ? ab_triangle_low_of_row(p, near->row, near->place, &near->low)
                : p->convex.row->box_core && ab_triangle_lay_low(p, near->corners, near->side, &near->low);
    }
    return near->low.is_known;
}

// The contact that has the triangle's own normal: where what is flat of the shape lies over the triangle. `alone`: of
// corners that are over it alone, also where what is lowest is elsewhere.
static bool collide_face(const ab_triangle_pair *p, uint32_t which, nearness *near, const double normal[3],
                         double limit, bool alone, abut_manifold *out, double *deepest)
{
    out->normal = abut_vec3_make((float)normal[0], (float)normal[1], (float)normal[2]);
    if (lay_low(p, near))
    {
        ab_triangle_points found;
        ab_triangle_points_of(p, near->corners, &near->low, limit, alone, &found);
        out->point_count = found.count;
        *deepest = found.deepest;
        for (uint32_t i = 0; i < found.count; ++i)
        {
            out->points[i] = found.point[i];
        }
    }
    else
    {
        meeting m;
        lay_out(&m, p, which);
        out->point_count = ab_convex_face_points(&m.pair, normal, limit, alone, out->points, deepest);
    }
    out->separation = (float)*deepest;
    return out->point_count > 0;
}

// Where the deepest point of a contact is, in the mesh's frame.
static void find_deepest(const ab_triangle_pair *p, const abut_manifold *m, double out[3])
{
    const abut_point *point = &m->points[0];
    for (uint32_t i = 1; i < m->point_count; ++i)
    {
        point = m->points[i].separation < point->separation ? &m->points[i] : point;
    }
    const double at[3] = { (double)point->offset.x, (double)point->offset.y, (double)point->offset.z };
    ab_triangle_into_mesh(p, at, out);
}

// Whether the way out of a shape, which is much shorter than it is deep, leads behind the triangle and past the other
// side of a thin solid: its edge there has the contact.
static bool leads_behind(const ab_triangle_pair *p, const ab_triangle_view *view, const nearness *near, double far)
{
    double away[3];
    for (int i = 0; i < 3; ++i)
    {
        away[i] = -ab_dot(near->contact.normal, p->placed.axis + 3 * i);
    }
    return ab_triangle_ends_behind(view, away, far - fabs(near->contact.separation));
}

// Whether what is measured along the triangle's normal is no deeper than what has to be moved: past the triangle, or
// past the surface around it.
static bool is_as_deep(const ab_triangle_pair *p, uint32_t which, const nearness *near, const abut_manifold *found,
                       double deepest)
{
    const double separation = near->contact.separation, apart = fabs(deepest - separation),
                 most = AB_TRIANGLE_DEEPER * fabs(separation);
    const ab_triangle_view view = { p->mesh, which, near->corners, near->side, near->in_doubt };
    double at[3];
    meeting m;
    if (apart <= most)
    {
        return true;
    }
    find_deepest(p, found, at);
    if (ab_triangle_goes_on(p, &view, at, apart / AB_TRIANGLE_DEEPER))
    {
        return !leads_behind(p, &view, near, 0.5 * apart);
    }
    lay_out(&m, p, which);
    return apart <= most + ALIKE * m.pair.granularity;
}

// The triangle's normal in the world, from the shape to it.
static void normal_to(const ab_triangle_pair *p, const nearness *near, double out[3])
{
    ab_triangle_turn_out(&p->placed, near->corners->normal, out);
    for (int i = 0; i < 3; ++i)
    {
        out[i] *= -near->side;
    }
}

// Whether a contact has a point of that name, or there: within the tolerance of shapes of this size.
static bool has_point(const abut_manifold *m, const abut_point *point, double size)
{
    const double near = ALIKE * size;
    bool has = false;
    for (uint32_t i = 0; i < m->point_count; ++i)
    {
        const abut_vec3 off = abut_vec3_sub(m->points[i].offset, point->offset);
        has = has || m->points[i].feature == point->feature ||
              (double)(fabsf(off.x) + fabsf(off.y) + fabsf(off.z)) <= near;
    }
    return has;
}

// Adds to the contact with a ridge or a peak the corners of the shape that are over the triangle, at their distances
// along the contact's normal: a shape that falls onto a ridge beside its middle turns about it, towards the triangle.
static void add_corners(const ab_triangle_pair *p, uint32_t which, nearness *near, double limit, abut_manifold *out)
{
    const double radius = p->convex.core.rounding;
    const double along[3] = { (double)out->normal.x, (double)out->normal.y, (double)out->normal.z };
    double n[3], deepest;
    abut_manifold corners;
    normal_to(p, near, n);
    const double cosine = ab_dot(n, along);
    if (cosine < LEANING || !collide_face(p, which, near, n, limit, true, &corners, &deepest))
    {
        return;
    }
    for (uint32_t i = 0; i < corners.point_count && out->point_count < AB_MAX_POINTS; ++i)
    {
        abut_point *point = &corners.points[i];
        const double apart = (double)point->separation, separation = (apart + radius) / cosine - radius;
        const double back = -radius - 0.5 * apart, forth = radius + 0.5 * separation;
        point->offset = abut_vec3_make(point->offset.x + (float)(back * n[0] + forth * along[0]),
                                       point->offset.y + (float)(back * n[1] + forth * along[1]),
                                       point->offset.z + (float)(back * n[2] + forth * along[2]));
        point->separation = (float)separation;
        if (point->separation >= out->separation && separation <= limit && !has_point(out, point, p->convex.size))
        {
            out->points[out->point_count++] = *point;
        }
    }
}

// What is asked of corners that are over a triangle.
typedef struct over_corners
{
    bool count; // those of a contact with a ridge or peak are points, too
    bool alone; // and those alone are a contact
} over_corners;

// The contact of a pair of which it is known how the way out fits the surface. `corners`: those that are over the
// triangle count.
static bool contact_of(const ab_triangle_pair *p, uint32_t which, nearness *near, ab_triangle_fit fit, double limit,
                       bool corners, abut_manifold *out)
{
    const ab_convex_contact *contact = &near->contact;
    double n[3], deepest = HUGE_VAL;
    normal_to(p, near, n);
    const bool face = fit != AB_FIT_FEATURE && collide_face(p, which, near, n, limit, false, out, &deepest);
    if (face)
    {
        // What is apart may be below the plane all the same, beside what is measured.
        const bool beside = contact->separation > 0.0 && deepest < 0.0;
        return fit == AB_FIT_FACE || (!beside && (fit != AB_FIT_NOT || is_as_deep(p, which, near, out, deepest)));
    }
    // Beside the triangle by less than the tolerance of directions, there is but the one point.
    meeting m;
    const bool own = fit == AB_FIT_FEATURE || fit == AB_FIT_FACE;
    if (own)
    {
        lay_out(&m, p, which);
    }
    if (!own || !collide_feature(&m.pair, contact, fit == AB_FIT_FEATURE ? contact->normal : n, limit, out))
    {
        return false;
    }
    if (fit == AB_FIT_FEATURE && corners)
    {
        add_corners(p, which, near, limit, out);
    }
    return true;
}

// Most contacts: the way out of a box in front of a triangle that it overlaps is along the triangle's normal, and
// something of it is over the triangle. False: there is more to find out.
static bool collide_known_face(const ab_triangle_pair *p, uint32_t which, nearness *near, double limit,
                               abut_manifold *out)
{
    double n[3], to[3], deepest;
    ab_sub(p->centre, near->corners->at[0], to);
    const double height = ab_dot(to, near->corners->normal);
    near->side = !p->mesh->two_sided || height > 0.0 ? 1.0 : -1.0;
    if (near->side * height <= 0.0)
    {
        return false;
    }
    normal_to(p, near, n);
    return collide_face(p, which, near, n, limit, false, out, &deepest) && deepest <= 0.0;
}

// The same of any other shape.
static bool collide_sure_face(const ab_triangle_pair *p, uint32_t which, nearness *near, double limit,
                              abut_manifold *out)
{
    double n[3], deepest;
    normal_to(p, near, n);
    return !p->convex.row->box_core && ab_triangle_leads_up(p, near->corners, near->side, &near->heights) &&
           collide_face(p, which, near, n, limit, false, out, &deepest);
}

// The contact of a shape that leans over a triangle whose way out is past an edge within a plane or a valley, where the
// neighbour has it: of those of its corners that are over the triangle. Without them a solver would know but of the
// lowest end of a shape that is larger than the triangles, and turn the other one through them.
static bool collide_corners(const ab_triangle_pair *p, uint32_t which, nearness *near, double limit, abut_manifold *out)
{
    double n[3], deepest;
    normal_to(p, near, n);
    return collide_face(p, which, near, n, limit, true, out, &deepest) &&
           (deepest > 0.0 || (near->contact.separation <= 0.0 && is_as_deep(p, which, near, out, deepest)));
}

// Whether corners that are over the triangle alone are a contact: where the way out is past an edge within a plane or a
// valley, or a ridge that is nearly one.
static bool stand_alone(const ab_triangle_view *view, const double away[3], ab_triangle_fit fit)
{
    return fit == AB_FIT_NOT || (fit == AB_FIT_OTHER && (view->side * ab_dot(away, view->corners->normal) > LEANING ||
                                                         ab_triangle_leans_on(view, away, LEANING)));
}

// How the way out fits the surface, and the neighbour whose it is.
typedef struct fitting
{
    ab_triangle_fit fit;
    uint32_t other;
    bool backwards; // from the triangle, on the side that the shape is on
    bool under;     // and at a ridge or a peak that turns under: a neighbour has it
    over_corners corners;
} fitting;

// The answer for what is within the limit. Apart: what it needs of the stack is not needed by what measures.
AB_APART static ab_triangle_answer answer_of(const ab_triangle_pair *p, uint32_t which, nearness *near,
                                             const fitting *found, double limit, abut_manifold *out,
                                             ab_triangle_cut *cut)
{
    const ab_triangle_heights h = near->heights;
    const over_corners *corners = &found->corners;
    const double low = near->side > 0.0 ? h.low : -h.high, middle = near->side * (h.high + h.low);
    // The way out of what is in front may lead past an edge, and backwards.
    const ab_triangle_fit fit = found->backwards ? AB_FIT_NOT : found->fit;
    // Of two that each see the way out at the other, the one that has less of the shape below it has the contact.
    const bool across = found->other != AB_NO_TRIANGLE;
    const bool elsewhere = found->under || (across && !is_above(p, found->other, near->side, low));
    const bool own = fit == AB_FIT_FACE || fit == AB_FIT_FEATURE;
    const bool may_touch = own || (middle >= 0.0 && !elsewhere);
    const bool overlaps = middle > 0.0 && near->contact.separation <= 0.0, is_cut = !own && overlaps;
    const double separation = near->contact.separation;
    *cut = (ab_triangle_cut){ low, separation, near->side, found->under || across, overlaps, near->in_doubt };
    if (may_touch && contact_of(p, which, near, fit, limit, corners->count, out))
    {
        return AB_TRIANGLE_TOUCHES;
    }
    if (corners->alone && collide_corners(p, which, near, limit, out))
    {
        return is_cut && out->separation > 0.0f ? AB_TRIANGLE_CUT_OVER : AB_TRIANGLE_TOUCHES;
    }
    return is_cut ? AB_TRIANGLE_CUT : AB_TRIANGLE_APART;
}

ab_triangle_answer ab_triangle_collide_at(const ab_triangle_pair *p, ab_triangle_at *at, double limit,
                                          abut_manifold *out, ab_triangle_cut *cut)
{
    if (ab_core_is_point(&p->convex.core))
    {
        return ab_triangle_collide_ball(p, at, limit, out, cut);
    }
    const uint32_t which = at->which, axes = at->axes;
    nearness near;
    near.corners = &at->corners;
    near.row = at->row;
    near.place = at->place;
    near.in_doubt = at->in_doubt;
    near.is_laid = false;
    if ((axes & AB_AXES_ALL) == AB_AXES_NORMAL && ab_triangle_is_of_box(p) &&
        collide_known_face(p, which, &near, limit, out))
    {
        return AB_TRIANGLE_TOUCHES;
    }
    if (!is_within(p, at, limit, &near))
    {
        return AB_TRIANGLE_APART;
    }
    if (collide_sure_face(p, which, &near, limit, out))
    {
        return AB_TRIANGLE_TOUCHES;
    }
    if (!measure(p, at, limit, &near))
    {
        return AB_TRIANGLE_APART;
    }
    fitting found;
    double away[3];
    for (int i = 0; i < 3; ++i)
    {
        away[i] = -ab_dot(near.contact.normal, p->placed.axis + 3 * i);
    }
    const ab_triangle_view view = { p->mesh, which, near.corners, near.side, near.in_doubt };
    const bool in_front = near.side * (near.heights.high + near.heights.low) > 0.0;
    found.fit = ab_triangle_fit_of(&view, away, &found.other);
    found.backwards = found.fit == AB_FIT_OTHER && found.other == AB_NO_TRIANGLE;
    found.under = found.backwards && ab_triangle_fit_under(&view, away, &found.other) == AB_FIT_FEATURE;
    found.corners.count = (axes & AB_AXES_CORNERS) != 0 && in_front;
    found.corners.alone = found.corners.count && !found.under && stand_alone(&view, away, found.fit);
    return answer_of(p, which, &near, &found, limit, out, cut);
}

ab_triangle_answer ab_triangle_collide(const ab_triangle_pair *p, uint32_t which, uint32_t axes, double limit,
                                       abut_manifold *out, ab_triangle_cut *cut)
{
    ab_triangle_at at = { .which = which, .axes = axes };
    ab_triangle_corners_of(p->mesh, which, &at.corners);
    return ab_triangle_collide_at(p, &at, limit, out, cut);
}
