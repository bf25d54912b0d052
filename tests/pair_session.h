// A world edited by chance and the plain model beside it: every edit is made through the public calls and noted in the
// model.
#ifndef PAIR_SESSION_H
#define PAIR_SESSION_H

#include "small_world.h"

#include "pair_model.h"

#include <stdio.h>

enum
{
    MOST_BODIES = 56,
    MOST_COLLIDERS = 120
};

typedef struct session
{
    model m;
    random_source random;
    abut_world *world;
    uint64_t seed, named, pair_steps, detects, told, asked, vetoed, begun, ended;
    float horizon;
    uint16_t bodies_before[MODEL_BODIES][MODEL_BODIES], bodies_now[MODEL_BODIES][MODEL_BODIES];
} session;

#define DEMAND(s, condition, ...)                                                                                      \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            printf("seed %llu, detect %llu: ", (unsigned long long)(s)->seed, (unsigned long long)(s)->detects);       \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

static inline float between(session *s, double low, double high)
{
    return (float)random_between(&s->random, low, high);
}

static inline abut_shape some_shape(session *s)
{
    const float size = between(s, 0.2, 0.9);
    switch (random_below(&s->random, 3))
    {
    case 0:
        return abut_shape_sphere(size);
    case 1:
        return abut_shape_aabb(size, between(s, 0.2, 0.9), size);
    default:
        return abut_shape_obb(size, between(s, 0.2, 0.9), size);
    }
}

static inline abut_filter some_filter(session *s)
{
    static const abut_filter choice[] = {
        { 0, 0, 0 }, { 0, 0, 0 }, { 2, 3, 0 }, { 1, 2, 0 }, { 2, 2, -1 }, { 0, 0, 3 }
    };
    return choice[random_below(&s->random, COUNT(choice))];
}

static inline abut_collider_def some_collider(session *s)
{
    return (abut_collider_def){
        .shape = some_shape(s),
        .filter = some_filter(s),
        .flags = (random_chance(&s->random, 0.2) ? (uint32_t)ABUT_COLLIDER_SENSOR : 0u) |
                 (random_chance(&s->random, 0.03) ? (uint32_t)ABUT_COLLIDER_COLLIDES_WITH_NOTHING : 0u),
        .user_data = ++s->named
    };
}

static inline abut_pose some_pose(session *s)
{
    const abut_vec3 axis = { between(s, -1, 1), between(s, -1, 1), between(s, -1, 1) };
    return (abut_pose){ .position = { between(s, -1.6, 1.6), between(s, -1.6, 1.6), between(s, -1.6, 1.6) },
                        .rotation = abut_quat_from_axis_angle(axis, between(s, -3, 3)) };
}

static inline void note_collider(session *s, abut_collider handle, abut_body body, const abut_collider_def *def)
{
    DEMAND(s, handle.slot < MODEL_COLLIDERS, "collider slot %u", handle.slot);
    s->m.collider[handle.slot] = (model_collider){ .handle = handle, .def = *def, .body = body };
}

static inline uint32_t count_colliders(const session *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MODEL_COLLIDERS; ++i)
    {
        count += s->m.collider[i].handle.generation != 0;
    }
    return count;
}

// A live body, or NULL.
static inline model_body *some_body(session *s)
{
    for (uint32_t tries = 0; tries < 40; ++tries)
    {
        model_body *body = &s->m.body[random_below(&s->random, MODEL_BODIES)];
        if (body->handle.generation && !body->ended)
        {
            return body;
        }
    }
    return NULL;
}

static inline model_collider *one_collider(session *s)
{
    for (uint32_t tries = 0; tries < 40; ++tries)
    {
        model_collider *collider = &s->m.collider[random_below(&s->random, MODEL_COLLIDERS)];
        if (collider->handle.generation && !collider->ended)
        {
            return collider;
        }
    }
    return NULL;
}

static inline void attach(session *s)
{
    model_body *body = some_body(s);
    const abut_collider_def def = some_collider(s);
    abut_collider handle;
    if (body && count_colliders(s) < MOST_COLLIDERS)
    {
        assert_int_equal(abut_collider_attach(s->world, body->handle, &def, &handle), ABUT_OK);
        note_collider(s, handle, body->handle, &def);
    }
}

static inline void create(session *s)
{
    abut_statistics statistics;
    abut_world_statistics(s->world, &statistics);
    if (statistics.bodies >= MOST_BODIES || count_colliders(s) >= MOST_COLLIDERS)
    {
        return;
    }
    const abut_body_def def = { .pose = some_pose(s),
                                .velocity.linear = { between(s, -1, 1), between(s, -1, 1), between(s, -1, 1) },
                                .motion =
                                    (abut_motion)(random_chance(&s->random, 0.6) ? 0 : random_below(&s->random, 3)),
                                .flags = random_chance(&s->random, 0.2) ? ABUT_BODY_ASLEEP : 0,
                                .user_data = ++s->named,
                                .collider = some_collider(s) };
    abut_body handle;
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_create(s->world, &def, &handle), ABUT_OK);
    DEMAND(s, handle.slot < MODEL_BODIES, "body slot %u", handle.slot);
    s->m.body[handle.slot] =
        (model_body){ .handle = handle, .motion = def.motion, .asleep = def.flags != 0, .user_data = def.user_data };
    assert_int_equal(abut_body_colliders(s->world, handle, &collider, 1, &count), ABUT_OK);
    note_collider(s, collider, handle, &def.collider);
}

