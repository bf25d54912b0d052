// A character of a person's size in scenes of boxes, and its ticks.
#ifndef CHARACTER_SCENE_H
#define CHARACTER_SCENE_H

#include "small_world.h"

#include <math.h>

#define RADIUS 0.3f
#define HALF   0.6f
#define FEET   (RADIUS + HALF)
#define SKIN   0.01f
#define PACE   0.05f  // metres a tick
#define FALL   0.003f // metres a tick, each tick more
#define DEGREE 0.017453293f

static inline abut_character person(float x, float y, float z)
{
    abut_character c = { .shape = abut_shape_capsule(RADIUS, HALF),
                         .pose = abut_pose_identity(),
                         .max_slope = 47 * DEGREE,
                         .step_height = 0.3f,
                         .snap_distance = 0.2f,
                         .skin = SKIN };
    c.pose.position = abut_vec3_make(x, y + FEET + SKIN, z);
    return c;
}

static inline abut_body put(abut_world *world, abut_shape shape, float x, float y, float degrees)
{
    abut_body body = { 0 };
    abut_body_def def = { .pose.position = { x, y, 0 }, .motion = ABUT_STATIC, .collider.shape = shape };
    def.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), degrees * DEGREE);
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static inline abut_world *open_floor(void)
{
    abut_world *world = open_world(NULL);
    put(world, abut_shape_obb(50, 1, 50), 0, -1, 0);
    return world;
}

static inline void update(abut_world *world)
{
    assert_int_equal(abut_world_update(world), ABUT_OK);
}

static inline abut_character_move move(abut_world *world, abut_character *c, float x, float y, float z)
{
    abut_character_move m;
    c->translation = abut_vec3_make(x, y, z);
    assert_int_equal(abut_world_move_character(world, c, NULL, &m), ABUT_OK);
    c->pose.position = m.position;
    c->stands = m.footing == ABUT_FOOTING_GROUND;
    return m;
}

// So many ticks along x, with gravity.
static inline abut_character_move go(abut_world *world, abut_character *c, float pace, int ticks)
{
    abut_character_move m = { .footing = ABUT_FOOTING_NONE };
    float fall = 0;
    for (int i = 0; i < ticks; ++i)
    {
        fall = c->stands ? 0 : fall + FALL;
        m = move(world, c, pace, -fall, 0);
        fall = -m.translation.y;
    }
    return m;
}

static inline void expect_at(const abut_character *c, float x, float y, float tolerance)
{
    assert_float_equal(c->pose.position.x, x, tolerance);
    assert_float_equal(c->pose.position.y - FEET - SKIN, y, tolerance);
}

#endif
