// Bounds of how near shapes are to a point: none is farther than the shape is, and none of the others nearer, at any
// scale and any distance from the origin; the same bits on every instruction set. What they spare changes no answer:
// the nearest few are the first of all, from points and from shapes, and within their own distance; balls find what
// each collider by itself overlaps, be they just short of it. Eight shapes measured together are as near as each by
// itself, to the bit. Where they are looked for first does not depend on one that is far away or large. The order in
// which they are tried is the same on every instruction set.
#include "bounds_scene.h"
#include "math/frame.h"
#include "query/exact_kernels.h"
#include "query/query.h"

enum
{
    ASKED = 24,
    CROWD = 2000,
    MOST = 8
};

typedef struct tally
{
    uint64_t pairs, close;
} tally;

static abut_vec3 random_point(const scene *s, random_source *random)
{
    return abut_vec3_add(s->pose[random_below(random, BODIES)].position,
                         random_vec3(s, random, s->scale * random_scale(random, 1e-3, 30.0)));
}

// The bounds of all proxies, on every instruction set.
static uint32_t bounds_of(const scene *s, abut_vec3 point, float least[MOST_HITS + AB_WIDEST],
                          float most[MOST_HITS + AB_WIDEST])
{
    const float at[3] = { point.x, point.y, point.z };
    uint32_t proxies[MOST_HITS + AB_WIDEST];
    const uint32_t count = proxies_of(s, proxies);
    bool first = true;
    EVERY_ISA(isa)
    {
        float low[MOST_HITS + AB_WIDEST], high[MOST_HITS + AB_WIDEST];
        ab_kernels_for(isa)->queries->near(&s->world->cache.proxies, at, proxies, count, low, high);
        assert_true(first || memcmp(low, least, count * sizeof *low) == 0);
        assert_true(first || memcmp(high, most, count * sizeof *high) == 0);
        memcpy(least, low, sizeof low);
        memcpy(most, high, sizeof high);
        first = false;
    }
    return count;
}

static void judge(const scene *s, abut_vec3 point, tally *seen)
{
    float least[MOST_HITS + AB_WIDEST], most[MOST_HITS + AB_WIDEST];
    abut_near near[MOST_HITS];
    uint32_t found;
    const uint32_t count = bounds_of(s, point, least, most);
    assert_int_equal(abut_world_nearest(s->world, &point, INFINITY, NULL, near, MOST_HITS, &found), ABUT_OK);
    assert_int_equal(found, count);
    for (uint32_t i = 0; i < found; ++i)
    {
        const uint32_t slot = near[i].collider.slot;
        const float distance = near[i].distance;
        assert_true(least[slot] <= distance && distance <= most[slot]);
        seen->close += most[slot] - least[slot] <= 1e-3f * (distance + (float)(s->scale + s->far_off));
    }
    seen->pairs += found;
}

static void distances_are_between_the_bounds(void **state)
{
    (void)state;
    tally seen = { 0 };
    if (!ab_kernels_for(abut_isa_best())->queries->near)
    {
        skip();
    }
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed + 5u);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            judge(&s, random_point(&s, &random), &seen);
        }
        abut_world_destroy(s.world);
    }
    print_message("%llu of %llu pairs bounded closely\n", (unsigned long long)seen.close,
                  (unsigned long long)seen.pairs);
    assert_true(!random_seeds_all() || seen.close > seen.pairs / 2);
}

static abut_placed_shape random_asker(const scene *s, random_source *random)
{
    const float size = between(random, 0.0, s->scale), other = between(random, 0.0, s->scale);
    const abut_shape shapes[] = { abut_shape_sphere(size), abut_shape_obb(size, other, s->is_2d ? 0.0f : size),
                                  abut_shape_capsule(size, other) };
    return (abut_placed_shape){ shapes[random_below(random, 3)],
                                { .position = random_point(s, random), .rotation = random_turn(s, random) } };
}

