// A ray against one shape: judged by distances in double precision, for every kind, in space and in the plane; and what
// is promised of starts inside, rays along faces, and input that is not valid.
#include "random_2d.h"
#include "referee_ray.h"
#include "small_world.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum
{
    RAYS = 200000
};

static dvec3 rounded(dvec3 v)
{
    return ray_widen3(random_narrow(v));
}

// A shape of about `size`, flat now and then.
static abut_shape solid_of(random_source *random, abut_shape_kind kind, double size, ray_solid *s)
{
    dvec3 h = { size, size, size };
    if (kind != ABUT_SPHERE)
    {
        h.x *= random_scale(random, 0.01, 1.0);
        h.y *= random_chance(random, 0.05) ? 0.0 : random_scale(random, 0.1, 1.0);
        h.z *= random_chance(random, 0.05) ? 0.0 : random_scale(random, 0.1, 1.0);
    }
    h = rounded(h);
    if (kind == ABUT_CAPSULE)
    {
        *s = (ray_solid){ .kind = kind, .half.x = h.x, .capsule = h.y, .rotation = { 1, 0, 0, 0 } };
        return abut_shape_capsule((float)h.x, (float)h.y);
    }
    *s = (ray_solid){ .kind = kind, .half = h, .rotation = { 1, 0, 0, 0 } };
    const abut_vec3 half = random_narrow(h);
    return kind == ABUT_SPHERE ? abut_shape_sphere(half.x)
           : kind == ABUT_AABB ? abut_shape_aabb(half.x, half.y, half.z)
                               : abut_shape_obb(half.x, half.y, half.z);
}

// A ray that starts anywhere from inside to a million sizes away, and aims at, past or along the shape.
static abut_ray ray_at(random_source *random, const ray_solid *s, bool is_2d)
{
    const double size = ray_size(s) + 1e-30;
    const bool inside = random_chance(random, 0.2);
    const double most = fmin(1e6, 2e7 / size);
    const double away = inside ? random_unit(random) * size : random_scale(random, 0.5, most) * size;
    dvec3 from = dvec3_along(s->centre, away, random_direction(random));
    dvec3 to = dvec3_along(s->centre, random_scale(random, 0.01, 1.6) * size, random_direction(random));
    double length = random_chance(random, 0.2) ? random_unit(random) : random_scale(random, 1.0, 4.0);
    dvec3 way = dvec3_scale(dvec3_sub(to, from), length);
    const uint32_t still = random_below(random, 8); // axes that the ray does not move along
    way.x = still == 0 || still == 3 ? 0.0 : way.x;
    way.y = still == 1 || still == 3 || still == 4 ? 0.0 : way.y;
    way.z = still == 2 || still == 4 ? 0.0 : way.z;
    if (is_2d)
    {
        from.z = way.z = 0.0;
    }
    return (abut_ray){ random_narrow(from), random_narrow(way) };
}

static double band_of(const ray_solid *s, const ray_line *line)
{
    return 1e-6 * ray_size(s) + 1.3e-7 * dvec3_length(line->way) + 1e-30;
}

static uint32_t random_flags(random_source *random)
{
    const uint32_t kind = random_below(random, 4);
    return kind == 0 ? ABUT_QUERY_HOLLOW : kind == 1 ? ABUT_QUERY_SKIP_INSIDE : 0;
}

