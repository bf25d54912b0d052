// The distance and closest points of two shapes without a world, where one is a mesh, a compound or a chain: against
// plain geometry in double, against convex parts one by one, and against a world of that shape alone. And what is within
// a greatest distance.
#include "plain_geometry.h"
#include "random_compound.h"

#include "mesh_makers.h"
#include "own_kinds.h"

#include <float.h>

enum
{
    SCENES = 60,
    PLACES = 40,
    TRIANGLES = 60
};

static const double band = 4e-6; // of sizes and places, which are some metres

static double between(const abut_closest *closest)
{
    const abut_vec3 by = abut_vec3_sub(closest->on_b, closest->on_a);
    return sqrt((double)by.x * by.x + (double)by.y * by.y + (double)by.z * by.z);
}

static abut_pose random_pose(random_source *random, double reach)
{
    return (abut_pose){ .position = random_narrow(random_in_box(random, reach)),
                        .rotation = random_narrow_rotation(random_rotation(random)) };
}

static dvec3 wide(abut_vec3 v)
{
    return dvec3_make(v.x, v.y, v.z);
}

static dquat turn_of(abut_quat q)
{
    return (dquat){ .w = q.w, .x = q.x, .y = q.y, .z = q.z };
}

static void expect_on(const abut_shape *shape, const abut_pose *pose, abut_vec3 from, abut_vec3 offset, bool is_2d)
{
    const abut_shape dot = abut_shape_sphere(0);
    abut_pose at = abut_pose_identity();
    float distance;
    at.position = abut_vec3_add(from, offset);
    assert_int_equal((is_2d ? abut_distance_2d : abut_distance)(&dot, &at, shape, pose, &distance), ABUT_OK);
    assert_true((double)distance <= band);
}

// Both orders, single and many, alone and among others: the same answer, which is returned.
static abut_closest closest_of(const abut_shape shape[2], const abut_pose pose[2], bool is_2d)
{
    const abut_shape shapes[3] = { shape[0], shape[1], abut_shape_sphere(0.25f) };
    const abut_pose poses[3] = { pose[0], pose[1], abut_pose_2d(0, 0, 0) };
    const uint32_t a[5] = { 2, 0, 0, 2, 1 }, b[5] = { 2, 1, 1, 0, 0 };
    const abut_pair_list list = { .shapes = shapes, .poses = poses, .shape_count = 3, .pair_count = 5, .a = a, .b = b };
    abut_closest one, all[5];
    float distance, distances[5];
    assert_int_equal(
        (is_2d ? abut_closest_points_2d : abut_closest_points)(&shape[0], &pose[0], &shape[1], &pose[1], &one),
        ABUT_OK);
    assert_int_equal((is_2d ? abut_distance_2d : abut_distance)(&shape[0], &pose[0], &shape[1], &pose[1], &distance),
                     ABUT_OK);
    assert_int_equal((is_2d ? abut_closest_points_2d_many : abut_closest_points_many)(&list, all), ABUT_OK);
    assert_int_equal((is_2d ? abut_distance_2d_many : abut_distance_many)(&list, distances), ABUT_OK);
    assert_memory_equal(&all[1], &one, sizeof one);
    assert_memory_equal(&all[2], &one, sizeof one);
    assert_true(all[0].distance == 0.0f && distances[0] == 0.0f); // one with itself
    for (int i = 0; i < 5; ++i)
    {
        assert_true(distances[i] == all[i].distance);
    }
    assert_true(distance == one.distance);
    assert_true(fabs((double)all[4].distance - (double)one.distance) <= band);
    assert_true(fabs(between(&one) - (double)one.distance) <= band);
    assert_true(fabs(between(&all[4]) - (double)one.distance) <= band);
    for (int k = 0; k < 2 && one.distance > 0.0f; ++k)
    {
        expect_on(&shape[k], &pose[k], pose[0].position, k == 0 ? one.on_a : one.on_b, is_2d);
        expect_on(&shape[k], &pose[k], pose[1].position, k == 0 ? all[4].on_b : all[4].on_a, is_2d);
    }
    return one;
}

