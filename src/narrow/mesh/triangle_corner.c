// The contact of a box's corner or edge with the face of a triangle: what ab_convex_face_points finds, to within
// rounding, where no face of the box lies flat. Then its outline is that corner or edge, and it takes no frame to see
// how much of it is over the triangle. Those corners of the box's face that looks down the most which are higher, but
// within the limit, are points, too: a solver that knew of the lowest alone would turn a box that falls fast about it,
// and the far end through the triangle. A point at a corner is named by it, whichever is the lowest. A capsule's core
// is an edge.
#include "base/platform.h"
#include "narrow/convex/convex_outline.h"
#include "narrow/mesh/triangle.h"

#include <math.h>

#define NO_PART 15u        // as in convex_points.c
#define SHORT   4e-6       // of the box's size: an edge that may be one corner in an outline
#define STEEP   0.70710678 // cosine of the angle to the normal: an edge or a flat box that stands

static const double sign[2] = { -1.0, 1.0 };

static bool is_flat(double half, double along)
{
    return half > 0.0 && along * along <= AB_OUTLINE_FLAT * AB_OUTLINE_FLAT * (1.0 - along * along);
}

// The axes across which the face that looks down the most has other corners, or the edge another end: one bit each, at
// most two. `along`: of the normal along the box's axes.
static uint32_t level_axes(const double half[3], const double along[3])
{
    uint32_t axes = 0, steepest = 0;
    double most = 0.0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const bool extends = half[k] > 0.0, more = extends & (fabs(along[k]) > most);
        axes |= (extends ? 1u : 0u) << k;
        steepest = more ? 1u << k : steepest;
        most = more ? fabs(along[k]) : most;
    }
    return axes == 7u || most > STEEP ? axes & ~steepest : axes;
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

// Of the face's four corners from corner 0, which is lowest: the one that is across each of two axes, and the one
// across both.
static void lay_corners(const ab_triangle_pair *p, uint32_t axes, const double low[3], ab_triangle_low *out)
{
    const uint32_t first = axes != 0 ? ab_lowest_bit(axes) : 0, rest = axes & (axes - 1),
                   second = rest != 0 ? ab_lowest_bit(rest) : 0, part = out->part[0];
    const double *half = p->convex.core.half, *axis_a = p->axis + (size_t)3 * first,
                 *axis_b = p->axis + (size_t)3 * second;
    const double across_a = sign[~part >> first & 1u] * (2.0 * half[first]),
                 across_b = sign[~part >> second & 1u] * (2.0 * half[second]);
    for (int k = 0; k < 3; ++k)
    {
        const double by_a = low[k] + across_a * axis_a[k], by_b = across_b * axis_b[k];
        out->at[k][0] = low[k];
        out->at[k][1] = by_a;
        out->at[k][2] = low[k] + by_b;
        out->at[k][3] = by_a + by_b;
    }
    out->part[1] = part ^ 1u << first;
    out->part[2] = part ^ 1u << second;
    out->part[3] = part ^ axes;
    out->there = axes == 0 ? 1u : rest == 0 ? 3u : 15u;
}

// How far all corners are from a point along a direction.
AB_INLINE void along_of_all(const ab_triangle_low *low, const double from[3], const double direction[3],
                            double out[AB_FACE_CORNERS])
{
    const double *x = low->at[0], *y = low->at[1], *z = low->at[2];
    const double px = from[0], py = from[1], pz = from[2], dx = direction[0], dy = direction[1], dz = direction[2];
    for (int i = 0; i < AB_FACE_CORNERS; ++i)
    {
        out[i] = dx * (x[i] - px) + dy * (y[i] - py) + dz * (z[i] - pz);
    }
}

