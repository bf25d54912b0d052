// What abut_world_update_bodies does is what abut_world_update does where only these bodies have changed: every form of
// query gives the same bits. It leaves results, hashes and images alone, whatever the broad phase.
#include "random_2d.h"
#include "scarce_memory.h"
#include "small_world.h"

#include <abut/state.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_BROAD(kind) for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)

enum
{
    FIRST = 250,
    MOST = 900, // bodies in a session
    LARGE = 6000,
    WORLDS = 3, // in one some bodies are updated, in one all, and in one none
    STEPS = 12,
    ROUNDS = 3, // of edits in a step
    EDITS = 12,
    ASKED = 12,
    ROOM = 12000
};

static stock_2d stock;

typedef struct twins
{
    abut_world *world[WORLDS];
    abut_body body[WORLDS][MOST];
    uint32_t count; // handles, ended ones included
    random_source random;
    bool is_2d;
} twins;

static abut_pose random_pose(twins *t)
{
    const double side = 0.5 * (t->is_2d ? 2.0 * sqrt(FIRST) : 1.6 * cbrt(FIRST));
    const dvec3 p = random_in_box(&t->random, side);
    if (t->is_2d)
    {
        return abut_pose_2d((float)p.x, (float)p.y, (float)random_between(&t->random, -3, 3));
    }
    abut_pose pose = { .position = random_narrow(p) };
    pose.rotation = abut_quat_normalise(random_narrow_rotation(random_rotation(&t->random)));
    return pose;
}

static abut_shape random_shape(twins *t)
{
    random_source *random = &t->random;
    const float size = (float)(random_chance(random, 0.03) ? 4.0 : random_scale(random, 0.1, 0.6));
    if (t->is_2d)
    {
        return random_shape_2d(random, &stock, random_kind_2d(random), (double)size);
    }
    switch (random_below(random, 4))
    {
    case 0:
        return abut_shape_sphere(size);
    case 1:
        return abut_shape_capsule(0.5f * size, size);
    case 2:
        return abut_shape_aabb(size, 0.3f, 0.5f * size);
    default:
        return abut_shape_obb(size, 0.7f * size, 0.2f);
    }
}

static abut_filter random_filter(twins *t)
{
    return random_chance(&t->random, 0.5) ? (abut_filter){ 0 }
                                          : (abut_filter){ .category = 1u << random_below(&t->random, 3),
                                                           .mask = 1 + random_below(&t->random, 7) };
}

static abut_collider_def random_collider(twins *t)
{
    abut_collider_def def = { .shape = random_shape(t), .filter = random_filter(t) };
    def.local = abut_pose_identity();
    def.flags = random_chance(&t->random, 0.2)    ? ABUT_COLLIDER_SENSOR
                : random_chance(&t->random, 0.03) ? ABUT_COLLIDER_COLLIDES_WITH_NOTHING
                                                  : 0u;
    if (random_chance(&t->random, 0.2))
    {
        def.local.position = abut_vec3_make(0.3f, -0.2f, 0.0f);
    }
    return def;
}

static void create(twins *t)
{
    const double speed = random_chance(&t->random, 0.5) ? 0.0 : 1.0;
    abut_body_def def = { .pose = random_pose(t),
                          .motion = (abut_motion)random_below(&t->random, 3),
                          .flags = (random_chance(&t->random, 0.1) ? (uint32_t)ABUT_BODY_ASLEEP : 0u) |
                                   (random_chance(&t->random, 0.1) ? (uint32_t)ABUT_BODY_CCD : 0u) |
                                   (random_chance(&t->random, 0.05) ? (uint32_t)ABUT_BODY_DISABLED : 0u) };
    def.velocity.linear = random_narrow(random_in_box(&t->random, speed));
    def.velocity.linear.z = t->is_2d ? 0.0f : def.velocity.linear.z;
    def.velocity.angular.z = (float)speed;
    const uint32_t more = random_chance(&t->random, 0.2) ? 1 + random_below(&t->random, 4) : 0;
    abut_collider_def colliders[5];
    for (uint32_t k = 0; k < 5; ++k)
    {
        colliders[k] = random_collider(t);
    }
    if (random_chance(&t->random, 0.97))
    {
        def.collider = colliders[4];
    }
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        assert_int_equal(abut_body_create(t->world[w], &def, &t->body[w][t->count]), ABUT_OK);
        for (uint32_t k = 0; k < more; ++k)
        {
            abut_collider made;
            assert_int_equal(abut_collider_attach(t->world[w], t->body[w][t->count], &colliders[k], &made), ABUT_OK);
        }
    }
    ++t->count;
}

