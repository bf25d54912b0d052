// The impacts of a world's CCD bodies: against sweeps of all pairs, and against what gets through a wall.
#include "impact_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void a_bullet_hits_the_first_of_two_walls(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    (void)add(world, abut_shape_aabb(0.001f, 5, 5), 20, 0, 0, ABUT_STATIC);
    const abut_body first = add(world, abut_shape_aabb(0.001f, 5, 5), 10, 0, 0, ABUT_STATIC);
    const abut_body bullet = shoot(world, abut_shape_sphere(0.1f), at(0, 0, 0), at(2000, 0, 0));
    const abut_impacts all = impacts(world, 1.0f / 60, 1);
    assert_memory_equal(&all.data->body, &bullet, sizeof bullet);
    assert_memory_equal(&all.data->other, &first, sizeof first);
    near((double)all.data->impact.time, (10.0 - 0.001 - 0.1) / 2000.0, 1e-7);
    near((double)all.data->impact.normal.x, 1.0, 1e-6);
    near((double)all.data->impact.offset.x, 0.1, 1e-4);
    assert_true(all.data->impact.hit && all.data->impact.flags == 0);

    // Half the time does not take it there; without a horizon, or without CCD, there is no sweep.
    (void)impacts(world, 0.004f, 0);
    (void)impacts(world, 0.0f, 0);
    assert_int_equal(abut_body_set_ccd(world, bullet, false), ABUT_OK);
    (void)impacts(world, 1.0f / 60, 0);
    bool fast = true;
    assert_int_equal(abut_body_ccd(world, bullet, &fast), ABUT_OK);
    assert_false(fast);
    assert_int_equal(abut_body_set_ccd(world, bullet, true), ABUT_OK);
    (void)impacts(world, 1.0f / 60, 1);
    const uint64_t hash = abut_world_hash(world);
    assert_int_equal(abut_world_step(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_impacts(world).count, 0);
    assert_true(abut_world_hash(world) != hash);
    abut_world_destroy(world);
    assert_int_equal(abut_world_impacts(NULL).count, 0);
}

// Walls with one face in common are hit at one time: the one that is first in the order of contacts is named.
static void of_equal_impacts_the_first_pair_is_named(void **state)
{
    (void)state;
    enum
    {
        WALLS = 5
    };
    random_source random = random_start(4);
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const uint32_t shooter = random_below(&random, WALLS + 1);
        abut_world *world = open_world(&(abut_world_def){ .broad = (abut_broad_kind)(trial % ABUT_BROAD_COUNT) });
        abut_body bullet = { 0 }, first = { 0 };
        for (uint32_t i = 0; i <= WALLS; ++i)
        {
            const float half = (float)random_between(&random, 0.5, 3);
            abut_body wall = { 0 };
            if (i == shooter)
            {
                bullet = shoot(world, abut_shape_sphere(0.25f), at(0, 0, 0), at(100, 0, 0));
                continue;
            }
            wall = add(world, abut_shape_aabb(0.5f, half, 2), 3, (float)random_between(&random, -0.4, 0.4), 0,
                       ABUT_STATIC);
            first = first.generation ? first : wall;
        }
        const abut_impacts all = impacts(world, 0.1f, 1);
        assert_int_equal(all.data->body.slot, bullet.slot);
        assert_int_equal(all.data->other.slot, first.slot);
        abut_world_destroy(world);
    }
}

