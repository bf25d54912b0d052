// Sensors: what they detect and what not, their events, their present overlaps, and sleep.
#include "small_world.h"

#include <string.h>

static abut_body sensor(abut_world *world, float x, abut_motion motion)
{
    abut_body body = { 0 };
    const abut_body_def def = { .pose.position = { x, 0, 0 },
                                .motion = motion,
                                .collider = { .shape = abut_shape_aabb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR } };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static uint32_t inside(abut_world *world, abut_body body)
{
    uint32_t count = 99;
    assert_int_equal(abut_collider_overlaps(world, first_collider(world, body), NULL, 0, &count), ABUT_OK);
    return count;
}

// The next detect: so many begin and end in sensors, and there are no contacts.
static void expect_sensed(abut_world *world, uint32_t begun, uint32_t ended)
{
    expect(world, 0, 0, 0);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, begun);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_END).count, ended);
    assert_int_equal(asleep(world), 0);
    expect_sound(world);
}

static void put(abut_world *world, abut_body body, float x)
{
    assert_int_equal(abut_body_set_pose(world, body, &(abut_pose){ { x, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
}

static void entering_and_leaving_a_sensor_is_reported_and_makes_no_contact(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body overlap = ball(world, 5);
    const abut_body zone = sensor(world, 0, ABUT_STATIC);
    assert_int_equal(abut_body_set_user_data(world, overlap, 7), ABUT_OK);
    assert_int_equal(abut_body_set_user_data(world, zone, 8), ABUT_OK);
    assert_int_equal(abut_collider_set_user_data(world, first_collider(world, overlap), 17), ABUT_OK);
    abut_world_colliders(world).user_data[first_collider(world, zone).slot] = 18;
    expect_sensed(world, 0, 0);
    put(world, overlap, 1.2f);
    expect_sensed(world, 1, 0);
    const abut_event begun = abut_world_events(world, ABUT_SENSOR_BEGIN).data[0];
    // The sensor comes first, though its body has the higher slot.
    assert_true(overlap.slot < zone.slot && begun.a.slot == zone.slot && begun.b.slot == overlap.slot);
    assert_true(begun.collider_a.slot == first_collider(world, zone).slot && begun.user_data_a == 8 &&
                begun.user_data_b == 7 && begun.flags == 0);
    assert_true(begun.collider_data_a == 18 && begun.collider_data_b == 17);
    expect_sensed(world, 0, 0);
    assert_int_equal(inside(world, zone), 1);
    assert_int_equal(inside(world, overlap), 0);
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    assert_true(statistics.overlaps == 1 && statistics.contacts == 0 && statistics.points == 0);
    put(world, overlap, -1.6f);
    expect_sensed(world, 0, 1);
    assert_int_equal(inside(world, zone), 0);
    put(world, overlap, 0);
    expect_sensed(world, 1, 0);
    assert_int_equal(abut_body_destroy(world, overlap), ABUT_OK);
    expect_sensed(world, 0, 1);
    const abut_event ended = abut_world_events(world, ABUT_SENSOR_END).data[0];
    assert_true(ended.b.slot == overlap.slot && ended.b.generation == overlap.generation && ended.user_data_b == 7 &&
                ended.collider_data_b == 17);
    abut_world_destroy(world);
}

static void flags_turn_a_collider_into_a_sensor_and_back(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body still = ball(world, 0);
    const abut_collider collider = first_collider(world, still);
    ball(world, 0.9f);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_collider_set_flags(world, collider, 4), ABUT_INVALID_ARGUMENT);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_collider_set_flags(world, collider, ABUT_COLLIDER_SENSOR), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(inside(world, still), 1);
    assert_int_equal(abut_collider_set_flags(world, collider, ABUT_COLLIDER_COLLIDES_WITH_NOTHING), ABUT_OK);
    expect_sensed(world, 0, 1);
    assert_int_equal(abut_collider_set_flags(world, collider, ABUT_COLLIDER_SENSOR), ABUT_OK);
    expect(world, 0, 0, 0);
    assert_int_equal(inside(world, still), 1);
    assert_int_equal(abut_collider_set_flags(world, collider, 0), ABUT_OK);
    assert_int_equal(inside(world, still), 0);
    expect(world, 1, 1, 0);
    abut_world_destroy(world);
}

// Every motion kind of sensor with every motion kind of collider: only static with static is not detected.
static void motion_kinds_do_not_matter_but_for_static_with_static(void **state)
{
    (void)state;
    for (abut_motion one = ABUT_DYNAMIC; one < ABUT_MOTION_COUNT; ++one)
    {
        for (abut_motion other = ABUT_DYNAMIC; other < ABUT_MOTION_COUNT; ++other)
        {
            abut_world *world = open_world(NULL);
            const abut_body zone = sensor(world, 0, one);
            add(world, abut_shape_obb(1, 1, 1), 0.5f, 0, 0, other);
            assert_int_equal(abut_world_set_collides(world, ABUT_STATIC, ABUT_STATIC, true), ABUT_OK);
            assert_int_equal(abut_world_set_collides(world, ABUT_DYNAMIC, ABUT_DYNAMIC, false), ABUT_OK);
            const uint32_t noticed = one != ABUT_STATIC || other != ABUT_STATIC;
            expect_sensed(world, noticed, 0);
            assert_int_equal(inside(world, zone), noticed);
            abut_world_destroy(world);
        }
    }
}

static void sensors_do_not_notice_sensors_nor_their_own_body(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body zone = sensor(world, 0, ABUT_DYNAMIC);
    sensor(world, 0.5f, ABUT_DYNAMIC);
    abut_collider solid;
    const abut_collider_def def = { .shape = abut_shape_sphere(0.5f) };
    assert_int_equal(abut_collider_attach(world, zone, &def, &solid), ABUT_OK);
    expect_sensed(world, 1, 0); // the second one notices the first's ball
    assert_int_equal(inside(world, zone), 0);
    abut_world_destroy(world);
}

static void filters_groups_and_enabling_decide_what_is_noticed(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body overlap = ball(world, 0), zone = sensor(world, 0, ABUT_STATIC);
    const abut_collider in = first_collider(world, overlap), of = first_collider(world, zone);
    expect_sensed(world, 1, 0);
    assert_int_equal(abut_collider_set_filter(world, of, &(abut_filter){ .mask = 4 }), ABUT_OK);
    expect_sensed(world, 0, 1);
    assert_int_equal(abut_collider_set_filter(world, in, &(abut_filter){ .category = 4 }), ABUT_OK);
    expect_sensed(world, 1, 0);
    assert_int_equal(abut_collider_set_filter(world, in, &(abut_filter){ .group = -1, .category = 4 }), ABUT_OK);
    assert_int_equal(abut_collider_set_filter(world, of, &(abut_filter){ .group = -1 }), ABUT_OK);
    expect_sensed(world, 0, 1);
    assert_int_equal(abut_collider_set_filter(world, in, &(abut_filter){ 0 }), ABUT_OK);
    expect_sensed(world, 1, 0);
    assert_int_equal(abut_body_set_enabled(world, zone, false), ABUT_OK);
    expect_sensed(world, 0, 1);
    assert_int_equal(abut_body_set_enabled(world, zone, true), ABUT_OK);
    expect_sensed(world, 1, 0);
    assert_int_equal(abut_collider_detach(world, in), ABUT_OK);
    expect_sensed(world, 0, 1);
    abut_world_destroy(world);
}

static void a_collider_may_become_a_sensor_and_cease_to_be_one(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body one = ball(world, 0), other = ball(world, 0.5f);
    const abut_collider collider = first_collider(world, other);
    abut_collider_def def;
    expect(world, 1, 1, 0);
    assert_int_equal(abut_collider_get(world, collider, &def, NULL), ABUT_OK);
    assert_int_equal(def.flags, 0);
    def.flags = ABUT_COLLIDER_SENSOR;
    assert_int_equal(abut_collider_set(world, collider, &def), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 1);
    assert_int_equal(inside(world, other), 1);
    assert_int_equal(abut_collider_get(world, collider, &def, NULL), ABUT_OK);
    assert_int_equal(def.flags, ABUT_COLLIDER_SENSOR);
    assert_int_equal(abut_collider_set_shape(world, collider, &def.shape), ABUT_OK); // keeps the flag
    expect(world, 0, 0, 0);
    def.flags = 0;
    assert_int_equal(abut_collider_set(world, collider, &def), ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_END).count, 1);
    assert_int_equal(inside(world, other) + inside(world, one), 0);
    abut_world_destroy(world);
}

// While both sleep nothing is tested and nothing ends; the overlap can still be read; waking finds it again.
static void a_sleeping_body_stays_in_its_sensor(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body overlap = ball(world, 0), zone = sensor(world, 0, ABUT_STATIC), other = ball(world, 0.4f);
    const abut_collider group = first_collider(world, other);
    assert_int_equal(abut_collider_set_filter(world, group, &(abut_filter){ .group = -1 }), ABUT_OK);
    assert_int_equal(abut_collider_set_filter(world, first_collider(world, overlap), &(abut_filter){ .group = -1 }),
                     ABUT_OK);
    expect_sensed(world, 2, 0);
    assert_int_equal(abut_body_set_awake(world, overlap, false), ABUT_OK);
    for (uint32_t i = 0; i < 4; ++i)
    {
        expect_sensed(world, 0, 0);
        assert_int_equal(inside(world, zone), 2);
    }
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    assert_true(statistics.overlaps == 2 && statistics.candidates == 2); // the sleeping pair is no candidate
    abut_sensor_overlap found[3];
    uint32_t count;
    memset(found, 0, sizeof found);
    assert_int_equal(abut_collider_overlaps(world, first_collider(world, zone), found, 1, &count), ABUT_OK);
    assert_true(count == 2 && found[0].body.slot == overlap.slot && found[1].body.generation == 0);
    assert_int_equal(abut_collider_overlaps(world, first_collider(world, zone), found, 3, &count), ABUT_OK);
    assert_true(found[1].body.slot == other.slot && found[1].collider.slot == group.slot &&
                found[2].body.generation == 0);
    assert_int_equal(abut_body_set_awake(world, overlap, true), ABUT_OK);
    expect_sensed(world, 0, 0);
    assert_int_equal(abut_body_set_awake(world, overlap, false), ABUT_OK);
    expect_sensed(world, 0, 0);
    expect_sensed(world, 0, 0);
    put(world, overlap, 9);
    expect_sensed(world, 0, 1);
    put(world, overlap, 0);
    expect_sensed(world, 1, 0);
    expect_sensed(world, 0, 0);
    assert_int_equal(abut_body_destroy(world, zone), ABUT_OK);
    expect_sensed(world, 0, 2);
    abut_world_destroy(world);
}

static void a_sensor_goes_by_the_margin_and_not_by_the_horizon(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.1f });
    const abut_body overlap = ball(world, 1.55f);
    sensor(world, 0, ABUT_KINEMATIC);
    expect_sensed(world, 1, 0);
    put(world, overlap, 1.65f);
    expect_sensed(world, 0, 1);
    assert_int_equal(abut_body_set_velocity(world, overlap, &(abut_velocity){ .linear = { -20, 0, 0 } }), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 0);
    assert_int_equal(touching(world), 0);
    abut_world_destroy(world);
}

