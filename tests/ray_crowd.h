// A crowd that rays are asked of, and what a loop over all its shapes says they hit.
#ifndef RAY_CROWD_H
#define RAY_CROWD_H

#include "every_isa.h"
#include "random_2d.h"
#include "referee_ray.h"
#include "small_world.h"

#include <string.h>

enum
{
    BODIES = 700,
    RAYS = 400,
    MOST_HITS = BODIES
};

#define EVERY_BROAD(kind) for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)

// Bodies of one collider at their origin, so that a shape without a world is the same.
typedef struct crowd
{
    abut_world *world;
    abut_body body[BODIES];
    abut_pose pose[BODIES];
    abut_shape shape[BODIES];
    uint32_t count;
    double side;
    bool is_2d;
} crowd;

static stock_2d stock;

static inline abut_pose crowd_pose(random_source *random, const crowd *c)
{
    abut_pose pose = abut_pose_identity();
    const dvec3 p = random_in_box(random, c->side);
    if (c->is_2d)
    {
        return abut_pose_2d((float)p.x, (float)p.y, (float)random_between(random, -3, 3));
    }
    pose.position = abut_vec3_make((float)p.x, (float)p.y, (float)p.z);
    pose.rotation = abut_quat_normalise(random_narrow_rotation(random_rotation(random)));
    return pose;
}

static inline void crowd_open(crowd *c, uint64_t seed, const abut_world_def *def, uint32_t count)
{
    random_source random = random_start(seed);
    *c = (crowd){ .world = open_world(def), .count = count, .is_2d = def->dimension == 2 };
    c->side = c->is_2d ? sqrt(count) : cbrt(count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const double size =
            random_chance(&random, 0.02) ? random_scale(&random, 1.0, 10.0) : random_scale(&random, 0.05, 0.6);
        const abut_shape_kind kind = (abut_shape_kind)(ABUT_SPHERE + random_below(&random, 3));
        c->shape[i] = c->is_2d                      ? random_shape_2d(&random, &stock, random_kind_2d(&random), size)
                      : random_chance(&random, 0.5) ? abut_shape_sphere((float)size)
                                                    : abut_shape_obb((float)size, (float)(0.7 * size), 0.3f);
        if (!c->is_2d && kind == ABUT_AABB)
        {
            c->shape[i] = abut_shape_aabb((float)size, 0.2f, (float)(0.5 * size));
        }
        if (!c->is_2d && random_chance(&random, 0.2))
        {
            c->shape[i] = abut_shape_capsule((float)(0.5 * size), (float)(0.5 * size));
        }
        c->pose[i] = crowd_pose(&random, c);
        const abut_body_def body = { .pose = c->pose[i],
                                     .motion = (abut_motion)random_below(&random, 3),
                                     .flags = random_chance(&random, 0.1) ? ABUT_BODY_ASLEEP : 0,
                                     .collider.shape = c->shape[i] };
        assert_int_equal(abut_body_create(c->world, &body, &c->body[i]), ABUT_OK);
    }
}

static inline abut_ray crowd_ray(random_source *random, const crowd *c)
{
    const double length = random_chance(random, 0.2) ? 10.0 : 2.0;
    dvec3 from = random_in_box(random, 1.2 * c->side), way = random_in_box(random, length * c->side);
    const uint32_t still = random_below(random, 12);
    way = still == 0 ? dvec3_make(0, 0, 0) : way;
    way.x = still == 1 || still == 2 ? 0.0 : way.x;
    way.y = still == 2 || still == 3 ? 0.0 : way.y;
    if (random_chance(random, 0.2)) // from the middle of one, or towards it
    {
        const abut_vec3 p = c->pose[random_below(random, c->count)].position;
        from = dvec3_make((double)p.x, (double)p.y, (double)p.z);
    }
    from.z = c->is_2d ? 0.0 : from.z;
    way.z = c->is_2d ? 0.0 : way.z;
    return (abut_ray){ random_narrow(from), random_narrow(way) };
}

// Everything one ray hits, shape by shape, in order.
typedef struct body_hit
{
    uint32_t body;
    abut_ray_hit hit;
} body_hit;

static inline bool is_before(const crowd *c, const body_hit *a, const body_hit *b)
{
    return a->hit.fraction != b->hit.fraction ? a->hit.fraction < b->hit.fraction
                                              : c->body[a->body].slot < c->body[b->body].slot;
}

