// Half-spaces: contacts, distances, rays, casts and sweeps against the plane in double precision.
#include "hull_clouds.h"
#include "random_moving.h"
#include "small_world.h"

#include <abut/abut.h>

#include <math.h>

#define SEEDS 4000u

// Beside a pair, so that lengths far from the plane's origin are rounded, too.
typedef struct placed_plane
{
    abut_shape shape;
    abut_pose pose;
    dvec3 origin, up;
} placed_plane;

static dquat wide_rotation(abut_quat q)
{
    const double w = (double)q.w, x = (double)q.x, y = (double)q.y, z = (double)q.z;
    const double by = 1.0 / sqrt(w * w + x * x + y * y + z * z);
    return (dquat){ by * w, by * x, by * y, by * z };
}

static placed_plane plane_at(abut_pose pose)
{
    return (placed_plane){ abut_shape_half_space(), pose, wide(pose.position),
                           dquat_rotate(wide_rotation(pose.rotation), dvec3_make(0.0, 1.0, 0.0)) };
}

static double height_over(const placed_plane *plane, dvec3 point)
{
    return dvec3_dot(dvec3_sub(point, plane->origin), plane->up);
}

static double lowest_of(const placed_plane *plane, const abut_shape *shape, const abut_pose *pose)
{
    const referee_solid solid = referee_solid_of(shape, pose, NULL);
    return height_over(plane, solid.centre) - referee_extent(&solid, dvec3_scale(plane->up, -1.0));
}

static placed_plane random_plane(random_source *random)
{
    abut_pose pose = { .position = random_narrow(random_in_box(random, 3.0)), .rotation = { .w = 1.0f } };
    if (random_chance(random, 0.7))
    {
        pose.rotation = random_narrow_rotation(random_rotation(random));
    }
    return plane_at(pose);
}

// A shape near the plane, up to some sizes beside its origin; standing on it by a face, an edge or at random.
static void random_above(random_source *random, const placed_plane *plane, abut_shape *shape, abut_pose *pose)
{
    *shape = random_shape(random, random_kind(random_below(random, RANDOM_KINDS)), random_scale(random, 0.1, 2.0));
    const dquat own = wide_rotation(plane->pose.rotation);
    const dquat turn = random_chance(random, 0.4)   ? random_rotation(random)
                       : random_chance(random, 0.5) ? dquat_mul(own, random_cube_rotation(random_below(random, 24)))
                                                    : dquat_mul(own, dquat_turn(dvec3_make(0, 0, 1), 0.785398163));
    *pose = (abut_pose){ .position = random_narrow(dvec3_add(plane->origin, random_in_box(random, 5.0))),
                         .rotation = random_narrow_rotation(turn) };
    const double lowest = lowest_of(plane, shape, pose), to = random_sign(random) * random_scale(random, 1e-6, 1.0);
    pose->position = random_narrow(dvec3_along(wide(pose->position), to - lowest, plane->up));
}

static void judge_points(uint64_t seed, const placed_plane *plane, const abut_shape *shape, const abut_pose *pose,
                         const abut_manifold *m, dvec3 from, double band, float margin)
{
    const referee_solid solid = referee_solid_of(shape, pose, NULL);
    double deepest = HUGE_VAL;
    for (uint32_t i = 0; i < m->point_count; ++i)
    {
        const double gap = (double)m->points[i].separation;
        const dvec3 at = dvec3_add(from, wide(m->points[i].offset));
        deepest = fmin(deepest, gap);
        DEMAND_AT(seed, gap <= (double)margin, "a point is past the margin");
        DEMAND_AT(seed, fabs(height_over(plane, at) - 0.5 * gap) <= band, "point %u is not between the surfaces", i);
        DEMAND_AT(seed, referee_point_distance(&solid, dvec3_along(at, 0.5 * gap, plane->up)) <= band,
                  "point %u is not at the shape", i);
        for (uint32_t k = 0; k < i; ++k)
        {
            DEMAND_AT(seed, m->points[k].feature != m->points[i].feature, "two points have one feature");
        }
    }
    DEMAND_AT(seed, fabs(deepest - (double)m->separation) <= band, "the deepest point is at %g, not %g", deepest,
              (double)m->separation);
}

