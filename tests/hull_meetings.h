// Pairs of hulls, or of a hull and another shape, made at random: deep inside each other to just apart, any way turned
// or laid face on face.
#ifndef HULL_MEETINGS_H
#define HULL_MEETINGS_H

#include "hull_clouds.h"
#include "referee_polytope.h"
#include "small_world.h"

typedef struct meeting
{
    abut_shape a, b;
    abut_pose pose_a, pose_b;
    float margin;
    bool faces; // laid face on face
} meeting;

static inline abut_geometry *some_hull(random_source *random, double size)
{
    static const hull_cloud kinds[] = { HULL_BALL, HULL_SPHERE, HULL_BOX,    HULL_GRID,  HULL_CYLINDER,
                                        HULL_CONE, HULL_PLATE,  HULL_NEEDLE, HULL_NOISE, HULL_WEDGE };
    static abut_vec3 points[HULL_CLOUD_MOST];
    for (;;)
    {
        abut_geometry *hull;
        const uint32_t count = hull_cloud_of(random, kinds[random_below(random, COUNT(kinds))], 1e-4, points);
        double reach = 0.0;
        for (uint32_t i = 0; i < count; ++i)
        {
            reach = fmax(reach, dvec3_length(polytope_wide(points[i])));
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = random_narrow(dvec3_scale(polytope_wide(points[i]), size / reach));
        }
        if (abut_geometry_create_hull(points, count, 4 + random_below(random, 20), NULL, &hull) == ABUT_OK)
        {
            return hull;
        }
    }
}

static inline abut_shape some_shape(random_source *random, uint32_t kind, double size)
{
    const float x = (float)(size * random_between(random, 0.1, 1.0)),
                y = (float)(size * random_between(random, 0.1, 1.0));
    return kind == 0   ? abut_shape_sphere(x)
           : kind == 1 ? abut_shape_capsule(0.5f * x, y)
           : kind == 2 ? abut_shape_aabb(x, y, (float)size)
           : kind == 3 ? abut_shape_obb(x, (float)size, y)
                       : abut_shape_hull(some_hull(random, size));
}

static inline void give(const abut_shape *shape)
{
    if (shape->kind == ABUT_HULL)
    {
        abut_geometry_release(shape->hull);
    }
}

// Turns b so that a direction of it becomes another.
static inline void turn_b(meeting *m, dvec3 from, dvec3 to)
{
    const dvec3 axis = dvec3_cross(from, to);
    const dquat own = { (double)m->pose_b.rotation.w, (double)m->pose_b.rotation.x, (double)m->pose_b.rotation.y,
                        (double)m->pose_b.rotation.z };
    const double cosine = dvec3_dot(from, to);
    dquat turn = { 1.0 + cosine, axis.x, axis.y, axis.z };
    if (cosine < -0.999)
    {
        const dvec3 beside = dvec3_beside(from);
        turn = (dquat){ 0, beside.x, beside.y, beside.z };
    }
    const double length = sqrt(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    turn = (dquat){ turn.w / length, turn.x / length, turn.y / length, turn.z / length };
    m->pose_b.rotation = random_narrow_rotation(dquat_mul(turn, own));
}

// Turns b so that one of its faces lies against one of a's.
static inline void lay_faces(random_source *random, meeting *m, dvec3 *along)
{
    const polytope a = polytope_of(&m->a, &m->pose_a), b = polytope_of(&m->b, &m->pose_b);
    if (a.faces == 0 || b.faces == 0 || m->b.kind == ABUT_AABB)
    {
        return;
    }
    *along = a.normal[random_below(random, a.faces)];
    turn_b(m, b.normal[random_below(random, b.faces)], dvec3_scale(*along, -1.0));
    m->faces = true;
}

static inline meeting meeting_of(random_source *random, abut_shape of_a, abut_shape of_b)
{
    meeting m = { .a = of_a, .b = of_b };
    const abut_pose nowhere = { .rotation = abut_quat_identity() };
    const double size = polytope_of(&of_a, &nowhere).reach;
    m.pose_a.rotation = random_narrow_rotation(random_rotation(random));
    m.pose_b.rotation = random_narrow_rotation(random_rotation(random));
    m.pose_a.position = random_narrow(random_in_box(random, random_chance(random, 0.8) ? size : 100.0 * size));
    m.pose_b.position = m.pose_a.position;
    dvec3 along = random_direction(random);
    if (random_chance(random, 0.5))
    {
        lay_faces(random, &m, &along);
    }
    const polytope a = polytope_of(&m.a, &m.pose_a), b = polytope_of(&m.b, &m.pose_b);
    const double scale = a.reach + b.reach;
    const double gap = random_chance(random, 0.6) ? random_sign(random) * random_scale(random, 1e-7, 0.3) * scale
                                                  : random_between(random, -0.8, 0.3) * scale;
    const dvec3 u = dvec3_beside(along), v = dvec3_cross(along, u);
    dvec3 apart = dvec3_scale(along, gap - polytope_gap(&a, &b, along));
    apart = dvec3_along(apart, random_between(random, -0.4, 0.4) * scale, u);
    apart = dvec3_along(apart, random_between(random, -0.4, 0.4) * scale, v);
    m.pose_b.position = random_narrow(dvec3_add(polytope_wide(m.pose_a.position), apart));
    m.margin = random_chance(random, 0.5) ? 0.0f : (float)(random_scale(random, 1e-5, 0.3) * scale);
    return m;
}

static inline meeting some_meeting(random_source *random)
{
    const double size = random_scale(random, 1e-2, 1e2), other = size * random_scale(random, 0.1, 10.0);
    const abut_shape a = some_shape(random, random_below(random, 8), size);
    const abut_shape b = some_shape(random, a.kind == ABUT_HULL ? random_below(random, 8) : 4, other);
    return meeting_of(random, a, b);
}

// A prism of so many sides, or the corners of a ball.
static inline abut_geometry *many_sided(random_source *random, bool prism, uint32_t corners)
{
    abut_vec3 points[POLYTOPE_VERTICES];
    abut_geometry *hull = NULL;
    for (uint32_t i = 0; i < corners; ++i)
    {
        const double turn = 6.283185307179586 * (i / 2) / (corners / 2);
        points[i] =
            random_narrow(prism ? dvec3_make(cos(turn), i & 1 ? 0.3 : -0.3, sin(turn)) : random_direction(random));
    }
    assert_int_equal(abut_geometry_create_hull(points, corners, 0, NULL, &hull), ABUT_OK);
    return hull;
}

#endif
