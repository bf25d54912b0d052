// Judges what a ray hits of one shape by nothing but distances: the signed distance from a convex shape is a convex
// function along a line, so that its least value over a part of the ray says whether the part enters the shape, and by
// how much. Written anew in double.
#ifndef REFEREE_RAY_H
#define REFEREE_RAY_H

#include "referee_math.h"

#include <abut/query.h>

#include <stdbool.h>
#include <stdio.h>

// The number that a float is. Through memory, for gcc 12 drops a (double)(float)x where it vectorises.
static inline double ray_widen(float x)
{
    volatile float rounded = x;
    return (double)rounded;
}

static inline dvec3 ray_widen3(abut_vec3 v)
{
    return dvec3_make(ray_widen(v.x), ray_widen(v.y), ray_widen(v.z));
}

// A shape where it is. `capsule` is half the length of a rounded segment, along y, or along z where it is custom.
typedef struct ray_solid
{
    abut_shape_kind kind;
    dvec3 centre;
    dquat rotation;
    dvec3 half; // or the radius, in x
    double capsule;
    const abut_vec2 *corner; // counter-clockwise
    uint32_t corners;
} ray_solid;

static inline double ray_size(const ray_solid *s)
{
    double size = s->half.x + s->half.y + s->half.z + s->capsule;
    for (uint32_t i = 0; i < s->corners; ++i)
    {
        size = fmax(size, hypot((double)s->corner[i].x, (double)s->corner[i].y));
    }
    return size;
}

static inline double ray_polygon_distance(const ray_solid *s, dvec3 p)
{
    double inside = -HUGE_VAL, outside = HUGE_VAL;
    for (uint32_t i = 0; i < s->corners; ++i)
    {
        const abut_vec2 a = s->corner[i], b = s->corner[(i + 1) % s->corners];
        const double ex = (double)b.x - (double)a.x, ey = (double)b.y - (double)a.y, length = hypot(ex, ey);
        const double px = p.x - (double)a.x, py = p.y - (double)a.y;
        const double along = fmin(fmax((px * ex + py * ey) / (length * length), 0.0), 1.0);
        inside = fmax(inside, (px * ey - py * ex) / length);
        outside = fmin(outside, hypot(px - along * ex, py - along * ey));
    }
    return inside <= 0.0 ? inside : outside;
}

// Negative inside.
static inline double ray_distance(const ray_solid *s, dvec3 point)
{
    const dvec3 p = dquat_rotate(dquat_conjugate(s->rotation), dvec3_sub(point, s->centre));
    if (s->kind == ABUT_SPHERE)
    {
        return dvec3_length(p) - s->half.x;
    }
    if (s->kind == ABUT_CUSTOM)
    {
        const double z = fmin(fmax(p.z, -s->capsule), s->capsule);
        return dvec3_length(dvec3_make(p.x, p.y, p.z - z)) - s->half.x;
    }
    if (s->kind == ABUT_CAPSULE)
    {
        const double y = fmin(fmax(p.y, -s->capsule), s->capsule);
        return dvec3_length(dvec3_make(p.x, p.y - y, p.z)) - s->half.x;
    }
    if (s->kind == ABUT_POLYGON)
    {
        return ray_polygon_distance(s, p);
    }
    const dvec3 q = { fabs(p.x) - s->half.x, fabs(p.y) - s->half.y, fabs(p.z) - s->half.z };
    const double within = fmax(q.x, fmax(q.y, q.z));
    return within <= 0.0 ? within : dvec3_length(dvec3_make(fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)));
}

typedef struct ray_line
{
    dvec3 origin, way;
} ray_line;

static inline ray_line ray_line_of(const abut_ray *ray)
{
    return (ray_line){ ray_widen3(ray->origin), ray_widen3(ray->translation) };
}

static inline double ray_distance_at(const ray_solid *s, const ray_line *line, double t)
{
    return ray_distance(s, dvec3_along(line->origin, t, line->way));
}

// The least distance over a part of the line, by golden section (J. Kiefer, 1953).
static inline double ray_least(const ray_solid *s, const ray_line *line, double from, double to)
{
    const double golden = 0.6180339887498949;
    double best = fmin(ray_distance_at(s, line, from), ray_distance_at(s, line, to));
    for (int i = 0; i < 120; ++i)
    {
        const double x = to - golden * (to - from), y = from + golden * (to - from);
        const double at_x = ray_distance_at(s, line, x), at_y = ray_distance_at(s, line, y);
        best = fmin(best, fmin(at_x, at_y));
        if (at_x < at_y)
        {
            to = y;
        }
        else
        {
            from = x;
        }
    }
    return best;
}

// NULL when the answer is right to within `band` metres, else what is wrong with it.
static inline const char *ray_judge(const ray_solid *s, const ray_line *line, const abut_ray_hit *a, uint32_t flags,
                                    double band)
{
    const double start = ray_distance_at(s, line, 0.0), t = (double)a->fraction;
    const bool hollow = (flags & ABUT_QUERY_HOLLOW) != 0, skips = (flags & ABUT_QUERY_SKIP_INSIDE) != 0;
    if (!a->hit)
    {
        const bool clean = a->fraction == 1.0f && a->flags == 0;
        const bool missed = skips ? start > band && ray_least(s, line, 0.0, 1.0) < -band
                                  : (!hollow || start > band) && ray_least(s, line, 0.0, 1.0) < -band;
        const bool left = hollow && !skips && start < -band && ray_distance_at(s, line, 1.0) > band;
        return !clean ? "a miss that says something" : missed || left ? "missed" : NULL;
    }
    const dvec3 offset = { (double)a->offset.x, (double)a->offset.y, (double)a->offset.z };
    const dvec3 normal = { (double)a->normal.x, (double)a->normal.y, (double)a->normal.z };
    const dvec3 at = dvec3_add(line->origin, offset);
    if (!(t >= 0.0 && t <= 1.0) || dvec3_length(dvec3_along(offset, -t, line->way)) > band)
    {
        return "the point is not at the fraction";
    }
    if (a->flags == ABUT_HIT_INSIDE)
    {
        return start > band || t != 0.0 || dvec3_length(normal) != 0.0 || hollow || skips ? "inside, and is not" : NULL;
    }
    if (fabs(ray_distance(s, at)) > band)
    {
        return "the point is not on the surface";
    }
    if (fabs(dvec3_length(normal) - 1.0) > 1e-6)
    {
        return "the normal is not of unit length";
    }
    const bool back = a->flags == ABUT_HIT_BACK;
    const double reach = 1e-3 * ray_size(s) + 100.0 * band;
    if (fabs(ray_distance(s, dvec3_along(at, reach, normal)) - reach) > 0.02 * reach + 2.0 * band)
    {
        return "the normal does not lead out";
    }
    const double along = dvec3_dot(normal, line->way) / fmax(dvec3_length(line->way), 1e-300);
    if (back ? along < -1e-3 || start > band || !hollow : along > 1e-3 || a->flags != 0)
    {
        return "the normal points along the ray";
    }
    if (back)
    {
        return ray_least(s, line, t, 1.0) < -band ? "left too early" : NULL;
    }
    return ray_least(s, line, 0.0, t) < -band ? "hit too late" : NULL;
}

#endif
