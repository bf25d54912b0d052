// Cylinders, cones and other shapes that are hulls of a few balls, discs or corners, in double precision: how far they
// reach, the gap between two of them by a search of directions, and the distance of a point.
#ifndef PLAIN_CYLINDER_H
#define PLAIN_CYLINDER_H

#include "random_pair.h"

enum
{
    LOOKS = 250 // directions
};

// A shape of any kind that is a hull of a few balls, discs or corners, where it is.
typedef struct plain
{
    abut_shape shape;
    dvec3 centre;
    dquat turn;
    double reach;
} plain;

static inline plain plain_of(const abut_shape *shape, const abut_pose *pose)
{
    plain p = { .shape = *shape };
    const abut_vec3 h = shape->box.half_extents, at = pose->position;
    p.centre = dvec3_make((double)at.x, (double)at.y, (double)at.z);
    p.turn = (dquat){ (double)pose->rotation.w, (double)pose->rotation.x, (double)pose->rotation.y,
                      (double)pose->rotation.z };
    const double most = fmax((double)shape->cylinder.bottom_radius, (double)shape->cylinder.top_radius);
    p.reach = shape->kind == ABUT_SPHERE    ? (double)shape->sphere.radius
              : shape->kind == ABUT_CAPSULE ? (double)shape->capsule.radius + (double)shape->capsule.half_height
              : shape->kind == ABUT_OBB     ? dvec3_length(dvec3_make((double)h.x, (double)h.y, (double)h.z))
                                            : hypot(most, (double)shape->cylinder.half_height);
    return p;
}

// How far it reaches from its own centre along a unit direction.
static inline double reach_along(const plain *p, dvec3 direction)
{
    const abut_shape *s = &p->shape;
    const dvec3 d = dquat_rotate(dquat_conjugate(p->turn), direction);
    const double across = sqrt(d.x * d.x + d.z * d.z);
    const abut_cylinder *c = &s->cylinder;
    const abut_vec3 h = s->box.half_extents;
    switch (s->kind)
    {
    case ABUT_SPHERE:
        return (double)s->sphere.radius;
    case ABUT_CAPSULE:
        return (double)s->capsule.radius + (double)s->capsule.half_height * fabs(d.y);
    case ABUT_OBB:
        return (double)h.x * fabs(d.x) + (double)h.y * fabs(d.y) + (double)h.z * fabs(d.z);
    default:
        return fmax((double)c->top_radius * across + (double)c->half_height * d.y,
                    (double)c->bottom_radius * across - (double)c->half_height * d.y);
    }
}

// By how much b is beyond a along a unit direction from a to b.
static inline double gap_along(const plain *a, const plain *b, dvec3 n)
{
    return dvec3_dot(dvec3_sub(b->centre, a->centre), n) - reach_along(a, n) - reach_along(b, dvec3_scale(n, -1.0));
}

// Goes up the gap from a direction, by ever smaller steps.
static inline double climb(const plain *a, const plain *b, dvec3 n, double step, double last)
{
    double best = gap_along(a, b, n);
    for (; step > last; step *= 0.5)
    {
        for (bool moved = true; moved;)
        {
            const dvec3 u = dvec3_beside(n), v = dvec3_cross(n, u);
            moved = false;
            for (int i = 0; i < 8 && !moved; ++i)
            {
                const double angle = 0.78539816339744831 * i;
                const dvec3 trial =
                    dvec3_normalise(dvec3_along(dvec3_along(n, step * cos(angle), u), step * sin(angle), v));
                const double gap = gap_along(a, b, trial);
                moved = gap > best;
                if (moved)
                {
                    best = gap;
                    n = trial;
                }
            }
        }
    }
    return best;
}

// The largest gap along any direction: the separation of shapes that are apart, or the depth of an overlap. `last`: the
// least step of the search.
static inline double best_gap(const plain *a, const plain *b, dvec3 guess, double last, random_source *random)
{
    enum
    {
        CLIMBS = 2
    };
    dvec3 best[CLIMBS];
    double most[CLIMBS] = { -HUGE_VAL, -HUGE_VAL }, found = climb(a, b, guess, 0.01, last);
    for (int i = 0; i < LOOKS; ++i)
    {
        const dvec3 n = random_direction(random);
        const double gap = gap_along(a, b, n);
        int at = 0;
        while (at < CLIMBS && most[at] >= gap)
        {
            ++at;
        }
        for (int k = CLIMBS - 1; k > at; --k)
        {
            most[k] = most[k - 1];
            best[k] = best[k - 1];
        }
        if (at < CLIMBS)
        {
            most[at] = gap;
            best[at] = n;
        }
    }
    for (int i = 0; i < CLIMBS; ++i)
    {
        found = fmax(found, climb(a, b, best[i], 0.1, last));
    }
    return found;
}

// Negative inside; the distance of what is outside.
static inline double plain_distance(const plain *p, dvec3 point)
{
    const dvec3 local = dquat_rotate(dquat_conjugate(p->turn), dvec3_sub(point, p->centre));
    const abut_cylinder *c = &p->shape.cylinder;
    const double out = sqrt(local.x * local.x + local.z * local.z), y = local.y;
    const double bottom = (double)c->bottom_radius, top = (double)c->top_radius, h = (double)c->half_height;
    const double corner[4][2] = { { 0, -h }, { bottom, -h }, { top, h }, { 0, h } };
    double inside = -HUGE_VAL, outside = HUGE_VAL;
    for (int i = 0; i < 3; ++i)
    {
        const double *a = corner[i], *b = corner[i + 1];
        const double ex = b[0] - a[0], ey = b[1] - a[1], square = ex * ex + ey * ey;
        const double part = square > 0.0 ? fmin(fmax(((out - a[0]) * ex + (y - a[1]) * ey) / square, 0.0), 1.0) : 0.0;
        outside = fmin(outside, hypot(out - (a[0] + part * ex), y - (a[1] + part * ey)));
        if (square > 0.0)
        {
            inside = fmax(inside, ((out - a[0]) * ey - (y - a[1]) * ex) / sqrt(square));
        }
    }
    return inside <= 0.0 ? inside : outside;
}

static inline dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

#endif
