// Any convex shape beside a segment of a chain: those with corners by their outline, all others by their supports.
#include "narrow/chain/segment.h"

#include <math.h>

// The corners of a core that is a box, be it flat, a segment or a point, or of a polygon, counter-clockwise in the
// shape's own frame. Zero: the shape has none.
static uint32_t corners_of(const ab_convex *convex, double out[ABUT_MAX_VERTICES][2])
{
    const double x = convex->core.half[0], y = convex->core.half[1];
    if (convex->row->box_core)
    {
        const double corner[4][2] = { { -x, -y }, { x, -y }, { x, y }, { -x, y } };
        const uint32_t step = x > 0.0 && y > 0.0 ? 1 : 2, count = x > 0.0 && y > 0.0 ? 4 : x > 0.0 || y > 0.0 ? 2 : 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            out[i][0] = corner[i * step][0];
            out[i][1] = corner[i * step][1];
        }
        return count;
    }
    const abut_vec2 *vertices = NULL;
    const uint32_t count =
        convex->row->geometry ? abut_geometry_vertices(convex->row->geometry(convex->shape), &vertices) : 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i][0] = (double)vertices[i].x;
        out[i][1] = (double)vertices[i].y;
    }
    return count;
}

// The normals of the sides between corners that are clockwise in the segment's frame; zero where two are one.
static void lay_sides(ab_segment_outline *o)
{
    for (uint32_t i = 0; i < o->count && o->count > 1; ++i)
    {
        const uint32_t j = i + 1 < o->count ? i + 1 : 0;
        const double u = o->u[j] - o->u[i], h = o->h[j] - o->h[i], length = sqrt(u * u + h * h);
        o->normal_u[i] = length > 0.0 ? -h / length : 0.0;
        o->normal_h[i] = length > 0.0 ? u / length : 0.0;
    }
}

static void find_middle(ab_segment_outline *o)
{
    o->middle_u = o->middle_h = 0.0;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        o->middle_u += o->u[i] / o->count;
        o->middle_h += o->h[i] / o->count;
    }
}

// Without its sides. False: the shape has no corners.
static bool lay_corners(const ab_chain_pair *pair, const ab_segment_view *view, ab_segment_outline *out)
{
    const double *axis = pair->axis, *along = view->along, *front = view->front;
    double corner[ABUT_MAX_VERTICES][2];
    out->count = corners_of(&pair->convex, corner);
    out->rounding = pair->convex.core.rounding;
    for (uint32_t i = 0; i < out->count; ++i)
    {
        const double x = pair->centre[0] + (axis[0] * corner[i][0] + axis[2] * corner[i][1]) - view->origin[0];
        const double y = pair->centre[1] + (axis[1] * corner[i][0] + axis[3] * corner[i][1]) - view->origin[1];
        out->u[i] = x * along[0] + y * along[1];
        out->h[i] = x * front[0] + y * front[1];
    }
    find_middle(out);
    return out->count > 0;
}

// How far before and behind the segment's line the corners are.
static void find_heights(const ab_segment_outline *o, double *low, double *high)
{
    *low = *high = o->h[0];
    for (uint32_t i = 1; i < o->count; ++i)
    {
        *low = o->h[i] < *low ? o->h[i] : *low;
        *high = o->h[i] > *high ? o->h[i] : *high;
    }
}

#define ALIKE 1e-6 // of the shape's own size: support points closer than this are one corner

// The support point of the core along a direction of the segment's frame.
static ab_segment_position support_along(const ab_chain_pair *pair, const ab_segment_view *view, double u, double h)
{
    const double origin[3] = { view->origin[0], view->origin[1], 0.0 };
    double direction[3], along[3], front[3], point[3], from[3];
    ab_segment_turn_out(pair, view, u, h, direction);
    ab_segment_turn_out(pair, view, 1.0, 0.0, along);
    ab_segment_turn_out(pair, view, 0.0, 1.0, front);
    ab_convex_support(&pair->convex, direction, point);
    ab_convex_place(&pair->placed, origin, from);
    ab_sub(point, from, point);
    return (ab_segment_position){ ab_dot(point, along), ab_dot(point, front) };
}