static void each_of_two_ccd_bodies_has_its_own_impact(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body left = shoot(world, abut_shape_sphere(0.5f), at(-10, 0, 0), at(100, 0, 0));
    const abut_body right = shoot(world, abut_shape_obb(0.5f, 0.5f, 0.5f), at(10, 0, 0), at(-100, 0, 0));
    abut_impacts all = impacts(world, 0.2f, 2);
    assert_memory_equal(&all.data[0].body, &left, sizeof left);
    assert_memory_equal(&all.data[1].body, &right, sizeof right);
    near((double)all.data[0].impact.time, 0.095, 1e-6);
    assert_true(all.data[0].impact.time == all.data[1].impact.time);
    near((double)all.data[0].impact.normal.x, 1.0, 1e-6);
    near((double)all.data[1].impact.normal.x, -1.0, 1e-6);
    near((double)all.data[0].impact.offset.x, 0.5, 1e-4);
    near((double)all.data[1].impact.offset.x, -0.5, 1e-4);

    // A sleeper stands where it is, and has none; a kinematic one comes along.
    assert_int_equal(abut_body_set_awake(world, right, false), ABUT_OK);
    all = impacts(world, 0.2f, 1);
    near((double)all.data->impact.time, 0.19, 1e-6);
    assert_int_equal(abut_body_set_awake(world, right, true), ABUT_OK);
    assert_int_equal(abut_body_set_motion(world, right, ABUT_KINEMATIC), ABUT_OK);
    all = impacts(world, 0.2f, 2);
    near((double)all.data[1].impact.time, 0.095, 1e-6);
    assert_int_equal(abut_world_set_collides(world, ABUT_DYNAMIC, ABUT_KINEMATIC, false), ABUT_OK);
    (void)impacts(world, 0.2f, 0);
    abut_world_destroy(world);
}

static void what_touches_already_is_no_impact_but_what_comes_after_is(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .recycle_distance = 0.1f });
    (void)add(world, abut_shape_aabb(50, 1, 50), 0, -1, 0, ABUT_STATIC);
    const abut_body wall = add(world, abut_shape_aabb(0.01f, 5, 5), 10, 5.5f, 0, ABUT_STATIC);
    (void)shoot(world, abut_shape_obb(0.5f, 0.5f, 0.5f), at(0, 0.49f, 0), at(1000, 0, 0));
    for (uint32_t frame = 0; frame < 3; ++frame)
    {
        const abut_impacts all = impacts(world, 1.0f / 60, 1);
        assert_memory_equal(&all.data->other, &wall, sizeof wall);
        near((double)all.data->impact.time, 9.49 / 1000.0, 1e-6);
    }
    abut_world_destroy(world);
}

// A hammer: a head at the end of a shaft, both colliders of a body that turns.
static void a_collider_away_from_its_body_swings(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body hammer = { 0 };
    abut_collider head;
    const abut_body_def def = { .pose.position = { 100, 0, 0 },
                                .velocity.angular = { 0, 0, 10 },
                                .flags = ABUT_BODY_CCD };
    assert_int_equal(abut_body_create(world, &def, &hammer), ABUT_OK);
    const abut_collider_def part = { .shape = abut_shape_aabb(0.25f, 0.25f, 0.25f), .local.position = { 2, 0, 0 } };
    assert_int_equal(abut_collider_attach(world, hammer, &part, &head), ABUT_OK);
    (void)add(world, abut_shape_sphere(0.5f), 100, 2, 0, ABUT_STATIC);
    const abut_impacts all = impacts(world, 0.5f, 1);
    assert_memory_equal(&all.data->collider, &head, sizeof head);
    // The head keeps upright: it hits the ball with its left face, its centre on the circle about the pivot.
    const double angle = (double)all.data->impact.time * 10.0, x = 2.0 * cos(angle), y = 2.0 * sin(angle);
    const double dx = fmax(fabs(x) - 0.25, 0.0), dy = fmax(fabs(y - 2.0) - 0.25, 0.0);
    near(sqrt(dx * dx + dy * dy), 0.5, 1e-4);
    assert_true(x > 0.0);
    abut_world_destroy(world);
}

// In 2D half z is ignored, however large: the tolerance is that of the rectangles.
static void rectangles_hit_at_the_same_time_whatever_their_half_z(void **state)
{
    (void)state;
    static const float half_z[] = { 0.0f, 1.0f, 1000.0f, ABUT_MAX_MAGNITUDE };
    abut_impact expected = { 0 };
    for (uint32_t i = 0; i < COUNT(half_z); ++i)
    {
        abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
        (void)add(world, abut_shape_aabb(0.5f, 5, half_z[i]), 20, 0, 0, ABUT_STATIC);
        (void)shoot(world, abut_shape_obb(0.5f, 0.5f, half_z[i]), at(0, 0, 0), at(100, 0, 0));
        const abut_impacts all = impacts(world, 0.5f, 1);
        expected = i == 0 ? all.data->impact : expected;
        near((double)all.data->impact.time, 0.19, 1e-6);
        assert_true(all.data->impact.hit);
        assert_memory_equal(&all.data->impact.time, &expected.time, sizeof expected - offsetof(abut_impact, time));
        abut_world_destroy(world);
    }
}

