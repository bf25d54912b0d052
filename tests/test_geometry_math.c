// Rotations from Euler angles and matrices, boxes in their two forms, and rounding outward.
#include "math/outward.h"
#include "random.h"

#include <abut/collide.h>

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#define DEGREE 0.017453292519943295

// By rows, as mathematics writes them.
typedef struct rows
{
    double m[3][3];
} rows;

static void near_rows(const abut_mat3 *m, const rows *expected, double tolerance, uint64_t seed)
{
    const float ours[3][3] = { { m->x.x, m->y.x, m->z.x }, { m->x.y, m->y.y, m->z.y }, { m->x.z, m->y.z, m->z.z } };
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            if (!(fabs(ours[i][k] - expected->m[i][k]) <= tolerance))
            {
                fail_msg("seed %llu: row %d, column %d is %.9g, should be %.9g", (unsigned long long)seed, i, k,
                         ours[i][k], expected->m[i][k]);
            }
        }
    }
}

static rows product(const rows *a, const rows *b)
{
    rows out = { { { 0 } } };
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            for (int j = 0; j < 3; ++j)
            {
                out.m[i][k] += a->m[i][j] * b->m[j][k];
            }
        }
    }
    return out;
}

// The matrices of the turns about x, y and z, as in any textbook.
static rows about(char axis, double radians)
{
    const double c = cos(radians), s = sin(radians);
    const rows x = { { { 1, 0, 0 }, { 0, c, -s }, { 0, s, c } } };
    const rows y = { { { c, 0, s }, { 0, 1, 0 }, { -s, 0, c } } };
    const rows z = { { { c, -s, 0 }, { s, c, 0 }, { 0, 0, 1 } } };
    return axis == 'x' ? x : axis == 'y' ? y : z;
}

// X 30, Y 45, Z 60 degrees, multiplied out on paper: with the sines and cosines 1/2, sqrt(2)/2, sqrt(3)/2.
static void euler_angles_by_hand(void **state)
{
    (void)state;
    const rows zyx = { { { 0.35355339, -0.57322330, 0.73919892 },
                         { 0.61237244, 0.73919892, 0.28033009 },
                         { -0.70710678, 0.35355339, 0.61237244 } } };
    const rows xyz = { { { 0.35355339, -0.61237244, 0.70710678 },
                         { 0.92677670, 0.12682648, -0.35355339 },
                         { 0.12682648, 0.78033009, 0.61237244 } } };
    const float x = (float)(30 * DEGREE), y = (float)(45 * DEGREE), z = (float)(60 * DEGREE);
    const abut_mat3 first_x = abut_mat3_from_euler(x, y, z, ABUT_EULER_ZYX);
    const abut_mat3 first_z = abut_mat3_from_euler(x, y, z, ABUT_EULER_XYZ);
    near_rows(&first_x, &zyx, 3e-7, 0);
    near_rows(&first_z, &xyz, 3e-7, 0);
}

static void each_order_is_the_product_it_is_named_for(void **state)
{
    (void)state;
    static const char *const names[ABUT_EULER_ORDER_COUNT] = {
        [ABUT_EULER_XYZ] = "xyz", [ABUT_EULER_XZY] = "xzy", [ABUT_EULER_YXZ] = "yxz",
        [ABUT_EULER_YZX] = "yzx", [ABUT_EULER_ZXY] = "zxy", [ABUT_EULER_ZYX] = "zyx",
    };
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        float angle[3];
        for (int k = 0; k < 3; ++k)
        {
            angle[k] = (float)random_between(&random, -7, 7);
        }
        for (int order = 0; order < ABUT_EULER_ORDER_COUNT; ++order)
        {
            const char *name = names[order];
            const rows a = about(name[0], angle[name[0] - 'x']), b = about(name[1], angle[name[1] - 'x']);
            const rows c = about(name[2], angle[name[2] - 'x']), ab = product(&a, &b), expected = product(&ab, &c);
            const abut_mat3 ours = abut_mat3_from_euler(angle[0], angle[1], angle[2], (abut_euler_order)order);
            near_rows(&ours, &expected, 1e-6, seed);
        }
    }
}

