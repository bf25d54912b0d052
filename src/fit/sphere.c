// Bounding spheres. Finds the exact one by pivoting: keeps the smallest sphere of a few support points; while any point
// of the cloud lies outside, adds the farthest and finds the new support. Radii only grow, so it ends; nothing is
// random. E. Welzl, Smallest Enclosing Disks, 1991, for why a support of four is enough; B. Gaertner, Fast and Robust
// Smallest Enclosing Balls, ESA 1999, for the pivoting.
#include "fit/cloud.h"

#include <abut/fit.h>

#include <math.h>
#include <string.h>

enum
{
    SUPPORT = 4,     // points that determine a sphere
    DIRECTIONS = 13, // of the fast sphere: the normals of a cube's faces, edges and corners
    EXTREMES = 2 * DIRECTIONS
};

typedef struct ball
{
    double centre[3];
    double square; // of the radius: the largest squared distance to its support
    double support[SUPPORT][3];
    int count;
} ball;

static double distance_squared(const double a[3], const double b[3])
{
    const double apart[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return ab_dot(apart, apart);
}

// The centre of the sphere through some points, in their affine hull: each further point adds one orthonormal
// direction, and its remaining squared length gives the centre's coordinate along it. False when the points are
// degenerate.
static bool find_centre(const double points[SUPPORT][3], int count, double centre[3])
{
    double direction[SUPPORT - 1][3], along[SUPPORT - 1];
    memcpy(centre, points[0], 3 * sizeof *centre);
    for (int i = 0; i < count - 1; ++i)
    {
        double edge[3], rest[3];
        for (int k = 0; k < 3; ++k)
        {
            rest[k] = edge[k] = points[i + 1][k] - points[0][k];
        }
        double left_over = 0.5 * ab_dot(edge, edge);
        for (int j = 0; j < i; ++j)
        {
            const double share = ab_dot(direction[j], rest);
            left_over -= along[j] * share;
            for (int k = 0; k < 3; ++k)
            {
                rest[k] -= share * direction[j][k];
            }
        }
        const double length = sqrt(ab_dot(rest, rest));
        if (!(length > 1.0e-12 * sqrt(ab_dot(edge, edge))))
        {
            return false;
        }
        along[i] = left_over / length;
        for (int k = 0; k < 3; ++k)
        {
            direction[i][k] = rest[k] / length;
            centre[k] += along[i] * direction[i][k];
        }
    }
    return true;
}

// The sphere whose support is the subset `members`, grown to contain the rest. False when the subset is degenerate.
static bool ball_of(const double points[SUPPORT + 1][3], int count, unsigned members, ball *out)
{
    *out = (ball){ .count = 0 };
    for (int i = 0; i < count; ++i)
    {
        if (members >> i & 1u)
        {
            memcpy(out->support[out->count++], points[i], sizeof out->support[0]);
        }
    }
    if (!find_centre((const double(*)[3])out->support, out->count, out->centre))
    {
        return false;
    }
    for (int i = 0; i < count; ++i)
    {
        const double square = distance_squared(out->centre, points[i]);
        out->square = square > out->square ? square : out->square;
    }
    return true;
}

static int bits_in(unsigned set)
{
    int count = 0;
    for (; set; set &= set - 1)
    {
        ++count;
    }
    return count;
}

// The smallest sphere of the support and one point outside it. That point is on its surface, so only subsets with it
// count; a subset that is not the support only gives a larger sphere.
static ball enter(const ball *before, const double point[3])
{
    double points[SUPPORT + 1][3];
    memcpy(points, before->support, sizeof before->support);
    memcpy(points[before->count], point, sizeof points[0]);
    const unsigned newcomer = 1u << before->count;
    ball best, tried;
    ball_of((const double(*)[3])points, before->count + 1, newcomer, &best); // one point is never degenerate
    for (unsigned others = 1; others < newcomer; ++others)
    {
        const bool spans = bits_in(others) < SUPPORT &&
                           ball_of((const double(*)[3])points, before->count + 1, others | newcomer, &tried);
        best = spans && tried.square < best.square ? tried : best;
    }
    return best;
}

static ball ball_at(const double point[3])
{
    ball b = { .count = 1 };
    memcpy(b.centre, point, sizeof b.centre);
    memcpy(b.support[0], point, sizeof b.support[0]);
    return b;
}

// Adds a point. False when it is inside, or the sphere does not grow: only rounding is left.
static bool grows(ball *b, const double point[3])
{
    if (distance_squared(b->centre, point) <= b->square * (1.0 + 0x1p-44))
    {
        return false;
    }
    const ball next = enter(b, point);
    const bool larger = next.square > b->square;
    *b = larger ? next : *b;
    return larger;
}

// The first of the points farthest from `centre`.
static void farthest_from(const ab_cloud *cloud, const double centre[3], double out[3])
{
    double most = -1.0, point[3];
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        const double square = distance_squared(centre, point);
        if (square > most)
        {
            most = square;
            memcpy(out, point, sizeof point);
        }
    }
}