// One that touches the floor, and one that is in a wall by less than the tolerance, though neither is apart along z
// either.
static void rectangles_that_touch_or_nearly_touch_hit_at_once(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
    (void)add(world, abut_shape_aabb(50, 1, 1), 0, -1, 0, ABUT_STATIC);
    (void)add(world, abut_shape_aabb(0.5f, 5, 1), 20, 100, 0, ABUT_STATIC);
    (void)shoot(world, abut_shape_obb(0.5f, 0.5f, 1), at(0, 0.5f, 0), at(0, -100, 0));
    (void)shoot(world, abut_shape_obb(0.5f, 0.5f, 1), at(19.000002f, 100, 0), at(100, 0, 0));
    const abut_impacts all = impacts(world, 1.0f / 60, 2);
    assert_true(all.data[0].impact.time == 0.0f && all.data[0].impact.normal.y == -1.0f);
    assert_true(all.data[1].impact.time == 0.0f && all.data[1].impact.normal.x == 1.0f);
    abut_world_destroy(world);
}

// The earliest of all pairs, by the call without a world, with the body as the first.
static bool first_impact(const scene *s, uint32_t body, float horizon, abut_impact *best, uint32_t *with)
{
    best->hit = false;
    for (uint32_t other = 0; other < BODIES; ++other)
    {
        const bool meets = s->def[body].motion == ABUT_DYNAMIC || s->def[other].motion == ABUT_DYNAMIC;
        const abut_moving_shape a = moving(&s->def[body]), b = moving(&s->def[other]);
        abut_impact found = { 0 };
        if (!meets || other == body)
        {
            continue;
        }
        assert_int_equal(abut_time_of_impact(&a, &b, horizon, 0.0f, &found), ABUT_OK);
        if (found.hit && !(found.flags & ABUT_IMPACT_INITIAL) && (!best->hit || found.time < best->time))
        {
            *best = found;
            *with = other;
        }
    }
    return best->hit;
}

static void impacts_are_the_earliest_of_all_pairs_everywhere(void **state)
{
    (void)state;
    uint32_t found = 0;
    const random_seeds seeds = random_seeds_of(40);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        uint64_t hash = 0;
        for (int run = 0; run < ABUT_ISA_COUNT * ABUT_BROAD_COUNT; ++run)
        {
            const abut_isa isa = (abut_isa)(run % ABUT_ISA_COUNT);
            const abut_broad_kind broad = (abut_broad_kind)(run / ABUT_ISA_COUNT);
            if (!abut_isa_available(isa))
            {
                continue;
            }
            abut_world *world =
                open_scene(&s, &(abut_world_def){ .isa = isa, .broad = broad, .threads = 1u + (uint32_t)run % 2u });
            ab_world_set_granularity(world, run % 2 ? (ab_granularity){ 8, 0 } : AB_GRANULARITY_DEFAULT);
            assert_int_equal(abut_world_detect(world, 0.3f), ABUT_OK);
            assert_true(run == 0 || abut_world_hash(world) == hash);
            hash = abut_world_hash(world);
            const abut_impacts all = abut_world_impacts(world);
            uint32_t k = 0;
            for (uint32_t i = 0; run == 0 && i < BODIES; ++i)
            {
                abut_impact expected = { 0 };
                uint32_t with = 0;
                if (s.def[i].motion == ABUT_STATIC || !(s.def[i].flags & ABUT_BODY_CCD) ||
                    !first_impact(&s, i, 0.3f, &expected, &with))
                {
                    continue;
                }
                assert_true(k < all.count);
                const abut_body_impact *it = &all.data[k++];
                assert_int_equal(it->body.slot, s.body[i].slot);
                assert_int_equal(it->other.slot, s.body[with].slot);
                assert_true(it->impact.time == expected.time);
                assert_true(it->impact.normal.x == expected.normal.x);
                ++found;
            }
            assert_true(run != 0 || k == all.count);
            abut_world_destroy(world);
        }
    }
    print_message("%u impacts\n", found);
    assert_true(found > 80 || !random_seeds_all());
}

