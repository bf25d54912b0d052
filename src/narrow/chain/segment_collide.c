// The contact of a convex outline with a segment of a chain. Of cores that are apart, the nearest points decide whose
// it is; of those that overlap, the normal along which they overlap least, of all that the line has here.
#include "narrow/chain/segment.h"

#include <math.h>

// Features: corners, cuts of sides, and what is at an end of the segment.
#define CUT       32u // 2 * side + the end above whose cut it is
#define AT_CORNER 96u // 32 * end + the corner over it
#define AT_END    160u
#define ON_SIDE   162u // 2 * side + the end of the side where it is cut

#define PREFERRED 1e-3 // of the size: by so much another normal has to be better than the segment's
#define PAST_END  1e-4 // of the size: a corner past the end that is nearer by less leaves what is over it two points
#define LEVEL     1e-6 // of the sizes: what rounding makes of one position

// A normal that may be the contact's.
typedef struct choice
{
    double u, h;   // unit
    double gap;    // of the cores along it
    int end;       // of the segment, which is what touches; -1: its own normal
    uint32_t side; // of the outline that lies across it; ABUT_NONE: a corner is there
    uint32_t corner;
} choice;

static uint32_t next_of(const ab_segment_outline *o, uint32_t i)
{
    return i + 1 < o->count ? i + 1 : 0;
}

static uint32_t sides_of(const ab_segment_outline *o)
{
    return o->count > 1 ? o->count : 0;
}

static double end_u(const ab_segment_view *view, int end)
{
    return end == 0 ? 0.0 : view->length;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double size_of(const ab_segment_outline *o)
{
    double size = 0.0;
    for (uint32_t i = 1; i < o->count; ++i)
    {
        size = larger(size, fabs(o->u[i] - o->u[0]) + fabs(o->h[i] - o->h[0]));
    }
    return size + o->rounding;
}

// How far a point is beyond a side.
static double beyond_side(const ab_segment_outline *o, uint32_t side, double u, double h)
{
    return o->normal_u[side] * (u - o->u[side]) + o->normal_h[side] * (h - o->h[side]);
}

// How far the core is from an end along a direction.
static double gap_along(const ab_segment_outline *o, double at, double u, double h)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        least = lesser(least, u * (o->u[i] - at) + h * o->h[i]);
    }
    return least;
}

// Whether the core is farther than a distance from a line between two points, along some side of either.
static bool is_apart(const ab_segment_outline *o, ab_segment_position p, ab_segment_position q, double distance)
{
    const double u = q.u - p.u, h = q.h - p.h, length = sqrt(u * u + h * h);
    double low_u = HUGE_VAL, high_u = -HUGE_VAL, low_h = HUGE_VAL, high_h = -HUGE_VAL;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        const double to_u = o->u[i] - p.u, to_h = o->h[i] - p.h;
        const double along = (to_u * u + to_h * h) / length, above = (to_h * u - to_u * h) / length;
        low_u = lesser(low_u, along);
        high_u = larger(high_u, along);
        low_h = lesser(low_h, above);
        high_h = larger(high_h, above);
    }
    bool apart = low_u - length > distance || -high_u > distance || low_h > distance || -high_h > distance;
    for (uint32_t i = 0; i < sides_of(o) && !apart; ++i)
    {
        apart = beyond_side(o, i, p.u, p.h) > distance && beyond_side(o, i, q.u, q.h) > distance;
    }
    return apart;
}

// The nearest points of two cores that are apart.
static choice nearest_points(const ab_segment_view *view, const ab_segment_outline *o)
{
    choice best = { .gap = HUGE_VAL, .side = ABUT_NONE };
    for (uint32_t i = 0; i < o->count; ++i)
    {
        const double u = o->u[i], on = u < 0.0 ? 0.0 : u > view->length ? view->length : u;
        const double gap = sqrt((u - on) * (u - on) + o->h[i] * o->h[i]);
        if (gap < best.gap)
        {
            best = (choice){ u - on, o->h[i], gap, u < 0.0 ? 0 : u > view->length ? 1 : -1, ABUT_NONE, i };
        }
    }
    for (int end = 0; end < 2; ++end)
    {
        for (uint32_t i = 0; i < sides_of(o); ++i)
        {
            const uint32_t j = next_of(o, i);
            const double at = end_u(view, end), u = o->u[j] - o->u[i], h = o->h[j] - o->h[i];
            const double share = ((at - o->u[i]) * u - o->h[i] * h) / (u * u + h * h);
            const double to_u = o->u[i] + share * u - at, to_h = o->h[i] + share * h;
            const double gap = sqrt(to_u * to_u + to_h * to_h);
            if (share > 0.0 && share < 1.0 && gap < best.gap)
            {
                best = (choice){ to_u, to_h, gap, end, i, 0 };
            }
        }
    }
    if (best.gap > 0.0)
    {
        best.u /= best.gap;
        best.h /= best.gap;
    }
    return best;
}

