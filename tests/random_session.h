// Random sessions: every kind of call, right and wrong, in any order, driven by a seed. The same seed and the same
// state make the same calls, so a session can be copied and run again.
#ifndef RANDOM_SESSION_H
#define RANDOM_SESSION_H

#include "session_shapes.h"
#include "world/world.h"

#include <math.h>

enum
{
    OPERATIONS_A_DETECT = 12,
    DETECTS_AN_AUDIT = 5
};

static abut_filter random_filter(session *s)
{
    if (random_chance(&s->random, 0.7))
    {
        return (abut_filter){ 0 };
    }
    return (abut_filter){ 1u << random_below(&s->random, 3), 1u + random_below(&s->random, 7),
                          (int32_t)random_below(&s->random, 5) - 2 };
}

static abut_collider_def random_collider(session *s)
{
    abut_collider_def def = { .shape = random_shape(s), .filter = random_filter(s), .user_data = s->detects };
    if (random_chance(&s->random, 0.2))
    {
        def.local = random_pose(s);
        def.local.position = abut_vec3_scale(def.local.position, 0.2f);
    }
    def.flags = (random_chance(&s->random, 0.03) ? (uint32_t)ABUT_COLLIDER_COLLIDES_WITH_NOTHING : 0u) |
                (random_chance(&s->random, 0.1) ? (uint32_t)ABUT_COLLIDER_SENSOR : 0u);
    return def;
}

static void create(session *s)
{
    if (s->bodies == MOST_BODIES)
    {
        return;
    }
    abut_body_def def = { .pose = random_pose(s), .motion = (abut_motion)random_below(&s->random, 3) };
    def.velocity.linear = abut_vec3_scale(random_pose(s).position, 0.3f);
    def.velocity.angular = abut_vec3_scale(random_pose(s).position, 0.3f);
    if (s->is_2d)
    {
        def.velocity.angular = abut_vec3_make(0.0f, 0.0f, def.velocity.angular.x);
    }
    def.flags = random_chance(&s->random, 0.05)  ? ABUT_BODY_DISABLED
                : random_chance(&s->random, 0.2) ? ABUT_BODY_ASLEEP
                                                 : 0;
    if (random_chance(&s->random, 0.9))
    {
        def.collider = random_collider(s);
    }
    assert_int_equal(abut_body_create(s->world, &def, &s->body[s->bodies++]), ABUT_OK);
}

static void destroy(session *s, uint32_t which)
{
    const abut_body body = s->body[which];
    assert_int_equal(abut_body_destroy(s->world, body), ABUT_OK);
    assert_int_equal(abut_body_destroy(s->world, body), ABUT_STALE_HANDLE);
    s->body[which] = s->body[--s->bodies];
}

static bool some_collider(session *s, abut_body body, abut_collider *out)
{
    abut_collider all[8];
    uint32_t count;
    assert_int_equal(abut_body_colliders(s->world, body, all, 8, &count), ABUT_OK);
    count = count < 8 ? count : 8;
    if (count > 0)
    {
        *out = all[random_below(&s->random, count)];
    }
    return count > 0;
}

static void change_collider(session *s, abut_body body)
{
    abut_collider collider;
    if (!some_collider(s, body, &collider))
    {
        return;
    }
    const abut_shape shape = random_shape(s);
    const abut_filter filter = random_filter(s);
    const abut_collider_def def = random_collider(s);
    abut_pose local = random_pose(s);
    local.position = abut_vec3_scale(local.position, 0.1f);
    switch (random_below(&s->random, 5))
    {
    case 0:
        assert_int_equal(abut_collider_set_shape(s->world, collider, &shape), ABUT_OK);
        break;
    case 1:
        assert_int_equal(abut_collider_set_filter(s->world, collider, &filter), ABUT_OK);
        break;
    case 2:
        assert_int_equal(abut_collider_set_local(s->world, collider, &local), ABUT_OK);
        break;
    case 3:
        assert_int_equal(abut_collider_set(s->world, collider, &def), ABUT_OK);
        break;
    default:
        assert_int_equal(abut_collider_detach(s->world, collider), ABUT_OK);
    }
}

static void attach(session *s, abut_body body)
{
    uint32_t count;
    abut_collider out;
    const abut_collider_def def = random_collider(s);
    assert_int_equal(abut_body_colliders(s->world, body, NULL, 0, &count), ABUT_OK);
    if (count < 4)
    {
        assert_int_equal(abut_collider_attach(s->world, body, &def, &out), ABUT_OK);
    }
}