static void the_nearest_few_are_the_first_of_all(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed + 6u);
        const abut_query_filter filter = { .flags = seed % 3 == 0 ? ABUT_QUERY_ONE_PER_BODY : 0u };
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            const abut_placed_shape asker = random_asker(&s, &random);
            const abut_vec3 point = random_point(&s, &random);
            const float far = (float)(s.scale * random_scale(&random, 0.01, 100.0));
            abut_near all[MOST_HITS], few[MOST];
            uint32_t whole, some;
            const uint32_t most = 1 + random_below(&random, MOST);
            assert_int_equal(abut_world_nearest(s.world, &point, far, &filter, all, MOST_HITS, &whole), ABUT_OK);
            assert_int_equal(abut_world_nearest(s.world, &point, far, &filter, few, most, &some), ABUT_OK);
            assert_int_equal(some, whole < most ? whole : most);
            assert_memory_equal(few, all, some * sizeof *few);
            if (some > 0 && few[some - 1].distance > 0.0f)
            {
                const float own = few[some - 1].distance;
                assert_int_equal(abut_world_nearest(s.world, &point, own, &filter, few, most, &some), ABUT_OK);
                assert_int_equal(some, whole < most ? whole : most);
                assert_memory_equal(few, all, some * sizeof *few);
            }
            assert_int_equal(abut_world_nearest_shape(s.world, &asker, far, &filter, all, MOST_HITS, &whole), ABUT_OK);
            assert_int_equal(abut_world_nearest_shape(s.world, &asker, far, &filter, few, most, &some), ABUT_OK);
            assert_int_equal(some, whole < most ? whole : most);
            assert_memory_equal(few, all, some * sizeof *few);
        }
        abut_world_destroy(s.world);
    }
}

#ifndef AB_SMALL
static void spheres_are_looked_for_as_other_shapes_are(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed + 8u);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            const abut_shape sphere = abut_shape_sphere(between(&random, 0.0, s.scale));
            const abut_pose pose = { .position = random_point(&s, &random), .rotation = random_turn(&s, &random) };
            ab_convex convex;
            ab_index_box box, same_box;
            float balls[2], same_balls[2];
            ab_query_asker(s.world, &sphere, &pose, &convex);
            ab_query_box(&convex, pose.position, &box);
            ab_query_balls(&convex, &box, pose.position, &balls[0], &balls[1]);
            ab_query_ball(sphere.sphere.radius, pose.position, &same_box, &same_balls[0], &same_balls[1]);
            assert_memory_equal(&same_box, &box, sizeof box);
            assert_memory_equal(same_balls, balls, sizeof balls);
        }
        abut_world_destroy(s.world);
    }
}
#endif

// The first collider of each body by itself, as abut_overlap finds. Returns how many there are.
static uint32_t compare_ball(const scene *s, abut_vec3 at, float radius)
{
    const abut_placed_shape ball = { abut_shape_sphere(radius), { .position = at, .rotation = abut_quat_identity() } };
    abut_found found[MOST_HITS];
    uint32_t count;
    bool is_found[MOST_HITS] = { false };
    assert_int_equal(abut_world_overlap_shape(s->world, &ball, NULL, found, MOST_HITS, &count), ABUT_OK);
    for (uint32_t k = 0; k < count; ++k)
    {
        is_found[found[k].collider.slot] = true;
    }
    for (uint32_t slot = 0; slot < arrlenu(s->world->state.colliders.shape); ++slot)
    {
        const abut_shape *shape = &s->world->state.colliders.shape[slot];
        abut_pose pose;
        bool overlapping;
        if (shape->kind == ABUT_CUSTOM || s->world->state.colliders.collider_key[slot] % 256 != 0)
        {
            continue;
        }
        assert_int_equal(abut_body_pose(s->world, s->world->state.colliders.name[slot].body, &pose), ABUT_OK);
        assert_int_equal(
            (s->is_2d ? abut_overlap_2d : abut_overlap)(&ball.shape, &ball.pose, shape, &pose, &overlapping), ABUT_OK);
        assert_int_equal(is_found[slot], overlapping);
    }
    return count;
}

