// Many casts at once are answered by bounds first, as rays are: of where each may hit what its box meets. No bound is
// later than the hit, for any two kinds of shape; bounds are the same bits on every instruction set; and what they
// spare is most of the work. Many casts find what each finds by itself, and so do eight at a time on every instruction
// set.
#include "bounds_scene.h"

#include "math/rotation.h"
#include "query/cast_many.h"
#include "query/cast_shape.h"
#include "query/query.h"

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
        ab_kernels_for(isa)->queries->cast_many(&world->cache.proxies, &row, proxies, query, count, own);
        assert_true(first || memcmp(own, bounds, count * sizeof *own) == 0);
        memcpy(bounds, own, sizeof own);
        first = false;
        if (ab_kernels_for(isa)->queries->cast) // of one
        {
            ab_kernels_for(isa)->queries->cast(&world->cache.proxies, &row, proxies, count, own);
            assert_memory_equal(own, bounds, count * sizeof *own);
        }
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
    if (!ab_kernels_for(abut_isa_best())->queries->cast_many)
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

#ifndef AB_SMALL

// Eight casts of one sort against a proxy.
typedef struct eight
{
    uint32_t count, proxy[AB_BLOCK], index[AB_BLOCK];
    ab_mover mover[AB_BLOCK];
    abut_vec3 origin[AB_BLOCK];
    ab_cast_solid solid[AB_BLOCK];
} eight;

static void expect_bits(float own, double alone)
{
    const float expected = (float)alone;
    assert_memory_equal(&own, &expected, sizeof own);
}

// Entry k of eight is what the cast by itself hits. The tally: by answer.
static void expect_alone(const scene *s, const eight *e, const ab_cast_hits *hits, uint32_t k, uint32_t tally[4])
{
    abut_shape room;
    ab_mover standing;
    ab_cast_found found;
    ab_query_convex(s->world, e->proxy[k], e->origin[k], &room, &standing.start);
    const bool hit = ab_cast_test(&e->mover[k], &standing, 0, 1.0f, &found);
    const uint32_t answer = hits->answer[k];
    tally[answer] += 1;
    if (answer == AB_STRAIGHT_UNDECIDED)
    {
        return;
    }
    assert_int_equal(hit, answer != AB_STRAIGHT_MISS);
    if (hit)
    {
        assert_int_equal(found.flags, answer == AB_STRAIGHT_OVERLAP ? ABUT_HIT_INSIDE : 0);
        expect_bits(hits->fraction[k], found.fraction);
        expect_bits(hits->depth[k], found.depth);
        for (int i = 0; i < 3; ++i)
        {
            expect_bits(hits->offset[i][k], (double)ab_positive_zero(found.at[i]));
            expect_bits(hits->normal[i][k], (double)ab_positive_zero(found.normal[i]));
        }
    }
}

static void judge_eight(const scene *s, ab_cast_sort sort, eight *e, uint32_t tally[4])
{
    if (e->count == 0)
    {
        return;
    }
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        e->proxy[k] = e->proxy[0];
        e->index[k] = k < e->count ? k : 0;
    }
    EVERY_ISA(isa)
    {
        ab_cast_hits hits;
        ab_kernels_for(isa)->casts->hit[sort](&s->world->cache.proxies, e->solid, e->proxy, e->index, &hits);
        for (uint32_t k = 0; k < e->count; ++k)
        {
            expect_alone(s, e, &hits, k, tally);
        }
    }
    e->count = 0;
}

// From where the cast is to the proxy, and not to its middle.
static abut_vec3 way_to(const scene *s, const abut_cast *cast, uint32_t proxy, random_source *random)
{
    const float *at = s->world->cache.proxies.record[proxy].position;
    const abut_vec3 aim = abut_vec3_add(abut_vec3_make(at[0], at[1], at[2]), random_vec3(s, random, 0.3 * s->scale));
    return abut_vec3_scale(abut_vec3_sub(aim, cast->pose.position), between(random, 0.5, 3.0));
}

// All casts that do not turn, against one proxy; every second one is aimed at it.
static void judge_proxy(const scene *s, uint32_t proxy, random_source *random, uint32_t tally[AB_CAST_SORTS][4])
{
    eight lists[AB_CAST_SORTS];
    lists[AB_CAST_BOXES].count = lists[AB_CAST_POINTS].count = 0;
    for (uint32_t i = 0; i < RAYS; ++i)
    {
        abut_cast cast = cast_of(s, i, random);
        abut_pose pose = cast.pose;
        ab_mover mover;
        ab_cast_solid solid;
        cast.rotation = abut_vec3_make(0, 0, 0);
        cast.translation = i % 2 ? way_to(s, &cast, proxy, random) : cast.translation;
        assert_true(ab_rotation_accept(&pose.rotation));
        ab_cast_mover(&mover, &cast, &pose, &s->world->state.kind_set, s->is_2d);
        const ab_cast_sort own = ab_cast_solid_make(&solid, &mover, pose.position);
        const ab_cast_sort sort = ab_cast_sort_of(&s->world->cache.proxies, proxy, own);
        if (sort != AB_CAST_NONE)
        {
            eight *e = &lists[sort];
            mover.start.shape = NULL; // the cast's, which ends here
            e->proxy[e->count] = proxy;
            e->mover[e->count] = mover;
            e->origin[e->count] = pose.position;
            e->solid[e->count] = solid;
            e->solid[e->count].mover = &e->mover[e->count];
            ++e->count;
            if (e->count == AB_BLOCK)
            {
                judge_eight(s, sort, e, tally[sort]);
            }
        }
    }
    for (ab_cast_sort sort = 0; sort < AB_CAST_SORTS; ++sort)
    {
        judge_eight(s, sort, &lists[sort], tally[sort]);
    }
}

static void expect_many_of_each(const uint32_t tally[4])
{
    print_message("%u missed, %u hit, %u overlap, %u undecided\n", tally[0], tally[1], tally[2], tally[3]);
    assert_true(!random_seeds_all() || (tally[AB_STRAIGHT_MISS] > 1000 && tally[AB_STRAIGHT_HIT] > 1000));
}

static void eight_at_a_time_are_hit_as_each_alone(void **state)
{
    (void)state;
    uint32_t tally[AB_CAST_SORTS][4] = { { 0 } };
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed);
        uint32_t proxies[MOST_HITS + AB_WIDEST];
        const uint32_t count = s.is_2d ? 0 : proxies_of(&s, proxies);
        for (uint32_t i = 0; i < count; ++i)
        {
            judge_proxy(&s, proxies[i], &random, tally);
        }
        abut_world_destroy(s.world);
    }
    expect_many_of_each(tally[AB_CAST_BOXES]);
    expect_many_of_each(tally[AB_CAST_POINTS]);
    const uint32_t *points = tally[AB_CAST_POINTS];
    assert_true(!random_seeds_all() ||
                (points[AB_STRAIGHT_OVERLAP] > 1000 && points[AB_STRAIGHT_UNDECIDED] < points[AB_STRAIGHT_HIT] / 10));
}

#endif

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
#ifndef AB_SMALL
        cmocka_unit_test(eight_at_a_time_are_hit_as_each_alone),
#endif
        cmocka_unit_test(many_casts_find_what_each_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
