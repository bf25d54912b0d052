// Worlds with a mesh: nothing fast passes it, results have the same bits everywhere, and questions that are not of its
// surface alone have their answers.
#include "every_isa.h"
#include "mesh_visitors.h"
#include "whole_image.h"

#include <stdio.h>

// Seen from above, a triangle that faces up is hit where it is.
static void expect_over_triangle(abut_world *world, const abut_geometry *mesh, const abut_body_impact *it)
{
    const abut_bodies bodies = abut_world_bodies(world);
    const abut_vec3 start = bodies.poses[it->body.slot].position, v = bodies.velocities[it->body.slot].linear;
    const double time = (double)it->impact.time;
    const double x = (double)start.x + time * (double)v.x + (double)it->impact.offset.x,
                 z = (double)start.z + time * (double)v.z + (double)it->impact.offset.z;
    abut_vec3 corner[3];
    assert_true(abut_geometry_mesh_triangle(mesh, it->child, corner));
    for (int k = 0; k < 3; ++k)
    {
        const abut_vec3 from = corner[k], to = corner[(k + 1) % 3];
        const double along_x = (double)to.x - (double)from.x, along_z = (double)to.z - (double)from.z;
        const double outside = along_x * (z - (double)from.z) - along_z * (x - (double)from.x);
        assert_true(outside <= 1e-3 * hypot(along_x, along_z));
    }
}

// An image has the impacts, with their triangles.
static void expect_restored(abut_world *world, const abut_geometry *mesh)
{
    const abut_registry registry = { &mesh, 1 };
    const abut_impacts before = abut_world_impacts(world);
    size_t size;
    void *image = image_of(world, &registry, &size);
    abut_world *again = open_world(NULL);
    assert_int_equal(abut_world_restore(again, &registry, image, size), ABUT_OK);
    const abut_impacts after = abut_world_impacts(again);
    assert_int_equal(after.count, before.count);
    for (uint32_t i = 0; i < after.count; ++i)
    {
        assert_int_equal(after.data[i].child, before.data[i].child);
        assert_int_equal(after.data[i].other_collider.slot, before.data[i].other_collider.slot);
        assert_true(after.data[i].impact.hit && after.data[i].impact.time == before.data[i].impact.time);
    }
    assert_true(abut_world_hash(again) == abut_world_hash(world));
    abut_world_destroy(again);
    free(image);
}

// Bullets that a step takes through a surface without thickness, which may come to meet them.
static void nothing_fast_passes_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    const float horizon = 1.0f / 60.0f;
    uint64_t bullets = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const uint32_t cells = 1 + random_below(&random, 20);
        mesh_field(&m, &random, cells, cells, 50.0, 50.0, 0.2, NULL, NULL);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        const double rise = random_chance(&random, 0.3) ? random_between(&random, -20.0, 20.0) : 0.0;
        abut_body wall = add(world, abut_shape_mesh(mesh), 0, 0, 0, rise == 0.0 ? ABUT_STATIC : ABUT_KINEMATIC);
        if (rise != 0.0)
        {
            const abut_velocity up = { .linear = { 0, (float)rise, 0 } };
            assert_int_equal(abut_body_set_velocity(world, wall, &up), ABUT_OK);
        }
        double due[20];
        abut_body body[COUNT(due)];
        for (uint32_t i = 0; i < COUNT(due); ++i)
        {
            abut_body_def def = { .pose = some_pose(&random, false), .flags = ABUT_BODY_CCD };
            const double speed = random_between(&random, 100.0, 400.0);
            const dvec3 aside = random_in_box(&random, 40.0);
            def.collider.shape = some_shape(&random, random_below(&random, 3), random_scale(&random, 0.01, 0.5));
            def.collider.filter = (abut_filter){ .category = 1, .mask = 1, .group = -1 };
            const double low = -support_below(&def.collider.shape, &def.pose);
            const double height = random_between(&random, 0.01, 0.9 * (speed + rise) * (double)horizon);
            def.pose.position = abut_vec3_make((float)aside.x, (float)(low + height), (float)aside.z);
            def.velocity.linear = abut_vec3_make((float)aside.y, (float)-speed, 0.0f);
            due[i] = height / (speed + rise);
            assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
        }
        assert_int_equal(abut_world_detect(world, horizon), ABUT_OK);
        const abut_impacts impacts = abut_world_impacts(world);
        assert_int_equal(impacts.count, COUNT(due));
        for (uint32_t i = 0; i < impacts.count; ++i)
        {
            const abut_body_impact *impact = &impacts.data[i];
            assert_int_equal(impact->body.slot, body[i].slot);
            assert_true(fabs((double)impact->impact.time - due[i]) <= 1e-5);
            assert_true(impact->impact.normal.y <= -0.999f);
            expect_over_triangle(world, mesh, impact);
        }
        if (seed % 20 == 0)
        {
            expect_restored(world, mesh);
        }
        bullets += impacts.count;
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    printf("%llu bullets were stopped\n", (unsigned long long)bullets);
}

