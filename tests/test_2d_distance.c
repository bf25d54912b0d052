// Distances, nearest points and times of impact of two shapes in 2D: judged by the referee, and the same as in a world.
#include "small_world.h"
#include "stock_2d.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void near(uint64_t seed, const char *what, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance))
    {
        fail_msg("ABUT_SEED=%llu: %s is %.9g, should be %.9g", (unsigned long long)seed, what, ours, theirs);
    }
}

static dvec2 world_point(const abut_pose *pose, abut_vec3 offset)
{
    return (dvec2){ (double)pose->position.x + (double)offset.x, (double)pose->position.y + (double)offset.y };
}

static void distances_are_the_referees(void **state)
{
    (void)state;
    uint32_t apart = 0;
    const random_seeds seeds = random_seeds_of(50000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = random_kind_2d(&random), kind_b = random_kind_2d(&random);
        const pair_2d p = random_pair_2d(&random, &stock, kind_a, kind_b);
        const solid_2d a = solid_2d_of(&p.a, &p.pose_a, NULL), b = solid_2d_of(&p.b, &p.pose_b, NULL);
        const contact_2d truth = collide_2d(&a, &b);
        abut_closest closest;
        float distance;
        bool overlapping;
        assert_int_equal(abut_closest_points_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, &closest), ABUT_OK);
        assert_int_equal(abut_distance_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, &distance), ABUT_OK);
        assert_int_equal(abut_overlap_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, &overlapping), ABUT_OK);
        assert_true(closest.distance == distance && distance >= 0.0f);
        assert_true(closest.on_a.z == 0.0f && closest.on_b.z == 0.0f);
        assert_true(!overlapping || distance == 0.0f);
        // Whether they overlap is decided in float; the square of a unit rotation in float may be off by 1.2e-7.
        const bool unsure = overlapping || truth.distance <= PLANE_BAND * truth.size;
        const double tolerance = unsure ? PLANE_BAND * truth.size : 1.2e-7 * (truth.distance + truth.size);
        near(seed, "distance", (double)distance, truth.distance, tolerance);
        if (overlapping)
        {
            abut_manifold manifold;
            assert_int_equal(abut_collide_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, 0.0f, &manifold), ABUT_OK);
            assert_memory_equal(&closest.on_a, &manifold.points[0].offset, sizeof closest.on_a);
            assert_memory_equal(&closest.on_b, &manifold.points[0].offset, sizeof closest.on_b);
            continue;
        }
        const dvec2 on_a = world_point(&p.pose_a, closest.on_a), on_b = world_point(&p.pose_a, closest.on_b);
        const double slack = PLANE_BAND * (truth.size + truth.distance);
        near(seed, "length between the points", hypot(on_b.x - on_a.x, on_b.y - on_a.y), truth.distance, slack);
        near(seed, "distance of the point from a's outline", point_distance_2d(&a, on_a), 0.0, slack);
        near(seed, "distance of the point from b's outline", point_distance_2d(&b, on_b), 0.0, slack);
        ++apart;
    }
    assert_true(!random_seeds_all() || apart > 10000);
}

static void many_distances_are_those_of_single_calls(void **state)
{
    (void)state;
    enum
    {
        SHAPES = 100,
        PAIRS = 1001
    };
    static abut_shape shape[SHAPES];
    static abut_pose pose[SHAPES];
    static uint32_t a[PAIRS], b[PAIRS];
    static abut_closest closest[PAIRS];
    static float distance[PAIRS];
    random_source random = random_start(12);
    for (uint32_t i = 0; i < SHAPES; ++i)
    {
        shape[i] = random_shape_2d(&random, &stock, random_kind_2d(&random), 1.0);
        pose[i] = abut_pose_2d((float)random_between(&random, -4, 4), (float)random_between(&random, -4, 4),
                               (float)random_between(&random, -3, 3));
    }
    for (uint32_t k = 0; k < PAIRS; ++k)
    {
        a[k] = random_below(&random, SHAPES);
        b[k] = random_below(&random, SHAPES);
    }
    const abut_pair_list list = { shape, pose, SHAPES, PAIRS, a, b, NULL, 0 };
    assert_int_equal(abut_closest_points_2d_many(&list, closest), ABUT_OK);
    assert_int_equal(abut_distance_2d_many(&list, distance), ABUT_OK);
    for (uint32_t k = 0; k < PAIRS; ++k)
    {
        abut_closest one;
        assert_int_equal(abut_closest_points_2d(&shape[a[k]], &pose[a[k]], &shape[b[k]], &pose[b[k]], &one), ABUT_OK);
        assert_memory_equal(&one, &closest[k], sizeof one);
        assert_memory_equal(&one.distance, &distance[k], sizeof one.distance);
    }
}