static void contacts_and_distances_are_those_of_the_plane(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    uint32_t points[5] = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed_plane plane = random_plane(&random);
        abut_shape shape;
        abut_pose pose;
        abut_manifold first, second;
        abut_closest closest;
        bool overlap;
        random_above(&random, &plane, &shape, &pose);
        const float margin = random_chance(&random, 0.5) ? 0.0f : 0.1f;
        const double right = lowest_of(&plane, &shape, &pose), band = 2e-6 * (10.0 + size_of(&shape));
        assert_int_equal(abut_collide(&plane.shape, &plane.pose, &shape, &pose, margin, &first), ABUT_OK);
        assert_int_equal(abut_collide(&shape, &pose, &plane.shape, &plane.pose, margin, &second), ABUT_OK);
        assert_int_equal(abut_overlap(&plane.shape, &plane.pose, &shape, &pose, &overlap), ABUT_OK);
        assert_int_equal(abut_closest_points(&shape, &pose, &plane.shape, &plane.pose, &closest), ABUT_OK);
        DEMAND_AT(seed, first.point_count == second.point_count, "the order decides");
        DEMAND_AT(seed, fabs(right) <= band || overlap == (right < 0.0), "overlapping %d at %g", overlap, right);
        DEMAND_AT(seed, fabs((double)closest.distance - fmax(right, 0.0)) <= band, "the distance is %g, not %g",
                  (double)closest.distance, right);
        ++points[first.point_count];
        if (first.point_count == 0)
        {
            DEMAND_AT(seed, right > (double)margin - band, "they touch at %g", right);
            const dvec3 on_shape = dvec3_add(wide(pose.position), wide(closest.on_a)),
                        on_plane = dvec3_add(wide(pose.position), wide(closest.on_b));
            DEMAND_AT(seed,
                      fabs(height_over(&plane, on_plane)) <= band &&
                          fabs(height_over(&plane, on_shape) - right) <= band,
                      "the nearest points are elsewhere");
            continue;
        }
        DEMAND_AT(seed, right < (double)margin + band, "they do not touch at %g", right);
        DEMAND_AT(seed, fabs((double)first.separation - right) <= band, "the separation is %g, not %g",
                  (double)first.separation, right);
        DEMAND_AT(seed, dvec3_length(dvec3_sub(wide(first.normal), plane.up)) <= 1e-6, "the normal is another");
        DEMAND_AT(seed, dvec3_length(dvec3_add(wide(second.normal), plane.up)) <= 1e-6, "the normal is not turned");
        judge_points(seed, &plane, &shape, &pose, &first, plane.origin, band, margin);
        judge_points(seed, &plane, &shape, &pose, &second, wide(pose.position), band, margin);
    }
    assert_true(points[0] > 0 && points[1] > 0 && points[2] > 0 && points[4] > 0);
}

static void a_box_that_stands_has_its_four_corners_wherever_it_is(void **state)
{
    (void)state;
    const abut_shape ground = abut_shape_half_space(), box = abut_shape_obb(0.5f, 0.5f, 0.5f);
    const abut_pose level = abut_pose_identity();
    random_source random = random_start(1);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const double reach = random_scale(&random, 1.0, 1e6), yaw = random_between(&random, -3.0, 3.0);
        const dvec3 at = random_in_box(&random, reach);
        const abut_pose pose = { .position = { (float)at.x, 0.495f, (float)at.z },
                                 .rotation = random_narrow_rotation(dquat_turn(dvec3_make(0, 1, 0), yaw)) };
        abut_manifold m;
        assert_int_equal(abut_collide(&box, &pose, &ground, &level, 0.0f, &m), ABUT_OK);
        assert_int_equal(m.point_count, 4);
        for (uint32_t k = 0; k < 4; ++k)
        {
            near((double)m.points[k].separation, -0.005, 1e-7);
            near(fabs((double)m.points[k].offset.x) + fabs((double)m.points[k].offset.z) > 0.49, 1.0, 0.0);
        }
    }
}

