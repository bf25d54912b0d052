// Many rays at once are answered by bounds first: of where each enters what its box meets. No bound is later than the
// hit, at any scale and any distance from the origin, on the edge of every kind of shape; bounds are the same bits on
// every instruction set; and what they spare is most of the work. Many rays find what each finds by itself, and the
// closest hit is the first of all.
#include "bounds_scene.h"

#include "query/exact_kernels.h"
#include "query/query.h"
#include "query/ray_shape.h"

// The bounds of one ray for all proxies, on every instruction set.
static uint32_t bounds_of(const scene *s, const abut_ray *ray, uint32_t proxies[MOST_HITS + AB_WIDEST],
                          float bounds[MOST_HITS + AB_WIDEST])
{
    static const uint8_t query[MOST_HITS + AB_WIDEST];
    const abut_world *world = s->world;
    const float origin[3] = { ray->origin.x, ray->origin.y, ray->origin.z };
    const double way[3] = { (double)ray->translation.x, (double)ray->translation.y, (double)ray->translation.z };
    _Alignas(64) ab_ray_row row;
    ab_ray_row_make(&row, origin, way, sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]));
    const uint32_t count = proxies_of(s, proxies);
    bool first = true;
    EVERY_ISA(isa)
    {
        float own[MOST_HITS + AB_WIDEST];
        ab_kernels_for(isa)->queries->ray_many(&world->cache.proxies, &row, proxies, query, count, own);
        assert_true(first || memcmp(own, bounds, count * sizeof *own) == 0);
        memcpy(bounds, own, sizeof own);
        first = false;
        if (ab_kernels_for(isa)->queries->ray) // of one
        {
            ab_kernels_for(isa)->queries->ray(&world->cache.proxies, &row, proxies, count, own);
            assert_memory_equal(own, bounds, count * sizeof *own);
        }
    }
    return count;
}

// What the ray hits by itself, of the first collider of each body, is among its hits in the world.
static void nothing_is_missed(const scene *s, const abut_ray *ray, const abut_hit *hit, uint32_t hits)
{
    bool is_hit[MOST_HITS] = { false };
    for (uint32_t i = 0; i < hits; ++i)
    {
        is_hit[hit[i].collider.slot] = true;
    }
    for (uint32_t slot = 0; slot < arrlenu(s->world->state.colliders.shape); ++slot)
    {
        const abut_shape *shape = &s->world->state.colliders.shape[slot];
        abut_pose pose;
        abut_ray_hit alone;
        if (shape->kind != ABUT_CUSTOM && s->world->state.colliders.collider_key[slot] % 256 == 0)
        {
            assert_int_equal(abut_body_pose(s->world, s->world->state.colliders.name[slot].body, &pose), ABUT_OK);
            assert_int_equal((s->is_2d ? abut_ray_shape_2d : abut_ray_shape)(ray, shape, &pose, 0, &alone), ABUT_OK);
            assert_int_equal(is_hit[slot], alone.hit);
        }
    }
}

static void judge(const scene *s, const abut_ray *ray, bounds_tally *seen)
{
    uint32_t proxies[MOST_HITS + AB_WIDEST], hits = 0;
    float bounds[MOST_HITS + AB_WIDEST];
    abut_hit hit[MOST_HITS];
    const uint32_t count = bounds_of(s, ray, proxies, bounds);
    assert_int_equal(abut_world_ray_all(s->world, ray, NULL, hit, MOST_HITS, &hits), ABUT_OK);
    nothing_is_missed(s, ray, hit, hits);
    compare_bounds(seen, bounds, count, hit, hits, 1e-3f);
}

static void no_bound_is_later_than_the_hit(void **state)
{
    (void)state;
    bounds_tally seen = { 0 };
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
    expect_near_bounds(&seen);
    assert_true(!random_seeds_all() || seen.spared > seen.pairs / 2);
}

// A proxy by itself, as queries test it.
static bool hit_alone(const scene *s, const abut_ray *ray, uint32_t proxy, ab_ray_target *target, ab_ray_found *found)
{
    abut_shape room;
    *target = (ab_ray_target){ .record = &s->world->cache.proxies.record[proxy],
                               .way = { (double)ray->translation.x, (double)ray->translation.y,
                                        (double)ray->translation.z } };
    target->shape = ab_query_shape(s->world, proxy, &room);
    ab_query_place(s->world, proxy, ray->origin, target->from);
    for (int k = 0; k < 3; ++k)
    {
        target->from[k] = -target->from[k];
    }
    return ab_ray_test(target, 0, found);
}

// Entry k of eight is what the proxy by itself is hit by the ray.
static void expect_alone(const scene *s, const abut_ray *ray, uint32_t proxy, const ab_ray_hits *hits, uint32_t k,
                         uint32_t tally[3])
{
    ab_ray_target target;
    ab_ray_found found;
    const bool hit = hit_alone(s, ray, proxy, &target, &found);
    assert_int_equal(hits->fraction[k] <= 1.0f, hit);
    tally[hit ? 1 + (found.flags != 0) : 0] += 1;
    if (hit)
    {
        const float fraction = ab_positive_zero(found.fraction);
        assert_memory_equal(&hits->fraction[k], &fraction, sizeof fraction);
        assert_int_equal(hits->inside[k], found.flags == ABUT_HIT_INSIDE);
        double offset[3];
        ab_ray_offset(&target, &found, offset);
        for (int i = 0; i < 3; ++i)
        {
            const float at = ab_positive_zero(offset[i]), normal = ab_positive_zero(found.normal[i]);
            assert_memory_equal(&hits->offset[i][k], &at, sizeof at);
            assert_memory_equal(&hits->normal[i][k], &normal, sizeof normal);
        }
    }
}

