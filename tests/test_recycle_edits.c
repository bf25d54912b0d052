// Worlds that keep manifolds of pairs that hardly moved, through what happens to bodies and colliders besides moving:
// edits, filters, sleep, and detects that fail.
#include "recycled_stack.h"
#include "scarce_memory.h"

#include "world/world.h"

static void what_was_edited_is_computed_anew(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(s.world, s.above, &collider, 1, &count), ABUT_OK);
    const abut_shape lower = abut_shape_obb(0.4f, 0.6f, 0.4f);
    assert_int_equal(abut_collider_set_shape(s.world, collider, &lower), ABUT_OK);
    expect(s.world, 1, 0, 0);
    assert_true(fabsf(only_contact(s.world)->separation + 0.11f) < 1e-6f);
    assert_int_equal(recycled(s.world), 0);
    expect(s.world, 1, 0, 0);
    assert_int_equal(recycled(s.world), 1);

    const abut_filter single_threaded = { .category = 1, .mask = 2 }, open = { .category = 1, .mask = UINT32_MAX };
    assert_int_equal(abut_collider_set_filter(s.world, collider, &single_threaded), ABUT_OK);
    expect(s.world, 0, 0, 1);
    assert_int_equal(abut_collider_set_filter(s.world, collider, &open), ABUT_OK);
    expect(s.world, 1, 1, 0);

    assert_int_equal(abut_world_set_collides(s.world, ABUT_DYNAMIC, ABUT_DYNAMIC, false), ABUT_OK);
    expect(s.world, 0, 0, 1);
    assert_int_equal(abut_world_set_collides(s.world, ABUT_DYNAMIC, ABUT_DYNAMIC, true), ABUT_OK);
    expect(s.world, 1, 1, 0);

    // A rule that says nothing about them changes nothing for them.
    assert_int_equal(abut_world_set_collides(s.world, ABUT_STATIC, ABUT_STATIC, true), ABUT_OK);
    expect(s.world, 1, 0, 0);
    assert_int_equal(recycled(s.world), 1);

    assert_int_equal(abut_body_set_enabled(s.world, s.below, false), ABUT_OK);
    expect(s.world, 0, 0, 1);
    assert_int_equal(abut_body_set_enabled(s.world, s.below, true), ABUT_OK);
    expect(s.world, 1, 1, 0);
    expect(s.world, 1, 0, 0);
    assert_int_equal(abut_body_destroy(s.world, s.above), ABUT_OK);
    expect(s.world, 0, 0, 1);
    assert_int_equal(recycled(s.world), 0);
    abut_world_destroy(s.world);
}

// Also of a body that stands, and of one whose rotation moves nothing.
static void a_velocity_that_is_not_valid_fails_a_detect_with_a_horizon(void **state)
{
    (void)state;
    const abut_velocity wrong[] = { { .angular.z = 1e9f }, { .linear.y = -1e9f }, { .angular.z = NAN } },
                        not_2d[] = { { .linear.z = 1e-3f }, { .angular.x = 1e-3f }, { .angular.y = -5.0f } };
    for (uint32_t k = 0; k < 4; ++k)
    {
        const bool is_2d = k / 2 == 1;
        abut_world *world = open_world(&(abut_world_def){ .recycle_distance = TOLERANCE, .dimension = is_2d ? 2 : 3 });
        const abut_shape shape = k % 2 ? abut_shape_sphere(0.5f) : abut_shape_obb(0.5f, 0.5f, 0.5f);
        const abut_body below = add(world, shape, 0, 0, 0, ABUT_DYNAMIC);
        (void)add(world, shape, 0, 0.99f, 0, ABUT_DYNAMIC);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        }
        const uint64_t hash = abut_world_hash(world);
        for (uint32_t i = 0; i < COUNT(wrong) + (is_2d ? COUNT(not_2d) : 0); ++i)
        {
            abut_velocity *velocity = &abut_world_bodies(world).velocities[below.slot];
            *velocity = i < COUNT(wrong) ? wrong[i] : not_2d[i - COUNT(wrong)];
            assert_int_equal(abut_world_detect(world, 0.1f), ABUT_INVALID_ARGUMENT);
            *velocity = (abut_velocity){ 0 };
            assert_true(abut_world_hash(world) == hash);
            assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        }
        abut_world_destroy(world);
    }
}

