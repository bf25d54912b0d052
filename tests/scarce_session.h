// A session of every call that changes a world, in which one request for memory fails, once or from there on until the
// call is tried again: each call is made until it succeeds, and until then nothing has changed that a caller can see.
#ifndef SCARCE_SESSION_H
#define SCARCE_SESSION_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "observed.h"
#include "random.h"
#include "scarce_memory.h"
#include "world/world.h"

#include <abut/abut.h>

enum
{
    BODIES = 48,
    FRAMES = 14,
    SPARING_FRAMES = 8,
    MOST_CALLS = 4000 // of a session
};

typedef struct course
{
    abut_broad_kind broad;
    bool lasting, is_2d;
    bool sparing; // the world has no room to spare, so that whatever it needs is a request of its own; of fewer frames
} course;

typedef struct session
{
    source memory;
    random_source random;
    abut_world *world;
    abut_body body[BODIES];
    abut_broad_kind broad;
    uint32_t vetoes;  // that were reported to the caller
    uint64_t forgone; // failed requests that the arena could do without
    uint32_t calls;   // made so far
    bool is_2d;
    abut_geometry *polygon; // in 2D: of every third shape
} session;

// Between two tries of a failed call: nothing has changed since `before`, and there is memory again.
static inline bool again(session *s, uint64_t before, abut_status status)
{
    assert_true(status == ABUT_OK || status == ABUT_OUT_OF_MEMORY);
    if (status == ABUT_OK)
    {
        return false;
    }
    assert_true(s->memory.failed > 0);
    assert_true(observed(s->world) == before);
    ++s->vetoes;
    s->memory.failing = false;
    return true;
}

// By call of the session in which nothing fails: how many requests there had been after it.
static uint64_t asked_after[MOST_CALLS];

// What can be seen now, when the next call is the one that is to fail, or one before it did without what it was refused,
// and the shortage lasts.
static inline uint64_t seen(session *s)
{
    const source *m = &s->memory;
    const bool next = m->asked <= m->first_failed && m->first_failed < asked_after[s->calls];
    return m->failing || (m->first_failed != NEVER && next) ? observed(s->world) : 0;
}

static inline void count_call(session *s)
{
    if (s->memory.first_failed == NEVER)
    {
        asked_after[s->calls] = s->memory.asked;
    }
    assert_true(++s->calls < MOST_CALLS);
}

// Makes the call until it succeeds. What it was given must not change from try to try.
#define TRY(s, call)                                                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        const uint64_t seen_before = seen(s);                                                                          \
        while (again((s), seen_before, (call)))                                                                        \
        {                                                                                                              \
        }                                                                                                              \
        count_call(s);                                                                                                 \
    } while (0)

static inline float between(session *s, double low, double high)
{
    return (float)random_between(&s->random, low, high);
}

static inline abut_pose somewhere(session *s)
{
    if (s->is_2d)
    {
        return abut_pose_2d(between(s, -6, 6), between(s, -6, 6), between(s, -3, 3));
    }
    const abut_vec3 axis = { between(s, -1, 1), between(s, -1, 1), between(s, -1, 1) };
    return (abut_pose){ .position = { between(s, -3, 3), between(s, -3, 3), between(s, -3, 3) },
                        .rotation = abut_quat_from_axis_angle(axis, between(s, -3, 3)) };
}

static inline abut_collider_def some_collider(session *s)
{
    const float size = between(s, 0.3, 1);
    abut_collider_def def = { .shape = abut_shape_sphere(size) };
    const uint32_t kind = random_below(&s->random, 3);
    if (kind > 0)
    {
        def.shape = kind == 1 ? abut_shape_aabb(size, 0.5f, size) : abut_shape_obb(0.4f, size, size);
    }
    def.flags = random_below(&s->random, 6) == 0 ? ABUT_COLLIDER_SENSOR : 0;
    if (s->is_2d && random_chance(&s->random, 0.3))
    {
        def.shape = abut_shape_polygon(s->polygon);
    }
    return def;
}

