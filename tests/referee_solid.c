// The referee's solids: where a shape is, how far it reaches, and how far a point is from it.
#include "referee.h"

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static dquat widen_rotation(abut_quat q)
{
    if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 0.0f)
    {
        return (dquat){ 1, 0, 0, 0 };
    }
    return (dquat){ (double)q.w, (double)q.x, (double)q.y, (double)q.z };
}

referee_solid referee_box(dvec3 centre, dquat rotation, dvec3 half)
{
    referee_solid solid = { .centre = centre, .half = { half.x, half.y, half.z }, .reach = dvec3_length(half) };
    solid.axis[0] = dquat_rotate(rotation, dvec3_make(1, 0, 0));
    solid.axis[1] = dquat_rotate(rotation, dvec3_make(0, 1, 0));
    solid.axis[2] = dquat_rotate(rotation, dvec3_make(0, 0, 1));
    return solid;
}

referee_solid referee_ball(dvec3 centre, double radius)
{
    referee_solid solid = referee_box(centre, (dquat){ 1, 0, 0, 0 }, dvec3_make(0, 0, 0));
    solid.ball = true;
    solid.radius = radius;
    solid.reach = radius;
    return solid;
}

referee_solid referee_capsule(dvec3 centre, dquat rotation, double radius, double half_height)
{
    referee_solid solid = referee_box(centre, rotation, dvec3_make(0, half_height, 0));
    solid.capsule = true;
    solid.radius = radius;
    solid.reach = half_height + radius;
    return solid;
}

referee_solid referee_solid_of(const abut_shape *shape, const abut_pose *pose, const abut_pose *local)
{
    dquat turn = widen_rotation(pose->rotation);
    dvec3 centre = widen(pose->position);
    double offset = 0.0;
    if (local)
    {
        centre = dvec3_add(centre, dquat_rotate(turn, widen(local->position)));
        offset = dvec3_length(widen(local->position));
        turn = dquat_mul(turn, widen_rotation(local->rotation));
    }

    referee_solid solid;
    if (shape->kind == ABUT_SPHERE)
    {
        solid = referee_ball(centre, (double)shape->sphere.radius);
    }
    else if (shape->kind == ABUT_CAPSULE)
    {
        solid = referee_capsule(centre, turn, (double)shape->capsule.radius, (double)shape->capsule.half_height);
    }
    else
    {
        dquat kept = shape->kind == ABUT_AABB ? (dquat){ 1, 0, 0, 0 } : turn;
        solid = referee_box(centre, kept, widen(shape->box.half_extents));
    }
    solid.reach += offset;
    return solid;
}

dvec3 referee_corner(const referee_solid *box, int index)
{
    dvec3 corner = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        corner = dvec3_along(corner, index >> i & 1 ? box->half[i] : -box->half[i], box->axis[i]);
    }
    return corner;
}

double referee_point_distance(const referee_solid *solid, dvec3 point)
{
    dvec3 apart = dvec3_sub(point, solid->centre);
    double outside_squared = 0.0;
    double nearest_face = -HUGE_VAL;
    for (int i = 0; i < 3; ++i)
    {
        double past = fabs(dvec3_dot(apart, solid->axis[i])) - solid->half[i];
        outside_squared += past > 0.0 ? past * past : 0.0;
        nearest_face = fmax(nearest_face, past);
    }
    return (outside_squared > 0.0 ? sqrt(outside_squared) : nearest_face) - solid->radius;
}

double referee_extent(const referee_solid *solid, dvec3 direction)
{
    double aabb = solid->radius;
    for (int i = 0; i < 3; ++i)
    {
        aabb += solid->half[i] * fabs(dvec3_dot(solid->axis[i], direction));
    }
    return aabb;
}

double referee_separation_along(const referee_solid *a, const referee_solid *b, dvec3 direction)
{
    double apart = dvec3_dot(dvec3_sub(b->centre, a->centre), direction);
    return apart - referee_extent(a, direction) - referee_extent(b, direction);
}
