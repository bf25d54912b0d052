// A scene of every kind of shape, questions about it whose answers are lists, and the comparison of batches with each
// question by itself.
#ifndef BATCH_QUESTIONS_H
#define BATCH_QUESTIONS_H

#include "mesh_makers.h"
#include "own_world.h"
#include "random.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum
{
    ASKED = 150, // not a multiple of what is answered together
    BODIES = 700,
    CROWD = 1800, // of which one question can find more than those of many are answered for together
    FEW = 20,
    ROOM = 100000,
    ONE = CROWD * 3, // more than one question finds
    MOST_SIZE = 64   // of a result
};

typedef struct questions
{
    abut_ray ray[ASKED];
    abut_cast cast[ASKED];
    abut_aabb box[ASKED];
    abut_vec3 point[ASKED];
    abut_placed_shape shape[ASKED];
    abut_region region[ASKED];
    abut_plane side[ASKED][3]; // of each region
} questions;

typedef struct scene
{
    abut_world *world;
    abut_geometry *hull, *mesh, *compound;
    abut_body body[CROWD];
    questions q;
} scene;

// The calls of a kind: all questions from `first` on, or one.
typedef struct calls
{
    const char *name;
    size_t size;    // of a result
    uint32_t flags; // of a filter
    abut_status (*many)(const scene *s, uint32_t count, const abut_query_filter *f, abut_range *ranges, void *out,
                        uint64_t capacity, uint64_t *total);
    abut_status (*one)(const scene *s, uint32_t i, const abut_query_filter *f, void *out, uint32_t capacity,
                       uint32_t *count);
} calls;

#define CALLS(name, field, result)                                                                                     \
    static inline abut_status name##_all(const scene *s, uint32_t count, const abut_query_filter *f,                   \
                                         abut_range *ranges, void *out, uint64_t capacity, uint64_t *total)            \
    {                                                                                                                  \
        return abut_world_##name##_many(s->world, s->q.field, count, f, ranges, out, capacity, total);                 \
    }                                                                                                                  \
    static inline abut_status name##_one(const scene *s, uint32_t i, const abut_query_filter *f, void *out,            \
                                         uint32_t capacity, uint32_t *count)                                           \
    {                                                                                                                  \
        return abut_world_##name(s->world, &s->q.field[i], f, out, capacity, count);                                   \
    }

CALLS(ray_all, ray, abut_hit)
CALLS(cast_all, cast, abut_hit)
CALLS(overlap_aabb, box, abut_found)
CALLS(overlap_shape, shape, abut_found)
CALLS(overlap_point, point, abut_found)
CALLS(overlap_region, region, abut_found)

static uint32_t most; // nearest
static float within;  // likewise

#define NEAR_CALLS(name, field)                                                                                        \
    static inline abut_status name##_all(const scene *s, uint32_t count, const abut_query_filter *f,                   \
                                         abut_range *ranges, void *out, uint64_t capacity, uint64_t *total)            \
    {                                                                                                                  \
        return abut_world_##name##_many(s->world, s->q.field, count, within, most, f, ranges, out, capacity, total);   \
    }                                                                                                                  \
    static inline abut_status name##_one(const scene *s, uint32_t i, const abut_query_filter *f, void *out,            \
                                         uint32_t capacity, uint32_t *count)                                           \
    {                                                                                                                  \
        return abut_world_##name(s->world, &s->q.field[i], within, f, out, capacity < most ? capacity : most, count);  \
    }

NEAR_CALLS(nearest, point)
NEAR_CALLS(nearest_shape, shape)

#define ANY (ABUT_QUERY_SENSORS | ABUT_QUERY_ONE_PER_BODY)

static const calls lists[] = {
    { "ray_all", sizeof(abut_hit), ANY | ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE, ray_all_all, ray_all_one },
    { "cast_all", sizeof(abut_hit), ANY | ABUT_QUERY_SKIP_INSIDE, cast_all_all, cast_all_one },
    { "overlap_aabb", sizeof(abut_found), ANY | ABUT_QUERY_BOUNDS | ABUT_QUERY_CHILDREN, overlap_aabb_all,
      overlap_aabb_one },
    { "overlap_shape", sizeof(abut_found), ANY | ABUT_QUERY_CHILDREN, overlap_shape_all, overlap_shape_one },
    { "overlap_point", sizeof(abut_found), ANY | ABUT_QUERY_CHILDREN, overlap_point_all, overlap_point_one },
    { "overlap_region", sizeof(abut_found), ANY | ABUT_QUERY_CHILDREN, overlap_region_all, overlap_region_one },
};

