// Spheres around points, judged by trying every set of points that could determine the smallest one.
#include "fit_clouds.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

typedef struct sphere
{
    dvec3 centre;
    double radius;
} sphere;

static sphere through_two(dvec3 a, dvec3 b)
{
    const dvec3 centre = dvec3_scale(dvec3_add(a, b), 0.5);
    return (sphere){ centre, dvec3_length(dvec3_sub(a, centre)) };
}

// About the centre of the circle through three points; infinite when they lie on a line.
static sphere through_three(dvec3 a, dvec3 b, dvec3 c)
{
    const dvec3 u = dvec3_sub(b, a), v = dvec3_sub(c, a), n = dvec3_cross(u, v);
    const double square = dvec3_dot(n, n);
    const dvec3 across =
        dvec3_add(dvec3_scale(dvec3_cross(v, n), dvec3_dot(u, u)), dvec3_scale(dvec3_cross(n, u), dvec3_dot(v, v)));
    const dvec3 offset = dvec3_scale(across, 0.5 / square);
    return (sphere){ dvec3_add(a, offset), square > 0 ? dvec3_length(offset) : INFINITY };
}

// By Cramer's rule; infinite when they lie in a plane.
static sphere through_four(dvec3 a, dvec3 b, dvec3 c, dvec3 d)
{
    const dvec3 u = dvec3_sub(b, a), v = dvec3_sub(c, a), w = dvec3_sub(d, a);
    const double determinant = dvec3_dot(u, dvec3_cross(v, w));
    dvec3 sum = dvec3_scale(dvec3_cross(v, w), dvec3_dot(u, u));
    sum = dvec3_along(sum, dvec3_dot(v, v), dvec3_cross(w, u));
    sum = dvec3_along(sum, dvec3_dot(w, w), dvec3_cross(u, v));
    const dvec3 offset = dvec3_scale(sum, 0.5 / determinant);
    return (sphere){ dvec3_add(a, offset), determinant != 0 ? dvec3_length(offset) : INFINITY };
}

static double smaller(const cloud *c, sphere s, double best)
{
    if (!(s.radius < best))
    {
        return best;
    }
    double farthest = 0;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        farthest = fmax(farthest, dvec3_length(dvec3_sub(cloud_point(c, i), s.centre)));
    }
    return fmin(best, farthest); // farthest is the radius when the sphere holds them all
}

static double smallest_by_trying(const cloud *c)
{
    double best = c->count == 1 ? 0 : INFINITY;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        for (uint32_t j = i + 1; j < c->count; ++j)
        {
            const dvec3 a = cloud_point(c, i), b = cloud_point(c, j);
            best = smaller(c, through_two(a, b), best);
            for (uint32_t k = j + 1; k < c->count; ++k)
            {
                best = smaller(c, through_three(a, b, cloud_point(c, k)), best);
                for (uint32_t l = k + 1; l < c->count; ++l)
                {
                    best = smaller(c, through_four(a, b, cloud_point(c, k), cloud_point(c, l)), best);
                }
            }
        }
    }
    return best;
}

static abut_placed_shape fit(const cloud *c)
{
    abut_placed_shape out;
    assert_int_equal(abut_fit_sphere(c->xyz, c->count, 0, &out), ABUT_OK);
    return out;
}

static abut_placed_shape fit_fast(const cloud *c)
{
    abut_placed_shape out;
    assert_int_equal(abut_fit_sphere_fast(c->xyz, c->count, 0, &out), ABUT_OK);
    return out;
}

static cloud first_points(const cloud *c, uint32_t most)
{
    cloud out = *c;
    out.count = c->count < most ? c->count : most;
    return out;
}

static void no_set_of_points_determines_a_smaller_sphere(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud whole = cloud_random(seed), c = first_points(&whole, 10);
        const double radius = fit(&c).shape.sphere.radius, best = smallest_by_trying(&c);
        const double slack = 2e-7 * best + 2 * cloud_granularity(&c);
        if (!(fabs(radius - best) <= slack))
        {
            fail_msg("seed %llu: %.9g, should be %.9g", (unsigned long long)seed, radius, best);
        }
    }
}

