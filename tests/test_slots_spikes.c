// Slots of contacts after a spike: their number and their memory fall, those that stay keep ids and impulses, and ids
// that were given back are never seen again.
#include "random.h"
#include "small_world.h"

enum
{
    PAIRS = 30, // that stay
    SIDE = 14,  // of a lattice of balls
    CROWD = SIDE * SIDE * SIDE,
    WAYS = 6,         // in which a crowd's contacts end
    PERIODS = 2 * 256 // detects after which what a spike took has been given back
};

// Pairs of balls that touch, which outlive every spike.
static void make_pairs(abut_world *world, abut_contact_id ids[PAIRS])
{
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        (void)add(world, abut_shape_sphere(0.5f), 3.0f * (float)i, -50, 0, ABUT_DYNAMIC);
        (void)add(world, abut_shape_sphere(0.5f), 3.0f * (float)i + 0.75f, -50, 0, ABUT_DYNAMIC);
    }
    expect(world, PAIRS, PAIRS, 0);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        ids[i] = contact_at(world, ABUT_AWAKE, i)->id;
        impulses_at(world, ABUT_AWAKE, i)->normal = (float)(i + 1);
    }
}

static void make_crowd(abut_world *world, abut_body *crowd)
{
    static abut_body_def defs[CROWD];
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        const abut_vec3 at = { (float)(i % SIDE), (float)(i / SIDE % SIDE), (float)(i / SIDE / SIDE) };
        defs[i] =
            (abut_body_def){ .pose.position = abut_vec3_scale(at, 0.9f), .collider.shape = abut_shape_sphere(0.5f) };
    }
    assert_int_equal(abut_body_create_many(world, defs, CROWD, crowd), ABUT_OK);
}

// Ends a crowd's contacts in one of several ways, awake or asleep.
static void end_crowd(abut_world *world, const abut_body *crowd, uint32_t way, float height)
{
    if (way % 2 == 1)
    {
        assert_int_equal(abut_body_set_awake_many(world, crowd, CROWD, false), ABUT_OK);
        detect(world);
        detect(world);
        assert_true(asleep(world) > CROWD);
    }
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        const abut_pose apart = { .position = { 3.0f * (float)i, height, 0 }, .rotation = { .w = 1 } };
        assert_int_equal(way / 2 == 0   ? abut_body_destroy(world, crowd[i])
                         : way / 2 == 1 ? abut_body_set_enabled(world, crowd[i], false)
                                        : abut_body_set_pose(world, crowd[i], &apart),
                         ABUT_OK);
    }
}

static void slots_and_their_memory_fall_after_a_spike(void **state)
{
    (void)state;
    static abut_body crowd[CROWD];
    const uint64_t a_slot = sizeof(abut_contact) + sizeof(abut_contact_colliders) + 4 * sizeof(abut_impulse);
    const uint32_t ways = random_share_of(WAYS, 2);
    for (uint32_t k = 0; k < ways; ++k)
    {
        const uint32_t way = k * WAYS / ways;
        abut_contact_id ids[PAIRS];
        abut_statistics high, low;
        abut_world *world = open_world(NULL);
        make_pairs(world, ids);
        uint32_t highest = 0; // generation of any slot so far
        for (uint32_t spike = 0; spike < 2; ++spike)
        {
            make_crowd(world, crowd);
            detect(world);
            const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
            assert_true(all.count > 2 * CROWD && all.slots >= all.count && all.slots < all.count + all.count / 4);
            uint32_t later = 0;
            for (uint32_t i = 0; i < all.count; ++i)
            {
                const abut_contact *contact = abut_contact_at(&all, i);
                const bool is_new = (contact->flags & ABUT_CONTACT_NEW) != 0;
                // Those of the first spike are never seen again, though their slots were given back.
                assert_true(!is_new || spike == 0 || contact->id.slot < 2 * PAIRS || contact->id.generation > highest);
                later = contact->id.generation > later ? contact->id.generation : later;
            }
            highest = later;
            abut_world_statistics(world, &high);
            const uint32_t many = all.slots;
            end_crowd(world, crowd, way, 50.0f + 10.0f * (float)spike);
            for (uint32_t i = 0; i < PERIODS; ++i)
            {
                detect(world);
            }
            abut_world_statistics(world, &low);
            assert_int_equal(touching(world) + asleep(world), PAIRS);
            assert_true(abut_world_contacts(world, ABUT_AWAKE).slots <= 2 * PAIRS);
            assert_true(low.bytes + (uint64_t)many * a_slot * 3 / 4 < high.bytes);
            for (uint32_t i = 0; i < PAIRS; ++i)
            {
                assert_true(same_id(contact_at(world, ABUT_AWAKE, i)->id, ids[i]));
                assert_true(impulses_at(world, ABUT_AWAKE, i)->normal == (float)(i + 1));
            }
            expect_sound(world);
        }
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_and_their_memory_fall_after_a_spike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
