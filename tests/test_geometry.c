// Geometry of single shapes, judged by the referee's double precision and by numbers worked out by hand.
#include "random.h"
#include "referee.h"

#include <abut/shape.h>

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

typedef struct placed
{
    abut_shape shape;
    abut_pose pose;
    referee_solid solid;
    double size; // metres: reach and distance from the origin, which rounding grows with
} placed;

static float random_half(random_source *random)
{
    return random_chance(random, 0.1) ? 0.0f : (float)random_scale(random, 1e-3, 1e3);
}

static placed random_placed(random_source *random)
{
    const float x = random_half(random), y = random_half(random), z = random_half(random);
    const uint32_t kind = random_below(random, 4);
    placed p = { .shape = kind == 0   ? abut_shape_sphere(x)
                          : kind == 1 ? abut_shape_aabb(x, y, z)
                          : kind == 2 ? abut_shape_obb(x, y, z)
                                      : abut_shape_capsule(x, y) };
    const double far = random_chance(random, 0.2) ? random_scale(random, 1, 1e6) : 10;
    p.pose.position = random_narrow(random_in_box(random, far));
    p.pose.rotation = random_narrow_rotation(random_rotation(random));
    p.solid = referee_solid_of(&p.shape, &p.pose, NULL);
    p.size = p.solid.reach + dvec3_length(p.solid.centre);
    return p;
}

// Volatile, because GCC 12 may otherwise skip the rounding of a double to float and back when it vectorises.
static dvec3 wide(abut_vec3 v)
{
    const volatile abut_vec3 stored = v;
    return dvec3_make(stored.x, stored.y, stored.z);
}

// Somewhere about the shape, inside as often as not.
static abut_vec3 random_point_near(random_source *random, const placed *p)
{
    dvec3 at = p->solid.centre;
    for (int k = 0; k < 3; ++k)
    {
        const double half = p->solid.half[k] + p->solid.radius;
        at = dvec3_along(at, random_between(random, -1.3, 1.3) * half + random_between(random, -0.01, 0.01),
                         p->solid.ball ? dvec3_make(k == 0, k == 1, k == 2) : p->solid.axis[k]);
    }
    return random_narrow(at);
}

static void points_inside_are_those_at_no_distance(void **state)
{
    (void)state;
    int inside_count = 0;
    const random_seeds seeds = random_seeds_of(50000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed p = random_placed(&random);
        const abut_vec3 point = random_point_near(&random, &p);
        const double distance = referee_point_distance(&p.solid, wide(point));
        bool inside;
        assert_int_equal(abut_shape_contains(&p.shape, &p.pose, point, &inside), ABUT_OK);
        if (fabs(distance) > 1e-12 * p.size && inside != (distance < 0))
        {
            fail_msg("seed %llu: distance %g", (unsigned long long)seed, distance);
        }
        inside_count += inside;
    }
    assert_true(!random_seeds_all() || inside_count > 10000);
}

static void the_closest_point_is_on_the_shape_and_as_near_as_the_distance(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(50000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed p = random_placed(&random);
        const abut_vec3 point = random_point_near(&random, &p);
        const double distance = referee_point_distance(&p.solid, wide(point));
        abut_vec3 closest;
        assert_int_equal(abut_shape_closest_point(&p.shape, &p.pose, point, &closest), ABUT_OK);
        const double gone = dvec3_length(dvec3_sub(wide(closest), wide(point)));
        const double off = referee_point_distance(&p.solid, wide(closest));
        if (!(fabs(gone - fmax(distance, 0)) <= 1e-7 * p.size && off <= 1e-7 * p.size) ||
            (distance < -1e-12 * p.size && memcmp(&closest, &point, sizeof point) != 0))
        {
            fail_msg("seed %llu: went %g, should %g; off by %g", (unsigned long long)seed, gone, distance, off);
        }
    }
}