static bool is_corner(const ab_segment_outline *o, uint32_t i, ab_segment_position at, double size)
{
    return fabs(o->u[i] - at.u) + fabs(o->h[i] - at.h) <= size;
}

// Adds a support point if it is another one than the last and the first.
static void add_corner(const ab_chain_pair *pair, ab_segment_position at, ab_segment_outline *out)
{
    const double size = ALIKE * pair->convex.size;
    const uint32_t count = out->count;
    out->u[count] = at.u;
    out->h[count] = at.h;
    out->count += count == 0 || !(is_corner(out, count - 1, at, size) || is_corner(out, 0, at, size));
}

// Adds supports between the last corner and a point behind it: what is beyond the line between the two, and that
// between these.
static void add_between(const ab_chain_pair *pair, const ab_segment_view *view, ab_segment_position to, uint32_t times,
                        ab_segment_outline *out)
{
    const ab_segment_position from = { out->u[out->count - 1], out->h[out->count - 1] };
    const double u = to.u - from.u, h = to.h - from.h, length = sqrt(u * u + h * h), size = ALIKE * pair->convex.size;
    if (times == 0 || !(length > size))
    {
        return;
    }
    const ab_segment_position at = support_along(pair, view, -h / length, u / length);
    if ((u * (at.h - from.h) - h * (at.u - from.u)) / length > size)
    {
        add_between(pair, view, at, times - 1, out);
        add_corner(pair, at, out);
        add_between(pair, view, to, times - 1, out);
    }
}

enum
{
    TILTS = 5,
    BETWEEN = 2 // times that what lies between two supports is halved
};

_Static_assert(3 + TILTS + (TILTS + 1) * ((1 << BETWEEN) - 1) <= AB_SEGMENT_CORNERS, "there is room for all");

// Where the core faces the segment, by its supports in some directions and between them: within it, and exact in the
// direction of the segment itself. What is flat to a tilt of some degrees has its ends.
static void lay_facing(const ab_chain_pair *pair, const ab_segment_view *view, ab_segment_outline *out)
{
    static const double tilts[TILTS] = { 0.6, 0.0625, 0.0, -0.0625, -0.6 }; // to the right of the way
    out->count = 0;
    out->rounding = pair->convex.core.rounding;
    add_corner(pair, support_along(pair, view, 0.0, 1.0), out);
    add_corner(pair, support_along(pair, view, 1.0, 0.0), out);
    for (uint32_t i = 0; i <= TILTS; ++i)
    {
        const ab_segment_position at =
            i < TILTS ? support_along(pair, view, tilts[i], -1.0) : support_along(pair, view, -1.0, 0.0);
        add_between(pair, view, at, BETWEEN, out);
        add_corner(pair, at, out);
    }
    lay_sides(out);
}

enum
{
    AROUND = 8
};

_Static_assert(AROUND << BETWEEN <= AB_SEGMENT_CORNERS, "there is room for all");

// The core all around, by its supports along its own axes and between: that itself of a polygon with not too many
// corners, within any other; and its middle, which is one for all segments.
static void lay_around(const ab_chain_pair *pair, const ab_segment_view *view, ab_segment_outline *out)
{
    static const double way[AROUND][2] = { { 0.0, 1.0 },  { -1.0, 1.0 }, { -1.0, 0.0 }, { -1.0, -1.0 },
                                           { 0.0, -1.0 }, { 1.0, -1.0 }, { 1.0, 0.0 },  { 1.0, 1.0 } };
    const double *axis = pair->axis;
    out->count = 0;
    out->rounding = pair->convex.core.rounding;
    for (uint32_t i = 0; i <= AROUND; ++i)
    {
        const double *w = way[i % AROUND], x = w[0] * axis[0] + w[1] * axis[2], y = w[0] * axis[1] + w[1] * axis[3];
        const ab_segment_position at =
            support_along(pair, view, x * view->along[0] + y * view->along[1], x * view->front[0] + y * view->front[1]);
        if (i > 0)
        {
            add_between(pair, view, at, BETWEEN, out);
        }
        if (i < AROUND)
        {
            add_corner(pair, at, out);
        }
    }
    lay_sides(out);
    find_middle(out);
}

