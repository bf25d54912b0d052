// Worlds that keep manifolds of pairs that hardly moved: which are kept and which are not, and what they say of their
// pair.
#include "own_kinds.h"
#include "random_lineup.h"
#include "scarce_memory.h"
#include "small_world.h"

#include "world/world.h"

#include <abut/state.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 0.01f

static abut_world *keeping(float tolerance)
{
    return open_world(&(abut_world_def){ .recycle_distance = tolerance });
}

static uint64_t recycled(const abut_world *world)
{
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    return statistics.recycled;
}

static const abut_contact *only_contact(abut_world *world)
{
    assert_int_equal(touching(world), 1);
    return contact_at(world, ABUT_AWAKE, 0);
}

static void put(abut_world *world, abut_body body, float x, float y, float z, abut_quat rotation)
{
    const abut_pose pose = { .position = { x, y, z }, .rotation = rotation };
    assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
}

// A crate that reaches 0.01 into one below it.
typedef struct stack
{
    abut_world *world;
    abut_body below, above;
} stack;

static stack stacked(float tolerance)
{
    stack s = { .world = keeping(tolerance) };
    s.below = add(s.world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0, 0, ABUT_DYNAMIC);
    s.above = add(s.world, abut_shape_obb(0.4f, 0.5f, 0.4f), 0, 0.99f, 0, ABUT_DYNAMIC);
    expect(s.world, 1, 1, 0);
    assert_int_equal(recycled(s.world), 0);
    return s;
}

static void sound(abut_world *world)
{
    abut_audit audit;
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    assert_null(audit.what);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    uint64_t points = 0;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        points += abut_contact_at(&contacts, i)->point_count;
    }
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    assert_true(statistics.points == points);
}

static void a_pair_that_did_not_move_keeps_its_separations_to_the_bit(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    const abut_contact before = *only_contact(s.world);
    float separation[4];
    uint32_t feature[4];
    for (uint32_t i = 0; i < before.point_count; ++i)
    {
        separation[i] = before.points[i].separation;
        feature[i] = before.points[i].feature;
        impulses_at(s.world, ABUT_AWAKE, 0)[i].normal = (float)i + 1.0f;
    }
    for (uint32_t frame = 0; frame < 5; ++frame)
    {
        expect(s.world, 1, 0, 0);
        const abut_contact *contact = only_contact(s.world);
        assert_int_equal(contact->flags, ABUT_CONTACT_RECYCLED);
        assert_int_equal(recycled(s.world), 1);
        assert_true(same_id(contact->id, before.id));
        assert_true(contact->separation == before.separation);
        assert_int_equal(contact->point_count, before.point_count);
        for (uint32_t i = 0; i < before.point_count; ++i)
        {
            assert_true(contact->points[i].separation == separation[i]);
            assert_int_equal(contact->points[i].feature, feature[i]);
            assert_true(impulses_at(s.world, ABUT_AWAKE, 0)[i].normal == (float)i + 1.0f);
        }
    }
    sound(s.world);
    abut_world_destroy(s.world);
}

// Plates that carry from few crates to more than any vector is wide; each is body a of its pairs. When a crate goes or
// one comes, the other manifolds are still reused, wherever they stand in the order of the pairs.
static void bodies_of_many_contacts_keep_all_of_them(void **state)
{
    (void)state;
    enum
    {
        CRATES = 41
    };
    static const uint32_t carried[] = { 15, 16, 17, 33, CRATES };
    for (uint32_t n = 0; n < sizeof carried / sizeof carried[0]; ++n)
    {
        const uint32_t count = carried[n];
        abut_world *world = keeping(TOLERANCE);
        abut_body crates[CRATES];
        for (uint32_t side = 0; side < 2; ++side) // two plates, so that the last of the pairs are those of another body
        {
            const float x = 200.0f * (float)side;
            (void)add(world, abut_shape_obb(50.0f, 0.5f, 1.0f), x, 0, 0, ABUT_DYNAMIC);
            for (uint32_t i = 0; i < count; ++i)
            {
                const abut_shape crate = i % 2 ? abut_shape_obb(0.5f, 0.5f, 0.5f) : abut_shape_sphere(0.5f);
                crates[i] = add(world, crate, x + 1.1f * ((float)i - 0.5f * (float)count), 0.99f, 0, ABUT_DYNAMIC);
            }
        }
        const uint32_t all = 2 * count, kept = all;
        expect(world, all, all, 0);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            expect(world, all, 0, 0);
            assert_int_equal(recycled(world), kept);
        }
        put(world, crates[1], 200.0f, 50.0f, 0, abut_quat_identity());
        expect(world, all - 1, 0, 1);
        assert_int_equal(recycled(world), kept - 1);
        put(world, crates[1], 200.0f + 1.1f * (1.0f - 0.5f * (float)count), 0.99f, 0, abut_quat_identity());
        expect(world, all, 1, 0);
        assert_int_equal(recycled(world), kept - 1);
        expect(world, all, 0, 0);
        assert_int_equal(recycled(world), kept);
        sound(world);
        abut_world_destroy(world);
    }
}