static double dquat_length(abut_quat q)
{
    return sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
}

static void odd_angles_and_orders_have_answers(void **state)
{
    (void)state;
    const abut_quat none = abut_quat_from_euler(1, 2, 3, (abut_euler_order)6), identity = abut_quat_identity();
    assert_memory_equal(&none, &identity, sizeof none);
    const abut_quat nan = abut_quat_from_euler(1, NAN, 3, ABUT_EULER_XYZ);
    assert_true(nan.w != nan.w);
    const abut_quat large = abut_quat_from_euler(3e38f, -1e16f, 1e30f, ABUT_EULER_XYZ);
    assert_true(fabs(dquat_length(large) - 1.0) < 1e-6);
}

// O. Rodrigues: R = I + sin K + (1 - cos) K^2.
static void an_axis_and_an_angle_give_rodrigues_matrix(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_vec3 axis = random_narrow(dvec3_scale(random_direction(&random), random_scale(&random, 0.01, 100)));
        const float angle = (float)random_between(&random, -7, 7);
        const dvec3 n = dvec3_normalise(dvec3_make(axis.x, axis.y, axis.z));
        const rows k = { { { 0, -n.z, n.y }, { n.z, 0, -n.x }, { -n.y, n.x, 0 } } }, squared = product(&k, &k);
        rows expected;
        for (int i = 0; i < 9; ++i)
        {
            expected.m[i / 3][i % 3] =
                (i % 4 == 0) + sin(angle) * k.m[i / 3][i % 3] + (1 - cos(angle)) * squared.m[i / 3][i % 3];
        }
        const abut_mat3 ours = abut_mat3_from_axis_angle(axis, angle);
        near_rows(&ours, &expected, 5e-7, seed);
    }
}

// As far as a float's digits go: below 1e-38 it has fewer of them.
static void vectors_of_any_length_have_a_direction(void **state)
{
    (void)state;
    random_source random = random_start(11);
    for (int i = 0; i < 1000; ++i)
    {
        const dvec3 v = dvec3_scale(random_direction(&random), random_scale(&random, 1e-36, 1e38));
        const abut_vec3 narrow = random_narrow(v), unit = abut_vec3_normalise(narrow);
        const dvec3 expected = dvec3_normalise(dvec3_make((double)narrow.x, (double)narrow.y, (double)narrow.z));
        assert_true(fabs((double)unit.x - expected.x) < 6e-8 && fabs((double)unit.y - expected.y) < 6e-8 &&
                    fabs((double)unit.z - expected.z) < 6e-8);
    }
    const float wrong[] = { 0.0f, NAN, INFINITY };
    for (int i = 0; i < 3; ++i)
    {
        const abut_vec3 none = abut_vec3_normalise(abut_vec3_make(0.0f, wrong[i], 0.0f));
        assert_true(none.x == 0.0f && none.y == 0.0f && none.z == 0.0f);
    }
    const abut_vec3 along = abut_vec3_normalise(abut_vec3_make(0.0f, -1e-45f, 0.0f)); // the smallest there is
    assert_true(along.x == 0.0f && along.y == -1.0f && along.z == 0.0f);
}

static void quaternions_of_any_length_give_the_matrix_of_their_direction(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(30000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const dquat q = random_rotation(&random);
        const float by = (float)random_scale(&random, 1e-37, 1e38);
        const abut_quat unit = random_narrow_rotation(q);
        const abut_quat scaled = { unit.x * by, unit.y * by, unit.z * by, unit.w * by };
        const rows expected = {
            { { 1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y) },
              { 2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x) },
              { 2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y) } }
        };
        const abut_mat3 ours = abut_mat3_from_quat(scaled);
        near_rows(&ours, &expected, 1e-6, seed);
    }
    const abut_mat3 least = abut_mat3_from_quat((abut_quat){ 0, 0, 0, 1e-45f });
    const abut_mat3 quarter = abut_mat3_from_quat((abut_quat){ 1e20f, 0, 0, 1e20f });
    near_rows(&least, &(rows){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, 0.0, 0);
    near_rows(&quarter, &(rows){ { { 1, 0, 0 }, { 0, 0, -1 }, { 0, 1, 0 } } }, 1e-6, 0);
}