static void hulls_have_the_corners_of_their_lowest_face(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS / 8);
    static abut_vec3 points[HULL_CLOUD_MOST];
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed_plane plane = random_plane(&random);
        abut_geometry *hull = NULL;
        while (!hull)
        {
            const uint32_t count = hull_cloud_of(&random, (hull_cloud)random_below(&random, HULL_FLAT), 1e-4, points);
            (void)!abut_geometry_create_hull(points, count, 0, NULL, &hull);
        }
        const abut_shape shape = abut_shape_hull(hull);
        const abut_vec3 *vertex;
        const uint32_t vertices = abut_geometry_hull_vertices(hull, &vertex);
        const dquat turn = random_rotation(&random);
        abut_pose pose = { .rotation = random_narrow_rotation(turn) };
        double lowest = HUGE_VAL, size = 0.0;
        const dquat rotation = wide_rotation(pose.rotation);
        for (uint32_t i = 0; i < vertices; ++i)
        {
            lowest = fmin(lowest, dvec3_dot(dquat_rotate(rotation, wide(vertex[i])), plane.up));
            size = fmax(size, dvec3_length(wide(vertex[i])));
        }
        const double to = random_sign(&random) * random_scale(&random, 1e-6, 1.0) * size;
        pose.position = random_narrow(dvec3_along(plane.origin, to - lowest, plane.up));
        abut_manifold m;
        const double right = height_over(&plane, wide(pose.position)) + lowest, band = 4e-6 * (10.0 + size);
        assert_int_equal(abut_collide(&plane.shape, &plane.pose, &shape, &pose, 0.0f, &m), ABUT_OK);
        DEMAND_AT(seed, fabs(right) <= band || (m.point_count > 0) == (right < 0.0), "%u points at %g", m.point_count,
                  right);
        double deepest = HUGE_VAL;
        for (uint32_t i = 0; i < m.point_count; ++i)
        {
            deepest = fmin(deepest, (double)m.points[i].separation);
        }
        DEMAND_AT(seed,
                  m.point_count == 0 ||
                      (fabs((double)m.separation - right) <= band && fabs(deepest - right) <= band + 2e-4 * size),
                  "the separation is %g, the deepest point %g, not %g", (double)m.separation, deepest, right);
        abut_geometry_release(hull);
    }
}

static void rays_enter_at_the_plane_and_leave_hollow_ones_there(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed_plane plane = random_plane(&random);
        const abut_ray ray = { random_narrow(random_in_box(&random, 5.0)), random_narrow(random_in_box(&random, 9.0)) };
        const double from = height_over(&plane, wide(ray.origin)),
                     to = height_over(&plane, dvec3_add(wide(ray.origin), wide(ray.translation)));
        abut_ray_hit solid, hollow;
        assert_int_equal(abut_ray_shape(&ray, &plane.shape, &plane.pose, 0, &solid), ABUT_OK);
        assert_int_equal(abut_ray_shape(&ray, &plane.shape, &plane.pose, ABUT_QUERY_HOLLOW, &hollow), ABUT_OK);
        if (fabs(from) < 1e-4 || fabs(to) < 1e-4)
        {
            continue;
        }
        const double at = from / (from - to);
        DEMAND_AT(seed, solid.hit == (from < 0.0 || to < 0.0), "from %g to %g", from, to);
        DEMAND_AT(seed, hollow.hit == ((from < 0.0) != (to < 0.0)), "hollow, from %g to %g", from, to);
        DEMAND_AT(seed, !hollow.hit || fabs((double)hollow.fraction - at) <= 1e-5, "the fraction is %g, not %g",
                  (double)hollow.fraction, at);
        DEMAND_AT(seed, !solid.hit || from < 0.0 || dvec3_length(dvec3_sub(wide(solid.normal), plane.up)) <= 1e-6,
                  "the normal is another");
    }
}

