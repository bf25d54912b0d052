// Nearest points and separating axes of spheres and boxes in double precision: corner against box and edge against edge
// by direct computation, without iteration.
#include "narrow/convex_double.h"

#include <math.h>

#define FLAT 1e-14 // of the sizes: rounding error of zero

// The nearest points of two disjoint boxes are a corner of one and its nearest point on the other, or are on an edge of
// each.
typedef struct nearest
{
    ab_dvec3 on_a, on_b;
    double square; // of the distance
} nearest;

static double clamp(double x, double limit)
{
    return x < -limit ? -limit : x > limit ? limit : x;
}

ab_convex_double ab_convex_double_of(const abut_shape *shape, abut_quat rotation, ab_dvec3 centre)
{
    ab_convex_double s = { .centre = centre, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    if (shape->kind == ABUT_SPHERE)
    {
        s.radius = (double)shape->sphere.radius;
        s.ball = true;
        return s;
    }
    s.half[0] = (double)shape->box.half_extents.x;
    s.half[1] = (double)shape->box.half_extents.y;
    s.half[2] = (double)shape->box.half_extents.z;
    if (shape->kind == ABUT_OBB)
    {
        const double x = (double)rotation.x, y = (double)rotation.y, z = (double)rotation.z, w = (double)rotation.w;
        const double scale = 2.0 / (x * x + y * y + z * z + w * w);
        s.axis[0] = (ab_dvec3){ 1 - scale * (y * y + z * z), scale * (x * y + w * z), scale * (x * z - w * y) };
        s.axis[1] = (ab_dvec3){ scale * (x * y - w * z), 1 - scale * (x * x + z * z), scale * (y * z + w * x) };
        s.axis[2] = (ab_dvec3){ scale * (x * z + w * y), scale * (y * z - w * x), 1 - scale * (x * x + y * y) };
    }
    return s;
}

static ab_dvec3 nearest_in_box(const ab_convex_double *box, ab_dvec3 p)
{
    const ab_dvec3 from_centre = ab_dvec3_sub(p, box->centre);
    ab_dvec3 found = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        found = ab_dvec3_along(found, box->axis[i], clamp(ab_dvec3_dot(from_centre, box->axis[i]), box->half[i]));
    }
    return found;
}

static void keep_nearer(nearest *best, ab_dvec3 on_a, ab_dvec3 on_b)
{
    const ab_dvec3 gap = ab_dvec3_sub(on_b, on_a);
    const double square = ab_dvec3_dot(gap, gap);
    if (square < best->square)
    {
        *best = (nearest){ on_a, on_b, square };
    }
}

static ab_dvec3 corner(const ab_convex_double *box, int index)
{
    ab_dvec3 p = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        p = ab_dvec3_along(p, box->axis[i], index >> i & 1 ? box->half[i] : -box->half[i]);
    }
    return p;
}

// The middle of edge `side` (0 to 3) of the four along axis i.
static ab_dvec3 edge_middle(const ab_convex_double *box, int i, int side)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const ab_dvec3 p = ab_dvec3_along(box->centre, box->axis[i1], side & 1 ? box->half[i1] : -box->half[i1]);
    return ab_dvec3_along(p, box->axis[i2], side & 2 ? box->half[i2] : -box->half[i2]);
}

// C. Ericson, "Real-Time Collision Detection" (2005), 5.1.9, for segments given by their middles and unit directions.
// Where u and v are nearly parallel, 1 - cosine^2 and on_u - cosine on_v lose their digits; as products of cross
// products (J.-L. Lagrange's identity) they keep them, down to the angles that rounding gives parallel ones.
static void edge_edge(nearest *best, ab_dvec3 middle_a, ab_dvec3 u, double half_a, ab_dvec3 middle_b, ab_dvec3 v,
                      double half_b)
{
    const ab_dvec3 gap = ab_dvec3_sub(middle_b, middle_a);
    const double cosine = ab_dvec3_dot(u, v), on_u = ab_dvec3_dot(gap, u), on_v = ab_dvec3_dot(gap, v);
    const ab_dvec3 across = ab_dvec3_cross(u, v);
    const double square_sine = ab_dvec3_dot(across, across);
    const double s =
        square_sine > 1e-26 ? clamp(ab_dvec3_dot(ab_dvec3_cross(gap, v), across) / square_sine, half_a) : 0.0;
    const double t = clamp(cosine * s - on_v, half_b);
    keep_nearer(best, ab_dvec3_along(middle_a, u, clamp(on_u + cosine * t, half_a)), ab_dvec3_along(middle_b, v, t));
}

