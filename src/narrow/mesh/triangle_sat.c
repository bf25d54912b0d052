// How far a box or a capsule is from a triangle, without a search. A box and a triangle that are apart are so along one
// of 13 axes (S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996). Where they overlap, the axis with the least overlap
// is the way out. Where they are apart, the axis with the largest gap is the way between them if the points that face
// each other along it are on both.
#include "narrow/mesh/triangle.h"

#include "base/platform.h"

#include <math.h>
#include <string.h>

#define PARALLEL 1e-14 // squared sine of two edges that give no axis of their own
#define PREFERS  1e-7  // of the smallest half extent: by how much two edges must be more apart than any face
#define TOUCHING 1e-6  // of a segment's half length: cores that are this near are left to a search

// Everything in the box's frame. Axes point from the box to the triangle.
typedef struct axes
{
    const double *half;
    double corner[3][3], normal[3];
    double limit;
    double apart; // along the best axis so far
    double best[3];
    int box_axis, edge; // of the best; -1: none
} axes;

static void take(axes *s, double apart, double side, const double axis[3], int box_axis, int edge)
{
    s->apart = apart;
    s->box_axis = box_axis;
    s->edge = edge;
    for (int k = 0; k < 3; ++k)
    {
        s->best[k] = side * axis[k];
    }
}

// A unit axis and its opposite, with the triangle between `low` and `high` on it, and as much of the box on either
// side. False: they are apart by more than the limit.
static bool try_axis(axes *s, const double axis[3], double low, double high, double radius, int box_axis)
{
    const double side = low >= -high ? 1.0 : -1.0, apart = (side > 0.0 ? low : -high) - radius;
    if (apart > s->apart)
    {
        take(s, apart, side, axis, box_axis, -1);
    }
    return apart <= s->limit;
}