// A tenth of the tolerance at a time: every so often the manifold must be computed anew, and it is never far from the
// truth.
static void slow_creep_is_noticed(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    uint32_t computed = 0;
    for (uint32_t frame = 1; frame <= 60; ++frame)
    {
        const float x = 0.1f * TOLERANCE * (float)frame;
        put(s.world, s.above, x, 0.99f - 0.3f * x, 0, abut_quat_identity());
        expect(s.world, 1, 0, 0);
        computed += recycled(s.world) == 0;
        assert_true(fabsf(only_contact(s.world)->separation + 0.01f + 0.3f * x) < 1e-5f);
        sound(s.world);
    }
    assert_in_range(computed, 11, 14); // 63 tenths of the tolerance, half of which the crate may move
    abut_world_destroy(s.world);
}

// To a hundredth of half the distance: nearer is kept, farther is computed anew, whichever way a body moves or turns.
static void a_manifold_is_kept_up_to_half_the_distance_and_no_farther(void **state)
{
    (void)state;
    static const struct
    {
        float x, y, angle; // of the way: the farthest corner comes as far
    } ways[] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0.6f, 0.8f, 0 }, { 0, 0, 1 } };
    static const float parts[] = { 0.9f, 0.99f, 1.01f, 1.02f };
    for (uint32_t k = 0; k < COUNT(ways) * COUNT(parts); ++k)
    {
        const float part = parts[k % COUNT(parts)], way = 0.5f * part * TOLERANCE;
        const uint32_t w = k / COUNT(parts);
        // deep enough to touch still, so that nothing but the distance decides
        abut_world *world = keeping(TOLERANCE);
        add(world, abut_shape_obb(2.0f, 0.5f, 2.0f), 0, 0, 0, ABUT_DYNAMIC);
        const abut_body above = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0.9f, 0, ABUT_DYNAMIC);
        detect(world);
        // chords of the half diagonal are what its turning comes to
        const float turn = ways[w].angle * way / sqrtf(0.75f);
        const abut_quat rotation = abut_quat_from_axis_angle((abut_vec3){ 0, 1, 0 }, turn);
        put(world, above, way * ways[w].x, 0.9f + way * ways[w].y, 0, rotation);
        detect(world);
        assert_int_equal(recycled(world), part < 1.0f);
        sound(world);
        abut_world_destroy(world);
    }
}

// Anchors are in the world: what rides on something that moves is computed anew.
static void a_pair_that_turns_together_is_computed_anew(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    for (uint32_t frame = 1; frame <= 20; ++frame)
    {
        const float turn = 0.3f * (float)frame;
        const abut_quat rotation = abut_quat_from_axis_angle(abut_vec3_make(1, 2, 3), turn);
        const abut_vec3 up = abut_quat_rotate(rotation, abut_vec3_make(0, 1, 0));
        put(s.world, s.below, 5.0f * turn, 1, 2, rotation);
        put(s.world, s.above, 5.0f * turn + 0.99f * up.x, 1.0f + 0.99f * up.y, 2.0f + 0.99f * up.z, rotation);
        expect(s.world, 1, 0, 0);
        const abut_contact *contact = only_contact(s.world);
        assert_int_equal(recycled(s.world), 0);
        assert_true(abut_vec3_length(abut_vec3_sub(contact->normal, up)) < 1e-5f);
        assert_true(fabsf(contact->separation + 0.01f) < 1e-5f);
        for (uint32_t i = 0; i < contact->point_count; ++i)
        {
            assert_true(fabsf(contact->points[i].separation + 0.01f) < 1e-5f);
            assert_true(fabsf(abut_vec3_dot(contact->points[i].offset, up) - 0.495f) < 1e-5f);
        }
        sound(s.world);
    }
    abut_world_destroy(s.world);
}