static void contacts_sleep_and_wake(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    const abut_body both[2] = { s.below, s.above };
    expect(s.world, 1, 0, 0);
    assert_int_equal(abut_body_set_awake_many(s.world, both, 2, false), ABUT_OK);
    for (uint32_t frame = 0; frame < 3; ++frame)
    {
        detect(s.world);
        assert_int_equal(touching(s.world) + asleep(s.world), 1);
        sound(s.world);
    }
    assert_int_equal(asleep(s.world), 1);
    assert_int_equal(abut_body_set_awake(s.world, s.above, true), ABUT_OK);
    expect(s.world, 1, 0, 0);
    assert_int_equal(recycled(s.world), 0);
    expect(s.world, 1, 0, 0);
    assert_int_equal(recycled(s.world), 1);
    sound(s.world);
    abut_world_destroy(s.world);
}

// What refuses memory in any phase of a detect leaves separations, flags and anchors as they were; the next detect then
// gives what it would have given.
enum
{
    CRATES = 24, // so many that enough stand beside those that are new
    MOST_STANDING = 64
};

// The contacts in order, with all that is in their slots.
static uint32_t copy_contacts(abut_world *world, abut_contact *to)
{
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    assert_true(contacts.count > 0 && contacts.count <= MOST_STANDING);
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        to[i] = *abut_contact_at(&contacts, i);
    }
    return contacts.count;
}

// Saves a world, lets the crates move on, and restores it: what it knows of how they had moved is of later.
static void restore(abut_world *world, const abut_body crate[CRATES])
{
    size_t size;
    assert_int_equal(abut_world_save(world, 0, NULL, NULL, 0, &size), ABUT_OK);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(abut_world_save(world, 0, NULL, image, size, &size), ABUT_OK);
    for (uint32_t i = 4; i < CRATES; ++i)
    {
        put(world, crate[i], (float)i - 4.0f, 0.991f, 0, abut_quat_identity());
    }
    detect(world);
    assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
    free(image);
}

// In one piece and in small ones, each of which ends within a group of lanes.
static void fail_each_request(ab_granularity granularity, bool restored)
{
    for (uint32_t refused = 0;; ++refused)
    {
        source memory = { .first_failed = NEVER };
        abut_world *world =
            open_world(&(abut_world_def){ .recycle_distance = TOLERANCE, .allocator = { lend, take_back, &memory } });
        add(world, abut_shape_obb(25.0f, 0.5f, 5.0f), 0, 0, 0, ABUT_DYNAMIC);
        ab_world_set_granularity(world, granularity);
        abut_body crate[CRATES];
        for (uint32_t i = 0; i < CRATES; ++i)
        {
            const float high = i == 2 ? 0.998f : 0.99f;
            crate[i] = add(world, abut_shape_obb(0.4f, 0.5f, 0.4f), (float)i - 4.0f, high, 0, ABUT_DYNAMIC);
        }
        detect(world);
        for (uint32_t i = 4; i < CRATES; i += 2) // what follows now has followed before,
        {
            put(world, crate[i], (float)i - 4.0f, 0.99f + 0.0001f * (float)i, 0, abut_quat_identity());
        }
        detect(world);
        if (restored)
        {
            restore(world, crate);
        }
        for (uint32_t i = 5; i < CRATES; i += 3) // or stood still
        {
            put(world, crate[i], (float)i - 4.0f, 0.99f - 0.0001f * (float)i, 0, abut_quat_identity());
        }
        put(world, crate[1], -3.0f, 0.992f, 0, abut_quat_identity()); // follows
        put(world, crate[2], -2.0f, 1.001f, 0, abut_quat_identity()); // follows, and ends
        put(world, crate[3], -1.0f, 0.97f, 0, abut_quat_identity());  // is computed anew
        for (uint32_t i = 0; i < 40; ++i)                             // has no room yet
        {
            add(world, abut_shape_obb(0.2f, 0.2f, 0.2f), 0.1f * (float)i - 2.0f, 0.69f, 3.0f, ABUT_DYNAMIC);
        }
        const uint64_t results = abut_world_results_hash(world), all = abut_world_state_hash(world);
        abut_contact before[MOST_STANDING], after[MOST_STANDING];
        const uint32_t count = copy_contacts(world, before);
        fail_after(&memory, refused);
        const abut_status status = abut_world_detect(world, 0.0f);
        fail_after(&memory, NEVER);
        if (status == ABUT_OK)
        {
            abut_world_destroy(world);
            assert_true(refused > 10);
            return;
        }
        assert_int_equal(status, ABUT_OUT_OF_MEMORY);
        assert_true(abut_world_results_hash(world) == results && abut_world_state_hash(world) == all);
        assert_int_equal(copy_contacts(world, after), count);
        assert_memory_equal(after, before, count * sizeof *before);
        detect(world);
        sound(world);
        abut_world_destroy(world);
    }
}

