// Convex hulls as shapes: questions about one, rays, times of impact, a world with them, its image and its hash.
#include "hull_clouds.h"
#include "referee_polytope.h"
#include "small_world.h"

#include "shape/shape_table.h"

#include <stdio.h>

static abut_geometry *ball_hull(random_source *random, double size, uint32_t count)
{
    abut_vec3 points[64];
    abut_geometry *hull = NULL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const dvec3 there = random_direction(random);
        points[i] = random_narrow(dvec3_scale(there, size * random_between(random, 0.3, 1.0)));
    }
    points[0] = abut_vec3_make((float)size, 0, 0);
    points[1] = abut_vec3_make(0, (float)-size, 0);
    points[2] = abut_vec3_make(0, 0, (float)size);
    points[3] = abut_vec3_make((float)-size, (float)size, (float)-size);
    assert_int_equal(abut_geometry_create_hull(points, count, 24, NULL, &hull), ABUT_OK);
    return hull;
}

static abut_pose some_pose(random_source *random, double spread)
{
    return (abut_pose){ .position = random_narrow(random_in_box(random, spread)),
                        .rotation = random_narrow_rotation(random_rotation(random)) };
}

static void questions_about_one_hull_are_the_referees(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-2, 1e2), exact = 4e-6 * size;
        abut_geometry *hull = ball_hull(&random, size, 4 + random_below(&random, 40));
        const abut_shape shape = abut_shape_hull(hull);
        const abut_pose pose = some_pose(&random, size);
        const polytope p = polytope_of(&shape, &pose);
        const dvec3 at = dvec3_add(polytope_wide(pose.position), random_in_box(&random, 2.0 * size));
        const abut_vec3 point = random_narrow(at), towards = random_narrow(random_direction(&random));
        const double away = polytope_to_point(&p, polytope_wide(point));
        bool inside;
        abut_vec3 closest, support;
        float reach;
        abut_aabb box;
        abut_placed_shape ball;
        assert_true(abut_shape_valid(&shape));
        assert_int_equal(abut_shape_contains(&shape, &pose, point, &inside), ABUT_OK);
        assert_true(inside ? away <= exact : away > 0.0);
        assert_int_equal(abut_shape_closest_point(&shape, &pose, point, &closest), ABUT_OK);
        const dvec3 way = dvec3_sub(polytope_wide(closest), polytope_wide(point));
        if (fabs(dvec3_length(way) - away) > exact || polytope_to_point(&p, polytope_wide(closest)) > exact)
        {
            fail_msg("%u: closest %g, right %g; size %g", (uint32_t)seed, dvec3_length(way), away, size);
        }
        assert_int_equal(abut_shape_support(&shape, &pose, towards, &support), ABUT_OK);
        const double most = polytope_reach(&p, polytope_wide(pose.position), polytope_wide(towards));
        const double there =
            dvec3_dot(dvec3_sub(polytope_wide(support), polytope_wide(pose.position)), polytope_wide(towards));
        assert_true(fabs(there - most) <= exact);
        assert_int_equal(abut_shape_projection_radius(&shape, &pose, towards, &reach), ABUT_OK);
        assert_true(fabs((double)reach - most) <= exact);
        assert_int_equal(abut_shape_bounds(&shape, &pose, &box), ABUT_OK);
        assert_int_equal(abut_shape_bounding_sphere(&shape, &pose, &ball), ABUT_OK);
        for (int k = 0; k < 3; ++k)
        {
            const dvec3 axis = dvec3_make(k == 0, k == 1, k == 2), zero = { 0, 0, 0 };
            const double high = polytope_reach(&p, zero, axis),
                         below = -polytope_reach(&p, zero, dvec3_scale(axis, -1.0));
            const float max = k == 0 ? box.max.x : k == 1 ? box.max.y : box.max.z;
            const float min = k == 0 ? box.min.x : k == 1 ? box.min.y : box.min.z;
            assert_true((double)max >= high - 1e-9 * size && (double)max <= high + exact);
            assert_true((double)min <= below + 1e-9 * size && (double)min >= below - exact);
        }
        assert_true((double)ball.shape.sphere.radius >= (p.reach - p.radius) * (1.0 - 1e-12));
        assert_true((double)abut_shape_bounding_radius(&shape) <= p.reach * (1.0 + 1e-6));
        abut_geometry_release(hull);
    }
}