static abut_near nearest_in(const abut_world_def *def, const abut_shape shape[2], const abut_pose pose[2])
{
    abut_world *world = open_world(def);
    const abut_body_def ground = { .pose = pose[1], .motion = ABUT_STATIC, .collider.shape = shape[1] };
    const abut_placed_shape asker = { shape[0], pose[0] };
    abut_body body;
    abut_near near;
    uint32_t count;
    assert_int_equal(abut_body_create(world, &ground, &body), ABUT_OK);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    assert_int_equal(abut_world_nearest_shape(world, &asker, INFINITY, NULL, &near, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    abut_world_destroy(world);
    return near;
}

static abut_shape convex_of(random_source *random, plain_solid *solid)
{
    const double x = random_between(random, 0.1, 1.0), y = random_between(random, 0.1, 1.0),
                 z = random_between(random, 0.1, 1.0);
    const float u = (float)x, v = (float)y, w = (float)z;
    switch (random_below(random, 3))
    {
    case 0:
        *solid = plain_ball((double)u);
        return abut_shape_sphere(u);
    case 1:
        *solid = plain_capsule((double)u, (double)v);
        return abut_shape_capsule(u, v);
    default:
        *solid = plain_box((double)u, (double)v, (double)w);
        return abut_shape_obb(u, v, w);
    }
}

static double least_of(const plain_solid *solid, const mesh_maker *mesh, const abut_pose *at)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
    {
        plain_triangle t;
        for (int k = 0; k < 3; ++k)
        {
            const dvec3 corner = wide(mesh->vertices[mesh->indices[3 * i + (uint32_t)k]]);
            t.corner[k] = dvec3_add(wide(at->position), dquat_rotate(turn_of(at->rotation), corner));
        }
        const dvec3 normal = dvec3_cross(dvec3_sub(t.corner[1], t.corner[0]), dvec3_sub(t.corner[2], t.corner[0]));
        t.normal = dvec3_scale(normal, 1.0 / dvec3_length(normal));
        least = fmin(least, plain_distance(solid, &t));
    }
    return least;
}

static void the_distance_of_a_mesh_is_that_of_its_nearest_triangle(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    uint32_t apart = 0, overlaps = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker maker = { 0 };
        mesh_soup(&maker, &random, TRIANGLES, 3.0);
        const abut_mesh_def def = mesh_def_of(&maker);
        abut_geometry *geometry = NULL;
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
        for (uint32_t i = 0; i < PLACES; ++i)
        {
            plain_solid local, solid;
            const abut_shape shape[2] = { convex_of(&random, &local), abut_shape_mesh(geometry) };
            const abut_pose pose[2] = { random_pose(&random, i % 2 ? 9.0 : 4.0), random_pose(&random, 2.0) };
            plain_place(&local, turn_of(pose[0].rotation), wide(pose[0].position), &solid);
            const double wanted = least_of(&solid, &maker, &pose[1]);
            const abut_closest one = closest_of(shape, pose, false);
            const abut_near near = nearest_in(NULL, shape, pose);
            assert_true(fabs((double)one.distance - fmax(wanted, 0.0)) <= band);
            assert_true(fabs((double)one.distance - (double)near.distance) <= 3.0 * band); // its axes are of floats
            apart += one.distance > 0.0f;
            overlaps += one.distance == 0.0f;
            if (one.distance == 0.0f)
            {
                const abut_closest none = { 0 };
                assert_memory_equal(&one, &none, sizeof one);
            }
        }
        abut_geometry_release(geometry);
        mesh_maker_close(&maker);
    }
    assert_true(!random_seeds_all() || (apart > 300 && overlaps > 300));
}

enum
{
    GROUNDS = 3
};

