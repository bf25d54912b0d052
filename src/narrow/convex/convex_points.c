// The contact points of two shapes known only by their support functions. Clips the outlines of their flat parts
// against each other, as with boxes; a contact that is not flat has the one measured point.
//
// Slot: four bits for a corner or an edge of a's outline, four for b's; 15: none of it.
#include "narrow/convex/convex_outline.h"

#include <math.h>

enum
{
    MOST_CUT = 2 * AB_OUTLINE_CORNERS + 2
};

#define PARALLEL 0x1p-11 // sine

// A clipping side: keeps points with a positive offset from it. `part` names the corner it begins at.
typedef struct cut_line
{
    double u, v, offset;
    uint32_t part;
} cut_line;

// The sides of an outline, inward; of a segment, the two ends.
static uint32_t cut_lines(const ab_outline *o, cut_line *out)
{
    for (uint32_t i = 0; i < o->count; ++i)
    {
        const ab_outline_point *p = &o->corner[i], *q = &o->corner[(i + 1) % o->count];
        const double along_u = q->u - p->u, along_v = q->v - p->v;
        const double u = o->count == 2 ? along_u : -along_v, v = o->count == 2 ? along_v : along_u;
        out[i] = (cut_line){ u, v, -(u * p->u + v * p->v), p->part };
    }
    return o->count;
}

// A corner of the clipped piece: the side that leaves it, and its name.
typedef struct cut_corner
{
    double u, v;
    uint32_t leaving; // part of the subject; AB_OUTLINE_CORNERS + part of the cutter
    uint32_t slot;    // cutter << 4 | subject
} cut_corner;

static uint32_t slot_where(uint32_t leaving, const cut_line *line, const cut_line *first, const cut_line *last)
{
    if (leaving < AB_OUTLINE_CORNERS)
    {
        return line->part << 4 | leaving;
    }
    // Two sides of the cutter share the corner that the later begins at; the last and the first share the first's.
    const bool closes = line == last && leaving - AB_OUTLINE_CORNERS == first->part;
    return (closes ? first->part : line->part) << 4 | AB_OUTLINE_NO_PART;
}

// A line cuts two sides of a convex piece; rounding may give more where a side lies along the line.
static void keep_corner(cut_corner *to, uint32_t *kept, cut_corner corner)
{
    if (*kept < MOST_CUT)
    {
        to[(*kept)++] = corner;
    }
}

// I. Sutherland, G. Hodgman, "Reentrant polygon clipping" (1974), by one line.
static uint32_t cut_once(const cut_corner *from, uint32_t count, const cut_line *line, const cut_line *first,
                         const cut_line *last, cut_corner *to)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const cut_corner *p = &from[i], *q = &from[(i + 1) % count];
        const double at_p = line->u * p->u + line->v * p->v + line->offset;
        const double at_q = line->u * q->u + line->v * q->v + line->offset;
        if (at_p >= 0.0)
        {
            keep_corner(to, &kept, *p);
        }
        if ((at_p >= 0.0) != (at_q >= 0.0))
        {
            const double t = at_p / (at_p - at_q);
            const cut_corner met = { p->u + t * (q->u - p->u), p->v + t * (q->v - p->v),
                                     at_p >= 0.0 ? AB_OUTLINE_CORNERS + line->part : p->leaving,
                                     slot_where(p->leaving, line, first, last) };
            keep_corner(to, &kept, met);
        }
    }
    return kept;
}

// Clips a segment; it keeps two ends.
static uint32_t cut_segment(const ab_outline *subject, const cut_line *line, uint32_t lines, cut_corner *out)
{
    const ab_outline_point *p = &subject->corner[0], *q = &subject->corner[1];
    out[0] = (cut_corner){ p->u, p->v, p->part, AB_OUTLINE_NO_PART << 4 | p->part };
    out[1] = (cut_corner){ q->u, q->v, p->part, AB_OUTLINE_NO_PART << 4 | q->part };
    for (uint32_t k = 0; k < lines; ++k)
    {
        const double at_p = line[k].u * out[0].u + line[k].v * out[0].v + line[k].offset;
        const double at_q = line[k].u * out[1].u + line[k].v * out[1].v + line[k].offset;
        if (at_p < 0.0 && at_q < 0.0)
        {
            return 0;
        }
        if ((at_p < 0.0) != (at_q < 0.0))
        {
            cut_corner *moved = &out[at_p < 0.0 ? 0 : 1];
            const double t = at_p / (at_p - at_q), u = out[0].u + t * (out[1].u - out[0].u),
                         v = out[0].v + t * (out[1].v - out[0].v);
            *moved = (cut_corner){ u, v, p->part, line[k].part << 4 | p->part };
        }
    }
    return 2;
}