static void supports_and_projections_reach_as_far_as_the_shape(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(50000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed p = random_placed(&random);
        const abut_vec3 direction =
            random_narrow(dvec3_scale(random_direction(&random), random_scale(&random, 1e-3, 1e3)));
        const dvec3 unit = dvec3_normalise(wide(direction));
        const double aabb = referee_extent(&p.solid, unit);
        abut_vec3 support;
        float radius;
        assert_int_equal(abut_shape_support(&p.shape, &p.pose, direction, &support), ABUT_OK);
        assert_int_equal(abut_shape_projection_radius(&p.shape, &p.pose, direction, &radius), ABUT_OK);
        const double reached = dvec3_dot(dvec3_sub(wide(support), p.solid.centre), unit);
        if (!(fabs(reached - aabb) <= 1e-7 * p.size && fabs(radius - aabb) <= 1e-7 * p.solid.reach &&
              referee_point_distance(&p.solid, wide(support)) <= 1e-7 * p.size))
        {
            fail_msg("seed %llu: %.9g and %.9g, should be %.9g", (unsigned long long)seed, reached, radius, aabb);
        }
    }
}

static void of_equally_far_points_the_positive_side_wins(void **state)
{
    (void)state;
    const abut_shape box = abut_shape_obb(1, 2, 3);
    const abut_pose pose = abut_pose_identity();
    abut_vec3 support;
    assert_int_equal(abut_shape_support(&box, &pose, abut_vec3_make(0, 0, -1), &support), ABUT_OK);
    assert_true(support.x == 1 && support.y == 2 && support.z == -3);
}

static double component(dvec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static void bounds_hold_the_shape_tightly(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(50000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed p = random_placed(&random);
        abut_aabb box;
        assert_int_equal(abut_shape_bounds(&p.shape, &p.pose, &box), ABUT_OK);
        for (int k = 0; k < 3; ++k)
        {
            const double centre = component(p.solid.centre, k);
            const double reach = referee_extent(&p.solid, dvec3_make(k == 0, k == 1, k == 2));
            const double below = centre - reach - component(wide(box.min), k);
            const double above = component(wide(box.max), k) - centre - reach;
            // The referee itself rounds, in double.
            const double slack = 4e-16 * (p.solid.reach + fabs(centre));
            const double loose = 3e-7 * (fabs(centre) + p.solid.reach);
            if (!(below >= -slack && above >= -slack && below <= loose && above <= loose))
            {
                fail_msg("seed %llu: axis %d, %g below and %g above", (unsigned long long)seed, k, below, above);
            }
        }
    }
}

static void bounds_that_floats_can_hold_are_exact(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_aabb(1, 2, 0.5f), abut_shape_obb(1, 2, 0.5f), abut_shape_sphere(1) };
    for (int k = 0; k < 3; ++k)
    {
        abut_pose pose = abut_pose_identity();
        pose.position = abut_vec3_make(10, -3, 0.25f);
        abut_aabb box;
        assert_int_equal(abut_shape_bounds(&shapes[k], &pose, &box), ABUT_OK);
        const float y = k == 2 ? 1.0f : 2.0f, z = k == 2 ? 1.0f : 0.5f;
        assert_true(box.min.x == 9 && box.max.x == 11 && box.min.y == -3 - y && box.max.y == -3 + y);
        assert_true(box.min.z == 0.25f - z && box.max.z == 0.25f + z);
    }
}

static void the_radius_of_a_speck_is_rounded_outward(void **state)
{
    (void)state;
    for (int k = 1; k < 50; ++k)
    {
        const float half = (float)k * 0x1p-149f;
        const abut_shape speck = abut_shape_obb(half, half, 0);
        assert_true((double)abut_shape_bounding_radius(&speck) >= sqrt(2.0) * (double)half);
    }
}