// Meshes and a ball, and what is nearest of them.
static abut_world *open_grounds(abut_geometry *const *meshes, random_source *random)
{
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < GROUNDS; ++i)
    {
        const abut_body_def ground = { .pose = random_pose(random, 6.0),
                                       .motion = ABUT_STATIC,
                                       .collider.shape = i < 2 ? abut_shape_mesh(meshes[i]) : abut_shape_sphere(0.5f) };
        abut_body body;
        assert_int_equal(abut_body_create(world, &ground, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_update(world), ABUT_OK);
    return world;
}

// Within a distance there is what there is without one, up to it.
static void expect_within(abut_world *world, const abut_placed_shape *asker, const abut_near *all, float distance)
{
    uint32_t wanted = 0, count;
    while (wanted < GROUNDS && all[wanted].distance <= distance)
    {
        ++wanted;
    }
    for (uint32_t most = 1; most <= GROUNDS; ++most)
    {
        abut_near near[GROUNDS];
        const uint32_t here = wanted < most ? wanted : most;
        assert_int_equal(abut_world_nearest_shape(world, asker, distance, NULL, near, most, &count), ABUT_OK);
        assert_int_equal(count, here);
        assert_memory_equal(near, all, here * sizeof *near);
    }
}

static void a_greatest_distance_leaves_out_what_is_farther(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker maker[2] = { 0 };
        abut_geometry *meshes[2], *hull = random_lump(&random, 0.5);
        for (int k = 0; k < 2; ++k)
        {
            mesh_soup(&maker[k], &random, TRIANGLES, 3.0);
            meshes[k] = mesh_made(&maker[k]);
        }
        abut_world *world = open_grounds(meshes, &random);
        for (uint32_t i = 0; i < PLACES; ++i)
        {
            plain_solid unused;
            const abut_shape shape = i % 4 == 3 ? abut_shape_hull(hull) : convex_of(&random, &unused);
            const abut_placed_shape asker = { shape, random_pose(&random, i % 2 ? 9.0 : 5.0) };
            abut_near all[GROUNDS];
            uint32_t count;
            assert_int_equal(abut_world_nearest_shape(world, &asker, INFINITY, NULL, all, GROUNDS, &count), ABUT_OK);
            assert_int_equal(count, GROUNDS);
            for (uint32_t k = 0; k < GROUNDS; ++k)
            {
                const float d = all[k].distance;
                expect_within(world, &asker, all, d);
                expect_within(world, &asker, all, d > 0.0f ? nextafterf(d, 0.0f) : 0.0f);
                expect_within(world, &asker, all, 1.1f * d + 0.01f);
                expect_within(world, &asker, all, 0.1f * d);
            }
        }
        abut_world_destroy(world);
        for (int k = 0; k < 2; ++k)
        {
            abut_geometry_release(meshes[k]);
        }
        abut_geometry_release(hull);
    }
}

static void count_support(void *context, const void *data, const double direction[3], double out[3])
{
    ++*(uint32_t *)context;
    own_crate_support(NULL, data, direction, out);
}

static double valley(void *context, double x, double z)
{
    (void)context, (void)z;
    return fabs(x);
}

static void triangles_beyond_a_greatest_distance_are_not_measured(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker maker = { 0 };
    mesh_field(&maker, &random, 20, 20, 5.0, 5.0, 0.2, valley, NULL);
    abut_geometry *mesh = mesh_made(&maker);
    uint32_t asked = 0, id, count;
    const abut_kind_def kind = { .context = &asked, .bounds = own_bounds, .support = count_support };
    abut_world *world = open_world(NULL);
    assert_int_equal(abut_world_register_kind(world, &kind, &id), ABUT_OK);
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    abut_placed_shape asker = { own_shape(id - ABUT_FIRST_KIND, 0.3f, 0.3f, 0.3f), abut_pose_identity() };
    asker.pose.position.y = 100.0f;
    abut_near near;
    uint32_t calls[3];
    for (int i = 0; i < 3; ++i) // of which the first meets nothing
    {
        const float distance = i < 2 ? 2.0f : 0.5f * near.distance;
        asked = 0;
        assert_int_equal(abut_world_nearest_shape(world, &asker, distance, NULL, &near, 1, &count), ABUT_OK);
        assert_int_equal(count, i == 1);
        calls[i] = asked;
        asker.pose.position.y = 2.0f;
    }
    assert_true(calls[1] > calls[0] + 100 && calls[2] <= calls[0] + 6); // its own box takes six
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

static abut_pose composed(const abut_pose *outer, const abut_pose *inner)
{
    const dquat turn = turn_of(outer->rotation), own = turn_of(inner->rotation);
    const dvec3 at = dvec3_add(wide(outer->position), dquat_rotate(turn, wide(inner->position)));
    return (abut_pose){ .position = random_narrow(at), .rotation = random_narrow_rotation(dquat_mul(turn, own)) };
}

static void the_distance_of_a_compound_is_that_of_its_nearest_part(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    uint32_t apart = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *hull = random_lump(&random, 0.5), *compound[2];
        abut_placed_shape part[2][COMPOUND_MOST];
        uint32_t parts[2];
        for (int k = 0; k < 2; ++k)
        {
            parts[k] = random_parts(&random, 2.0, true, hull, part[k]);
            compound[k] = compound_of(part[k], parts[k]);
        }
        for (uint32_t i = 0; i < PLACES; ++i)
        {
            plain_solid unused;
            const bool both = i % 4 == 0;
            const abut_shape shape[2] = { both ? abut_shape_compound(compound[1]) : convex_of(&random, &unused),
                                          abut_shape_compound(compound[0]) };
            const abut_pose pose[2] = { random_pose(&random, 5.0), random_pose(&random, 5.0) };
            const abut_closest one = closest_of(shape, pose, false);
            double wanted = HUGE_VAL;
            for (uint32_t j = 0; j < parts[0]; ++j)
            {
                const abut_pose there = composed(&pose[1], &part[0][j].pose);
                for (uint32_t k = 0; k < (both ? parts[1] : 1); ++k)
                {
                    const abut_pose here = both ? composed(&pose[0], &part[1][k].pose) : pose[0];
                    float distance;
                    assert_int_equal(abut_distance(both ? &part[1][k].shape : &shape[0], &here, &part[0][j].shape,
                                                   &there, &distance),
                                     ABUT_OK);
                    wanted = fmin(wanted, (double)distance);
                }
            }
            assert_true(fabs((double)one.distance - wanted) <= band);
            apart += one.distance > 0.0f;
        }
        abut_geometry_release(compound[0]);
        abut_geometry_release(compound[1]);
        abut_geometry_release(hull);
    }
    assert_true(!random_seeds_all() || apart > 500);
}

