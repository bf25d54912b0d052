// A crate on another in a world that keeps manifolds of pairs that hardly moved, and what such a world says of them.
#ifndef RECYCLED_STACK_H
#define RECYCLED_STACK_H

#include "small_world.h"

#include <math.h>

#define TOLERANCE 0.01f

static inline abut_world *keeping(float tolerance)
{
    return open_world(&(abut_world_def){ .recycle_distance = tolerance });
}

static inline const abut_contact *only_contact(abut_world *world)
{
    assert_int_equal(touching(world), 1);
    return contact_at(world, ABUT_AWAKE, 0);
}

static inline void put(abut_world *world, abut_body body, float x, float y, float z, abut_quat rotation)
{
    const abut_pose pose = { .position = { x, y, z }, .rotation = rotation };
    assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
}

// A crate that reaches 0.01 into one below it.
typedef struct stack
{
    abut_world *world;
    abut_body below, above;
} stack;

static inline stack stacked(float tolerance)
{
    stack s = { .world = keeping(tolerance) };
    s.below = add(s.world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0, 0, ABUT_DYNAMIC);
    s.above = add(s.world, abut_shape_obb(0.4f, 0.5f, 0.4f), 0, 0.99f, 0, ABUT_DYNAMIC);
    expect(s.world, 1, 1, 0);
    assert_int_equal(recycled(s.world), 0);
    return s;
}

static inline void sound(abut_world *world)
{
    abut_audit audit;
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    assert_null(audit.what);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    uint64_t points = 0;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        points += abut_contact_at(&contacts, i)->point_count;
    }
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    assert_true(statistics.points == points);
}

#endif
