// Pairs of boxes at the border between two axes: moved by a hair one way or the other, another axis names their
// contact.
#ifndef BORDERS_H
#define BORDERS_H

#include "random.h"
#include "referee.h"

typedef struct border
{
    abut_shape a, b;
    abut_pose pose_a, pose_b;
    uint32_t code[2]; // on either side of it
    double tolerance; // metres by which another class of axes must be better
} border;

static inline bool border_by_edges(const border *p)
{
    return p->code[0] >= 6 && p->code[1] >= 6;
}

// The axis that names the contact of two boxes alone, or -1.
static inline int border_axis_alone(const border *p, abut_pose at)
{
    abut_manifold m;
    const abut_status status = abut_collide(&p->a, &p->pose_a, &p->b, &at, 0.0f, &m);
    return status == ABUT_OK && m.point_count > 0 ? (int)(m.points[0].feature >> 8) : -1;
}

static inline abut_pose border_moved(abut_pose pose, dvec3 direction, double by)
{
    const dvec3 position = { (double)pose.position.x, (double)pose.position.y, (double)pose.position.z };
    pose.position = random_narrow(dvec3_along(position, by, direction));
    return pose;
}

static inline double border_tolerance(const abut_vec3 *a, const abut_vec3 *b)
{
    const double half[6] = { (double)a->x, (double)a->y, (double)a->z, (double)b->x, (double)b->y, (double)b->z };
    double least = half[0], sum = 0.0;
    for (int i = 0; i < 6; ++i)
    {
        least = fmin(least, half[i]);
        sum += half[i];
    }
    return least / 1024.0 + sum * 1.9073486e-6;
}

static inline abut_vec3 border_half_extents(random_source *random)
{
    const dvec3 half = { random_between(random, 0.3, 1.0), random_between(random, 0.3, 1.0),
                         random_between(random, 0.3, 1.0) };
    return random_narrow(half);
}

// Moves b to the border between where it is and where it would be, if there is just one. False: there is none.
static inline bool border_approach(border *p, dvec3 direction, double far)
{
    const abut_pose from = p->pose_b;
    double low = 0.0, high = far;
    const int here = border_axis_alone(p, from), there = border_axis_alone(p, border_moved(from, direction, far));
    if (here < 0 || there < 0 || here == there)
    {
        return false;
    }
    for (int i = 0; i < 40; ++i)
    {
        const double middle = 0.5 * (low + high);
        const bool before = border_axis_alone(p, border_moved(from, direction, middle)) == here;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    p->code[0] = (uint32_t)here;
    p->code[1] = (uint32_t)border_axis_alone(p, border_moved(from, direction, high));
    p->pose_b = border_moved(from, direction, high);
    return true;
}

// Two boxes deep enough in each other to touch wherever they are moved by some tolerances; one of the two may be an
// AABB.
static inline border border_random(random_source *random)
{
    for (;;)
    {
        const abut_vec3 half_a = border_half_extents(random), half_b = border_half_extents(random);
        const uint32_t aligned = random_below(random, 4);
        border p = { .tolerance = border_tolerance(&half_a, &half_b) };
        p.a =
            aligned == 1 ? abut_shape_aabb(half_a.x, half_a.y, half_a.z) : abut_shape_obb(half_a.x, half_a.y, half_a.z);
        p.b =
            aligned == 2 ? abut_shape_aabb(half_b.x, half_b.y, half_b.z) : abut_shape_obb(half_b.x, half_b.y, half_b.z);
        p.pose_a.rotation = random_narrow_rotation(random_rotation(random));
        p.pose_b.rotation = random_narrow_rotation(random_rotation(random));
        p.pose_b.position = random_narrow(dvec3_scale(random_direction(random), random_between(random, 0.5, 1.5)));
        if (!border_approach(&p, random_direction(random), 0.3))
        {
            continue;
        }
        const referee_solid a = referee_solid_of(&p.a, &p.pose_a, NULL), b = referee_solid_of(&p.b, &p.pose_b, NULL);
        if (referee_collide(&a, &b).separation < -20.0 * p.tolerance)
        {
            return p;
        }
    }
}

#endif