static nearest nearest_of_boxes(const ab_convex_double *a, const ab_convex_double *b)
{
    nearest best = { .square = HUGE_VAL };
    for (int k = 0; k < 8; ++k)
    {
        keep_nearer(&best, corner(a, k), nearest_in_box(b, corner(a, k)));
        keep_nearer(&best, nearest_in_box(a, corner(b, k)), corner(b, k));
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 16; ++k)
            {
                edge_edge(&best, edge_middle(a, i, k & 3), a->axis[i], a->half[i], edge_middle(b, j, k >> 2),
                          b->axis[j], b->half[j]);
            }
        }
    }
    return best;
}

// Balls shrink to their centres first, then get their radii back.
ab_nearest ab_convex_double_nearest(const ab_convex_double *a, const ab_convex_double *b)
{
    nearest best = { .square = HUGE_VAL };
    if (a->ball)
    {
        keep_nearer(&best, a->centre, nearest_in_box(b, a->centre));
    }
    else if (b->ball)
    {
        keep_nearer(&best, nearest_in_box(a, b->centre), b->centre);
    }
    else
    {
        best = nearest_of_boxes(a, b);
    }
    const double distance = sqrt(best.square);
    const double rest = distance - a->radius - b->radius;
    if (!(distance > 0.0)) // no direction between them
    {
        return (ab_nearest){ best.on_a, best.on_b, 0.0 };
    }
    const ab_dvec3 gap = ab_dvec3_sub(best.on_b, best.on_a);
    return (ab_nearest){ ab_dvec3_along(best.on_a, gap, a->radius / distance),
                         ab_dvec3_along(best.on_b, gap, -b->radius / distance), rest > 0.0 ? rest : 0.0 };
}

double ab_convex_double_extent(const ab_convex_double *convex, ab_dvec3 direction)
{
    double reach = convex->radius;
    for (int i = 0; i < 3; ++i)
    {
        reach += convex->half[i] * fabs(ab_dvec3_dot(convex->axis[i], direction));
    }
    return reach;
}

ab_dvec3 ab_convex_double_support(const ab_convex_double *convex, ab_dvec3 direction)
{
    ab_dvec3 p = ab_dvec3_along(convex->centre, direction, convex->radius);
    for (int i = 0; i < 3; ++i)
    {
        p = ab_dvec3_along(p, convex->axis[i],
                           ab_dvec3_dot(convex->axis[i], direction) < 0.0 ? -convex->half[i] : convex->half[i]);
    }
    return p;
}

static double size_of(const ab_convex_double *convex)
{
    return convex->half[0] + convex->half[1] + convex->half[2] + convex->radius;
}

// Tests whether a direction (of any length; ignored if nearly zero) separates better than the best so far. Skips
// directions along which both are flat and in one plane: their zero would hide the separation within that plane.
static void try_axis(ab_apart *best, const ab_convex_double *a, const ab_convex_double *b, ab_dvec3 direction)
{
    const double square = ab_dvec3_dot(direction, direction);
    if (!(square > 1e-20))
    {
        return;
    }
    const ab_dvec3 between = ab_dvec3_sub(b->centre, a->centre);
    const double way = ab_dvec3_dot(between, direction) < 0.0 ? -1.0 : 1.0;
    const ab_dvec3 unit = ab_dvec3_along((ab_dvec3){ 0, 0, 0 }, direction, way / sqrt(square));
    const double apart = ab_dvec3_dot(between, unit),
                 reach = ab_convex_double_extent(a, unit) + ab_convex_double_extent(b, unit);
    const double separation = apart - reach;
    if (separation > best->separation && apart + reach > FLAT * (size_of(a) + size_of(b)))
    {
        *best = (ab_apart){ unit, separation };
    }
}

ab_apart ab_convex_double_apart(const ab_convex_double *a, const ab_convex_double *b)
{
    ab_apart best = { { 0, 1, 0 }, -HUGE_VAL };
    if (a->ball || b->ball)
    {
        const ab_dvec3 on_a = a->ball ? a->centre : nearest_in_box(a, b->centre);
        const ab_dvec3 on_b = a->ball ? nearest_in_box(b, a->centre) : b->centre;
        try_axis(&best, a, b, ab_dvec3_sub(on_b, on_a));
    }
    for (int i = 0; i < 3; ++i)
    {
        try_axis(&best, a, b, a->axis[i]);
        try_axis(&best, a, b, b->axis[i]);
        for (int j = 0; j < 3 && !a->ball && !b->ball; ++j)
        {
            try_axis(&best, a, b, ab_dvec3_cross(a->axis[i], b->axis[j]));
        }
    }
    return best.separation > -HUGE_VAL ? best : (ab_apart){ { 0, 1, 0 }, 0.0 }; // two points in one position
}