static ball smallest(const ab_cloud *cloud)
{
    double point[3];
    ab_cloud_point(cloud, 0, point);
    ball b = ball_at(point);
    do
    {
        farthest_from(cloud, b.centre, point);
    } while (grows(&b, point));
    return b;
}

static ball smallest_of_extremes(const ab_cloud *cloud)
{
    static const double directions[DIRECTIONS][3] = { { 1, 0, 0 },  { 0, 1, 0 }, { 0, 0, 1 },  { 1, 1, 0 },
                                                      { 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 },
                                                      { 0, 1, -1 }, { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 },
                                                      { 1, -1, -1 } };
    double extremes[EXTREMES][3], reach[EXTREMES];
    ab_cloud_extremes(cloud, directions, DIRECTIONS, extremes, reach);
    ball b = ball_at(extremes[0]);
    bool grown = true;
    while (grown)
    {
        int farthest = 0;
        for (int k = 1; k < EXTREMES; ++k)
        {
            farthest =
                distance_squared(b.centre, extremes[k]) > distance_squared(b.centre, extremes[farthest]) ? k : farthest;
        }
        grown = grows(&b, extremes[farthest]);
    }
    return b;
}

// Grows the sphere over every point in turn: the sphere through the point and the far side of the sphere so far. J.
// Ritter, An Efficient Bounding Sphere, Graphics Gems, 1990.
static void take_in(const ab_cloud *cloud, ball *b)
{
    double radius = sqrt(b->square), point[3];
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        const double distance = sqrt(distance_squared(b->centre, point));
        if (distance > radius)
        {
            const double shift = 0.5 * (distance - radius) / distance;
            radius = 0.5 * (radius + distance);
            for (int k = 0; k < 3; ++k)
            {
                b->centre[k] += shift * (point[k] - b->centre[k]);
            }
        }
    }
}

static abut_status fit(const float *points, uint32_t count, size_t stride, bool exact, abut_placed_shape *out)
{
    ab_cloud cloud;
    if (!out || !ab_cloud_open(&cloud, points, count, stride, 3))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    ball b = exact ? smallest(&cloud) : smallest_of_extremes(&cloud);
    if (!exact)
    {
        take_in(&cloud, &b);
    }
    abut_placed_shape sphere;
    const bool fits = ab_cloud_sphere(&cloud, b.centre, &sphere);
    ab_cloud_close(&cloud);
    *out = fits ? sphere : *out;
    return fits ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_fit_sphere(const float *points, uint32_t count, size_t stride, abut_placed_shape *out)
{
    return fit(points, count, stride, true, out);
}

// The exact sphere of the extreme points in a few directions, then grown: T. Larsson, Fast and Tight Fitting Bounding
// Spheres, SIGRAD 2008.
abut_status abut_fit_sphere_fast(const float *points, uint32_t count, size_t stride, abut_placed_shape *out)
{
    return fit(points, count, stride, false, out);
}