static void try_normal(const choice *candidate, choice *best)
{
    if (candidate->gap > best->gap)
    {
        *best = *candidate;
    }
}

bool ab_segment_outline_is_before(const ab_segment_outline *o, const ab_segment_view *view, int end)
{
    const double at = end_u(view, end), u = view->end[end].next_u, h = view->end[end].next_h;
    return u * (o->middle_u - at) + h * o->middle_h >= 0.0;
}

bool ab_segment_outline_is_at(const ab_segment_outline *o, const ab_segment_view *view, int end)
{
    return !is_apart(o, (ab_segment_position){ 0.0, 0.0 }, (ab_segment_position){ view->length, 0.0 }, 0.0) ||
           nearest_points(view, o).end == end;
}

// The best normals at an end: of the segment's own, and of the neighbour's, if the outline touches that.
static void try_end(const ab_segment_view *view, const ab_segment_outline *o, int end, choice *own, choice *other)
{
    const ab_segment_end *e = &view->end[end];
    const double at = end_u(view, end);
    if (!e->bends)
    {
        return;
    }
    const bool shares = !e->is_all && !is_apart(o, (ab_segment_position){ at, 0.0 },
                                                (ab_segment_position){ e->far_u, e->far_h }, o->rounding);
    const choice next = { e->next_u, e->next_h, gap_along(o, at, e->next_u, e->next_h), end, ABUT_NONE, 0 };
    if (shares)
    {
        try_normal(&next, other);
    }
    for (uint32_t i = 0; i < sides_of(o); ++i)
    {
        const double u = -o->normal_u[i], h = -o->normal_h[i];
        const choice side = { u, h, beyond_side(o, i, at, 0.0), end, i, 0 };
        const bool none = u == 0.0 && h == 0.0;
        if (!none && ab_segment_has_normal(view, end, u, h, true))
        {
            try_normal(&side, !shares || ab_segment_has_normal(view, end, u, h, false) ? own : other);
        }
    }
}

// Whether a point is in an outline with sides, or as near to it as it is rounded, but for what is outside a corner.
static bool has_inside(const ab_segment_outline *o, double u, double h)
{
    const double along_u = o->u[1] - o->u[0], along_h = o->h[1] - o->h[0];
    const double far = along_u * (u - o->u[0]) + along_h * (h - o->h[0]),
                 square = along_u * along_u + along_h * along_h;
    const double past = o->rounding * sqrt(square); // of a core without an inside
    bool inside = o->count > 2 || (far >= -past && far <= square + past);
    for (uint32_t i = 0; i < sides_of(o) && inside; ++i)
    {
        inside = beyond_side(o, i, u, h) <= o->rounding;
    }
    return inside;
}

// Whether the outline overlaps an end where nothing goes on less from behind than it would have to be moved.
static bool is_behind_end(const ab_segment_view *view, const ab_segment_outline *o, int end, double gap)
{
    const double at = end_u(view, end), out = end == 0 ? -1.0 : 1.0;
    bool behind = false;
    if (!view->end[end].is_free || o->count < 2 || !has_inside(o, at, 0.0))
    {
        return false;
    }
    for (uint32_t i = 0; i < sides_of(o); ++i)
    {
        const double u = -o->normal_u[i], h = -o->normal_h[i];
        behind = behind || (h < 0.0 && out * u >= 0.0 && beyond_side(o, i, at, 0.0) > gap);
    }
    return behind;
}

// Of cores that overlap. False: the contact is a neighbour's, or from behind.
static bool least_overlap(const ab_segment_view *view, const ab_segment_outline *o, double size, choice *out,
                          bool *from_behind)
{
    const choice front = { 0.0, 1.0, gap_along(o, 0.0, 0.0, 1.0), -1, ABUT_NONE, 0 };
    choice own = front, other = { .gap = -HUGE_VAL };
    try_end(view, o, 0, &own, &other);
    try_end(view, o, 1, &own, &other);
    *out = own.gap > front.gap + PREFERRED * size ? own : front;
    *from_behind = is_behind_end(view, o, 0, own.gap) || is_behind_end(view, o, 1, own.gap);
    return other.gap <= own.gap + LEVEL * size && !*from_behind;
}

static void add_point(ab_segment_contact *out, const choice *n, ab_segment_position on, double separation,
                      uint32_t feature)
{
    out->point[out->count++] =
        (ab_segment_point){ on.u + 0.5 * separation * n->u, on.h + 0.5 * separation * n->h, separation, feature };
}

