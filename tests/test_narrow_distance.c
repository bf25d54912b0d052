// Distances and nearest points, judged in double precision.
#include "own_kinds.h"
#include "random_pair.h"

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
        random_pair m = random_pair_any(&random);
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
        near(seed, "distance of the point from a's surface", referee_point_distance(&a, on_a), 0.0, slack);
        near(seed, "distance of the point from b's surface", referee_point_distance(&b, on_b), 0.0, slack);
        ++apart;
    }
    assert_true(seeds.end - seeds.first < 100 || apart > (seeds.end - seeds.first) / 10);
}

// The nearest point is within a face, but next to an edge of the search's triangle there: the edge is as near as the
// triangle but for rounding, and from it the way leads past the far end of the face by a quarter of a millionth.
static void faces_are_as_far_apart_over_an_edge_as_beside_it(void **state)
{
    (void)state;
    const abut_shape turned = abut_shape_obb(3.80806208f, 4.02491283f, 4.07849598f),
                     cube = abut_shape_aabb(8.80151367f, 8.80151367f, 8.80151367f);
    const abut_pose pose_a = { .position = { 1.30314326f, 0.0838855281f, -1.62090623f },
                               .rotation = { -0.448532492f, 0.0f, -2.08166817e-17f, 0.893766522f } };
    const abut_pose pose_b = { .position = { -11.5026169f, 14.560832f, 6.39102364f }, .rotation.w = 1.0f };
    const double gap = (double)pose_a.position.x - (double)pose_b.position.x -
                       ((double)turned.box.half_extents.x + (double)cube.box.half_extents.x);
    float distance;
    assert_int_equal(abut_distance(&turned, &pose_a, &cube, &pose_b, &distance), ABUT_OK);
    near(0, "distance", (double)distance, gap, 1e-7 * gap);
}

static void points_of_balls_that_touch_are_on_their_surfaces(void **state)
{
    (void)state;
    const abut_shape a = abut_shape_sphere(1.6755378246307373f), b = abut_shape_sphere(1.1817530393600464f);
    const abut_pose pose_a = { .rotation.w = 1.0f };
    const abut_pose pose_b = { .position = { -2.0423343181610107f, -1.8515772819519043f, -0.751427173614502f },
                               .rotation.w = 1.0f };
    abut_closest closest;
    assert_int_equal(abut_closest_points(&a, &pose_a, &b, &pose_b, &closest), ABUT_OK);
    near(0, "distance", (double)closest.distance, 0.0, 1e-6);
    near(0, "radius of a", dvec3_length(widen(closest.on_a)), (double)a.sphere.radius, 1e-6);
    near(0, "radius of b", dvec3_length(dvec3_sub(widen(closest.on_b), widen(pose_b.position))),
         (double)b.sphere.radius, 1e-6);
}

// Level rods, one above the other, that cross well within their lengths, at an angle down to none. False when rounding
// to float makes them miss each other.
static bool crossing_rods(random_source *random, abut_shape *rod, abut_pose *pose_a, abut_pose *pose_b)
{
    const double length = random_scale(random, 1.0, 1000.0);
    const double half_a = random_between(random, -1.5, 1.5), half_b = half_a + random_scale(random, 1e-9, 0.5);
    *rod = (abut_shape){ .kind = ABUT_OBB, .box.half_extents.x = (float)length };
    *pose_a = (abut_pose){ .rotation = { 0.0f, 0.0f, (float)sin(half_a), (float)cos(half_a) } };
    *pose_b = (abut_pose){ .rotation = { 0.0f, 0.0f, (float)sin(half_b), (float)cos(half_b) } };
    const double angle_a = 2.0 * atan2((double)pose_a->rotation.z, (double)pose_a->rotation.w);
    const double angle_b = 2.0 * atan2((double)pose_b->rotation.z, (double)pose_b->rotation.w);
    const dvec3 u = { cos(angle_a), sin(angle_a), 0.0 }, v = { cos(angle_b), sin(angle_b), 0.0 };
    const double on_a = random_between(random, -0.9, 0.9) * length, on_b = random_between(random, -0.9, 0.9) * length;
    pose_b->position = random_narrow(dvec3_along(dvec3_scale(u, on_a), -on_b, v));
    pose_b->position.z = (float)(random_scale(random, 1e-8, 1e-2) * length);

    const dvec3 from_a = widen(pose_b->position);
    const double sine = sin(angle_b - angle_a);
    const double at_a = (from_a.x * v.y - from_a.y * v.x) / sine, at_b = (from_a.x * u.y - from_a.y * u.x) / sine;
    return fabs(at_a) < 0.99 * length && fabs(at_b) < 0.99 * length;
}

