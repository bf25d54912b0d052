// The calls of the interface as a table: what each takes, and arguments with which it succeeds. And the scene to try
// them in, which records the calls of `on_error`. Wrong input is then one field changed, whatever the call.
#ifndef ERRORS_BENCH_H
#define ERRORS_BENCH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "observed.h"

#include <abut/abut.h>

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum
{
    MANY = 3 // elements of a bulk call; the last one is at fault
};

// What a call takes, and so which faults it can be given.
enum
{
    WORLD = 1 << 0,
    BODY = 1 << 1,
    COLLIDER = 1 << 2,
    DISTINCT = 1 << 3, // a handle may not stand twice
    BODY_DEF = 1 << 4,
    COLLIDER_DEF = 1 << 5, // with its shape
    SHAPE = 1 << 6,
    LOCAL = 1 << 7, // as a value of its own
    POSE = 1 << 8,
    VELOCITY = 1 << 9,
    MOTION = 1 << 10,
    OTHER_MOTION = 1 << 11,
    TIME = 1 << 12,
    HORIZON = 1 << 13, // also the margin of a collide
    ROOM = 1 << 14,
    IN = 1 << 15, // a pointer to values read
    OUT = 1 << 16,
    HANDLES = 1 << 17, // a pointer to handles
    OTHER_IN = 1 << 18,
    BULK = 1 << 19,
    PAIR = 1 << 20,     // the second body is not the first
    DURATION = 1 << 21, // a time that must be positive
    SET = 1 << 22
};

// Everything any call takes. NULL pointers have names of their own, so that a fault is always one field.
typedef struct arguments
{
    abut_world *world;
    abut_body body[MANY];
    abut_collider collider;
    abut_body_def body_def[MANY];
    abut_collider_def collider_def;
    abut_shape shape;
    abut_pose local;
    abut_filter filter;
    abut_pose pose[MANY];
    abut_velocity velocity[MANY];
    abut_motion motion, other_motion;
    float time, horizon, range;
    abut_contact_set set;
    uint32_t room;
    bool no_in, no_other_in, no_out, no_handles;
    _Alignas(16) unsigned char out[sizeof(abut_body_def) * MANY + sizeof(abut_audit) + sizeof(abut_manifold)];
} arguments;

#define IN_OF(value)       (a->no_in ? NULL : (value))
#define OTHER_IN_OF(value) (a->no_other_in ? NULL : (value))
#define OUT_AS(type)       (a->no_out ? NULL : (type *)(void *)a->out)
#define HANDLES_OF         (a->no_handles ? NULL : a->body)

#define CALL(name, ...)                                                                                                \
    static abut_status call_##name(arguments *a)                                                                       \
    {                                                                                                                  \
        return abut_##name(__VA_ARGS__);                                                                               \
    }

