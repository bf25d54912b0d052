// What a world cannot hold or do: too many bodies, slots used too often, threads that the system does not give, turns
// past counting. Each is answered with a status, and the world is what it was.
#define _GNU_SOURCE
#include "small_world.h"
#include "world/world.h"

#include "base/array.h"

#include <abut/state.h>
#include <abut/statistics.h>

#include <math.h>
#if defined(__GLIBC__)
#include <pthread.h>
#endif

// Sixteen million bodies would be too many for a test: an array's length is made to say so for a moment.
static void a_full_world_takes_no_more(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body_def def = { .collider.shape = abut_shape_sphere(0.5f) };
    const abut_collider_def more = { .shape = abut_shape_sphere(0.25f) };
    const abut_body body = ball(world, 0);
    abut_body created = { 7, 7 };
    abut_collider attached = { 7, 7 };
    const uint64_t before = abut_world_hash(world);

    size_t *bodies = &stbds_header(world->state.bodies.pose)->length,
           *colliders = &stbds_header(world->state.colliders.shape)->length;
    const size_t length = *bodies, collider_length = *colliders;
    *bodies = ABUT_MAX_BODIES;
    assert_int_equal(abut_body_create(world, &def, &created), ABUT_LIMIT);
    *bodies = length;
    *colliders = ABUT_MAX_COLLIDERS;
    assert_int_equal(abut_body_create(world, &def, &created), ABUT_LIMIT);
    assert_int_equal(abut_collider_attach(world, body, &more, &attached), ABUT_LIMIT);
    *colliders = collider_length;

    assert_true(created.slot == 7 && attached.slot == 7 && abut_world_hash(world) == before);
    assert_int_equal(abut_body_create(world, &def, &created), ABUT_OK);
    assert_int_equal(abut_collider_attach(world, body, &more, &attached), ABUT_OK);
    detect(world);
    abut_world_destroy(world);
}

// Room for more than there may ever be is refused for good, not for want of memory. The allocator is not asked.
static void room_past_the_limits_is_refused(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_statistics before, after;
    abut_world_statistics(world, &before);
    assert_int_equal(abut_world_reserve(world, ABUT_MAX_BODIES + 1, 0), ABUT_LIMIT);
    assert_int_equal(abut_world_reserve(world, 0, UINT32_MAX), ABUT_LIMIT);
    abut_world_statistics(world, &after);
    assert_true(after.allocations == before.allocations);
    abut_world_destroy(world);
}

// The last generation of a slot: after it no handle could be distinguished from an earlier one.
static void a_slot_that_was_used_too_often_is_not_used_again(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body body = ball(world, 0);
    const uint32_t slot = body.slot, collider = world->state.bodies.first[slot];
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    detect(world);
    world->state.bodies.uses[slot] = world->state.colliders.uses[collider] = AB_USE_COUNT_MAX - 1;
    body = ball(world, 0);
    assert_int_equal(body.slot, slot);
    assert_int_equal(world->state.bodies.first[slot], collider);
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    detect(world);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const abut_body next = ball(world, 0);
        assert_int_not_equal(next.slot, slot);
        assert_int_not_equal(world->state.bodies.first[next.slot], collider);
        assert_false(abut_body_valid(world, body));
        assert_int_equal(abut_body_destroy(world, next), ABUT_OK);
        detect(world);
    }
    abut_world_destroy(world);
}

// Handles tell worlds apart by a byte, which comes round.
static void a_handle_of_a_world_long_gone_is_noticed(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = ball(world, 0);
    const abut_collider collider = first_collider(world, body);
    abut_world_destroy(world);
    for (uint32_t i = 0; i < 2000; ++i)
    {
        world = open_world(&(abut_world_def){ .body_capacity = 1 });
        const abut_body other = ball(world, 0);
        assert_int_equal(other.slot, body.slot);
        assert_false(abut_body_valid(world, body));
        assert_false(abut_collider_valid(world, collider));
        assert_int_equal(abut_body_destroy(world, body), ABUT_STALE_HANDLE);
        abut_world_destroy(world);
    }
}

static uint64_t hash_with(uint64_t user_data, float speed)
{
    abut_world *world = open_world(NULL);
    const abut_body body = ball(world, 0);
    ball(world, 0.9f);
    assert_int_equal(abut_body_set_user_data(world, body, user_data), ABUT_OK);
    assert_int_equal(abut_collider_set_user_data(world, first_collider(world, body), user_data), ABUT_OK);
    assert_int_equal(abut_body_set_velocity(world, body, &(abut_velocity){ .linear = { 0, speed, 0 } }), ABUT_OK);
    detect(world);
    assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 1);
    const uint64_t hash = abut_world_hash(world);
    abut_world_destroy(world);
    return hash;
}