static bool lives(const twins *t, uint32_t i)
{
    return abut_body_valid(t->world[0], t->body[0][i]);
}

static uint32_t some_body(twins *t)
{
    uint32_t i;
    do
    {
        i = random_below(&t->random, t->count);
    } while (!lives(t, i));
    return i;
}

// Of colliders, `which` among those of the body; all zero if it has none.
static abut_collider collider_of(const twins *t, uint32_t w, uint32_t body, uint32_t which)
{
    abut_collider all[256] = { { 0, 0 } };
    uint32_t count;
    assert_int_equal(abut_body_colliders(t->world[w], t->body[w][body], all, 256, &count), ABUT_OK);
    return count > 0 ? all[which % count] : all[0];
}

static void edit_collider(twins *t, uint32_t i, uint32_t what, uint32_t which)
{
    const abut_shape shape = random_shape(t);
    const abut_filter filter = random_filter(t);
    const abut_collider_def def = random_collider(t);
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        const abut_collider collider = collider_of(t, w, i, which);
        abut_status status = ABUT_OK;
        if (what == 0)
        {
            abut_collider made;
            status = abut_collider_attach(t->world[w], t->body[w][i], &def, &made);
        }
        else if (collider.generation != 0)
        {
            status = what == 1   ? abut_collider_set_shape(t->world[w], collider, &shape)
                     : what == 2 ? abut_collider_set_filter(t->world[w], collider, &filter)
                                 : abut_collider_detach(t->world[w], collider);
        }
        assert_int_equal(status, ABUT_OK);
    }
}

static void edit_body(twins *t, uint32_t i, uint32_t what)
{
    const abut_pose pose = random_pose(t);
    const uint32_t bits = random_bits(&t->random);
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        abut_world *world = t->world[w];
        const abut_body body = t->body[w][i];
        abut_motion motion;
        bool awake;
        abut_status status = ABUT_OK;
        switch (what)
        {
        case 0:
            status = abut_body_set_motion(world, body, (abut_motion)(bits % 3));
            break;
        case 1:
            status = abut_body_set_awake(world, body, bits % 2);
            break;
        case 2:
            status = abut_body_set_enabled(world, body, bits % 4 != 0);
            break;
        case 3:
            status = abut_body_set_ccd(world, body, bits % 2);
            break;
        case 4:
            status = abut_body_set_pose(world, body, &pose);
            break;
        default:
            assert_int_equal(abut_body_motion(world, body, &motion), ABUT_OK);
            assert_int_equal(abut_body_awake(world, body, &awake), ABUT_OK);
            if (motion == ABUT_STATIC || !awake)
            {
                status = abut_body_set_pose(world, body, &pose);
                break;
            }
            abut_world_bodies(world).poses[body.slot] = pose; // in place
            break;
        }
        assert_int_equal(status, ABUT_OK);
    }
}

// Edits a body, and returns which.
static uint32_t edit(twins *t)
{
    if (t->count < MOST && random_chance(&t->random, 0.15))
    {
        create(t);
        return t->count - 1;
    }
    const uint32_t i = some_body(t), what = random_below(&t->random, 16);
    if (what < 4)
    {
        edit_collider(t, i, what, random_below(&t->random, 8));
    }
    else
    {
        edit_body(t, i, what - 4);
    }
    return i;
}

static void destroy(twins *t, uint32_t i)
{
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        assert_int_equal(abut_body_destroy(t->world[w], t->body[w][i]), ABUT_OK);
    }
}

