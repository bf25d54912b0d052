// The scenes are as documented: the same bits everywhere, as crowded as stated, moving as described.
#include "crowding.h"
#include "scene_shapes.h"
#include "scenes.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t feed(uint64_t hash, const void *word)
{
    uint32_t value;
    memcpy(&value, word, sizeof value);
    for (int byte = 0; byte < 4; ++byte)
    {
        hash = (hash ^ (value >> (8 * byte) & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t feed_pose(uint64_t hash, const abut_pose *pose)
{
    const float words[7] = { pose->position.x, pose->position.y, pose->position.z, pose->rotation.x,
                             pose->rotation.y, pose->rotation.z, pose->rotation.w };
    for (int i = 0; i < 7; ++i)
    {
        hash = feed(hash, &words[i]);
    }
    return hash;
}

static uint64_t feed_triangles(uint64_t hash, const abut_geometry *mesh)
{
    const uint32_t count = abut_geometry_mesh_triangles(mesh);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_vec3 corner[3];
        assert_true(abut_geometry_mesh_triangle(mesh, i, corner));
        for (int k = 0; k < 3; ++k)
        {
            hash = feed(feed(feed(hash, &corner[k].x), &corner[k].y), &corner[k].z);
        }
    }
    return hash;
}

static uint64_t feed_hull(uint64_t hash, const abut_geometry *hull)
{
    const abut_vec3 *vertices;
    const uint32_t count = abut_geometry_hull_vertices(hull, &vertices);
    for (uint32_t i = 0; i < count; ++i)
    {
        hash = feed(feed(feed(hash, &vertices[i].x), &vertices[i].y), &vertices[i].z);
    }
    return hash;
}

static uint64_t hash_of_bodies(const bench_scene *scene)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        const abut_shape *shape = &scene->defs[i].collider.shape;
        uint32_t words[2] = { (uint32_t)shape->kind, (uint32_t)scene->defs[i].motion };
        float sizes[3] = { 0.0f, 0.0f, 0.0f };
        if (shape->kind == ABUT_MESH)
        {
            hash = feed_triangles(hash, shape->mesh);
        }
        else if (shape->kind == ABUT_HULL)
        {
            hash = feed_hull(hash, shape->hull);
        }
        else if (shape->kind == ABUT_SPHERE)
        {
            sizes[0] = shape->sphere.radius;
        }
        else
        {
            sizes[0] = shape->box.half_extents.x;
            sizes[1] = shape->box.half_extents.y;
            sizes[2] = shape->box.half_extents.z;
        }
        hash = feed(feed(hash, &words[0]), &words[1]);
        hash = feed(feed(feed(hash, &sizes[0]), &sizes[1]), &sizes[2]);
    }
    return hash;
}

static uint64_t hash_of_ten_frames(bench_scene *scene)
{
    uint64_t hash = hash_of_bodies(scene);
    for (uint32_t frame = 0; frame < 10; ++frame)
    {
        for (uint32_t i = 0; i < scene->count; ++i)
        {
            hash = feed_pose(hash, &scene->poses[i]);
        }
        for (uint32_t i = 0; i < scene->renewed_count; ++i)
        {
            hash = feed(hash, &scene->renewed[i]);
        }
        scene_advance(scene);
    }
    return hash;
}

static void scenes_are_the_same_bits_wherever_they_are_made(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        uint64_t hash;
    } golden[] = {
        { "gas", 0x1fd0f83d931029ca },     { "dense", 0xdc7976f9924d7ac8 },   { "pile", 0xb1b74726ab36a912 },
        { "sparse", 0x600474d63a0079b4 },  { "sizes", 0x521c9e6c97f04327 },   { "rain", 0xf811b72c0e3b2923 },
        { "cluster", 0xee4f8bf2208ef970 }, { "rects", 0xb6d50ae2073eb3bc },   { "rects-3d", 0xb6d50ae2073eb3bc },
        { "terrain", 0x2da26496daf8afe4 }, { "heights", 0x2da26496daf8afe4 }, { "ruins", 0x5c4f1d579ded9dcb },
    };
    assert_int_equal(sizeof golden / sizeof golden[0], scene_kinds());
    for (uint32_t i = 0; i < scene_kinds(); ++i)
    {
        bench_scene *scene = scene_open(scene_find(golden[i].name), 1000, 0);
        uint64_t hash = hash_of_ten_frames(scene);
        if (hash != golden[i].hash)
        {
            fail_msg("%s: 0x%016llx", golden[i].name, (unsigned long long)hash);
        }
        scene_close(scene);
    }
}