static void rays_hit_where_their_segment_meets_the_hull(void **state)
{
    (void)state;
    uint32_t hits = 0;
    const random_seeds seeds = random_seeds_of(10000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-2, 1e2), band = 4e-6 * size;
        abut_geometry *hull = ball_hull(&random, size, 4 + random_below(&random, 30));
        const abut_shape shape = abut_shape_hull(hull);
        const abut_pose pose = some_pose(&random, size);
        const polytope p = polytope_of(&shape, &pose);
        const dvec3 from = dvec3_add(polytope_wide(pose.position), random_in_box(&random, 3.0 * size));
        const dvec3 aim = dvec3_add(polytope_wide(pose.position), random_in_box(&random, 0.8 * size));
        const double length = random_between(&random, 0.3, 2.0);
        const abut_ray ray = { random_narrow(from), random_narrow(dvec3_scale(dvec3_sub(aim, from), length)) };
        polytope segment = { .vertices = 2, .edges = 1, .edge = { { 0, 1 } } };
        segment.vertex[0] = polytope_wide(ray.origin);
        segment.vertex[1] = dvec3_add(segment.vertex[0], polytope_wide(ray.translation));
        const double separation = polytope_separation(&segment, &p);
        const bool inside = polytope_to_point(&p, segment.vertex[0]) == 0.0;
        abut_ray_hit hit, back;
        assert_int_equal(abut_ray_shape(&ray, &shape, &pose, 0, &hit), ABUT_OK);
        if (fabs(separation) > band && hit.hit != (separation < 0.0))
        {
            fail_msg("%u: hit %d, separation %g, size %g", (uint32_t)seed, hit.hit, separation, size);
        }
        if (hit.hit && !inside)
        {
            ++hits;
            const dvec3 at = dvec3_along(segment.vertex[0], (double)hit.fraction, polytope_wide(ray.translation));
            const dvec3 normal = polytope_wide(hit.normal);
            const double off = polytope_to_point(&p, at);
            double height = polytope_reach(&p, at, normal); // of the hull over a plane through the hit
            if (off > 3.0 * band || fabs(height) > 3.0 * band ||
                dvec3_dot(normal, polytope_wide(ray.translation)) > 0.0)
            {
                fail_msg("%u: hit %g off the hull, %g under its normal; size %g", (uint32_t)seed, off, height, size);
            }
        }
        assert_int_equal(abut_ray_shape(&ray, &shape, &pose, ABUT_QUERY_HOLLOW, &back), ABUT_OK);
        assert_true(!back.hit || hit.hit);
        abut_geometry_release(hull);
    }
    assert_true(!random_seeds_all() || hits > 4000);
}

static void a_hull_stops_where_it_touches(void **state)
{
    (void)state;
    uint32_t hits = 0;
    const random_seeds seeds = random_seeds_of(1000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *hull[2] = { ball_hull(&random, 1.0, 20),
                                   ball_hull(&random, random_scale(&random, 0.1, 10.0), 20) };
        abut_moving_shape m[2];
        for (int i = 0; i < 2; ++i)
        {
            m[i] = (abut_moving_shape){ .shape = abut_shape_hull(hull[i]), .pose = some_pose(&random, 0.1) };
            m[i].velocity.angular = random_narrow(random_in_box(&random, 2.0));
        }
        const dvec3 way = random_direction(&random);
        m[1].pose.position = random_narrow(dvec3_scale(way, 20.0));
        m[1].velocity.linear = random_narrow(dvec3_along(random_in_box(&random, 1.0), -20.0, way));
        abut_impact impact;
        assert_int_equal(abut_time_of_impact(&m[0], &m[1], 2.0f, 0.0f, &impact), ABUT_OK);
        if (impact.hit)
        {
            ++hits;
            polytope p[2];
            for (int i = 0; i < 2; ++i)
            {
                abut_pose at = m[i].pose;
                const double t = (double)impact.time;
                const dvec3 spin = polytope_wide(m[i].velocity.angular);
                const double rate = dvec3_length(spin);
                const dquat own = { (double)at.rotation.w, (double)at.rotation.x, (double)at.rotation.y,
                                    (double)at.rotation.z };
                at.rotation =
                    random_narrow_rotation(dquat_mul(dquat_turn(dvec3_scale(spin, 1.0 / rate), rate * t), own));
                at.position =
                    random_narrow(dvec3_along(polytope_wide(at.position), t, polytope_wide(m[i].velocity.linear)));
                p[i] = polytope_of(&m[i].shape, &at);
            }
            const double separation = polytope_separation(&p[0], &p[1]);
            if (fabs(separation) > 1e-4)
            {
                fail_msg("%u: %g apart at the impact", (uint32_t)seed, separation);
            }
        }
        abut_geometry_release(hull[0]);
        abut_geometry_release(hull[1]);
    }
    assert_true(!random_seeds_all() || hits > 300);
}

