// Rectangles around 2D points, judged by trying the direction of every pair of points.
#include "fit_clouds.h"
#include "math/hull.h"
#include "scarce_memory.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#define MOST 64u

typedef struct flat_cloud
{
    float xy[2 * MOST];
    uint32_t count;
} flat_cloud;

static flat_cloud flat_random(uint64_t seed)
{
    random_source random = random_start(seed);
    const double angle = random_between(&random, 0, 7), scale = random_scale(&random, 0.01, 100);
    const double shift = random_chance(&random, 0.5) ? 0.0 : random_between(&random, -10, 10) * scale;
    const double narrow = random_chance(&random, 0.3) ? random_scale(&random, 1e-3, 1) : 1.0;
    const bool whole = seed % 3 == 0;
    flat_cloud c = { .count = 1 + random_below(&random, seed % 2 ? 6 : MOST) };
    for (uint32_t i = 0; i < c.count; ++i)
    {
        const double u = random_between(&random, -1, 1), v = random_between(&random, -narrow, narrow);
        const double x = cos(angle) * u - sin(angle) * v, y = sin(angle) * u + cos(angle) * v;
        // A third of the clouds have whole coordinates: copies, points in line, equal rectangles.
        c.xy[2 * i] = whole ? (float)(int)(4 * x) : (float)(shift + scale * x);
        c.xy[2 * i + 1] = whole ? (float)(int)(4 * y) : (float)(shift + scale * y);
    }
    return c;
}

static double flat_extent(const flat_cloud *c, double dx, double dy)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const double along = dx * c->xy[2 * i] + dy * c->xy[2 * i + 1];
        low = fmin(low, along);
        high = fmax(high, along);
    }
    return high - low;
}

// Hull edges are among the pairs. Returns the least area times one more than the longest side would make of rounding.
static double least_area(const flat_cloud *c, double *longest)
{
    double least = INFINITY;
    *longest = 0;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        for (uint32_t k = i + 1; k < c->count; ++k)
        {
            const double dx = (double)c->xy[2 * k] - c->xy[2 * i], dy = (double)c->xy[2 * k + 1] - c->xy[2 * i + 1];
            const double length = sqrt(dx * dx + dy * dy);
            if (length > 0)
            {
                const double a = flat_extent(c, dx / length, dy / length),
                             b = flat_extent(c, -dy / length, dx / length);
                least = fmin(least, a * b);
                *longest = fmax(*longest, fmax(a, b));
            }
        }
    }
    return *longest > 0 ? least : 0;
}

static double granularity_of(const flat_cloud *c)
{
    double farthest = 0;
    for (uint32_t i = 0; i < 2 * c->count; ++i)
    {
        farthest = fmax(farthest, fabs((double)c->xy[i]));
    }
    return farthest * 0x1p-23;
}

static bool flat_inside(const flat_cloud *c, const abut_placed_shape *box)
{
    for (uint32_t i = 0; i < c->count; ++i)
    {
        bool inside = false;
        const abut_vec3 point = { c->xy[2 * i], c->xy[2 * i + 1], 0.0f };
        if (abut_shape_contains(&box->shape, &box->pose, point, &inside) != ABUT_OK || !inside)
        {
            return false;
        }
    }
    return true;
}

static bool is_2d(const abut_placed_shape *box)
{
    const abut_quat q = box->pose.rotation;
    return box->shape.kind == ABUT_OBB && box->shape.box.half_extents.z == 0 && box->pose.position.z == 0 && q.x == 0 &&
           q.y == 0;
}

static abut_placed_shape fit(const flat_cloud *c)
{
    abut_placed_shape out;
    assert_int_equal(abut_fit_rectangle(c->xy, c->count, 0, NULL, &out), ABUT_OK);
    return out;
}