// User data may be an address.
static void the_hash_is_of_velocities_and_not_of_user_data(void **state)
{
    (void)state;
    assert_true(hash_with(1, 2) == hash_with(99, 2));
    assert_true(hash_with(1, 2) != hash_with(1, 3));
}

static void a_rotation_past_the_limit_fails(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = ball(world, 0);
    const abut_velocity spin = { .angular = { 0, 1.0e4f, 0 } };
    assert_int_equal(abut_body_set_velocity(world, body, &spin), ABUT_OK);
    const uint64_t before = abut_world_hash(world);
    assert_int_equal(abut_world_step(world, 1.0e6f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move(world, 1.0e6f), ABUT_INVALID_ARGUMENT);
    assert_true(abut_world_hash(world) == before);
    assert_int_equal(abut_world_step(world, 1.0e4f), ABUT_OK);
    assert_true(abut_world_hash(world) != before);
    abut_world_destroy(world);
}

// A collider placed by one coordinate alone is there, and one that is placed nowhere is at the body's origin.
static void each_coordinate_of_a_place_counts(void **state)
{
    (void)state;
    const float half = 0.70710678f;
    const abut_pose places[] = {
        { { 1, 0, 0 }, 0, { 0, 0, 0, 1 } },       { { 0, 1, 0 }, 0, { 0, 0, 0, 1 } },
        { { 0, 0, 1 }, 0, { 0, 0, 0, 1 } },       { { 0, 0, 0 }, 0, { half, 0, 0, half } },
        { { 0, 0, 0 }, 0, { 0, half, 0, half } }, { { 0, 0, 0 }, 0, { 0, 0, half, half } },
        { { 0, 0, 0 }, 0, { 0, 0, 0, -1 } },      { { 0, 0, 0 }, 0, { 0, 0, 0, 1 } },
    };
    const abut_vec3 reach[] = { { 2, 2, 4 }, { 1, 3, 4 }, { 1, 2, 5 }, { 1, 4, 2 },
                                { 4, 2, 1 }, { 2, 1, 4 }, { 1, 2, 4 }, { 1, 2, 4 } };
    for (uint32_t i = 0; i < COUNT(places); ++i)
    {
        abut_world *world = open_world(NULL); // each makes its own array of indices
        abut_body body;
        abut_collider collider;
        abut_aabb box;
        uint32_t count;
        assert_int_equal(
            abut_body_create(
                world, &(abut_body_def){ .collider = { .shape = abut_shape_obb(1, 2, 4), .local = places[i] } }, &body),
            ABUT_OK);
        assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
        assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
        assert_true(fabsf(box.max.x - reach[i].x) < 1e-4f && fabsf(box.max.y - reach[i].y) < 1e-4f &&
                    fabsf(box.max.z - reach[i].z) < 1e-4f);
        abut_collider_def def;
        assert_int_equal(abut_collider_get(world, collider, &def, NULL), ABUT_OK);
        assert_true(def.local.position.y == places[i].position.y && def.local.rotation.w == places[i].rotation.w);
        abut_body owner = { 0 };
        assert_int_equal(abut_collider_get(world, collider, NULL, &owner), ABUT_OK);
        assert_true(owner.slot == body.slot && owner.generation == body.generation);
        abut_world_destroy(world);
    }
}

#if defined(__GLIBC__)
// Starts threads with a stack that no machine has.
static void threads_that_cannot_start_are_reported(void **state)
{
    (void)state;
    pthread_attr_t before, huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 50), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    abut_world *world = (abut_world *)&huge;
    const abut_status status = abut_world_create(&(abut_world_def){ .threads = 3 }, &world);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    assert_int_equal(status, ABUT_OUT_OF_MEMORY);
    assert_null(world);
    world = open_world(&(abut_world_def){ .threads = 3 });
    detect(world);
    abut_world_destroy(world);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_world_takes_no_more),
        cmocka_unit_test(room_past_the_limits_is_refused),
        cmocka_unit_test(a_slot_that_was_used_too_often_is_not_used_again),
        cmocka_unit_test(a_handle_of_a_world_long_gone_is_noticed),
        cmocka_unit_test(the_hash_is_of_velocities_and_not_of_user_data),
        cmocka_unit_test(a_rotation_past_the_limit_fails),
        cmocka_unit_test(each_coordinate_of_a_place_counts),
#if defined(__GLIBC__)
        cmocka_unit_test(threads_that_cannot_start_are_reported),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