static abut_moving_shape random_moving_2d(random_source *random, const abut_shape *shape, const abut_pose *pose)
{
    abut_moving_shape out = { .shape = *shape, .pose = *pose };
    out.velocity.linear.x = (float)random_between(random, -8, 8);
    out.velocity.linear.y = (float)random_between(random, -8, 8);
    out.velocity.angular.z = random_chance(random, 0.5) ? (float)random_between(random, -9, 9) : 0.0f;
    return out;
}

// How far two are apart after some time, as the referee has it.
static double distance_at(const abut_moving_shape *a, const abut_moving_shape *b, float time, double *depth)
{
    abut_pose pose_a = a->pose, pose_b = b->pose;
    assert_true(abut_pose_move(&pose_a, &a->velocity, time) && abut_pose_move(&pose_b, &b->velocity, time));
    const solid_2d at_a = solid_2d_of(&a->shape, &pose_a, NULL), at_b = solid_2d_of(&b->shape, &pose_b, NULL);
    const contact_2d contact = collide_2d(&at_a, &at_b);
    *depth = contact.depth;
    return contact.distance;
}

static void shapes_touch_at_the_time_of_impact_and_not_before(void **state)
{
    (void)state;
    uint32_t hits = 0, misses = 0;
    const random_seeds seeds = random_seeds_of(4000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = random_kind_2d(&random), kind_b = random_kind_2d(&random);
        pair_2d p = random_pair_2d(&random, &stock, kind_a, kind_b);
        p.pose_b.position.x += (float)random_between(&random, -4, 4);
        p.pose_b.position.y += (float)random_between(&random, -4, 4);
        const abut_moving_shape a = random_moving_2d(&random, &p.a, &p.pose_a);
        const abut_moving_shape b = random_moving_2d(&random, &p.b, &p.pose_b);
        abut_impact impact;
        assert_int_equal(abut_time_of_impact_2d(&a, &b, 1.0f, 0.0f, &impact), ABUT_OK);
        assert_true(impact.normal.z == 0.0f && impact.offset.z == 0.0f);
        const double size = 1e-5 * (1.0 + fabs((double)a.pose.position.x) + fabs((double)a.pose.position.y));
        const float end = impact.hit || (impact.flags & ABUT_IMPACT_BOUND) ? impact.time : 1.0f;
        const bool initial = (impact.flags & ABUT_IMPACT_INITIAL) != 0;
        for (int i = 0; i <= 8 && !initial; ++i)
        {
            double depth;
            const double distance = distance_at(&a, &b, end * (float)i / 8.0f, &depth);
            near(seed, "depth on the way", depth, 0.0, size);
            if (i == 8 && impact.hit)
            {
                near(seed, "distance at the impact", distance, (double)impact.distance, 10.0 * size);
            }
        }
        hits += impact.hit && !initial;
        misses += !impact.hit;
    }
    print_message("%u hits, %u misses\n", hits, misses);
    assert_true(!random_seeds_all() || (hits > 300 && misses > 1000));
}

// Without the padding.
static void same_impact(const abut_impact *a, const abut_impact *b)
{
    assert_true(a->hit == b->hit && a->time == b->time && a->distance == b->distance && a->flags == b->flags);
    assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
    assert_memory_equal(&a->offset, &b->offset, sizeof a->offset);
}

