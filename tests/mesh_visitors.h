// Shapes that are put on meshes, and how deep they are in them.
#ifndef MESH_VISITORS_H
#define MESH_VISITORS_H

#include "mesh_makers.h"

static inline abut_shape some_shape(random_source *random, uint32_t kind, double size)
{
    const float x = (float)(size * random_between(random, 0.2, 1.0)),
                y = (float)(size * random_between(random, 0.2, 1.0)),
                z = (float)(size * random_between(random, 0.2, 1.0));
    return kind == 0   ? abut_shape_sphere(x)
           : kind == 1 ? abut_shape_capsule(0.5f * x, y)
           : kind == 2 ? abut_shape_obb(x, y, z)
                       : abut_shape_aabb(x, y, z);
}

// Turned about the vertical alone if `upright`.
static inline abut_pose some_pose(random_source *random, bool upright)
{
    abut_pose pose = abut_pose_identity();
    const dquat q = random_rotation(random);
    const double length = sqrt(q.w * q.w + q.y * q.y);
    pose.rotation = upright && length > 0.01 ? (abut_quat){ 0.0f, (float)(q.y / length), 0.0f, (float)(q.w / length) }
                                             : random_narrow_rotation(q);
    return pose;
}

static inline abut_contacts contacts_with(abut_world *world, const abut_body_def *def, abut_body *body)
{
    assert_int_equal(abut_body_create(world, def, body), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    return abut_world_contacts(world, ABUT_AWAKE);
}

static inline double support_below(const abut_shape *shape, const abut_pose *pose)
{
    abut_vec3 low;
    assert_int_equal(abut_shape_support(shape, pose, abut_vec3_make(0, -1, 0), &low), ABUT_OK);
    return (double)low.y;
}

// The least separation of all contacts.
static inline float deepest(abut_contacts contacts)
{
    float least = 0.0f;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const float separation = abut_contact_at(&contacts, i)->separation;
        least = separation < least ? separation : least;
    }
    return least;
}

#endif
