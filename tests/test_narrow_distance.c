// Distances and nearest points, judged in double precision.
#include "random_meeting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static void near(uint64_t seed, const char *what, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance))
    {
        fail_msg("ABUT_SEED=%llu: %s is %.9g, should be %.9g", (unsigned long long)seed, what, ours, theirs);
    }
}

static void distances_are_the_referees(void **state)
{
    (void)state;
    uint32_t apart = 0;
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        random_meeting m = random_meeting_any(&random);
        abut_closest closest;
        float distance;
        bool overlapping;
        assert_int_equal(abut_closest_points(&m.a, &m.pose_a, &m.b, &m.pose_b, &closest), ABUT_OK);
        assert_int_equal(abut_distance(&m.a, &m.pose_a, &m.b, &m.pose_b, &distance), ABUT_OK);
        assert_int_equal(abut_overlap(&m.a, &m.pose_a, &m.b, &m.pose_b, &overlapping), ABUT_OK);
        assert_true(closest.distance == distance && distance >= 0.0f);

        referee_solid a = referee_solid_of(&m.a, &m.pose_a, NULL), b = referee_solid_of(&m.b, &m.pose_b, NULL);
        const double scale = a.reach + b.reach, truth = referee_distance(&a, &b);
        // Whether they overlap is decided in float, and sure only to a millionth of the size.
        const bool unsure = overlapping || truth <= 1e-6 * scale;
        const double tolerance = unsure ? 1e-6 * scale : 1e-7 * (truth + 1e-2 * scale);
        near(seed, "distance", (double)distance, truth, tolerance);

        if (overlapping)
        {
            abut_manifold manifold;
            assert_int_equal(abut_collide(&m.a, &m.pose_a, &m.b, &m.pose_b, 0.0f, &manifold), ABUT_OK);
            assert_memory_equal(&closest.on_a, &manifold.points[0].offset, sizeof closest.on_a);
            assert_memory_equal(&closest.on_b, &manifold.points[0].offset, sizeof closest.on_b);
            continue;
        }
        const dvec3 origin = widen(m.pose_a.position);
        const dvec3 on_a = dvec3_add(origin, widen(closest.on_a)), on_b = dvec3_add(origin, widen(closest.on_b));
        const double slack = 1e-6 * (scale + truth);
        near(seed, "length between the points", dvec3_length(dvec3_sub(on_b, on_a)), truth, slack);
        near(seed, "distance of the point from a", fmax(0.0, referee_point_distance(&a, on_a)), 0.0, slack);
        near(seed, "distance of the point from b", fmax(0.0, referee_point_distance(&b, on_b)), 0.0, slack);
        ++apart;
    }
    assert_true(seeds.end - seeds.first < 100 || apart > (seeds.end - seeds.first) / 10);
}

static void nothing_is_measured_of_what_is_not_valid(void **state)
{
    (void)state;
    const abut_shape ball = { .kind = ABUT_SPHERE, .sphere.radius = 1.0f }, none = { 0 };
    const abut_pose pose = { .rotation.w = 1.0f }, still = { 0 };
    float distance = 7.0f;
    assert_int_equal(abut_distance(&ball, &pose, &none, &pose, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance(&ball, &pose, &ball, &still, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance(&ball, &pose, &ball, &pose, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_closest_points(&ball, &pose, &ball, &pose, NULL), ABUT_INVALID_ARGUMENT);
    assert_true(distance == 7.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_referees),
        cmocka_unit_test(nothing_is_measured_of_what_is_not_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