static inline abut_body_def some_body(session *s, uint32_t i)
{
    return (abut_body_def){ .pose = somewhere(s),
                            .velocity.linear = { between(s, -1, 1), 0, s->is_2d ? 0.0f : between(s, -1, 1) },
                            .motion = i % 5 == 0   ? ABUT_STATIC
                                      : i % 7 == 0 ? ABUT_KINEMATIC
                                                   : ABUT_DYNAMIC,
                            .collider = some_collider(s) };
}

static inline abut_collider collider_of(session *s, abut_body body, uint32_t place)
{
    abut_collider all[8];
    uint32_t count = 0;
    assert_int_equal(abut_body_colliders(s->world, body, all, 8, &count), ABUT_OK);
    assert_true(count > place);
    return all[place];
}

static inline void populate(session *s)
{
    abut_body_def defs[BODIES / 2];
    for (uint32_t i = 0; i < BODIES / 2; ++i)
    {
        defs[i] = some_body(s, i);
    }
    TRY(s, abut_body_create_many(s->world, defs, BODIES / 2, s->body));
    for (uint32_t i = BODIES / 2; i < BODIES; ++i)
    {
        const abut_body_def def = some_body(s, i);
        TRY(s, abut_body_create(s->world, &def, &s->body[i]));
    }
}

// Compounds: two more colliders each, placed away from the origin, one of which goes again.
static inline void compound(session *s, uint32_t first)
{
    for (uint32_t i = first; i < first + 6; ++i)
    {
        for (uint32_t k = 0; k < 2; ++k)
        {
            abut_collider_def def = some_collider(s);
            abut_collider collider;
            def.local.position = abut_vec3_scale(somewhere(s).position, 0.3f);
            TRY(s, abut_collider_attach(s->world, s->body[i], &def, &collider));
        }
        TRY(s, abut_collider_detach(s->world, collider_of(s, s->body[i], i % 3)));
    }
}

static inline void reshape(session *s, uint32_t first)
{
    for (uint32_t i = first; i < first + 4; ++i)
    {
        const abut_collider collider = collider_of(s, s->body[i], 0);
        abut_collider_def def = some_collider(s);
        def.local = somewhere(s);
        def.filter.group = i % 2 ? 1 : 0;
        TRY(s, abut_collider_set(s->world, collider, &def));
        const abut_shape shape = some_collider(s).shape;
        TRY(s, abut_collider_set_shape(s->world, collider, &shape));
        TRY(s, abut_collider_set_local(s->world, collider, &(abut_pose){ .rotation = { 0, 0, 0, 1 } }));
        TRY(s, abut_collider_set_filter(s->world, collider, &(abut_filter){ .mask = 7 }));
        TRY(s, abut_collider_set_user_data(s->world, collider, i));
    }
}

static inline void replace(session *s, uint32_t first)
{
    abut_body_def defs[4];
    TRY(s, abut_body_destroy_many(s->world, &s->body[first], 3));
    TRY(s, abut_body_destroy(s->world, s->body[first + 3]));
    for (uint32_t i = 0; i < 4; ++i)
    {
        defs[i] = some_body(s, first + i);
    }
    TRY(s, abut_body_create_many(s->world, defs, 4, &s->body[first]));
}

static inline void disturb(session *s, uint32_t first)
{
    abut_pose poses[4];
    abut_velocity velocities[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        poses[i] = somewhere(s);
        velocities[i] = (abut_velocity){ .linear = somewhere(s).position };
        const abut_vec3 turn = somewhere(s).position;
        velocities[i].angular = s->is_2d ? abut_vec3_make(0.0f, 0.0f, turn.x) : turn;
    }
    TRY(s, abut_body_set_pose_many(s->world, &s->body[first], 4, poses));
    TRY(s, abut_body_set_pose(s->world, s->body[first], &poses[1]));
    TRY(s, abut_body_set_velocity_many(s->world, &s->body[first], 4, velocities));
    TRY(s, abut_body_set_velocity(s->world, s->body[first], &velocities[2]));
    TRY(s, abut_body_set_user_data(s->world, s->body[first], first));
    TRY(s, abut_body_set_motion(s->world, s->body[first + 1], first % 2 ? ABUT_STATIC : ABUT_DYNAMIC));
    TRY(s, abut_body_set_enabled(s->world, s->body[first + 2], first % 3 != 0));
    abut_world_bodies(s->world).poses[s->body[first + 3].slot] = poses[0];
    TRY(s, abut_body_mark_moved(s->world, s->body[first + 3]));
}