static void sensors_work_in_2d(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
    const abut_body zone = sensor(world, 0, ABUT_STATIC);
    const abut_body disc = ball(world, 1.4f), box = add(world, abut_shape_obb(0.5f, 0.5f, 0), 0, 1.4f, 0, ABUT_DYNAMIC);
    expect_sensed(world, 2, 0);
    assert_int_equal(inside(world, zone), 2);
    put(world, disc, 1.6f);
    put(world, box, -3);
    expect_sensed(world, 0, 2);
    abut_world_destroy(world);
}

// Sensors with moving bodies in them, vetoes, and sleep: after a while a step allocates nothing.
static void veto_every_third(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    (void)context;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = (pairs[i].a.slot + pairs[i].b.slot) % 3 == 0;
    }
}

static void a_scene_at_rest_allocates_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .veto = veto_every_third });
    abut_body bodies[60];
    for (uint32_t i = 0; i < 60; ++i)
    {
        const abut_body_def def = { .pose.position = { 0.6f * (float)(i % 12), 0.6f * (float)(i / 12), 0 },
                                    .collider = { .shape = abut_shape_sphere(0.5f),
                                                  .flags = i % 4 ? 0 : ABUT_COLLIDER_SENSOR } };
        assert_int_equal(abut_body_create(world, &def, &bodies[i]), ABUT_OK);
    }
    abut_statistics before = { 0 }, after = { 0 };
    for (uint32_t frame = 0; frame < 24; ++frame)
    {
        const uint32_t phase = frame % 4;
        const abut_pose pose = { { 0.6f + (float)phase, 0.6f, 0 }, 0, { 0, 0, 0, 1 } };
        assert_int_equal(abut_body_set_pose(world, bodies[13], &pose), ABUT_OK);
        assert_int_equal(abut_body_set_awake_many(world, bodies + 36, 24, false), ABUT_OK);
        detect(world);
        abut_world_statistics(world, frame < 12 ? &before : &after);
    }
    assert_true(after.overlaps > 20 && after.vetoed > 20 && after.asleep > 20);
    assert_true(before.allocations == after.allocations);
    abut_world_destroy(world);
}

