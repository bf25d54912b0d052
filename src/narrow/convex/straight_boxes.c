// Two boxes that travel past each other, by the separating axis theorem with intervals of time (D. Eberly, "Dynamic
// Collision Detection Using Oriented Bounding Boxes", 1999): they are apart while an axis parts them. The axis that
// parts them last says which features meet, and two points of these that are no farther from each other than the gap
// along the axis are proof that they are nearest. Boxes that overlap at the start are first moved out along the axis
// where they do so least.
#include "narrow/convex/sweep_straight.h"

#include <math.h>
#include <string.h>

#define BOX 3 // the other one's feature with an axis that is a face's of the box, and the other way round

// The axis across the other one's edge i and the box's edge k is at 3 * i + k: its component along k is zero, in the
// box's frame.
typedef struct edges
{
    double normal[9];           // of the other one's faces, of any length
    double square[9], reach[9]; // of the lengths of the axes, and how far both cores reach along them
} edges;

// The times at which axes part the boxes, so that they do not touch.
typedef struct interval
{
    const ab_straight *s;
    const edges *edges;  // once the faces of the box do not part them
    double enter, leave; // between these no axis does, of those with times
    double time;         // until then one does by more than half of the tolerance
    double normal[3];    // that one, unit: from the other one to the box
    int face, edge;      // where it is from: the other one's face or edge, the box's; BOX: no such
    bool overlap;        // instead of times: the least overlap of all axes, and the axis
    double least;
} interval;

static void take(interval *p, const double axis[3], double by, int face, int edge)
{
    p->face = face;
    p->edge = edge;
    for (int k = 0; k < 3; ++k)
    {
        p->normal[k] = by * axis[k];
    }
}

// An axis, its length, and how far both shapes reach along it. False when the shapes do not meet in the time.
static bool cut(interval *p, const double axis[3], double square, double reach, int face, int edge)
{
    const ab_straight *s = p->s;
    const double length = sqrt(square), touch = AB_SWEEP_TOUCH * s->tolerance * length;
    const double position = ab_dot(axis, s->from), speed = ab_dot(axis, s->way);
    const double side = -copysign(1.0, position + 0.0); // no negative zero, and no branch: it cannot be predicted
    const double closing = side * speed, far = fabs(position);
    const double whole = reach + s->rounding * length, gap = far - whole, by = side / length;
    const double later = edge == BOX || face == BOX ? 0.0 : AB_STRAIGHT_LATER * s->tolerance;
    if (p->overlap)
    {
        const double overlap = -gap / length;
        if (overlap + later < p->least)
        {
            p->least = overlap;
            take(p, axis, by, face, edge);
        }
        return true;
    }
    if (gap > touch)
    {
        if (!(closing > 0.0))
        {
            return false;
        }
        const double inverse = 1.0 / closing, enter = (gap - touch) * inverse;
        const double half = (gap - 0.5 * s->tolerance * length) * inverse, leave = (far + whole + touch) * inverse;
        p->enter = enter > p->enter ? enter : p->enter;
        p->leave = leave < p->leave ? leave : p->leave;
        if (half > p->time + later * length * inverse)
        {
            p->time = half;
            take(p, axis, by, face, edge);
        }
        return p->enter <= p->leave && p->enter < 1.0 && p->time <= s->limit;
    }
    if (closing != 0.0)
    {
        const double leave = ((closing > 0.0 ? whole + far : whole - far) + touch) / fabs(closing);
        p->leave = leave < p->leave ? leave : p->leave;
    }
    return p->enter <= p->leave;
}

static int axes_of(const interval *p)
{
    return p->s->box->is_2d ? 2 : 3;
}

static bool cut_faces_of_box(interval *p)
{
    const double *own = p->s->box->core.half, *half = p->s->other->core.half, *axis = p->s->axis;
    for (int k = 0; k < axes_of(p); ++k)
    {
        double normal[3] = { 0.0, 0.0, 0.0 };
        normal[k] = 1.0;
        const double reach =
            half[0] * fabs(axis[k]) + half[1] * fabs(axis[3 + k]) + half[2] * fabs(axis[6 + k]) + own[k];
        if (!cut(p, normal, 1.0, reach, BOX, k))
        {
            return false;
        }
    }
    return true;
}

