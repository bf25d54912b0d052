// Pair functions of the caller's own come and go in any order, and each meeting is made by the one that was set for it last, or by
// the library.
#include "own_kinds.h"
#include "random.h"
#include "small_world.h"

enum
{
    KINDS = 4,
    BODIES = 2 * KINDS,
    MEETINGS = KINDS * KINDS
};

// Says that every pair touches, with a feature of its own.
static void say(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    const uint32_t *mark = context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ { 0, 1, 0 }, -0.25f, 1, { { { 0, 0, 0 }, -0.25f, *mark } } };
    }
}

// What each pair of the world says it was made by: 0 for the library.
static void expect_marks(abut_world *world, const uint32_t *expected)
{
    detect(world);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(all.count, BODIES * (BODIES - 1) / 2);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = &all.data[i];
        const uint32_t a = c->a.slot / 2, b = c->b.slot / 2;
        const uint32_t mark = expected[(a < b ? a : b) * KINDS + (a < b ? b : a)];
        const bool ours = c->point_count == 1 && all.points[c->first_point].feature >= 1000;
        assert_int_equal(ours ? all.points[c->first_point].feature : 0, mark);
    }
}

static void each_meeting_is_made_by_the_function_set_last(void **state)
{
    (void)state;
    random_source random = random_start(11);
    abut_world *world = open_world(NULL);
    uint32_t marks[MEETINGS], expected[MEETINGS] = { 0 };
    for (uint32_t i = 0; i < KINDS; ++i)
    {
        uint32_t id;
        assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
        assert_int_equal(id, ABUT_FIRST_KIND + i);
    }
    // Two of each kind, all in one heap.
    for (uint32_t i = 0; i < KINDS; ++i)
    {
        for (uint32_t k = 0; k < 2; ++k)
        {
            add(world, own_shape(i, 1, 1, 1), 0.01f * (float)i, k ? 0.5f : 0.0f, 0, ABUT_DYNAMIC);
        }
    }
    for (uint32_t i = 0; i < MEETINGS; ++i)
    {
        marks[i] = 1000 + i;
    }
    for (uint32_t round = 0; round < 300; ++round)
    {
        uint32_t a = random_below(&random, KINDS), b = random_below(&random, KINDS);
        const bool set = random_chance(&random, 0.6);
        assert_int_equal(abut_world_set_pair_function(world, ABUT_FIRST_KIND + a, ABUT_FIRST_KIND + b, set ? say : NULL,
                                                      &marks[round % MEETINGS]),
                         ABUT_OK);
        expected[(a < b ? a : b) * KINDS + (a < b ? b : a)] = set ? marks[round % MEETINGS] : 0;
        expect_marks(world, expected);
    }
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_meeting_is_made_by_the_function_set_last) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