// Vetoes some pairs, the same ones on every call.
static inline void veto(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    (void)context;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = (pairs[i].a.slot + pairs[i].b.slot) % 4 == 0;
    }
}

// Exclusions, some of them taken back, and questions about what a detect found.
static inline void exclude_and_ask(session *s, uint32_t first)
{
    const abut_pose to = somewhere(s);
    uint32_t slots[4], count;
    abut_sensor_overlap overlaps[4];
    for (uint32_t i = first; i < first + 5; ++i)
    {
        TRY(s, abut_body_exclude(s->world, s->body[i], s->body[i + 2], true));
        TRY(s, abut_body_contacts(s->world, s->body[i], i % 2 ? ABUT_AWAKE : ABUT_ASLEEP, slots, 4, &count));
        TRY(s, abut_collider_overlaps(s->world, collider_of(s, s->body[i], 0), overlaps, 4, &count));
    }
    TRY(s, abut_body_exclude(s->world, s->body[first + 3], s->body[first + 1], false));
    TRY(s, abut_body_set_motion(s->world, s->body[first], ABUT_KINEMATIC));
    TRY(s, abut_body_set_enabled(s->world, s->body[first], true));
    TRY(s, abut_body_set_awake(s->world, s->body[first], true));
    TRY(s, abut_body_move_to(s->world, s->body[first], &to, 0.02f));
}

static inline void sleep_and_wake(session *s, uint32_t frame)
{
    TRY(s, abut_body_set_awake_many(s->world, s->body, BODIES / 2, frame % 4 == 3));
    TRY(s, abut_body_set_awake(s->world, s->body[frame], true));
    TRY(s, abut_body_set_ccd(s->world, s->body[BODIES - 1 - frame], frame % 3 != 2));
    TRY(s, abut_body_set_ccd_all(s->world, s->body[BODIES - 1 - frame], frame % 2 != 0));
}

static inline void load_impulses(session *s)
{
    const abut_contacts all = abut_world_contacts(s->world, ABUT_AWAKE);
    for (uint32_t i = 0, point = 0; i < all.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&all, i);
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            abut_impulses_of(&all, contact)[k].normal = (float)(point++ % 7);
        }
    }
}

// The smallest rectangle, the one fit that asks for memory. Its answer goes into the world, so that the ends compare.
static inline void fit(session *s, uint32_t i)
{
    float points[2 * 24];
    for (uint32_t k = 0; k < 2 * 24; ++k)
    {
        points[k] = between(s, -2, 2);
    }
    const abut_allocator allocator = { lend, take_back, &s->memory };
    const abut_placed_shape before = { .shape = abut_shape_sphere(7) };
    abut_placed_shape placed = before;
    abut_status status = abut_fit_rectangle(points, 24, 0, &allocator, &placed);
    if (status != ABUT_OK)
    {
        assert_memory_equal(&placed, &before, sizeof placed);
        assert_true(again(s, observed(s->world), status));
        status = abut_fit_rectangle(points, 24, 0, &allocator, &placed);
    }
    assert_int_equal(status, ABUT_OK);
    TRY(s, abut_body_set_pose(s->world, s->body[i], &placed.pose));
}

static inline void audited(session *s)
{
    abut_audit audit = { 0 };
    TRY(s, abut_world_audit(s->world, &audit));
    uint64_t lines;
    assert_int_equal(abut_world_draw(s->world, &(abut_draw_def){ .what = ABUT_DRAW_ALL }, NULL, 0, &lines), ABUT_OK);
    if (audit.what)
    {
        fail_msg("%s: bodies %u and %u", audit.what, audit.a.slot, audit.b.slot);
    }
}

