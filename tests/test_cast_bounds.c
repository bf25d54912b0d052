// Many casts at once are answered by bounds first, as rays are: of where each may hit what its box meets. No bound is
// later than the hit, for any two kinds of shape; bounds are the same bits on every instruction set; and what they
// spare is most of the work. Many casts find what each finds by itself.
#include "bounds_scene.h"

#include "math/rotation.h"
#include "query/cast_shape.h"

// Along a ray, every third one turning.
static abut_cast cast_of(const scene *s, uint32_t i, random_source *random)
{
    abut_cast cast = { .shape = random_shape(s, random),
                       .pose = { .position = s->ray[i].origin, .rotation = random_turn(s, random) },
                       .translation = s->ray[i].translation };
    if (random_chance(random, 0.3))
    {
        cast.rotation = abut_vec3_make(0, 0, between(random, -3, 3));
        cast.rotation.x = s->is_2d ? 0.0f : between(random, -3, 3);
    }
    return cast;
}

static uint32_t bounds_of(const scene *s, const abut_cast *cast, uint32_t proxies[MOST_HITS + AB_WIDEST],
                          float bounds[MOST_HITS + AB_WIDEST])
{
    static const uint8_t query[MOST_HITS + AB_WIDEST];
    const abut_world *world = s->world;
    const uint32_t count = proxies_of(s, proxies);
    _Alignas(64) ab_cast_row row;
    ab_mover mover;
    abut_pose pose = cast->pose;
    assert_true(ab_rotation_accept(&pose.rotation));
    ab_cast_mover(&mover, cast, &pose, &world->state.kind_set, s->is_2d);
    ab_cast_row_make(&row, &mover, pose.position);
    bool first = true;
    EVERY_ISA(isa)
    {
        float own[MOST_HITS + AB_WIDEST];
        ab_kernels_for(isa)->queries->cast(&world->cache.proxies, &row, proxies, query, count, own);
        assert_true(first || memcmp(own, bounds, count * sizeof *own) == 0);
        memcpy(bounds, own, sizeof own);
        first = false;
    }
    return count;
}

static void judge(const scene *s, const abut_cast *cast, bounds_tally *seen)
{
    uint32_t proxies[MOST_HITS + AB_WIDEST], hits = 0;
    float bounds[MOST_HITS + AB_WIDEST];
    abut_hit hit[MOST_HITS];
    const uint32_t count = bounds_of(s, cast, proxies, bounds);
    assert_int_equal(abut_world_cast_all(s->world, cast, NULL, hit, MOST_HITS, &hits), ABUT_OK);
    compare_bounds(seen, bounds, count, hit, hits, 1e-2f);
}

static void no_bound_is_later_than_the_hit(void **state)
{
    (void)state;
    bounds_tally seen = { 0 };
    if (!ab_kernels_for(abut_isa_best())->queries->cast)
    {
        skip();
    }
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            const abut_cast cast = cast_of(&s, i, &random);
            judge(&s, &cast, &seen);
        }
        abut_world_destroy(s.world);
    }
    expect_near_bounds(&seen);
    assert_true(!random_seeds_all() || seen.spared > seen.pairs / 4);
}

static void many_casts_find_what_each_finds(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        abut_cast casts[RAYS];
        abut_hit many[RAYS];
        bool any[RAYS];
        make(&s, seed);
        random_source random = random_start(seed);
        const abut_query_filter filter = { .flags = seed % 2 ? ABUT_QUERY_SKIP_INSIDE : 0,
                                           .motions = seed % 3 ? 0 : 1u << ABUT_DYNAMIC };
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            casts[i] = cast_of(&s, i, &random);
        }
        assert_int_equal(abut_world_cast_closest_many(s.world, casts, RAYS, &filter, many), ABUT_OK);
        assert_int_equal(abut_world_cast_any_many(s.world, casts, RAYS, &filter, any), ABUT_OK);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            abut_hit hit, first;
            uint32_t count;
            assert_int_equal(abut_world_cast_closest(s.world, &casts[i], &filter, &hit), ABUT_OK);
            assert_int_equal(abut_world_cast_all(s.world, &casts[i], &filter, &first, 1, &count), ABUT_OK);
            assert_memory_equal(&hit, &many[i], sizeof hit);
            assert_int_equal(any[i], hit.collider.generation != 0);
            assert_int_equal(any[i], count > 0);
            assert_true(count == 0 || memcmp(&hit, &first, sizeof hit) == 0);
        }
        abut_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_is_later_than_the_hit),
        cmocka_unit_test(many_casts_find_what_each_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
