// Compounds in worlds: which calls refuse them, children, drawing, hashes and images.
#include "compound_twins.h"
#include "mesh_makers.h"
#include "whole_image.h"

#include <abut/collide.h>
#include <abut/draw.h>
#include <abut/query.h>
#include <abut/sweep.h>

#include <math.h>
#include <time.h>

static abut_geometry *dumbbell(float size)
{
    const abut_placed_shape parts[3] = { { abut_shape_sphere(size), { .position = { -1, 0, 0 } } },
                                         { abut_shape_sphere(size), { .position = { 1, 0, 0 } } },
                                         { abut_shape_obb(1, 0.1f, 0.1f), { .rotation = { 0 } } } };
    return compound_of(parts, 3);
}

static void calls_that_answer_with_one_contact_refuse_compounds(void **state)
{
    (void)state;
    abut_geometry *geometry = dumbbell(0.5f);
    const abut_shape shapes[2] = { abut_shape_compound(geometry), abut_shape_sphere(1) };
    const abut_pose poses[2] = { { .rotation = { 0, 0, 0, 1 } }, { .rotation = { 0, 0, 0, 1 } } };
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t a = i == 1, b = i == 0; // with a sphere on either side, and with itself
        const abut_pair_list list = {
            .shapes = shapes, .poses = poses, .shape_count = 2, .pair_count = 1, .a = &a, .b = &b
        };
        const abut_shape *s = &shapes[a], *t = &shapes[b];
        const abut_moving_shape m = { .shape = *s, .pose = poses[0] }, n = { .shape = *t, .pose = poses[0] };
        bool overlapping;
        float far;
        abut_manifold manifold;
        abut_closest closest;
        abut_impact impact;
        assert_int_equal(abut_overlap(s, poses, t, poses, &overlapping), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collide(s, poses, t, poses, 0, &manifold), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_closest_points_2d(s, poses, t, poses, &closest), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_distance_2d(s, poses, t, poses, &far), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collide_many(&list, 0, &manifold), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_overlap_2d(s, poses, t, poses, &overlapping), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collide_2d(s, poses, t, poses, 0, &manifold), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_time_of_impact(&m, &n, 1, 0, &impact), ABUT_INVALID_ARGUMENT);
    }
    abut_geometry_release(geometry);
}

static void worlds_that_cannot_have_compounds_refuse_them(void **state)
{
    (void)state;
    error_note note = { 0 };
    abut_geometry *geometry = dumbbell(0.5f);
    const abut_shape shape = abut_shape_compound(geometry);
    const abut_body_def def = { .collider.shape = shape }, none = { .collider.shape.kind = ABUT_COMPOUND };
    abut_body body;
    abut_world *flat =
        open_world(&(abut_world_def){ .dimension = 2, .on_error = note_error, .on_error_context = &note });
    assert_int_equal(abut_body_create(flat, &def, &body), ABUT_INVALID_ARGUMENT);
    assert_int_equal(note.times, 1);
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &note });
    assert_int_equal(abut_body_create(world, &none, &body), ABUT_INVALID_ARGUMENT);
    assert_int_equal(note.times, 2);
    abut_world_destroy(flat);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
}

static void rays_and_casts_name_the_part(void **state)
{
    (void)state;
    abut_geometry *geometry = dumbbell(0.5f);
    const abut_shape shape = abut_shape_compound(geometry);
    const abut_pose pose = { .position = { 0, 0, 3 }, .rotation = { 0, 0, 0, 1 } };
    abut_world *world = open_world(NULL);
    add(world, shape, 0, 0, 3, ABUT_DYNAMIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (uint32_t part = 0; part < 3; ++part)
    {
        const float x = part == 2 ? 0.0f : part == 0 ? -1.0f : 1.0f;
        const abut_cast cast = { .shape = abut_shape_sphere(0.25f),
                                 .pose = { .position = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 } },
                                 .translation = { 0, 0, 10 } };
        const abut_ray ray = { { x, 0, 0 }, { 0, 0, 10 } };
        abut_ray_hit of_shape;
        abut_hit hit;
        assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
        assert_true(fabsf(hit.fraction - (part == 2 ? 0.265f : 0.225f)) <= 1e-4f);
        assert_int_equal(hit.child, part);
        assert_int_equal(abut_cast_shape(&cast, &shape, &pose, 0, &of_shape), ABUT_OK);
        assert_true(of_shape.hit && of_shape.fraction == hit.fraction);
        assert_int_equal(of_shape.child, part);
        assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &hit), ABUT_OK);
        assert_true(fabsf(hit.fraction - (part == 2 ? 0.29f : 0.25f)) <= 1e-5f);
        assert_int_equal(hit.child, part);
        assert_int_equal(abut_ray_shape(&ray, &shape, &pose, 0, &of_shape), ABUT_OK);
        assert_true(of_shape.hit && of_shape.fraction == hit.fraction);
        assert_int_equal(of_shape.child, part);
    }
    abut_world_destroy(world);
    abut_geometry_release(geometry);
}