static void every_sphere_holds_every_point(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(5000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud c = cloud_random(seed);
        const abut_placed_shape exact = fit(&c), fast = fit_fast(&c);
        if (!cloud_inside(&c, &exact) || !cloud_inside(&c, &fast))
        {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

static void the_fast_sphere_is_little_larger(void **state)
{
    (void)state;
    double sum = 0, count = 0;
    const random_seeds seeds = random_seeds_of(5000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud c = cloud_random(seed);
        const double exact = fit(&c).shape.sphere.radius, fast = fit_fast(&c).shape.sphere.radius;
        const double granularity = 2 * cloud_granularity(&c);
        if (!(fast >= exact * (1 - 2e-7) - granularity && fast <= 1.05 * exact + granularity))
        {
            fail_msg("seed %llu: %.9g and %.9g", (unsigned long long)seed, exact, fast);
        }
        sum += (fast + granularity) / (exact + granularity);
        ++count;
    }
    assert_true(sum <= 1.002 * count);
}

static void copies_and_order_do_not_matter(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const cloud whole = cloud_random(seed), c = first_points(&whole, 60);
        cloud mixed = { .count = 0 };
        for (uint32_t i = 0; i < c.count; ++i)
        {
            cloud_add(&mixed, cloud_point(&c, c.count - 1 - i));
        }
        while (mixed.count < 3 * c.count)
        {
            cloud_add(&mixed, cloud_point(&c, random_below(&random, c.count)));
        }
        const double radius = fit(&c).shape.sphere.radius, again = fit(&mixed).shape.sphere.radius;
        if (!(fabs(radius - again) <= 2e-7 * radius + 2 * cloud_granularity(&c)))
        {
            fail_msg("seed %llu: %.9g and %.9g", (unsigned long long)seed, radius, again);
        }
    }
}

// Points of equal distance from the origin, exactly: all whole solutions of x^2 + y^2 + z^2 = 81.
static void cospherical_points_give_their_sphere(void **state)
{
    (void)state;
    cloud c = { .count = 0 };
    for (int x = -9; x <= 9; ++x)
    {
        for (int y = -9; y <= 9; ++y)
        {
            for (int z = -9; z <= 9; ++z)
            {
                if (x * x + y * y + z * z == 81)
                {
                    cloud_add(&c, dvec3_make(x, y, z));
                }
            }
        }
    }
    assert_true(c.count > 100);
    const abut_placed_shape spheres[2] = { fit(&c), fit_fast(&c) };
    for (int k = 0; k < 2; ++k)
    {
        const abut_vec3 centre = spheres[k].pose.position;
        assert_true(abut_vec3_length(centre) < 1e-6f);
        assert_true(fabs((double)spheres[k].shape.sphere.radius - 9) < 2e-6);
    }
}

static void spheres_by_hand(void **state)
{
    (void)state;
    static const struct
    {
        float points[12];
        uint32_t count;
        abut_vec3 centre;
        float radius;
    } cases[] = {
        { { 1, 2, 3 }, 1, { 1, 2, 3 }, 0 },
        { { 1, 2, 3, 1, 2, 3, 1, 2, 3 }, 3, { 1, 2, 3 }, 0 },
        { { -1, 0, 0, 3, 0, 0 }, 2, { 1, 0, 0 }, 2 },
        { { -1, 0, 0, 3, 0, 0, 0.5f, 0, 0, 2, 0, 0 }, 4, { 1, 0, 0 }, 2 },         // on a line
        { { -5, 0, 0, 5, 0, 0, 0, 4, 0 }, 3, { 0, 0, 0 }, 5 },                     // an obtuse triangle
        { { -4, -3, 0, 4, -3, 0, 0, 5, 0 }, 3, { 0, 0, 0 }, 5 },                   // an acute one
        { { -4, -3, 0, 4, -3, 0, 0, 5, 0, 3, 4, 0 }, 4, { 0, 0, 0 }, 5 },          // four on a circle
        { { 2, 2, 1, -2, -2, 1, 2, -2, -1, -2, 2, -1 }, 4, { 0, 0, 0 }, 3 },       // a tetrahedron
        { { 102, 2, 1, 98, -2, 1, 102, -2, -1, 98, 2, -1 }, 4, { 100, 0, 0 }, 3 }, // elsewhere
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    {
        abut_placed_shape out;
        assert_int_equal(abut_fit_sphere(cases[k].points, cases[k].count, 0, &out), ABUT_OK);
        const abut_vec3 off = abut_vec3_sub(out.pose.position, cases[k].centre);
        if (abut_vec3_length(off) > 1e-6f || fabsf(out.shape.sphere.radius - cases[k].radius) > 2e-6f)
        {
            fail_msg("case %u: (%g %g %g) %g", (unsigned)k, out.pose.position.x, out.pose.position.y,
                     out.pose.position.z, out.shape.sphere.radius);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_set_of_points_determines_a_smaller_sphere),
        cmocka_unit_test(every_sphere_holds_every_point),
        cmocka_unit_test(the_fast_sphere_is_little_larger),
        cmocka_unit_test(copies_and_order_do_not_matter),
        cmocka_unit_test(cospherical_points_give_their_sphere),
        cmocka_unit_test(spheres_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