// Answers of one kind in two worlds ---------------------------------------------------------------------------------

// Handles of two worlds have different generations.
static void plain(abut_body *body, abut_collider *collider)
{
    body->generation = body->generation != 0;
    collider->generation = collider->generation != 0;
}

typedef struct answers
{
    union
    {
        abut_hit hit[ROOM];
        abut_found found[ROOM];
        abut_near near[ROOM];
    };
    size_t used; // bytes of it
    abut_range range[ASKED];
    bool any[ASKED];
} answers;

#define PLAIN(field)                                                                                                   \
    static void plain_##field(answers *a, uint64_t count)                                                              \
    {                                                                                                                  \
        assert_true(count <= ROOM);                                                                                    \
        for (uint64_t i = 0; i < count; ++i)                                                                           \
        {                                                                                                              \
            plain(&a->field[i].body, &a->field[i].collider);                                                           \
        }                                                                                                              \
        a->used = count * sizeof *a->field;                                                                            \
    }

PLAIN(hit)
PLAIN(found)
PLAIN(near)

static bool same_answers(const answers *a, const answers *b)
{
    return a->used == b->used && memcmp(a->hit, b->hit, a->used) == 0 &&
           memcmp(a->range, b->range, sizeof a->range) == 0 && memcmp(a->any, b->any, sizeof a->any) == 0;
}

typedef struct questions
{
    abut_ray ray[ASKED];
    abut_cast cast[ASKED];
    abut_aabb box[ASKED];
    abut_placed_shape shape[ASKED];
    abut_vec3 point[ASKED];
    abut_plane plane[2 * ASKED];
    abut_region region[ASKED];
} questions;

static void make_questions(twins *t, questions *q)
{
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        const abut_pose from = random_pose(t), to = random_pose(t);
        const abut_vec3 way = abut_vec3_sub(to.position, from.position);
        const float reach = (float)random_between(&t->random, 0.1, 3.0);
        abut_shape shape = random_shape(t);
        while (shape.kind == ABUT_POLYGON && i % 2)
        {
            shape = random_shape(t);
        }
        q->ray[i] = (abut_ray){ from.position, way };
        q->cast[i] = (abut_cast){ shape, from, way, { 0, 0, i % 3 ? 0.0f : 1.0f } };
        q->box[i] = (abut_aabb){ abut_vec3_sub(from.position, abut_vec3_make(reach, reach, reach)),
                                 abut_vec3_add(from.position, abut_vec3_make(reach, reach, reach)) };
        q->shape[i] = (abut_placed_shape){ .shape = shape, .pose = to };
        q->point[i] = i % 2 ? to.position : from.position;
        q->plane[2 * i] = (abut_plane){ { 1, 0.5f, 0 }, reach };
        q->plane[2 * i + 1] = (abut_plane){ { -1, 0.2f, 0 }, reach };
        q->region[i] = (abut_region){ &q->plane[2 * i], 2 };
    }
}

