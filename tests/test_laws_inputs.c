// Input that abut_collide and abut_overlap reject, their answers for awkward but valid shapes, and small cases worked
// out by hand.
#include "random.h"
#include "referee.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

typedef struct question
{
    abut_shape a, b;
    abut_pose pose_a, pose_b;
    float margin;
} question;

static abut_pose at(float x, float y, float z)
{
    abut_pose pose = abut_pose_identity();
    pose.position = abut_vec3_make(x, y, z);
    return pose;
}

static question good(void)
{
    return (question){
        .a = abut_shape_obb(1, 1, 1), .b = abut_shape_sphere(1), .pose_a = at(0, 0, 0), .pose_b = at(1, 0, 0)
    };
}

static abut_manifold collide(const question *q)
{
    abut_manifold out;
    memset(&out, 0xa5, sizeof out);
    assert_int_equal(abut_collide(&q->a, &q->pose_a, &q->b, &q->pose_b, q->margin, &out), ABUT_OK);
    return out;
}

static bool overlap(const question *q)
{
    bool overlapping;
    assert_int_equal(abut_overlap(&q->a, &q->pose_a, &q->b, &q->pose_b, &overlapping), ABUT_OK);
    return overlapping;
}

// Both calls fail, and leave their output as it was.
static void fails(const question *q, bool margin_only)
{
    abut_manifold out, before;
    memset(&out, 0x5a, sizeof out);
    memcpy(&before, &out, sizeof out);
    assert_int_equal(abut_collide(&q->a, &q->pose_a, &q->b, &q->pose_b, q->margin, &out), ABUT_INVALID_ARGUMENT);
    assert_memory_equal(&out, &before, sizeof out);
    if (!margin_only)
    {
        for (int value = 0; value < 2; ++value)
        {
            bool overlapping = value;
            assert_int_equal(abut_overlap(&q->a, &q->pose_a, &q->b, &q->pose_b, &overlapping), ABUT_INVALID_ARGUMENT);
            assert_int_equal(overlapping, value);
        }
    }
}

static const float not_finite[] = { NAN, -NAN, INFINITY, -INFINITY };