CALL(world_reserve, a->world, a->room, 8)
CALL(world_set_collides, a->world, a->motion, a->other_motion, true)
CALL(world_set_broad, a->world, ABUT_BROAD_GRID)
CALL(world_move, a->world, a->time)
CALL(world_step, a->world, a->time)
CALL(world_detect, a->world, a->horizon)
CALL(world_audit, a->world, OUT_AS(abut_audit))
CALL(world_draw, a->world, NULL, NULL, 0, OUT_AS(uint64_t))
CALL(collider_attach, a->world, a->body[0], IN_OF(&a->collider_def), OUT_AS(abut_collider))
CALL(collider_detach, a->world, a->collider)
CALL(collider_set, a->world, a->collider, IN_OF(&a->collider_def))
CALL(collider_set_shape, a->world, a->collider, IN_OF(&a->shape))
CALL(collider_set_local, a->world, a->collider, IN_OF(&a->local))
CALL(collider_set_filter, a->world, a->collider, IN_OF(&a->filter))
CALL(collider_set_user_data, a->world, a->collider, 5)
CALL(collider_get, a->world, a->collider, (abut_collider_def *)(void *)a->out, NULL)
CALL(collider_bounds, a->world, a->collider, OUT_AS(abut_aabb))
CALL(body_create, a->world, IN_OF(a->body_def), OUT_AS(abut_body))
CALL(body_create_many, a->world, IN_OF(a->body_def), MANY, OUT_AS(abut_body))
CALL(body_destroy, a->world, a->body[0])
CALL(body_destroy_many, a->world, HANDLES_OF, MANY)
CALL(body_set_pose, a->world, a->body[0], IN_OF(a->pose))
CALL(body_set_pose_many, a->world, HANDLES_OF, MANY, IN_OF(a->pose))
CALL(body_pose, a->world, a->body[0], OUT_AS(abut_pose))
CALL(body_pose_many, a->world, HANDLES_OF, MANY, OUT_AS(abut_pose))
CALL(body_set_velocity, a->world, a->body[0], IN_OF(a->velocity))
CALL(body_set_velocity_many, a->world, HANDLES_OF, MANY, IN_OF(a->velocity))
CALL(body_velocity, a->world, a->body[0], OUT_AS(abut_velocity))
CALL(body_velocity_many, a->world, HANDLES_OF, MANY, OUT_AS(abut_velocity))
CALL(body_set_motion, a->world, a->body[0], a->motion)
CALL(body_motion, a->world, a->body[0], OUT_AS(abut_motion))
CALL(body_set_enabled, a->world, a->body[0], false)
CALL(body_enabled, a->world, a->body[0], OUT_AS(bool))
CALL(body_set_awake, a->world, a->body[0], false)
CALL(body_set_awake_many, a->world, HANDLES_OF, MANY, false)
CALL(body_awake, a->world, a->body[0], OUT_AS(bool))
CALL(body_set_ccd, a->world, a->body[0], true)
CALL(body_ccd, a->world, a->body[0], OUT_AS(bool))
CALL(body_set_ccd_all, a->world, a->body[0], true)
CALL(body_ccd_all, a->world, a->body[0], OUT_AS(bool))
CALL(body_set_user_data, a->world, a->body[0], 5)
CALL(body_user_data, a->world, a->body[0], OUT_AS(uint64_t))
CALL(body_colliders, a->world, a->body[0], (abut_collider *)(void *)(a->out + 64), 4, OUT_AS(uint32_t))
CALL(body_mark_moved, a->world, a->body[0])
CALL(body_move_to, a->world, a->body[0], IN_OF(a->pose), a->range)
CALL(body_exclude, a->world, a->body[0], a->body[1], true)
CALL(body_excluded, a->world, a->body[0], a->body[1], OUT_AS(uint32_t))
CALL(body_contacts, a->world, a->body[0], a->set, (uint32_t *)(void *)(a->out + 64), 4, OUT_AS(uint32_t))
CALL(collider_overlaps, a->world, a->collider, (abut_sensor_overlap *)(void *)(a->out + 64), 4, OUT_AS(uint32_t))
CALL(overlap, IN_OF(&a->shape), &a->local, OTHER_IN_OF(&a->collider_def.shape), a->pose, OUT_AS(bool))
CALL(collide, &a->shape, IN_OF(&a->local), &a->collider_def.shape, OTHER_IN_OF(a->pose), a->horizon,
     OUT_AS(abut_manifold))

CALL(overlap_2d, IN_OF(&a->shape), &a->local, OTHER_IN_OF(&a->collider_def.shape), a->pose, OUT_AS(bool))
CALL(collide_2d, &a->shape, IN_OF(&a->local), &a->collider_def.shape, OTHER_IN_OF(a->pose), a->horizon,
     OUT_AS(abut_manifold))

static abut_status call_colliders_to_nowhere(arguments *a)
{
    return abut_body_colliders(a->world, a->body[0], OUT_AS(abut_collider), 4, (uint32_t *)(void *)(a->out + 64));
}

static abut_status call_detect_in_pieces(arguments *a)
{
    const abut_status status = abut_world_detect_begin(a->world, a->horizon);
    return status == ABUT_OK ? abut_world_detect_end(a->world) : status;
}

static abut_status call_contacts_to_nowhere(arguments *a)
{
    return abut_body_contacts(a->world, a->body[0], a->set, OUT_AS(uint32_t), 4, (uint32_t *)(void *)(a->out + 64));
}

static abut_status call_overlaps_to_nowhere(arguments *a)
{
    return abut_collider_overlaps(a->world, a->collider, OUT_AS(abut_sensor_overlap), 4,
                                  (uint32_t *)(void *)(a->out + 64));
}

typedef struct call
{
    const char *name;
    abut_status (*make)(arguments *a);
    uint32_t takes;
} call;

#define ROW(name, takes)                                                                                               \
    {                                                                                                                  \
        "abut_" #name, call_##name, takes                                                                              \
    }