static void rectangles_contain_every_point_and_are_2d(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const flat_cloud c = flat_random(seed);
        abut_placed_shape principal;
        const abut_placed_shape least = fit(&c);
        assert_int_equal(abut_fit_rectangle_pca(c.xy, c.count, 0, &principal), ABUT_OK);
        if (!flat_inside(&c, &least) || !flat_inside(&c, &principal) || !is_2d(&least) || !is_2d(&principal) ||
            least.pose.rotation.w < 0.9238795f)
        {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

static void no_edge_of_the_hull_has_a_smaller_rectangle(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(5000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const flat_cloud c = flat_random(seed);
        double longest;
        const double least = least_area(&c, &longest);
        const abut_vec3 h = fit(&c).shape.box.half_extents;
        const double area = 4.0 * h.x * h.y;
        // The rotation in floats turns by less than 2^-23, and the centre and half extents are rounded.
        const double slack =
            longest * (longest * 0x1p-22 + 4 * granularity_of(&c)) + 16 * granularity_of(&c) * granularity_of(&c);
        if (!(fabs(area - least) <= slack))
        {
            fail_msg("seed %llu: %.9g, should be %.9g", (unsigned long long)seed, area, least);
        }
    }
}

static void calipers_are_exact_before_rounding(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const flat_cloud c = flat_random(seed);
        ab_dvec2 places[MOST], hull[2 * MOST];
        for (uint32_t i = 0; i < c.count; ++i)
        {
            places[i] = (ab_dvec2){ c.xy[2 * i], c.xy[2 * i + 1] };
        }
        const ab_rectangle r = ab_least_rectangle(hull, ab_hull_of(places, c.count, hull), 0.0);
        double longest;
        const double least = least_area(&c, &longest), far = granularity_of(&c) * 0x1p23;
        if (!(fabs(r.first * r.second - least) <= 1e-14 * longest * (longest + far)))
        {
            fail_msg("seed %llu: %.17g, should be %.17g", (unsigned long long)seed, r.first * r.second, least);
        }
    }
}

static void hulls_are_convex_and_hold_all_points(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const flat_cloud c = flat_random(3 * seed); // whole numbers, so that this is exact
        ab_dvec2 places[MOST], hull[2 * MOST];
        for (uint32_t i = 0; i < c.count; ++i)
        {
            places[i] = (ab_dvec2){ c.xy[2 * i], c.xy[2 * i + 1] };
        }
        const size_t corners = ab_hull_of(places, c.count, hull);
        assert_true(corners >= 1 && corners <= c.count);
        for (size_t k = 0; k < corners && corners > 2; ++k)
        {
            const ab_dvec2 a = hull[k], b = hull[(k + 1) % corners], next = hull[(k + 2) % corners];
            assert_true((b.x - a.x) * (next.y - b.y) - (b.y - a.y) * (next.x - b.x) > 0);
            for (uint32_t i = 0; i < c.count; ++i)
            {
                const double side = (b.x - a.x) * (c.xy[2 * i + 1] - a.y) - (b.y - a.y) * (c.xy[2 * i] - a.x);
                assert_true(side >= 0);
            }
        }
    }
}

static void ten_points_have_the_known_principal_rectangle(void **state)
{
    (void)state;
    const float points[20] = { 3.7f, 1.7f, 4.1f, 3.8f, 4.7f,  2.9f, 5.2f,  2.8f, 6.0f,  4.0f,
                               6.3f, 3.6f, 9.7f, 6.3f, 10.0f, 4.9f, 11.0f, 3.6f, 12.5f, 6.4f };
    abut_placed_shape box;
    assert_int_equal(abut_fit_rectangle_pca(points, 10, 0, &box), ABUT_OK);
    // Worked out apart, by the closed form of the angle in 2D: half of atan2(2 cov, var x - var y).
    assert_true(fabs((double)box.pose.position.x - 8.09996502) < 1e-6);
    assert_true(fabs((double)box.pose.position.y - 4.05008745) < 1e-6);
    assert_true(fabs((double)box.shape.box.half_extents.x - 4.95804423) < 2e-6);
    assert_true(fabs((double)box.shape.box.half_extents.y - 1.49484350) < 2e-6);
    const double degrees = 2 * atan2((double)box.pose.rotation.z, (double)box.pose.rotation.w) * 57.29577951308232;
    assert_true(fabs(degrees - 21.79918260) < 1e-5);
}

