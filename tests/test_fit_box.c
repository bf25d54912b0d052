// Oriented boxes around points: that they hold them, how small they are, and what degenerate clouds are answered.
#include "fit/principal.h"
#include "fit_clouds.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

static abut_placed_shape fit(const cloud *c)
{
    abut_placed_shape box;
    assert_int_equal(abut_fit_obb(c->xyz, c->count, 0, &box), ABUT_OK);
    return box;
}

static abut_placed_shape fit_pca(const cloud *c)
{
    abut_placed_shape box;
    assert_int_equal(abut_fit_obb_pca(c->xyz, c->count, 0, &box), ABUT_OK);
    return box;
}

static abut_aabb fit_aabb(const cloud *c)
{
    abut_aabb box;
    assert_int_equal(abut_fit_aabb(c->xyz, c->count, 0, &box), ABUT_OK);
    return box;
}

// Half extents below `least` count as that, so that flat boxes can be compared.
static double volume(abut_vec3 half, double least)
{
    return 8 * fmax((double)half.x, least) * fmax((double)half.y, least) * fmax((double)half.z, least);
}

// What the header says extents may be below without mattering, generously.
static double least_of(const cloud *c)
{
    return cloud_diagonal(c) * 0x1p-20 + 4 * cloud_granularity(c);
}

static void every_box_holds_every_point(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud c = cloud_random(seed);
        const abut_placed_shape principal = fit_pca(&c);
        const abut_aabb straight = fit_aabb(&c);
        bool inside = cloud_inside(&c, &principal);
        if (seed % 10 == 0)
        {
            const abut_placed_shape small = fit(&c);
            inside = inside && cloud_inside(&c, &small);
        }
        for (uint32_t i = 0; i < c.count; ++i)
        {
            inside = inside && abut_aabb_contains(&straight, cloud_float_point(&c, i));
        }
        if (!inside)
        {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

static void far_from_the_origin_too(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const cloud c = cloud_random(seed);
        const dvec3 far = dvec3_scale(random_direction(&random), random_scale(&random, 1e3, 4e7));
        cloud moved = { .count = 0 };
        for (uint32_t i = 0; i < c.count; ++i)
        {
            cloud_add(&moved, dvec3_add(cloud_point(&c, i), far));
        }
        const abut_placed_shape small = fit(&moved), principal = fit_pca(&moved);
        if (!cloud_inside(&moved, &small) || !cloud_inside(&moved, &principal))
        {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

static void the_small_box_is_no_larger_than_the_others(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud c = cloud_random(seed);
        const double least = least_of(&c);
        const abut_placed_shape principal = fit_pca(&c);
        const abut_aabb straight = fit_aabb(&c);
        const double small = volume(fit(&c).shape.box.half_extents, least);
        const double by_axes = volume(principal.shape.box.half_extents, least);
        const double by_world = volume(abut_aabb_half_extents(&straight), least);
        // Relabelled axes round anew.
        const double rounding = 1.0 + 3 * (cloud_granularity(&c) / least + 1e-6);
        if (!(small <= by_axes * rounding && small <= by_world * rounding))
        {
            fail_msg("seed %llu: %.9g against %.9g and %.9g", (unsigned long long)seed, small, by_axes, by_world);
        }
    }
}

static void turning_a_cloud_keeps_the_volume_of_its_small_box(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(150);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 1000000);
        const cloud c = cloud_random(seed), turned = cloud_turned(&c, random_rotation(&random));
        const double least = least_of(&c) + least_of(&turned);
        const double before = volume(fit(&c).shape.box.half_extents, least);
        const double after = volume(fit(&turned).shape.box.half_extents, least);
        if (!(after <= 1.03 * before && before <= 1.03 * after))
        {
            fail_msg("seed %llu: %.9g and %.9g", (unsigned long long)seed, before, after);
        }
    }
}

static void no_rotation_of_many_has_a_box_one_percent_smaller(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(44);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 2000000);
        const cloud c = cloud_random(seed);
        const double least = least_of(&c), small = volume(fit(&c).shape.box.half_extents, least);
        for (int tries = 0; tries < 10000; ++tries)
        {
            const dquat q = random_rotation(&random);
            double other = 1.0;
            for (int k = 0; k < 3; ++k)
            {
                const double aabb = cloud_extent(&c, dquat_rotate(q, dvec3_make(k == 0, k == 1, k == 2)));
                other *= fmax(aabb, 2 * least);
            }
            if (!(small <= 1.01 * other))
            {
                fail_msg("seed %llu: %.9g, and a rotation with %.9g", (unsigned long long)seed, small, other);
            }
        }
    }
}