static void children_are_split_as_they_are_joined(void **state)
{
    (void)state;
    random_source random = random_start(3);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 3, 3, 3.0, 3.0, 0.0, NULL, NULL);
    abut_geometry *geometry[2] = { dumbbell(0.5f), mesh_made(&m) };
    const abut_shape all[] = { abut_shape_compound(geometry[0]), abut_shape_mesh(geometry[1]), abut_shape_sphere(1) };
    const uint32_t children[] = { 3, abut_geometry_mesh_triangles(geometry[1]), 1 };
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            for (uint32_t child = 0; child < children[i] * children[k]; ++child)
            {
                uint32_t of_a = 9999, of_b = 9999;
                abut_shape_children(&all[i], &all[k], child, &of_a, &of_b);
                assert_true(of_a < children[i] && of_b < children[k]);
                assert_int_equal(of_a * children[k] + of_b, child);
                abut_shape_children(&all[i], &all[k], child, NULL, &of_b);
                abut_shape_children(&all[i], &all[k], child, NULL, NULL);
            }
        }
    }
    uint32_t of_a = 9999, of_b = 9999;
    abut_shape_children(NULL, &all[2], 0, &of_a, &of_b);
    assert_true(of_a == 0 && of_b == 0);
    abut_shape_children(&(abut_shape){ .kind = ABUT_COMPOUND }, NULL, 5, &of_a, &of_b);
    assert_true(of_a == 0 && of_b == 0);
    abut_geometry_release(geometry[0]);
    abut_geometry_release(geometry[1]);
}

static uint64_t lines_of(abut_world *world, abut_line *out, uint64_t room)
{
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES };
    uint64_t count = 0;
    assert_int_equal(abut_world_draw(world, &def, out, room, &count), ABUT_OK);
    return count;
}

// Parts are drawn as colliders of their own are.
static void parts_are_drawn(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        enum
        {
            ROOM = 20000
        };
        twins t;
        abut_body bodies[2];
        static abut_line line[2][ROOM];
        open_twins(&t, seed, NULL);
        const abut_body_def def = some_body(&t, 2.0, true);
        add_compound(&t, &def, 1.0, true, bodies);
        detect(t.world[0]);
        detect(t.world[1]);
        const uint64_t lines = lines_of(t.world[0], NULL, 0);
        assert_true(lines > 0 && lines <= ROOM);
        assert_true(lines_of(t.world[0], line[0], ROOM) == lines && lines_of(t.world[1], line[1], ROOM) == lines);
        for (uint64_t i = 0; i < lines; ++i)
        {
            assert_true(near_vec3(line[0][i].from, line[1][i].from, 1e-5f));
            assert_true(near_vec3(line[0][i].to, line[1][i].to, 1e-5f));
            assert_int_equal(line[0][i].index, line[1][i].index);
        }
        close_twins(&t);
    }
}

static uint64_t hash_over(const abut_placed_shape *parts, uint32_t count)
{
    abut_geometry *geometry = compound_of(parts, count);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_compound(geometry), 0, 0, 0, ABUT_STATIC);
    detect(world);
    const uint64_t hash = abut_world_state_hash(world);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
    return hash;
}