static bool is_of_end(const ab_segment_view *view, double u, double h, bool all)
{
    return ab_segment_has_normal(view, 0, u, h, all) || ab_segment_has_normal(view, 1, u, h, all);
}

// Supports of the core along and across a segment, and its middle.
static void lay_supports(const ab_chain_pair *pair, const ab_segment_view *view, ab_segment_outline *out)
{
    lay_around(pair, view, out);
    out->count = 0;
    add_corner(pair, support_along(pair, view, 0.0, 1.0), out);
    add_corner(pair, support_along(pair, view, 1.0, 0.0), out);
    add_corner(pair, support_along(pair, view, 0.0, -1.0), out);
    add_corner(pair, support_along(pair, view, -1.0, 0.0), out);
}

// Lays a shape out in a segment's frame, without its sides. False: it is known by its supports alone.
static bool lay_shape(const ab_chain_pair *pair, const ab_segment_view *view, ab_segment_outline *out)
{
    const bool has_corners = lay_corners(pair, view, out);
    if (!has_corners)
    {
        lay_supports(pair, view, out);
    }
    return has_corners;
}

// Whether a direction leads away from the segment and backwards at an end where nothing goes on.
static bool is_behind_end(const ab_segment_view *view, double u, double h)
{
    return h < 0.0 && view->end[u < 0.0 ? 0 : 1].is_free;
}

// By the nearest points, or the way out. What has none of the line's normals here has the segment's own, where
// the shape lies over it.
static bool collide_measured(const ab_chain_pair *pair, const ab_segment_view *view, const ab_convex_contact *contact,
                             double limit, ab_segment_contact *out)
{
    ab_segment_outline facing;
    double along[3], front[3];
    ab_segment_turn_out(pair, view, 1.0, 0.0, along);
    ab_segment_turn_out(pair, view, 0.0, 1.0, front);
    const double u = ab_dot(contact->normal, along), h = ab_dot(contact->normal, front), gap = contact->separation;
    const bool at_end = is_of_end(view, u, h, false), own = at_end || h >= AB_SEGMENT_FRONT;
    if (gap > limit || is_behind_end(view, u, h) || (gap > 0.0 && h < 0.0 && !own))
    {
        return false;
    }
    if (!own && is_of_end(view, u, h, true))
    {
        return false; // it is a neighbour's
    }
    if (!own || h >= AB_SEGMENT_FRONT)
    {
        lay_facing(pair, view, &facing);
        const bool over = ab_segment_collide_front(view, &facing, limit, out);
        if (over || !at_end)
        {
            return over; // what is not over the segment is at its end
        }
    }
    *out = (ab_segment_contact){ .normal_u = u, .normal_h = h, .separation = gap, .count = 1 };
    out->point[0] =
        (ab_segment_point){ (u < 0.0 ? 0.0 : view->length) + 0.5 * gap * u, 0.5 * gap * h, gap, u < 0.0 ? 0u : 1u };
    return true;
}

// The way out of a segment alone may be none of the line's normals, and so may that of its neighbour at a corner. Then
// the outline tells whose the contact is.
static bool collide_support(const ab_chain_pair *pair, uint32_t which, const ab_segment_view *view, double limit,
                            ab_segment_contact *out)
{
    ab_segment segment;
    ab_convex_pair measured = { .b = pair->convex };
    ab_convex_contact contact;
    out->from_behind = false;
    ab_segment_place(&pair->placed, which, &segment, &measured.a);
    ab_convex_measure(&measured, &contact);
    if (collide_measured(pair, view, &contact, limit, out))
    {
        return true;
    }
    if (!contact.overlap)
    {
        return false;
    }
    ab_segment_outline around;
    lay_around(pair, view, &around);
    return ab_segment_collide(view, &around, limit, out);
}