// What of the shape faces the segment and lies over it: below corners of its core, and above the segment's ends.
// Heights are those of the surface.
typedef struct facing
{
    double u[3 * AB_SEGMENT_CORNERS], h[3 * AB_SEGMENT_CORNERS];
    uint32_t feature[3 * AB_SEGMENT_CORNERS], count;
} facing;

static void face(facing *f, double u, double h, uint32_t feature)
{
    f->u[f->count] = u;
    f->h[f->count] = h;
    f->feature[f->count++] = feature;
}

static bool faces(const ab_segment_outline *o, uint32_t side)
{
    return o->normal_h[side] < -1e-9;
}

// The height of the surface above an end of the segment, which a side of the core is above at `core`.
static double surface_above(const ab_segment_outline *o, uint32_t side, double at, double core)
{
    const uint32_t next = next_of(o, side);
    const double turn = o->normal_h[side] < 0.0 ? 1.0 : -1.0; // of a core without an inside: both sides are that one
    const double u = turn * o->normal_u[side], h = turn * o->normal_h[side], foot = at - o->rounding * u;
    const bool over = (foot - o->u[side]) * (foot - o->u[next]) <= 0.0;
    if (o->rounding == 0.0 || (over && h < 0.0))
    {
        return o->rounding == 0.0 ? core : core + o->rounding / h;
    }
    const uint32_t corner = fabs(foot - o->u[side]) < fabs(foot - o->u[next]) ? side : next;
    const double away = at - o->u[corner], square = o->rounding * o->rounding - away * away;
    return square > 0.0 ? o->h[corner] - sqrt(square) : core - o->rounding;
}

static void find_facing(const ab_segment_view *view, const ab_segment_outline *o, double slack, facing *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        const bool low = o->count < 3 || faces(o, i) || faces(o, i > 0 ? i - 1 : o->count - 1);
        if (low && o->u[i] >= -slack && o->u[i] <= view->length + slack)
        {
            face(out, o->u[i], o->h[i] - o->rounding, i);
        }
    }
    for (uint32_t i = 0; i < sides_of(o) && !(o->count == 2 && i == 1); ++i)
    {
        const uint32_t j = next_of(o, i);
        for (int end = 0; end < 2 && (o->count == 2 || faces(o, i)); ++end)
        {
            const double at = end_u(view, end), from = o->u[i] - at, to = o->u[j] - at;
            if ((from < -slack && to > slack) || (from > slack && to < -slack))
            {
                const double core = o->h[i] + (o->h[j] - o->h[i]) * from / (from - to);
                face(out, at, surface_above(o, i, at, core), CUT + 2 * i + (uint32_t)end);
            }
        }
    }
}

// The deepest point along the segment's normal, and the one within the limit that is farthest from it. False: nothing
// within the limit lies over the segment.
static bool contact_along_front(const ab_segment_view *view, const ab_segment_outline *o, double slack, double limit,
                                ab_segment_contact *out)
{
    const choice front = { .h = 1.0 };
    facing f;
    uint32_t deepest = 0, other = ABUT_NONE;
    find_facing(view, o, slack, &f);
    for (uint32_t i = 1; i < f.count; ++i)
    {
        deepest = f.h[i] < f.h[deepest] ? i : deepest;
    }
    if (f.count == 0 || f.h[deepest] > limit)
    {
        return false;
    }
    for (uint32_t i = 0; i < f.count; ++i)
    {
        const double away = fabs(f.u[i] - f.u[deepest]),
                     before = other == ABUT_NONE ? slack : fabs(f.u[other] - f.u[deepest]);
        other = f.h[i] <= limit && away > before ? i : other;
    }
    *out = (ab_segment_contact){ .normal_h = 1.0, .separation = f.h[deepest] };
    add_point(out, &front, (ab_segment_position){ f.u[deepest], 0.0 }, out->separation, f.feature[deepest]);
    if (other != ABUT_NONE)
    {
        add_point(out, &front, (ab_segment_position){ f.u[other], 0.0 }, f.h[other], f.feature[other]);
    }
    return true;
}

// At an end of the segment, across a side of the outline: where that lies over the segment.
static void contact_by_side(const ab_segment_view *view, const ab_segment_outline *o, const choice *n, double limit,
                            ab_segment_contact *out)
{
    const uint32_t side = n->side, next = next_of(o, side);
    const double u = o->u[next] - o->u[side], h = o->h[next] - o->h[side], square = u * u + h * h;
    const double at = end_u(view, n->end), run = n->end == 0 ? view->length : -view->length;
    const double first = ((at - o->u[side]) * u - o->h[side] * h) / square, step = run * u / square;
    // the share of the segment, from this end on, at which the side ends
    const double share = step == 0.0 ? 0.0 : ((step > 0.0 ? 1.0 : 0.0) - first) / step;
    const double far = at + (share < 1.0 ? share : 1.0) * run,
                 separation = beyond_side(o, side, far, 0.0) - o->rounding;
    add_point(out, n, (ab_segment_position){ at, 0.0 }, out->separation, AT_END + (uint32_t)n->end);
    if (share > 0.0 && separation <= limit && separation >= out->separation)
    {
        add_point(out, n, (ab_segment_position){ far, 0.0 }, separation, ON_SIDE + 2 * side + (step > 0.0 ? 1u : 0u));
    }
}