// Bodies that fall onto a landscape, in worlds that differ in nothing that may change results.
static uint64_t hash_of_landscape(abut_isa isa, abut_broad_kind broad, uint32_t threads, bool audited)
{
    random_source random = random_start(5);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 40, 40, 10.0, 10.0, 0.2, NULL, NULL);
    for (uint32_t i = 0; i < m.vertex_count; ++i)
    {
        m.vertices[i].y = (float)random_between(&random, 0.0, 0.5);
    }
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(&(abut_world_def){ .isa = isa, .broad = broad, .threads = threads });
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < 150; ++i)
    {
        abut_body body;
        abut_body_def def = { .pose = some_pose(&random, false),
                              .collider.shape = some_shape(&random, random_below(&random, 4), 0.5) };
        def.pose.position = random_narrow(random_in_box(&random, 9.0));
        def.pose.position.y = 0.1f * fabsf(def.pose.position.y) + 0.2f;
        def.velocity.linear = abut_vec3_make(0.3f, -0.5f, 0.1f);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    const uint64_t hash = hash_of_results(world, 10, audited);
    assert_true(abut_world_contacts(world, ABUT_AWAKE).count > 150);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
    return hash;
}

static void results_are_the_same_everywhere(void **state)
{
    (void)state;
    const uint64_t hash = hash_of_landscape(ABUT_ISA_SCALAR, ABUT_BROAD_BRUTE, 1, true);
    EVERY_ISA(isa)
    {
        for (abut_broad_kind broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
        {
            assert_true(hash_of_landscape(isa, broad, 1 + (uint32_t)broad % 3, false) == hash);
        }
    }
}

// What a mesh answers to questions that are not of its surface alone.
static void other_queries_of_a_mesh(void **state)
{
    (void)state;
    mesh_maker m = { 0 };
    random_source random = random_start(1);
    mesh_field(&m, &random, 4, 4, 2.0, 2.0, 0.0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    abut_found found;
    abut_near near;
    abut_hit hit;
    uint32_t count;
    // Two half-spaces that a triangle reaches into, each by itself, and both.
    abut_plane planes[2] = { { { 1, 0, 0 }, -1.9f }, { { 0, 2, 0 }, 1.0f } };
    const abut_region region = { .planes = planes, .plane_count = 2 };
    assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    planes[0].offset = -2.1f;
    assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    planes[0] = (abut_plane){ { 0, 0, -1 }, -1.2f };
    planes[1] = (abut_plane){ { 0, 0, 1 }, -1.2f }; // no triangle reaches into both
    assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    // Overlaps and nearest points.
    abut_placed_shape above = { abut_shape_sphere(0.5f), abut_pose_identity() };
    above.pose.position = abut_vec3_make(0.2f, 0.4f, 0.3f);
    assert_int_equal(abut_world_overlap_shape(world, &above, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_world_nearest_shape(world, &above, 1.0f, NULL, &near, 1, &count), ABUT_OK);
    assert_true(count == 1 && near.distance == 0.0f);
    const abut_vec3 point = { 0.2f, 3.0f, 0.3f };
    assert_int_equal(abut_world_nearest(world, &point, 9.0f, NULL, &near, 1, &count), ABUT_OK);
    assert_true(count == 1 && near.distance == 3.0f);
    abut_vec3 corner[3];
    assert_true(abut_geometry_mesh_triangle(mesh, near.child, corner));
    // A cast that begins in it, and one that does not look there.
    const abut_cast cast = { .shape = above.shape, .pose = above.pose, .translation = { 0, -3, 0 } };
    assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
    assert_true(hit.fraction == 0.0f && (hit.flags & ABUT_HIT_INSIDE) != 0);
    const abut_query_filter skip = { .flags = ABUT_QUERY_SKIP_INSIDE };
    assert_int_equal(abut_world_cast_closest(world, &cast, &skip, &hit), ABUT_OK);
    assert_true(hit.fraction == 1.0f);
    // It does not ask itself.
    const abut_placed_shape asker = { abut_shape_mesh(mesh), abut_pose_identity() };
    assert_int_equal(abut_world_overlap_shape(world, &asker, NULL, &found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest_shape(world, &asker, 1.0f, NULL, &near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_set_pair_function(world, ABUT_MESH, ABUT_FIRST_KIND, NULL, NULL),
                     ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

// How far a point is off the surface of a capsule.
static double off_surface(const abut_placed_shape *capsule, abut_vec3 on)
{
    const abut_vec3 axis = abut_quat_rotate(capsule->pose.rotation, abut_vec3_make(0, 1, 0));
    const float half = capsule->shape.capsule.half_height, along = abut_vec3_dot(on, axis);
    const float at = along < -half ? -half : (along > half ? half : along);
    const abut_vec3 out = abut_vec3_sub(on, abut_vec3_scale(axis, at));
    return fabs((double)abut_vec3_length(out) - (double)capsule->shape.capsule.radius);
}

// Turned axes are rounded in a world, which must not show more the farther a mesh is.
static void what_is_nearest_to_a_shape_is_on_it_however_far_a_turned_mesh_is(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(400);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double far = random_scale(&random, 1.0, 1e4);
        mesh_maker m = { 0 };
        mesh_soup(&m, &random, 4, 0.1);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        abut_body_def def = { .motion = ABUT_STATIC, .collider.shape = abut_shape_mesh(mesh) };
        def.pose.position = random_narrow(dvec3_scale(random_direction(&random), far));
        def.pose.rotation = random_narrow_rotation(random_rotation(&random));
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        abut_placed_shape asker = { abut_shape_capsule(0.05f, 0.1f), abut_pose_identity() };
        asker.pose.rotation = random_narrow_rotation(random_rotation(&random));
        abut_near near;
        uint32_t count;
        assert_int_equal(abut_world_nearest_shape(world, &asker, INFINITY, NULL, &near, 1, &count), ABUT_OK);
        assert_int_equal(count, 1);
        float distance;
        assert_int_equal(abut_body_pose(world, body, &def.pose), ABUT_OK);
        assert_int_equal(abut_distance(&asker.shape, &asker.pose, &def.collider.shape, &def.pose, &distance), ABUT_OK);
        assert_true(near.distance > 0.0f && off_surface(&asker, near.on_query) <= 2e-7);
        assert_true(fabs((double)near.distance - (double)distance) <= 2e-7 * (1.0 + far));
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
}

// What a ray hits says by its collider and child what it is of.
static void colliders_know_the_materials_of_their_triangles(void **state)
{
    (void)state;
    const float heights[9] = { 0 };
    const uint16_t materials[4] = { 7, 0, 65535, 3 };
    const abut_heightfield_def field = {
        .heights = heights, .materials = materials, .columns = 3, .rows = 3, .step_x = 1, .step_z = 1
    };
    abut_geometry *geometry;
    assert_int_equal(abut_geometry_create_heightfield(&field, NULL, &geometry), ABUT_OK);
    abut_world *world = open_world(NULL);
    const abut_body ground = add(world, abut_shape_mesh(geometry), 0, 0, 0, ABUT_STATIC);
    const abut_body other = ball(world, 20);
    abut_geometry_release(geometry);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (uint32_t cell = 0; cell < 4; ++cell)
    {
        abut_aabb bounds;
        assert_int_equal(abut_collider_bounds(world, first_collider(world, ground), &bounds), ABUT_OK);
        const abut_ray down = { { bounds.min.x + 0.5f + (float)(cell % 2), 1, bounds.min.z + 0.4f + (float)(cell / 2) },
                                { 0, -2, 0 } };
        abut_hit hit;
        assert_int_equal(abut_world_ray_closest(world, &down, NULL, &hit), ABUT_OK);
        assert_true(hit.fraction < 1.0f);
        assert_int_equal(abut_collider_mesh_material(world, hit.collider, hit.child), materials[cell]);
        assert_int_equal(abut_collider_mesh_material(world, hit.collider, 8), 0);
        assert_int_equal(abut_collider_mesh_material(NULL, hit.collider, hit.child), 0);
    }
    const abut_collider gone = first_collider(world, ground);
    assert_int_equal(abut_collider_mesh_material(world, first_collider(world, other), 0), 0);
    assert_int_equal(abut_body_destroy(world, ground), ABUT_OK);
    assert_int_equal(abut_collider_mesh_material(world, gone, 0), 0);
    abut_world_destroy(world);
}

// Balls that come down on a mesh have contacts before they touch it, and keep them while they are a little above it:
// what begins and ends is the touching.
static void touching_begins_and_ends_while_contacts_stay(void **state)
{
    (void)state;
    enum
    {
        BALLS = 150,
        FRAMES = 12
    };
    random_source random = random_start(11);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 1, 1, 20.0, 20.0, 0.0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(NULL);
    (void)add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    abut_geometry_release(mesh);
    abut_body balls[BALLS];
    bool touched[BALLS] = { false };
    for (uint32_t i = 0; i < BALLS; ++i)
    {
        const float x = (float)(i % 15) - 7.0f, z = (float)(i / 15) - 4.6f;
        balls[i] = add(world, abut_shape_sphere(0.25f), x, 1, z, ABUT_DYNAMIC);
    }
    for (uint32_t frame = 0; frame < FRAMES; ++frame)
    {
        uint32_t begun = 0, ended = 0;
        const abut_bodies bodies = abut_world_bodies(world);
        for (uint32_t i = 0; i < BALLS; ++i)
        {
            const bool touches = random_chance(&random, 0.5);
            bodies.poses[balls[i].slot].position.y = touches ? 0.249f : 0.254f;
            bodies.velocities[balls[i].slot].linear = abut_vec3_make(0, -1, 0);
            begun += touches && !touched[i];
            ended += !touches && touched[i];
            touched[i] = touches;
        }
        assert_int_equal(abut_world_detect(world, 0.01f), ABUT_OK);
        assert_in_range(abut_world_contacts(world, ABUT_AWAKE).count, BALLS, 2 * BALLS); // on the diagonal two
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, begun);
        assert_int_equal(abut_world_events(world, ABUT_END).count, ended);
        expect_sound(world);
    }
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fast_passes_a_mesh),
        cmocka_unit_test(results_are_the_same_everywhere),
        cmocka_unit_test(other_queries_of_a_mesh),
        cmocka_unit_test(what_is_nearest_to_a_shape_is_on_it_however_far_a_turned_mesh_is),
        cmocka_unit_test(touching_begins_and_ends_while_contacts_stay),
        cmocka_unit_test(colliders_know_the_materials_of_their_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