static const call calls[] = {
    ROW(world_reserve, WORLD | ROOM),
    ROW(world_set_collides, WORLD | MOTION | OTHER_MOTION),
    ROW(world_set_broad, WORLD),
    ROW(world_move, WORLD | TIME),
    ROW(world_step, WORLD | TIME),
    ROW(world_detect, WORLD | HORIZON),
    { "abut_world_detect_begin", call_detect_in_pieces, WORLD | HORIZON },
    ROW(world_audit, WORLD | OUT),
    ROW(world_draw, WORLD | OUT),
    ROW(collider_attach, WORLD | BODY | COLLIDER_DEF | IN | OUT),
    ROW(collider_detach, WORLD | COLLIDER),
    ROW(collider_set, WORLD | COLLIDER | COLLIDER_DEF | IN),
    ROW(collider_set_shape, WORLD | COLLIDER | SHAPE | IN),
    ROW(collider_set_local, WORLD | COLLIDER | LOCAL | IN),
    ROW(collider_set_filter, WORLD | COLLIDER | IN),
    ROW(collider_set_user_data, WORLD | COLLIDER),
    ROW(collider_get, WORLD | COLLIDER),
    ROW(collider_bounds, WORLD | COLLIDER | OUT),
    ROW(body_create, WORLD | BODY_DEF | IN | OUT),
    ROW(body_create_many, WORLD | BODY_DEF | IN | OUT | BULK),
    ROW(body_destroy, WORLD | BODY),
    ROW(body_destroy_many, WORLD | BODY | DISTINCT | HANDLES | BULK),
    ROW(body_set_pose, WORLD | BODY | POSE | IN),
    ROW(body_set_pose_many, WORLD | BODY | POSE | IN | HANDLES | BULK),
    ROW(body_pose, WORLD | BODY | OUT),
    ROW(body_pose_many, WORLD | BODY | OUT | HANDLES | BULK),
    ROW(body_set_velocity, WORLD | BODY | VELOCITY | IN),
    ROW(body_set_velocity_many, WORLD | BODY | VELOCITY | IN | HANDLES | BULK),
    ROW(body_velocity, WORLD | BODY | OUT),
    ROW(body_velocity_many, WORLD | BODY | OUT | HANDLES | BULK),
    ROW(body_set_motion, WORLD | BODY | MOTION),
    ROW(body_motion, WORLD | BODY | OUT),
    ROW(body_set_enabled, WORLD | BODY),
    ROW(body_enabled, WORLD | BODY | OUT),
    ROW(body_set_awake, WORLD | BODY),
    ROW(body_set_awake_many, WORLD | BODY | HANDLES | BULK),
    ROW(body_awake, WORLD | BODY | OUT),
    ROW(body_set_ccd, WORLD | BODY),
    ROW(body_ccd, WORLD | BODY | OUT),
    ROW(body_set_ccd_all, WORLD | BODY),
    ROW(body_ccd_all, WORLD | BODY | OUT),
    ROW(body_set_user_data, WORLD | BODY),
    ROW(body_user_data, WORLD | BODY | OUT),
    ROW(body_colliders, WORLD | BODY | OUT),
    { "abut_body_colliders", call_colliders_to_nowhere, WORLD | BODY | OUT },
    ROW(body_mark_moved, WORLD | BODY),
    ROW(body_move_to, WORLD | BODY | POSE | IN | DURATION),
    ROW(body_exclude, WORLD | BODY | PAIR),
    ROW(body_excluded, WORLD | BODY | PAIR | OUT),
    ROW(body_contacts, WORLD | BODY | SET | OUT),
    { "abut_body_contacts", call_contacts_to_nowhere, WORLD | BODY | OUT },
    ROW(collider_overlaps, WORLD | COLLIDER | OUT),
    { "abut_collider_overlaps", call_overlaps_to_nowhere, WORLD | COLLIDER | OUT },
    ROW(overlap, SHAPE | LOCAL | POSE | IN | OTHER_IN | OUT),
    ROW(collide, SHAPE | LOCAL | POSE | IN | OTHER_IN | OUT | HORIZON),
    ROW(overlap_2d, SHAPE | LOCAL | POSE | IN | OTHER_IN | OUT),
    ROW(collide_2d, SHAPE | LOCAL | POSE | IN | OTHER_IN | OUT | HORIZON),
};

// The scene a fault is tried on: two worlds, so that a handle may come from the other.
typedef struct bench
{
    abut_world *world, *other;
    arguments good;
    abut_body stale, foreign;
    abut_collider stale_collider, foreign_collider;
    uint32_t told;
    abut_status status;
    uint32_t index;
    const char *call, *sentence;
    bool ask_back; // call everything from inside the callback
} bench;

// From inside the callback, every call that can fail reports that the world is busy; the others do nothing or only
// read.
static void everything_is_busy(bench *b)
{
    for (uint32_t i = 0; i < COUNT(calls); ++i)
    {
        arguments a = b->good;
        if (calls[i].takes & WORLD)
        {
            assert_int_equal(calls[i].make(&a), ABUT_BUSY);
            assert_memory_equal(a.out, b->good.out, sizeof a.out);
        }
    }
    abut_world_destroy(b->world);
    assert_null(abut_world_bodies(b->world).poses);
}

