// A crowd that is asked on many threads, and the questions.
#ifndef ASKED_CROWD_H
#define ASKED_CROWD_H

#include "random_world.h"
#include "small_world.h"

enum
{
    BODIES = 2000,
    ASKED = 1100 // not a multiple of what is answered together
};

// Questions, the same for every world.
typedef struct questions
{
    abut_ray ray[ASKED];
    abut_cast cast[ASKED];
    abut_vec3 point[ASKED];
    abut_placed_shape shape[ASKED];
} questions;

static inline abut_world *make_crowd(uint32_t threads)
{
    random_source random = random_start(3);
    abut_world *world = open_world(&(abut_world_def){ .threads = threads });
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const float size = (float)random_between(&random, 0.1, 0.5);
        const abut_shape shapes[] = { abut_shape_sphere(size), abut_shape_obb(size, 0.3f, size),
                                      abut_shape_capsule(0.5f * size, size) };
        abut_body body;
        const abut_body_def def = { .pose = { .position = random_narrow(random_in_box(&random, 9.0)),
                                              .rotation = random_narrow_rotation(random_rotation(&random)) },
                                    .motion = i % 3 == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
                                    .collider.shape = shapes[i % 3] };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    return world;
}

static inline questions *make_questions(void)
{
    random_source random = random_start(4);
    questions *q = test_calloc(1, sizeof *q);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        const abut_vec3 from = random_narrow(random_in_box(&random, 9.0)),
                        way = random_narrow(random_in_box(&random, 9.0));
        q->ray[i] = (abut_ray){ from, way };
        q->cast[i] = (abut_cast){ .shape = i % 2 ? abut_shape_sphere(0.2f) : abut_shape_obb(0.1f, 0.2f, 0.3f),
                                  .pose = { .position = from, .rotation = { .w = 1.0f } },
                                  .translation = way };
        q->point[i] = from;
        q->shape[i] = (abut_placed_shape){ q->cast[i].shape, q->cast[i].pose };
    }
    return q;
}

#endif