static inline abut_status detect_in_pieces(abut_world *world, float horizon)
{
    const abut_status status = abut_world_detect_begin(world, horizon);
    return status == ABUT_OK ? abut_world_detect_end(world) : status;
}

static inline void frame(session *s, uint32_t number)
{
    const uint32_t first = number * 3 % (BODIES - 8);
    static void (*const edits[])(session *, uint32_t) = { compound, reshape, replace, disturb };
    edits[number % 4](s, first);
    exclude_and_ask(s, first);
    sleep_and_wake(s, number);
    if (number % 5 == 2)
    {
        TRY(s, abut_world_set_collides(s->world, ABUT_STATIC, ABUT_KINEMATIC, number % 2 == 0));
        TRY(s, abut_world_set_broad(s->world, number % 2 == 0 ? s->broad : ABUT_BROAD_AUTO));
        fit(s, first);
    }
    switch (number % 4)
    {
    case 0:
        TRY(s, abut_world_move(s->world, 0.02f));
        TRY(s, abut_world_detect(s->world, 0.0f));
        break;
    case 1:
        TRY(s, number % 8 == 1 ? abut_world_detect(s->world, 0.2f) : detect_in_pieces(s->world, 0.2f));
        break;
    default:
        TRY(s, abut_world_step(s->world, 0.02f));
    }
    load_impulses(s);
    if (number % 3 == 1)
    {
        audited(s);
    }
}

static inline void make_polygon(session *s)
{
    const abut_vec2 points[5] = { { 1, 0 }, { 0.3f, 0.9f }, { -0.8f, 0.6f }, { -0.8f, -0.6f }, { 0.3f, -0.9f } };
    const abut_allocator allocator = { lend, take_back, &s->memory };
    if (abut_geometry_create_polygon(points, 5, &allocator, &s->polygon) != ABUT_OK)
    {
        assert_true(s->memory.failed > 0 && !s->polygon);
        ++s->vetoes;
        s->memory.failing = false;
        assert_int_equal(abut_geometry_create_polygon(points, 5, &allocator, &s->polygon), ABUT_OK);
    }
}

static inline void open_session(session *s, const course *c)
{
    const abut_world_def def = { .allocator = { lend, take_back, &s->memory },
                                 .body_capacity = 2,
                                 .margin = 0.01f,
                                 .recycle_distance = c->sparing ? 0.05f : 0.0f,
                                 .broad = c->broad,
                                 .dimension = c->is_2d ? 2 : 3,
                                 .veto = veto };
    if (c->is_2d)
    {
        make_polygon(s);
    }
    abut_status status = abut_world_create(&def, &s->world);
    if (status != ABUT_OK)
    {
        assert_int_equal(status, ABUT_OUT_OF_MEMORY);
        assert_null(s->world);
        assert_true(s->memory.blocks == (s->polygon != NULL));
        ++s->vetoes;
        s->memory.failing = false;
        status = abut_world_create(&def, &s->world);
    }
    assert_int_equal(status, ABUT_OK);
    s->world->state.first_generation = 0; // the same in every session, however many worlds there were before
    s->world->memory.sparing = c->sparing;
}

// The whole session; gives what can be seen of the world at its end.
static inline uint64_t run(session *s, const course *c, uint64_t first_failed)
{
    *s = (session){ .memory = { .first_failed = first_failed, .lasting = c->lasting },
                    .random = random_start(7),
                    .broad = c->broad,
                    .is_2d = c->is_2d };
    open_session(s, c);
    populate(s);
    for (uint32_t number = 0; number < (c->sparing ? SPARING_FRAMES : FRAMES); ++number)
    {
        frame(s, number);
    }
    TRY(s, abut_world_reserve(s->world, 500, 2000));
    const uint64_t end = observed(s->world);
    s->forgone = s->world->memory.forgone;
    abut_world_destroy(s->world);
    abut_geometry_release(s->polygon);
    assert_true(s->memory.blocks == 0 && s->memory.bytes == 0);
    return end;
}

#endif