// Everything that can be asked, one form after the other; `form` counts up to the last. Returns how many results.
static uint64_t ask(const abut_world *world, uint32_t form, const questions *q, const abut_query_filter *filter,
                    answers *a)
{
    uint64_t total = 0;
    uint32_t count = 0;
    const uint32_t i = form % ASKED;
    a->used = 0;
    memset(a->range, 0, sizeof a->range);
    memset(a->any, 0, sizeof a->any);
    switch (form / ASKED)
    {
    case 0:
        assert_int_equal(abut_world_ray_closest(world, &q->ray[i], filter, a->hit), ABUT_OK);
        assert_int_equal(abut_world_ray_any(world, &q->ray[i], filter, a->any), ABUT_OK);
        plain_hit(a, 1);
        return a->hit[0].collider.generation;
    case 1:
        assert_int_equal(abut_world_ray_all(world, &q->ray[i], filter, a->hit, ROOM, &count), ABUT_OK);
        plain_hit(a, count);
        return count;
    case 2:
        assert_int_equal(abut_world_cast_closest(world, &q->cast[i], filter, a->hit), ABUT_OK);
        assert_int_equal(abut_world_cast_any(world, &q->cast[i], filter, a->any), ABUT_OK);
        plain_hit(a, 1);
        return a->hit[0].collider.generation;
    case 3:
        assert_int_equal(abut_world_cast_all(world, &q->cast[i], filter, a->hit, ROOM, &count), ABUT_OK);
        plain_hit(a, count);
        return count;
    case 4:
        assert_int_equal(abut_world_overlap_aabb(world, &q->box[i], filter, a->found, ROOM, &count), ABUT_OK);
        plain_found(a, count);
        return count;
    case 5:
    {
        abut_query_filter bounds = filter ? *filter : (abut_query_filter){ 0 };
        bounds.flags |= ABUT_QUERY_BOUNDS;
        assert_int_equal(abut_world_overlap_aabb(world, &q->box[i], &bounds, a->found, ROOM, &count), ABUT_OK);
        plain_found(a, count);
        return count;
    }
    case 6:
        assert_int_equal(abut_world_overlap_shape(world, &q->shape[i], filter, a->found, ROOM, &count), ABUT_OK);
        plain_found(a, count);
        return count;
    case 7:
        assert_int_equal(abut_world_overlap_point(world, &q->point[i], filter, a->found, ROOM, &count), ABUT_OK);
        plain_found(a, count);
        return count;
    case 8:
        assert_int_equal(abut_world_overlap_region(world, &q->region[i], filter, a->found, ROOM, &count), ABUT_OK);
        plain_found(a, count);
        return count;
    case 9:
        assert_int_equal(abut_world_nearest(world, &q->point[i], INFINITY, filter, a->near, 1 + i, &count), ABUT_OK);
        plain_near(a, count);
        return count;
    case 10:
        assert_int_equal(abut_world_nearest_shape(world, &q->shape[i], 2.0f, filter, a->near, 1 + i, &count), ABUT_OK);
        plain_near(a, count);
        return count;
    default:
        break;
    }
    switch (form - 11 * ASKED)
    {
    case 0:
        assert_int_equal(abut_world_ray_closest_many(world, q->ray, ASKED, filter, a->hit), ABUT_OK);
        plain_hit(a, ASKED);
        return ASKED;
    case 1:
        assert_int_equal(abut_world_ray_any_many(world, q->ray, ASKED, filter, a->any), ABUT_OK);
        return ASKED;
    case 2:
        assert_int_equal(abut_world_cast_closest_many(world, q->cast, ASKED, filter, a->hit), ABUT_OK);
        plain_hit(a, ASKED);
        return ASKED;
    case 3:
        assert_int_equal(abut_world_cast_any_many(world, q->cast, ASKED, filter, a->any), ABUT_OK);
        return ASKED;
    case 4:
        assert_int_equal(abut_world_ray_all_many(world, q->ray, ASKED, filter, a->range, a->hit, ROOM, &total),
                         ABUT_OK);
        plain_hit(a, total);
        return total;
    case 5:
        assert_int_equal(abut_world_cast_all_many(world, q->cast, ASKED, filter, a->range, a->hit, ROOM, &total),
                         ABUT_OK);
        plain_hit(a, total);
        return total;
    case 6:
        assert_int_equal(abut_world_overlap_aabb_many(world, q->box, ASKED, filter, a->range, a->found, ROOM, &total),
                         ABUT_OK);
        plain_found(a, total);
        return total;
    case 7:
        assert_int_equal(
            abut_world_overlap_shape_many(world, q->shape, ASKED, filter, a->range, a->found, ROOM, &total), ABUT_OK);
        plain_found(a, total);
        return total;
    case 8:
        assert_int_equal(
            abut_world_overlap_point_many(world, q->point, ASKED, filter, a->range, a->found, ROOM, &total), ABUT_OK);
        plain_found(a, total);
        return total;
    case 9:
        assert_int_equal(abut_world_overlap_region_many(world, q->region, 3, filter, a->range, a->found, ROOM, &total),
                         ABUT_OK);
        plain_found(a, total);
        return total;
    case 10:
        assert_int_equal(
            abut_world_nearest_many(world, q->point, ASKED, 5.0f, 3, filter, a->range, a->near, ROOM, &total), ABUT_OK);
        plain_near(a, total);
        return total;
    default:
        assert_int_equal(
            abut_world_nearest_shape_many(world, q->shape, ASKED, 5.0f, 3, filter, a->range, a->near, ROOM, &total),
            ABUT_OK);
        plain_near(a, total);
        return total;
    }
}

