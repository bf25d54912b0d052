// Casts that begin in what they hit, or that have come to rest on it: the deepest overlap comes first, the way out and
// along is free where that is asked for, and seams of floors are not in the way.
#include "ray_crowd.h"

#include <stdio.h>

static const abut_pose identity = { .rotation = { 0, 0, 0, 1 } };

// Of what a cast overlaps at its start the deepest comes first, whatever its handle, and before what it only touches.
static void the_deepest_overlap_comes_first(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const float edges[3] = { 0.99f, 0.8f, 0.9f }; // of boxes to the right, below and to the left
    const abut_body right = add(world, abut_shape_aabb(1, 1, 1), 1.0f + edges[0], 0, 0, ABUT_STATIC),
                    below = add(world, abut_shape_aabb(1, 1, 1), 0, -1.0f - edges[1], 0, ABUT_STATIC),
                    left = add(world, abut_shape_aabb(1, 1, 1), -1.0f - edges[2], 0, 0, ABUT_STATIC),
                    behind = add(world, abut_shape_aabb(1, 1, 1), 0, 0, -2.0f, ABUT_STATIC);
    update(world);
    const abut_cast cast = { .shape = abut_shape_sphere(1), .pose = abut_pose_identity(), .translation = { 0, 0, -1 } };
    abut_hit hit, many, all[4];
    uint32_t count;
    assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(world, &cast, 1, NULL, &many), ABUT_OK);
    assert_memory_equal(&hit, &many, sizeof hit);
    assert_true(hit.body.slot == below.slot && fabsf(hit.depth - 0.2f) < 1e-5f && hit.normal.y == 1.0f);
    assert_int_equal(abut_world_cast_all(world, &cast, NULL, all, 4, &count), ABUT_OK);
    assert_int_equal(count, 4);
    assert_true(all[0].body.slot == below.slot && all[1].body.slot == left.slot && all[2].body.slot == right.slot);
    assert_true(all[3].body.slot == behind.slot && all[3].flags == 0 && all[3].fraction == 0.0f);

    abut_placed_shape parts[3] = { { abut_shape_obb(1, 1, 1), identity },
                                   { abut_shape_obb(1, 1, 1), identity },
                                   { abut_shape_obb(1, 1, 1), identity } };
    parts[0].pose.position.x = 1.0f + edges[0];
    parts[1].pose.position.y = -1.0f - edges[1];
    parts[2].pose.position.x = -1.0f - edges[2];
    abut_geometry *compound;
    abut_hit part;
    assert_int_equal(abut_geometry_create_compound(parts, 3, NULL, &compound), ABUT_OK);
    const abut_shape all_parts = abut_shape_compound(compound);
    add(world, all_parts, 0, 10, 0, ABUT_STATIC);
    update(world);
    abut_cast above = cast;
    above.pose.position.y = 10;
    assert_int_equal(abut_world_cast_closest(world, &above, NULL, &part), ABUT_OK);
    assert_true(part.child == 1 && fabsf(part.depth - 0.2f) < 1e-5f && part.normal.y == 1.0f);
    abut_geometry_release(compound);
    abut_world_destroy(world);
}

static const abut_pose lying = { .rotation = { 0.70710678f, 0, 0, 0.70710678f } };

// A box, and a shape that lies in the middle of it; the box is created first or second.
static abut_world *open_crossing(uint32_t order, abut_shape box, abut_shape across)
{
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < 2; ++i)
    {
        const bool is_box = i == order;
        abut_body_def def = { .motion = ABUT_STATIC, .pose = is_box ? identity : lying };
        def.collider.shape = is_box ? box : across;
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    update(world);
    return world;
}

