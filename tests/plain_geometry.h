// Convex shapes and triangles in double precision, by trying everything: what judges contacts with surfaces. It shares
// nothing with the library.
#ifndef PLAIN_GEOMETRY_H
#define PLAIN_GEOMETRY_H

#include "random.h"

#include <abut/shape.h>

#include <math.h>
#include <string.h>

enum
{
    PLAIN_POINTS = 14,
    PLAIN_FACES = 2 * PLAIN_POINTS - 4, // of a polytope whose faces are triangles
    PLAIN_EDGES = 3 * PLAIN_POINTS - 6
};

// The convex hull of some points and all that is within a radius of it. A ball has one point, a capsule two.
typedef struct plain_solid
{
    dvec3 point[PLAIN_POINTS];
    double radius;
    int points, edges, faces;
    uint8_t edge[PLAIN_EDGES][2], face[PLAIN_FACES][3];
} plain_solid;

typedef struct plain_triangle
{
    dvec3 corner[3], normal; // the normal is of unit length
} plain_triangle;

static inline plain_solid plain_ball(double radius)
{
    return (plain_solid){ .points = 1, .radius = radius };
}

// Along y.
static inline plain_solid plain_capsule(double radius, double half)
{
    plain_solid s = { .points = 2, .edges = 1, .radius = radius, .edge = { { 0, 1 } } };
    s.point[0].y = -half;
    s.point[1].y = half;
    return s;
}

static inline plain_solid plain_box(double x, double y, double z)
{
    plain_solid s = { .points = 8 };
    for (int i = 0; i < 8; ++i)
    {
        s.point[i] = dvec3_make(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
        for (int k = 1; k < 8; k *= 2)
        {
            if ((i & k) == 0)
            {
                s.edge[s.edges][0] = (uint8_t)i;
                s.edge[s.edges++][1] = (uint8_t)(i | k);
            }
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        const int u = 1 << (k + 1) % 3, v = 1 << (k + 2) % 3;
        for (int i = 0; i < 2; ++i)
        {
            const int a = i << k;
            const uint8_t two[2][3] = { { (uint8_t)a, (uint8_t)(a + u), (uint8_t)(a + u + v) },
                                        { (uint8_t)a, (uint8_t)(a + u + v), (uint8_t)(a + v) } };
            memcpy(s.face[s.faces], two, sizeof two);
            s.faces += 2;
        }
    }
    return s;
}

static inline void plain_add_edge(plain_solid *s, int a, int b)
{
    if (a < b)
    {
        s->edge[s->edges][0] = (uint8_t)a;
        s->edge[s->edges++][1] = (uint8_t)b;
    }
}

// The hull of points in general position, of which each is a corner.
static inline plain_solid plain_hull(const dvec3 *point, int count)
{
    plain_solid s = { .points = count };
    memcpy(s.point, point, (size_t)count * sizeof *point);
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b < count; ++b)
        {
            for (int c = 0; c < count; ++c)
            {
                const dvec3 n = dvec3_cross(dvec3_sub(point[b], point[a]), dvec3_sub(point[c], point[a]));
                bool outside = a == b || b == c || c == a;
                for (int k = 0; k < count && !outside; ++k)
                {
                    outside = k != a && k != b && k != c && dvec3_dot(n, dvec3_sub(point[k], point[a])) >= 0.0;
                }
                if (!outside)
                {
                    plain_add_edge(&s, a, b); // each face is met three times, each time with another first edge
                }
                if (!outside && a < b && a < c)
                {
                    const uint8_t face[3] = { (uint8_t)a, (uint8_t)b, (uint8_t)c };
                    memcpy(s.face[s.faces++], face, sizeof face);
                }
            }
        }
    }
    return s;
}

static inline void plain_place(const plain_solid *s, dquat turn, dvec3 at, plain_solid *out)
{
    *out = *s;
    for (int i = 0; i < s->points; ++i)
    {
        out->point[i] = dvec3_add(at, dquat_rotate(turn, s->point[i]));
    }
}

// How far it reaches along a unit direction, and which of its points.
static inline double plain_reach(const plain_solid *s, dvec3 direction, int *which)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < s->points; ++i)
    {
        const double along = dvec3_dot(s->point[i], direction);
        *which = along > most ? i : *which;
        most = along > most ? along : most;
    }
    return most + s->radius;
}

// From the lowest to the highest along a unit direction.
typedef struct plain_span
{
    double low, high;
} plain_span;

static inline plain_span plain_span_of(const plain_solid *s, dvec3 direction)
{
    int which = 0;
    const double high = plain_reach(s, direction, &which);
    return (plain_span){ -plain_reach(s, dvec3_scale(direction, -1.0), &which), high };
}

static inline plain_span plain_triangle_span(const plain_triangle *t, dvec3 direction)
{
    const double a = dvec3_dot(t->corner[0], direction), b = dvec3_dot(t->corner[1], direction),
                 c = dvec3_dot(t->corner[2], direction);
    return (plain_span){ fmin(a, fmin(b, c)), fmax(a, fmax(b, c)) };
}

static inline double plain_point_segment(dvec3 p, dvec3 a, dvec3 b)
{
    const dvec3 along = dvec3_sub(b, a), to = dvec3_sub(p, a);
    const double square = dvec3_dot(along, along), t = square > 0.0 ? dvec3_dot(to, along) / square : 0.0;
    return dvec3_length(dvec3_along(to, -fmax(0.0, fmin(1.0, t)), along));
}