static void balls_find_what_overlaps(void **state)
{
    (void)state;
    uint64_t overlaps = 0;
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed + 7u);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            const abut_vec3 at = random_point(&s, &random);
            abut_near near;
            uint32_t one;
            overlaps += compare_ball(&s, at, (float)(s.scale * random_scale(&random, 1e-3, 10.0)));
            assert_int_equal(abut_world_nearest(s.world, &at, INFINITY, NULL, &near, 1, &one), ABUT_OK);
            overlaps += compare_ball(&s, at, near.distance * (1.0f - 0x1p-19f));
            overlaps += compare_ball(&s, at, near.distance * (1.0f + 0x1p-19f));
        }
        abut_world_destroy(s.world);
    }
    assert_true(!random_seeds_all() || overlaps > 1000);
}

// The point of a shape that is nearest to one outside of it, as its row has it.
static bool nearest_alone(const scene *s, abut_vec3 point, uint32_t proxy, double on[3])
{
    const ab_record *record = &s->world->cache.proxies.record[proxy];
    abut_shape room;
    const abut_shape *shape = ab_query_shape(s->world, proxy, &room);
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const double zero[3] = { 0.0, 0.0, 0.0 };
    double local[3], nearest[3];
    ab_frame frame;
    ab_query_place(s->world, proxy, point, frame.position);
    for (int k = 0; k < 9; ++k)
    {
        frame.axis[k] = row->turns ? (double)record->axis[k] : k % 4 == 0 ? 1.0 : 0.0;
    }
    ab_frame_local(&frame, zero, local);
    if (row->contains(shape, local))
    {
        on[0] = on[1] = on[2] = 0.0;
        return false;
    }
    row->closest(shape, local, nearest);
    ab_frame_world(&frame, nearest, on);
    return true;
}

// Eight points about one proxy, on every instruction set. Returns how many are outside.
static uint32_t measure_eight(const scene *s, uint32_t proxy, ab_exact_sort sort, random_source *random)
{
    uint32_t proxies[AB_BLOCK], queries[AB_BLOCK], outside = 0;
    _Alignas(64) ab_near_row rows[AB_BLOCK] = { 0 };
    abut_vec3 points[AB_BLOCK];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        points[k] = random_point(s, random);
        rows[k] = (ab_near_row){ .point = { points[k].x, points[k].y, points[k].z } };
        proxies[k] = proxy;
        queries[k] = k;
    }
    EVERY_ISA(isa)
    {
        ab_near_points found;
        outside = 0;
        ab_kernels_for(isa)->exact->near[sort](&s->world->cache.proxies, rows, proxies, queries, &found);
        for (uint32_t k = 0; k < AB_BLOCK; ++k)
        {
            double on[3];
            const bool apart = nearest_alone(s, points[k], proxy, on);
            const float distance = (float)sqrt(ab_dot(on, on));
            outside += apart;
            assert_int_equal(found.inside[k], !apart);
            assert_memory_equal(&found.distance[k], &distance, sizeof distance);
            for (int i = 0; i < 3; ++i)
            {
                const float at = ab_positive_zero(on[i]);
                assert_memory_equal(&found.on[i][k], &at, sizeof at);
            }
        }
    }
    return outside;
}

static void eight_at_a_time_are_as_near_as_each_alone(void **state)
{
    (void)state;
    uint64_t measured = 0, outside = 0;
    const random_seeds seeds = random_seeds_of(WORLDS / 4);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed + 8u);
        uint32_t proxies[MOST_HITS + AB_WIDEST];
        const uint32_t count = proxies_of(&s, proxies);
        for (uint32_t i = 0; i < count; ++i)
        {
            const ab_exact_sort sort = ab_exact_sort_of(s.world->cache.proxies.proxy_flags[proxies[i]]);
            outside += sort == AB_EXACT_NONE ? 0 : measure_eight(&s, proxies[i], sort, &random);
            measured += sort == AB_EXACT_NONE ? 0 : AB_BLOCK;
        }
        abut_world_destroy(s.world);
    }
    print_message("%llu measured, %llu outside\n", (unsigned long long)measured, (unsigned long long)outside);
    assert_true(!random_seeds_all() || (outside > measured / 4 && outside < measured));
}