static const calls nearest[] = {
    { "nearest", sizeof(abut_near), ANY | ABUT_QUERY_SKIP_INSIDE, nearest_all, nearest_one },
    { "nearest_shape", sizeof(abut_near), ANY | ABUT_QUERY_SKIP_INSIDE, nearest_shape_all, nearest_shape_one },
};

static inline abut_shape random_shape(const scene *s, random_source *random, double size)
{
    const float x = (float)random_between(random, 0.1 * size, size), y = (float)random_between(random, 0.1, size);
    switch (random_below(random, 20))
    {
    case 0:
        return abut_shape_hull(s->hull);
    case 1:
        return abut_shape_mesh(s->mesh);
    case 2:
        return abut_shape_compound(s->compound);
    case 3:
        return own_shape(OWN_CRATE, x, y, x);
    case 4:
        return own_shape(OWN_PILL, x, y, 0.0f);
    default:
        return random_chance(random, 0.3)   ? abut_shape_sphere(x)
               : random_chance(random, 0.3) ? abut_shape_capsule(x, y)
               : random_chance(random, 0.5) ? abut_shape_aabb(x, y, x)
                                            : abut_shape_obb(x, y, y);
    }
}

static inline abut_collider_def random_collider(const scene *s, random_source *random)
{
    return (abut_collider_def){ .shape = random_shape(s, random, 0.5),
                                .flags = random_chance(random, 0.1) ? ABUT_COLLIDER_SENSOR : 0,
                                .filter.category = random_chance(random, 0.2) ? 2u : 0u };
}

// Some bodies have several colliders; some of these are the same in the same place, so that results tie.
static inline void add_body(scene *s, random_source *random, uint32_t i, double side)
{
    const abut_body_def def = { .pose = { .position = random_narrow(random_in_box(random, side)),
                                          .rotation = random_narrow_rotation(random_rotation(random)) },
                                .motion = (abut_motion)random_below(random, ABUT_MOTION_COUNT),
                                .collider = random_collider(s, random) };
    assert_int_equal(abut_body_create(s->world, &def, &s->body[i]), ABUT_OK);
    while (random_chance(random, 0.3))
    {
        const abut_collider_def again = random_chance(random, 0.5) ? def.collider : random_collider(s, random);
        abut_collider collider;
        assert_int_equal(abut_collider_attach(s->world, s->body[i], &again, &collider), ABUT_OK);
    }
}

static inline void make_geometries(scene *s, random_source *random)
{
    abut_vec3 points[12];
    for (uint32_t i = 0; i < COUNT(points); ++i)
    {
        points[i] = random_narrow(random_in_box(random, 0.5));
    }
    assert_int_equal(abut_geometry_create_hull(points, COUNT(points), 0, NULL, &s->hull), ABUT_OK);
    mesh_maker m = { 0 };
    mesh_field(&m, random, 3, 3, 0.8, 0.8, 0.2, NULL, NULL);
    s->mesh = mesh_made(&m);
    mesh_maker_close(&m);
    abut_placed_shape parts[2] = { { abut_shape_sphere(0.2f), abut_pose_identity() },
                                   { abut_shape_obb(0.2f, 0.3f, 0.1f), abut_pose_identity() } };
    parts[0].pose.position.x = 0.3f;
    assert_int_equal(abut_geometry_create_compound(parts, 2, NULL, &s->compound), ABUT_OK);
}

static inline void make_questions(scene *s, random_source *random, double side, double size)
{
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        questions *q = &s->q;
        const abut_vec3 at = random_narrow(random_in_box(random, side)),
                        way = random_narrow(random_in_box(random, side));
        const float r = (float)random_between(random, 0.05, size);
        q->ray[i] = (abut_ray){ at, random_chance(random, 0.1) ? abut_vec3_make(0, way.y, 0) : way };
        q->point[i] = at;
        q->box[i] = abut_aabb_from_centre(at, abut_vec3_make(r, r, 0.5f * r));
        q->shape[i] =
            (abut_placed_shape){ i % 4 == 0   ? abut_shape_sphere(r)
                                 : i % 4 == 1 ? abut_shape_obb(r, 0.2f, r)
                                 : i % 4 == 2 ? abut_shape_compound(s->compound)
                                              : abut_shape_capsule(0.2f, r),
                                 { .position = at, .rotation = random_narrow_rotation(random_rotation(random)) } };
        q->cast[i] = (abut_cast){ .shape = q->shape[i].shape, .pose = q->shape[i].pose, .translation = way };
        q->cast[i].rotation = random_chance(random, 0.1) ? abut_vec3_make(0, 1, 0) : abut_vec3_make(0, 0, 0);
        q->region[i] = (abut_region){ q->side[i], 3 };
        q->side[i][0] = (abut_plane){ { 1, 0, 0 }, at.x - 0.6f * (float)side };
        q->side[i][1] = (abut_plane){ { 0, 1, 0 }, at.y - 0.6f * (float)side };
        q->side[i][2] = (abut_plane){ way, 0.0f };
    }
}