// What a cast hits first, alone, in a batch and among all.
static abut_hit first_hit(const abut_world *world, const abut_cast *cast)
{
    abut_hit hit, many, first;
    uint32_t count;
    assert_int_equal(abut_world_cast_closest(world, cast, NULL, &hit), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(world, cast, 1, NULL, &many), ABUT_OK);
    assert_int_equal(abut_world_cast_all(world, cast, NULL, &first, 1, &count), ABUT_OK);
    assert_memory_equal(&hit, &first, sizeof hit);
    assert_memory_equal(&many, &first, sizeof hit);
    return hit;
}

// Plates that cross in one plane: the way out leads along them, farther than their boxes overlap.
static void what_is_flat_may_be_deeper_than_its_box(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < 2; ++order)
    {
        const abut_shape plate = abut_shape_obb(0, 1, 0.5f);
        const abut_cast cast = { .shape = plate, .pose = identity, .translation = { 1, 0, 0 } };
        abut_world *world = open_crossing(order, abut_shape_obb(0.5f, 3, 3), plate);
        const abut_hit hit = first_hit(world, &cast);
        assert_true(hit.body.slot == 1 - order && fabsf(hit.depth - 1.5f) < 1e-5f && hit.normal.x == 0.0f);
        abut_world_destroy(world);
    }
}

// Segments that cross are flat together: the way out of two such capsules leads across them, as a detect has it.
static void crossing_capsules_part_across(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < 2; ++order)
    {
        const abut_shape capsule = abut_shape_capsule(0.5f, 1);
        const abut_cast cast = { .shape = capsule, .pose = identity, .translation = { 1, 0, 0 } };
        abut_world *world = open_crossing(order, abut_shape_obb(0.1f, 3, 3), capsule);
        const abut_hit hit = first_hit(world, &cast);
        abut_ray_hit alone;
        abut_manifold manifold;
        assert_int_equal(abut_cast_shape(&cast, &capsule, &lying, 0, &alone), ABUT_OK);
        assert_int_equal(abut_collide(&capsule, &identity, &capsule, &lying, 0, &manifold), ABUT_OK);
        assert_int_equal(hit.body.slot, 1 - order); // the capsule is the deeper one
        assert_true(fabsf(hit.depth - 1.0f) < 1e-5f && fabsf(hit.normal.x) > 0.9999f);
        assert_true(alone.depth == hit.depth && fabsf(manifold.separation + hit.depth) < 1e-5f);
        abut_world_destroy(world);
    }
}

// What a ball of a metre that is sunk into it by 0.1 hits on its way: 'i' it begins inside, 'f' it goes free, 'h' a
// wall.
static char way_of(abut_world *world, abut_vec3 way, uint32_t flags)
{
    const abut_query_filter filter = { .flags = flags };
    const abut_cast cast = { .shape = abut_shape_sphere(1),
                             .pose = { .position = { 0, 0.9f, 0 }, .rotation = { 0, 0, 0, 1 } },
                             .translation = way };
    abut_hit hit, many, all;
    uint32_t count;
    assert_int_equal(abut_world_cast_closest(world, &cast, &filter, &hit), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(world, &cast, 1, &filter, &many), ABUT_OK);
    assert_int_equal(abut_world_cast_all(world, &cast, &filter, &all, 1, &count), ABUT_OK);
    assert_memory_equal(&hit, &many, sizeof hit);
    assert_true(count == 0 || memcmp(&hit, &all, sizeof hit) == 0);
    assert_int_equal(count > 0, hit.body.generation != 0);
    return hit.flags & ABUT_HIT_INSIDE ? 'i' : count > 0 ? 'h' : 'f';
}

