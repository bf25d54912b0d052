// Times of impact of spinning boxes: decided however long they spin past each other, and no hit where that is unknown.
#include "random_moving.h"
#include "small_world.h"

static double distance_at(const abut_moving_shape *a, const abut_moving_shape *b, double time)
{
    const referee_solid solid_a = solid_at(a, time), solid_b = solid_at(b, time);
    return referee_distance(&solid_a, &solid_b);
}

static bool spinning_boxes(random_source *random, abut_moving_shape *a, abut_moving_shape *b)
{
    const double spin = random_scale(random, 1.0, 2000.0);
    *a = some(random, 1.5, spin);
    *b = some(random, 1.5, spin);
    a->pose.position = abut_vec3_scale(a->pose.position, 0.5f);
    b->pose.position = abut_vec3_scale(b->pose.position, 0.5f);
    return a->shape.kind == ABUT_OBB && b->shape.kind == ABUT_OBB && distance_at(a, b, 0.0) > 1e-4;
}

static void spinning_boxes_hit_where_they_touch_or_are_known_to_miss(void **state)
{
    (void)state;
    uint32_t tried = 0, hits = 0;
    for (uint64_t seed = 1; tried < 12000; ++seed)
    {
        random_source random = random_start(seed);
        abut_moving_shape a, b;
        if (!spinning_boxes(&random, &a, &b))
        {
            continue;
        }
        const double size_a = size_of(&a.shape), size_b = size_of(&b.shape);
        const double tolerance = 1e-5 * fmin(size_a, size_b) + 1e-7 * (size_a + size_b);
        const abut_impact found = impact_of(&a, &b, 1.0f);
        ++tried;
        hits += found.hit;
        DEMAND_AT(seed, found.flags == 0, "flags %u", found.flags);
        DEMAND_AT(seed, !found.hit || (double)found.distance <= 1.01 * tolerance, "a hit %g tolerances apart",
                  (double)found.distance / tolerance);
        for (int i = 0; i <= 40; ++i) // nothing overlaps before the hit, nor at all without one
        {
            const double time = (found.hit ? (double)found.time : 1.0) * i / 40.0;
            const referee_solid solid_a = solid_at(&a, time), solid_b = solid_at(&b, time);
            const double separation = referee_collide(&solid_a, &solid_b).separation;
            DEMAND_AT(seed, separation > -1e-5 * (size_a + size_b), "%g deep at %g", -separation, time);
        }
    }
    print_message("%u hits of %u\n", hits, tried);
    assert_true(hits > 500);
}

// Rods side by side, turning about parallel axes as teeth of two gears do.
static void gears_that_never_touch_miss(void **state)
{
    (void)state;
    for (float gap = 0.1f; gap > 1e-4f; gap *= 0.5f)
    {
        for (float spin = 1.0f; spin < 1000.0f; spin *= 1.5f)
        {
            abut_moving_shape a = moving(abut_shape_obb(1, 0.01f, 0.01f), 0, 0, 0, 0, 0, 0);
            abut_moving_shape b = moving(abut_shape_obb(1, 0.01f, 0.01f), 2 * 1.0001f + gap, 0, 0, 0, 0, 0);
            a.velocity.angular.z = spin;
            b.velocity.angular.z = -1.3f * spin;
            const abut_impact found = impact_of(&a, &b, 1.0f);
            DEMAND_AT((uint64_t)spin, !found.hit && found.flags == 0, "gap %g", (double)gap);
        }
    }
}

// What turns a million times is not followed to the end; it ends all the same, and says so.
static void a_bound_is_not_a_hit(void **state)
{
    (void)state;
    const abut_moving_shape wall = moving(abut_shape_obb(0.5f, 3, 3), 1.51f, 0, 0, 0, 0, 0);
    abut_moving_shape rod = moving(abut_shape_obb(1, 0.02f, 0.03f), 0, 0, 0, 0, 0, 0);
    rod.velocity.angular = abut_vec3_make(1e5f, 7e6f, 3e6f);
    const abut_impact found = impact_of(&rod, &wall, 1.0f);
    assert_false(found.hit);
    assert_int_equal(found.flags, ABUT_IMPACT_BOUND);
    assert_true(found.time >= 0.0f && found.time < 1.0f && found.distance > 0.0f);

    // In a world as well, where the body's impact says how far it is safe.
    abut_world *world = open_world(NULL);
    abut_body body;
    (void)add(world, wall.shape, wall.pose.position.x, 0, 0, ABUT_STATIC);
    const abut_body_def def = { .velocity = rod.velocity, .flags = ABUT_BODY_CCD, .collider.shape = rod.shape };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 1.0f), ABUT_OK);
    const abut_impacts all = abut_world_impacts(world);
    assert_int_equal(all.count, 1);
    assert_false(all.data->impact.hit);
    assert_int_equal(all.data->impact.flags, ABUT_IMPACT_BOUND);
    assert_true(all.data->impact.time == found.time);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_boxes_hit_where_they_touch_or_are_known_to_miss),
        cmocka_unit_test(gears_that_never_touch_miss),
        cmocka_unit_test(a_bound_is_not_a_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
