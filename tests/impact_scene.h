// Bodies whose impacts tests look at: single shots, and a crowd of which some are swept.
#ifndef IMPACT_SCENE_H
#define IMPACT_SCENE_H

#include "random.h"
#include "small_world.h"

#include "world/world.h"

#include <math.h>
#include <string.h>

static inline abut_body shoot(abut_world *world, abut_shape shape, abut_vec3 from, abut_vec3 velocity)
{
    abut_body body = { 0 };
    const abut_body_def def = {
        .pose.position = from, .velocity.linear = velocity, .flags = ABUT_BODY_CCD, .collider.shape = shape
    };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static inline abut_vec3 at(float x, float y, float z)
{
    return abut_vec3_make(x, y, z);
}

static inline abut_impacts impacts(abut_world *world, float horizon, uint32_t expected)
{
    assert_int_equal(abut_world_detect(world, horizon), ABUT_OK);
    const abut_impacts all = abut_world_impacts(world);
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    assert_int_equal(all.count, expected);
    assert_int_equal(statistics.impacts, expected);
    return all;
}

static inline void near(double x, double y, double within)
{
    if (!(fabs(x - y) <= within))
    {
        print_error("%.9g is not %.9g\n", x, y);
        fail();
    }
}

enum
{
    BODIES = 60
};

typedef struct scene
{
    abut_body_def def[BODIES];
    abut_body body[BODIES];
} scene;

static inline float between(random_source *random, double low, double high)
{
    return (float)random_between(random, low, high);
}

static inline void make(scene *s, uint64_t seed)
{
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const float x = between(&random, 0.1, 0.8), y = between(&random, 0.0, 0.8), z = between(&random, 0.1, 0.8);
        const uint32_t kind = random_below(&random, 3), motion = random_below(&random, 10);
        const double speed = random_below(&random, 3) ? 2.0 : 80.0;
        s->def[i] = (abut_body_def){
            .pose.position = { between(&random, -8, 8), between(&random, -8, 8), between(&random, -8, 8) },
            .pose.rotation = abut_quat_from_axis_angle(at(x, y - 0.4f, z), between(&random, -3, 3)),
            .velocity.linear = { between(&random, -speed, speed), between(&random, -speed, speed),
                                 between(&random, -speed, speed) },
            .velocity.angular = { between(&random, -9, 9), between(&random, -9, 9), between(&random, -9, 9) },
            .motion = motion < 6   ? ABUT_DYNAMIC
                      : motion < 8 ? ABUT_KINEMATIC
                                   : ABUT_STATIC,
            .flags = random_below(&random, 2) ? ABUT_BODY_CCD : 0u,
            .collider.shape = kind == 0   ? abut_shape_sphere(x)
                              : kind == 1 ? abut_shape_aabb(x, y, z)
                                          : abut_shape_obb(x, y, z),
        };
        if (s->def[i].motion == ABUT_STATIC)
        {
            s->def[i].velocity = (abut_velocity){ 0 };
        }
    }
}

static inline abut_world *open_scene(scene *s, const abut_world_def *def)
{
    abut_world *world = open_world(def);
    assert_int_equal(abut_body_create_many(world, s->def, BODIES, s->body), ABUT_OK);
    return world;
}

static inline abut_moving_shape moving(const abut_body_def *def)
{
    return (abut_moving_shape){ def->collider.shape, def->pose, def->velocity };
}

// Of worlds in which bodies and colliders have the same slots.
static inline bool is_same_impact(const abut_body_impact *a, const abut_body_impact *b)
{
    return a->body.slot == b->body.slot && a->other.slot == b->other.slot && a->collider.slot == b->collider.slot &&
           a->other_collider.slot == b->other_collider.slot && a->child == b->child &&
           a->impact.time == b->impact.time && a->impact.distance == b->impact.distance &&
           a->impact.flags == b->impact.flags &&
           memcmp(&a->impact.normal, &b->impact.normal, sizeof a->impact.normal) == 0 &&
           memcmp(&a->impact.offset, &b->impact.offset, sizeof a->impact.offset) == 0;
}

static inline void expect_same_impacts(abut_world *world, abut_world *other)
{
    const abut_impacts a = abut_world_impacts(world), b = abut_world_impacts(other);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; ++i)
    {
        assert_true(is_same_impact(&a.data[i], &b.data[i]));
    }
}

#endif