#define FORMS (11u * ASKED + 12u)

static uint64_t expect_same_answers(twins *t, uint64_t seed)
{
    static questions q;
    static answers one, other;
    uint64_t results = 0;
    make_questions(t, &q);
    const abut_query_filter filters[] = { { .flags = ABUT_QUERY_SENSORS },
                                          { .mask = 1 + random_below(&t->random, 7), .category = 3 },
                                          { .motions = 1u << random_below(&t->random, 3) } };
    for (uint32_t form = 0; form < FORMS; ++form)
    {
        const uint32_t which = random_below(&t->random, 5);
        const abut_query_filter *filter = which < 3 ? &filters[which] : NULL;
        const uint64_t count = ask(t->world[0], form, &q, filter, &one);
        const uint64_t others = ask(t->world[1], form, &q, filter, &other);
        if (count != others || !same_answers(&one, &other))
        {
            fail_msg("seed %llu, form %u: other answers (%llu and %llu)", (unsigned long long)seed, form,
                     (unsigned long long)count, (unsigned long long)others);
        }
        results += count;
    }
    return results;
}

// Sessions --------------------------------------------------------------------------------------------------------------

static void open_twins(twins *t, uint64_t seed, const abut_world_def *def)
{
    *t = (twins){ .random = random_start(seed), .is_2d = def->dimension == 2 };
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        t->world[w] = open_world(def);
    }
    for (uint32_t i = 0; i < FIRST; ++i)
    {
        create(t);
    }
}

static void close_twins(twins *t)
{
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        abut_world_destroy(t->world[w]);
    }
}

typedef struct image
{
    void *bytes;
    size_t size;
} image;

static image save(const twins *t)
{
    abut_world *world = t->world[0];
    const abut_registry registry = { (const abut_geometry *const *)stock.polygon,
                                     sizeof stock.polygon / sizeof *stock.polygon };
    image out = { 0 };
    assert_int_equal(abut_world_save(world, 0, &registry, NULL, 0, &out.size), ABUT_OK);
    out.bytes = malloc(out.size);
    assert_non_null(out.bytes);
    assert_int_equal(abut_world_save(world, 0, &registry, out.bytes, out.size, &out.size), ABUT_OK);
    return out;
}

static void update_some(twins *t, const uint32_t *some, uint32_t count)
{
    abut_body bodies[EDITS];
    for (uint32_t k = 0; k < count; ++k)
    {
        bodies[k] = t->body[0][some[k]];
    }
    assert_int_equal(abut_world_update_bodies(t->world[0], bodies, count), ABUT_OK);
}

// One by one, or all together.
static void edit_some(twins *t)
{
    uint32_t some[EDITS], count = 1 + random_below(&t->random, EDITS);
    const bool alone = random_chance(&t->random, 0.3);
    if (random_chance(&t->random, 0.2) && t->count < MOST - 120)
    {
        for (uint32_t k = 0; k < 100; ++k) // so many that the tree grows
        {
            create(t);
            some[0] = t->count - 1;
            update_some(t, some, 1);
        }
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        some[k] = edit(t);
        if (alone)
        {
            update_some(t, &some[k], 1);
        }
    }
    if (!alone)
    {
        update_some(t, some, count);
    }
    if (random_chance(&t->random, 0.3))
    {
        destroy(t, some_body(t));
    }
    assert_int_equal(abut_world_update(t->world[1]), ABUT_OK);
}

