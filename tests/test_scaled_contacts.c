// Scaled meshes and heightfields in worlds, against those made by hand from the products: contacts, events, impacts,
// rays, casts, nearest points and overlaps are the same to the bit.
#include "own_world.h"
#include "scaled_surfaces.h"
#include "twin_worlds.h"

#include <abut/query.h>

#include <stdio.h>

enum
{
    BODIES = 30,
    ASKED = 20
};

// A world with the scaled surface, and another with that made by hand; all else is the same.
typedef struct twins
{
    abut_world *world[2];
    abut_geometry *geometry[2], *hull;
    abut_pose pose; // of the surface
    abut_vec3 half; // of its box
} twins;

static float part_of(random_source *random, float size)
{
    return (float)random_scale(random, 0.02, 0.8) * size;
}

// From as small as the smallest extent to as large as the largest.
static float some_size(random_source *random, const twins *t)
{
    const float extents[3] = { t->half.x, t->half.y, t->half.z };
    const float size = part_of(random, extents[random_below(random, 3)]);
    return size > 1e-5f ? size : 1e-5f;
}

static abut_shape random_convex(random_source *random, const twins *t)
{
    const float a = some_size(random, t), b = some_size(random, t), c = some_size(random, t);
    const own_size own = { a, b, c };
    switch (random_below(random, 6))
    {
    case 0:
        return abut_shape_sphere(a);
    case 1:
        return abut_shape_aabb(a, b, c);
    case 2:
        return abut_shape_obb(a, b, c);
    case 3:
        return abut_shape_capsule(a, b);
    case 4:
        return abut_shape_custom(ABUT_FIRST_KIND + random_below(random, 2), &own, sizeof own);
    default:
        return abut_shape_hull(t->hull);
    }
}

static abut_pose random_pose(random_source *random, const twins *t)
{
    const abut_vec3 h = t->half;
    const abut_vec3 at = { (float)random_between(random, -1.1, 1.1) * h.x,
                           (float)random_between(random, -1.1, 1.1) * h.y,
                           (float)random_between(random, -1.1, 1.1) * h.z };
    const abut_quat turn =
        random_chance(random, 0.3) ? abut_quat_identity() : random_narrow_rotation(random_rotation(random));
    return (abut_pose){ .position = abut_vec3_add(t->pose.position, abut_quat_rotate(t->pose.rotation, at)),
                        .rotation = turn };
}

// A lump as large as what it touches.
static abut_geometry *random_hull(random_source *random, const twins *t)
{
    abut_vec3 points[8];
    const float size = some_size(random, t);
    for (int i = 0; i < 8; ++i)
    {
        const dvec3 d = random_direction(random);
        points[i] = abut_vec3_make(size * (float)d.x, size * (float)d.y, size * (float)d.z);
    }
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(points, 8, 0, NULL, &hull), ABUT_OK);
    return hull;
}

static void add_to_both(const twins *t, const abut_body_def *def)
{
    for (int i = 0; i < 2; ++i)
    {
        abut_body body;
        assert_int_equal(abut_body_create(t->world[i], def, &body), ABUT_OK);
    }
}

static twins twins_made(random_source *random, const surface *s, abut_vec3 scale)
{
    twins t = { .pose = abut_pose_identity() };
    surface_pair(s, scale, t.geometry);
    const abut_shape shape = abut_shape_mesh(t.geometry[0]);
    abut_aabb box;
    assert_int_equal(abut_shape_bounds(&shape, &t.pose, &box), ABUT_OK);
    t.half = abut_aabb_half_extents(&box);
    t.hull = random_hull(random, &t);
    if (random_chance(random, 0.5))
    {
        t.pose.position = abut_vec3_make(0.5f * t.half.x, -t.half.y, t.half.z);
        t.pose.rotation = random_narrow_rotation(random_rotation(random));
    }
    const bool moves = random_chance(random, 0.3);
    const float margin = random_chance(random, 0.5) ? 0.05f * some_size(random, &t) : 0.0f;
    const abut_isa other = (abut_isa)random_below(random, ABUT_ISA_COUNT),
                   isa = abut_isa_available(other) ? other : ABUT_ISA_AUTO;
    for (int i = 0; i < 2; ++i)
    {
        const abut_world_def def = { .margin = margin, .isa = i == 0 ? isa : ABUT_ISA_AUTO };
        t.world[i] = open_own_world(&def);
        const abut_body_def ground = { .pose = t.pose,
                                       .motion = moves ? ABUT_DYNAMIC : ABUT_STATIC,
                                       .collider.shape = abut_shape_mesh(t.geometry[i]) };
        abut_body body;
        assert_int_equal(abut_body_create(t.world[i], &ground, &body), ABUT_OK);
    }
    for (uint32_t k = 0; k < BODIES; ++k)
    {
        const float fast = some_size(random, &t);
        const dvec3 way = random_direction(random);
        const abut_body_def def = {
            .pose = random_pose(random, &t),
            .velocity.linear = { fast * (float)way.x, fast * (float)way.y, fast * (float)way.z },
            .flags = random_chance(random, 0.3) ? ABUT_BODY_CCD : 0,
            .collider = { .shape = random_convex(random, &t), .filter = { .category = 2, .mask = 1 } }
        };
        add_to_both(&t, &def);
    }
    return t;
}