static bool cut_faces_of_other(interval *p)
{
    const double *own = p->s->box->core.half, *half = p->s->other->core.half, *axis = p->s->axis;
    for (int i = 0; i < axes_of(p); ++i)
    {
        const double *normal = p->edges->normal + 3 * i;
        const double reach = own[0] * fabs(normal[0]) + own[1] * fabs(normal[1]) + own[2] * fabs(normal[2]) +
                             half[i] * fabs(ab_dot(normal, axis + 3 * i));
        if (!cut(p, normal, ab_dot(normal, normal), reach, i, BOX))
        {
            return false;
        }
    }
    return true;
}

static const uint8_t after[3] = { 1, 2, 0 }, before[3] = { 2, 0, 1 };

// The cores reach along an axis across edges as far as the normals of the other one's faces say: products of its axes.
static void lay_edges(edges *out, const ab_straight *s)
{
    const double *own = s->box->core.half, *half = s->other->core.half, *axis = s->axis;
    for (int i = 0; i < 3; ++i)
    {
        ab_cross(axis + 3 * after[i], axis + 3 * before[i], out->normal + 3 * i);
    }
    for (int i = 0; i < 3; ++i)
    {
        const double *edge = axis + 3 * i, *next = out->normal + 3 * after[i], *last = out->normal + 3 * before[i];
        for (int k = 0; k < 3; ++k)
        {
            const double along_u = edge[before[k]], along_v = edge[after[k]];
            out->square[3 * i + k] = along_u * along_u + along_v * along_v;
            out->reach[3 * i + k] = own[after[k]] * fabs(along_u) + own[before[k]] * fabs(along_v) +
                                    half[after[i]] * fabs(last[k]) + half[before[i]] * fabs(next[k]);
        }
    }
}

// How far along an axis across edges the other one's centre is when it is at `place`.
static double along_edges(const ab_straight *s, int i, int k, const double place[3])
{
    const double *edge = s->axis + 3 * i;
    return fabs(edge[before[k]] * place[after[k]] - edge[after[k]] * place[before[k]]);
}

// Most of these axes do not part the boxes when those of the faces no longer do; then they need no times.
static bool cut_edges(interval *p)
{
    const ab_straight *s = p->s;
    double place[3];
    ab_along(s->from, p->time, s->way, place);
    for (int i = 0; i < 9; ++i)
    {
        const int face = i / 3, k = i % 3;
        const double square = p->edges->square[i], reach = p->edges->reach[i];
        if (square < AB_STRAIGHT_PARALLEL || (!p->overlap && along_edges(s, face, k, place) <= reach))
        {
            continue;
        }
        double normal[3] = { 0.0, 0.0, 0.0 };
        normal[after[k]] = s->axis[3 * face + before[k]];
        normal[before[k]] = -s->axis[3 * face + after[k]];
        if (!cut(p, normal, square, reach, face, k))
        {
            return false;
        }
        ab_along(s->from, p->time, s->way, place);
    }
    return true;
}

// In a plane edges are corners, and boxes of the world's axes have no other axes than those of faces.
static bool have_edges(const interval *p)
{
    return (p->s->box->row->turns || p->s->other->row->turns) && !p->s->box->is_2d;
}

// Whether no axis that needed no times parts them after all when the others no longer do.
static bool is_sure(const interval *p)
{
    const ab_straight *s = p->s;
    const double touch = AB_SWEEP_TOUCH * s->tolerance, size = s->box->size + s->other->size;
    double place[3];
    bool sure = true;
    ab_along(s->from, p->enter, s->way, place);
    for (int i = 0; have_edges(p) && sure && i < 9; ++i)
    {
        const double square = p->edges->square[i], length = sqrt(square);
        sure = square < AB_STRAIGHT_PARALLEL
                   ? length * size <= touch
                   : along_edges(s, i / 3, i % 3, place) <= p->edges->reach[i] + (s->rounding + 2.0 * touch) * length;
    }
    return sure;
}