static void detect_all(twins *t, uint64_t seed)
{
    const float horizon = random_chance(&t->random, 0.4) ? 0.05f : 0.0f;
    const bool steps = random_chance(&t->random, 0.5);
    uint64_t hash[WORLDS];
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        assert_int_equal(steps ? abut_world_step(t->world[w], 0.01f) : abut_world_detect(t->world[w], horizon),
                         ABUT_OK);
        hash[w] = abut_world_hash(t->world[w]);
    }
    if (hash[0] != hash[2] || hash[1] != hash[2])
    {
        fail_msg("seed %llu: another hash", (unsigned long long)seed);
    }
}

static uint64_t session(uint64_t seed, const abut_world_def *def)
{
    static twins t;
    uint64_t results = 0;
    open_twins(&t, seed, def);
    for (uint32_t step = 0; step < STEPS; ++step)
    {
        const image before = save(&t);
        const uint64_t hash = abut_world_hash(t.world[0]);
        assert_int_equal(abut_world_update_bodies(t.world[0], t.body[0], step == 0 ? t.count : 0), ABUT_OK);
        const image after = save(&t);
        assert_true(hash == abut_world_hash(t.world[0]) && before.size == after.size);
        assert_memory_equal(before.bytes, after.bytes, before.size);
        free(before.bytes);
        free(after.bytes);
        // A detect that recycles leaves boxes at the anchors.
        if (step > 0 && def->recycle_distance > 0.0f)
        {
            assert_int_equal(abut_world_update(t.world[0]), ABUT_OK);
        }
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            edit_some(&t);
            results += expect_same_answers(&t, seed);
        }
        detect_all(&t, seed);
        for (uint32_t w = 0; w < WORLDS && step % 4 == 3; ++w)
        {
            expect_sound(t.world[w]);
            assert_int_equal(abut_world_update(t.world[w]), ABUT_OK);
        }
    }
    close_twins(&t);
    return results;
}

static void queries_find_what_a_whole_update_lets_them_find(void **state)
{
    (void)state;
    static const abut_world_def worlds[] = {
        { .dimension = 3 },
        { .dimension = 2 },
        { .dimension = 3, .margin = 0.02f, .threads = 2 },
        { .dimension = 3, .recycle_distance = 0.01f },
        { .dimension = 3, .recycle_distance = 0.02f, .separations = ABUT_AT_ANCHORS },
        { .dimension = 2, .recycle_distance = 0.01f },
    };
    uint64_t seed = 1;
    EVERY_BROAD(kind)
    {
        for (size_t i = 0; i < COUNT(worlds); ++i, ++seed)
        {
            abut_world_def def = worlds[i];
            def.broad = kind;
            assert_true(session(seed, &def) > 10000);
        }
    }
}

// Calls that fail ---------------------------------------------------------------------------------------------------------

static abut_hit ray_down(const abut_world *world, float x)
{
    const abut_ray ray = { { x, 5, 0 }, { 0, -10, 0 } };
    abut_hit hit;
    assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &hit), ABUT_OK);
    return hit;
}

static bool is_at(const abut_world *world, float x, abut_body body)
{
    const abut_hit hit = ray_down(world, x);
    return hit.body.slot == body.slot && hit.body.generation == body.generation;
}

static abut_pose pose_at(float x)
{
    return (abut_pose){ .position = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 } };
}

static void other_bodies_are_found_where_they_were(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        abut_body body[100];
        for (uint32_t i = 0; i < 100; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        assert_int_equal(abut_world_update_bodies(world, body, 50), ABUT_OK); // the first one
        assert_true(is_at(world, 98, body[49]) && ray_down(world, 100).body.generation == 0);
        assert_int_equal(abut_world_update_bodies(world, body + 50, 50), ABUT_OK);
        assert_true(is_at(world, 100, body[50]));
        abut_pose *const poses = abut_world_bodies(world).poses;
        poses[body[7].slot] = pose_at(-10);
        poses[body[8].slot] = pose_at(-20);
        assert_int_equal(abut_world_update_bodies(world, &body[7], 1), ABUT_OK);
        assert_true(is_at(world, -10, body[7]) && ray_down(world, 14).body.generation == 0);
        assert_true(is_at(world, 16, body[8]) && ray_down(world, -20).body.generation == 0);
        detect(world);
        assert_true(is_at(world, -20, body[8]));
        abut_world_destroy(world);
    }
}