static void what_moves_stops_at_the_plane(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const placed_plane plane = random_plane(&random);
        abut_moving_shape ground = { .shape = plane.shape, .pose = plane.pose },
                          one = { .shape.kind = ABUT_SHAPE_NONE };
        random_above(&random, &plane, &one.shape, &one.pose);
        one.velocity.linear = random_narrow(random_in_box(&random, 20.0));
        ground.velocity.linear = random_narrow(random_in_box(&random, 2.0));
        const double speed = dvec3_dot(dvec3_sub(wide(ground.velocity.linear), wide(one.velocity.linear)), plane.up);
        const double height = lowest_of(&plane, &one.shape, &one.pose), size = size_of(&one.shape),
                     slack = 3e-5 * (10.0 + size);
        const bool spins = random_chance(&random, 0.3);
        if (spins)
        {
            one.velocity.angular = random_narrow(random_in_box(&random, 3.0));
        }
        abut_impact impact;
        assert_int_equal(abut_time_of_impact(&one, &ground, 1.0f, 0.0f, &impact), ABUT_OK);
        if (height < slack)
        {
            continue;
        }
        if (spins)
        {
            const double until = impact.hit ? (double)impact.time : 1.0;
            const referee_solid there = solid_at(&one, until);
            const dvec3 moved = dvec3_along(plane.origin, until, wide(ground.velocity.linear));
            const double apart = dvec3_dot(dvec3_sub(there.centre, moved), plane.up) -
                                 referee_extent(&there, dvec3_scale(plane.up, -1.0));
            DEMAND_AT(seed, impact.hit ? fabs(apart) <= slack : apart > -slack && impact.flags == 0,
                      "a turning shape is %g away where it stops", apart);
            continue;
        }
        hits += impact.hit;
        DEMAND_AT(seed, fabs(height - speed) < slack || impact.hit == (height < speed), "hit %d: %g high, at %g m/s",
                  impact.hit, height, speed);
        DEMAND_AT(seed, !impact.hit || fabs((double)impact.time * speed - height) <= slack, "the time is %g, not %g",
                  (double)impact.time, height / speed);
        DEMAND_AT(seed, !impact.hit || dvec3_length(dvec3_add(wide(impact.normal), plane.up)) <= 1e-6,
                  "the normal is another");
        const abut_cast cast = { .shape = one.shape,
                                 .pose = one.pose,
                                 .translation = abut_vec3_sub(one.velocity.linear, ground.velocity.linear) };
        abut_ray_hit hit;
        assert_int_equal(abut_cast_shape(&cast, &plane.shape, &plane.pose, 0, &hit), ABUT_OK);
        DEMAND_AT(seed, fabs(height - speed) < slack || hit.hit == impact.hit, "the cast says %d", hit.hit);
        DEMAND_AT(seed, !hit.hit || fabs((double)hit.fraction * speed - height) <= slack, "the fraction is %g",
                  (double)hit.fraction);
    }
    assert_true(hits > (seeds.end - seeds.first) / 20);
}

static void half_planes_are_the_same_in_the_plane(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS / 4);
    static const abut_vec2 corners[5] = {
        { 1, 0 }, { 0.3f, 0.9f }, { -0.8f, 0.6f }, { -0.8f, -0.6f }, { 0.3f, -0.9f }
    };
    abut_geometry *polygon;
    assert_int_equal(abut_geometry_create_polygon(corners, 5, NULL, &polygon), ABUT_OK);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const float turn = (float)random_between(&random, -3.1, 3.1);
        const placed_plane plane = plane_at(abut_pose_2d((float)random_between(&random, -2, 2), 1.0f, turn));
        const abut_shape shapes[4] = { abut_shape_sphere(0.7f), abut_shape_obb(0.9f, 0.4f, 0.0f),
                                       abut_shape_capsule(0.3f, 0.6f), abut_shape_polygon(polygon) };
        for (uint32_t k = 0; k < 4; ++k)
        {
            const bool along = random_chance(&random, 0.5);
            abut_pose pose = abut_pose_2d(0, 0, along ? turn + (k >= 2 ? 1.57079633f : 0.0f) : 1.1f * turn);
            const dquat rotation = wide_rotation(pose.rotation);
            double lowest =
                k == 3 ? HUGE_VAL : lowest_of(&plane, &shapes[k], &pose) - height_over(&plane, dvec3_make(0, 0, 0));
            for (uint32_t i = 0; k == 3 && i < 5; ++i)
            {
                const dvec3 corner = dvec3_make((double)corners[i].x, (double)corners[i].y, 0);
                lowest = fmin(lowest, dvec3_dot(dquat_rotate(rotation, corner), plane.up));
            }
            const double to = random_between(&random, -0.4, 0.2);
            pose.position = random_narrow(dvec3_along(plane.origin, to - lowest, plane.up));
            pose.position.z = 0.0f;
            abut_manifold m;
            assert_int_equal(abut_collide_2d(&shapes[k], &pose, &plane.shape, &plane.pose, 0.05f, &m), ABUT_OK);
            const double right = height_over(&plane, wide(pose.position)) + lowest;
            DEMAND_AT(seed, fabs(right - 0.05) <= 1e-5 || (m.point_count > 0) == (right < 0.05), "%u points at %g",
                      m.point_count, right);
            DEMAND_AT(seed, m.point_count == 0 || fabs((double)m.separation - right) <= 1e-5, "shape %u: %g, not %g", k,
                      (double)m.separation, right);
            DEMAND_AT(seed, !along || k == 0 || m.point_count != 1, "shape %u lies flat on one point", k);
            float distance;
            assert_int_equal(abut_distance_2d(&plane.shape, &plane.pose, &shapes[k], &pose, &distance), ABUT_OK);
            DEMAND_AT(seed, fabs((double)distance - fmax(right, 0.0)) <= 1e-5, "shape %u is %g away, not %g", k,
                      (double)distance, right);
        }
    }
    abut_geometry_release(polygon);
}