// Overlapping pairs of tight boxes, of which at least one is not scenery; every pair is looked at.
static double pairs_a_body(const bench_scene *scene)
{
    abut_aabb *box = calloc(scene->count, sizeof *box);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        const abut_pose *pose = &scene->poses[i];
        if (scene->defs[i].collider.shape.kind == ABUT_HULL)
        {
            box[i] = scene_hull_bounds(&scene->defs[i].collider.shape, pose);
            continue;
        }
        abut_vec3 half = crowd_half_extents(&scene->defs[i].collider.shape, pose->rotation);
        box[i].min = abut_vec3_sub(pose->position, half);
        box[i].max = abut_vec3_add(pose->position, half);
    }
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < scene->bodies; ++i)
    {
        for (uint32_t j = i + 1; j < scene->count; ++j)
        {
            pairs += (uint64_t)((box[i].min.x <= box[j].max.x) & (box[j].min.x <= box[i].max.x) &
                                (box[i].min.y <= box[j].max.y) & (box[j].min.y <= box[i].max.y) &
                                (box[i].min.z <= box[j].max.z) & (box[j].min.z <= box[i].max.z));
        }
    }
    free(box);
    return (double)pairs / scene->bodies;
}

// Over seeds, and over frames far enough apart to count as others.
static double mean_pairs_a_body(const char *name, uint32_t bodies, uint64_t seeds)
{
    double sum = 0.0;
    uint32_t samples = 0;
    for (uint64_t seed = 0; seed < seeds; ++seed)
    {
        bench_scene *scene = scene_open(scene_find(name), bodies, seed ? 100 + seed : 0);
        for (uint32_t frame = 0; frame <= 20; ++frame)
        {
            if (frame % 20 == 0)
            {
                sum += pairs_a_body(scene);
                samples += 1;
            }
            scene_advance(scene);
        }
        scene_close(scene);
    }
    return sum / samples;
}

// The cube's and the layer's walls are part of the expectation. 16,000 pairs or more are counted in each case, but in
// `sizes` a few wide bodies have many of them.
static void scenes_are_as_crowded_as_stated(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        double within; // of the stated number, as a share
    } cases[] = { { "gas", 0.03 },   { "dense", 0.03 }, { "sparse", 0.03 }, { "rain", 0.03 },
                  { "sizes", 0.05 }, { "rects", 0.03 }, { "ruins", 0.05 } };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        for (uint32_t bodies = 1000; bodies <= 10000; bodies *= 10)
        {
            double stated = (double)scene_describe(scene_find(cases[i].name)).pairs_a_body;
            double measured = mean_pairs_a_body(cases[i].name, bodies, bodies == 1000 ? 8 : 1);
            if (measured < stated * (1.0 - cases[i].within) || measured > stated * (1.0 + cases[i].within))
            {
                fail_msg("%s %u: %g pairs a body, stated %g", cases[i].name, bodies, measured, stated);
            }
        }
    }
}

// Neighbours by face, edge and corner in a lattice of edge k, and the floor under the lowest layer: 13 a body inside.
// Small motions separate some of them again, so that the stated 12 are left.
static void a_pile_has_the_pairs_of_its_lattice(void **state)
{
    (void)state;
    for (uint32_t k = 10; k <= 20; k += 10)
    {
        double line = k, gaps = k - 1;
        double neighbours = 3 * line * line * gaps + 6 * line * gaps * gaps + 4 * gaps * gaps * gaps + line * line;
        double most = neighbours / (line * line * line);
        bench_scene *scene = scene_open(scene_find("pile"), k * k * k, 0);
        double measured = pairs_a_body(scene);
        assert_true(measured <= most);
        assert_true(measured >= 0.97 * most * (double)scene->pairs_a_body / 13.0);
        scene_close(scene);
    }
}

