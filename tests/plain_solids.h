// Convex solids against each other and against points and segments, in double precision, by trying everything. It
// shares nothing with the library.
#ifndef PLAIN_SOLIDS_H
#define PLAIN_SOLIDS_H

#include "plain_geometry.h"

// A triangle as a solid without volume.
static inline plain_solid plain_flat(const dvec3 corner[3])
{
    plain_solid s = { .points = 3, .edges = 3, .faces = 2, .edge = { { 0, 1 }, { 1, 2 }, { 2, 0 } } };
    const uint8_t face[2][3] = { { 0, 1, 2 }, { 0, 2, 1 } };
    memcpy(s.point, corner, 3 * sizeof *corner);
    memcpy(s.face, face, sizeof face);
    return s;
}

// A rectangle, of its corners on the way around, as a solid without volume.
static inline plain_solid plain_plate(const dvec3 corner[4])
{
    plain_solid s = {
        .points = 4, .edges = 5, .faces = 4, .edge = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 } }
    };
    const uint8_t face[4][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 0, 2, 3 }, { 0, 3, 2 } };
    memcpy(s.point, corner, 4 * sizeof *corner);
    memcpy(s.face, face, sizeof face);
    return s;
}

// A segment of the plane as a solid: it and all that is above and below it by `high`.
static inline plain_solid plain_fence(double ax, double ay, double bx, double by, double high)
{
    const dvec3 corner[4] = { dvec3_make(ax, ay, -high), dvec3_make(bx, by, -high), dvec3_make(bx, by, high),
                              dvec3_make(ax, ay, high) };
    return plain_plate(corner);
}

// A convex polygon of the plane, counter-clockwise, likewise.
static inline plain_solid plain_prism(double corner[][2], int count, double high)
{
    plain_solid s = { .points = 2 * count };
    for (int i = 0; i < count; ++i)
    {
        const int a = i, b = (i + 1) % count, c = a + count, d = b + count;
        const uint8_t edge[3][2] = { { (uint8_t)a, (uint8_t)b },
                                     { (uint8_t)c, (uint8_t)d },
                                     { (uint8_t)a, (uint8_t)c } };
        const uint8_t side[2][3] = { { (uint8_t)a, (uint8_t)b, (uint8_t)d }, { (uint8_t)a, (uint8_t)d, (uint8_t)c } };
        const uint8_t cap[2][3] = { { 0, (uint8_t)b, (uint8_t)a }, { (uint8_t)count, (uint8_t)c, (uint8_t)d } };
        s.point[a] = dvec3_make(corner[i][0], corner[i][1], -high);
        s.point[c] = dvec3_make(corner[i][0], corner[i][1], high);
        memcpy(s.edge[s.edges], edge, sizeof edge);
        memcpy(s.face[s.faces], side, sizeof side);
        s.edges += 3;
        s.faces += 2;
        if (a != 0 && b != 0)
        {
            memcpy(s.face[s.faces], cap, sizeof cap);
            s.faces += 2;
        }
    }
    return s;
}

// What is below a point along a direction, without end, as two points.
static inline plain_solid plain_half_space(dvec3 at, dvec3 up)
{
    plain_solid s = { .points = 2 };
    s.point[0] = at;
    s.point[1] = dvec3_add(at, up);
    return s;
}

static inline bool plain_is_half_space(const plain_solid *s)
{
    return s->points == 2 && s->edges == 0;
}

static inline bool plain_is_flat(const plain_solid *s)
{
    return s->points == 3 || s->points == 4;
}

// Outward, of any length.
static inline dvec3 plain_face_normal(const plain_solid *s, int face)
{
    const dvec3 a = s->point[s->face[face][0]], b = s->point[s->face[face][1]], c = s->point[s->face[face][2]];
    return dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a));
}

// The gap of the cores along an axis, the larger of its two ways.
static inline double plain_core_gap(const plain_solid *a, const plain_solid *b, dvec3 axis)
{
    const double length = dvec3_length(axis);
    double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL };
    const plain_solid *const both[2] = { a, b };
    for (int k = 0; k < 2; ++k)
    {
        for (int i = 0; i < both[k]->points; ++i)
        {
            const double along = dvec3_dot(dvec3_sub(both[k]->point[i], b->point[0]), axis) / length;
            low[k] = fmin(low[k], along);
            high[k] = fmax(high[k], along);
        }
    }
    return length > 0.0 ? fmax(low[0] - high[1], low[1] - high[0]) : -HUGE_VAL;
}