static uint32_t cut(const ab_outline *subject, const ab_outline *cutter, cut_corner *out)
{
    cut_line line[AB_OUTLINE_CORNERS];
    cut_corner piece[2][MOST_CUT];
    const uint32_t lines = cut_lines(cutter, line);
    uint32_t count = subject->count;
    if (count == 2)
    {
        return cut_segment(subject, line, lines, out);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_outline_point *p = &subject->corner[i];
        piece[0][i] = (cut_corner){ p->u, p->v, p->part, AB_OUTLINE_NO_PART << 4 | p->part };
    }
    for (uint32_t k = 0; k < lines; ++k)
    {
        count = cut_once(piece[k & 1], count, &line[k], line, &line[lines - 1], piece[1 - (k & 1)]);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        bool new = true;
        for (uint32_t j = 0; j < kept; ++j)
        {
            new = new &&out[j].slot != piece[lines & 1][i].slot;
        }
        out[kept] = piece[lines & 1][i];
        kept += new;
    }
    return kept;
}

// Whether two outlines can clip each other: neither is a point, and two segments are nearly parallel.
static bool lie_flat(const ab_outline *a, const ab_outline *b)
{
    if (a->count == 2 && b->count == 2)
    {
        const double au = a->corner[1].u - a->corner[0].u, av = a->corner[1].v - a->corner[0].v;
        const double bu = b->corner[1].u - b->corner[0].u, bv = b->corner[1].v - b->corner[0].v;
        const double sine = au * bv - av * bu;
        return sine * sine <= PARALLEL * PARALLEL * (au * au + av * av) * (bu * bu + bv * bv);
    }
    return a->count >= 2 && b->count >= 2;
}

// A point of both outlines at a place of the contact's plane, with its name.
static ab_flat_point flat_point_at(const ab_convex_pair *pair, const ab_outline *a, const ab_outline *b, double u,
                                   double v, double separation, uint32_t slot)
{
    const ab_outline_point p = { u, v, 0.0, 0 };
    const double on_a = ab_outline_surface(a, &p) + pair->a.core.rounding,
                 on_b = ab_outline_surface(b, &p) - pair->b.core.rounding;
    const double gap = on_b - on_a > separation ? on_b - on_a : separation;
    return (ab_flat_point){ u, v, 0.5 * (on_a + on_b), gap, slot };
}

// Of two points at the ends of what sides share, where those have bends: the deepest bend instead of the nearer end, if
// it is deeper than both.
static void lay_bends(const ab_convex_pair *pair, const ab_outline *a, const ab_outline *b, double separation,
                      ab_flat_point ends[2])
{
    const ab_outline *const outline[2] = { a, b };
    const double bar = separation + AB_OUTLINE_LEFT_OUT * pair->scale;
    double deepest = ends[0].separation < ends[1].separation ? ends[0].separation : ends[1].separation;
    ab_flat_point bend = ends[0];
    if (deepest <= bar)
    {
        return;
    }
    for (uint32_t k = 0; k < 2; ++k)
    {
        for (uint32_t i = 0; i < outline[k]->bends; ++i)
        {
            const ab_outline_point *p = &outline[k]->bend[i];
            const uint32_t slot = k == 0 ? p->part << 4 | AB_OUTLINE_NO_PART : AB_OUTLINE_NO_PART << 4 | p->part;
            const ab_flat_point at = flat_point_at(pair, a, b, p->u, p->v, separation, slot);
            if (at.separation < deepest && (p->u > ends[0].u) != (p->u > ends[1].u))
            {
                bend = at;
                deepest = at.separation;
            }
        }
    }
    ends[fabs(bend.u - ends[0].u) < fabs(bend.u - ends[1].u) ? 0 : 1] = bend;
}

static void lay_manifold(const ab_convex_pair *pair, const ab_outline *a, const ab_outline *b, double separation,
                         double limit, ab_flat_points *out)
{
    cut_corner corner[MOST_CUT];
    const bool b_cuts = a->count < b->count && a->count == 2;
    const uint32_t count = b_cuts ? cut(a, b, corner) : cut(b, a, corner);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t slot = b_cuts ? (corner[i].slot & 15u) << 4 | corner[i].slot >> 4 : corner[i].slot;
        out->point[i] = flat_point_at(pair, a, b, corner[i].u, corner[i].v, separation, slot);
    }
    if (count == 2 && a->bends + b->bends > 0)
    {
        lay_bends(pair, a, b, separation, out->point);
    }
    out->count = 0;
    out->deepest = HUGE_VAL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double gap = out->point[i].separation;
        if (gap <= limit)
        {
            out->point[out->count++] = out->point[i];
            out->deepest = gap < out->deepest ? gap : out->deepest;
        }
    }
}