static void corners_are_in_the_bounding_sphere_in_their_order(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed p = random_placed(&random);
        abut_placed_shape sphere;
        abut_vec3 corners[8], flat[4];
        assert_int_equal(abut_shape_bounding_sphere(&p.shape, &p.pose, &sphere), ABUT_OK);
        assert_true(sphere.shape.kind == ABUT_SPHERE);
        assert_memory_equal(&sphere.pose.position, &p.pose.position, sizeof p.pose.position);
        const double radius = sphere.shape.sphere.radius, reach = p.solid.reach;
        assert_true(radius >= reach * (1 - 1e-15) && radius <= reach * (1 + 1e-6));
        const abut_status status = abut_shape_corners(&p.shape, &p.pose, corners);
        const bool has_corners = !p.solid.ball && !p.solid.capsule;
        assert_int_equal(status, has_corners ? ABUT_OK : ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_rectangle_corners(&p.shape, &p.pose, flat), status);
        for (int i = 0; i < 8 && has_corners; ++i)
        {
            const double off = dvec3_length(dvec3_sub(wide(corners[i]), referee_corner(&p.solid, i)));
            assert_true(off <= 1.1e-7 * p.size);
        }
        for (int i = 0; i < 4 && has_corners; ++i)
        {
            static const int order[4] = { 0, 1, 3, 2 };
            const dvec3 below = referee_corner(&p.solid, order[i]), above = referee_corner(&p.solid, order[i] + 4);
            const dvec3 middle = dvec3_scale(dvec3_add(below, above), 0.5);
            assert_true(dvec3_length(dvec3_sub(wide(flat[i]), middle)) <= 1.1e-7 * p.size);
        }
    }
}

static void near_vector(abut_vec3 v, double x, double y, double z)
{
    const dvec3 off = dvec3_sub(wide(v), dvec3_make(x, y, z));
    if (!(dvec3_length(off) < 1e-6))
    {
        fail_msg("(%.9g %.9g %.9g), should be (%.9g %.9g %.9g)", v.x, v.y, v.z, x, y, z);
    }
}

// Half extents (2, 1, 1) at (3, 2, 1), turned 30 degrees about z: a corner (x, y) goes to (x cos - y sin, x sin + y
// cos).
static void corners_of_a_turned_box_by_hand(void **state)
{
    (void)state;
    const double c = 0.8660254037844386, s = 0.5;
    const abut_shape box = abut_shape_obb(2, 1, 1);
    const abut_pose pose = { { 3, 2, 1 }, 0, abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.52359877559829887f) };
    abut_vec3 corners[8], flat[4];
    assert_int_equal(abut_shape_corners(&box, &pose, corners), ABUT_OK);
    near_vector(corners[0], 3 - 2 * c + s, 2 - 2 * s - c, 0);
    near_vector(corners[1], 3 + 2 * c + s, 2 + 2 * s - c, 0);
    near_vector(corners[2], 3 - 2 * c - s, 2 - 2 * s + c, 0);
    near_vector(corners[3], 4.2320508075688776, 3.8660254037844384, 0);
    near_vector(corners[4], 1.7679491924311225, 0.1339745962155613, 2);
    near_vector(corners[5], 3 + 2 * c + s, 2 + 2 * s - c, 2);
    near_vector(corners[6], 3 - 2 * c - s, 2 - 2 * s + c, 2);
    near_vector(corners[7], 3 + 2 * c - s, 2 + 2 * s + c, 2);
    assert_int_equal(abut_shape_rectangle_corners(&box, &pose, flat), ABUT_OK);
    near_vector(flat[0], 3 - 2 * c + s, 2 - 2 * s - c, 1);
    near_vector(flat[1], 3 + 2 * c + s, 2 + 2 * s - c, 1);
    near_vector(flat[2], 3 + 2 * c - s, 2 + 2 * s + c, 1);
    near_vector(flat[3], 3 - 2 * c - s, 2 - 2 * s + c, 1);
}

