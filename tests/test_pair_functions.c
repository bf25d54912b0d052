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

// The manifold that the next detect is to find.
typedef struct saying
{
    uint32_t count;
    uint32_t features[4];
} saying;

static void say_all(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    const saying *said = context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ .normal = { 0, 1, 0 }, .separation = -0.25f, .point_count = said->count };
        for (uint32_t k = 0; k < said->count; ++k)
        {
            out[i].points[k] = (abut_point){ { 0, 0, 0 }, -0.25f, said->features[k] };
        }
    }
}

// Of the features of two detects one after the other, each of which may need all its bits, may be the greatest there is, or be one
// that no point had: an impulse stays with its feature and with nothing else.
static void impulses_stay_with_features_of_any_size(void **state)
{
    (void)state;
    static const uint32_t choices[] = { 0, 1, 2, 0xfffe, 0xffff, 0x10000, 0x10001, 0x20002, 0xfffffffe, 0xffffffff };
    enum
    {
        CHOICES = sizeof choices / sizeof choices[0]
    };
    random_source random = random_start(12);
    abut_world *world = open_world(NULL);
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
    add(world, own_shape(0, 1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    add(world, own_shape(0, 1, 1, 1), 0, 0.5f, 0, ABUT_DYNAMIC);
    saying said = { 0 }, before = { 0 };
    float kept[4] = { 0 };
    assert_int_equal(abut_world_set_pair_function(world, id, id, say_all, &said), ABUT_OK);
    uint32_t stayed = 0, fresh = 0;
    for (uint32_t frame = 0; frame < 3000; ++frame)
    {
        // Features of one manifold differ from each other; half of the time as many as possible are from one end of the list.
        const uint32_t span = random_chance(&random, 0.5) ? 5 : CHOICES;
        const uint32_t first = random_below(&random, CHOICES), step = 1 + random_below(&random, 2);
        said.count = 1 + random_below(&random, 4);
        for (uint32_t k = 0; k < said.count; ++k)
        {
            said.features[k] = choices[(first + (step * k) % span) % CHOICES];
        }
        detect(world);
        const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
        assert_int_equal(all.count, 1);
        assert_int_equal(all.data[0].point_count, said.count);
        for (uint32_t k = 0; k < said.count; ++k)
        {
            float wanted = 0.0f;
            for (uint32_t j = 0; j < before.count; ++j)
            {
                wanted = before.features[j] == said.features[k] ? kept[j] : wanted;
            }
            assert_int_equal(all.points[k].feature, said.features[k]);
            assert_true(all.impulses[k].normal == wanted && all.impulses[k].twist == 2.0f * wanted);
            stayed += wanted != 0.0f;
            fresh += wanted == 0.0f;
        }
        for (uint32_t k = 0; k < said.count; ++k)
        {
            kept[k] = (float)(4 * frame + k + 1);
            all.impulses[k].normal = kept[k];
            all.impulses[k].twist = 2.0f * kept[k];
        }
        before = said;
    }
    assert_true(stayed > 1000 && fresh > 1000);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_meeting_is_made_by_the_function_set_last),
        cmocka_unit_test(impulses_stay_with_features_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
