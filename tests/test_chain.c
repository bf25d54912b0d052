// Chains as geometry: what is refused, what is told of them, rays, nearest points and wireframes, judged in double.
#include "plain_chain.h"
#include "scarce_memory.h"

#include <string.h>

static const abut_vec2 square[4] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };

static abut_status create(const abut_vec2 *points, uint32_t count, bool loop, const abut_vec2 *before,
                          abut_geometry **out)
{
    const abut_chain_def def = { .points = points, .point_count = count, .loop = loop, .before = before };
    return abut_geometry_create_chain(&def, NULL, out);
}

static void expect_refused(const abut_vec2 *points, uint32_t count, bool loop, const abut_vec2 *before,
                           abut_status status)
{
    abut_geometry *out = (abut_geometry *)(uintptr_t)1;
    assert_int_equal(create(points, count, loop, before, &out), status);
    assert_null(out);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    const abut_vec2 twice[3] = { { 0, 0 }, { 1, 0 }, { 1, 0 } }, closed[4] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 } };
    const abut_vec2 nan[2] = { { 0, 0 }, { NAN, 0 } }, far[2] = { { 0, 0 }, { 0, 2 * ABUT_MAX_MAGNITUDE } };
    const abut_vec2 corner[2] = { { 0, 0 }, { 0.9f * ABUT_MAX_MAGNITUDE, 0.9f * ABUT_MAX_MAGNITUDE } };
    const abut_vec2 beyond = { 2, 2 }, no_place = { 0, INFINITY };
    expect_refused(NULL, 4, false, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(square, 1, false, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(square, 2, true, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(twice, 3, false, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(closed, 4, true, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(nan, 2, false, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(far, 2, false, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(corner, 2, false, NULL, ABUT_INVALID_ARGUMENT);
    expect_refused(square, 4, true, &beyond, ABUT_INVALID_ARGUMENT);
    expect_refused(square, 4, false, &square[0], ABUT_INVALID_ARGUMENT);
    expect_refused(square, 4, false, &no_place, ABUT_INVALID_ARGUMENT);
    expect_refused(square, ABUT_MAX_CHAIN_POINTS + 1, false, NULL, ABUT_LIMIT);
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_chain(NULL, NULL, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(create(square, 4, false, NULL, NULL), ABUT_INVALID_ARGUMENT);
}

static void what_it_is_made_of_can_be_read(void **state)
{
    (void)state;
    abut_geometry *line, *loop;
    const abut_vec2 *points;
    assert_int_equal(create(square, 4, false, NULL, &line), ABUT_OK);
    assert_int_equal(create(square, 4, true, NULL, &loop), ABUT_OK);
    assert_int_equal(abut_geometry_chain_segments(line), 3);
    assert_int_equal(abut_geometry_chain_segments(loop), 4);
    assert_int_equal(abut_geometry_chain_points(loop, &points), 4);
    assert_memory_equal(points, square, sizeof square);
    assert_int_equal(abut_geometry_chain_points(NULL, &points), 0);
    assert_null(points);
    assert_int_equal(abut_geometry_chain_segments(NULL), 0);
    const abut_shape shape = abut_shape_chain(loop), nothing = abut_shape_chain(NULL);
    uint32_t of_a, of_b;
    assert_true(abut_shape_valid(&shape) && !abut_shape_valid(&nothing));
    assert_string_equal(abut_shape_kind_name(ABUT_CHAIN), "chain");
    abut_shape_children(&shape, &nothing, 3, &of_a, &of_b);
    assert_int_equal(of_a, 3);
    assert_int_equal(of_b, 0);
    abut_geometry_release(line);
    abut_geometry_release(loop);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    source memory = { .first_failed = 0, .lasting = true };
    const abut_allocator allocator = { .context = &memory, .allocate = lend, .release = take_back };
    const abut_chain_def def = { .points = square, .point_count = 4 };
    abut_geometry *out;
    assert_int_equal(abut_geometry_create_chain(&def, &allocator, &out), ABUT_OUT_OF_MEMORY);
    assert_null(out);
    fail_after(&memory, NEVER);
    assert_int_equal(abut_geometry_create_chain(&def, &allocator, &out), ABUT_OK);
    abut_geometry_release(out);
    assert_int_equal(memory.blocks, 0);
}

static plain_chain random_chain(random_source *random)
{
    plain_chain out = { .count = 3 + random_below(random, CHAIN_MOST - 3) };
    const double size = random_scale(random, 1e-2, 1e3);
    out.loop = random_chance(random, 0.3);
    out.two_sided = random_chance(random, 0.3);
    for (uint32_t i = 0; i < out.count; ++i)
    {
        out.point[i] =
            (abut_vec2){ (float)random_between(random, -size, size), (float)random_between(random, -size, size) };
    }
    return out;
}

// The first segment that a ray goes through from a side that counts.
static bool plain_ray(const plain_chain *chain, const double from[2], const double way[2], double *fraction)
{
    *fraction = HUGE_VAL;
    for (uint32_t i = 0; i < plain_segments(chain); ++i)
    {
        double p[2], q[2];
        plain_segment(chain, i, p, q);
        const double x = q[0] - p[0], y = q[1] - p[1], across = way[0] * y - way[1] * x;
        const double at = ((p[0] - from[0]) * y - (p[1] - from[1]) * x) / across;
        const double share = ((p[0] - from[0]) * way[1] - (p[1] - from[1]) * way[0]) / across;
        const bool counts = across < 0.0 || chain->two_sided; // it comes from the right
        if (counts && at >= 0.0 && at <= 1.0 && share >= 0.0 && share <= 1.0)
        {
            *fraction = fmin(*fraction, at);
        }
    }
    return *fraction <= 1.0;
}

static void rays_hit_what_they_go_through(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain chain = random_chain(&random);
        abut_geometry *geometry = made_chain(&chain);
        const abut_shape shape = abut_shape_chain(geometry);
        const abut_pose pose = abut_pose_identity();
        const double size = abut_shape_bounding_radius(&shape);
        for (int i = 0; i < 10; ++i)
        {
            const abut_ray ray = {
                { (float)random_between(&random, -size, size), (float)random_between(&random, -size, size), 0 },
                { (float)random_between(&random, -size, size), (float)random_between(&random, -size, size), 0 }
            };
            const double from[2] = { ray.origin.x, ray.origin.y }, way[2] = { ray.translation.x, ray.translation.y };
            double fraction;
            abut_ray_hit hit;
            const bool hits = plain_ray(&chain, from, way, &fraction);
            assert_int_equal(abut_ray_shape_2d(&ray, &shape, &pose, 0, &hit), ABUT_OK);
            if (hits != hit.hit)
            {
                fail_msg("seed %u: hit %d, expected %d", (unsigned)seed, !hits, hits);
            }
            if (hits && fabs((double)hit.fraction - fraction) > 1e-6)
            {
                fail_msg("seed %u: at %g, expected %g", (unsigned)seed, (double)hit.fraction, fraction);
            }
            assert_true(!hits || abut_vec3_dot(hit.normal, ray.translation) <= 0.0f);
        }
        abut_geometry_release(geometry);
    }
}

// Rays through the points between segments hit one of the two.
static void rays_do_not_leak_between_segments(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain chain = random_ground(&random, 1.0);
        abut_geometry *geometry = made_chain(&chain);
        const abut_shape shape = abut_shape_chain(geometry);
        const abut_pose level = abut_pose_identity();
        const abut_pose pose = abut_pose_2d(0.0f, 0.0f, (float)random_between(&random, -3.0, 3.0));
        for (uint32_t i = 1; i + 1 < chain.count; ++i)
        {
            const abut_vec2 p = chain.point[i];
            const abut_vec3 down =
                abut_quat_rotate(pose.rotation, abut_vec3_make((float)random_between(&random, -0.01, 0.01), -4, 0));
            const abut_vec3 through = abut_quat_rotate(pose.rotation, abut_vec3_make(p.x, p.y, 0));
            const abut_ray ray = { abut_vec3_sub(through, abut_vec3_scale(down, 0.5f)), down };
            abut_ray_hit hit;
            assert_int_equal(abut_ray_shape_2d(&ray, &shape, &pose, 0, &hit), ABUT_OK);
            if (!hit.hit)
            {
                fail_msg("seed %u: nothing is hit at point %u", (unsigned)seed, i);
            }
            const abut_ray exact = { { p.x, p.y + 2.0f, 0 }, { 0, -4, 0 } };
            assert_int_equal(abut_ray_shape_2d(&exact, &shape, &level, 0, &hit), ABUT_OK);
            assert_true(hit.hit && fabsf(hit.fraction - 0.5f) < 1e-6f);
        }
        abut_geometry_release(geometry);
    }
}

static void points_are_as_near_as_segments_are(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain chain = random_chain(&random);
        abut_geometry *geometry = made_chain(&chain);
        const abut_shape shape = abut_shape_chain(geometry);
        const abut_pose pose = abut_pose_identity();
        const double size = abut_shape_bounding_radius(&shape);
        for (int i = 0; i < 10; ++i)
        {
            const abut_vec3 at = { (float)random_between(&random, -size, size),
                                   (float)random_between(&random, -size, size), 0 };
            const double point[2] = { at.x, at.y };
            abut_vec3 near;
            bool inside;
            assert_int_equal(abut_shape_closest_point(&shape, &pose, at, &near), ABUT_OK);
            const double distance = hypot((double)near.x - point[0], (double)near.y - point[1]);
            assert_true(fabs(distance - plain_distance_to(&chain, point)) <= 1e-6 * size);
            assert_int_equal(abut_shape_contains(&shape, &pose, at, &inside), ABUT_OK);
            assert_false(inside);
        }
        const abut_vec3 on = { chain.point[1].x, chain.point[1].y, 0 };
        bool inside;
        assert_int_equal(abut_shape_contains(&shape, &pose, on, &inside), ABUT_OK);
        assert_true(inside);
        abut_geometry_release(geometry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bad_input_is_refused),
                                        cmocka_unit_test(what_it_is_made_of_can_be_read),
                                        cmocka_unit_test(running_out_of_memory_is_reported),
                                        cmocka_unit_test(rays_hit_what_they_go_through),
                                        cmocka_unit_test(rays_do_not_leak_between_segments),
                                        cmocka_unit_test(points_are_as_near_as_segments_are) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