// All axes that can part them last. The edges are laid into `room`, once they are needed.
static bool cut_all(interval *p, edges *room)
{
    if (!cut_faces_of_box(p))
    {
        return false;
    }
    if (!p->s->box->row->turns && !p->s->other->row->turns)
    {
        return true;
    }
    lay_edges(room, p->s);
    p->edges = room;
    return cut_faces_of_other(p) && (!have_edges(p) || cut_edges(p));
}

static double clamp(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

// What a box has farthest along a direction: in its own axes a corner, or the middle of an edge or a face that lies
// across it.
typedef struct feature
{
    double at[3];
    bool across[3], any;
} feature;

static feature find_feature(const interval *p, const double half[3], const double slopes[3])
{
    feature f = { .any = false };
    for (int k = 0; k < 3; ++k)
    {
        f.across[k] = half[k] * fabs(slopes[k]) <= AB_STRAIGHT_LEVEL * p->s->tolerance;
        f.any = f.any || f.across[k];
        f.at[k] = f.across[k] ? 0.0 : slopes[k] > 0.0 ? half[k] : -half[k];
    }
    return f;
}

// The feature's point nearest to one in the same axes.
static void pull(feature *f, const double half[3], const double to[3])
{
    for (int k = 0; k < 3; ++k)
    {
        f->at[k] = f->across[k] ? clamp(to[k], half[k]) : f->at[k];
    }
}

// The other one's frame, at the time.
static void place_other(const interval *p, const double local[3], double out[3])
{
    ab_along(p->s->from, p->time, p->s->way, out);
    for (int i = 0; i < 3; ++i)
    {
        ab_along(out, local[i], p->s->axis + 3 * i, out);
    }
}

// In the axes of the other one; twice, as these are orthonormal to the precision of a float only.
static void into_other(const interval *p, const double point[3], double out[3])
{
    const double zero[3] = { 0.0, 0.0, 0.0 };
    memcpy(out, zero, sizeof zero);
    for (int twice = 0; twice < 2; ++twice)
    {
        double there[3], off[3];
        place_other(p, out, there);
        ab_sub(point, there, off);
        for (int i = 0; i < 3; ++i)
        {
            out[i] += ab_dot(off, p->s->axis + 3 * i);
        }
    }
}

static void clamp_to(const double half[3], const double point[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = clamp(point[k], half[k]);
    }
}

static void slopes_of_other(const interval *p, double out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = ab_dot(p->normal, p->s->axis + 3 * i);
    }
}

// The other one's feature on a face of the box.
static void meet_box(const interval *p, ab_straight_hit *out)
{
    const double *own = p->s->box->core.half, *half = p->s->other->core.half;
    double slopes[3], local[3];
    slopes_of_other(p, slopes);
    feature f = find_feature(p, half, slopes);
    place_other(p, f.at, out->on_other);
    clamp_to(own, out->on_other, out->on_box);
    if (f.any)
    {
        into_other(p, out->on_box, local);
        pull(&f, half, local);
        place_other(p, f.at, out->on_other);
        clamp_to(own, out->on_other, out->on_box);
    }
}

// The box's feature on a face of the other one.
static void meet_other(const interval *p, ab_straight_hit *out)
{
    const double *own = p->s->box->core.half, *half = p->s->other->core.half;
    const double back[3] = { -p->normal[0], -p->normal[1], -p->normal[2] };
    double local[3];
    feature f = find_feature(p, own, back);
    for (int twice = 0; twice < 1 + f.any; ++twice)
    {
        memcpy(out->on_box, f.at, sizeof f.at);
        into_other(p, f.at, local);
        clamp_to(half, local, local);
        place_other(p, local, out->on_other);
        pull(&f, own, out->on_other);
    }
}