// The parameter of a point along a segment, clamped to it.
static double part_along(const ab_outline_point *p, const ab_outline_point *q, const ab_outline_point *at)
{
    const double u = q->u - p->u, v = q->v - p->v, part = ((at->u - p->u) * u + (at->v - p->v) * v) / (u * u + v * v);
    return part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
}

// The intersection of two segments' lines, clamped to the first; for parallel ones, the middle of the part they share.
static void cross_edges(const ab_outline *a, const ab_outline *b, double *u, double *v)
{
    const ab_outline_point *p = &a->corner[0], *q = &a->corner[1], *r = &b->corner[0], *s = &b->corner[1];
    const double at_p = ab_outline_turn(r, s, p), at_q = ab_outline_turn(r, s, q);
    double t = at_p != at_q ? at_p / (at_p - at_q) : 0.5 * (part_along(p, q, r) + part_along(p, q, s));
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    *u = p->u + t * (q->u - p->u);
    *v = p->v + t * (q->v - p->v);
}

// Moves a point to the nearest of an outline, if it is beside that.
static void move_under(const ab_outline *o, ab_outline_point *at)
{
    const ab_outline_point from = *at;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < o->count && !ab_outline_is_under(o, &from); ++i)
    {
        const ab_outline_point *p = &o->corner[i], *q = &o->corner[(i + 1) % o->count];
        const double part = part_along(p, q, &from), u = p->u + part * (q->u - p->u), v = p->v + part * (q->v - p->v);
        const double square = (u - from.u) * (u - from.u) + (v - from.v) * (v - from.v);
        at->u = square < least ? u : at->u;
        at->v = square < least ? v : at->v;
        least = square < least ? square : least;
    }
}

// The one point of overlapping shapes without a common flat part: a corner, the intersection of two edges, or between
// two tops. A top is displaced by the shape's size times the error of the normal: the smaller shape's counts for more,
// and what is flat says where it may be.
static void find_place(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *a,
                       const ab_outline *b, double out[3])
{
    const double share = pair->scale > 0.0 ? pair->a.size / pair->scale : 0.5;
    double u = a->top.u + share * (b->top.u - a->top.u), v = a->top.v + share * (b->top.v - a->top.v);
    if (a->count == 2 && b->count == 2)
    {
        cross_edges(a, b, &u, &v);
    }
    else if (a->count > 1 || b->count > 1)
    {
        ab_outline_point corner = a->count < b->count ? a->top : b->top;
        move_under(a->count < b->count ? b : a, &corner);
        u = corner.u;
        v = corner.v;
    }
    for (int k = 0; k < 3; ++k)
    {
        out[k] = u * frame->u[k] + v * frame->v[k];
    }
}

static abut_point point_at(const double at[3], double separation, uint32_t feature)
{
    const abut_vec3 offset = abut_vec3_make((float)at[0], (float)at[1], (float)at[2]);
    return (abut_point){ .offset = offset, .separation = (float)separation, .feature = feature };
}

static uint32_t write_points(const ab_flat_points *p, const ab_contact_frame *frame, abut_point out[AB_MAX_POINTS])
{
    for (uint32_t i = 0; i < p->count; ++i)
    {
        double at[3] = { 0.0, 0.0, 0.0 };
        ab_along(at, p->point[i].u, frame->u, at);
        ab_along(at, p->point[i].v, frame->v, at);
        ab_along(at, p->point[i].height, frame->n, at);
        out[i] = point_at(at, p->point[i].separation, p->point[i].slot);
    }
    return p->count;
}

#ifdef AB_MESHES
// The farthest point of a, along the normal, if it is over b.
static void lay_top(const ab_outline *a, const ab_outline *b, double on_a, double on_b, double limit,
                    ab_flat_points *out)
{
    const bool over = ab_outline_is_under(b, &a->top);
    out->point[0] = (ab_flat_point){ a->top.u, a->top.v, 0.5 * (on_a + on_b), on_b - on_a,
                                     AB_OUTLINE_NO_PART << 4 | AB_OUTLINE_NO_PART };
    out->count = over && on_b - on_a <= limit;
    out->deepest = over ? on_b - on_a : HUGE_VAL;
}

// Leaves out what is no corner of a's.
static void keep_corners(ab_flat_points *p)
{
    uint32_t kept = 0;
    p->deepest = HUGE_VAL;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        if ((p->point[i].slot & 15u) == AB_OUTLINE_NO_PART)
        {
            p->deepest = fmin(p->deepest, p->point[i].separation);
            p->point[kept++] = p->point[i];
        }
    }
    p->count = kept;
}