static void rays_hit_boxes_and_balls_where_distances_say(void **state)
{
    (void)state;
    random_source random = random_start(7);
    uint32_t hits = 0, inside = 0, back = 0;
    for (uint32_t i = 0; i < RAYS; ++i)
    {
        static const abut_shape_kind kinds[] = { ABUT_SPHERE, ABUT_AABB, ABUT_OBB, ABUT_CAPSULE };
        const abut_shape_kind kind = kinds[random_below(&random, COUNT(kinds))];
        ray_solid s;
        const abut_shape shape = solid_of(&random, kind, random_scale(&random, 1e-3, 1e3), &s);
        abut_pose pose = abut_pose_identity();
        const double far = random_chance(&random, 0.3) ? 1e3 : 1.0;
        s.centre = rounded(dvec3_scale(random_in_box(&random, 1.0), far * ray_size(&s)));
        pose.position = random_narrow(s.centre);
        if (kind == ABUT_OBB || kind == ABUT_CAPSULE)
        {
            s.rotation = random_rotation(&random);
            pose.rotation = random_narrow_rotation(s.rotation);
            const abut_quat q = abut_quat_normalise(pose.rotation);
            s.rotation = (dquat){ ray_widen(q.w), ray_widen(q.x), ray_widen(q.y), ray_widen(q.z) };
        }
        const abut_ray ray = ray_at(&random, &s, false);
        const ray_line line = ray_line_of(&ray);
        const uint32_t flags = random_flags(&random);
        abut_ray_hit hit;
        assert_int_equal(abut_ray_shape(&ray, &shape, &pose, flags, &hit), ABUT_OK);
        const char *why = ray_judge(&s, &line, &hit, flags, band_of(&s, &line));
        if (why)
        {
            fail_msg("ray %u against a %s: %s; hit %d at %.9g, flags %u of %u", i, abut_shape_kind_name(kind), why,
                     hit.hit, (double)hit.fraction, hit.flags, flags);
        }
        hits += hit.hit;
        inside += hit.flags == ABUT_HIT_INSIDE;
        back += hit.flags == ABUT_HIT_BACK;
    }
    assert_true(hits > RAYS / 4 && inside > RAYS / 100 && back > RAYS / 200);
}

static void rays_hit_shapes_of_the_plane_where_distances_say(void **state)
{
    (void)state;
    random_source random = random_start(8);
    stock_2d stock;
    stock_2d_open(&stock);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < RAYS / 2; ++i)
    {
        const abut_shape_kind kind = random_kind_2d(&random);
        const abut_shape shape = random_shape_2d(&random, &stock, kind, random_scale(&random, 1e-2, 1e2));
        abut_pose pose = abut_pose_2d((float)random_between(&random, -5, 5), (float)random_between(&random, -5, 5),
                                      (float)random_between(&random, -3, 3));
        ray_solid s = { .kind = kind, .rotation = { 1, 0, 0, 0 } };
        s.centre = ray_widen3(pose.position);
        if (kind == ABUT_POLYGON)
        {
            s.corners = abut_geometry_vertices(shape.polygon, &s.corner);
        }
        else if (kind == ABUT_CAPSULE)
        {
            s.half.x = ray_widen(shape.capsule.radius);
            s.capsule = ray_widen(shape.capsule.half_height);
        }
        else if (kind == ABUT_SPHERE)
        {
            s.half.x = ray_widen(shape.sphere.radius);
        }
        else
        {
            s.half = ray_widen3(shape.box.half_extents);
            s.half.z = 1e3;
        }
        if (kind == ABUT_POLYGON || kind == ABUT_OBB || kind == ABUT_CAPSULE)
        {
            s.rotation = (dquat){ ray_widen(pose.rotation.w), 0.0, 0.0, ray_widen(pose.rotation.z) };
        }
        ray_solid flat = s;
        flat.half.z = 0.0;
        const abut_ray ray = ray_at(&random, &flat, true);
        const ray_line line = ray_line_of(&ray);
        const uint32_t flags = random_flags(&random);
        abut_ray_hit hit;
        assert_int_equal(abut_ray_shape_2d(&ray, &shape, &pose, flags, &hit), ABUT_OK);
        assert_true(hit.normal.z == 0.0f && hit.offset.z == 0.0f);
        const char *why = ray_judge(&s, &line, &hit, flags, band_of(&flat, &line));
        if (why && !(kind != ABUT_POLYGON && flat.half.x * flat.half.y == 0.0 && strstr(why, "normal")))
        {
            fail_msg("ray %u against a %s: %s; hit %d at %.9g, flags %u of %u", i, abut_shape_kind_name(kind), why,
                     hit.hit, (double)hit.fraction, hit.flags, flags);
        }
        hits += hit.hit;
    }
    assert_true(hits > RAYS / 8);
    stock_2d_close(&stock);
}

static const abut_pose identity = { .rotation = { 0, 0, 0, 1 } };

static abut_ray_hit cast(abut_shape shape, abut_ray ray, uint32_t flags)
{
    abut_ray_hit hit;
    memset(&hit, 0xa5, sizeof hit);
    assert_int_equal(abut_ray_shape(&ray, &shape, &identity, flags, &hit), ABUT_OK);
    return hit;
}

// Positive zeros alone, so that bits may be compared.
static void same_vector(abut_vec3 a, float x, float y, float z)
{
    const float v[3] = { x, y, z };
    assert_memory_equal(&a, v, sizeof v);
}