static void a_detect_that_fails_changes_nothing(void **state)
{
    (void)state;
    for (int restored = 0; restored < 2; ++restored)
    {
        fail_each_request(AB_GRANULARITY_DEFAULT, restored != 0);
        fail_each_request((ab_granularity){ 3, 0 }, restored != 0);
    }
}

// Bodies asleep at two sets of poses in turn: an image has the anchors of the first.
static void sleepers_come_back_where_they_were(void **state)
{
    (void)state;
    enum
    {
        SLEEPERS = 40,
        ROOM = 1 << 20
    };
    const abut_world_def def = { .recycle_distance = TOLERANCE };
    abut_world *world = open_world(&def);
    abut_body bodies[SLEEPERS];
    for (uint32_t i = 0; i < SLEEPERS; ++i)
    {
        const abut_body_def one = { .pose = { .position = { (float)i, 0, 0 } },
                                    .collider.shape = abut_shape_obb(0.6f, 0.5f, 0.5f),
                                    .flags = ABUT_BODY_ASLEEP };
        assert_int_equal(abut_body_create(world, &one, &bodies[i]), ABUT_OK);
    }
    void *image = malloc(ROOM);
    size_t size;
    for (uint32_t frame = 0; frame < 4; ++frame)
    {
        detect(world);
    }
    assert_int_equal(abut_world_save(world, 0, NULL, image, ROOM, &size), ABUT_OK);
    detect(world);
    const uint64_t hash = abut_world_hash(world);
    for (uint32_t i = 0; i < SLEEPERS; ++i)
    {
        const abut_pose there = { .position = { (float)i, 9, 0 }, .rotation = { 0, 0, 0, 1 } };
        assert_int_equal(abut_body_set_pose(world, bodies[i], &there), ABUT_OK);
    }
    for (uint32_t frame = 0; frame < 4; ++frame)
    {
        detect(world);
    }
    assert_true(abut_world_hash(world) != hash);
    assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
    for (uint32_t frame = 0; frame < 4; ++frame)
    {
        detect(world);
        abut_audit audit;
        assert_true(abut_world_audit(world, &audit) == ABUT_OK && !audit.what);
        assert_true(frame > 0 || abut_world_hash(world) == hash);
    }
    free(image);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_edited_is_computed_anew),
        cmocka_unit_test(a_velocity_that_is_not_valid_fails_a_detect_with_a_horizon),
        cmocka_unit_test(contacts_sleep_and_wake),
        cmocka_unit_test(a_detect_that_fails_changes_nothing),
        cmocka_unit_test(sleepers_come_back_where_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