static void corners_of_a_turned_box_give_that_box(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const dvec3 half = { random_between(&random, 0.1, 3), random_between(&random, 0.1, 3),
                             random_between(&random, 0.1, 3) };
        const dquat turn = random_rotation(&random);
        cloud c = { .count = 0 };
        for (int i = 0; i < 8; ++i)
        {
            const dvec3 corner = { i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z };
            cloud_add(&c, dquat_rotate(turn, corner));
        }
        const double true_volume = 8 * half.x * half.y * half.z;
        const double small = volume(fit(&c).shape.box.half_extents, 0.0);
        if (!(fabs(small / true_volume - 1.0) < 1e-5))
        {
            fail_msg("seed %llu: %.9g, should be %.9g", (unsigned long long)seed, small, true_volume);
        }
    }
}

static void straight_boxes_are_exact(void **state)
{
    (void)state;
    cloud c = { .count = 0 };
    for (int i = 0; i < 8; ++i)
    {
        cloud_add(&c, dvec3_make(i & 1 ? 4 : 2, i & 2 ? 1 : -2, i & 4 ? 8.5 : 8));
    }
    const abut_placed_shape box = fit(&c);
    const abut_placed_shape expected = { abut_shape_obb(1.0f, 1.5f, 0.25f),
                                         { { 3.0f, -0.5f, 8.25f }, 0.0f, { 0.0f, 0.0f, 0.0f, 1.0f } } };
    assert_memory_equal(&box.pose, &expected.pose, sizeof box.pose);
    assert_memory_equal(&box.shape.box, &expected.shape.box, sizeof box.shape.box);
}

static void principal_axes_are_eigenvectors(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud c = cloud_random(seed);
        ab_cloud view;
        assert_true(ab_cloud_open(&view, c.xyz, c.count, 0, 3));
        const ab_principal p = ab_principal_of(&view);
        ab_cloud_close(&view);
        dvec3 mean = cloud_point(&c, 0);
        for (uint32_t i = 0; i < c.count; ++i)
        {
            mean = dvec3_along(mean, 1.0 / c.count, dvec3_sub(cloud_point(&c, i), cloud_point(&c, 0)));
        }
        const double scale = cloud_diagonal(&c) * cloud_diagonal(&c) + 1e-30 + 1e-9 * cloud_granularity(&c);
        for (int k = 0; k < 3; ++k)
        {
            // The covariance times the axis, without forming the covariance.
            const dvec3 axis = { p.axis[3 * k], p.axis[3 * k + 1], p.axis[3 * k + 2] };
            dvec3 image = { 0, 0, 0 };
            for (uint32_t i = 0; i < c.count; ++i)
            {
                const dvec3 from_mean = dvec3_sub(cloud_point(&c, i), mean);
                image = dvec3_along(image, dvec3_dot(from_mean, axis) / c.count, from_mean);
            }
            const double residual = dvec3_length(dvec3_along(image, -p.variance[k], axis));
            const double next = p.variance[(k + 1) % 3];
            if (!(residual <= 1e-12 * scale && (k == 2 || p.variance[k] >= next)))
            {
                fail_msg("seed %llu: axis %d, residual %g", (unsigned long long)seed, k, residual / scale);
            }
            for (int j = 0; j < 3; ++j)
            {
                assert_true(fabs(ab_dot(p.axis + 3 * k, p.axis + 3 * j) - (j == k)) < 1e-14);
            }
        }
        assert_true(p.axis[0] * (p.axis[4] * p.axis[8] - p.axis[5] * p.axis[7]) -
                        p.axis[1] * (p.axis[3] * p.axis[8] - p.axis[5] * p.axis[6]) +
                        p.axis[2] * (p.axis[3] * p.axis[7] - p.axis[4] * p.axis[6]) >
                    0.0);
    }
}