static void a_cluster_overlaps_all_with_all(void **state)
{
    (void)state;
    for (uint32_t bodies = 1; bodies <= 1000; bodies = bodies * 3 + 7)
    {
        bench_scene *scene = scene_open(scene_find("cluster"), bodies, bodies);
        assert_true(pairs_a_body(scene) == 0.5 * (bodies - 1));
        assert_true(scene->pairs_a_body == 0.5f * (float)(bodies - 1));
        scene_close(scene);
    }
}

static void any_number_of_bodies_makes_a_scene(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < scene_kinds(); ++kind)
    {
        for (uint32_t bodies = 1; bodies <= 150; bodies += bodies < 20 ? 1 : 13)
        {
            bench_scene *scene = scene_open(kind, bodies, 0);
            assert_int_equal(scene->bodies, bodies);
            assert_true(scene->side > 0.0f);
            for (uint32_t i = 0; i < scene->count; ++i)
            {
                assert_true(abut_shape_valid(&scene->defs[i].collider.shape));
                assert_int_equal(scene->defs[i].user_data, i);
            }
            scene_advance(scene);
            scene_close(scene);
        }
    }
}

static bool within(float value, float low, float high)
{
    return value >= low && value <= high;
}

static void centres_stay_in_the_cube_and_rotations_of_unit_length(void **state)
{
    (void)state;
    static const char *const names[] = { "gas", "dense", "sparse", "sizes", "rects", "rects-3d" };
    for (uint32_t n = 0; n < sizeof names / sizeof names[0]; ++n)
    {
        bench_scene *scene = scene_open(scene_find(names[n]), 300, 0);
        for (uint32_t frame = 0; frame < 500; ++frame)
        {
            for (uint32_t i = 0; i < scene->count; ++i)
            {
                abut_vec3 p = scene->poses[i].position;
                abut_quat q = scene->poses[i].rotation;
                float side = scene->side * 1.00001f, slack = scene->side - side;
                assert_true(within(p.x, slack, side) && within(p.y, slack, side) && within(p.z, slack, side));
                assert_true(within(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 0.99999f, 1.00001f));
            }
            scene_advance(scene);
        }
        scene_close(scene);
    }
}

static void moving_bodies_move_as_far_as_stated_and_others_never(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        uint32_t moving;
        float least, most; // metres a frame, but for those reflected at a wall
    } cases[] = { { "gas", 1000, 0.0499f, 0.0501f },   { "dense", 1000, 0.0499f, 0.0501f },
                  { "pile", 1000, 0.0f, 0.0041f },     { "sparse", 50, 0.1999f, 0.2001f },
                  { "sizes", 1000, 0.0499f, 0.0501f }, { "rain", 1000, 0.0999f, 0.1001f },
                  { "cluster", 0, 0.0f, 0.0f },        { "rects", 1000, 0.0499f, 0.0501f },
                  { "ruins", 1000, 0.0f, 0.0041f } };
    for (uint32_t n = 0; n < sizeof cases / sizeof cases[0]; ++n)
    {
        bench_scene *scene = scene_open(scene_find(cases[n].name), 1000, 0);
        assert_int_equal(scene->moving, cases[n].moving);
        scene_advance(scene);
        uint32_t otherwise = 0;
        for (uint32_t i = 0; i < scene->count; ++i)
        {
            float moved = abut_vec3_length(abut_vec3_sub(scene->poses[i].position, scene->defs[i].pose.position));
            bool as_stated = within(moved, cases[n].least, cases[n].most);
            otherwise += i < scene->moving ? !as_stated : moved != 0.0f;
            assert_true(i < scene->moving || scene->defs[i].motion == ABUT_STATIC || scene->moving == 0);
        }
        assert_true(otherwise <= scene->moving / 20 + scene->renewed_count);
        scene_close(scene);
    }
}