// Normal and points stay those of the anchors, to the bit; separations are those of now.
static void points_stay_and_separations_follow(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k += 2)
    {
        stack s = stacked(TOLERANCE);
        const float down = 0.4f * TOLERANCE * (float)k;
        const abut_pose below = abut_pose_identity();
        const abut_pose above = { .position = { 0, 0.99f - down, 0 }, .rotation = { 0, 0, 0, 1 } };
        const abut_shape crate = abut_shape_obb(0.5f, 0.5f, 0.5f), upper = abut_shape_obb(0.4f, 0.5f, 0.4f);
        const abut_contact before = *only_contact(s.world);
        abut_manifold anew;
        put(s.world, s.above, above.position.x, above.position.y, 0, above.rotation);
        expect(s.world, 1, 0, 0);
        assert_int_equal(recycled(s.world), 1);
        assert_int_equal(abut_collide(&crate, &below, &upper, &above, 0.0f, &anew), ABUT_OK);
        const abut_contact *contact = only_contact(s.world);
        assert_true(anew.point_count == 4 && contact->point_count == 4);
        assert_memory_equal(&contact->normal, &before.normal, sizeof before.normal);
        for (uint32_t i = 0; i < 4; ++i)
        {
            assert_memory_equal(&contact->points[i].offset, &before.points[i].offset, sizeof(abut_vec3));
            assert_true(fabsf(contact->points[i].separation - anew.points[i].separation) < 1e-6f);
        }
        abut_world_destroy(s.world);
    }
}

static void a_tilt_changes_the_separation_of_each_point_by_its_lever(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    const float tilt = 0.006f;
    put(s.world, s.above, 0, 0.99f, 0, abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), tilt));
    expect(s.world, 1, 0, 0);
    const abut_contact *contact = only_contact(s.world);
    assert_int_equal(recycled(s.world), 1);
    assert_int_equal(contact->point_count, 4);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const float expected = -0.01f + tilt * contact->points[i].offset.x;
        assert_true(fabsf(contact->points[i].separation - expected) < 5e-5f);
    }
    sound(s.world);
    abut_world_destroy(s.world);
}

// All of a speck is within the tolerance however it turns, but its manifold is not what it was: it lies deep in what it
// turns in.
static void what_is_small_and_deep_is_computed_anew_when_it_turns(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 2; ++first) // the speck is body a, or body b
    {
        abut_world *world = keeping(TOLERANCE);
        const abut_shape speck = abut_shape_obb(0.001f, 0.002f, 0.001f), block = abut_shape_obb(2.0f, 1.0f, 2.0f);
        abut_body body[2];
        body[0] = add(world, first == 0 ? speck : block, 0, first == 0 ? 0.6f : 0.0f, 0, ABUT_DYNAMIC);
        body[1] = add(world, first == 0 ? block : speck, 0, first == 0 ? 0.0f : 0.6f, 0, ABUT_DYNAMIC);
        expect(world, 1, 1, 0);
        for (uint32_t step = 1; step <= 12; ++step)
        {
            const abut_quat turn = abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), 0.25f * (float)step);
            put(world, body[first], 0, 0.6f, 0, turn);
            expect(world, 1, 0, 0);
            assert_true(fabsf(only_contact(world)->separation + 0.402f) < 2.0f * TOLERANCE);
            sound(world);
        }
        abut_world_destroy(world);
    }
}