static void count_events(session *s)
{
    s->alive += (int64_t)abut_world_events(s->world, ABUT_BEGIN).count;
    s->alive -= (int64_t)abut_world_events(s->world, ABUT_END).count;
    s->sensed += (int64_t)abut_world_events(s->world, ABUT_SENSOR_BEGIN).count;
    s->sensed -= (int64_t)abut_world_events(s->world, ABUT_SENSOR_END).count;
}

// Calls that must fail and change nothing.
static void be_wrong(session *s, abut_body body)
{
    const uint64_t before = abut_world_hash(s->world);
    const abut_pose lost = { .position = { NAN, 0, 0 }, .rotation = { 0, 0, 0, 1 } };
    const abut_shape negative = abut_shape_obb(1, -1, 1);
    abut_collider collider;
    assert_int_equal(abut_body_set_pose(s->world, body, &lost), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_motion(s->world, body, (abut_motion)9), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_step(s->world, NAN), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_destroy(s->world, (abut_body){ body.slot, body.generation + 256 }), ABUT_STALE_HANDLE);
    if (some_collider(s, body, &collider))
    {
        assert_int_equal(abut_collider_set_shape(s->world, collider, &negative), ABUT_INVALID_ARGUMENT);
    }
    abut_pose *pose = &abut_world_bodies(s->world).poses[body.slot];
    const abut_pose good = *pose;
    *pose = lost;
    const abut_status status = abut_world_detect(s->world, 0.0f);
    bool enabled;
    assert_int_equal(abut_body_enabled(s->world, body, &enabled), ABUT_OK);
    const bool seen = status == ABUT_OK;
    assert_true(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
    *pose = good;
    if (!seen)
    {
        assert_true(abut_world_hash(s->world) == before);
    }
    else // nothing of it is tested: no collider, disabled, or an immobile one in the static set
    {
        count_events(s);
    }
}

static void place(session *s, abut_body body)
{
    const abut_pose pose = random_pose(s);
    if (random_chance(&s->random, 0.5))
    {
        assert_int_equal(abut_body_set_pose(s->world, body, &pose), ABUT_OK);
        return;
    }
    abut_world_bodies(s->world).poses[body.slot] = pose;
    assert_int_equal(abut_body_mark_moved(s->world, body), ABUT_OK);
}

// Exclusions come and go; some are taken back that never were.
static void exclude(session *s, abut_body body)
{
    const abut_body other = s->body[random_below(&s->random, s->bodies)];
    const bool more = random_chance(&s->random, 0.6);
    uint32_t before = 0, after = 0;
    if (other.slot == body.slot)
    {
        assert_int_equal(abut_body_exclude(s->world, body, other, true), ABUT_INVALID_ARGUMENT);
        return;
    }
    assert_int_equal(abut_body_excluded(s->world, body, other, &before), ABUT_OK);
    assert_int_equal(abut_body_exclude(s->world, other, body, more), more || before ? ABUT_OK : ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_excluded(s->world, body, other, &after), ABUT_OK);
    assert_true(after == (more ? before + 1 : before ? before - 1 : 0));
}

static void veto(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    session *s = context;
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_int_equal(abut_body_mark_moved(s->world, pairs[i].a), ABUT_BUSY);
        vetoed[i] = pairs[i].a.slot % 3 == pairs[i].b.slot % 7;
    }
}

static void operate(session *s)
{
    const uint32_t sort = random_below(&s->random, 17);
    if (s->bodies == 0 || sort < 4)
    {
        create(s);
        return;
    }
    const uint32_t which = random_below(&s->random, s->bodies);
    const abut_body body = s->body[which];
    switch (sort)
    {
    case 4:
    case 5:
    case 6:
        destroy(s, which);
        break;
    case 7:
    case 8:
        place(s, body);
        break;
    case 9:
        assert_int_equal(abut_body_set_motion(s->world, body, (abut_motion)random_below(&s->random, 3)), ABUT_OK);
        break;
    case 10:
        if (random_chance(&s->random, 0.2))
        {
            const bool ccd = random_chance(&s->random, 0.5);
            assert_int_equal(abut_body_set_ccd(s->world, body, ccd), ABUT_OK);
            assert_int_equal(abut_body_set_ccd_all(s->world, body, body.slot % 2 != 0), ABUT_OK);
            break;
        }
        if (random_chance(&s->random, 0.5))
        {
            assert_int_equal(abut_body_set_awake(s->world, body, random_chance(&s->random, 0.3)), ABUT_OK);
            break;
        }
        assert_int_equal(abut_body_set_enabled(s->world, body, random_chance(&s->random, 0.7)), ABUT_OK);
        break;
    case 11:
        attach(s, body);
        break;
    case 12:
        be_wrong(s, body);
        break;
    case 16:
        exclude(s, body);
        break;
    case 13:
        if (s->restless && random_chance(&s->random, 0.05))
        {
            const abut_broad_kind broad = (abut_broad_kind)random_below(&s->random, ABUT_BROAD_COUNT);
            assert_int_equal(abut_world_set_broad(s->world, broad), ABUT_OK);
        }
        if (random_chance(&s->random, 0.02))
        {
            const abut_motion one = (abut_motion)random_below(&s->random, 3),
                              other = (abut_motion)random_below(&s->random, 3);
            assert_int_equal(abut_world_set_collides(s->world, one, other, random_chance(&s->random, 0.6)), ABUT_OK);
        }
        break;
    default:
        change_collider(s, body);
    }
}