static inline uint32_t find_all(const crowd *c, const abut_ray *ray, uint32_t flags, body_hit out[MOST_HITS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        body_hit f = { .body = i };
        const abut_status status = c->is_2d ? abut_ray_shape_2d(ray, &c->shape[i], &c->pose[i], flags, &f.hit)
                                            : abut_ray_shape(ray, &c->shape[i], &c->pose[i], flags, &f.hit);
        assert_int_equal(status, ABUT_OK);
        if (f.hit.hit)
        {
            uint32_t at = count++;
            for (; at > 0 && is_before(c, &f, &out[at - 1]); --at)
            {
                out[at] = out[at - 1];
            }
            out[at] = f;
        }
    }
    return count;
}

static inline void same_hit(const crowd *c, const abut_hit *hit, const body_hit *f, uint32_t ray)
{
    if (hit->body.slot != c->body[f->body].slot || hit->fraction != f->hit.fraction || hit->flags != f->hit.flags ||
        memcmp(&hit->offset, &f->hit.offset, sizeof hit->offset) != 0 ||
        memcmp(&hit->normal, &f->hit.normal, sizeof hit->normal) != 0)
    {
        fail_msg("ray %u hits body %u at %a, should be %u at %a", ray, hit->body.slot, (double)hit->fraction,
                 c->body[f->body].slot, (double)f->hit.fraction);
    }
    assert_true(abut_body_valid(c->world, hit->body) && abut_collider_valid(c->world, hit->collider));
    assert_int_equal(hit->child, 0);
}

static inline void expect_ray(const crowd *c, const abut_ray *ray, const abut_query_filter *filter, uint32_t flags,
                              uint32_t index)
{
    static body_hit all[MOST_HITS];
    static abut_hit hits[MOST_HITS];
    const uint32_t count = find_all(c, ray, flags, all);
    abut_hit hit;
    bool any;
    uint32_t told;
    assert_int_equal(abut_world_ray_closest(c->world, ray, filter, &hit), ABUT_OK);
    if (count > 0)
    {
        same_hit(c, &hit, &all[0], index);
    }
    else
    {
        const abut_hit none = { .fraction = 1.0f };
        assert_memory_equal(&hit, &none, sizeof none);
    }
    assert_int_equal(abut_world_ray_any(c->world, ray, filter, &any), ABUT_OK);
    assert_int_equal(any, count > 0);
    assert_int_equal(abut_world_ray_all(c->world, ray, filter, hits, MOST_HITS, &told), ABUT_OK);
    assert_int_equal(told, count);
    for (uint32_t k = 0; k < count; ++k)
    {
        same_hit(c, &hits[k], &all[k], index);
    }
    const uint32_t room = count / 3; // the first of them, and the true number
    memset(hits, 0xa5, sizeof hits);
    assert_int_equal(abut_world_ray_all(c->world, ray, filter, hits, room, &told), ABUT_OK);
    assert_int_equal(told, count);
    for (uint32_t k = 0; k < room; ++k)
    {
        same_hit(c, &hits[k], &all[k], index);
    }
    assert_int_equal(hits[room].child, 0xa5a5a5a5);
}

static inline void expect_rays(const crowd *c, uint64_t seed, uint32_t rays)
{
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < rays; ++i)
    {
        const abut_ray ray = crowd_ray(&random, c);
        const uint32_t flags = i % 7 == 0 ? ABUT_QUERY_HOLLOW : i % 7 == 1 ? ABUT_QUERY_SKIP_INSIDE : 0;
        const abut_query_filter filter = { .flags = flags };
        expect_ray(c, &ray, flags ? &filter : NULL, flags, i);
    }
}

static inline void update(abut_world *world)
{
    assert_int_equal(abut_world_update(world), ABUT_OK);
}

static inline abut_hit cast(const abut_world *world, abut_ray ray, const abut_query_filter *filter)
{
    abut_hit hit;
    assert_int_equal(abut_world_ray_closest(world, &ray, filter, &hit), ABUT_OK);
    return hit;
}

static inline bool hits_body(const abut_world *world, abut_ray ray, const abut_query_filter *filter, abut_body body)
{
    const abut_hit hit = cast(world, ray, filter);
    return hit.collider.generation != 0 && hit.body.slot == body.slot && hit.body.generation == body.generation;
}

static const abut_ray along_x = { { -10, 0, 0 }, { 20, 0, 0 } };

static inline int open_stock(void **state)
{
    (void)state;
    stock_2d_open(&stock);
    return 0;
}

static inline int close_stock(void **state)
{
    (void)state;
    stock_2d_close(&stock);
    return 0;
}

#endif
