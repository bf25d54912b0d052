// Worlds that keep manifolds of pairs that hardly moved: which are kept and which are computed anew.
#include "own_kinds.h"
#include "recycled_stack.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_that_did_not_move_keeps_its_separations_to_the_bit),
        cmocka_unit_test(few_that_moved_find_each_other_and_those_that_stand),
        cmocka_unit_test(bodies_of_many_contacts_keep_all_of_them),
        cmocka_unit_test(slow_creep_is_noticed),
        cmocka_unit_test(a_manifold_is_kept_up_to_half_the_distance_and_no_farther),
        cmocka_unit_test(a_pair_that_turns_together_is_computed_anew),
        cmocka_unit_test(parting_pairs_end_and_teleported_ones_are_recomputed),
        cmocka_unit_test(kinds_of_ones_own_are_computed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
