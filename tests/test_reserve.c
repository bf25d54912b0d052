// A world's requests for memory: none once the scene is at rest, none for what was reserved, and not much more than it
// needs.
#include "small_world.h"

#include <math.h>

static void room_that_was_reserved_is_there_after_a_detect(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .body_capacity = 64 });
    abut_statistics before, after;
    detect(world);
    abut_world_statistics(world, &before);
    for (uint32_t i = 0; i < 64; ++i)
    {
        add(world, abut_shape_sphere(0.5f), 2.0f * (float)i, 0, 0, i % 2 ? ABUT_STATIC : ABUT_DYNAMIC);
    }
    abut_world_statistics(world, &after);
    assert_true(after.allocations == before.allocations);
    abut_world_destroy(world);
}

// Bodies without a collider make no room for one: what points to colliders stands.
static void bodies_without_colliders_leave_others_alone(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .body_capacity = 4 });
    for (uint32_t i = 0; i < 4; ++i)
    {
        ball(world, 2.0f * (float)i);
    }
    const abut_colliders before = abut_world_colliders(world);
    for (uint32_t i = 0; i < 100; ++i)
    {
        abut_body body;
        assert_int_equal(abut_body_create(world, &(abut_body_def){ 0 }, &body), ABUT_OK);
    }
    const abut_colliders after = abut_world_colliders(world);
    assert_true(after.user_data == before.user_data && after.generations == before.generations && after.count == 4);
    abut_world_destroy(world);
}

// Half of what was reserved falls asleep: the room of the static set does not come from what is left over.
static void reserved_room_stays_when_many_proxies_go_static(void **state)
{
    (void)state;
    enum
    {
        HALF = 8192
    };
    abut_world *world = open_world(&(abut_world_def){ .body_capacity = 2 * HALF });
    abut_statistics before, after;
    for (uint32_t i = 0; i < 2 * HALF; ++i)
    {
        add(world, abut_shape_sphere(0.25f), (float)(i % 64), (float)(i / 64), i < HALF ? 0 : 1, ABUT_STATIC);
        if (i == HALF - 1)
        {
            detect(world);
            detect(world);
            abut_world_statistics(world, &before);
        }
    }
    abut_world_statistics(world, &after);
    assert_true(after.allocations == before.allocations);
    abut_world_destroy(world);
}

// Rods side by side, boxes overlapping, of which none touches: found after a pair that does, or at once. Gives the
// bytes held.
static uint64_t bytes_for_rods(bool after_a_pair)
{
    abut_world *world = open_world(&(abut_world_def){ .body_capacity = 512 });
    if (after_a_pair)
    {
        add(world, abut_shape_obb(1, 1, 1), -100, 0, 0, ABUT_DYNAMIC);
        add(world, abut_shape_obb(1, 1, 1), -101, 0, 0, ABUT_DYNAMIC);
        expect(world, 1, 1, 0);
    }
    const float half_angle = 0.3926991f; // an eighth of a turn about z
    for (uint32_t i = 0; i < 400; ++i)
    {
        abut_body body;
        const abut_body_def def = { .pose = { .position = { 0.03f * (float)i, 0, 0 },
                                              .rotation = { 0, 0, sinf(half_angle), cosf(half_angle) } },
                                    .collider.shape = abut_shape_obb(20, 0.005f, 0.005f) };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    detect(world);
    abut_statistics s;
    abut_world_statistics(world, &s);
    assert_true(s.candidates >= 400 * 399 / 2 && s.contacts == after_a_pair);
    abut_world_destroy(world);
    return s.bytes;
}

static void few_pairs_do_not_predict_what_many_will_find(void **state)
{
    (void)state;
    assert_true(bytes_for_rods(true) < bytes_for_rods(false) + 500000);
}

static void a_scene_at_rest_allocates_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < 500; ++i)
    {
        add(world, i % 3 ? abut_shape_obb(0.5f, 0.5f, 0.5f) : abut_shape_sphere(0.5f), (float)(i % 10) * 0.95f,
            (float)(i / 10 % 10) * 0.95f, (float)(i / 100) * 0.95f, i % 7 ? ABUT_DYNAMIC : ABUT_STATIC);
    }
    abut_statistics before, after;
    for (uint32_t i = 0; i < 5; ++i)
    {
        detect(world);
    }
    abut_world_statistics(world, &before);
    for (uint32_t i = 0; i < 20; ++i)
    {
        detect(world);
    }
    abut_world_statistics(world, &after);
    assert_true(after.contacts > 500);
    assert_true(after.allocations == before.allocations);
    abut_world_destroy(world);
}

// Static blocks that are taken away and put elsewhere, a few in each step.
static void what_is_built_and_torn_down_allocates_nothing(void **state)
{
    (void)state;
    enum
    {
        BLOCKS = 200,
        EDITS = 1
    };
    abut_world *world = open_world(NULL);
    static abut_body blocks[BLOCKS];
    abut_statistics before, after;
    for (uint32_t i = 0; i < BLOCKS; ++i)
    {
        blocks[i] = add(world, abut_shape_aabb(0.5f, 0.5f, 0.5f), (float)(i % 20), (float)(i / 20), 0, ABUT_STATIC);
    }
    for (uint32_t frame = 0; frame < 400; ++frame)
    {
        for (uint32_t k = 0; k < EDITS; ++k)
        {
            const uint32_t i = (EDITS * frame + k) * 7 % BLOCKS;
            assert_int_equal(abut_body_destroy(world, blocks[i]), ABUT_OK);
            blocks[i] = add(world, abut_shape_aabb(0.5f, 0.5f, 0.5f), (float)(i % 20), (float)(i / 20),
                            (float)(frame % 3), ABUT_STATIC);
        }
        detect(world);
        abut_world_statistics(world, frame < 200 ? &before : &after);
    }
    assert_true(after.allocations == before.allocations);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_that_was_reserved_is_there_after_a_detect),
        cmocka_unit_test(bodies_without_colliders_leave_others_alone),
        cmocka_unit_test(reserved_room_stays_when_many_proxies_go_static),
        cmocka_unit_test(few_pairs_do_not_predict_what_many_will_find),
        cmocka_unit_test(a_scene_at_rest_allocates_nothing),
        cmocka_unit_test(what_is_built_and_torn_down_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