static void contact_at_end(const ab_segment_view *view, const ab_segment_outline *o, const choice *n, double limit,
                           ab_segment_contact *out)
{
    *out = (ab_segment_contact){ .normal_u = n->u, .normal_h = n->h, .separation = n->gap - o->rounding };
    if (n->side != ABUT_NONE)
    {
        contact_by_side(view, o, n, limit, out);
        return;
    }
    add_point(out, n, (ab_segment_position){ end_u(view, n->end), 0.0 }, out->separation,
              AT_CORNER + 32u * (uint32_t)n->end + n->corner);
}

static double slack_of(const ab_segment_view *view, double size)
{
    return LEVEL * (size + view->length);
}

bool ab_segment_collide_front(const ab_segment_view *view, const ab_segment_outline *o, double limit,
                              ab_segment_contact *out)
{
    return contact_along_front(view, o, slack_of(view, size_of(o)), limit, out);
}

// What the nearest points of two cores that are apart make of the contact.
typedef enum answer
{
    IS_NONE,   // there is none: it is a neighbour's, or the shape is behind
    IS_FRONT,  // along the segment's own normal, where the shape lies over it
    IS_END,    // at an end
    IS_THROUGH // a rounded core has gone through: it overlaps
} answer;

// Whether the core crosses the neighbour at an end, which shares the normals there.
static bool crosses_neighbour(const ab_segment_view *view, const ab_segment_outline *o, int end)
{
    const ab_segment_end *e = &view->end[end];
    return e->bends && !e->is_all &&
           !is_apart(o, (ab_segment_position){ end_u(view, end), 0.0 }, (ab_segment_position){ e->far_u, e->far_h },
                     0.0);
}

static answer judge_nearest(const ab_segment_view *view, const ab_segment_outline *o, const choice *n, double slack)
{
    const bool at_end = n->end >= 0, across = n->side != ABUT_NONE;
    const bool over = !at_end || (!across && fabs(n->u) * n->gap <= slack);
    if (!over && ab_segment_has_normal(view, n->end, n->u, n->h, false))
    {
        return IS_END; // it may lead backwards at a sharp corner
    }
    if (n->h < 0.0)
    {
        const bool through = !at_end || !view->end[n->end].bends || crosses_neighbour(view, o, n->end);
        return n->gap <= o->rounding && through ? IS_THROUGH : IS_NONE;
    }
    // A side above an end where the line goes on straight, or bends forward, goes on over the segment.
    return over || (across && !ab_segment_has_normal(view, n->end, n->u, n->h, true)) ? IS_FRONT : IS_NONE;
}

bool ab_segment_collide(const ab_segment_view *view, const ab_segment_outline *o, double limit, ab_segment_contact *out)
{
    const double size = size_of(o), slack = slack_of(view, size);
    choice n = { .gap = 0.0 };
    answer a = IS_THROUGH;
    out->from_behind = false;
    if (is_apart(o, (ab_segment_position){ 0.0, 0.0 }, (ab_segment_position){ view->length, 0.0 }, 0.0))
    {
        n = nearest_points(view, o);
        a = n.gap > 0.0 ? judge_nearest(view, o, &n, slack) : IS_THROUGH;
        out->from_behind = a == IS_NONE && n.h < 0.0 && n.gap <= o->rounding && n.end >= 0 && view->end[n.end].is_free;
    }
    if (a == IS_THROUGH && least_overlap(view, o, size, &n, &out->from_behind))
    {
        a = n.end < 0 ? IS_FRONT : IS_END;
    }
    if (a == IS_NONE || a == IS_THROUGH || n.gap - o->rounding > limit)
    {
        return false;
    }
    const bool along_front =
        (a == IS_FRONT || n.h >= AB_SEGMENT_FRONT) && contact_along_front(view, o, slack, limit, out);
    // What is over the segment may be farther from it than a corner just past its end.
    const double nearer = n.h * out->separation - (n.gap - o->rounding);
    if (along_front && (a == IS_FRONT || n.gap <= o->rounding || nearer <= PAST_END * size))
    {
        return true;
    }
    if (a == IS_END)
    {
        contact_at_end(view, o, &n, limit, out);
    }
    return a == IS_END;
}