static void a_matrix_gives_its_quaternion_back(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(10000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        dquat q = random_rotation(&random);
        // Also half turns about the axes, their neighbours, and turns of almost nothing.
        q = seed % 3 == 0 ? random_cube_rotation(random_below(&random, 24)) : q;
        if (seed % 6 == 0)
        {
            q = dquat_mul(q, dquat_turn(random_direction(&random), random_scale(&random, 1e-7, 1e-2)));
        }
        q = q.w < 0 ? (dquat){ -q.w, -q.x, -q.y, -q.z } : q;
        const dvec3 x = dquat_rotate(q, dvec3_make(1, 0, 0)), y = dquat_rotate(q, dvec3_make(0, 1, 0));
        const abut_mat3 m = { random_narrow(x), random_narrow(y), random_narrow(dvec3_cross(x, y)) };
        const abut_quat ours = abut_quat_from_mat3(&m);
        const double dot = ours.x * q.x + ours.y * q.y + ours.z * q.z + ours.w * q.w;
        const double square =
            (double)ours.x * ours.x + (double)ours.y * ours.y + (double)ours.z * ours.z + (double)ours.w * ours.w;
        const double sign = dot < 0 ? -1 : 1; // either is right at w = 0
        const double off = fabs(ours.x - sign * q.x) + fabs(ours.y - sign * q.y) + fabs(ours.z - sign * q.z) +
                           fabs(ours.w - sign * q.w);
        if (!(off < 4e-7 && fabs(square - 1) < 3e-7 && ours.w >= 0 && (dot > 0 || q.w < 1e-6)))
        {
            fail_msg("seed %llu: off by %g", (unsigned long long)seed, off);
        }
    }
    const abut_mat3 nonsense = { { NAN, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const abut_quat ours = abut_quat_from_mat3(&nonsense), identity = abut_quat_identity();
    assert_memory_equal(&ours, &identity, sizeof ours);
}

static float random_float(random_source *random)
{
    return (float)(random_sign(random) * random_scale(random, 1e-6, 1e8));
}

// long double holds these sums exactly where it has 64 bits, and better than double elsewhere.
static void forms_of_a_box_cover_each_other(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const float centre = random_float(&random), half = fabsf(random_float(&random));
        const abut_aabb box = abut_aabb_from_centre(abut_vec3_make(centre, 0, 1), abut_vec3_make(half, 0, half));
        const long double low = (long double)centre - half, high = (long double)centre + half;
        const bool covers = box.min.x <= low && box.max.x >= high;
        const bool tight = nextafterf(box.min.x, INFINITY) > low && nextafterf(box.max.x, -INFINITY) < high;
        const abut_vec3 c = abut_aabb_centre(&box), h = abut_aabb_half_extents(&box);
        const bool back = (long double)c.x - h.x <= box.min.x && (long double)c.x + h.x >= box.max.x;
        const double size = fabs((double)centre) + half;
        const bool near = fabs((double)c.x - centre) <= 2e-7 * size && fabs((double)h.x - half) <= 4e-7 * size;
        if (!(covers && tight && back && near) || h.y != 0 || c.y != 0)
        {
            fail_msg("seed %llu: %a, %a", (unsigned long long)seed, centre, half);
        }
    }
}

static void what_a_double_loses_still_grows_a_box(void **state)
{
    (void)state;
    const abut_aabb box = abut_aabb_from_centre(abut_vec3_make(1, -1, 0), abut_vec3_make(1e-20f, 1e-20f, 1e-20f));
    assert_true(box.min.x == 0x1.fffffep-1f && box.max.x == 0x1.000002p0f);
    assert_true(box.min.y == -0x1.000002p0f && box.max.y == -0x1.fffffep-1f);
    assert_true(box.min.z == -1e-20f && box.max.z == 1e-20f);
}

static void boxes_know_their_points(void **state)
{
    (void)state;
    const abut_aabb box = { { -1, 2, 3 }, { 1, 4, 3 } };
    assert_true(abut_aabb_contains(&box, abut_vec3_make(1, 2, 3)));
    assert_false(abut_aabb_contains(&box, abut_vec3_make(1, 2, 0x1.800002p1f)));
    assert_false(abut_aabb_contains(&box, abut_vec3_make(0, NAN, 3)));
    const abut_vec3 outside = abut_aabb_closest_point(&box, abut_vec3_make(-5, 3, 9));
    assert_true(outside.x == -1 && outside.y == 3 && outside.z == 3);
    const abut_vec3 inside = abut_aabb_closest_point(&box, abut_vec3_make(0.5f, 2.5f, 3));
    assert_true(inside.x == 0.5f && inside.y == 2.5f && inside.z == 3);
}

// A box of floats that share few digits with each other.
static abut_aabb random_aabb(random_source *random)
{
    float low[3], high[3];
    for (int i = 0; i < 3; ++i)
    {
        low[i] = (float)random_between(random, -10.0, 10.0);
        high[i] = low[i] + (float)random_scale(random, 1e-3, 10.0);
    }
    return abut_aabb_make(abut_vec3_make(low[0], low[1], low[2]), abut_vec3_make(high[0], high[1], high[2]));
}

static float *coordinate(abut_vec3 *v, uint32_t axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// What shapes of a centre and half extents say of the same two boxes.
static bool overlap_as_shapes(const abut_aabb *a, const abut_aabb *b)
{
    const abut_vec3 ha = abut_aabb_half_extents(a), hb = abut_aabb_half_extents(b);
    const abut_shape shape_a = abut_shape_aabb(ha.x, ha.y, ha.z), shape_b = abut_shape_aabb(hb.x, hb.y, hb.z);
    abut_pose pose_a = abut_pose_identity(), pose_b = abut_pose_identity();
    pose_a.position = abut_aabb_centre(a);
    pose_b.position = abut_aabb_centre(b);
    bool overlapping = false;
    assert_int_equal(abut_overlap(&shape_a, &pose_a, &shape_b, &pose_b, &overlapping), ABUT_OK);
    return overlapping;
}

// Boxes side by side: with a face in common they overlap, one float farther they do not.
static void boxes_by_their_corners_overlap_to_the_last_bit(void **state)
{
    (void)state;
    uint32_t as_shapes = 0;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t axis = random_below(&random, 3);
        abut_aabb a = random_aabb(&random), b = a;
        *coordinate(&b.min, axis) = *coordinate(&a.max, axis);
        *coordinate(&b.max, axis) = *coordinate(&b.min, axis) + (float)random_scale(&random, 1e-3, 10.0);
        assert_true(abut_aabb_overlaps(&a, &b) && abut_aabb_overlaps(&b, &a));
        *coordinate(&b.min, axis) = nextafterf(*coordinate(&b.min, axis), INFINITY);
        assert_false(abut_aabb_overlaps(&a, &b) || abut_aabb_overlaps(&b, &a));
        as_shapes += overlap_as_shapes(&a, &b);
        assert_true(abut_aabb_contains(&a, a.max) && !abut_aabb_contains(&a, b.max));
    }
    print_message("%u of %u pairs overlap as shapes\n", as_shapes, (uint32_t)(seeds.end - seeds.first));
    const abut_aabb box = abut_aabb_make(abut_vec3_make(0, 0, 0), abut_vec3_make(1, 1, 1));
    const abut_aabb odd = abut_aabb_make(abut_vec3_make(0, NAN, 0), abut_vec3_make(1, 1, 1));
    assert_false(abut_aabb_overlaps(&box, &odd) || abut_aabb_overlaps(&odd, &box));
}

// A box is in another as long as no corner is one float outside.
static void boxes_by_their_corners_contain_to_the_last_bit(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_aabb outer = random_aabb(&random);
        const uint32_t axis = random_below(&random, 3);
        abut_aabb inner = outer;
        assert_true(abut_aabb_contains_aabb(&outer, &inner));
        float *low = coordinate(&inner.min, axis), *high = coordinate(&inner.max, axis);
        *low = nextafterf(*low, -INFINITY);
        assert_false(abut_aabb_contains_aabb(&outer, &inner));
        assert_true(abut_aabb_contains_aabb(&inner, &outer));
        *low = nextafterf(*low, INFINITY);
        *high = nextafterf(*high, INFINITY);
        assert_false(abut_aabb_contains_aabb(&outer, &inner));
        *high = NAN;
        assert_false(abut_aabb_contains_aabb(&outer, &inner) || abut_aabb_contains_aabb(&inner, &outer));
    }
}

