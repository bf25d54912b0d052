// Moving shapes for tests of sweeps: made at random, and where the referee has them at a time.
#ifndef RANDOM_MOVING_H
#define RANDOM_MOVING_H

#include "random_judged.h"

#include <abut/sweep.h>

#define DEMAND_AT(seed, condition, ...)                                                                                \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            print_error("seed %llu: ", (unsigned long long)(seed));                                                    \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static inline abut_moving_shape moving(abut_shape shape, float x, float y, float z, float vx, float vy, float vz)
{
    return (abut_moving_shape){ .shape = shape,
                                .pose = { .position = { x, y, z }, .rotation = { .w = 1.0f } },
                                .velocity = { .linear = { vx, vy, vz } } };
}

static inline abut_impact impact_of(const abut_moving_shape *a, const abut_moving_shape *b, float duration)
{
    abut_impact out;
    assert_int_equal(abut_time_of_impact(a, b, duration, 0.0f, &out), ABUT_OK);
    return out;
}

static inline void near(double x, double y, double within)
{
    if (!(fabs(x - y) <= within))
    {
        print_error("%.9g is not %.9g\n", x, y);
        fail();
    }
}

static inline dvec3 wide(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// Where a moving shape is, by the referee's own algebra.
static inline referee_solid solid_at(const abut_moving_shape *m, double time)
{
    referee_solid solid = referee_solid_of(&m->shape, &m->pose, NULL);
    const dvec3 w = wide(m->velocity.angular);
    const double rate = dvec3_length(w);
    solid.centre = dvec3_along(solid.centre, time, wide(m->velocity.linear));
    if (rate > 0.0 && (m->shape.kind == ABUT_OBB || m->shape.kind == ABUT_CAPSULE))
    {
        const dquat turn = dquat_turn(dvec3_scale(w, 1.0 / rate), rate * time);
        for (int i = 0; i < 3; ++i)
        {
            solid.axis[i] = dquat_rotate(turn, solid.axis[i]);
        }
    }
    return solid;
}

static inline double size_of(const abut_shape *shape)
{
    const abut_vec3 h = shape->box.half_extents;
    if (shape->kind == ABUT_CAPSULE)
    {
        return (double)shape->capsule.radius + (double)shape->capsule.half_height;
    }
    return shape->kind == ABUT_SPHERE ? (double)shape->sphere.radius : (double)h.x + (double)h.y + (double)h.z;
}

static inline abut_moving_shape some(random_source *random, double speed, double spin)
{
    const abut_shape_kind kind = random_kind(random_below(random, RANDOM_KINDS));
    abut_moving_shape m = { .shape = random_shape(random, kind, random_scale(random, 0.2, 1.0)) };
    m.pose.position = random_narrow(random_in_box(random, 3.0));
    m.pose.rotation = random_narrow_rotation(random_rotation(random));
    m.velocity.linear = random_narrow(random_in_box(random, speed));
    m.velocity.angular = random_narrow(random_in_box(random, spin));
    return m;
}

#endif
