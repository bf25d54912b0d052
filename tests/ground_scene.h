// Half-spaces and what falls on them, at random.
#ifndef GROUND_SCENE_H
#define GROUND_SCENE_H

#include "random_compound.h"
#include "random_moving.h"
#include "small_world.h"

enum
{
    GROUND_BODIES = 40 // besides
};

// Two half-spaces, and bodies of all kinds over them.
typedef struct ground_scene
{
    random_source random;
    abut_geometry *hull, *compound;
    abut_placed_shape parts[COMPOUND_MOST];
    uint32_t part_count;
    abut_world *world;
    abut_body plane[2], body[GROUND_BODIES];
    abut_shape shape[GROUND_BODIES];
    bool is_2d;
} ground_scene;

static inline abut_pose random_pose_of(random_source *random, double reach, bool is_2d)
{
    if (is_2d)
    {
        const double x = random_between(random, -reach, reach), y = random_between(random, -reach, reach);
        return abut_pose_2d((float)x, (float)y, (float)random_between(random, -3.0, 3.0));
    }
    return (abut_pose){ .position = random_narrow(random_in_box(random, reach)),
                        .rotation = random_narrow_rotation(random_rotation(random)) };
}

static inline abut_shape random_one(ground_scene *s, bool is_2d)
{
    const uint32_t sort = random_below(&s->random, is_2d ? 4 : 6);
    const double size = random_scale(&s->random, 0.2, 1.0);
    return sort == 4   ? abut_shape_hull(s->hull)
           : sort == 5 ? abut_shape_compound(s->compound)
                       : random_shape(&s->random, random_kind(sort), size);
}

// One plane is tilted; the other moves, its collider off its body's origin.
static inline void open_scene(ground_scene *s, uint64_t seed, abut_world_def def)
{
    const bool is_2d = def.dimension == 2;
    *s = (ground_scene){ .random = random_start(seed), .is_2d = is_2d };
    s->hull = random_lump(&s->random, 0.7);
    s->part_count = random_parts(&s->random, 1.0, true, s->hull, s->parts);
    s->compound = compound_of(s->parts, s->part_count);
    def.margin = 0.02f;
    s->world = open_world(&def);
    const abut_vec3 tilt = abut_vec3_make(0.3f, 1.0f, is_2d ? 0.0f : -0.2f);
    const abut_body_def planes[2] = {
        { .motion = ABUT_STATIC, .pose = abut_pose_of_plane(tilt, -4.0f), .collider.shape = abut_shape_half_space() },
        { .motion = ABUT_KINEMATIC,
          .pose = random_pose_of(&s->random, 1.0, is_2d),
          .velocity.linear = { 0.1f, 0.2f, 0.0f },
          .collider = { .shape = abut_shape_half_space(), .local = { .position = { 0.0f, -5.0f, 0.0f } } } },
    };
    assert_int_equal(abut_body_create_many(s->world, planes, 2, s->plane), ABUT_OK);
    for (uint32_t i = 0; i < GROUND_BODIES; ++i)
    {
        s->shape[i] = random_one(s, is_2d);
        abut_body_def body = { .pose = random_pose_of(&s->random, 6.0, is_2d), .collider.shape = s->shape[i] };
        body.velocity.linear = random_narrow(random_in_box(&s->random, 3.0));
        body.velocity.linear.z = is_2d ? 0.0f : body.velocity.linear.z;
        body.flags = random_chance(&s->random, 0.2) ? ABUT_BODY_CCD : 0u;
        assert_int_equal(abut_body_create(s->world, &body, &s->body[i]), ABUT_OK);
    }
}

static inline void close_scene(ground_scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->compound);
    abut_geometry_release(s->hull);
}

static inline abut_pose plane_pose(const ground_scene *s, uint32_t which)
{
    const abut_pose *body = &abut_world_bodies(s->world).poses[s->plane[which].slot];
    const abut_pose below = { .position = { 0.0f, -5.0f, 0.0f }, .rotation = { .w = 1.0f } };
    return which == 0 ? *body : abut_pose_compose(body, &below);
}

#endif