static void a_point_is_a_box_of_no_size(void **state)
{
    (void)state;
    const float points[12] = { 3.1f, -4.7f, 1e-3f, 3.1f, -4.7f, 1e-3f, 3.1f, -4.7f, 1e-3f, 3.1f, -4.7f, 1e-3f };
    for (uint32_t count = 1; count <= 4; ++count)
    {
        abut_placed_shape box[2];
        assert_int_equal(abut_fit_obb(points, count, 0, &box[0]), ABUT_OK);
        assert_int_equal(abut_fit_obb_pca(points, count, 0, &box[1]), ABUT_OK);
        for (int k = 0; k < 2; ++k)
        {
            const abut_pose pose = { { 3.1f, -4.7f, 1e-3f }, 0.0f, { 0.0f, 0.0f, 0.0f, 1.0f } };
            const abut_vec3 none = { 0.0f, 0.0f, 0.0f };
            assert_memory_equal(&box[k].pose, &pose, sizeof pose);
            assert_memory_equal(&box[k].shape.box.half_extents, &none, sizeof none);
        }
    }
}

// Sorted, the largest first.
static dvec3 sorted_half(const abut_placed_shape *box)
{
    const double a = box->shape.box.half_extents.x, b = box->shape.box.half_extents.y,
                 c = box->shape.box.half_extents.z;
    const double most = fmax(a, fmax(b, c)), least = fmin(a, fmin(b, c));
    return dvec3_make(most, a + b + c - most - least, least);
}

static void lines_and_planes_give_thin_boxes(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const dquat turn = random_rotation(&random);
        cloud line = { .count = 0 }, plane = { .count = 0 };
        for (int i = 0; i < 30; ++i)
        {
            const double along = i == 0 ? -1 : i == 1 ? 1 : random_between(&random, -1, 1);
            cloud_add(&line, dquat_rotate(turn, dvec3_make(along, 0, 0)));
            // A rectangle's corners, and points in it.
            const double u = i < 4 ? (i & 1 ? 1 : -1) : along, v = i < 4 ? (i & 2 ? 0.5 : -0.5) : along * 0.5;
            cloud_add(&plane, dquat_rotate(turn, dvec3_make(u, v, 0)));
        }
        const abut_placed_shape of_line[2] = { fit(&line), fit_pca(&line) };
        for (int k = 0; k < 2; ++k)
        {
            const dvec3 half = sorted_half(&of_line[k]);
            assert_true(fabs(half.x - 1) < 1e-6 && half.y < 1e-6);
        }
        const abut_placed_shape small = fit(&plane), principal = fit_pca(&plane);
        const dvec3 half = sorted_half(&small);
        if (!(fabs(half.x - 1) < 2e-5 && fabs(half.y - 0.5) < 2e-5 && half.z < 1e-6) ||
            !(sorted_half(&principal).z < 1e-6))
        {
            fail_msg("seed %llu: %g %g %g", (unsigned long long)seed, half.x, half.y, half.z);
        }
    }
}

static void planes_of_the_world_stay_flat(void **state)
{
    (void)state;
    for (int across = 0; across < 3; ++across)
    {
        cloud c = { .count = 0 };
        for (int i = 0; i < 4; ++i)
        {
            // A rectangle turned by some angle in its plane.
            const double u = i & 1 ? 3 : -3, v = i & 2 ? 1 : -1;
            const double p[3] = { 0.8 * u - 0.6 * v, 0.6 * u + 0.8 * v, 0.25 };
            cloud_add(&c, dvec3_make(p[(3 - across) % 3], p[(4 - across) % 3], p[(5 - across) % 3]));
        }
        const abut_placed_shape small = fit(&c), principal = fit_pca(&c);
        assert_true(sorted_half(&small).z == 0.0 && sorted_half(&principal).z == 0.0);
        assert_true(fabs(sorted_half(&small).x - 3) < 1e-5 && fabs(sorted_half(&small).y - 1) < 1e-5);
    }
}