static void rectangles_by_hand(void **state)
{
    (void)state;
    // A square on its corner, a line, and one point.
    const float square[8] = { 0, 1, 1, 2, 2, 1, 1, 0 }, line[6] = { 0, 0, 3, 4, 6, 8 }, point[2] = { 7, -2 };
    abut_placed_shape box;
    assert_int_equal(abut_fit_rectangle(square, 4, 0, NULL, &box), ABUT_OK);
    assert_true(fabsf(box.shape.box.half_extents.x - 0.70710678f) < 3e-7f);
    assert_true(fabsf(box.shape.box.half_extents.y - 0.70710678f) < 3e-7f);
    assert_int_equal(abut_fit_rectangle(line, 3, 0, NULL, &box), ABUT_OK);
    const abut_vec3 h = box.shape.box.half_extents;
    assert_true(fabsf((h.x > h.y ? h.x : h.y) - 5.0f) < 2e-6f && (h.x > h.y ? h.y : h.x) < 2e-6f);
    assert_int_equal(abut_fit_rectangle(point, 1, 0, NULL, &box), ABUT_OK);
    assert_true(box.pose.position.x == 7 && box.pose.position.y == -2 && box.shape.box.half_extents.x == 0 &&
                box.shape.box.half_extents.y == 0 && box.pose.rotation.w == 1);
    const float straight[8] = { 1, 1, 4, 1, 4, 2, 1, 2 };
    assert_int_equal(abut_fit_rectangle(straight, 4, 0, NULL, &box), ABUT_OK);
    assert_true(box.pose.position.x == 2.5f && box.pose.position.y == 1.5f && box.shape.box.half_extents.x == 1.5f &&
                box.shape.box.half_extents.y == 0.5f && box.pose.rotation.w == 1);
}

static void running_out_of_memory_is_reported_and_nothing_is_kept(void **state)
{
    (void)state;
    const flat_cloud c = flat_random(2);
    source s = { .first_failed = NEVER };
    const abut_allocator allocator = { lend, take_back, &s };
    abut_placed_shape out, expected = fit(&c);
    assert_int_equal(abut_fit_rectangle(c.xy, c.count, 0, &allocator, &out), ABUT_OK);
    assert_memory_equal(&out, &expected, sizeof out);
    assert_true(s.asked > 0 && s.bytes == 0);
    const uint64_t requests = s.asked;
    for (uint64_t failed = 0; failed < requests; ++failed)
    {
        s = (source){ .first_failed = failed };
        memset(&out, 0x5a, sizeof out);
        expected = out;
        assert_int_equal(abut_fit_rectangle(c.xy, c.count, 0, &allocator, &out), ABUT_OUT_OF_MEMORY);
        assert_memory_equal(&out, &expected, sizeof out);
        assert_true(s.bytes == 0);
    }
    const abut_allocator half = { lend, NULL, &s };
    assert_int_equal(abut_fit_rectangle(c.xy, c.count, 0, &half, &out), ABUT_INVALID_ARGUMENT);
}

static void invalid_input_fails(void **state)
{
    (void)state;
    float points[8] = { 0, 0, 1, 0, 1, 1, 0, 1 };
    abut_placed_shape out;
    assert_int_equal(abut_fit_rectangle(points, 0, 0, NULL, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_fit_rectangle(NULL, 4, 0, NULL, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_fit_rectangle(points, 4, 0, NULL, NULL), ABUT_INVALID_ARGUMENT);
    points[7] = NAN;
    assert_int_equal(abut_fit_rectangle(points, 4, 0, NULL, &out), ABUT_INVALID_ARGUMENT);
    points[7] = INFINITY;
    assert_int_equal(abut_fit_rectangle(points, 4, 0, NULL, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_fit_rectangle(points, 3, 0, NULL, &out), ABUT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_contain_every_point_and_are_2d),
        cmocka_unit_test(no_edge_of_the_hull_has_a_smaller_rectangle),
        cmocka_unit_test(calipers_are_exact_before_rounding),
        cmocka_unit_test(hulls_are_convex_and_hold_all_points),
        cmocka_unit_test(ten_points_have_the_known_principal_rectangle),
        cmocka_unit_test(rectangles_by_hand),
        cmocka_unit_test(running_out_of_memory_is_reported_and_nothing_is_kept),
        cmocka_unit_test(invalid_input_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