static void hulls_live_in_worlds_of_three_dimensions(void **state)
{
    (void)state;
    random_source random = random_start(5);
    abut_geometry *hull = ball_hull(&random, 1.0, 30), *other = ball_hull(&random, 1.0, 30);
    abut_world *flat = open_world(&(abut_world_def){ .dimension = 2 }), *world = open_world(NULL);
    const abut_body_def def = { .collider.shape = abut_shape_hull(hull) };
    abut_body body;
    assert_int_equal(abut_body_create(flat, &def, &body), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_create(world, &(abut_body_def){ .collider.shape = abut_shape_hull(NULL) }, &body),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    add(world, abut_shape_obb(5, 1, 5), 0, -1.5f, 0, ABUT_STATIC);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(contacts.count, 1);
    uint64_t hash[3];
    for (int i = 0; i < 3; ++i)
    {
        const abut_shape shape = abut_shape_hull(i == 1 ? other : hull);
        assert_int_equal(abut_collider_set_shape(world, first_collider(world, body), &shape), ABUT_OK);
        hash[i] = abut_world_state_hash(world);
    }
    assert_true(hash[0] != hash[1] && hash[0] == hash[2]);
    abut_geometry_release(hull); // the collider holds it
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    abut_world_destroy(world);
    abut_world_destroy(flat);
    abut_geometry_release(other);
}

static void a_hull_is_drawn_by_its_edges(void **state)
{
    (void)state;
    random_source random = random_start(9);
    abut_geometry *hull = ball_hull(&random, 1.0, 30);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_hull(hull), 3, 2, 1, ABUT_DYNAMIC);
    const abut_pose pose = { .position = { 3, 2, 1 }, .rotation = { .w = 1 } };
    const abut_shape shape = abut_shape_hull(hull);
    const polytope p = polytope_of(&shape, &pose);
    abut_line lines[POLYTOPE_EDGES];
    uint64_t count;
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES };
    assert_int_equal(abut_world_draw(world, &def, lines, POLYTOPE_EDGES, &count), ABUT_OK);
    assert_int_equal(count, p.edges);
    for (uint64_t i = 0; i < count; ++i)
    {
        uint32_t found = 0;
        for (uint32_t e = 0; e < p.edges; ++e)
        {
            const dvec3 from = dvec3_sub(p.vertex[p.edge[e][0]], polytope_wide(lines[i].from)),
                        to = dvec3_sub(p.vertex[p.edge[e][1]], polytope_wide(lines[i].to));
            found += dvec3_length(from) < 1e-6 && dvec3_length(to) < 1e-6;
        }
        assert_int_equal(found, 1);
    }
    abut_world_destroy(world);
    abut_geometry_release(hull);
}

// A hull with one corner so far away that its planes, rounded to floats, leave its other corners on either side of
// them.
static abut_geometry *pointed_hull(random_source *random)
{
    abut_vec3 points[9];
    abut_geometry *hull = NULL;
    for (uint32_t i = 0; i < 9; ++i)
    {
        points[i] = random_narrow(random_in_box(random, 4.0));
    }
    points[8] = random_narrow(dvec3_scale(random_direction(random), 1e4));
    assert_int_equal(abut_geometry_create_hull(points, 9, 0, NULL, &hull), ABUT_OK);
    return hull;
}

// Corners are inside or outside by rounding. A row that takes one for inside must not leave what was there before.
static void the_closest_point_to_a_corner_is_that_corner(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *hull = pointed_hull(&random);
        const abut_shape shape = abut_shape_hull(hull);
        const abut_vec3 *corners;
        const uint32_t count = abut_geometry_hull_vertices(hull, &corners);
        for (uint32_t i = 0; i < count; ++i)
        {
            const double corner[3] = { corners[i].x, corners[i].y, corners[i].z };
            double closest[3] = { 1e9, 1e9, 1e9 };
            ab_shape_row_for(ABUT_HULL)->closest(&shape, corner, closest);
            for (int k = 0; k < 3; ++k)
            {
                assert_true(fabs(closest[k] - corner[k]) <= 1e-9);
            }
        }
        abut_geometry_release(hull);
    }
}

static void balls_about_corners_overlap_by_their_radius(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *hull = pointed_hull(&random);
        const abut_shape shape = abut_shape_hull(hull), ball = abut_shape_sphere(0.125f);
        const abut_vec3 *corners;
        const uint32_t count = abut_geometry_hull_vertices(hull, &corners);
        const abut_pose here = abut_pose_identity();
        for (uint32_t i = 0; i < count; ++i)
        {
            abut_pose at = abut_pose_identity();
            abut_manifold m;
            bool touching;
            at.position =
                random_narrow(dvec3_scale(polytope_wide(corners[i]), 2.0)); // another one before, off a corner
            assert_int_equal(abut_collide(&shape, &here, &ball, &at, 2e4f, &m), ABUT_OK);
            at.position = corners[i];
            assert_int_equal(abut_collide(&shape, &here, &ball, &at, 0.0f, &m), ABUT_OK);
            assert_int_equal(m.point_count, 1);
            assert_true(fabs((double)m.separation + 0.125) <= 2e-3); // 2^-22 of the hull's reach
            assert_int_equal(abut_overlap(&shape, &here, &ball, &at, &touching), ABUT_OK);
            assert_true(touching);
        }
        abut_geometry_release(hull);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_about_one_hull_are_the_referees),
        cmocka_unit_test(the_closest_point_to_a_corner_is_that_corner),
        cmocka_unit_test(balls_about_corners_overlap_by_their_radius),
        cmocka_unit_test(rays_hit_where_their_segment_meets_the_hull),
        cmocka_unit_test(a_hull_stops_where_it_touches),
        cmocka_unit_test(a_hull_is_drawn_by_its_edges),
        cmocka_unit_test(hulls_live_in_worlds_of_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