static void what_is_left_or_slid_along_can_be_left_out(void **state)
{
    (void)state;
    enum
    {
        FLOORS = 4
    };
    static const float heights[21 * 21];
    const abut_heightfield_def def = { .heights = heights, .columns = 21, .rows = 21, .step_x = 1, .step_z = 1 };
    abut_placed_shape parts[2] = { { abut_shape_obb(9, 1, 9), identity }, { abut_shape_obb(1, 1, 1), identity } };
    abut_geometry *field, *compound;
    parts[0].pose.position.y = -1;
    parts[1].pose.position.x = 30;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &field), ABUT_OK);
    assert_int_equal(abut_geometry_create_compound(parts, 2, NULL, &compound), ABUT_OK);
    const abut_shape floors[FLOORS] = { abut_shape_aabb(9, 1, 9), abut_shape_obb(9, 1, 9), abut_shape_mesh(field),
                                        abut_shape_compound(compound) };
    const float tops[FLOORS] = { -1, -1, 0, 0 };
    for (uint32_t i = 0; i < FLOORS; ++i)
    {
        abut_world *world = open_world(NULL);
        add(world, floors[i], 0, tops[i], 0, ABUT_STATIC);
        add(world, abut_shape_aabb(0.5f, 0.5f, 9), 5, 1.5f, 0, ABUT_STATIC);
        update(world);
        const abut_vec3 up = { 0, 3, 0 }, along = { 2, 0, 0 }, far = { 8, 0, 0 }, down = { 1, -0.5f, 0 },
                        none = { 0, 0, 0 };
        const abut_vec3 ways[5] = { up, along, far, down, none };
        for (uint32_t k = 0; k < 5; ++k)
        {
            assert_int_equal(way_of(world, ways[k], 0), 'i');
            assert_int_equal(way_of(world, ways[k], ABUT_QUERY_SKIP_LEAVING), "ffhii"[k]);
            assert_int_equal(way_of(world, ways[k], ABUT_QUERY_SKIP_LEAVING | ABUT_QUERY_SKIP_INSIDE), "ffhff"[k]);
        }
        abut_world_destroy(world);
    }
    abut_geometry_release(field);
    abut_geometry_release(compound);
}

// In a valley, deeper in its left side than in its right one: to the right it leaves the one and not the other.
static void of_a_mesh_only_what_is_approached_counts(void **state)
{
    (void)state;
    float heights[21 * 21];
    for (uint32_t i = 0; i < 21 * 21; ++i)
    {
        heights[i] = fabsf((float)(i % 21) - 10.0f);
    }
    const abut_heightfield_def def = { .heights = heights, .columns = 21, .rows = 21, .step_x = 1, .step_z = 1 };
    abut_geometry *valley;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &valley), ABUT_OK);
    abut_world *world = open_world(NULL);
    const abut_body body = add(world, abut_shape_mesh(valley), 0, 0, 0, ABUT_STATIC);
    abut_aabb around;
    assert_int_equal(abut_collider_bounds(world, first_collider(world, body), &around), ABUT_OK);
    const float bottom = 0.5f * (around.min.x + around.max.x);
    update(world);
    const abut_query_filter leaving = { .flags = ABUT_QUERY_SKIP_LEAVING };
    abut_cast cast = { .shape = abut_shape_sphere(1), .pose = identity, .translation = { 1, 0, 0 } };
    cast.pose.position = abut_vec3_make(bottom - 0.05f, 1.2f, 0.5f * (around.min.z + around.max.z));
    abut_hit hit;
    assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
    assert_true(hit.flags == ABUT_HIT_INSIDE && hit.normal.x > 0.7f && fabsf(hit.depth - 0.187f) < 1e-3f);
    assert_int_equal(abut_world_cast_closest(world, &cast, &leaving, &hit), ABUT_OK);
    assert_true(hit.flags == ABUT_HIT_INSIDE && hit.normal.x < -0.7f && fabsf(hit.depth - 0.116f) < 1e-3f);
    cast.translation = abut_vec3_make(0, 1, 0);
    assert_int_equal(abut_world_cast_closest(world, &cast, &leaving, &hit), ABUT_OK);
    assert_true(hit.body.generation == 0);
    abut_world_destroy(world);
    abut_geometry_release(valley);
}

