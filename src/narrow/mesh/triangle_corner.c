// The contact of a box's corner or edge with the face of a triangle: what ab_convex_face_points finds, to within
// rounding, where no face of the box lies flat. Then its outline is that corner or edge, and it takes no frame to see
// how much of it is over the triangle. Those corners of the box's face that looks down the most which are higher, but
// within the limit, are points, too: a solver that knew of the lowest alone would turn a box that falls fast about it,
// and the far end through the triangle. A point at a corner is named by it, whichever is the lowest. A capsule's core
// is an edge.
#include "narrow/convex/convex_outline.h"
#include "narrow/mesh/triangle.h"

#include <math.h>

#define NO_PART 15u        // as in convex_points.c
#define SHORT   4e-6       // of the box's size: an edge that may be one corner in an outline
#define STEEP   0.70710678 // cosine of the angle to the normal: an edge or a flat box that stands

// What is lowest of a box over a triangle: one point, or two.
typedef struct lowest
{
    double at[2][3];
    uint32_t part[2]; // bit k: on which side of axis k
    uint32_t count;
    int along; // of two: the axis, else -1
} lowest;

// False if a face lies flat, or what may count as a corner.
static bool find_lowest(const ab_triangle_pair *p, const double n[3], double side, lowest *out)
{
    const double *half = p->convex.core.half;
    double low[3] = { p->centre[0], p->centre[1], p->centre[2] };
    uint32_t part = 0;
    int flat = -1;
    for (int k = 0; k < 3; ++k)
    {
        const double *axis = p->axis + 3 * k, along = ab_dot(axis, n);
        const bool above = side * along <= 0.0;
        if (half[k] > 0.0 && along * along <= AB_OUTLINE_FLAT * AB_OUTLINE_FLAT * (1.0 - along * along))
        {
            if (flat >= 0 || half[k] <= SHORT * p->convex.size)
            {
                return false;
            }
            flat = k;
        }
        part |= (above ? 1u : 0u) << k;
        ab_along(low, above ? half[k] : -half[k], axis, low);
    }
    ab_along(low, 0.0, low, out->at[0]);
    out->part[0] = part;
    out->along = flat;
    out->count = flat < 0 ? 1 : 2;
    if (flat >= 0)
    {
        ab_along(low, (part >> flat & 1u) != 0 ? -2.0 * half[flat] : 2.0 * half[flat], p->axis + 3 * flat, out->at[1]);
        out->part[1] = part ^ 1u << flat;
    }
    return true;
}

// Whether the second end of an edge comes before the first in an outline: see ab_contact_frame_of.
static bool is_second_first(const ab_triangle_pair *p, const double n[3], double side, const lowest *low)
{
    const double *axis = fabs(ab_dot(p->axis, n)) > 0.75 ? p->axis + 3 : p->axis;
    double u[3], v[3], along[3];
    ab_sub(low->at[1], low->at[0], along);
    ab_along(axis, -ab_dot(axis, n), n, u);
    ab_cross(n, u, v);
    const double by_u = ab_dot(along, u);
    return by_u != 0.0 ? by_u < 0.0 : side * ab_dot(along, v) > 0.0;
}

// The planes through a triangle's edges, outward, across its own.
typedef struct sides
{
    double outward[3][3];
} sides;

static void sides_of(const ab_triangle_corners *triangle, sides *out)
{
    for (int j = 0; j < 3; ++j)
    {
        double edge[3];
        ab_sub(triangle->at[(j + 1) % 3], triangle->at[j], edge);
        ab_cross(edge, triangle->normal, out->outward[j]);
    }
}

static double past(const ab_triangle_corners *triangle, const sides *s, int j, const double at[3])
{
    double to[3];
    ab_sub(at, triangle->at[j], to);
    return ab_dot(s->outward[j], to);
}

static bool is_over(const ab_triangle_corners *triangle, const sides *s, const double at[3])
{
    return past(triangle, s, 0, at) <= 0.0 && past(triangle, s, 1, at) <= 0.0 && past(triangle, s, 2, at) <= 0.0;
}

// Which corner an outline of the triangle names edge j by.
static uint32_t name_of(int j, double side)
{
    return side > 0.0 ? (uint32_t)(j + 1) % 3 : 2 - (uint32_t)j;
}

// Cuts off what of an edge is not over the triangle. `feature` has what the ends are called. False: all of it.
static bool cut_edge(const ab_triangle_corners *triangle, const sides *s, double side, double end[2][3],
                     uint32_t feature[2])
{
    const uint32_t part = feature[0] & ~NO_PART;
    for (int j = 0; j < 3; ++j)
    {
        const double first = past(triangle, s, j, end[0]), second = past(triangle, s, j, end[1]);
        if (first > 0.0 && second > 0.0)
        {
            return false;
        }
        if ((first > 0.0) != (second > 0.0))
        {
            const int out = first > 0.0 ? 0 : 1;
            double along[3];
            ab_sub(end[1], end[0], along);
            ab_along(end[0], first / (first - second), along, end[out]);
            feature[out] = part | name_of(j, side);
        }
    }
    return true;
}