// Where the corners are. All are measured: which edge one is past, if any, cannot be predicted.
static void measure_corners(const ab_triangle_pair *p, const ab_triangle_corners *triangle, ab_triangle_low *out)
{
    double past[3][AB_FACE_CORNERS], height[AB_FACE_CORNERS];
    sides s;
    sides_of(triangle, &s);
    for (int j = 0; j < 3; ++j)
    {
        along_of_all(out, triangle->at[j], s.outward[j], past[j]);
    }
    along_of_all(out, triangle->at[0], triangle->normal, height);
    out->over = 0;
    for (uint32_t i = 0; i < AB_FACE_CORNERS; ++i)
    {
        const bool over = (past[0][i] <= 0.0) & (past[1][i] <= 0.0) & (past[2][i] <= 0.0);
        out->over |= (over ? 1u : 0u) << i;
        out->separation[i] = out->side * height[i] - p->convex.core.rounding;
    }
}

bool ab_triangle_lay_low(const ab_triangle_pair *p, const ab_triangle_corners *triangle, double side,
                         ab_triangle_low *out)
{
    const double *half = p->convex.core.half, *n = triangle->normal;
    double low[3] = { p->centre[0], p->centre[1], p->centre[2] }, along[3];
    uint32_t part = 0;
    out->side = side;
    out->flat = -1;
    out->is_known = false;
    for (int k = 0; k < 3; ++k)
    {
        const double *axis = p->axis + 3 * k;
        along[k] = ab_dot(axis, n);
        const uint32_t above = side * along[k] <= 0.0 ? 1u : 0u;
        if (is_flat(half[k], along[k]))
        {
            if (out->flat >= 0 || half[k] <= SHORT * p->convex.size)
            {
                return false;
            }
            out->flat = k;
        }
        part |= above << k;
        ab_along(low, sign[above] * half[k], axis, low);
    }
    out->part[0] = part;
    lay_corners(p, level_axes(half, along), low, out);
    measure_corners(p, triangle, out);
    out->is_known = true;
    return true;
}

bool ab_triangle_low_of_row(const ab_triangle_pair *p, const ab_triangle_row *row, uint32_t place, ab_triangle_low *out)
{
    static const int axis_of[5] = { -1, 0, 1, -1, 2 };
    static const uint32_t first_of[3] = { 2, 1, 1 }, second_of[3] = { 4, 4, 2 }; // bits of the other axes
    const uint32_t part = (uint32_t)row->part[place], flat = (uint32_t)row->flat[place],
                   steepest = (uint32_t)row->steepest[place];
    out->side = 1.0;
    out->is_known = false;
    if ((flat & (flat - 1)) != 0 || (flat != 0 && p->convex.core.half[axis_of[flat]] <= SHORT * p->convex.size))
    {
        return false;
    }
    out->is_known = true;
    out->flat = axis_of[flat];
    out->part[0] = part;
    out->part[1] = part ^ first_of[steepest];
    out->part[2] = part ^ second_of[steepest];
    out->part[3] = part ^ (first_of[steepest] | second_of[steepest]);
    out->there = 15u;
    out->over = (uint32_t)row->over[place];
    for (int i = 0; i < AB_FACE_CORNERS; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            out->at[k][i] = row->at[k][i][place];
        }
        out->separation[i] = row->separation[i][place];
    }
    return true;
}

// Which of the corners is the other end of an edge that is lowest.
static uint32_t end_of(const ab_triangle_low *low)
{
    return (low->part[0] ^ low->part[1]) == 1u << low->flat ? 1 : 2;
}

static void get_corner(const ab_triangle_low *low, uint32_t i, double out[3])
{
    out[0] = low->at[0][i];
    out[1] = low->at[1][i];
    out[2] = low->at[2][i];
}