static double least_of(double a, double b, double c)
{
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static double most_of(double a, double b, double c)
{
    return -least_of(-a, -b, -c);
}

static bool try_faces(axes *s, uint32_t which)
{
    static const double axis[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    for (uint32_t left = which & AB_AXES_FACES; left != 0; left &= left - 1)
    {
        const uint32_t k = ab_lowest_bit(left);
        const double p = s->corner[0][k], q = s->corner[1][k], r = s->corner[2][k];
        if (!try_axis(s, axis[k], least_of(p, q, r), most_of(p, q, r), s->half[k], (int)k))
        {
            return false;
        }
    }
    if ((which & AB_AXES_NORMAL) == 0)
    {
        return true;
    }
    const double *n = s->normal, at = ab_dot(s->corner[0], n);
    return try_axis(s, n, at, at, s->half[0] * fabs(n[0]) + s->half[1] * fabs(n[1]) + s->half[2] * fabs(n[2]), -1);
}

// The axis across an edge and an axis of the box is that edge turned by a quarter about the latter, as seen along it.
// It is made a unit one if it is the best.
static bool try_edge(axes *s, int j, int k, double *least)
{
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    const double *from = s->corner[j], *third = s->corner[(j + 2) % 3];
    double edge[3];
    ab_sub(s->corner[(j + 1) % 3], from, edge);
    const double across = edge[u] * edge[u] + edge[v] * edge[v];
    const double p = from[v] * edge[u] - from[u] * edge[v], q = third[v] * edge[u] - third[u] * edge[v];
    const double low = p < q ? p : q, high = p < q ? q : p, side = low >= -high ? 1.0 : -1.0;
    const double radius = s->half[u] * fabs(edge[v]) + s->half[v] * fabs(edge[u]);
    const double apart = (side > 0.0 ? low : -high) - radius;
    if (across <= PARALLEL * ab_dot(edge, edge) || !ab_exceeds_root(apart, *least, across))
    {
        return true;
    }
    if (ab_exceeds_root(apart, s->limit, across))
    {
        return false;
    }
    const double scale = 1.0 / sqrt(across);
    double axis[3];
    axis[k] = 0.0;
    axis[u] = -edge[v] * scale;
    axis[v] = edge[u] * scale;
    take(s, apart * scale, side, axis, k, j);
    *least = s->apart;
    return true;
}

static bool try_edges(axes *s, uint32_t which, double tolerance)
{
    double least = s->apart + tolerance;
    for (uint32_t left = (which & AB_AXES_ALL) / AB_AXES_EDGE(0, 0); left != 0; left &= left - 1)
    {
        const uint32_t i = ab_lowest_bit(left);
        if (!try_edge(s, (int)(i / 3), (int)(i % 3), &least))
        {
            return false;
        }
    }
    return true;
}

// Where the two are nearest, if that is along the best axis. False if what faces along it does not meet.
static bool find_nearest(const axes *s, double on_box[3], double on_triangle[3])
{
    double corner[3], way[3];
    for (int k = 0; k < 3; ++k)
    {
        corner[k] = s->best[k] >= 0.0 ? s->half[k] : -s->half[k];
        way[k] = s->apart * s->best[k];
    }
    if (s->edge >= 0)
    {
        const int k = s->box_axis;
        const double *from = s->corner[s->edge];
        double edge[3], to[3];
        ab_sub(s->corner[(s->edge + 1) % 3], from, edge);
        ab_sub(corner, from, to);
        const double square = ab_dot(edge, edge), along = ab_dot(edge, to), across = square - edge[k] * edge[k];
        const double t = (along - edge[k] * to[k]) / across, place = from[k] + t * edge[k];
        ab_along(from, t, edge, on_triangle);
        memcpy(on_box, corner, sizeof corner);
        on_box[k] = place;
        const bool first = ab_dot(s->best, s->corner[(s->edge + 2) % 3]) >= ab_dot(s->best, from); // of the triangle
        return first && t >= 0.0 && t <= 1.0 && fabs(place) <= s->half[k];
    }
    if (s->box_axis >= 0)
    {
        const int k = s->box_axis;
        int lowest = 0;
        for (int i = 1; i < 3; ++i)
        {
            lowest = s->best[k] * s->corner[i][k] < s->best[k] * s->corner[lowest][k] ? i : lowest;
        }
        memcpy(on_triangle, s->corner[lowest], sizeof corner);
        ab_sub(on_triangle, way, on_box);
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        return fabs(on_box[u]) <= s->half[u] && fabs(on_box[v]) <= s->half[v];
    }
    memcpy(on_box, corner, sizeof corner);
    ab_along(corner, 1.0, way, on_triangle);
    bool over = true;
    for (int i = 0; i < 3; ++i)
    {
        double edge[3], to[3], outward[3];
        ab_sub(s->corner[(i + 1) % 3], s->corner[i], edge);
        ab_sub(on_triangle, s->corner[i], to);
        ab_cross(edge, s->normal, outward);
        over = over && ab_dot(outward, to) <= 0.0;
    }
    return over;
}

static double smaller_of(double a, double b)
{
    return a < b ? a : b;
}

// `s` has the triangle in the box's frame.
AB_INLINE ab_triangle_gap measure_laid(const ab_triangle_pair *p, axes *laid, uint32_t which, double limit,
                                       ab_convex_contact *out)
{
    const ab_convex *box = &p->convex;
    const double *half = box->core.half;
    laid->half = half;
    laid->limit = limit;
    laid->apart = -HUGE_VAL;
    laid->box_axis = laid->edge = -1;
    const double smallest = smaller_of(smaller_of(half[0], half[1]), half[2]);
    if (!try_faces(laid, which) || !try_edges(laid, which, PREFERS * smallest))
    {
        return AB_GAP_BEYOND;
    }
    out->separation = laid->apart;
    out->overlap = laid->apart <= 0.0;
    out->touching = false;
    out->vertices = 0;
    memcpy(out->on_a, box->centre, sizeof out->on_a);
    memcpy(out->on_b, box->centre, sizeof out->on_b);
    if (!out->overlap)
    {
        double on_box[3], on_triangle[3];
        if (!find_nearest(laid, on_box, on_triangle))
        {
            return AB_GAP_UNKNOWN;
        }
        ab_convex_place(box, on_box, out->on_a);
        ab_convex_place(box, on_triangle, out->on_b);
    }
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] =
            box->axis[k] * laid->best[0] + box->axis[3 + k] * laid->best[1] + box->axis[6 + k] * laid->best[2];
    }
    return AB_GAP_FOUND;
}

static ab_triangle_gap measure_box(const ab_triangle_pair *p, const ab_triangle_corners *triangle, uint32_t which,
                                   double limit, ab_convex_contact *out)
{
    axes s;
    for (int j = 0; j < 3; ++j)
    {
        ab_triangle_into_shape(p, triangle->at[j], s.corner[j]);
        s.normal[j] = ab_dot(p->axis + 3 * j, triangle->normal);
    }
    return measure_laid(p, &s, which, limit, out);
}

static ab_triangle_gap measure_row(const ab_triangle_pair *p, const ab_triangle_at *at, double limit,
                                   ab_convex_contact *out)
{
    axes s;
    for (int j = 0; j < 3; ++j)
    {
        for (int k = 0; k < 3; ++k)
        {
            s.corner[j][k] = at->row->in_box[j][k][at->place];
        }
        s.normal[j] = at->row->along[j][at->place];
    }
    return measure_laid(p, &s, at->axes, limit, out);
}