// The pairs of colliders that touch. A mesh or compound may have several contacts with one
// collider, side by side.
static int64_t count_pairs(abut_world *world, abut_contact_set set)
{
    const abut_contacts all = abut_world_contacts(world, set);
    int64_t pairs = 0;
    bool touches = false;
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&all, i), *last = i > 0 ? abut_contact_at(&all, i - 1) : NULL;
        const bool same = last && all.colliders[last->id.slot].a.slot == all.colliders[c->id.slot].a.slot &&
                          all.colliders[last->id.slot].b.slot == all.colliders[c->id.slot].b.slot;
        const bool now = (c->flags & ABUT_CONTACT_SPECULATIVE) == 0;
        assert_true(!same || last->child < c->child);
        pairs += now && !(same && touches);
        touches = now || (same && touches);
    }
    return pairs;
}

static void look(session *s)
{
    const float horizon = random_chance(&s->random, 0.1) ? 0.05f : 0.0f;
    const bool step = random_chance(&s->random, 0.5);
    // Dropping pairs in the broad phase is a matter of cost alone.
    s->world->cache.drops_pairs =
        random_chance(&s->random, 0.3) ? !s->world->cache.drops_pairs : s->world->cache.drops_pairs;
    assert_int_equal(step ? abut_world_step(s->world, 0.01f) : abut_world_detect(s->world, horizon), ABUT_OK);
    ++s->detects;
    count_events(s);
    abut_statistics statistics;
    abut_world_statistics(s->world, &statistics);
    assert_true(s->alive == count_pairs(s->world, ABUT_AWAKE) + count_pairs(s->world, ABUT_ASLEEP));
    assert_true(s->sensed == (int64_t)statistics.overlaps);
    assert_true(statistics.bodies == s->bodies);
    if (s->detects % DETECTS_AN_AUDIT == 0)
    {
        abut_line lines[64];
        uint64_t count;
        assert_int_equal(abut_world_draw(s->world, &(abut_draw_def){ .what = ABUT_DRAW_ALL }, lines, 64, &count),
                         ABUT_OK);
        abut_audit audit;
        assert_int_equal(abut_world_audit(s->world, &audit), ABUT_OK);
        ++s->audits;
        if (audit.what)
        {
            fail_msg("%s: bodies %u and %u, at detect %llu", audit.what, audit.a.slot, audit.b.slot,
                     (unsigned long long)s->detects);
        }
    }
}

static inline void session_open(session *s, uint64_t seed, const abut_world_def *def, bool restless)
{
    *s = (session){ .random = random_start(seed), .restless = restless, .is_2d = def->dimension == 2 };
    abut_world_def own = *def;
    own.veto = def->veto ? veto : NULL;
    own.veto_context = s;
    assert_int_equal(abut_world_create(&own, &s->world), ABUT_OK);
    s->polygon = test_calloc(MOST_POLYGONS, sizeof(abut_geometry *));
    for (uint32_t i = 0; i < 4; ++i)
    {
        add_polygon(s);
    }
}

// One operation, and now and then a detect.
static inline void session_go_on(session *s, uint64_t done)
{
    // Between operations: one may hold several shapes.
    if (done % 16 == 0)
    {
        add_polygon(s);
    }
    operate(s);
    if (done % OPERATIONS_A_DETECT == 0)
    {
        look(s);
    }
}

static inline void session_close(session *s)
{
    for (uint32_t i = 0; i < MOST_POLYGONS; ++i)
    {
        abut_geometry_release(s->polygon[i]);
    }
    test_free(s->polygon);
    abut_world_destroy(s->world);
}

#endif