static void a_ray_from_inside_hits_at_zero_or_where_it_leaves_or_not(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_sphere(2.0f), abut_shape_aabb(2, 2, 2), abut_shape_obb(2, 2, 2),
                                  abut_shape_capsule(2.0f, 1.0f) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        const abut_ray out = { { 1, 0, 0 }, { -6, 0, 0 } }, within = { { 1, 0, 0 }, { -1, 0, 0 } };
        abut_ray_hit hit = cast(shapes[i], out, 0);
        assert_true(hit.hit && hit.fraction == 0.0f && hit.flags == ABUT_HIT_INSIDE);
        same_vector(hit.normal, 0, 0, 0);
        same_vector(hit.offset, 0, 0, 0);
        hit = cast(shapes[i], out, ABUT_QUERY_HOLLOW);
        assert_true(hit.hit && hit.fraction == 0.5f && hit.flags == ABUT_HIT_BACK);
        same_vector(hit.normal, -1, 0, 0);
        same_vector(hit.offset, -3, 0, 0);
        assert_false(cast(shapes[i], within, ABUT_QUERY_HOLLOW).hit);
        assert_true(cast(shapes[i], within, 0).hit);
        assert_false(cast(shapes[i], out, ABUT_QUERY_SKIP_INSIDE).hit);
        assert_false(cast(shapes[i], out, ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_HOLLOW).hit);
    }
}

static void a_ray_without_length_is_a_point(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_sphere(1.0f), abut_shape_aabb(1, 1, 1), abut_shape_obb(1, 1, 1),
                                  abut_shape_capsule(1.0f, 0.0f) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        const abut_ray_hit hit = cast(shapes[i], (abut_ray){ { 0, 1, 0 }, { 0, 0, 0 } }, 0); // on the surface
        assert_true(hit.hit && hit.fraction == 0.0f && hit.flags == ABUT_HIT_INSIDE);
        assert_false(cast(shapes[i], (abut_ray){ { 0, 1.0001f, 0 }, { 0, 0, 0 } }, 0).hit);
        assert_false(cast(shapes[i], (abut_ray){ { 0, 0, 0 }, { 0, 0, 0 } }, ABUT_QUERY_HOLLOW).hit);
        assert_true(cast(shapes[i], (abut_ray){ { 0, 1.5f, 0 }, { 0, -FLT_MIN, -0.0f } }, 0).fraction == 1.0f);
    }
}

static void both_ends_of_a_ray_belong_to_it(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_sphere(1.0f), abut_shape_aabb(1, 1, 1), abut_shape_obb(1, 1, 1),
                                  abut_shape_capsule(1.0f, 0.0f) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        const abut_ray_hit hit = cast(shapes[i], (abut_ray){ { 3, 0, 0 }, { -2, 0, 0 } }, 0);
        assert_true(hit.hit && hit.fraction == 1.0f && hit.flags == 0);
        same_vector(hit.normal, 1, 0, 0);
        const float near = nextafterf(-2.0f, 0.0f);
        assert_false(cast(shapes[i], (abut_ray){ { 3, 0, 0 }, { near, 0, 0 } }, 0).hit);
        assert_false(cast(shapes[i], (abut_ray){ { 3, 0, 0 }, { 2, 0, 0 } }, 0).hit);
    }
}

static void a_ray_along_a_face_or_an_edge_hits(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2; ++k)
    {
        const abut_shape box = k ? abut_shape_obb(1, 1, 1) : abut_shape_aabb(1, 1, 1);
        abut_ray_hit hit = cast(box, (abut_ray){ { -4, 1, 0 }, { 6, 0, 0 } }, 0);
        assert_true(hit.hit && hit.fraction == 0.5f);
        same_vector(hit.normal, -1, 0, 0);
        hit = cast(box, (abut_ray){ { -4, 1, -1 }, { 6, 0, -0.0f } }, 0);
        assert_true(hit.hit && hit.fraction == 0.5f);
        same_vector(hit.normal, -1, 0, 0);
        assert_false(cast(box, (abut_ray){ { -4, 1.0000001f, 0 }, { 6, 0, 0 } }, 0).hit);
    }
}