#define LEANING 1.0 // slope of a face whose higher corners may be within the limit, too

// Of a face that leans: its lowest corners are the points that there are, and the others may be within the limit, too.
// A solver that knew of the lowest alone would turn a hull that falls fast about them, and the far end through the
// triangle. `alone`: the lowest may be elsewhere.
AB_APART static void add_higher(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *b,
                                double least, double limit, bool alone, ab_flat_points *p)
{
    ab_outline a;
    ab_flat_points all;
    if (!pair->a.row->face)
    {
        return;
    }
    ab_outline_of(&pair->a, 1.0, LEANING, frame, &a);
    if (a.count < 3)
    {
        return;
    }
    ab_outline_lay_frame(&a);
    lay_manifold(pair, &a, b, least, limit, &all);
    if (all.count > p->count && (alone || fabs(all.deepest - p->deepest) <= AB_OUTLINE_LEFT_OUT * pair->granularity))
    {
        *p = all;
    }
}

// Corners of an outline may be in no one plane: then nothing is deeper than its top, and if that is left out, it is the
// one point.
uint32_t ab_convex_face_points(const ab_convex_pair *pair, const double direction[3], double limit, bool alone,
                               abut_point out[AB_MAX_POINTS], double *deepest)
{
    const ab_contact_frame frame = ab_contact_frame_of(&pair->a, direction);
    ab_outline a, b;
    ab_flat_points p, top;
    ab_outline_of(&pair->a, 1.0, AB_OUTLINE_FLAT, &frame, &a);
    ab_outline_of(&pair->b, -1.0, AB_OUTLINE_FLAT, &frame, &b);
    if (b.count < 3)
    {
        *deepest = HUGE_VAL;
        return 0;
    }
    ab_outline_lay_frame(&b);
    const double on_a = a.top.height + pair->a.core.rounding,
                 on_b = ab_outline_height(&b, &a.top) - pair->b.core.rounding;
    lay_top(&a, &b, on_a, on_b, limit, &top);
    p = top;
    if (a.count >= 2)
    {
        ab_outline_lay_frame(&a);
        lay_manifold(pair, &a, &b, on_b - on_a, limit, &p);
        p = top.count > 0 && p.deepest > top.deepest + AB_OUTLINE_LEFT_OUT * pair->granularity ? top : p;
    }
    if (p.count < AB_MAX_POINTS && (p.count > 0 || alone))
    {
        add_higher(pair, &frame, &b, on_b - on_a, limit, alone, &p);
    }
    if (limit > 0.0 && (p.count > 0 || alone))
    {
        ab_flat_points_add_corners(pair, &frame, &b, limit, &p);
    }
    if (alone)
    {
        keep_corners(&p);
    }
    ab_flat_points_reduce(&p);
    *deepest = p.deepest;
    return write_points(&p, &frame, out);
}
#endif

uint32_t ab_convex_points(const ab_convex_pair *pair, const ab_convex_contact *contact, double limit,
                          abut_point out[AB_MAX_POINTS])
{
    const ab_contact_frame frame = ab_contact_frame_of(&pair->a, contact->normal);
    ab_outline a, b;
    ab_flat_points p;
    p.count = 0;
    ab_outline_of(&pair->a, 1.0, AB_OUTLINE_FLAT, &frame, &a);
    ab_outline_of(&pair->b, -1.0, AB_OUTLINE_FLAT, &frame, &b);
    if (lie_flat(&a, &b))
    {
        ab_outline_lay_frame(&a);
        ab_outline_lay_frame(&b);
        lay_manifold(pair, &a, &b, contact->separation, limit, &p);
    }
    if (p.count == 0 || p.deepest > contact->separation + AB_OUTLINE_LEFT_OUT * pair->scale)
    {
        double middle[3];
        ab_sub(contact->on_b, contact->on_a, middle);
        ab_along(contact->on_a, 0.5, middle, middle);
        if (contact->overlap && !contact->touching)
        {
            const double height = 0.5 * (a.top.height + pair->a.core.rounding + b.top.height - pair->b.core.rounding);
            find_place(pair, &frame, &a, &b, middle);
            ab_along(middle, height, frame.n, middle);
        }
        out[0] = point_at(middle, contact->separation, AB_OUTLINE_NO_PART << 4 | AB_OUTLINE_NO_PART);
        return 1;
    }
    ab_flat_points_reduce(&p);
    return write_points(&p, &frame, out);
}