static void twins_close(twins *t)
{
    for (int i = 0; i < 2; ++i)
    {
        abut_world_destroy(t->world[i]);
        abut_geometry_release(t->geometry[i]);
    }
    abut_geometry_release(t->hull);
}

static void expect_same_near(abut_near near[2][50], const uint32_t count[2])
{
    assert_int_equal(count[0], count[1]);
    for (uint32_t i = 0; i < count[0] && i < 50; ++i)
    {
        assert_int_equal(near[0][i].body.slot, near[1][i].body.slot);
        assert_memory_equal(&near[0][i].distance, &near[1][i].distance, sizeof(float));
        if (near[0][i].distance > 0.0f) // of triangles that overlap, any
        {
            assert_int_equal(near[0][i].child, near[1][i].child);
        }
    }
}

static uint32_t ask_rays(random_source *random, const twins *t, const abut_pose *from, abut_vec3 way)
{
    abut_hit hit[2];
    const abut_ray ray = { from->position, way };
    const abut_cast cast = { .shape = random_convex(random, t), .pose = *from, .translation = way };
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_ray_closest(t->world[i], &ray, NULL, &hit[i]), ABUT_OK);
    }
    expect_same_hit(hit);
    const uint32_t on_surface = hit[0].fraction < 1.0f && hit[0].body.slot == 0;
    for (int i = 0; i < 2 && cast.shape.kind != ABUT_CUSTOM; ++i)
    {
        assert_int_equal(abut_world_cast_closest(t->world[i], &cast, NULL, &hit[i]), ABUT_OK);
    }
    expect_same_hit(hit);
    return on_surface;
}

static void ask_about(random_source *random, const twins *t, const abut_pose *at)
{
    abut_near near[2][50];
    abut_found found[2][50];
    uint32_t count[2];
    const float far = 2.0f * (t->half.x + t->half.y + t->half.z);
    const abut_placed_shape asker = { random_convex(random, t), *at };
    const abut_plane plane = { abut_vec3_make(1, 2, -1), part_of(random, t->half.x) };
    const abut_region region = { .planes = &plane, .plane_count = 1 };
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_nearest(t->world[i], &at->position, far, NULL, near[i], 50, &count[i]), ABUT_OK);
    }
    expect_same_near(near, count);
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_overlap_shape(t->world[i], &asker, NULL, found[i], 50, &count[i]), ABUT_OK);
    }
    assert_int_equal(count[0], count[1]);
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_nearest_shape(t->world[i], &asker, far, NULL, near[i], 50, &count[i]), ABUT_OK);
    }
    expect_same_near(near, count);
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_overlap_region(t->world[i], &region, NULL, found[i], 50, &count[i]), ABUT_OK);
    }
    assert_int_equal(count[0], count[1]);
}

// What the worlds found, asked again after they moved.
static void answers_are_those_of_a_surface_made_of_the_products(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(400);
    uint32_t contacts = 0, impacts = 0, hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        surface s = random_surface(&random, true);
        twins t = twins_made(&random, &s, random_scale_of(&random, &s));
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            for (int i = 0; i < 2; ++i)
            {
                assert_int_equal(abut_world_detect(t.world[i], 0.5f), ABUT_OK);
            }
            expect_same_contacts(t.world);
            assert_int_equal(abut_world_events(t.world[0], ABUT_BEGIN).count,
                             abut_world_events(t.world[1], ABUT_BEGIN).count);
            const abut_impacts one = abut_world_impacts(t.world[0]), other = abut_world_impacts(t.world[1]);
            assert_int_equal(one.count, other.count);
            contacts += touching(t.world[0]);
            impacts += one.count;
            for (int i = 0; i < 2; ++i)
            {
                assert_int_equal(abut_world_move(t.world[i], 0.5f), ABUT_OK);
            }
        }
        detect(t.world[0]);
        detect(t.world[1]);
        expect_same_contacts(t.world);
        expect_sound(t.world[0]);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            const abut_pose from = random_pose(&random, &t), to = random_pose(&random, &t);
            hits += ask_rays(&random, &t, &from, abut_vec3_sub(to.position, from.position));
            ask_about(&random, &t, &from);
        }
        twins_close(&t);
        surface_close(&s);
    }
    printf("%u contacts, %u impacts, %u hits\n", contacts, impacts, hits);
    assert_true(!random_seeds_all() || (contacts > 5000 && impacts > 100 && hits > 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_surface_made_of_the_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