// Bodies shot at the six walls of a room from within, moved to their impacts and no farther, and turned back there.
static void no_body_leaves_a_room_of_thin_walls(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    for (uint32_t k = 0; k < 3; ++k)
    {
        const float x = k == 0 ? 0.001f : 10.0f, y = k == 1 ? 0.001f : 10.0f, z = k == 2 ? 0.001f : 10.0f;
        const float dx = k == 0 ? 10.0f : 0.0f, dy = k == 1 ? 10.0f : 0.0f, dz = k == 2 ? 10.0f : 0.0f;
        (void)add(world, abut_shape_aabb(x, y, z), dx, dy, dz, ABUT_STATIC);
        (void)add(world, abut_shape_obb(x, y, z), -dx, -dy, -dz, ABUT_STATIC);
    }
    random_source random = random_start(5);
    abut_body body[40];
    const float dt = 1.0f / 60;
    for (uint32_t i = 0; i < 40; ++i)
    {
        const abut_body_def def = {
            .pose.position = { between(&random, -8, 8), between(&random, -8, 8), between(&random, -8, 8) },
            .velocity.linear = { between(&random, -900, 900), between(&random, -900, 900),
                                 between(&random, -900, 900) },
            .velocity.angular = { between(&random, -20, 20), 0, between(&random, -20, 20) },
            .flags = ABUT_BODY_CCD,
            .collider = { .shape = i % 2 ? abut_shape_sphere(0.2f) : abut_shape_obb(0.2f, 0.1f, 0.3f),
                          .filter.group = -1 },
        };
        assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
    }
    uint32_t met = 0;
    for (uint32_t frame = 0; frame < 100; ++frame)
    {
        assert_int_equal(abut_world_detect(world, dt), ABUT_OK);
        const abut_impacts all = abut_world_impacts(world);
        abut_bodies in_place = abut_world_bodies(world);
        met += all.count;
        for (uint32_t i = 0, k = 0; i < 40; ++i)
        {
            const uint32_t slot = body[i].slot;
            const bool meets = k < all.count && all.data[k].body.slot == slot;
            const abut_velocity before = in_place.velocities[slot];
            const float part = meets ? all.data[k].impact.time / dt : 1.0f;
            in_place.velocities[slot].linear = abut_vec3_scale(before.linear, part);
            in_place.velocities[slot].angular = abut_vec3_scale(before.angular, part);
            k += meets;
        }
        assert_int_equal(abut_world_move(world, dt), ABUT_OK);
        for (uint32_t i = 0, k = 0; i < 40; ++i)
        {
            const uint32_t slot = body[i].slot;
            const bool meets = k < all.count && all.data[k].body.slot == slot;
            abut_velocity *v = &in_place.velocities[slot];
            if (meets)
            {
                const abut_vec3 home = abut_vec3_scale(in_place.poses[slot].position, -1.0f);
                v->linear = abut_vec3_add(
                    abut_vec3_scale(home, between(&random, 5, 60)),
                    at(between(&random, -300, 300), between(&random, -300, 300), between(&random, -300, 300)));
                v->angular = at(between(&random, -20, 20), between(&random, -20, 20), 0);
                ++k;
            }
            const abut_vec3 p = in_place.poses[slot].position;
            if (!(fabsf(p.x) < 10 && fabsf(p.y) < 10 && fabsf(p.z) < 10))
            {
                print_error("frame %u: body %u is at %g %g %g\n", frame, i, (double)p.x, (double)p.y, (double)p.z);
                fail();
            }
        }
    }
    assert_true(met > 500);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bullet_hits_the_first_of_two_walls),
        cmocka_unit_test(of_equal_impacts_the_first_pair_is_named),
        cmocka_unit_test(each_of_two_ccd_bodies_has_its_own_impact),
        cmocka_unit_test(what_touches_already_is_no_impact_but_what_comes_after_is),
        cmocka_unit_test(a_collider_away_from_its_body_swings),
        cmocka_unit_test(rectangles_hit_at_the_same_time_whatever_their_half_z),
        cmocka_unit_test(rectangles_that_touch_or_nearly_touch_hit_at_once),
        cmocka_unit_test(impacts_are_the_earliest_of_all_pairs_everywhere),
        cmocka_unit_test(no_body_leaves_a_room_of_thin_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