// The nearest points of two segments: C. Ericson, Real-Time Collision Detection (2005), 5.1.9. Returns their distance,
// squared.
static double between_segments(const double p[3], const double d[3], const double q[3], const double e[3],
                               double on_p[3], double on_q[3])
{
    double from[3], apart[3];
    ab_sub(p, q, from);
    const double a = ab_dot(d, d), b = ab_dot(d, e), c = ab_dot(d, from), square = ab_dot(e, e), f = ab_dot(e, from);
    const double across = a * square - b * b;
    double s = across > PARALLEL * a * square ? (b * f - c * square) / across : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    double t = (b * s + f) / square;
    if (t < 0.0 || t > 1.0)
    {
        t = t < 0.0 ? 0.0 : 1.0;
        s = (b * t - c) / a;
        s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    }
    ab_along(p, s, d, on_p);
    ab_along(q, t, e, on_q);
    ab_sub(on_q, on_p, apart);
    return ab_dot(apart, apart);
}

// The nearest points so far, in the mesh's frame.
typedef struct nearest
{
    double square, on_a[3], on_b[3];
} nearest;

static void take_nearer(nearest *best, double square, const double on_a[3], const double on_b[3])
{
    if (square < best->square)
    {
        best->square = square;
        memcpy(best->on_a, on_a, sizeof best->on_a);
        memcpy(best->on_b, on_b, sizeof best->on_b);
    }
}

// A segment that does not cross a triangle is nearest to it at an end or at an edge.
static ab_triangle_gap measure_segment(const ab_triangle_pair *p, const ab_triangle_corners *triangle, double limit,
                                       ab_convex_contact *out)
{
    const double half = p->convex.core.half[1], *along = p->axis + 3;
    double corner[3][3], end[2][3], way[3], height[2], on_a[3], on_b[3];
    nearest best = { .square = HUGE_VAL };
    memcpy(corner, triangle->at, sizeof corner);
    for (int i = 0; i < 2; ++i)
    {
        ab_along(p->centre, i == 0 ? -half : half, along, end[i]);
        ab_mesh_nearest_on(corner, end[i], on_b);
        ab_sub(on_b, end[i], way);
        take_nearer(&best, ab_dot(way, way), end[i], on_b);
        ab_sub(end[i], corner[0], way);
        height[i] = ab_dot(way, triangle->normal);
    }
    ab_sub(end[1], end[0], way);
    if (height[0] * height[1] < 0.0)
    {
        double at[3], to[3];
        ab_along(end[0], height[0] / (height[0] - height[1]), way, at);
        ab_mesh_nearest_on(corner, at, on_b);
        ab_sub(on_b, at, to);
        take_nearer(&best, ab_dot(to, to), at, on_b);
    }
    for (int i = 0; i < 3; ++i)
    {
        double edge[3];
        ab_sub(corner[(i + 1) % 3], corner[i], edge);
        const double square = between_segments(end[0], way, corner[i], edge, on_a, on_b);
        take_nearer(&best, square, on_a, on_b);
    }
    const double distance = sqrt(best.square);
    if (distance <= TOUCHING * half) // it may cross, however little the limit is
    {
        return AB_GAP_UNKNOWN;
    }
    if (distance - p->convex.core.rounding > limit)
    {
        return AB_GAP_BEYOND;
    }
    out->separation = distance;
    out->overlap = false;
    out->vertices = 0;
    ab_convex_place(&p->placed, best.on_a, out->on_a);
    ab_convex_place(&p->placed, best.on_b, out->on_b);
    ab_sub(out->on_b, out->on_a, out->normal);
    const double length = sqrt(ab_dot(out->normal, out->normal));
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] /= length;
    }
    return AB_GAP_FOUND;
}

// Measured is the core.
static ab_triangle_gap with_rounding(const ab_triangle_pair *pair, ab_triangle_gap gap, ab_convex_contact *out)
{
    if (gap == AB_GAP_FOUND)
    {
        out->separation -= pair->convex.core.rounding;
        ab_along(out->on_a, pair->convex.core.rounding, out->normal, out->on_a);
    }
    return gap;
}

ab_triangle_gap ab_triangle_measure(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, uint32_t which,
                                    double limit, ab_convex_contact *out)
{
    ab_triangle_gap gap = AB_GAP_UNKNOWN;
    if (ab_triangle_is_of_box(pair))
    {
        gap = measure_box(pair, triangle, which, limit, out);
    }
    else if (pair->convex.row->segment)
    {
        gap = measure_segment(pair, triangle, limit, out);
    }
    return with_rounding(pair, gap, out);
}

ab_triangle_gap ab_triangle_measure_row(const ab_triangle_pair *pair, const ab_triangle_at *at, double limit,
                                        ab_convex_contact *out)
{
    return with_rounding(pair, measure_row(pair, at, limit, out), out);
}