// All nodes above a body are refitted.
static void in_a_large_world_far_moves_are_found(void **state)
{
    (void)state;
    static abut_body body[LARGE];
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        for (uint32_t i = 0; i < LARGE; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        detect(world);
        for (uint32_t i = 0; i < LARGE; i += 97)
        {
            const float x = -100.0f - 1000.0f * (float)i;
            abut_world_bodies(world).poses[body[i].slot] = pose_at(x);
            assert_int_equal(abut_world_update_bodies(world, &body[i], 1), ABUT_OK);
            assert_true(is_at(world, x, body[i]));
        }
        abut_world_destroy(world);
    }
}

static void wrong_calls_change_nothing(void **state)
{
    (void)state;
    error_note told = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &told });
    const abut_body first = ball(world, 0), second = ball(world, 3), gone = ball(world, 6);
    assert_int_equal(abut_body_destroy(world, gone), ABUT_OK);
    detect(world);
    abut_world_bodies(world).poses[first.slot] = pose_at(-5);
    const abut_body some[] = { first, gone, second };
    assert_int_equal(abut_world_update_bodies(world, some, 3), ABUT_STALE_HANDLE);
    assert_true(told.times == 1 && told.index == 1 && told.status == ABUT_STALE_HANDLE);
    assert_true(is_at(world, 0, first));
    assert_int_equal(abut_world_update_bodies(world, NULL, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_update_bodies(NULL, some, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(told.times, 2);
    assert_int_equal(abut_world_update_bodies(world, NULL, 0), ABUT_OK);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_update_bodies(world, &first, 1), ABUT_BUSY);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    assert_true(is_at(world, -5, first));
    abut_world_destroy(world);
    abut_world *empty = open_world(NULL);
    assert_int_equal(abut_world_update_bodies(empty, NULL, 0), ABUT_OK);
    abut_world_destroy(empty);
}

typedef struct caller
{
    abut_world *world;
    abut_body body;
    abut_status status;
} caller;

static void calls_back(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    caller *c = context;
    (void)pairs, (void)count, (void)vetoed;
    c->status = abut_world_update_bodies(c->world, &c->body, 1);
}

static void callbacks_cannot_call_it(void **state)
{
    (void)state;
    caller c = { 0 };
    c.world = open_world(&(abut_world_def){ .veto = calls_back, .veto_context = &c });
    c.body = ball(c.world, 0);
    ball(c.world, 0.5f);
    detect(c.world);
    assert_int_equal(c.status, ABUT_BUSY);
    abut_world_destroy(c.world);
}

static void an_invalid_pose_hides_its_body_alone(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        error_note told = { 0 };
        abut_world *world =
            open_world(&(abut_world_def){ .broad = kind, .on_error = note_error, .on_error_context = &told });
        abut_body body[100];
        for (uint32_t i = 0; i < 100; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        detect(world);
        abut_pose *const poses = abut_world_bodies(world).poses;
        poses[body[3].slot].position.y = NAN;
        poses[body[5].slot].position.x = 1e30f;
        poses[body[6].slot].rotation = (abut_quat){ 0 };
        poses[body[4].slot] = pose_at(-10);
        for (uint32_t k = 0; k < 2; ++k)
        {
            assert_int_equal(abut_world_update_bodies(world, body, 10), ABUT_INVALID_ARGUMENT);
            assert_true(told.times == k + 1 && told.index == 3);
            assert_true(ray_down(world, 6).body.generation == 0 && ray_down(world, 10).body.generation == 0 &&
                        ray_down(world, 12).body.generation == 0);
            assert_true(is_at(world, -10, body[4]) && is_at(world, 14, body[7]) && is_at(world, 198, body[99]));
        }
        for (uint32_t i = 3; i < 7; ++i)
        {
            poses[body[i].slot] = pose_at(2.0f * (float)i);
        }
        assert_int_equal(abut_world_update_bodies(world, body + 3, 4), ABUT_OK);
        assert_true(is_at(world, 6, body[3]) && is_at(world, 10, body[5]) && is_at(world, 12, body[6]));
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        abut_world_bodies(world).velocities[body[3].slot].linear.x = INFINITY;
        assert_int_equal(abut_world_update_bodies(world, body + 2, 4), ABUT_INVALID_ARGUMENT);
        assert_true(told.index == 1 && is_at(world, 6, body[3]));
        abut_world_destroy(world);
    }
}

static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    bool fails = false;
    for (uint64_t granted = 0; granted < 4; ++granted)
    {
        EVERY_BROAD(kind)
        {
            source memory = { .first_failed = NEVER, .lasting = true };
            abut_world *world =
                open_world(&(abut_world_def){ .broad = kind, .allocator = { lend, take_back, &memory } });
            abut_body body[1000];
            for (uint32_t i = 0; i < 100; ++i)
            {
                body[i] = ball(world, 2.0f * (float)i);
            }
            detect(world);
            for (uint32_t i = 100; i < 1000; ++i)
            {
                body[i] = ball(world, 2.0f * (float)i);
            }
            abut_world_bodies(world).poses[body[0].slot] = pose_at(-4);
            fail_after(&memory, granted);
            const abut_status status = abut_world_update_bodies(world, body, 1000);
            fail_after(&memory, NEVER);
            if (status != ABUT_OK)
            {
                fails = true;
                assert_int_equal(status, ABUT_OUT_OF_MEMORY);
                assert_true(is_at(world, 0, body[0]) && is_at(world, 198, body[99]));
                assert_int_equal(ray_down(world, 200).body.generation, 0);
            }
            assert_int_equal(abut_world_update_bodies(world, body, 1000), ABUT_OK);
            assert_true(is_at(world, -4, body[0]) && is_at(world, 1998, body[999]));
            const uint64_t asked = memory.asked;
            abut_world_bodies(world).poses[body[0].slot] = pose_at(-6);
            assert_int_equal(abut_world_update_bodies(world, body, 1000), ABUT_OK);
            assert_int_equal(memory.asked, asked);
            detect(world);
            expect_sound(world);
            abut_world_destroy(world);
        }
    }
    assert_true(fails);
}

