// What is said of bodies rather than colliders: the first begin and the last end between two of them, and the contacts
// of one.
#include "small_world.h"

static abut_collider attach(abut_world *world, abut_body body, float x)
{
    abut_collider collider = { 0 };
    const abut_collider_def def = { .shape = abut_shape_sphere(0.5f), .local.position = { x, 0, 0 } };
    assert_int_equal(abut_collider_attach(world, body, &def, &collider), ABUT_OK);
    return collider;
}

static void put(abut_world *world, abut_body body, float x)
{
    assert_int_equal(abut_body_set_pose(world, body, &(abut_pose){ { x, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
}

// The slot of contact `i` of a set.
static uint32_t slot_at(abut_world *world, abut_contact_set set, uint32_t i)
{
    return abut_world_contacts(world, set).order[i];
}

static uint32_t flags(abut_world *world, abut_event_kind kind, uint32_t which)
{
    const abut_events events = abut_world_events(world, kind);
    assert_true(which < events.count);
    return events.data[which].flags;
}

// A body of three balls in a row passes over a ball: only its first touch is a first one, only its last end a last one.
static void the_first_begin_and_the_last_end_are_flagged(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body row = ball(world, -10), resting_ball = ball(world, 0);
    attach(world, row, 0.8f);
    attach(world, row, 1.6f);
    assert_int_equal(abut_body_set_awake(world, resting_ball, true), ABUT_OK);
    expect(world, 0, 0, 0);
    put(world, row, -2.2f); // the ball at 1.6 reaches it
    expect(world, 1, 1, 0);
    assert_int_equal(flags(world, ABUT_BEGIN, 0), ABUT_EVENT_FIRST);
    put(world, row, -1.2f); // now that at 0.8 as well
    expect(world, 2, 1, 0);
    assert_int_equal(flags(world, ABUT_BEGIN, 0), 0);
    put(world, row, 0.1f); // the first and the second, no longer the third
    expect(world, 2, 1, 1);
    assert_int_equal(flags(world, ABUT_BEGIN, 0), 0);
    assert_int_equal(flags(world, ABUT_END, 0), 0);
    put(world, row, -1.7f); // the third alone, and neither of the two: other pairs, the same two bodies
    expect(world, 2, 1, 1);
    assert_int_equal(flags(world, ABUT_BEGIN, 0) | flags(world, ABUT_END, 0), 0);
    put(world, row, 5);
    expect(world, 0, 0, 2);
    assert_int_equal(flags(world, ABUT_END, 0), 0);
    assert_int_equal(flags(world, ABUT_END, 1), ABUT_EVENT_LAST);
    put(world, row, -0.8f);
    expect(world, 3, 3, 0);
    assert_int_equal(flags(world, ABUT_BEGIN, 0), ABUT_EVENT_FIRST);
    assert_int_equal(flags(world, ABUT_BEGIN, 1) | flags(world, ABUT_BEGIN, 2), 0);
    assert_int_equal(abut_body_destroy(world, row), ABUT_OK);
    expect(world, 0, 0, 3);
    assert_int_equal(flags(world, ABUT_END, 2), ABUT_EVENT_LAST);
    assert_int_equal(flags(world, ABUT_END, 0) | flags(world, ABUT_END, 1), 0);
    abut_world_destroy(world);
}

// One pair of two bodies is asleep while another of the same bodies begins and ends: neither a first nor a last.
static void sleeping_contacts_count_among_those_of_their_bodies(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(9, 1, 9), 0, -1, 0, ABUT_STATIC);
    const abut_body crate = add(world, abut_shape_obb(1, 1, 1), 0, 0.9f, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_body_set_awake(world, crate, false), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 1);
    const abut_collider_def def = { .shape = abut_shape_sphere(1) };
    abut_collider second;
    assert_int_equal(abut_collider_attach(world, crate, &def, &second), ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(asleep(world), 1);
    assert_int_equal(flags(world, ABUT_BEGIN, 0), 0);
    assert_int_equal(abut_collider_detach(world, second), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(flags(world, ABUT_END, 0), 0);
    assert_int_equal(abut_body_destroy(world, crate), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(flags(world, ABUT_END, 0), ABUT_EVENT_LAST);
    abut_world_destroy(world);
}

// What is speculative does not touch: beside it a begin is a first one, and an end a last one, whichever of the two
// comes first in the order of contacts.
static void speculative_contacts_do_not_count(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2; ++k)
    {
        abut_world *world = open_world(NULL);
        const abut_body pair = ball(world, k ? -0.6f : 0.0f), other = ball(world, 1.2f);
        attach(world, pair, k ? 0.6f : -0.6f);
        assert_int_equal(abut_body_set_velocity(world, other, &(abut_velocity){ .linear = { -20, 0, 0 } }), ABUT_OK);
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        assert_int_equal(touching(world), 2);
        put(world, other, 0.7f);
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        assert_int_equal(touching(world), 2);
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 1);
        assert_int_equal(flags(world, ABUT_BEGIN, 0), ABUT_EVENT_FIRST);
        put(world, other, 1.2f);
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        assert_int_equal(touching(world), 2);
        assert_int_equal(abut_world_events(world, ABUT_END).count, 1);
        assert_int_equal(flags(world, ABUT_END, 0), ABUT_EVENT_LAST);
        abut_world_destroy(world);
    }
}

static void the_contacts_of_a_body_are_listed(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body bodies[5];
    for (uint32_t i = 0; i < 5; ++i)
    {
        bodies[i] = ball(world, 0.7f * (float)i);
    }
    uint32_t found[4] = { 99, 99, 99, 99 }, count;
    assert_int_equal(abut_body_contacts(world, bodies[2], ABUT_AWAKE, found, 4, &count), ABUT_OK);
    assert_int_equal(count, 0); // no detect yet
    expect(world, 4, 4, 0);
    assert_int_equal(abut_body_contacts(world, bodies[2], ABUT_AWAKE, found, 4, &count), ABUT_OK);
    assert_true(count == 2 && found[0] == slot_at(world, ABUT_AWAKE, 1) && found[1] == slot_at(world, ABUT_AWAKE, 2) &&
                found[2] == 99);
    assert_int_equal(abut_body_contacts(world, bodies[0], ABUT_AWAKE, found, 4, &count), ABUT_OK);
    assert_true(count == 1 && found[0] == slot_at(world, ABUT_AWAKE, 0));
    found[0] = found[1] = 99;
    assert_int_equal(abut_body_contacts(world, bodies[3], ABUT_AWAKE, found, 1, &count), ABUT_OK);
    assert_true(count == 2 && found[0] == slot_at(world, ABUT_AWAKE, 2) && found[1] == 99);
    assert_int_equal(abut_body_contacts(world, bodies[3], ABUT_AWAKE, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(abut_body_contacts(world, bodies[3], (abut_contact_set)2, found, 4, &count),
                     ABUT_INVALID_ARGUMENT);
    const abut_body newcomer = ball(world, 1); // of no contact before the next detect
    assert_int_equal(abut_body_contacts(world, newcomer, ABUT_AWAKE, found, 4, &count), ABUT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(abut_body_destroy(world, newcomer), ABUT_OK);
    assert_int_equal(abut_body_set_awake_many(world, bodies, 4, false), ABUT_OK);
    expect(world, 4, 0, 0);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_body_contacts(world, bodies[3], ABUT_AWAKE, found, 4, &count), ABUT_OK);
    assert_true(count == 1 && found[0] == slot_at(world, ABUT_AWAKE, 0));
    assert_int_equal(abut_body_contacts(world, bodies[2], ABUT_ASLEEP, found, 4, &count), ABUT_OK);
    assert_true(count == 2 && found[0] == slot_at(world, ABUT_ASLEEP, 1) && found[1] == slot_at(world, ABUT_ASLEEP, 2));
    abut_world_destroy(world);
}

// Queried in every frame, a scene at rest allocates nothing; not queried, the index is not there.
static void queries_of_a_scene_at_rest_allocate_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body bodies[40];
    for (uint32_t i = 0; i < 40; ++i)
    {
        bodies[i] = ball(world, 0.7f * (float)i);
    }
    abut_statistics before, after;
    for (uint32_t frame = 0; frame < 8; ++frame)
    {
        expect(world, 39, frame ? 0 : 39, 0);
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 40; ++i)
        {
            uint32_t count, found[2];
            assert_int_equal(abut_body_contacts(world, bodies[i], ABUT_AWAKE, found, 2, &count), ABUT_OK);
            sum += count;
        }
        assert_int_equal(sum, 78);
        abut_world_statistics(world, frame < 4 ? &before : &after);
    }
    assert_true(before.allocations == after.allocations);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_begin_and_the_last_end_are_flagged),
        cmocka_unit_test(sleeping_contacts_count_among_those_of_their_bodies),
        cmocka_unit_test(speculative_contacts_do_not_count),
        cmocka_unit_test(the_contacts_of_a_body_are_listed),
        cmocka_unit_test(queries_of_a_scene_at_rest_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