// Eight rays from `first` on against one proxy, on every instruction set.
static void judge_eight(const scene *s, uint32_t proxy, uint32_t first, uint32_t tally[3])
{
    const uint32_t kind = (s->world->cache.proxies.proxy_flags[proxy] & AB_PROXY_TYPE_KEY) >> 2;
    uint32_t proxies[AB_BLOCK], rays[AB_BLOCK];
    _Alignas(64) ab_ray_row rows[AB_BLOCK];
    if (kind != ABUT_SPHERE && kind != ABUT_AABB && kind != ABUT_OBB)
    {
        return;
    }
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const abut_ray *ray = &s->ray[(first + k) % RAYS];
        const float origin[3] = { ray->origin.x, ray->origin.y, ray->origin.z };
        const double way[3] = { (double)ray->translation.x, (double)ray->translation.y, (double)ray->translation.z };
        ab_ray_row_make(&rows[k], origin, way, sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]));
        proxies[k] = proxy;
        rays[k] = k;
    }
    EVERY_ISA(isa)
    {
        const ab_exact_kernels *kernels = ab_kernels_for(isa)->exact;
        ab_ray_hits hits;
        kernels->ray[kind == ABUT_SPHERE ? AB_EXACT_SPHERES : AB_EXACT_BOXES](&s->world->cache.proxies, rows, proxies,
                                                                              rays, &hits);
        for (uint32_t k = 0; k < AB_BLOCK; ++k)
        {
            expect_alone(s, &s->ray[(first + k) % RAYS], proxy, &hits, k, tally);
        }
    }
}

static void eight_at_a_time_are_hit_as_each_alone(void **state)
{
    (void)state;
    uint32_t tally[3] = { 0 };
    const random_seeds seeds = random_seeds_of(WORLDS / 4);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        uint32_t proxies[MOST_HITS + AB_WIDEST];
        const uint32_t count = s.is_2d ? 0 : proxies_of(&s, proxies);
        for (uint32_t i = 0; i < count; ++i)
        {
            for (uint32_t first = 0; first < RAYS; first += AB_BLOCK)
            {
                judge_eight(&s, proxies[i], first, tally);
            }
        }
        abut_world_destroy(s.world);
    }
    assert_true(!random_seeds_all() || (tally[0] > 1000 && tally[1] > 1000 && tally[2] > 1000));
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
            abut_hit first;
            uint32_t all;
            assert_int_equal(abut_world_ray_all(s.world, &s.ray[i], &filter, &first, 1, &all), ABUT_OK);
            assert_int_equal(any[i], all > 0);
            assert_true(all == 0 || memcmp(&hit, &first, sizeof hit) == 0);
        }
        abut_world_destroy(s.world);
    }
}

// Boards that lean fill little of their boxes: a ray enters the box of one long before it hits it, and another first.
// Of kinds of a caller's own, no bound says so.
static void boards_in_later_segments_come_first(void **state)
{
    (void)state;
    enum
    {
        BOARDS = 1500,
        SIGHTS = 3000
    };
    random_source random = random_start(9);
    uint32_t hits = 0;
    abut_world *world = open_own_world(NULL);
    for (uint32_t i = 0; i < BOARDS; ++i)
    {
        const abut_vec3 at = { between(&random, -9, 9), between(&random, -9, 9), between(&random, -9, 9) };
        const abut_vec3 axis = { between(&random, -1, 1), between(&random, -1, 1), between(&random, -1, 1) };
        abut_body body;
        const abut_body_def def = {
            .pose = { .position = at, .rotation = abut_quat_from_axis_angle(axis, between(&random, -3, 3)) },
            .collider.shape = i % 2 ? own_shape(OWN_CRATE, 2.0f, 0.01f, 0.5f) : abut_shape_obb(2.0f, 0.01f, 0.5f)
        };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    for (uint32_t i = 0; i < SIGHTS; ++i)
    {
        const abut_ray ray = { .origin = { between(&random, -9, 9), between(&random, -9, 9), between(&random, -9, 9) },
                               .translation = { between(&random, -9, 9), between(&random, -9, 9),
                                                between(&random, -9, 9) } };
        abut_hit closest, many, first;
        uint32_t all;
        assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &closest), ABUT_OK);
        assert_int_equal(abut_world_ray_closest_many(world, &ray, 1, NULL, &many), ABUT_OK);
        assert_int_equal(abut_world_ray_all(world, &ray, NULL, &first, 1, &all), ABUT_OK);
        assert_memory_equal(&closest, &many, sizeof many);
        assert_true(all == 0 || memcmp(&closest, &first, sizeof first) == 0);
        hits += all > 1;
    }
    assert_in_range(hits, SIGHTS / 10, SIGHTS);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_is_later_than_the_hit),
        cmocka_unit_test(eight_at_a_time_are_hit_as_each_alone),
        cmocka_unit_test(many_rays_find_what_each_finds),
        cmocka_unit_test(boards_in_later_segments_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