// Many sensors and colliders, so that batches are longer than a chunk, over broad phases and instruction sets: the same
// hash.
static void crowds_in_sensors_are_the_same_everywhere(void **state)
{
    (void)state;
    enum
    {
        SIDE = 14
    };
    uint64_t hash = 0;
    for (abut_broad_kind broad = ABUT_BROAD_BRUTE; broad < ABUT_BROAD_COUNT; ++broad)
    {
        for (abut_isa isa = ABUT_ISA_AUTO; isa < ABUT_ISA_COUNT; ++isa)
        {
            if (!abut_isa_available(isa))
            {
                continue;
            }
            abut_world *world = open_world(&(abut_world_def){ .broad = broad, .isa = isa });
            for (uint32_t i = 0; i < SIDE * SIDE; ++i)
            {
                const abut_body_def def = {
                    .pose.position = { 0.7f * (float)(i % SIDE), 0.7f * (float)(i / SIDE), 0.1f * (float)(i % 3) },
                    .velocity.linear = { (float)(i % 5) - 2, (float)(i % 7) - 3, 0 },
                    .collider = { .shape = i % 2 ? abut_shape_obb(1, 1, 1) : abut_shape_sphere(1),
                                  .flags = i % 3 ? 0 : ABUT_COLLIDER_SENSOR }
                };
                abut_body body;
                assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
            }
            for (uint32_t k = 0; k < 4; ++k)
            {
                assert_int_equal(abut_world_step(world, 0.1f), ABUT_OK);
                expect_sound(world);
            }
            abut_statistics statistics;
            abut_world_statistics(world, &statistics);
            assert_true(statistics.overlaps > 500);
            hash = hash ? hash : abut_world_hash(world);
            assert_true(abut_world_hash(world) == hash);
            abut_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entering_and_leaving_a_sensor_is_reported_and_makes_no_contact),
        cmocka_unit_test(flags_turn_a_collider_into_a_sensor_and_back),
        cmocka_unit_test(motion_kinds_do_not_matter_but_for_static_with_static),
        cmocka_unit_test(sensors_do_not_notice_sensors_nor_their_own_body),
        cmocka_unit_test(filters_groups_and_enabling_decide_what_is_noticed),
        cmocka_unit_test(a_collider_may_become_a_sensor_and_cease_to_be_one),
        cmocka_unit_test(a_sleeping_body_stays_in_its_sensor),
        cmocka_unit_test(a_sensor_goes_by_the_margin_and_not_by_the_horizon),
        cmocka_unit_test(sensors_work_in_2d),
        cmocka_unit_test(a_scene_at_rest_allocates_nothing),
        cmocka_unit_test(crowds_in_sensors_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