// Adds the point between the two surfaces where the box has `at`, if that is no farther than the limit.
static void add(const ab_triangle_pair *p, const ab_triangle_corners *triangle, double side, double limit,
                const double at[3], uint32_t feature, ab_triangle_points *out)
{
    const double rounding = p->convex.core.rounding;
    double to[3], middle[3], place[3];
    ab_sub(at, triangle->at[0], to);
    const double separation = side * ab_dot(to, triangle->normal) - rounding;
    if (!(separation <= limit))
    {
        return;
    }
    ab_along(at, -side * (rounding + 0.5 * separation), triangle->normal, middle);
    ab_convex_place(&p->placed, middle, place);
    out->deepest = separation < out->deepest ? separation : out->deepest;
    out->point[out->count++] = (abut_point){ .offset = { (float)place[0], (float)place[1], (float)place[2] },
                                             .separation = (float)separation,
                                             .feature = feature };
}

// The axes across which the face that looks down the most has other corners, or the edge another end: one bit each.
static uint32_t level_axes(const ab_triangle_pair *p, const double n[3])
{
    const double *half = p->convex.core.half;
    uint32_t axes = 0;
    int steepest = -1;
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double along = fabs(ab_dot(p->axis + 3 * k, n));
        axes |= (half[k] > 0.0 ? 1u : 0u) << k;
        if (half[k] > 0.0 && along > most)
        {
            most = along;
            steepest = k;
        }
    }
    return steepest >= 0 && (axes == 7u || most > STEEP) ? axes & ~(1u << steepest) : axes;
}

static void add_higher(const ab_triangle_pair *p, const ab_triangle_corners *triangle, const sides *s, double side,
                       double limit, const lowest *low, ab_triangle_points *out)
{
    const uint32_t axes = level_axes(p, triangle->normal), known = low->along >= 0 ? 1u << low->along : 0u;
    for (uint32_t flip = 1; flip < 8; ++flip)
    {
        if ((flip & ~axes) != 0 || (flip & ~known) == 0 || out->count == AB_MAX_POINTS)
        {
            continue;
        }
        double at[3] = { low->at[0][0], low->at[0][1], low->at[0][2] };
        for (int k = 0; k < 3; ++k)
        {
            const double across = 2.0 * p->convex.core.half[k];
            if (flip >> k & 1u)
            {
                ab_along(at, low->part[0] >> k & 1u ? -across : across, p->axis + 3 * k, at);
            }
        }
        if (is_over(triangle, s, at))
        {
            add(p, triangle, side, limit, at, (low->part[0] ^ flip) << 4 | NO_PART, out);
        }
    }
}

// Leaves out where an edge leaves the triangle.
static void keep_corners(ab_triangle_points *p)
{
    uint32_t kept = 0;
    p->deepest = HUGE_VAL;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        if ((p->point[i].feature & NO_PART) == NO_PART)
        {
            p->deepest = fmin(p->deepest, (double)p->point[i].separation);
            p->point[kept++] = p->point[i];
        }
    }
    p->count = kept;
}

bool ab_triangle_face_points(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                             double limit, bool alone, ab_triangle_points *out)
{
    lowest low;
    sides s;
    if (!pair->convex.row->box_core || !find_lowest(pair, triangle->normal, side, &low))
    {
        return false;
    }
    out->count = 0;
    out->deepest = HUGE_VAL;
    sides_of(triangle, &s);
    if (low.count == 2)
    {
        const int first = is_second_first(pair, triangle->normal, side, &low) ? 1 : 0;
        double end[2][3];
        uint32_t feature[2];
        for (int i = 0; i < 2; ++i)
        {
            ab_along(low.at[first ^ i], 0.0, low.at[0], end[i]);
            feature[i] = low.part[first ^ i] << 4 | NO_PART;
        }
        if (cut_edge(triangle, &s, side, end, feature))
        {
            add(pair, triangle, side, limit, end[0], feature[0], out);
            add(pair, triangle, side, limit, end[1], feature[1], out);
        }
    }
    if (alone)
    {
        keep_corners(out);
    }
    if (out->count == 0 && is_over(triangle, &s, low.at[0]))
    {
        add(pair, triangle, side, limit, low.at[0], low.part[0] << 4 | NO_PART, out);
    }
    if (out->count > 0 || alone)
    {
        add_higher(pair, triangle, &s, side, limit, &low, out);
    }
    return true;
}
