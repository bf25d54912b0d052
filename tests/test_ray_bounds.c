// Many rays at once are answered by bounds first: of where each enters what its box meets. No bound is later than the hit,
// at any scale and any distance from the origin, on the edge of every kind of shape; bounds are the same bits on every
// instruction set; and what they spare is most of the work. Many rays find what each finds by itself.
#include "every_isa.h"
#include "own_world.h"
#include "random.h"

#include "base/array.h"
#include "base/kernels.h"
#include "query/ray_kernels.h"
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

static float between(random_source *random, double low, double high)
{
    return (float)random_between(random, low, high);
}

static abut_vec3 random_vec3(const scene *s, random_source *random, double most)
{
    const float x = between(random, -most, most), y = between(random, -most, most), z = between(random, -most, most);
    return abut_vec3_make(x, y, s->is_2d ? 0.0f : z);
}

static abut_quat random_turn(const scene *s, random_source *random)
{
    const abut_vec3 axis =
        s->is_2d ? abut_vec3_make(0, 0, 1) : abut_vec3_make(between(random, -1, 1), between(random, -1, 1), 1.0f);
    return abut_quat_from_axis_angle(axis, between(random, -3, 3));
}

static abut_shape random_shape(const scene *s, random_source *random)
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
static abut_ray random_ray(const scene *s, random_source *random)
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

static void make(scene *s, uint64_t seed)
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

typedef struct tally
{
    uint64_t hits, near, spared, pairs;
} tally;

// The bounds of one ray for all proxies, on every instruction set.
static uint32_t bounds_of(const scene *s, const abut_ray *ray, uint32_t proxies[MOST_HITS],
                          float bounds[MOST_HITS + AB_WIDEST])
{
    static const uint8_t query[MOST_HITS];
    const abut_world *world = s->world;
    const float origin[3] = { ray->origin.x, ray->origin.y, ray->origin.z };
    const double way[3] = { (double)ray->translation.x, (double)ray->translation.y, (double)ray->translation.z };
    _Alignas(64) ab_ray_row row;
    ab_ray_row_make(&row, origin, way, sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]));
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < MOST_HITS && slot < arrlenu(world->colliders.shape); ++slot)
    {
        proxies[count++] = world->proxies.proxy_of[slot];
    }
    bool first = true;
    EVERY_ISA(isa)
    {
        float own[MOST_HITS + AB_WIDEST];
        ab_kernels_for(isa)->rays->bound(&world->proxies, &row, proxies, query, count, own);
        assert_true(first || memcmp(own, bounds, count * sizeof *own) == 0);
        memcpy(bounds, own, sizeof own);
        first = false;
    }
    return count;
}

static void judge(const scene *s, const abut_ray *ray, tally *seen)
{
    uint32_t proxies[MOST_HITS], hits = 0;
    float bounds[MOST_HITS + AB_WIDEST];
    abut_hit hit[MOST_HITS];
    const uint32_t count = bounds_of(s, ray, proxies, bounds);
    assert_int_equal(abut_world_ray_all(s->world, ray, NULL, hit, MOST_HITS, &hits), ABUT_OK);
    for (uint32_t i = 0; i < hits; ++i)
    {
        const float bound = bounds[hit[i].collider.slot];
        assert_true(bound <= hit[i].fraction);
        seen->near += hit[i].fraction - bound < 1e-3f;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        seen->spared += bounds[i] > 1.0f;
    }
    seen->hits += hits;
    seen->pairs += count;
}

static void no_bound_is_later_than_the_hit(void **state)
{
    (void)state;
    tally seen = { 0 };
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            judge(&s, &s.ray[i], &seen);
        }
        abut_world_destroy(s.world);
    }
    print_message("%llu hits, %llu of them bounded to a thousandth; %llu of %llu pairs spared\n",
                  (unsigned long long)seen.hits, (unsigned long long)seen.near, (unsigned long long)seen.spared,
                  (unsigned long long)seen.pairs);
    assert_true(!random_seeds_all() || seen.near > seen.hits / 2);
    assert_true(!random_seeds_all() || seen.spared > seen.pairs / 2);
}

static void many_rays_find_what_each_finds(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        static const uint32_t flags[] = { 0, ABUT_QUERY_HOLLOW, ABUT_QUERY_SKIP_INSIDE,
                                          ABUT_QUERY_HOLLOW | ABUT_QUERY_SENSORS };
        scene s;
        abut_hit many[RAYS];
        bool any[RAYS];
        make(&s, seed);
        const abut_query_filter filter = { .flags = flags[seed % 4], .motions = seed % 3 ? 0 : 1u << ABUT_DYNAMIC };
        assert_int_equal(abut_world_ray_closest_many(s.world, s.ray, RAYS, &filter, many), ABUT_OK);
        assert_int_equal(abut_world_ray_any_many(s.world, s.ray, RAYS, &filter, any), ABUT_OK);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            abut_hit hit;
            assert_int_equal(abut_world_ray_closest(s.world, &s.ray[i], &filter, &hit), ABUT_OK);
            assert_memory_equal(&hit, &many[i], sizeof hit);
            assert_int_equal(any[i], hit.collider.generation != 0);
        }
        abut_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_is_later_than_the_hit),
        cmocka_unit_test(many_rays_find_what_each_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