// A floor of flush tiles, or of triangles; its top is at y = 0.
static abut_world *tiled_floor(bool field, uint32_t dimension, abut_geometry **geometry)
{
    static const float heights[21 * 21];
    const abut_heightfield_def def = { .heights = heights, .columns = 21, .rows = 21, .step_x = 0.5f, .step_z = 0.5f };
    abut_world *world = open_world(&(abut_world_def){ .dimension = dimension });
    *geometry = NULL;
    if (field)
    {
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, geometry), ABUT_OK);
        add(world, abut_shape_mesh(*geometry), 0, 0, 0, ABUT_STATIC);
    }
    for (int i = -4; !field && i < 4; ++i)
    {
        for (int k = dimension == 2 ? 0 : -4; k < (dimension == 2 ? 1 : 4); ++k)
        {
            const float x = (float)i + 0.5f, z = dimension == 2 ? 0.0f : (float)k + 0.5f;
            add(world, abut_shape_aabb(0.5f, 0.5f, 0.5f), x, -0.5f, z, ABUT_STATIC);
        }
    }
    update(world);
    return world;
}

// What has come down on it slides along it: no seam is in the way.
static void seams_of_a_floor_are_not_hit(void **state)
{
    (void)state;
    enum
    {
        FLOORS = 3,
        SHAPES = 5,
        SLIDES = 100
    };
    const abut_vec3 corners[6] = { { 0.4f, 0, 0 },  { -0.4f, 0, 0 }, { 0, 0.5f, 0 },
                                   { 0, -0.5f, 0 }, { 0, 0, 0.3f },  { 0, 0, -0.3f } };
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(corners, 6, 0, NULL, &hull), ABUT_OK);
    const abut_shape shapes[SHAPES] = { abut_shape_obb(0.3f, 0.4f, 0.2f), abut_shape_aabb(0.3f, 0.4f, 0.2f),
                                        abut_shape_sphere(0.35f), abut_shape_capsule(0.3f, 0.4f),
                                        abut_shape_hull(hull) };
    random_source random = random_start(41);
    uint32_t slides = 0, hits = 0;
    for (uint32_t floor = 0; floor < FLOORS; ++floor)
    {
        abut_geometry *geometry;
        const bool is_2d = floor == 2;
        abut_world *world = tiled_floor(floor == 1, is_2d ? 2 : 3, &geometry);
        for (uint32_t i = 0; i < SLIDES * SHAPES; ++i)
        {
            if (is_2d && i % SHAPES == SHAPES - 1)
            {
                continue; // no hull in a plane
            }
            const float x = (float)random_between(&random, -1.5, 1.5), z = (float)random_between(&random, -1.5, 1.5);
            const double angle = random_between(&random, 0.0, 6.28);
            abut_cast cast = { .shape = shapes[i % SHAPES], .pose = identity, .translation = { 0, -2, 0 } };
            cast.pose.position = abut_vec3_make(x, 2.0f, is_2d ? 0.0f : z);
            abut_hit hit;
            assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
            assert_true(hit.body.generation != 0 && hit.normal.y > 0.9f);
            cast.pose.position.y += cast.translation.y * hit.fraction;
            cast.translation = abut_vec3_make((float)(2.0 * cos(angle)), 0, is_2d ? 0.0f : (float)(2.0 * sin(angle)));
            assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
            hits += hit.body.generation != 0;
            ++slides;
        }
        abut_world_destroy(world);
        abut_geometry_release(geometry);
    }
    abut_geometry_release(hull);
    printf("%u of %u slides hit a seam\n", hits, slides);
    assert_int_equal(hits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deepest_overlap_comes_first),
        cmocka_unit_test(what_is_flat_may_be_deeper_than_its_box),
        cmocka_unit_test(crossing_capsules_part_across),
        cmocka_unit_test(what_is_left_or_slid_along_can_be_left_out),
        cmocka_unit_test(of_a_mesh_only_what_is_approached_counts),
        cmocka_unit_test(seams_of_a_floor_are_not_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