// The greatest gap of the cores along all axes that could separate them (Gottschalk 1996): negative if they overlap.
static inline double plain_core_axes(const plain_solid *a, const plain_solid *b)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < a->faces; ++i)
    {
        most = fmax(most, plain_core_gap(a, b, plain_face_normal(a, i)));
    }
    for (int i = 0; i < b->faces; ++i)
    {
        most = fmax(most, plain_core_gap(a, b, plain_face_normal(b, i)));
    }
    for (int i = 0; i < a->edges; ++i)
    {
        const dvec3 u = dvec3_sub(a->point[a->edge[i][1]], a->point[a->edge[i][0]]);
        for (int k = 0; k < b->edges; ++k)
        {
            const dvec3 v = dvec3_sub(b->point[b->edge[k][1]], b->point[b->edge[k][0]]), n = dvec3_cross(u, v);
            if (dvec3_dot(n, n) > 1e-20 * dvec3_dot(u, u) * dvec3_dot(v, v))
            {
                most = fmax(most, plain_core_gap(a, b, n));
            }
        }
    }
    return most;
}

static inline double plain_points_to_faces(const plain_solid *a, const plain_solid *b)
{
    double least = HUGE_VAL;
    for (int i = 0; i < a->points; ++i)
    {
        for (int k = 0; k < b->faces; ++k)
        {
            const uint8_t *f = b->face[k];
            least = fmin(least, plain_point_triangle(a->point[i], b->point[f[0]], b->point[f[1]], b->point[f[2]]));
        }
    }
    return least;
}

// An edge, or a ball's only point as an edge without length.
static inline void plain_edge(const plain_solid *s, int i, dvec3 out[2])
{
    out[0] = s->point[s->edges ? s->edge[i][0] : 0];
    out[1] = s->point[s->edges ? s->edge[i][1] : 0];
}

// The distance of cores that do not overlap.
static inline double plain_core_distance(const plain_solid *a, const plain_solid *b)
{
    double least = fmin(plain_points_to_faces(a, b), plain_points_to_faces(b, a));
    for (int i = 0; i < (a->edges ? a->edges : 1); ++i)
    {
        for (int k = 0; k < (b->edges ? b->edges : 1); ++k)
        {
            dvec3 p[2], q[2];
            plain_edge(a, i, p);
            plain_edge(b, k, q);
            least = fmin(least, plain_segment_segment(p[0], p[1], q[0], q[1]));
        }
    }
    return least;
}

// How far a solid is above a half-space.
static inline double plain_above(const plain_solid *s, const plain_solid *half_space)
{
    const dvec3 at = half_space->point[0], up = dvec3_sub(half_space->point[1], at);
    double low = HUGE_VAL;
    for (int i = 0; i < s->points; ++i)
    {
        low = fmin(low, dvec3_dot(dvec3_sub(s->point[i], at), up) / dvec3_length(up));
    }
    return low - s->radius;
}

// The distance; where the two overlap, how deep they do, negative. The second may be a half-space.
static inline double plain_apart(const plain_solid *a, const plain_solid *b)
{
    if (plain_is_half_space(b))
    {
        return plain_above(a, b);
    }
    const double gap = a->faces + b->faces > 0 ? plain_core_axes(a, b) : 1.0;
    return (gap < 0.0 ? gap : plain_core_distance(a, b)) - a->radius - b->radius;
}

// A segment as a solid without volume, or a point.
static inline plain_solid plain_segment(dvec3 from, dvec3 to)
{
    plain_solid s = { .points = 2, .edges = 1, .edge = { { 0, 1 } } };
    s.point[0] = from;
    s.point[1] = to;
    const dvec3 way = dvec3_sub(to, from);
    if (dvec3_dot(way, way) == 0.0)
    {
        s.points = 1;
        s.edges = 0;
    }
    return s;
}

// A ball that contains a solid; for a half-space without end.
typedef struct plain_sphere
{
    dvec3 centre;
    double radius;
} plain_sphere;

static inline plain_sphere plain_around(const plain_solid *s)
{
    plain_sphere out = { .radius = 0.0 };
    for (int i = 0; i < s->points; ++i)
    {
        out.centre = dvec3_along(out.centre, 1.0 / s->points, s->point[i]);
    }
    for (int i = 0; i < s->points; ++i)
    {
        out.radius = fmax(out.radius, dvec3_length(dvec3_sub(s->point[i], out.centre)));
    }
    out.radius = plain_is_half_space(s) ? HUGE_VAL : out.radius + s->radius;
    return out;
}

#endif