static void surfaces_belong_to_their_shapes(void **state)
{
    (void)state;
    const abut_shape sphere = abut_shape_sphere(5), box = abut_shape_obb(1, 2, 3), none = abut_shape_sphere(0);
    const abut_pose pose = abut_pose_identity();
    bool inside;
    assert_int_equal(abut_shape_contains(&sphere, &pose, abut_vec3_make(3, 4, 0), &inside), ABUT_OK);
    assert_true(inside);
    assert_int_equal(abut_shape_contains(&sphere, &pose, abut_vec3_make(3, 4, 0x1p-10f), &inside), ABUT_OK);
    assert_false(inside);
    assert_int_equal(abut_shape_contains(&box, &pose, abut_vec3_make(-1, 2, 3), &inside), ABUT_OK);
    assert_true(inside);
    assert_int_equal(abut_shape_contains(&box, &pose, abut_vec3_make(-1, 2, 0x1.800002p1f), &inside), ABUT_OK);
    assert_false(inside);
    assert_int_equal(abut_shape_contains(&none, &pose, abut_vec3_make(0, 0, 0), &inside), ABUT_OK);
    assert_true(inside);
}

static void invalid_input_fails_and_leaves_the_output_alone(void **state)
{
    (void)state;
    const abut_shape good = abut_shape_obb(1, 1, 1), negative = abut_shape_sphere(-1),
                     unknown = { .kind = ABUT_SHAPE_NONE };
    const abut_shape *const shapes[] = { &negative, &unknown, NULL, &good, &good, &good };
    const abut_pose pose = abut_pose_identity(), nowhere = { { NAN, 0, 0 }, 0, { 0, 0, 0, 1 } },
                    unturned = { .unused = 0 };
    const abut_pose *const poses[] = { &pose, &pose, &pose, &nowhere, &unturned, NULL };
    const abut_vec3 point = { 1, 0, 0 }, zero = { 0, 0, 0 }, wrong = { 0, NAN, 0 }, far = { 0, 0, 2e8f };
    abut_vec3 corners[8], out = { 7, 7, 7 };
    abut_placed_shape sphere;
    abut_aabb box;
    bool inside;
    float radius = 7;
    for (int k = 0; k < 6; ++k)
    {
        assert_int_equal(abut_shape_contains(shapes[k], poses[k], point, &inside), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_closest_point(shapes[k], poses[k], point, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_support(shapes[k], poses[k], point, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_projection_radius(shapes[k], poses[k], point, &radius), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_bounds(shapes[k], poses[k], &box), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_bounding_sphere(shapes[k], poses[k], &sphere), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_corners(shapes[k], poses[k], corners), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_shape_rectangle_corners(shapes[k], poses[k], corners), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_shape_contains(&good, &pose, wrong, &inside), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_contains(&good, &pose, far, &inside), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_contains(&good, &pose, point, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_closest_point(&good, &pose, wrong, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_support(&good, &pose, zero, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_support(&good, &pose, wrong, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_projection_radius(&good, &pose, zero, &radius), ABUT_INVALID_ARGUMENT);
    assert_true(out.x == 7 && out.y == 7 && out.z == 7 && radius == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_inside_are_those_at_no_distance),
        cmocka_unit_test(the_closest_point_is_on_the_shape_and_as_near_as_the_distance),
        cmocka_unit_test(supports_and_projections_reach_as_far_as_the_shape),
        cmocka_unit_test(of_equally_far_points_the_positive_side_wins),
        cmocka_unit_test(bounds_hold_the_shape_tightly),
        cmocka_unit_test(bounds_that_floats_can_hold_are_exact),
        cmocka_unit_test(the_radius_of_a_speck_is_rounded_outward),
        cmocka_unit_test(corners_are_in_the_bounding_sphere_in_their_order),
        cmocka_unit_test(corners_of_a_turned_box_by_hand),
        cmocka_unit_test(surfaces_belong_to_their_shapes),
        cmocka_unit_test(invalid_input_fails_and_leaves_the_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