// An image has no boxes.
static void after_a_restore_only_these_bodies_are_found(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        abut_body body[100];
        size_t size;
        for (uint32_t i = 0; i < 100; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        detect(world);
        assert_int_equal(abut_world_save(world, 0, NULL, NULL, 0, &size), ABUT_OK);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(abut_world_save(world, 0, NULL, bytes, size, &size), ABUT_OK);
        assert_int_equal(abut_world_restore(world, NULL, bytes, size), ABUT_OK);
        free(bytes);
        assert_int_equal(abut_world_update_bodies(world, &body[20], 1), ABUT_OK);
        assert_true(is_at(world, 40, body[20]));
        assert_int_equal(abut_world_update(world), ABUT_OK);
        assert_true(is_at(world, 40, body[20]) && is_at(world, 42, body[21]));
        abut_world_destroy(world);
    }
}

static int open_stock(void **state)
{
    (void)state;
    stock_2d_open(&stock);
    return 0;
}

static int close_stock(void **state)
{
    (void)state;
    stock_2d_close(&stock);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_find_what_a_whole_update_lets_them_find),
        cmocka_unit_test(other_bodies_are_found_where_they_were),
        cmocka_unit_test(in_a_large_world_far_moves_are_found),
        cmocka_unit_test(wrong_calls_change_nothing),
        cmocka_unit_test(callbacks_cannot_call_it),
        cmocka_unit_test(an_invalid_pose_hides_its_body_alone),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(after_a_restore_only_these_bodies_are_found),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