static void rods_that_cross_are_as_far_apart_as_one_is_above_the_other(void **state)
{
    (void)state;
    uint32_t crossing = 0;
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        abut_shape rod;
        abut_pose pose_a, pose_b;
        if (!crossing_rods(&random, &rod, &pose_a, &pose_b))
        {
            continue;
        }
        ++crossing;
        const double height = (double)pose_b.position.z;
        float distance;
        assert_int_equal(abut_distance(&rod, &pose_a, &rod, &pose_b, &distance), ABUT_OK);
        near(seed, "distance", (double)distance, height, 1e-7 * height);
        assert_int_equal(abut_distance(&rod, &pose_b, &rod, &pose_a, &distance), ABUT_OK);
        near(seed, "distance the other way", (double)distance, height, 1e-7 * height);
    }
    assert_true(crossing > 10000);

    const abut_shape rod = { .kind = ABUT_OBB, .box.half_extents.x = 1000.0f };
    const abut_pose pose_a = { .rotation.w = 1.0f };
    const abut_pose pose_b = { .position = { 0.0f, -4.5e-4f, 1e-4f }, .rotation = { 0.0f, 0.0f, 4.5e-7f, 1.0f } };
    float distance;
    assert_int_equal(abut_distance(&rod, &pose_a, &rod, &pose_b, &distance), ABUT_OK);
    near(0, "distance", (double)distance, 1e-4, 1e-10);
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

// How far a turned box reaches down.
static double reach_down(abut_vec3 half, abut_quat rotation)
{
    const double x = (double)rotation.x, y = (double)rotation.y, z = (double)rotation.z, w = (double)rotation.w;
    const double square = x * x + y * y + z * z + w * w;
    return ((double)half.x * fabs(2.0 * (x * y + w * z)) + (double)half.y * fabs(square - 2.0 * (x * x + z * z)) +
            (double)half.z * fabs(2.0 * (y * z - w * x))) /
           square;
}

// A small box over the upper face of a large one, both rotated about y, the small one perhaps tilted too; one or both
// are given by support functions.
typedef struct over_a_floor
{
    abut_shape shape[2];
    abut_pose pose[2];
    double size, gap; // of the small one; as floats have it
    bool flat;
} over_a_floor;

static over_a_floor random_over_a_floor(random_source *random, bool apart)
{
    over_a_floor o = { .flat = random_chance(random, 0.5) };
    const double size = random_scale(random, 0.01, 1.0), ratio = random_scale(random, 10.0, 3e8);
    const float across = (float)fmin(size * ratio, (double)ABUT_MAX_MAGNITUDE);
    const abut_shape large = abut_shape_obb(across, 1.0f, across * (float)random_between(random, 0.5, 1.0));
    const abut_shape small = abut_shape_obb((float)size, (float)(size * random_between(random, 0.3, 1.0)),
                                            (float)(size * random_between(random, 0.3, 1.0)));
    const uint32_t custom = 1 + random_below(random, 3);
    const abut_vec3 up = { 0, 1, 0 };
    o.shape[0] = custom & 1 ? own_twin(&large, false) : large;
    o.shape[1] = custom & 2 ? own_twin(&small, false) : small;
    o.pose[0] = o.pose[1] = abut_pose_identity();
    o.pose[0].rotation = abut_quat_from_axis_angle(up, (float)random_between(random, -3.0, 3.0));
    o.pose[1].rotation = o.flat ? abut_quat_from_axis_angle(up, (float)random_between(random, -3.0, 3.0))
                                : random_narrow_rotation(random_rotation(random));
    o.pose[0].position.y = -1.0f;
    const double reach = reach_down(small.box.half_extents, o.pose[1].rotation), room = 0.3 * (double)across;
    const double gap = size * random_scale(random, 1e-3, 0.1);
    o.pose[1].position =
        abut_vec3_make((float)random_between(random, -room, room), (float)(reach + (apart ? gap : -gap)),
                       (float)random_between(random, -room, room));
    o.gap = (double)o.pose[1].position.y - reach;
    o.size = size;
    return o;
}

static void what_a_small_shape_does_does_not_depend_on_how_large_the_other_is(void **state)
{
    (void)state;
    static const uint32_t place[2] = { 0, 1 };
    const random_seeds seeds = random_seeds_of(40000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const over_a_floor o = random_over_a_floor(&random, seed & 1u);
        const uint32_t *a = &place[seed >> 1 & 1u], *b = &place[1u - (seed >> 1 & 1u)];
        const abut_pair_list list = { o.shape, o.pose, 2, 1, a, b, own_kind, OWN_KINDS };
        bool overlapping;
        float distance;
        abut_manifold m;
        assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_OK);
        assert_int_equal(abut_distance_many(&list, &distance), ABUT_OK);
        assert_int_equal(abut_collide_many(&list, (float)(0.3 * o.size), &m), ABUT_OK);
        assert_true(overlapping == !(seed & 1u));
        near(seed, "distance", (double)distance, fmax(o.gap, 0.0), 2e-6 * o.size);
        near(seed, "separation", (double)m.separation, o.gap, 2e-6 * o.size);
        near(seed, "number of points", m.point_count, o.flat ? 4 : m.point_count, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_referees),
        cmocka_unit_test(faces_are_as_far_apart_over_an_edge_as_beside_it),
        cmocka_unit_test(points_of_balls_that_touch_are_on_their_surfaces),
        cmocka_unit_test(rods_that_cross_are_as_far_apart_as_one_is_above_the_other),
        cmocka_unit_test(what_a_small_shape_does_does_not_depend_on_how_large_the_other_is),
        cmocka_unit_test(nothing_is_measured_of_what_is_not_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