static void poses_of_planes_have_what_is_below_the_plane(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double length = random_scale(&random, 1e-3, 1e3);
        dvec3 n = random_direction(&random);
        const double by = random_chance(&random, 0.3) ? 0.0 : 1e-9;
        n = random_chance(&random, 0.1) ? dvec3_make(by * n.x, random_sign(&random), by * n.z) : n;
        n.z = random_chance(&random, 0.3) ? 0.0 : n.z;
        const abut_vec3 normal = random_narrow(dvec3_scale(n, length));
        const float distance = (float)random_between(&random, -5.0, 5.0);
        const placed_plane plane = plane_at(abut_pose_of_plane(normal, distance));
        const dvec3 unit = dvec3_normalise(wide(normal));
        DEMAND_AT(seed, dvec3_length(dvec3_sub(plane.up, unit)) <= 3e-7, "up is not the normal");
        DEMAND_AT(seed, n.z != 0.0 || (plane.pose.rotation.x == 0.0f && plane.pose.rotation.y == 0.0f), "not 2D");
        const double right = (double)distance / dvec3_length(wide(normal));
        DEMAND_AT(seed, fabs(dvec3_dot(plane.origin, unit) - right) <= 1e-6 * fabs(right) + 1e-12, "at %g, not %g",
                  dvec3_dot(plane.origin, unit), right);
    }
    const abut_pose none[3] = { abut_pose_of_plane(abut_vec3_make(0, 0, 0), 1),
                                abut_pose_of_plane(abut_vec3_make(NAN, 0, 0), 1),
                                abut_pose_of_plane(abut_vec3_make(0, 1, 0), INFINITY) };
    const abut_pose identity = abut_pose_identity();
    for (uint32_t i = 0; i < 3; ++i)
    {
        assert_memory_equal(&none[i], &identity, sizeof identity);
    }
}

static void half_spaces_ask_nothing_and_meet_no_other(void **state)
{
    (void)state;
    const abut_shape ground = abut_shape_half_space(), sphere = abut_shape_sphere(1);
    const abut_pose pose = abut_pose_identity();
    const abut_moving_shape moving = { .shape = ground, .pose = pose };
    const abut_cast cast = { .shape = ground, .pose = pose, .translation = { 0, 1, 0 } };
    const abut_placed_shape placed = { ground, pose };
    const abut_pair_list list = { .shapes = &ground,
                                  .poses = &pose,
                                  .shape_count = 1,
                                  .a = (uint32_t[1]){ 0 },
                                  .b = (uint32_t[1]){ 0 },
                                  .pair_count = 1 };
    abut_manifold manifold;
    abut_impact impact;
    abut_ray_hit hit;
    bool overlapping;
    float distance;
    uint32_t count;
    abut_found found;
    abut_geometry *compound = NULL;
    abut_world *world = open_world(NULL);
    (void)add(world, sphere, 0, 0, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    assert_true(abut_shape_valid(&ground));
    assert_int_equal(abut_collide(&ground, &pose, &ground, &pose, 0, &manifold), ABUT_UNSUPPORTED);
    assert_int_equal(abut_overlap(&ground, &pose, &ground, &pose, &overlapping), ABUT_UNSUPPORTED);
    assert_int_equal(abut_distance(&ground, &pose, &ground, &pose, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_time_of_impact(&moving, &moving, 1, 0, &impact), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_cast_shape(&cast, &sphere, &pose, 0, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_shape_all(&placed, &sphere, &pose, &count, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape(world, &placed, NULL, &found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_compound(&placed, 1, NULL, &compound), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_and_distances_are_those_of_the_plane),
        cmocka_unit_test(a_box_that_stands_has_its_four_corners_wherever_it_is),
        cmocka_unit_test(hulls_have_the_corners_of_their_lowest_face),
        cmocka_unit_test(rays_enter_at_the_plane_and_leave_hollow_ones_there),
        cmocka_unit_test(what_moves_stops_at_the_plane),
        cmocka_unit_test(half_planes_are_the_same_in_the_plane),
        cmocka_unit_test(poses_of_planes_have_what_is_below_the_plane),
        cmocka_unit_test(half_spaces_ask_nothing_and_meet_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