static inline void destroy(session *s)
{
    model_body *body = some_body(s);
    if (!body)
    {
        return;
    }
    assert_int_equal(abut_body_destroy(s->world, body->handle), ABUT_OK);
    body->ended = true;
    for (uint32_t i = 0; i < MODEL_COLLIDERS; ++i)
    {
        model_collider *collider = &s->m.collider[i];
        collider->ended = collider->ended || (collider->handle.generation && collider->body.slot == body->handle.slot);
    }
    for (uint32_t i = 0; i < MODEL_BODIES; ++i)
    {
        s->m.excluded[i][body->handle.slot] = s->m.excluded[body->handle.slot][i] = 0;
    }
}

static inline void detach(session *s)
{
    model_collider *collider = one_collider(s);
    if (collider && random_chance(&s->random, 0.5))
    {
        assert_int_equal(abut_collider_detach(s->world, collider->handle), ABUT_OK);
        collider->ended = true;
    }
}

static inline void redefine(session *s)
{
    model_collider *collider = one_collider(s);
    const abut_collider_def def = some_collider(s);
    if (!collider)
    {
        return;
    }
    switch (random_below(&s->random, 4))
    {
    case 0:
        assert_int_equal(abut_collider_set(s->world, collider->handle, &def), ABUT_OK);
        model_refilter(collider, &def.filter);
        collider->def = def;
        break;
    case 1:
        assert_int_equal(abut_collider_set_shape(s->world, collider->handle, &def.shape), ABUT_OK);
        collider->def.shape = def.shape;
        break;
    default:
        assert_int_equal(abut_collider_set_filter(s->world, collider->handle, &def.filter), ABUT_OK);
        model_refilter(collider, &def.filter);
    }
}

static inline void displace(session *s)
{
    const model_body *body = some_body(s);
    abut_pose pose = some_pose(s);
    if (!body)
    {
        return;
    }
    if (random_chance(&s->random, 0.6))
    {
        abut_pose now;
        assert_int_equal(abut_body_pose(s->world, body->handle, &now), ABUT_OK);
        pose.position = abut_vec3_add(now.position, abut_vec3_scale(pose.position, 0.05f));
    }
    assert_int_equal(abut_body_set_pose(s->world, body->handle, &pose), ABUT_OK);
}

static inline void doze(session *s)
{
    for (uint32_t k = random_below(&s->random, 12); k > 0; --k)
    {
        model_body *body = some_body(s);
        const bool awake = random_chance(&s->random, 0.4);
        if (body)
        {
            assert_int_equal(abut_body_set_awake(s->world, body->handle, awake), ABUT_OK);
            body->asleep = !awake;
        }
    }
}

static inline void change_body(session *s)
{
    model_body *body = some_body(s);
    if (body && random_chance(&s->random, 0.5))
    {
        body->disabled = random_chance(&s->random, 0.3);
        assert_int_equal(abut_body_set_enabled(s->world, body->handle, !body->disabled), ABUT_OK);
    }
    else if (body)
    {
        body->motion = (abut_motion)random_below(&s->random, 3);
        assert_int_equal(abut_body_set_motion(s->world, body->handle, body->motion), ABUT_OK);
    }
}

static inline void exclude(session *s)
{
    const model_body *a = some_body(s), *b = some_body(s);
    const bool more = random_chance(&s->random, 0.6);
    if (!a || !b || a == b)
    {
        return;
    }
    uint32_t *times = &s->m.excluded[a->handle.slot][b->handle.slot], count;
    const abut_status status = abut_body_exclude(s->world, a->handle, b->handle, more);
    assert_int_equal(status, more || *times ? ABUT_OK : ABUT_INVALID_ARGUMENT);
    *times = status != ABUT_OK ? *times : more ? *times + 1 : *times - 1;
    s->m.excluded[b->handle.slot][a->handle.slot] = *times;
    assert_int_equal(abut_body_excluded(s->world, b->handle, a->handle, &count), ABUT_OK);
    DEMAND(s, count == *times, "excluded %u times, not %u", count, *times);
}

static inline void change_rules(session *s)
{
    if (random_chance(&s->random, 0.05))
    {
        const abut_motion a = (abut_motion)random_below(&s->random, 3), b = (abut_motion)random_below(&s->random, 3);
        s->m.meets[a][b] = s->m.meets[b][a] = random_chance(&s->random, 0.6);
        assert_int_equal(abut_world_set_collides(s->world, a, b, s->m.meets[a][b]), ABUT_OK);
    }
}

static inline void edit(session *s)
{
    static void (*const edits[])(session *) = {
        create,   create,   create,   create, destroy, attach,   detach,   doze,    exclude,     redefine,    redefine,
        displace, displace, displace, doze,   exclude, redefine, displace, destroy, change_body, change_rules
    };
    edits[random_below(&s->random, COUNT(edits))](s);
}

#endif