static void rounding_outward_is_the_next_float(void **state)
{
    (void)state;
    random_source random = random_start(1);
    for (int i = 0; i < 1000000; ++i)
    {
        // Any double within a float's range, many of them floats or next to floats.
        double x = random_sign(&random) * random_scale(&random, 1e-46, 3e38);
        const uint32_t choice = random_below(&random, 4);
        x = choice < 2 ? x : (double)(float)x;
        x = choice == 3 ? ab_double_of_bits(ab_double_bits(x) + 1) : x;
        volatile float nearest = (float)x;
        const float up = (double)nearest < x ? nextafterf(nearest, INFINITY) : nearest;
        const float down = (double)nearest > x ? nextafterf(nearest, -INFINITY) : nearest;
        if (!(ab_float_up(x) == up && ab_float_down(x) == down))
        {
            fail_msg("%a goes up to %a, should to %a", x, ab_float_up(x), up);
        }
    }
    assert_true(ab_float_up(0.0) == 0.0f && ab_float_down(0.0) == 0.0f && ab_float_up(1.0) == 1.0f);
}

static void poses_have_inverses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; ++seed)
    {
        random_source random = random_start(seed);
        abut_pose pose = abut_pose_identity();
        pose.position = random_narrow(random_in_box(&random, 10.0));
        pose.rotation = random_narrow_rotation(random_rotation(&random));
        const abut_pose back = abut_pose_inverse(&pose), one = abut_pose_compose(&back, &pose);
        const abut_vec3 local = random_narrow(random_in_box(&random, 10.0)), world = abut_pose_apply(&pose, local);
        const abut_vec3 again = abut_pose_apply_inverse(&pose, world), other = abut_pose_apply(&back, world);
        assert_true(abut_vec3_length(one.position) < 1e-5f && fabsf(one.rotation.w) > 0.999999f);
        // Rounded rotations stretch by 2.4e-7, two by 8e-6 m of 17 m; coordinates of 32 m are rounded by 2e-6 m.
        assert_true(abut_vec3_length(abut_vec3_sub(again, local)) < 3e-5f);
        assert_true(abut_vec3_length(abut_vec3_sub(other, local)) < 3e-5f);
        // A point of the body after a short while is where its velocity takes it.
        const abut_velocity velocity = { random_narrow(random_in_box(&random, 1.0)),
                                         random_narrow(random_in_box(&random, 1.0)) };
        const float dt = 1e-3f;
        abut_pose later = pose;
        assert_true(abut_pose_move(&later, &velocity, dt));
        const abut_vec3 moved = abut_vec3_sub(abut_pose_apply(&later, local), world);
        const abut_vec3 way = abut_vec3_scale(abut_velocity_at(&velocity, &pose, world), dt);
        assert_true(abut_vec3_length(abut_vec3_sub(moved, way)) < 3e-5f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_angles_by_hand),
        cmocka_unit_test(each_order_is_the_product_it_is_named_for),
        cmocka_unit_test(odd_angles_and_orders_have_answers),
        cmocka_unit_test(an_axis_and_an_angle_give_rodrigues_matrix),
        cmocka_unit_test(vectors_of_any_length_have_a_direction),
        cmocka_unit_test(quaternions_of_any_length_give_the_matrix_of_their_direction),
        cmocka_unit_test(a_matrix_gives_its_quaternion_back),
        cmocka_unit_test(forms_of_a_box_cover_each_other),
        cmocka_unit_test(what_a_double_loses_still_grows_a_box),
        cmocka_unit_test(boxes_know_their_points),
        cmocka_unit_test(boxes_by_their_corners_overlap_to_the_last_bit),
        cmocka_unit_test(boxes_by_their_corners_contain_to_the_last_bit),
        cmocka_unit_test(rounding_outward_is_the_next_float),
        cmocka_unit_test(poses_have_inverses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