// Boxes and rectangles apart by as much as they are large, or more: contacts within a wide margin, reused while they
// move a little.
static void what_is_far_apart_within_the_margin_is_as_near_as_promised(void **state)
{
    (void)state;
    uint64_t kept = 0;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const bool is_2d = seed % 3 == 0;
        abut_world *world = open_world(&(abut_world_def){ .recycle_distance = TOLERANCE,
                                                          .margin = (float)random_scale(&random, 0.1, 30.0),
                                                          .dimension = is_2d ? 2 : 3 });
        for (uint32_t i = 0; i < 12; ++i)
        {
            const float x = (float)random_between(&random, 0.0, 1.0), y = (float)random_between(&random, 0.0, 1.0);
            const abut_shape shape =
                i % 3 ? abut_shape_obb(x, y, random_chance(&random, 0.5) ? 0.5f : 0.0f) : abut_shape_aabb(y, x, 0.5f);
            add(world, shape, 0, 0, 0, ABUT_DYNAMIC);
        }
        for (uint32_t frame = 0; frame < 8; ++frame)
        {
            const abut_bodies all = abut_world_bodies(world);
            for (uint32_t slot = 0; slot < all.count; ++slot)
            {
                abut_pose *pose = &all.poses[slot];
                const double by = frame == 0 ? 5.0 : 0.3 * (double)TOLERANCE;
                const abut_vec3 shift = random_narrow(random_in_box(&random, by));
                const abut_vec3 axis = is_2d ? abut_vec3_make(0, 0, 1) : random_narrow(random_direction(&random));
                const float turn = (float)random_between(&random, -by, by);
                pose->position = abut_vec3_add(pose->position, is_2d ? abut_vec3_make(shift.x, shift.y, 0) : shift);
                pose->rotation = abut_quat_mul(abut_quat_from_axis_angle(axis, turn), pose->rotation);
            }
            detect(world);
            kept += recycled(world);
            abut_audit audit;
            DEMAND(abut_world_audit(world, &audit) == ABUT_OK && !audit.what, "%s", audit.what);
        }
        abut_world_destroy(world);
    }
    assert_true(kept > 1000 || !random_seeds_all());
}

static void parting_pairs_end_and_teleported_ones_are_recomputed(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    put(s.world, s.above, 0.2f, 0.95f, 0, abut_quat_identity());
    expect(s.world, 1, 0, 0);
    assert_int_equal(recycled(s.world), 0);
    assert_true(fabsf(only_contact(s.world)->separation + 0.05f) < 1e-6f);

    // Within the tolerance, but no longer touching: it goes on as a speculative contact.
    put(s.world, s.above, 0.2f, 0.999f, 0, abut_quat_identity());
    expect(s.world, 1, 0, 0);
    const abut_contact_id id = only_contact(s.world)->id;
    put(s.world, s.above, 0.2f, 1.001f, 0, abut_quat_identity());
    expect(s.world, 1, 0, 1);
    assert_int_equal(only_contact(s.world)->flags, ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED);
    put(s.world, s.above, 0.2f, 0.999f, 0, abut_quat_identity());
    expect(s.world, 1, 1, 0);
    assert_int_equal(recycled(s.world), 1);
    assert_true(same_id(only_contact(s.world)->id, id));

    // Farther apart than the tolerance.
    put(s.world, s.above, 0.2f, 1.02f, 0, abut_quat_identity());
    expect(s.world, 0, 0, 1);
    put(s.world, s.above, 0.2f, 0.999f, 0, abut_quat_identity());
    expect(s.world, 1, 1, 0);
    assert_int_equal(recycled(s.world), 0);
    assert_false(same_id(only_contact(s.world)->id, id));
    abut_world_destroy(s.world);
}

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