// Whether the second end of an edge comes before the first in an outline: see ab_contact_frame_of.
static bool is_second_first(const ab_triangle_pair *p, const double n[3], double side, double end[2][3])
{
    const double *axis = fabs(ab_dot(p->axis, n)) > 0.75 ? p->axis + 3 : p->axis;
    double u[3], v[3], along[3];
    ab_sub(end[1], end[0], along);
    ab_along(axis, -ab_dot(axis, n), n, u);
    ab_cross(n, u, v);
    const double by_u = ab_dot(along, u);
    return by_u != 0.0 ? by_u < 0.0 : side * ab_dot(along, v) > 0.0;
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

// Adds the point between the two surfaces where the box has `at`.
static void add_at(const ab_triangle_pair *p, const ab_triangle_corners *triangle, double side, double separation,
                   const double at[3], uint32_t feature, ab_triangle_points *out)
{
    double middle[3], place[3];
    ab_along(at, -side * (p->convex.core.rounding + 0.5 * separation), triangle->normal, middle);
    ab_convex_place(&p->placed, middle, place);
    out->deepest = separation < out->deepest ? separation : out->deepest;
    out->point[out->count++] = (abut_point){ .offset = { (float)place[0], (float)place[1], (float)place[2] },
                                             .separation = (float)separation,
                                             .feature = feature };
}

// The same of an end of an edge, if that is no farther than the limit.
static void add_end(const ab_triangle_pair *p, const ab_triangle_corners *triangle, double side, double limit,
                    const double at[3], uint32_t feature, ab_triangle_points *out)
{
    double to[3];
    ab_sub(at, triangle->at[0], to);
    const double separation = side * ab_dot(to, triangle->normal) - p->convex.core.rounding;
    if (separation <= limit)
    {
        add_at(p, triangle, side, separation, at, feature, out);
    }
}

// Of those corners of which there is a bit.
static void add_corners(const ab_triangle_pair *p, const ab_triangle_corners *triangle, const ab_triangle_low *low,
                        uint32_t corners, ab_triangle_points *out)
{
    for (uint32_t left = corners; left != 0; left &= left - 1)
    {
        const uint32_t i = ab_lowest_bit(left);
        double at[3];
        get_corner(low, i, at);
        add_at(p, triangle, low->side, low->separation[i], at, low->part[i] << 4 | NO_PART, out);
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

// The ends of an edge that is lowest, or where it leaves the triangle. Apart: few boxes lie so.
AB_APART static void add_edge(const ab_triangle_pair *p, const ab_triangle_corners *triangle,
                              const ab_triangle_low *low, double limit, bool alone, ab_triangle_points *out)
{
    const double side = low->side;
    double ends[2][3], end[2][3];
    uint32_t feature[2];
    sides s;
    sides_of(triangle, &s);
    get_corner(low, 0, ends[0]);
    get_corner(low, end_of(low), ends[1]);
    const int first = is_second_first(p, triangle->normal, side, ends) ? 1 : 0;
    for (int i = 0; i < 2; ++i)
    {
        ab_along(ends[first ^ i], 0.0, ends[0], end[i]);
        feature[i] = low->part[(first ^ i) != 0 ? end_of(low) : 0] << 4 | NO_PART;
    }
    if (cut_edge(triangle, &s, side, end, feature))
    {
        add_end(p, triangle, side, limit, end[0], feature[0], out);
        add_end(p, triangle, side, limit, end[1], feature[1], out);
    }
    if (alone)
    {
        keep_corners(out);
    }
}

void ab_triangle_points_of(const ab_triangle_pair *p, const ab_triangle_corners *triangle, const ab_triangle_low *low,
                           double limit, bool alone, ab_triangle_points *out)
{
    uint32_t corners = low->over & low->there;
    for (uint32_t i = 0; i < AB_FACE_CORNERS; ++i)
    {
        corners &= ~((low->separation[i] <= limit ? 0u : 1u) << i);
    }
    out->count = 0;
    out->deepest = HUGE_VAL;
    if (low->flat >= 0)
    {
        add_edge(p, triangle, low, limit, alone, out);
        corners &= ~(1u << end_of(low));
        corners &= out->count > 0 ? ~1u : ~0u;
    }
    if (alone || out->count > 0 || (corners & 1u) != 0)
    {
        add_corners(p, triangle, low, corners, out);
    }
}

bool ab_triangle_face_points(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                             double limit, bool alone, ab_triangle_points *out)
{
    ab_triangle_low low;
    if (!pair->convex.row->box_core || !ab_triangle_lay_low(pair, triangle, side, &low))
    {
        return false;
    }
    ab_triangle_points_of(pair, triangle, &low, limit, alone, out);
    return true;
}