static inline double plain_point_triangle(dvec3 p, dvec3 a, dvec3 b, dvec3 c)
{
    const dvec3 n = dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a));
    const dvec3 corner[3] = { a, b, c };
    double least = HUGE_VAL;
    bool over = true;
    for (int i = 0; i < 3; ++i)
    {
        const dvec3 from = corner[i], to = corner[(i + 1) % 3];
        over = over && dvec3_dot(dvec3_cross(n, dvec3_sub(to, from)), dvec3_sub(p, from)) >= 0.0;
        least = fmin(least, plain_point_segment(p, from, to));
    }
    return over ? fabs(dvec3_dot(dvec3_sub(p, a), n)) / dvec3_length(n) : least;
}

// Where the lines come nearest, if that is within both; else at an end.
static inline double plain_segment_segment(dvec3 a, dvec3 b, dvec3 c, dvec3 d)
{
    const dvec3 u = dvec3_sub(b, a), v = dvec3_sub(d, c), w = dvec3_sub(a, c), n = dvec3_cross(u, v);
    const double square = dvec3_dot(n, n);
    const double ends = fmin(fmin(plain_point_segment(a, c, d), plain_point_segment(b, c, d)),
                             fmin(plain_point_segment(c, a, b), plain_point_segment(d, a, b)));
    if (square <= 1e-24 * dvec3_dot(u, u) * dvec3_dot(v, v))
    {
        return ends;
    }
    const double s = dvec3_dot(dvec3_cross(v, w), n) / square, t = dvec3_dot(dvec3_cross(u, w), n) / square;
    return s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0 ? ends : fmin(ends, fabs(dvec3_dot(w, n)) / sqrt(square));
}

static inline bool plain_segment_crosses(dvec3 p, dvec3 q, const plain_triangle *t)
{
    const double above = dvec3_dot(dvec3_sub(p, t->corner[0]), t->normal),
                 below = dvec3_dot(dvec3_sub(q, t->corner[0]), t->normal);
    if (above == below || (above > 0.0) == (below > 0.0))
    {
        return false;
    }
    const dvec3 at = dvec3_along(p, above / (above - below), dvec3_sub(q, p));
    bool inside = true;
    for (int i = 0; i < 3; ++i)
    {
        const dvec3 along = dvec3_sub(t->corner[(i + 1) % 3], t->corner[i]);
        inside = inside && dvec3_dot(dvec3_cross(t->normal, along), dvec3_sub(at, t->corner[i])) >= 0.0;
    }
    return inside;
}

// The gap along an axis, the larger of its two ways.
static inline double plain_gap(const plain_solid *s, const plain_triangle *t, dvec3 axis)
{
    const double length = dvec3_length(axis);
    if (length == 0.0)
    {
        return -HUGE_VAL;
    }
    const dvec3 unit = dvec3_scale(axis, 1.0 / length);
    const plain_span a = plain_span_of(s, unit), b = plain_triangle_span(t, unit);
    return fmax(a.low - b.high, b.low - a.high);
}

// The greatest gap along all axes that could separate a polytope from a triangle: negative if they overlap.
static inline double plain_axes(const plain_solid *s, const plain_triangle *t)
{
    double most = plain_gap(s, t, t->normal);
    for (int i = 0; i < s->faces; ++i)
    {
        const dvec3 a = s->point[s->face[i][0]], b = s->point[s->face[i][1]], c = s->point[s->face[i][2]];
        most = fmax(most, plain_gap(s, t, dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a))));
    }
    for (int k = 0; k < 3; ++k)
    {
        const dvec3 along = dvec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
        for (int i = 0; i < s->edges; ++i)
        {
            const dvec3 edge = dvec3_sub(s->point[s->edge[i][1]], s->point[s->edge[i][0]]);
            const dvec3 across = dvec3_cross(edge, along);
            if (dvec3_dot(across, across) > 1e-20 * dvec3_dot(edge, edge) * dvec3_dot(along, along))
            {
                most = fmax(most, plain_gap(s, t, across));
            }
        }
    }
    return most;
}

// Of the cores, which do not overlap.
static inline double plain_between(const plain_solid *s, const plain_triangle *t)
{
    const dvec3 *c = t->corner;
    double least = HUGE_VAL;
    for (int i = 0; i < s->points; ++i)
    {
        least = fmin(least, plain_point_triangle(s->point[i], c[0], c[1], c[2]));
    }
    for (int k = 0; k < 3; ++k)
    {
        for (int i = 0; i < s->edges; ++i)
        {
            const dvec3 a = s->point[s->edge[i][0]], b = s->point[s->edge[i][1]];
            least = fmin(least, plain_segment_segment(a, b, c[k], c[(k + 1) % 3]));
        }
        for (int i = 0; i < s->faces; ++i)
        {
            const uint8_t *f = s->face[i];
            least = fmin(least, plain_point_triangle(c[k], s->point[f[0]], s->point[f[1]], s->point[f[2]]));
        }
    }
    return least;
}

// The distance; where the two overlap, how deep they do, negative.
static inline double plain_distance(const plain_solid *s, const plain_triangle *t)
{
    const bool crosses = s->points == 2 && plain_segment_crosses(s->point[0], s->point[1], t);
    const double gap = s->faces > 0 || crosses ? plain_axes(s, t) : 1.0;
    return (gap <= 0.0 ? gap : plain_between(s, t)) - s->radius;
}

#endif
