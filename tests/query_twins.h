// Worlds of the same bodies, which are edited by chance through the public calls, and every form of query asked of two
// of them: the answers are to be the same bits.
#ifndef QUERY_TWINS_H
#define QUERY_TWINS_H

#include "small_world.h"
#include "stock_2d.h"

#include <math.h>
#include <string.h>

enum
{
    FIRST = 250,
    MOST = 900, // bodies in a session
    WORLDS = 3, // in one some bodies are updated, in one all, and in one none
    ASKED = 12,
    ROOM = 12000
};

typedef struct twins
{
    abut_world *world[WORLDS];
    abut_body body[WORLDS][MOST];
    uint32_t count; // handles, ended ones included
    random_source random;
    bool is_2d;
} twins;

static inline abut_pose random_pose(twins *t)
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

static inline abut_shape random_shape(twins *t)
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

static inline abut_filter random_filter(twins *t)
{
    return random_chance(&t->random, 0.5) ? (abut_filter){ 0 }
                                          : (abut_filter){ .category = 1u << random_below(&t->random, 3),
                                                           .mask = 1 + random_below(&t->random, 7) };
}

static inline abut_collider_def random_collider(twins *t)
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

static inline void create(twins *t)
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

static inline bool lives(const twins *t, uint32_t i)
{
    return abut_body_valid(t->world[0], t->body[0][i]);
}

static inline uint32_t some_body(twins *t)
{
    uint32_t i;
    do
    {
        i = random_below(&t->random, t->count);
    } while (!lives(t, i));
    return i;
}

// Of colliders, `which` among those of the body; all zero if it has none.
static inline abut_collider collider_of(const twins *t, uint32_t w, uint32_t body, uint32_t which)
{
    abut_collider all[256] = { { 0, 0 } };
    uint32_t count;
    assert_int_equal(abut_body_colliders(t->world[w], t->body[w][body], all, 256, &count), ABUT_OK);
    return count > 0 ? all[which % count] : all[0];
}

static inline void edit_collider(twins *t, uint32_t i, uint32_t what, uint32_t which)
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

static inline void edit_body(twins *t, uint32_t i, uint32_t what)
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
static inline uint32_t edit(twins *t)
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

static inline void destroy(twins *t, uint32_t i)
{
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        assert_int_equal(abut_body_destroy(t->world[w], t->body[w][i]), ABUT_OK);
    }
}

// Handles of two worlds have different generations.
static inline void plain(abut_body *body, abut_collider *collider)
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

static inline bool same_answers(const answers *a, const answers *b)
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

static inline void make_questions(twins *t, questions *q)
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

#define SINGLE_FORMS (11u * ASKED)
#define FORMS        (SINGLE_FORMS + 12u)

// A call with one question. Returns how many results.
static inline uint64_t ask_one(const abut_world *world, uint32_t form, const questions *q,
                               const abut_query_filter *filter, answers *a)
{
    uint32_t count = 0;
    const uint32_t i = form % ASKED;
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
    default:
        assert_int_equal(abut_world_nearest_shape(world, &q->shape[i], 2.0f, filter, a->near, 1 + i, &count), ABUT_OK);
        plain_near(a, count);
        return count;
    }
}

// A call with all questions of a kind.
static inline uint64_t ask_many(const abut_world *world, uint32_t form, const questions *q,
                                const abut_query_filter *filter, answers *a)
{
    uint64_t total = 0;
    switch (form)
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

// Everything that can be asked, one form after the other; `form` counts up to the last. Returns how many results.
static inline uint64_t ask(const abut_world *world, uint32_t form, const questions *q, const abut_query_filter *filter,
                           answers *a)
{
    a->used = 0;
    memset(a->range, 0, sizeof a->range);
    memset(a->any, 0, sizeof a->any);
    return form < SINGLE_FORMS ? ask_one(world, form, q, filter, a)
                               : ask_many(world, form - SINGLE_FORMS, q, filter, a);
}

static inline uint64_t expect_same_answers(twins *t, uint64_t seed)
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

#endif