static void null_fails(void **state)
{
    (void)state;
    question q = good();
    abut_manifold out, before;
    memset(&out, 0x5a, sizeof out);
    memcpy(&before, &out, sizeof out);
    bool overlapping = true;
    assert_int_equal(abut_collide(NULL, &q.pose_a, &q.b, &q.pose_b, 0, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(&q.a, NULL, &q.b, &q.pose_b, 0, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(&q.a, &q.pose_a, NULL, &q.pose_b, 0, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(&q.a, &q.pose_a, &q.b, NULL, 0, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(&q.a, &q.pose_a, &q.b, &q.pose_b, 0, NULL), ABUT_INVALID_ARGUMENT);
    assert_memory_equal(&out, &before, sizeof out);
    assert_int_equal(abut_overlap(NULL, &q.pose_a, &q.b, &q.pose_b, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap(&q.a, NULL, &q.b, &q.pose_b, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap(&q.a, &q.pose_a, NULL, &q.pose_b, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap(&q.a, &q.pose_a, &q.b, NULL, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap(&q.a, &q.pose_a, &q.b, &q.pose_b, NULL), ABUT_INVALID_ARGUMENT);
    assert_true(overlapping);
}

static void every_number_of_a_pose_is_checked(void **state)
{
    (void)state;
    for (int k = 0; k < 14; ++k)
    {
        question q = good();
        abut_pose *pose = k < 7 ? &q.pose_a : &q.pose_b;
        float *numbers[] = { &pose->position.x, &pose->position.y, &pose->position.z, &pose->rotation.x,
                             &pose->rotation.y, &pose->rotation.z, &pose->rotation.w };
        for (int bad = 0; bad < 4; ++bad)
        {
            *numbers[k % 7] = not_finite[bad];
            fails(&q, false);
        }
        if (k % 7 < 3)
        {
            *numbers[k % 7] = 1.001f * ABUT_MAX_MAGNITUDE;
            fails(&q, false);
            *numbers[k % 7] = -1.001f * ABUT_MAX_MAGNITUDE;
            fails(&q, false);
            *numbers[k % 7] = -ABUT_MAX_MAGNITUDE;
            (void)collide(&q);
        }
    }
}

static void a_zero_rotation_fails(void **state)
{
    (void)state;
    question q = good();
    q.pose_a.rotation = (abut_quat){ 0, -0.0f, 0, 0 };
    fails(&q, false);
    q = good();
    q.pose_b.rotation = (abut_quat){ 0, 0, 0, 0 };
    fails(&q, false);
}

static void every_number_of_a_shape_is_checked(void **state)
{
    (void)state;
    const float bad[] = { NAN, INFINITY, -INFINITY, -1.0f, -1e-30f, 1.001f * ABUT_MAX_MAGNITUDE };
    for (int kind = ABUT_SPHERE; kind <= ABUT_OBB; ++kind)
    {
        for (int k = 0; k < (kind == ABUT_SPHERE ? 1 : 3); ++k)
        {
            for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n)
            {
                question q = good();
                q.a = kind == ABUT_SPHERE ? abut_shape_sphere(1) : abut_shape_aabb(1, 1, 1);
                q.a.kind = (abut_shape_kind)kind;
                float *numbers[] = { &q.a.box.half_extents.x, &q.a.box.half_extents.y, &q.a.box.half_extents.z };
                *(kind == ABUT_SPHERE ? &q.a.sphere.radius : numbers[k]) = bad[n];
                fails(&q, false);
                question swapped = { q.b, q.a, q.pose_b, q.pose_a, 0 };
                fails(&swapped, false);
            }
        }
    }
}

static void unknown_kinds_fail(void **state)
{
    (void)state;
    const int kinds[] = { ABUT_SHAPE_NONE, ABUT_SHAPE_KIND_COUNT, 1000 };
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; ++n)
    {
        question q = good();
        q.a.kind = (abut_shape_kind)kinds[n];
        fails(&q, false);
        q = good();
        q.b.kind = (abut_shape_kind)kinds[n];
        fails(&q, false);
    }
}

static void bad_margins_fail(void **state)
{
    (void)state;
    const float bad[] = { NAN, INFINITY, -INFINITY, -1e-30f, -1.0f, 1.001f * ABUT_MAX_MAGNITUDE };
    for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n)
    {
        question q = good();
        q.margin = bad[n];
        fails(&q, true);
    }
    question q = good();
    q.margin = ABUT_MAX_MAGNITUDE;
    (void)collide(&q);
}

static void coincident_spheres_part_upwards(void **state)
{
    (void)state;
    question q = { abut_shape_sphere(1), abut_shape_sphere(0.5f), at(3, 4, 5), at(3, 4, 5), 0 };
    for (int point = 0; point < 2; ++point)
    {
        abut_manifold m = collide(&q);
        assert_int_equal(m.point_count, 1);
        assert_true(m.normal.x == 0.0f && m.normal.y == 1.0f && m.normal.z == 0.0f);
        assert_true(m.separation == (point ? 0.0f : -1.5f));
        q.a = q.b = abut_shape_sphere(0);
    }
}

// Shapes are closed: a shared point is enough.
static void shapes_that_just_touch_do_touch(void **state)
{
    (void)state;
    const abut_shape ball = abut_shape_sphere(1), aabb = abut_shape_aabb(1, 1, 1), obb = abut_shape_obb(1, 1, 1);
    const abut_shape shapes[] = { ball, aabb, obb };
    for (int a = 0; a < 3; ++a)
    {
        for (int b = 0; b < 3; ++b)
        {
            question q = { shapes[a], shapes[b], at(0, 0, 0), at(2, 0, 0), 0 };
            assert_true(overlap(&q));
            abut_manifold m = collide(&q);
            assert_true(m.separation == 0.0f && m.point_count > 0 && m.normal.x == 1.0f);
            q.pose_b.position.x = nextafterf(2.0f, 3.0f);
            assert_false(overlap(&q));
            assert_int_equal(collide(&q).point_count, 0);
            q.margin = 0x1p-20f;
            assert_true(collide(&q).point_count > 0);
        }
    }
}

static void points_and_flat_boxes_are_shapes(void **state)
{
    (void)state;
    question q = { abut_shape_aabb(0, 0, 0), abut_shape_obb(0, 0, 0), at(1, 1, 1), at(1, 1, 1), 0 };
    assert_true(overlap(&q));
    assert_true(collide(&q).point_count > 0);
    q.b = abut_shape_obb(2, 0, 2);
    assert_true(overlap(&q));
    q.pose_b.position.y = 1.5f;
    assert_false(overlap(&q));
    q.b = abut_shape_sphere(0.5f);
    assert_true(overlap(&q));
    q.a = abut_shape_obb(5, 0, 5);
    q.b = abut_shape_obb(5, 0, 5);
    q.pose_b.position.y = 1.0f;
    assert_true(overlap(&q));
    assert_int_equal(collide(&q).point_count, 4);
}

static void a_cube_on_a_floor_has_its_four_corners(void **state)
{
    (void)state;
    const abut_shape floors[] = { abut_shape_aabb(10, 1, 10), abut_shape_obb(10, 1, 10) };
    const abut_shape cubes[] = { abut_shape_aabb(0.5f, 0.5f, 0.5f), abut_shape_obb(0.5f, 0.5f, 0.5f) };
    for (int k = 0; k < 4; ++k)
    {
        question q = { floors[k & 1], cubes[k >> 1], at(0, 0, 0), at(3, 1.25f, 4), 0 };
        abut_manifold m = collide(&q);
        assert_int_equal(m.point_count, 4);
        assert_true(m.normal.x == 0.0f && m.normal.y == 1.0f && m.normal.z == 0.0f && m.separation == -0.25f);
        for (int p = 0; p < 4; ++p)
        {
            assert_true(fabsf(m.points[p].offset.x - 3.0f) == 0.5f && fabsf(m.points[p].offset.z - 4.0f) == 0.5f);
            assert_true(m.points[p].offset.y == 0.875f && m.points[p].separation == -0.25f);
        }
    }
}

static void an_aabb_ignores_its_rotation(void **state)
{
    (void)state;
    question q = { abut_shape_aabb(2, 1, 1), abut_shape_aabb(1, 1, 1), at(0, 0, 0), at(0, 2.5f, 0), 0 };
    q.pose_a.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 1.5707963f);
    assert_false(overlap(&q));
    q.a.kind = ABUT_OBB;
    assert_true(overlap(&q));
}

// A box lying on a larger one, whose face looks along one of the world's axes: where, and how.
typedef struct flat_rest
{
    abut_shape large, small;
    abut_pose pose_large, pose_small;
    float half_u, half_v;  // of the small one, in its own face
    double yaw;            // of the small one
    int up, across, aside; // axes: the normal, and the two of the faces in the order of the small one's half extents
} flat_rest;

static float *part(abut_vec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static abut_pose turned_about(int axis, double yaw)
{
    abut_pose pose = abut_pose_identity();
    abut_vec3 along = { 0, 0, 0 };
    *part(&along, axis) = (float)sin(0.5 * yaw);
    pose.rotation = (abut_quat){ along.x, along.y, along.z, (float)cos(0.5 * yaw) };
    return pose;
}

static flat_rest random_flat_rest(random_source *random, bool turns_large, bool turns_small)
{
    flat_rest r = { .up = (int)random_below(random, 3) };
    r.across = (r.up + 1) % 3;
    r.aside = (r.up + 2) % 3;
    const double small = random_scale(random, 1e-3, 1.0), ratio = random_scale(random, 10.0, 1e6);
    abut_vec3 half_large, half_small;
    *part(&half_large, r.up) = (float)(small * random_scale(random, 1.0, 10.0));
    *part(&half_large, r.across) = (float)(small * ratio);
    *part(&half_large, r.aside) = (float)(small * ratio * random_between(random, 0.5, 1.0));
    *part(&half_small, r.up) = (float)(small * random_between(random, 0.3, 1.0));
    r.half_u = *part(&half_small, r.across) = (float)(small * random_between(random, 0.3, 1.0));
    r.half_v = *part(&half_small, r.aside) = (float)(small * random_between(random, 0.3, 1.0));
    r.large = (abut_shape){ .kind = turns_large ? ABUT_OBB : ABUT_AABB, .box.half_extents = half_large };
    r.small = (abut_shape){ .kind = turns_small ? ABUT_OBB : ABUT_AABB, .box.half_extents = half_small };
    r.yaw = turns_small ? random_between(random, -3.0, 3.0) : 0.0;
    r.pose_large = turned_about(r.up, turns_large ? random_between(random, -3.0, 3.0) : 0.0);
    r.pose_small = turned_about(r.up, r.yaw);

    const double room = 0.3 * small * ratio;
    const float height = *part(&half_large, r.up), above = *part(&half_small, r.up);
    *part(&r.pose_large.position, r.up) = -height;
    *part(&r.pose_small.position, r.up) = above * (float)random_between(random, 0.8, 1.0);
    *part(&r.pose_small.position, r.across) = (float)random_between(random, -room, room);
    *part(&r.pose_small.position, r.aside) = (float)random_between(random, -room, room);
    return r;
}

// Four points, and where floats can still separate them, one at each corner of the small face. `origin` is what offsets
// are from.
static bool has_its_corners(flat_rest *r, const abut_manifold *m, const abut_vec3 *origin)
{
    const double blur = 1e-6 * (double)*part(&r->large.box.half_extents, r->across);
    const bool blurred = blur > 0.1 * fmin((double)r->half_u, (double)r->half_v);
    uint32_t found = 0;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        abut_vec3 at = abut_vec3_sub(abut_vec3_add(m->points[k].offset, *origin), r->pose_small.position);
        const double x = (double)*part(&at, r->across), y = (double)*part(&at, r->aside);
        const double u = cos(r->yaw) * x + sin(r->yaw) * y, v = cos(r->yaw) * y - sin(r->yaw) * x;
        const bool near = fabs(fabs(u) - (double)r->half_u) <= blur && fabs(fabs(v) - (double)r->half_v) <= blur;
        found |= near ? 1u << ((u > 0.0) + 2 * (v > 0.0)) : 0u;
    }
    return m->point_count == 4 && (blurred || found == 15u);
}

static void a_small_box_flat_on_a_large_one_keeps_four_points(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(40000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        flat_rest r = random_flat_rest(&random, seed & 1u, seed & 2u);
        abut_manifold below, above;
        assert_int_equal(abut_collide(&r.large, &r.pose_large, &r.small, &r.pose_small, 0.0f, &below), ABUT_OK);
        assert_int_equal(abut_collide(&r.small, &r.pose_small, &r.large, &r.pose_large, 0.0f, &above), ABUT_OK);
        if (!has_its_corners(&r, &below, &r.pose_large.position) ||
            !has_its_corners(&r, &above, &r.pose_small.position))
        {
            fail_msg("seed %llu: %u points and %u, half %g %g on %g", (unsigned long long)seed, below.point_count,
                     above.point_count, (double)r.half_u, (double)r.half_v,
                     (double)*part(&r.large.box.half_extents, r.across));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_fails),
        cmocka_unit_test(every_number_of_a_pose_is_checked),
        cmocka_unit_test(a_zero_rotation_fails),
        cmocka_unit_test(every_number_of_a_shape_is_checked),
        cmocka_unit_test(unknown_kinds_fail),
        cmocka_unit_test(bad_margins_fail),
        cmocka_unit_test(coincident_spheres_part_upwards),
        cmocka_unit_test(shapes_that_just_touch_do_touch),
        cmocka_unit_test(points_and_flat_boxes_are_shapes),
        cmocka_unit_test(a_cube_on_a_floor_has_its_four_corners),
        cmocka_unit_test(an_aabb_ignores_its_rotation),
        cmocka_unit_test(a_small_box_flat_on_a_large_one_keeps_four_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
