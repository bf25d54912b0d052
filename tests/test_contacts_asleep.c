// Contacts of sleeping bodies: where they are listed, that they and their impulses stay, and what is seen in spite of
// sleep.
#include "small_world.h"

// Contacts of sleeping bodies move to the sleeping ones after one detect, with their impulses, and come back when one
// wakes.
static void sleepers_keep_their_contacts_and_impulses(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body low = add(world, abut_shape_obb(1, 1, 1), 0, 0.99f, 0, ABUT_DYNAMIC);
    const abut_body high = add(world, abut_shape_obb(1, 1, 1), 0, 2.98f, 0, ABUT_DYNAMIC);
    expect(world, 2, 2, 0);
    abut_contacts now = abut_world_contacts(world, ABUT_AWAKE);
    abut_contact_id ids[2];
    uint32_t points = 0;
    for (uint32_t i = 0; i < now.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&now, i);
        ids[i] = contact->id;
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            abut_impulses_of(&now, contact)[k].normal = (float)++points;
        }
    }
    const abut_body both[] = { low, high };
    assert_int_equal(abut_body_set_awake_many(world, both, 2, false), ABUT_OK);
    expect(world, 2, 0, 0); // found once more, since they changed
    assert_int_equal(asleep(world), 0);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 2);
    expect(world, 0, 0, 0);
    const abut_contact *on_floor = contact_at(world, ABUT_ASLEEP, 0), *on_crate = contact_at(world, ABUT_ASLEEP, 1);
    assert_true(same_id(on_floor->id, ids[0]) && same_id(on_crate->id, ids[1]));
    assert_true(on_floor->flags == 0 && on_crate->flags == 0);
    assert_true(on_floor->a.slot == 0 && on_floor->b.slot == low.slot && on_crate->a.slot == low.slot);
    assert_int_equal(on_floor->point_count + on_crate->point_count, points);
    assert_true(impulses_at(world, ABUT_ASLEEP, 1)[on_crate->point_count - 1].normal == (float)points);

    assert_int_equal(abut_body_set_awake(world, high, true), ABUT_OK);
    expect(world, 1, 0, 0);
    assert_int_equal(asleep(world), 1);
    for (uint32_t frame = 0; frame < 2; ++frame)
    {
        assert_true(same_id(contact_at(world, ABUT_AWAKE, 0)->id, ids[1]));
        assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, 0); // it was there, asleep
        assert_true(impulses_at(world, ABUT_AWAKE, 0)->normal == 5.0f);
        expect(world, 1, 0, 0);
    }

    assert_int_equal(abut_body_destroy(world, low), ABUT_OK);
    expect(world, 0, 0, 2);
    assert_int_equal(asleep(world), 0);
    abut_world_destroy(world);
}

// Of each point of contact i of a set, another number about `scale * (i + 1)`.
static void write_impulses(abut_contacts set, float scale)
{
    for (uint32_t i = 0; i < set.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&set, i);
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            abut_impulses_of(&set, contact)[k].normal = scale * (float)(i + 1) + 0.125f * (float)k;
        }
    }
}

static void expect_impulses(abut_contacts set, uint32_t i, float first)
{
    const abut_contact *contact = abut_contact_at(&set, i);
    assert_int_equal(contact->point_count, 4);
    for (uint32_t k = 0; k < 4; ++k)
    {
        const float expected = first == 0.0f ? 0.0f : first + 0.125f * (float)k;
        assert_true(abut_impulses_of(&set, contact)[k].normal == expected);
    }
}