// The nearest points of two lines, on the edges. In the two coordinates across the box's edge, that edge is a point.
static void meet_edges(const interval *p, ab_straight_hit *out)
{
    const double *own = p->s->box->core.half, *half = p->s->other->core.half, *along = p->s->axis + 3 * p->face;
    const double back[3] = { -p->normal[0], -p->normal[1], -p->normal[2] };
    const int k = p->edge, u = (k + 1) % 3, v = (k + 2) % 3;
    double slopes[3];
    slopes_of_other(p, slopes);
    feature on_box = find_feature(p, own, back), on_other = find_feature(p, half, slopes);
    on_other.at[p->face] = 0.0;
    place_other(p, on_other.at, out->on_other);
    memcpy(out->on_box, on_box.at, sizeof on_box.at);
    const double along_other =
        (out->on_box[u] - out->on_other[u]) * along[u] + (out->on_box[v] - out->on_other[v]) * along[v];
    on_other.at[p->face] = clamp(along_other / (along[u] * along[u] + along[v] * along[v]), half[p->face]);
    place_other(p, on_other.at, out->on_other);
    out->on_box[k] = clamp(out->on_other[k], own[k]);
}

// Whether the points are nearest, as far as the tolerance goes.
static bool is_proof(const interval *p, ab_straight_hit *out)
{
    double between[3];
    ab_sub(out->on_box, out->on_other, between);
    const double square = ab_dot(between, between), along = ab_dot(between, p->normal);
    out->distance = sqrt(square);
    return along > 0.0 && square - along * along <= AB_STRAIGHT_ASIDE * square &&
           out->distance <= p->s->rounding + 0.75 * p->s->tolerance;
}

// The direction across a plane: the transposed inverse brings it out.
static void bring_out(const ab_straight *s, const double normal[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = s->inverse[k] * normal[0] + s->inverse[3 + k] * normal[1] + s->inverse[6 + k] * normal[2];
    }
}

static bool meet(const interval *p, ab_straight_hit *out)
{
    bring_out(p->s, p->normal, out->normal);
    (p->face == BOX ? meet_box : p->edge == BOX ? meet_other : meet_edges)(p, out);
    return is_proof(p, out);
}

static ab_straight_answer part(const ab_straight *s, ab_straight_hit *out)
{
    ab_straight parted = *s;
    interval p = { .s = s, .overlap = true, .least = HUGE_VAL, .face = BOX, .edge = BOX };
    double unit[3], step[3];
    edges room;
    (void)cut_all(&p, &room);
    if (!(p.least > s->tolerance))
    {
        return AB_STRAIGHT_UNDECIDED;
    }
    bring_out(s, p.normal, out->normal);
    const double length = sqrt(ab_dot(out->normal, out->normal)), depth = p.least / length;
    for (int k = 0; k < 3; ++k)
    {
        unit[k] = out->normal[k] / length;
    }
    for (int i = 0; i < 3; ++i)
    {
        step[i] = ab_dot(s->inverse + 3 * i, unit);
    }
    const double by = depth + 0.5 * s->tolerance;
    ab_along(s->from, -by, step, parted.from);
    p.s = &parted;
    if (!meet(&p, out))
    {
        return AB_STRAIGHT_UNDECIDED;
    }
    ab_along(out->on_other, by, step, out->on_other);
    out->distance = -depth;
    return AB_STRAIGHT_OVERLAP;
}

ab_straight_answer ab_straight_boxes(const ab_straight *s, ab_straight_hit *out)
{
    const bool boxes = s->box->row->box_core && s->other->row->box_core;
    interval p = { .s = s, .leave = HUGE_VAL, .face = BOX, .edge = BOX };
    edges room;
    if (!cut_all(&p, &room))
    {
        return AB_STRAIGHT_MISS;
    }
    if (p.time == 0.0)
    {
        return boxes && s->rounding == 0.0 ? part(s, out) : AB_STRAIGHT_UNDECIDED;
    }
    out->time = p.time;
    const double closing = ab_dot(p.normal, s->way) * (1.0 - p.time);
    const bool hit = boxes && closing > 0.5 * s->tolerance && is_sure(&p) && meet(&p, out);
    return hit ? AB_STRAIGHT_HIT : AB_STRAIGHT_UNDECIDED;
}
