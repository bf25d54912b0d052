// A world with a surface and shapes that slide over it: recycling or not, several colliders, some of them asleep now
// and then, the surface itself at rest or on the move.
#ifndef GHOST_SCENE_H
#define GHOST_SCENE_H

#include "ghost_sliders.h"

typedef struct scene
{
    uint64_t seed;
    uint32_t frame;
    random_source random;
    surface on;
    abut_world *world;
    abut_body ground;
    abut_pose pose, local; // of the surface: the body's, and the collider's
    bool moves;
    double margin, recycle;
    float horizon;
    slider sliders[SLIDER_SHAPES];
} scene;

// Where the surface is.
typedef struct frame
{
    dvec3 at;
    dquat turn;
} frame;

static inline frame surface_frame(const scene *s)
{
    const dquat body = turn_of(s->pose.rotation);
    return (frame){ dvec3_add(wide(s->pose.position), dquat_rotate(body, wide(s->local.position))),
                    dquat_mul(body, turn_of(s->local.rotation)) };
}

static inline void open_ground(scene *s)
{
    const abut_body_def def = { .pose = s->pose,
                                .motion = s->moves ? ABUT_KINEMATIC : ABUT_STATIC,
                                .collider = { .shape = abut_shape_mesh(s->on.geometry), .local = s->local } };
    assert_int_equal(abut_body_create(s->world, &def, &s->ground), ABUT_OK);
}

static inline void open_slider(scene *s, slider *one)
{
    abut_body_def def = { .pose = abut_pose_identity() };
    abut_collider_def parts[SLIDER_PARTS] = { { .shape = one->shape[0], .local = one->local[0] },
                                              { .shape = one->shape[1], .local = one->local[1] } };
    const abut_filter filter = { .category = 2, .mask = 1 };
    parts[0].filter = parts[1].filter = filter;
    def.pose.position.y = (float)(100.0 * s->on.scale);
    assert_int_equal(abut_body_create(s->world, &def, &one->body), ABUT_OK);
    for (uint32_t i = 0; i < one->parts; ++i)
    {
        assert_int_equal(abut_collider_attach(s->world, one->body, &parts[i], &one->collider[i]), ABUT_OK);
    }
}

static inline abut_pose somewhere(random_source *random, double far)
{
    const abut_pose pose = { .position = random_narrow(random_in_box(random, far)),
                             .rotation = random_narrow_rotation(random_rotation(random)) };
    return random_chance(random, 0.5) ? pose : abut_pose_identity();
}

// Balls far from all else that never move: manifolds are recycled only where enough bodies are calm.
static inline void open_calm_ones(scene *s)
{
    const float apart = (float)s->on.scale;
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        (void)add(s->world, abut_shape_sphere(0.1f * apart), 100.0f * apart, apart * (float)i, 0, ABUT_DYNAMIC);
    }
}

static inline void open_scene(scene *s, surface_kind kind, uint64_t seed)
{
    *s = (scene){ .seed = seed, .random = random_start(seed * SURFACE_KINDS + (uint64_t)kind) };
    random_source *random = &s->random;
    surface_make(&s->on, kind, random, random_chance(random, 0.5) ? 1.0 : random_scale(random, 0.01, 100.0));
    s->pose = somewhere(random, 2.0 * s->on.scale);
    s->local = random_chance(random, 0.2) ? somewhere(random, s->on.scale) : abut_pose_identity();
    s->moves = random_chance(random, 0.2);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        slider_make(&s->sliders[i], random, i, &s->on);
        least = fmin(least, s->sliders[i].size);
    }
    s->margin = random_chance(random, 0.5) ? 0.0 : least * random_scale(random, 1e-3, 0.1);
    s->recycle = random_chance(random, 0.5) ? 0.0 : least * random_scale(random, 1e-3, 0.1);
    s->horizon = random_chance(random, 0.2) ? 1.0f / 60.0f : 0.0f;
    s->margin = (double)(float)s->margin;
    s->world = open_world(&(abut_world_def){ .margin = (float)s->margin, .recycle_distance = (float)s->recycle });
    for (uint32_t i = 0; i < OWN_KINDS; ++i)
    {
        uint32_t id;
        assert_int_equal(abut_world_register_kind(s->world, &own_kind[i], &id), ABUT_OK);
    }
    const bool first = random_chance(random, 0.5);
    if (first)
    {
        open_ground(s);
    }
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        s->sliders[i].gap = s->margin;
        open_slider(s, &s->sliders[i]);
    }
    if (!first)
    {
        open_ground(s);
    }
    if (random_chance(random, 0.7))
    {
        open_calm_ones(s);
    }
}

static inline void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        abut_geometry_release(s->sliders[i].hull);
    }
    surface_close(&s->on);
}

static inline void move_slider(scene *s, slider *one)
{
    abut_bodies bodies = abut_world_bodies(s->world);
    if (one->asleep > 0)
    {
        if (--one->asleep == 0)
        {
            assert_int_equal(abut_body_set_awake(s->world, one->body, true), ABUT_OK);
        }
        return;
    }
    const frame f = surface_frame(s);
    const dquat turn = slider_next(one, &s->random, &s->on, f.turn);
    abut_pose *pose = &bodies.poses[one->body.slot];
    const abut_vec3 before = pose->position;
    pose->position = random_narrow(dvec3_add(f.at, dquat_rotate(f.turn, one->at)));
    pose->rotation = one->turns == TURN_NONE ? abut_quat_identity() : random_narrow_rotation(dquat_mul(f.turn, turn));
    if (s->horizon > 0.0f)
    {
        bodies.velocities[one->body.slot].linear =
            s->frame == 0 ? abut_vec3_make(0, 0, 0)
                          : abut_vec3_scale(abut_vec3_sub(pose->position, before), 1.0f / s->horizon);
    }
    if (random_chance(&s->random, 0.03))
    {
        assert_int_equal(abut_body_set_awake(s->world, one->body, false), ABUT_OK);
        one->asleep = 1 + random_below(&s->random, 4);
    }
}

static inline void move_ground(scene *s)
{
    if (s->moves)
    {
        abut_pose *pose = &abut_world_bodies(s->world).poses[s->ground.slot];
        const dvec3 by = random_in_box(&s->random, 0.01 * s->on.scale);
        pose->position = random_narrow(dvec3_add(wide(pose->position), by));
        pose->rotation =
            random_narrow_rotation(dquat_mul(dquat_turn(dvec3_make(0, 1, 0), 0.01), turn_of(pose->rotation)));
        s->pose = *pose;
    }
}

#endif