static inline scene *open_scene(uint64_t seed, const abut_world_def *def, uint32_t bodies, double side, double size)
{
    scene *s = test_calloc(1, sizeof *s);
    random_source random = random_start(seed);
    s->world = open_own_world(def);
    make_geometries(s, &random);
    for (uint32_t i = 0; i < bodies; ++i)
    {
        if (i == bodies - 40)
        {
            detect(s->world); // later ones are not in the trees yet
            detect(s->world); // what stays where it is has a tree of its own
            detect(s->world);
            assert_true(s->world->cache.proxies.region[AB_STATIC_SET].live > 100);
        }
        add_body(s, &random, i, side);
    }
    for (uint32_t i = 0; i < bodies; i += 35)
    {
        assert_int_equal(abut_body_destroy(s->world, s->body[i]), ABUT_OK);
    }
    make_questions(s, &random, side, size);
    return s;
}

static inline void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->hull);
    abut_geometry_release(s->mesh);
    abut_geometry_release(s->compound);
    test_free(s);
}

// The filter of question `i` by itself: what it alone ignores is one of a list, and its own mask is the mask.
static inline abut_query_filter filter_of_one(const abut_query_filter *f, uint32_t i)
{
    static abut_body ignored[64];
    abut_query_filter one = f ? *f : (abut_query_filter){ 0 };
    if (one.ignore_each)
    {
        assert_in_range(one.ignore_count, 0, COUNT(ignored) - 1);
        for (uint32_t k = 0; k < one.ignore_count; ++k)
        {
            ignored[k] = one.ignore[k];
        }
        ignored[one.ignore_count++] = one.ignore_each[i];
        one.ignore = ignored;
        one.ignore_each = NULL;
    }
    one.mask = one.mask_each ? one.mask_each[i] : one.mask;
    one.mask_each = NULL;
    return one;
}

// Results of all questions with room for `capacity` of them are those of each by itself.
static inline uint64_t compare(const scene *s, const calls *c, const abut_query_filter *f, uint32_t count,
                               uint64_t capacity)
{
    static char many[ROOM * MOST_SIZE], one[ONE * MOST_SIZE];
    static abut_range range[ASKED];
    uint64_t total = 0, sum = 0;
    memset(many, 0xa5, (capacity + 1) * c->size);
    assert_int_equal(c->many(s, count, f, range, many, capacity, &total), ABUT_OK);
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t found;
        const abut_query_filter own = filter_of_one(f, i);
        assert_int_equal(c->one(s, i, &own, one, ONE, &found), ABUT_OK);
        if (range[i].first != sum || range[i].count != found)
        {
            fail_msg("%s %u: %u at %u, not %u at %u", c->name, i, range[i].count, (unsigned)range[i].first, found,
                     (unsigned)sum);
        }
        const uint64_t left = sum < capacity ? capacity - sum : 0, told = found < left ? found : left;
        assert_memory_equal(many + sum * c->size, one, told * c->size);
        sum += found;
    }
    assert_int_equal(total, sum);
    for (size_t k = 0; k < c->size; ++k)
    {
        assert_int_equal((unsigned char)many[capacity * c->size + k], 0xa5);
    }
    return sum;
}

// What each question ignores: the body that it finds first, or by turns one that is stale, none, or another.
static inline void ignore_first(const scene *s, const calls *c, uint32_t count, abut_body ignored[ASKED])
{
    static char one[ONE * MOST_SIZE];
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t found;
        assert_int_equal(c->one(s, i, NULL, one, ONE, &found), ABUT_OK);
        ignored[i] = s->body[i];
        if (found > 0 && i % 8 > 1)
        {
            memcpy(&ignored[i], one, sizeof ignored[i]); // each kind of result begins with its body
        }
        ignored[i].generation -= i % 8 == 0;
        ignored[i] = i % 16 == 1 ? (abut_body){ 0 } : ignored[i];
    }
}

#endif