// A ray that begins a hair outside is not past the surface.
static void a_ray_from_just_outside_does_not_slip_in(void **state)
{
    (void)state;
    random_source random = random_start(5);
    const abut_shape shapes[] = { abut_shape_sphere(0.7f), abut_shape_aabb(0.7f, 0.6f, 0.5f),
                                  abut_shape_capsule(0.6f, 0.3f) };
    for (uint32_t i = 0; i < 30000; ++i)
    {
        const abut_shape *shape = &shapes[i % COUNT(shapes)];
        const dvec3 away = random_direction(&random);
        const abut_vec3 far = random_narrow(dvec3_scale(away, 9.0));
        abut_vec3 on;
        assert_int_equal(abut_shape_closest_point(shape, &identity, far, &on), ABUT_OK);
        const abut_ray ray = { on, random_narrow(dvec3_scale(away, -3.0)) };
        assert_true(cast(*shape, ray, 0).hit);
    }
}

// Two boxes side by side with exact faces: no ray passes between.
static void neighbours_leave_no_gap(void **state)
{
    (void)state;
    random_source random = random_start(3);
    const abut_shape box = abut_shape_aabb(0.5f, 0.5f, 0.5f);
    for (uint32_t i = 0; i < 20000; ++i)
    {
        const dvec3 on_seam = { 0.0, random_between(&random, -0.49, 0.49), random_between(&random, -0.49, 0.49) };
        const dvec3 from = rounded(dvec3_make(random_between(&random, -2, 2), 4.0, random_between(&random, -2, 2)));
        const abut_vec3 origin = random_narrow(from);
        const abut_ray ray = { origin, random_narrow(dvec3_scale(dvec3_sub(on_seam, from), 2.0)) };
        bool any = false;
        for (int side = -1; side <= 1; side += 2)
        {
            abut_pose pose = abut_pose_identity();
            abut_ray_hit hit;
            pose.position.x = 0.5f * (float)side;
            assert_int_equal(abut_ray_shape(&ray, &box, &pose, 0, &hit), ABUT_OK);
            any |= hit.hit;
        }
        assert_true(any);
    }
}

static void invalid_input_is_an_error(void **state)
{
    (void)state;
    const abut_shape ball = abut_shape_sphere(1.0f), wrong = abut_shape_sphere(-1.0f), own = { .kind = ABUT_CUSTOM };
    const abut_ray good = { { 0, 0, 5 }, { 0, 0, -9 } };
    const float bad[] = { NAN, INFINITY, -INFINITY, 1.1e8f };
    abut_ray_hit hit = { .fraction = 7.0f };
    for (size_t i = 0; i < COUNT(bad); ++i)
    {
        for (int k = 0; k < 6; ++k)
        {
            float parts[6] = { 0, 0, 5, 0, 0, -9 };
            parts[k] = bad[i];
            abut_ray ray;
            memcpy(&ray, parts, sizeof ray);
            assert_int_equal(abut_ray_shape(&ray, &ball, &identity, 0, &hit), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_ray_shape_2d(&ray, &ball, &identity, 0, &hit), ABUT_INVALID_ARGUMENT);
        }
    }
    assert_int_equal(abut_ray_shape(NULL, &ball, &identity, 0, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape(&good, NULL, &identity, 0, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape(&good, &ball, NULL, 0, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape(&good, &ball, &identity, 0, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape(&good, &wrong, &identity, 0, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape(&good, &own, &identity, 0, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape(&good, &ball, &identity, ABUT_QUERY_SENSORS, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_2d(&good, &ball, &identity, 0, &hit), ABUT_INVALID_ARGUMENT); // leaves the plane
    assert_true(hit.fraction == 7.0f);
    assert_int_equal(abut_ray_shape(&good, &ball, &identity, 0, &hit), ABUT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_hit_boxes_and_balls_where_distances_say),
        cmocka_unit_test(rays_hit_shapes_of_the_plane_where_distances_say),
        cmocka_unit_test(a_ray_from_inside_hits_at_zero_or_where_it_leaves_or_not),
        cmocka_unit_test(a_ray_without_length_is_a_point),
        cmocka_unit_test(both_ends_of_a_ray_belong_to_it),
        cmocka_unit_test(a_ray_along_a_face_or_an_edge_hits),
        cmocka_unit_test(a_ray_from_just_outside_does_not_slip_in),
        cmocka_unit_test(neighbours_leave_no_gap),
        cmocka_unit_test(invalid_input_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