// Balls in a cube, and perhaps one that is strange: larger than all else, or far away.
static float width_beside(const abut_body_def *strange)
{
    random_source random = random_start(1);
    abut_world *world;
    abut_body body;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        abut_body_def def = { .collider.shape = abut_shape_sphere(0.5f) };
        def.pose.position = random_narrow(random_in_box(&random, 10.0));
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    if (strange)
    {
        assert_int_equal(abut_body_create(world, strange, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK); // the next has what is static in a tree of its own
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    const float width = world->cache.node_width;
    abut_world_destroy(world);
    return width;
}

#ifndef AB_SMALL
#define INDEX_BITS (AB_ORDERED - 1u) // of a key, which do not count

static uint32_t key_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits & ~INDEX_BITS;
}

// Some of them zero, tiny, alike or nearly so, and behind them what is not to be counted.
static void draw_keys(random_source *random, uint32_t count, float keys[AB_ORDERED + AB_WIDEST])
{
    for (uint32_t i = 0; i < AB_ORDERED + AB_WIDEST; ++i)
    {
        const uint32_t sort = random_below(random, 8);
        const float own = (float)random_scale(random, 1e-40, 1e9);
        keys[i] = sort == 0 ? 0.0f : sort < 3 && i > 0 ? keys[random_below(random, i)] : own;
        keys[i] = i >= count ? 0.0f : sort == 3 ? keys[i] * (1.0f + 0x1p-22f) : keys[i];
    }
}

static void judge_order(const float *keys, uint32_t count, const uint8_t *order)
{
    bool seen[AB_ORDERED] = { false };
    for (uint32_t k = 0; k < count; ++k)
    {
        assert_true(order[k] < count && !seen[order[k]]);
        seen[order[k]] = true;
        const uint32_t last = k > 0 ? order[k - 1] : 0, before = key_of(keys[last]), own = key_of(keys[order[k]]);
        assert_true(k == 0 || before < own || (before == own && last < order[k]));
    }
}

static void keys_are_sorted_by_all_but_their_lowest_bits_then_by_index(void **state)
{
    (void)state;
    random_source random = random_start(61);
    for (uint32_t round = 0; round < 4000; ++round)
    {
        const uint32_t count = 1 + random_below(&random, AB_ORDERED);
        float keys[AB_ORDERED + AB_WIDEST];
        draw_keys(&random, count, keys);
        EVERY_ISA(isa)
        {
            uint8_t order[AB_ORDERED];
            ab_kernels_for(isa)->queries->sort(keys, count, order);
            judge_order(keys, count, order);
        }
    }
}
#endif

// Where the nearest are looked for first, and how far rays go at first, depends on it.
static void one_far_away_or_large_does_not_change_how_wide_nodes_count(void **state)
{
    (void)state;
    const abut_body_def far = { .pose.position = { 9e7f, 0.0f, 0.0f }, .collider.shape = abut_shape_sphere(0.5f) };
    const abut_body_def ground = { .pose.position = { 0.0f, -1e6f, 0.0f },
                                   .motion = ABUT_STATIC,
                                   .collider.shape = abut_shape_sphere(1e6f) };
    const abut_body_def vehicle = { .collider.shape = abut_shape_aabb(1e4f, 1e4f, 1e4f) };
    const float alone = width_beside(NULL);
    assert_true(alone > 1.0f && alone < 20.0f);
    assert_true(width_beside(&far) < 1.5f * alone);
    assert_true(width_beside(&ground) < 1.5f * alone);
    assert_true(width_beside(&vehicle) < 1.5f * alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_between_the_bounds),
        cmocka_unit_test(eight_at_a_time_are_as_near_as_each_alone),
        cmocka_unit_test(the_nearest_few_are_the_first_of_all),
#ifndef AB_SMALL
        cmocka_unit_test(spheres_are_looked_for_as_other_shapes_are),
        cmocka_unit_test(keys_are_sorted_by_all_but_their_lowest_bits_then_by_index),
#endif
        cmocka_unit_test(balls_find_what_overlaps),
        cmocka_unit_test(one_far_away_or_large_does_not_change_how_wide_nodes_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
