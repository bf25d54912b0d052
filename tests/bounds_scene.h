// Worlds of all kinds of shape at any scale and any distance from the origin, and rays past the edges of their bodies:
// for tests of bounds.
#ifndef BOUNDS_SCENE_H
#define BOUNDS_SCENE_H

#include "every_isa.h"
#include "own_world.h"
#include "random.h"

#include "base/array.h"
#include "base/kernels.h"
#include "query/bound_kernels.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

enum
{
    BODIES = 40,
    RAYS = 60,
    WORLDS = 400,
    MOST_HITS = 2 * BODIES
};

typedef struct scene
{
    double scale, far_off;
    bool is_2d;
    abut_world *world;
    abut_vec3 centre;
    abut_pose pose[BODIES];
    abut_ray ray[RAYS];
} scene;

static inline float between(random_source *random, double low, double high)
{
    return (float)random_between(random, low, high);
}

static inline abut_vec3 random_vec3(const scene *s, random_source *random, double most)
{
    const float x = between(random, -most, most), y = between(random, -most, most), z = between(random, -most, most);
    return abut_vec3_make(x, y, s->is_2d ? 0.0f : z);
}

static inline abut_quat random_turn(const scene *s, random_source *random)
{
    const abut_vec3 axis =
        s->is_2d ? abut_vec3_make(0, 0, 1) : abut_vec3_make(between(random, -1, 1), between(random, -1, 1), 1.0f);
    return abut_quat_from_axis_angle(axis, between(random, -3, 3));
}

static inline abut_shape random_shape(const scene *s, random_source *random)
{
    const double size = s->scale * random_scale(random, 0.01, 1.0);
    const float x = between(random, 0.0, size), y = between(random, 0.05 * size, size);
    const float z = s->is_2d || random_chance(random, 0.1) ? 0.0f : between(random, 0.0, size);
    switch (random_below(random, s->is_2d ? 4 : 6))
    {
    case 0:
        return abut_shape_sphere(x);
    case 1:
        return abut_shape_aabb(x, y, z);
    case 2:
        return abut_shape_capsule(x, y);
    case 3:
        return abut_shape_obb(x, y, z);
    case 4:
        return own_shape(OWN_CRATE, x, y, z);
    default:
        return own_shape(OWN_PILL, x, y, 0.0f);
    }
}

// Past a body's edge, from near and from far, along axes, from within and of no length.
static inline abut_ray random_ray(const scene *s, random_source *random)
{
    const abut_vec3 at = abut_vec3_add(s->pose[random_below(random, BODIES)].position,
                                       random_vec3(s, random, s->scale * random_scale(random, 1e-3, 1.5)));
    abut_vec3 way = random_vec3(s, random, s->scale * random_scale(random, 0.1, 1e3));
    const uint32_t axis = random_below(random, 8);
    if (axis < 3)
    {
        way = abut_vec3_make(axis == 0 ? way.x : 0.0f, axis == 1 ? way.y : 0.0f, axis == 2 ? way.z : 0.0f);
    }
    const float back = random_chance(random, 0.2) ? 0.0f : between(random, 0.0, 1.0);
    abut_ray ray = { abut_vec3_sub(at, abut_vec3_scale(way, back)), way };
    if (random_chance(random, 0.02))
    {
        ray.translation = abut_vec3_scale(way, random_chance(random, 0.5) ? 0.0f : 1e-36f);
    }
    return ray;
}

static inline void make(scene *s, uint64_t seed)
{
    random_source random = random_start(seed + 41000u);
    *s = (scene){ .scale = random_scale(&random, 1e-3, 1e4), .is_2d = random_chance(&random, 0.3) };
    s->far_off = random_chance(&random, 0.5) ? 0.0 : fmin(s->scale * random_scale(&random, 1.0, 1e6), 4e7);
    s->centre = random_vec3(s, &random, s->far_off);
    const abut_world_def def = { .dimension = s->is_2d ? 2 : 3,
                                 .margin = between(&random, 0.0, 0.1 * s->scale),
                                 .broad = (abut_broad_kind)random_below(&random, ABUT_BROAD_COUNT) };
    s->world = s->is_2d ? open_world(&def) : open_own_world(&def);
    const double spread = s->scale * random_between(&random, 0.5, 4.0);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        s->pose[i] = (abut_pose){ .position = abut_vec3_add(s->centre, random_vec3(s, &random, spread)),
                                  .rotation = random_turn(s, &random) };
        abut_body body;
        abut_collider part;
        const abut_body_def def_of = { .pose = s->pose[i],
                                       .motion = random_chance(&random, 0.3) ? ABUT_STATIC : ABUT_DYNAMIC,
                                       .collider.shape = random_shape(s, &random) };
        assert_int_equal(abut_body_create(s->world, &def_of, &body), ABUT_OK);
        if (random_chance(&random, 0.2))
        {
            const abut_collider_def added = { .shape = random_shape(s, &random),
                                              .local.position = random_vec3(s, &random, 2.0 * s->scale),
                                              .local.rotation = random_turn(s, &random) };
            assert_int_equal(abut_collider_attach(s->world, body, &added, &part), ABUT_OK);
        }
    }
    assert_int_equal(abut_world_detect(s->world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_detect(s->world, 0.0f), ABUT_OK);
    for (uint32_t i = 0; i < RAYS; ++i)
    {
        s->ray[i] = random_ray(s, &random);
    }
}

// The proxies of all colliders, by slot, and padding as kernels want it.
static inline uint32_t proxies_of(const scene *s, uint32_t proxies[MOST_HITS + AB_WIDEST])
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < MOST_HITS && slot < arrlenu(s->world->state.colliders.shape); ++slot)
    {
        proxies[count++] = s->world->cache.proxies.proxy_of[slot];
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        proxies[count + i] = proxies[0];
    }
    return count;
}

// Hits, those whose bound is near, what bounds spare, and of how many pairs of a question and a proxy.
typedef struct bounds_tally
{
    uint64_t hits, near, spared, pairs;
} bounds_tally;

// No bound is later than the hit. bounds: by collider, `count` of them. Those within `near` of the hit are counted.
static inline void compare_bounds(bounds_tally *seen, const float *bounds, uint32_t count, const abut_hit *hit,
                                  uint32_t hits, float near)
{
    for (uint32_t i = 0; i < hits; ++i)
    {
        const float bound = bounds[hit[i].collider.slot];
        assert_true(bound <= hit[i].fraction);
        seen->near += hit[i].fraction - bound < near;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        seen->spared += bounds[i] > 1.0f;
    }
    seen->hits += hits;
    seen->pairs += count;
}

// Of more than half of all hits.
static inline void expect_near_bounds(const bounds_tally *seen)
{
    print_message("%llu hits, %llu of them with a near bound; %llu of %llu pairs spared\n",
                  (unsigned long long)seen->hits, (unsigned long long)seen->near, (unsigned long long)seen->spared,
                  (unsigned long long)seen->pairs);
    assert_true(!random_seeds_all() || seen->near > seen->hits / 2);
}

#endif