// In one piece and in small ones, each of which ends within a group of lanes.
static void fail_each_request(ab_granularity granularity)
{
    for (uint32_t refused = 0;; ++refused)
    {
        source memory = { .first_failed = NEVER };
        abut_world *world =
            open_world(&(abut_world_def){ .recycle_distance = TOLERANCE, .allocator = { lend, take_back, &memory } });
        add(world, abut_shape_obb(5.0f, 0.5f, 5.0f), 0, 0, 0, ABUT_DYNAMIC);
        ab_world_set_granularity(world, granularity);
        abut_body crate[8];
        for (uint32_t i = 0; i < 8; ++i)
        {
            const float high = i == 2 ? 0.998f : 0.99f;
            crate[i] = add(world, abut_shape_obb(0.4f, 0.5f, 0.4f), (float)i - 4.0f, high, 0, ABUT_DYNAMIC);
        }
        detect(world);
        detect(world);
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
    fail_each_request(AB_GRANULARITY_DEFAULT);
    fail_each_request((ab_granularity){ 3, 0 });
}

// A crate given by its support function, on a built-in one: nothing moves, and yet its manifold is recomputed.
static void kinds_of_ones_own_are_computed_anew(void **state)
{
    (void)state;
    abut_world *world = keeping(TOLERANCE);
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
    add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0, 0, ABUT_DYNAMIC);
    add(world, own_shape(OWN_CRATE, 0.4f, 0.5f, 0.4f), 0, 0.99f, 0, ABUT_DYNAMIC);
    for (uint32_t frame = 0; frame < 3; ++frame)
    {
        expect(world, 1, frame == 0, 0);
        assert_int_equal(recycled(world), 0);
        assert_int_equal(only_contact(world)->flags & ABUT_CONTACT_RECYCLED, 0);
    }
    sound(world);
    abut_world_destroy(world);
}

// Where few bodies have moved, each looks for its own pairs; that of two which moved is found from both.
static void few_that_moved_find_each_other_and_those_that_stand(void **state)
{
    (void)state;
    enum
    {
        BOXES = 200,
        FIRST = 97
    };
    abut_world *world = keeping(TOLERANCE);
    abut_body body[BOXES];
    for (uint32_t i = 0; i < BOXES; ++i)
    {
        body[i] = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0.99f * (float)i, 0, 0, ABUT_DYNAMIC);
    }
    expect(world, BOXES - 1, BOXES - 1, 0);
    for (uint32_t moved = 1; moved < 5; ++moved)
    {
        for (uint32_t i = FIRST; i < FIRST + moved; ++i)
        {
            put(world, body[i], 0.99f * (float)i, 0.1f * (float)moved, 0, abut_quat_identity());
        }
        expect(world, BOXES - 1, 0, 0);
        assert_int_equal(recycled(world), BOXES - 1 - (moved + 1));
        sound(world);
    }
    abut_world_destroy(world);
}

// Separations follow the rotation, whichever of its two quaternions names it.
static void both_quaternions_of_a_rotation_are_one_pose(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    const abut_quat tilt = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.006f);
    put(s.world, s.above, 0, 0.99f, 0, tilt);
    expect(s.world, 1, 0, 0);
    const abut_contact one = *only_contact(s.world);
    put(s.world, s.above, 0, 0.99f, 0, (abut_quat){ -tilt.x, -tilt.y, -tilt.z, -tilt.w });
    expect(s.world, 1, 0, 0);
    const abut_contact *other = only_contact(s.world);
    assert_int_equal(other->flags, ABUT_CONTACT_RECYCLED);
    assert_true(one.separation != -0.01f && other->separation == one.separation);
    assert_memory_equal(other->points, one.points, one.point_count * sizeof *one.points);
    sound(s.world);
    abut_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_that_did_not_move_keeps_its_separations_to_the_bit),
        cmocka_unit_test(few_that_moved_find_each_other_and_those_that_stand),
        cmocka_unit_test(both_quaternions_of_a_rotation_are_one_pose),
        cmocka_unit_test(bodies_of_many_contacts_keep_all_of_them),
        cmocka_unit_test(slow_creep_is_noticed),
        cmocka_unit_test(a_manifold_is_kept_up_to_half_the_distance_and_no_farther),
        cmocka_unit_test(a_pair_that_turns_together_is_computed_anew),
        cmocka_unit_test(points_stay_and_separations_follow),
        cmocka_unit_test(a_tilt_changes_the_separation_of_each_point_by_its_lever),
        cmocka_unit_test(what_is_small_and_deep_is_computed_anew_when_it_turns),
        cmocka_unit_test(what_is_far_apart_within_the_margin_is_as_near_as_promised),
        cmocka_unit_test(parting_pairs_end_and_teleported_ones_are_recomputed),
        cmocka_unit_test(what_was_edited_is_computed_anew),
        cmocka_unit_test(contacts_sleep_and_wake),
        cmocka_unit_test(a_detect_that_fails_changes_nothing),
        cmocka_unit_test(kinds_of_ones_own_are_computed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