typedef abut_status fit_call(const float *points, uint32_t count, size_t stride, abut_placed_shape *out);

static void invalid_input_fails_and_leaves_the_output_alone(void **state)
{
    (void)state;
    fit_call *const calls[] = { abut_fit_obb, abut_fit_obb_pca, abut_fit_sphere, abut_fit_sphere_fast,
                                abut_fit_rectangle_pca };
    const float wrong[] = { NAN, INFINITY, -INFINITY, 1.1e8f, -1.1e8f };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
    {
        float points[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        abut_placed_shape out, before;
        memset(&out, 0x5a, sizeof out);
        before = out;
        assert_int_equal(calls[k](points, 0, 0, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(calls[k](NULL, 0, 0, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(calls[k](NULL, 4, 0, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(calls[k](points, 4, 0, NULL), ABUT_INVALID_ARGUMENT);
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w)
        {
            for (int place = 0; place < 8; ++place)
            {
                const float was = points[place];
                points[place] = wrong[w];
                assert_int_equal(calls[k](points, 4, 0, &out), ABUT_INVALID_ARGUMENT);
                points[place] = was;
            }
        }
        assert_memory_equal(&out, &before, sizeof out);
    }
    abut_aabb box;
    float point[3] = { 0, 0, NAN };
    assert_int_equal(abut_fit_aabb(point, 1, 0, &box), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_fit_aabb(point, 0, 0, &box), ABUT_INVALID_ARGUMENT);
}

// A shape must be valid; a cloud almost as large as the range allows has none.
static void clouds_too_large_for_a_shape_fail(void **state)
{
    (void)state;
    cloud c = { .count = 0 };
    for (int i = 0; i < 8; ++i)
    {
        cloud_add(&c, dvec3_make(i & 1 ? 1e8 : -1e8, i & 2 ? 1e8 : -1e8, i & 4 ? 1e8 : -1e8));
    }
    abut_placed_shape out;
    assert_int_equal(abut_fit_sphere(c.xyz, c.count, 0, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_fit_obb(c.xyz, c.count, 0, &out), ABUT_OK);
    assert_true(out.shape.box.half_extents.x == 1e8f);
}

static void points_may_lie_in_larger_records(void **state)
{
    (void)state;
    const cloud c = cloud_random(5);
    float records[5 * CLOUD_MOST];
    for (uint32_t i = 0; i < c.count; ++i)
    {
        memcpy(records + 5 * i, c.xyz + 3 * i, 3 * sizeof(float));
        records[5 * i + 3] = NAN;
        records[5 * i + 4] = INFINITY;
    }
    abut_placed_shape packed, strided;
    assert_int_equal(abut_fit_obb(c.xyz, c.count, 3 * sizeof(float), &packed), ABUT_OK);
    assert_int_equal(abut_fit_obb(records, c.count, 5 * sizeof(float), &strided), ABUT_OK);
    assert_memory_equal(&packed, &strided, sizeof packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_box_holds_every_point),
        cmocka_unit_test(far_from_the_origin_too),
        cmocka_unit_test(the_small_box_is_no_larger_than_the_others),
        cmocka_unit_test(turning_a_cloud_keeps_the_volume_of_its_small_box),
        cmocka_unit_test(no_rotation_of_many_has_a_box_one_percent_smaller),
        cmocka_unit_test(corners_of_a_turned_box_give_that_box),
        cmocka_unit_test(straight_boxes_are_exact),
        cmocka_unit_test(principal_axes_are_eigenvectors),
        cmocka_unit_test(a_point_is_a_box_of_no_size),
        cmocka_unit_test(lines_and_planes_give_thin_boxes),
        cmocka_unit_test(planes_of_the_world_stay_flat),
        cmocka_unit_test(invalid_input_fails_and_leaves_the_output_alone),
        cmocka_unit_test(clouds_too_large_for_a_shape_fail),
        cmocka_unit_test(points_may_lie_in_larger_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