static void hashes_are_of_kinds_sizes_poses_and_hulls(void **state)
{
    (void)state;
    random_source random = random_start(8);
    abut_geometry *hull = random_lump(&random, 1.0), *other = random_lump(&random, 1.0);
    const abut_placed_shape parts[3] = { { abut_shape_hull(hull), { .position = { 0, 1, 0 } } },
                                         { abut_shape_capsule(0.5f, 1), { .rotation = { 1, 0, 0, 1 } } },
                                         { abut_shape_obb(1, 1, 1), { .position = { 2, 0, 0 } } } };
    const uint64_t hash = hash_over(parts, 3);
    assert_true(hash_over(parts, 3) == hash);
    assert_true(hash_over(parts, 2) != hash);
    abut_placed_shape changed[7][3];
    for (uint32_t i = 0; i < COUNT(changed); ++i)
    {
        memcpy(changed[i], parts, sizeof parts);
    }
    changed[0][0].shape = abut_shape_hull(other);
    changed[1][1].shape.capsule.half_height = 1.5f;
    changed[2][1].shape.capsule.radius = 0.25f;
    changed[3][1].pose.rotation.y = 0.125f;
    changed[4][2].pose.position.z = 0.125f;
    changed[5][2].shape.box.half_extents.y = 2;
    changed[6][2] = parts[1]; // the second and the third exchanged
    changed[6][1] = parts[2];
    for (uint32_t i = 0; i < COUNT(changed); ++i)
    {
        assert_true(hash_over(changed[i], 3) != hash);
    }
    abut_geometry_release(hull);
    abut_geometry_release(other);
}

static void images_name_a_compound(void **state)
{
    (void)state;
    abut_geometry *geometry = dumbbell(0.5f), *again = dumbbell(0.5f), *larger = dumbbell(0.75f);
    const abut_geometry *list[3] = { geometry, again, larger };
    const abut_registry registry = { list, 1 }, same = { list + 1, 1 }, wrong = { list + 2, 1 };
    abut_world *world = open_world(NULL), *copy = open_world(NULL);
    add(world, abut_shape_compound(geometry), 0, 0, 0, ABUT_STATIC);
    const abut_body body = add(world, abut_shape_compound(geometry), 0, 0.5f, 0.2f, ABUT_DYNAMIC);
    detect(world);
    assert_true(touching(world) >= 2);
    size_t size;
    void *image = image_restored(world, &registry, body, &size);
    const uint64_t before = abut_world_hash(world);
    expect(world, touching(world), 0, 0); // they began before
    assert_int_equal(abut_world_restore(copy, NULL, image, size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(copy, &wrong, image, size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(copy, &same, image, size), ABUT_OK);
    assert_true(abut_world_hash(copy) == before);
    expect_sound(copy);
    free(image);
    abut_world_destroy(world);
    abut_world_destroy(copy);
    for (uint32_t i = 0; i < 3; ++i)
    {
        abut_geometry_release(list[i]);
    }
}

// The least processor time of some detects of a small compound over a heightfield with so many rows, in seconds.
static double seconds_over(uint32_t rows)
{
    float *heights = calloc((size_t)rows * rows, sizeof *heights);
    assert_non_null(heights);
    const abut_heightfield_def field = {
        .heights = heights, .columns = rows, .rows = rows, .step_x = 1.0f, .step_z = 1.0f
    };
    abut_geometry *ground, *geometry = dumbbell(0.25f);
    assert_int_equal(abut_geometry_create_heightfield(&field, NULL, &ground), ABUT_OK);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
    add(world, abut_shape_compound(geometry), 0, 0.2f, 0, ABUT_DYNAMIC);
    double least = INFINITY;
    for (uint32_t i = 0; i < 20; ++i)
    {
        const clock_t began = clock();
        for (uint32_t k = 0; k < 10; ++k)
        {
            detect(world);
        }
        least = fmin(least, (double)(clock() - began) / CLOCKS_PER_SEC);
    }
    assert_true(touching(world) > 0);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
    abut_geometry_release(ground);
    free(heights);
    return least;
}

// Of what a large surface has, a compound costs what is near it: all of it would be a thousand times as much.
static void a_compound_does_not_cost_by_the_size_of_the_ground(void **state)
{
    (void)state;
    assert_true(seconds_over(513) < 30.0 * fmax(seconds_over(17), 1e-5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_answer_with_one_contact_refuse_compounds),
        cmocka_unit_test(worlds_that_cannot_have_compounds_refuse_them),
        cmocka_unit_test(rays_and_casts_name_the_part),
        cmocka_unit_test(children_are_split_as_they_are_joined),
        cmocka_unit_test(parts_are_drawn),
        cmocka_unit_test(hashes_are_of_kinds_sizes_poses_and_hulls),
        cmocka_unit_test(images_name_a_compound),
        cmocka_unit_test(a_compound_does_not_cost_by_the_size_of_the_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