// Lays a shape out in a segment's frame, seen from one side, and shares the normals with the neighbours that have its
// middle in front of their lines. False: it is known by its supports alone.
static bool lay_view(const ab_chain_pair *pair, uint32_t which, bool behind, ab_segment_view *view,
                     ab_segment_outline *outline)
{
    ab_segment_view_of(pair->chain, which, behind, view);
    const bool has_corners = lay_shape(pair, view, outline);
    for (int end = 0; end < 2; ++end)
    {
        if (view->end[end].bends && !ab_segment_outline_is_before(outline, view, end))
        {
            ab_segment_take_all(&view->end[end]);
        }
    }
    return has_corners;
}

static bool reaches_past(const ab_segment_outline *o, const ab_segment_view *view, int end)
{
    bool past = false;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        past = past || (end == 0 ? o->u[i] - o->rounding < 0.0 : o->u[i] + o->rounding > view->length);
    }
    return past;
}

// Of two sides, whether a shape that has its middle on one is on the other: at a corner, outside, in front of the
// neighbour's line. What is apart is so where it is nearest: a large one may lie over the segment and reach past it.
static bool is_outside(const ab_chain_pair *pair, uint32_t which, bool behind)
{
    ab_segment_view view;
    ab_segment_outline outline;
    bool outside = false;
    if (lay_view(pair, which, behind, &view, &outline))
    {
        lay_sides(&outline);
    }
    else
    {
        lay_around(pair, &view, &outline); // with its sides
    }
    for (int end = 0; end < 2; ++end)
    {
        const ab_segment_end *e = &view.end[end];
        outside = outside || (e->bends && !e->is_all && reaches_past(&outline, &view, end) &&
                              ab_segment_outline_is_at(&outline, &view, end));
    }
    return outside;
}

// A shape that is laid out.
static bool collide_laid(const ab_chain_pair *pair, uint32_t which, bool has_corners, double limit,
                         const ab_segment_view *view, ab_segment_outline *outline, ab_segment_contact *out)
{
    if (!has_corners)
    {
        return collide_support(pair, which, view, limit, out);
    }
    lay_sides(outline);
    return ab_segment_collide(view, outline, limit, out);
}

static bool collide_from(const ab_chain_pair *pair, uint32_t which, bool behind, double limit, ab_segment_view *view,
                         ab_segment_contact *out)
{
    ab_segment_outline outline;
    const bool has_corners = lay_view(pair, which, behind, view, &outline);
    return collide_laid(pair, which, has_corners, limit, view, &outline, out);
}

// Of two sides from that which the shape is on. An end where nothing goes on may be touched from the other one all the
// same: by a normal of the end, or by any of that side if the shape overlaps the end less from there.
static bool collide_two_sided(const ab_chain_pair *pair, uint32_t which, bool behind, double limit,
                              ab_segment_view *view, ab_segment_contact *out)
{
    const bool from = is_outside(pair, which, !behind) ? !behind : behind;
    if (collide_from(pair, which, from, limit, view, out))
    {
        return true;
    }
    const bool may_be_other = view->end[0].is_free || view->end[1].is_free, any_normal = out->from_behind;
    return may_be_other && collide_from(pair, which, !from, limit, view, out) &&
           (any_normal || out->normal_h < AB_SEGMENT_FRONT);
}

bool ab_chain_pair_collide(const ab_chain_pair *pair, uint32_t which, double limit, ab_segment_view *view,
                           ab_segment_contact *out)
{
    ab_segment_outline outline;
    double low, high;
    const bool has_corners = lay_view(pair, which, false, view, &outline), behind = outline.middle_h < 0.0;
    find_heights(&outline, &low, &high);
    if (low - outline.rounding > limit)
    {
        return false;
    }
    if (pair->chain->two_sided)
    {
        return -high - outline.rounding <= limit && collide_two_sided(pair, which, behind, limit, view, out);
    }
    return !behind && collide_laid(pair, which, has_corners, limit, view, &outline, out);
}