static void the_distance_of_a_chain_is_what_a_world_says(void **state)
{
    (void)state;
    const abut_world_def flat = { .dimension = 2 };
    const random_seeds seeds = random_seeds_of(SCENES);
    uint32_t apart = 0, overlaps = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_vec2 points[12];
        for (uint32_t i = 0; i < COUNT(points); ++i)
        {
            points[i] = (abut_vec2){ (float)(6.0 - i - random_unit(&random)), (float)random_between(&random, -2, 2) };
        }
        const abut_chain_def def = { .points = points, .point_count = COUNT(points), .two_sided = seed % 2 == 0 };
        abut_geometry *geometry = NULL;
        assert_int_equal(abut_geometry_create_chain(&def, NULL, &geometry), ABUT_OK);
        for (uint32_t i = 0; i < PLACES; ++i)
        {
            const float x = (float)random_between(&random, 0.1, 1.0), y = (float)random_between(&random, 0.1, 1.0);
            const abut_shape asks = i % 3 == 0   ? abut_shape_sphere(x)
                                    : i % 3 == 1 ? abut_shape_capsule(x, y)
                                                 : abut_shape_obb(x, y, 0);
            const abut_shape shape[2] = { asks, abut_shape_chain(geometry) };
            abut_pose pose[2];
            for (int k = 0; k < 2; ++k)
            {
                pose[k] = abut_pose_2d((float)random_between(&random, -6, 6), (float)random_between(&random, -4, 4),
                                       (float)random_between(&random, -3, 3));
            }
            const abut_closest one = closest_of(shape, pose, true);
            const abut_near near = nearest_in(&flat, shape, pose);
            assert_true(fabs((double)one.distance - (double)near.distance) <= 3.0 * band); // its axes are of floats
            apart += one.distance > 0.0f;
            overlaps += one.distance == 0.0f;
        }
        abut_geometry_release(geometry);
    }
    assert_true(!random_seeds_all() || (apart > 300 && overlaps > 300));
}

static void two_surfaces_and_what_is_of_another_dimension_are_refused(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker maker = { 0 };
    mesh_soup(&maker, &random, 4, 1.0);
    abut_geometry *mesh = mesh_made(&maker), *chain = NULL;
    const abut_vec2 points[3] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };
    const abut_chain_def def = { .points = points, .point_count = 3 };
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &chain), ABUT_OK);
    const abut_shape surface = abut_shape_mesh(mesh), line = abut_shape_chain(chain), sphere = abut_shape_sphere(1);
    const abut_pose at = abut_pose_2d(0, 0, 0);
    float distance = -1.0f;
    abut_closest closest = { .distance = -1.0f };
    assert_int_equal(abut_distance(&surface, &at, &surface, &at, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_closest_points(&surface, &at, &surface, &at, &closest), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance_2d(&line, &at, &line, &at, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance_2d(&surface, &at, &sphere, &at, &distance), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance(&line, &at, &sphere, &at, &distance), ABUT_INVALID_ARGUMENT);
    assert_true(distance == -1.0f && closest.distance == -1.0f);
    abut_geometry_release(mesh);
    abut_geometry_release(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_of_a_mesh_is_that_of_its_nearest_triangle),
        cmocka_unit_test(a_greatest_distance_leaves_out_what_is_farther),
        cmocka_unit_test(triangles_beyond_a_greatest_distance_are_not_measured),
        cmocka_unit_test(the_distance_of_a_compound_is_that_of_its_nearest_part),
        cmocka_unit_test(the_distance_of_a_chain_is_what_a_world_says),
        cmocka_unit_test(two_surfaces_and_what_is_of_another_dimension_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