// Impulses that a caller writes to sleeping contacts stay: when others come and go, and when they wake.
static void impulses_written_to_sleeping_contacts_stay(void **state)
{
    (void)state;
    enum
    {
        CRATES = 4
    };
    abut_world *world = open_world(NULL);
    abut_body crates[CRATES];
    add(world, abut_shape_aabb(50, 1, 5), 0, -1, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < CRATES; ++i)
    {
        crates[i] = add(world, abut_shape_obb(1, 1, 1), 4.0f * (float)i, 0.99f, 0, ABUT_DYNAMIC);
    }
    assert_int_equal(abut_body_set_awake_many(world, crates, CRATES - 1, false), ABUT_OK);
    detect(world);
    detect(world);
    assert_int_equal(asleep(world), CRATES - 1);
    write_impulses(abut_world_contacts(world, ABUT_ASLEEP), 1.0f);

    // One more falls asleep, and one wakes.
    assert_int_equal(abut_body_set_awake(world, crates[CRATES - 1], false), ABUT_OK);
    detect(world);
    detect(world);
    abut_contacts now = abut_world_contacts(world, ABUT_ASLEEP);
    assert_int_equal(now.count, CRATES);
    for (uint32_t i = 0; i < CRATES; ++i)
    {
        expect_impulses(now, i, i + 1 < CRATES ? (float)(i + 1) : 0.0f);
    }
    write_impulses(now, 10.0f);
    assert_int_equal(abut_body_set_awake(world, crates[1], true), ABUT_OK);
    detect(world);
    now = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(now.count, 1);
    expect_impulses(now, 0, 20.0f);
    now = abut_world_contacts(world, ABUT_ASLEEP);
    assert_int_equal(now.count, CRATES - 1);
    expect_impulses(now, 0, 10.0f);
    expect_impulses(now, 2, 40.0f);
    abut_world_destroy(world);
}

#define ROW 300u

// A detect in pieces, during which the impulses of the sleeping contact stay.
static void detect_in_pieces(abut_world *world)
{
    const abut_contact_id id = contact_at(world, ABUT_ASLEEP, 0)->id;
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    for (uint32_t tasks; (tasks = abut_world_detect_next(world)) > 0;)
    {
        for (uint32_t i = 0; i < tasks; ++i)
        {
            assert_int_equal(abut_world_detect_task(world, i), ABUT_OK);
        }
    }
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    assert_true(same_id(contact_at(world, ABUT_ASLEEP, 0)->id, id));
    assert_true(impulses_at(world, ABUT_ASLEEP, 0)->normal == 5.0f);
}

static void sleeping_contacts_stay_while_more_fall_asleep(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body row[ROW];
    for (uint32_t i = 0; i < ROW; ++i)
    {
        row[i] = ball(world, 0.9f * (float)i);
    }
    ball(world, -9); // two that stay awake, so that there is something to do when the others have fallen asleep
    ball(world, -9.5f);
    expect(world, ROW, ROW, 0);
    assert_int_equal(abut_body_set_awake_many(world, row, 2, false), ABUT_OK);
    detect(world);
    detect(world);
    assert_int_equal(asleep(world), 1);
    impulses_at(world, ABUT_ASLEEP, 0)->normal = 5.0f;
    assert_int_equal(abut_body_set_awake_many(world, row, ROW, false), ABUT_OK);
    while (asleep(world) == 1)
    {
        detect_in_pieces(world);
    }
    assert_int_equal(asleep(world), ROW - 1);
    abut_world_destroy(world);
}

static void a_static_made_under_a_sleeper_is_seen(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body sleeper = add(world, abut_shape_obb(1, 1, 1), 0, 0.9f, 0, ABUT_DYNAMIC);
    bool awake = true;
    assert_int_equal(abut_body_set_awake(world, sleeper, false), ABUT_OK);
    assert_int_equal(abut_body_awake(world, sleeper, &awake), ABUT_OK);
    assert_false(awake);
    expect(world, 0, 0, 0);
    expect(world, 0, 0, 0);
    const abut_body floor = add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 1);
    assert_int_equal(abut_body_set_velocity(world, sleeper, &(abut_velocity){ .linear = { 0, 9, 0 } }), ABUT_OK);
    assert_int_equal(abut_world_step(world, 1.0f), ABUT_OK); // asleep: it does not move
    assert_int_equal(asleep(world), 1);
    abut_world_bodies(world).poses[sleeper.slot].position.y = 3;
    assert_int_equal(abut_body_mark_moved(world, sleeper), ABUT_OK);
    expect(world, 0, 0, 1);
    abut_world_bodies(world).poses[sleeper.slot].position.y = 0.5f;
    assert_int_equal(abut_body_mark_moved(world, sleeper), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, floor, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .mask = 2 }), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(asleep(world), 0);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleepers_keep_their_contacts_and_impulses),
        cmocka_unit_test(impulses_written_to_sleeping_contacts_stay),
        cmocka_unit_test(sleeping_contacts_stay_while_more_fall_asleep),
        cmocka_unit_test(a_static_made_under_a_sleeper_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