static void a_world_finds_the_same_impacts(void **state)
{
    (void)state;
    uint32_t hits = 0;
    for (uint64_t seed = 1; seed <= 500; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = random_kind_2d(&random), kind_b = random_kind_2d(&random);
        pair_2d p = random_pair_2d(&random, &stock, kind_a, kind_b);
        p.pose_b.position.x += (float)random_between(&random, -4, 4);
        const abut_moving_shape a = random_moving_2d(&random, &p.a, &p.pose_a);
        const abut_moving_shape b = random_moving_2d(&random, &p.b, &p.pose_b);
        abut_impact impact;
        assert_int_equal(abut_time_of_impact_2d(&a, &b, 1.0f, 0.0f, &impact), ABUT_OK);
        abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
        const abut_body_def defs[2] = {
            { .pose = a.pose, .velocity = a.velocity, .flags = ABUT_BODY_CCD, .collider.shape = a.shape },
            { .pose = b.pose, .velocity = b.velocity, .collider.shape = b.shape },
        };
        abut_body bodies[2];
        assert_int_equal(abut_body_create_many(world, defs, 2, bodies), ABUT_OK);
        assert_int_equal(abut_world_detect(world, 1.0f), ABUT_OK);
        const abut_impacts found = abut_world_impacts(world);
        const bool counts = (impact.hit && !(impact.flags & ABUT_IMPACT_INITIAL)) || impact.flags & ABUT_IMPACT_BOUND;
        assert_int_equal(found.count, counts);
        if (counts)
        {
            same_impact(&found.data[0].impact, &impact);
            ++hits;
        }
        abut_world_destroy(world);
    }
    assert_true(hits > 50);
}

static void what_is_not_2d_fails_and_leaves_the_result_alone(void **state)
{
    (void)state;
    const abut_shape box = abut_shape_obb(1, 1, 1), polygon = abut_shape_polygon(stock.polygon[0]);
    const abut_pose flat = abut_pose_2d(0.1f, 0.2f, 0.3f);
    abut_pose high = flat, tilted = flat;
    high.position.z = 1e-6f;
    tilted.rotation.x = 1e-6f;
    const abut_pose *const wrong[] = { &high, &tilted, NULL };
    const abut_closest before = { .distance = 77.0f };
    const abut_impact none = { .time = 77.0f };
    abut_closest closest = before;
    abut_impact impact = none;
    float distance = 77.0f;
    for (uint32_t i = 0; i < COUNT(wrong); ++i)
    {
        assert_int_equal(abut_closest_points_2d(&box, &flat, &polygon, wrong[i], &closest), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_closest_points_2d(&box, wrong[i], &polygon, &flat, &closest), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_distance_2d(&box, wrong[i], &polygon, &flat, &distance), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_distance_2d(&box, &flat, &polygon, &flat, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_closest_points_2d(NULL, &flat, &polygon, &flat, &closest), ABUT_INVALID_ARGUMENT);
    const abut_shape shapes[2] = { box, polygon };
    const abut_pose odd[2] = { flat, high };
    const uint32_t zero = 0, one = 1;
    const abut_pair_list list = { shapes, odd, 2, 1, &zero, &one, NULL, 0 };
    assert_int_equal(abut_distance_2d_many(&list, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_closest_points_2d_many(&list, &closest), ABUT_INVALID_ARGUMENT);

    const abut_moving_shape good = { polygon, flat, { { 1, 2, 0 }, { 0, 0, 3 } } };
    abut_moving_shape bad[4] = { good, good, good, good };
    bad[0].pose = high;
    bad[1].velocity.linear.z = 1e-9f;
    bad[2].velocity.angular.x = 1e-9f;
    bad[3].velocity.linear.x = NAN;
    for (uint32_t i = 0; i < COUNT(bad); ++i)
    {
        assert_int_equal(abut_time_of_impact_2d(&good, &bad[i], 1, 0, &impact), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_time_of_impact_2d(&bad[i], &good, 1, 0, &impact), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_time_of_impact(&good, &good, 1, 0, &impact), ABUT_INVALID_ARGUMENT); // polygons, in 3D
    assert_int_equal(abut_time_of_impact_2d(&good, &good, -1, 0, &impact), ABUT_INVALID_ARGUMENT);
    assert_memory_equal(&closest, &before, sizeof closest);
    assert_memory_equal(&impact, &none, sizeof impact);
    assert_true(distance == 77.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_referees),
        cmocka_unit_test(many_distances_are_those_of_single_calls),
        cmocka_unit_test(shapes_touch_at_the_time_of_impact_and_not_before),
        cmocka_unit_test(a_world_finds_the_same_impacts),
        cmocka_unit_test(what_is_not_2d_fails_and_leaves_the_result_alone),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