static void rain_ends_and_begins_a_twentieth_in_each_frame_at_the_top(void **state)
{
    (void)state;
    bench_scene *scene = scene_open(scene_find("rain"), 1000, 0);
    uint32_t generations[1000] = { 0 };
    for (uint32_t frame = 1; frame <= 40; ++frame)
    {
        scene_advance(scene);
        assert_int_equal(scene->renewed_count, 50);
        for (uint32_t k = 0; k < scene->renewed_count; ++k)
        {
            uint32_t i = scene->renewed[k];
            assert_true(within(scene->poses[i].position.y, 1.8999f, 2.0f));
            assert_memory_equal(&scene->renewed_defs[k], &scene->defs[i], sizeof scene->defs[i]);
            generations[i] += 1;
        }
        for (uint32_t i = 0; i < scene->moving; ++i)
        {
            assert_true(within(scene->poses[i].position.y, -0.0001f, 2.0f));
        }
    }
    for (uint32_t i = 0; i < 1000; ++i)
    {
        assert_int_equal(generations[i], 2);
    }
    scene_close(scene);
}

static void sizes_follow_their_power_law(void **state)
{
    (void)state;
    bench_scene *scene = scene_open(scene_find("sizes"), 30000, 0);
    static const struct
    {
        float size;
        double beyond; // size^-2.5 over 0.1^-2.5
    } law[] = { { 0.1f, 1.0 }, { 0.2f, 0.1767767 }, { 0.4f, 0.03125 }, { 1.0f, 0.003162278 } };
    for (uint32_t n = 0; n < sizeof law / sizeof law[0]; ++n)
    {
        uint32_t spheres = 0, beyond = 0;
        for (uint32_t i = 0; i < scene->count; ++i)
        {
            const abut_shape *shape = &scene->defs[i].collider.shape;
            if (shape->kind == ABUT_SPHERE)
            {
                assert_true(within(shape->sphere.radius, 0.1f, 50.0f));
                spheres += 1;
                beyond += shape->sphere.radius >= law[n].size;
            }
        }
        double expected = law[n].beyond * spheres;
        assert_true((beyond - expected) * (beyond - expected) <= 16.0 * expected);
    }
    scene_close(scene);
}

static void stones_of_ruins_have_8_to_64_vertices_and_many_sizes(void **state)
{
    (void)state;
    bench_scene *scene = scene_open(scene_find("ruins"), 1000, 0);
    uint32_t few = 0, many = 0;
    float least = 1e9f, most = 0.0f;
    for (uint32_t i = 0; i < scene->hull_count; ++i)
    {
        const abut_vec3 *vertices;
        const uint32_t count = abut_geometry_hull_vertices(scene->hulls[i], &vertices);
        const abut_shape shape = abut_shape_hull(scene->hulls[i]);
        const float radius = abut_shape_bounding_radius(&shape);
        assert_in_range(count, 8, 64);
        few += count <= 20;
        many += count >= 40;
        least = radius < least ? radius : least;
        most = radius > most ? radius : most;
    }
    assert_true(few >= scene->hull_count / 10 && many >= scene->hull_count / 10);
    assert_true(most > 2.0f * least);
    for (uint32_t i = 0; i < scene->bodies; ++i)
    {
        const abut_shape *shape = &scene->defs[i].collider.shape;
        assert_int_equal(shape->kind, ABUT_HULL);
        assert_true(scene_hull_bounds(shape, &scene->poses[i]).min.y > -0.05f);
    }
    scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_the_same_bits_wherever_they_are_made),
        cmocka_unit_test(scenes_are_as_crowded_as_stated),
        cmocka_unit_test(a_pile_has_the_pairs_of_its_lattice),
        cmocka_unit_test(a_cluster_overlaps_all_with_all),
        cmocka_unit_test(any_number_of_bodies_makes_a_scene),
        cmocka_unit_test(centres_stay_in_the_cube_and_rotations_of_unit_length),
        cmocka_unit_test(moving_bodies_move_as_far_as_stated_and_others_never),
        cmocka_unit_test(rain_ends_and_begins_a_twentieth_in_each_frame_at_the_top),
        cmocka_unit_test(sizes_follow_their_power_law),
        cmocka_unit_test(stones_of_ruins_have_8_to_64_vertices_and_many_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