static void note_error(void *context, abut_status status, const char *name, uint32_t index, const char *sentence)
{
    bench *b = context;
    ++b->told;
    b->status = status;
    b->call = name;
    b->index = index;
    b->sentence = sentence;
    if (b->ask_back)
    {
        everything_is_busy(b);
    }
}

static inline abut_world *open_scene(bench *b, abut_broad_kind broad, arguments *a)
{
    abut_world *world = NULL;
    const abut_world_def def = { .broad = broad, .margin = 0.01f, .on_error = note_error, .on_error_context = b };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    abut_body_def body = { .velocity.linear = { 0.1f, 0, 0 }, .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) };
    for (uint32_t i = 0; i < MANY; ++i)
    {
        body.pose.position.x = 0.9f * (float)i;
        body.motion = i == 2 ? ABUT_STATIC : ABUT_DYNAMIC;
        assert_int_equal(abut_body_create(world, &body, &a->body[i]), ABUT_OK);
    }
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, a->body[0], &a->collider, 1, &count), ABUT_OK);
    for (uint32_t i = 0; i < 3; ++i)
    {
        assert_int_equal(abut_world_detect(world, 0.05f), ABUT_OK);
    }
    a->world = world;
    return world;
}

static inline void open_bench(bench *b, abut_broad_kind broad)
{
    memset(b, 0, sizeof *b);
    arguments a, elsewhere;
    memset(&a, 0, sizeof a);
    memset(&elsewhere, 0, sizeof elsewhere);
    b->world = open_scene(b, broad, &a);
    b->other = open_scene(b, broad, &elsewhere);
    b->foreign = elsewhere.body[0];
    b->foreign_collider = elsewhere.collider;
    b->stale = a.body[0];
    b->stale_collider = a.collider;
    const abut_body_def def = { .pose.position.y = 0.2f, .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) };
    uint32_t count;
    assert_int_equal(abut_body_destroy(b->world, a.body[0]), ABUT_OK);
    assert_int_equal(abut_world_detect(b->world, 0.05f), ABUT_OK);
    assert_int_equal(abut_body_create(b->world, &def, &a.body[0]), ABUT_OK);
    assert_int_equal(a.body[0].slot, b->stale.slot); // so that the stale handle's slot is in use
    assert_int_equal(abut_body_colliders(b->world, a.body[0], &a.collider, 1, &count), ABUT_OK);
    assert_int_equal(a.collider.slot, b->stale_collider.slot);
    assert_int_equal(abut_world_detect(b->world, 0.05f), ABUT_OK);
    a.shape = abut_shape_obb(1, 1, 1);
    a.local = abut_pose_identity();
    a.collider_def.shape = abut_shape_sphere(1);
    a.time = a.range = 0.01f;
    a.room = 4;
    memset(a.out, 0xa5, sizeof a.out);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        a.pose[i] = abut_pose_identity();
        a.body_def[i].collider.shape = abut_shape_obb(1, 1, 1);
    }
    b->good = a;
}

static inline void close_bench(bench *b)
{
    abut_world_destroy(b->world);
    abut_world_destroy(b->other);
}

// Makes a call with the present arguments and expects `status`, reported once, with nothing written or changed.
static inline void expect_error(bench *b, const call *c, const arguments *asked, abut_status status, uint32_t index,
                                const char *fault)
{
    arguments a = *asked;
    const uint64_t before = observed(b->world);
    b->told = 0;
    const abut_status given = c->make(&a);
    const bool tells = a.world && (c->takes & WORLD);
    if (given != status || b->told != (tells ? 1u : 0u))
    {
        fail_msg("%s with %s: status %d for %d, reported %u times", c->name, fault, given, status, b->told);
    }
    if (tells && (b->status != status || b->index != index || strcmp(b->call, c->name) != 0))
    {
        fail_msg("%s with %s: reported status %d of %s, element %u", c->name, fault, b->status, b->call, b->index);
    }
    assert_true(!tells || (b->sentence && strchr(b->sentence, ' ')));
    if (memcmp(a.out, asked->out, sizeof a.out) != 0)
    {
        fail_msg("%s with %s wrote its output", c->name, fault);
    }
    if (observed(b->world) != before)
    {
        fail_msg("%s with %s changed the world", c->name, fault);
    }
}

// Numbers that are wrong in every field they can stand in, as a bit set so that a row names the ones that matter.
enum
{
    NOT_FINITE = 7,
    PAST = 8,
    NEGATIVE = 16
};

static const struct
{
    float value;
    const char *name;
} wrong_number[] = {
    { NAN, "NaN" }, { INFINITY, "infinity" }, { -INFINITY, "-infinity" }, { 1.1e8f, "1.1e8" }, { -1.0f, "-1" }
};

#endif
