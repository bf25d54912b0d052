// The veto: how long an answer holds.
#include "veto_judge.h"

#include <abut/state.h>

static void an_answer_holds_until_the_pair_parts(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    const abut_body a = marked(world, 0, 1), b = marked(world, 0.5f, 2);
    j.veto = 1u << 1;
    expect_asked(&j, 0, 0, 0, 1);
    j.veto = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        put(world, b, 0.5f + 0.1f * (float)i);
        expect_asked(&j, 0, 0, 0, 0);
        assert_int_equal(vetoed(world), 1);
    }
    put(world, b, 1.5f);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(vetoed(world), 0);
    put(world, b, 0.5f);
    expect_asked(&j, 1, 1, 0, 1);
    j.veto = 1u << 1;
    expect_asked(&j, 1, 0, 0, 0); // what is a contact stays one
    assert_int_equal(abut_body_set_enabled(world, a, false), ABUT_OK);
    expect_asked(&j, 0, 0, 1, 0);
    assert_int_equal(abut_body_set_enabled(world, a, true), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 1);
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(vetoed(world), 0);
    abut_world_destroy(world);
}

// A filter changed is a new pair; shape, motion kind and user data changed are the same one; changed and back is not
// changed.
static void an_answer_holds_until_a_filter_changes(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    const abut_body a = marked(world, 0, 1), b = marked(world, 0.5f, 2);
    const abut_collider collider = first_collider(world, b);
    const abut_shape larger = abut_shape_sphere(0.7f);
    j.veto = 1u << 1;
    expect_asked(&j, 0, 0, 0, 1);
    assert_int_equal(abut_collider_set_shape(world, collider, &larger), ABUT_OK);
    assert_int_equal(abut_collider_set_user_data(world, collider, 9), ABUT_OK);
    assert_int_equal(abut_body_set_motion(world, a, ABUT_STATIC), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .category = 4 }), ABUT_OK);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ 0 }), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .category = 4 }), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 1);
    assert_int_equal(j.pairs[0].collider_data_b, 9);
    j.veto = 0;
    assert_int_equal(abut_collider_set_filter(world, first_collider(world, a), &(abut_filter){ .group = 3 }), ABUT_OK);
    expect_asked(&j, 1, 1, 0, 1);
    abut_world_destroy(world);
}

// The next detect with a pair that may be asleep: `contacts` awake and asleep.
static void expect_asked_of_all(judge *j, uint32_t contacts, uint32_t ended, uint32_t asked)
{
    j->asked = 0;
    detect(j->world);
    assert_int_equal(abut_world_contacts(j->world, ABUT_AWAKE).count + abut_world_contacts(j->world, ABUT_ASLEEP).count,
                     contacts);
    assert_int_equal(abut_world_events(j->world, ABUT_BEGIN).count, 0);
    assert_int_equal(abut_world_events(j->world, ABUT_END).count, ended);
    assert_int_equal(j->asked, asked);
    expect_sound(j->world);
}

// A pair that was let through is asked about again when a filter of it has changed: drop-through from a platform. What
// is restored in between is asked about as well.
static void a_pair_let_through_is_asked_about_when_a_filter_changes(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 12; ++k)
    {
        judge j;
        const bool restores = k % 2 == 1, sleeps = k / 2 % 2 == 1;
        abut_world *world = open_judged(&j, (abut_world_def){ .recycle_distance = 0.01f * (float)(k / 4) });
        const abut_body a = marked(world, 0, 1), b = marked(world, 0.9f, 2);
        (void)marked(world, -0.9f, 3);
        expect_asked(&j, 2, 2, 0, 2);
        expect_asked(&j, 2, 0, 0, 0);
        if (sleeps)
        {
            assert_int_equal(abut_body_set_awake(world, a, false), ABUT_OK);
            assert_int_equal(abut_body_set_awake(world, b, false), ABUT_OK);
            expect_asked_of_all(&j, 2, 0, 0);
            expect_asked_of_all(&j, 2, 0, 0);
        }
        const abut_collider collider = first_collider(world, b);
        assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ 0 }), ABUT_OK); // as it was
        expect_asked_of_all(&j, 2, 0, 0);
        assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .category = 4 }), ABUT_OK);
        if (restores)
        {
            static unsigned char image[16384];
            size_t size;
            assert_int_equal(abut_world_save(world, 0, NULL, image, sizeof image, &size), ABUT_OK);
            expect_asked_of_all(&j, 2, 0, 1);
            assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
        }
        expect_asked_of_all(&j, 2, 0, 1);
        expect_asked_of_all(&j, 2, 0, 0);
        j.veto = 1u << 2;
        assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ 0 }), ABUT_OK);
        expect_asked_of_all(&j, 1, 1, 1);
        expect_asked_of_all(&j, 1, 0, 0);
        abut_world_destroy(world);
    }
}

static void vetoed_pairs_sleep_and_do_not_come_back(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    const abut_body a = marked(world, 0, 1), b = marked(world, 0.5f, 2), c = marked(world, 20, 3);
    j.veto = 1u << 1;
    expect_asked(&j, 0, 0, 0, 1);
    j.veto = 0;
    const abut_body both[] = { a, b };
    assert_int_equal(abut_body_set_awake_many(world, both, 2, false), ABUT_OK);
    for (uint32_t i = 0; i < 4; ++i)
    {
        put(world, c, 20 + (float)i);
        expect_asked(&j, 0, 0, 0, 0);
        assert_int_equal(vetoed(world), 1);
        assert_int_equal(asleep(world), 0);
    }
    assert_int_equal(abut_body_set_awake(world, a, true), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(abut_body_set_awake(world, a, false), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 0);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(abut_collider_set_filter(world, first_collider(world, b), &(abut_filter){ .mask = 3 }), ABUT_OK);
    expect_asked(&j, 1, 1, 0, 1); // while both sleep, too
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(asleep(world), 1);
    assert_int_equal(vetoed(world), 0);
    abut_world_destroy(world);
}

static void a_destroyed_body_ends_its_vetoes(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    marked(world, 0, 1);
    const abut_body b = marked(world, 0.5f, 2);
    j.veto = 1u << 1;
    expect_asked(&j, 0, 0, 0, 1);
    assert_int_equal(abut_body_destroy(world, b), ABUT_OK);
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(vetoed(world), 0);
    const abut_body again = marked(world, 0.5f, 2);
    assert_int_equal(again.slot, b.slot);
    expect_asked(&j, 0, 0, 0, 1);
    abut_world_destroy(world);
}

// An answer outlasts the veto: a world without one takes it over from an image, and forgets it when the pair parts.
static void an_answer_holds_in_a_world_without_a_veto(void **state)
{
    (void)state;
    for (uint32_t recycles = 0; recycles < 2; ++recycles)
    {
        judge j;
        _Alignas(8) unsigned char image[8192];
        size_t size;
        const abut_world_def def = { .recycle_distance = recycles ? 0.1f : 0.0f };
        abut_world *judged = open_judged(&j, def), *world = open_world(&def);
        (void)marked(judged, 0, 1);
        const abut_body b = marked(judged, 0.5f, 2);
        j.veto = 1u << 1;
        expect_asked(&j, 0, 0, 0, 1);
        assert_int_equal(abut_world_save(judged, 0, NULL, image, sizeof image, &size), ABUT_OK);
        assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
        expect(world, 0, 0, 0);
        expect_sound(world);
        assert_int_equal(vetoed(world), 1);
        put(world, b, 9);
        expect(world, 0, 0, 0);
        assert_int_equal(vetoed(world), 0);
        put(world, b, 0.5f);
        expect(world, 1, 1, 0);
        assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
        assert_int_equal(abut_body_destroy(world, b), ABUT_OK);
        expect(world, 0, 0, 0);
        expect(world, 0, 0, 0);
        assert_int_equal(abut_world_save(world, 0, NULL, image, sizeof image, &size), ABUT_OK);
        assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
        abut_world_destroy(judged);
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_holds_until_the_pair_parts),
        cmocka_unit_test(an_answer_holds_until_a_filter_changes),
        cmocka_unit_test(a_pair_let_through_is_asked_about_when_a_filter_changes),
        cmocka_unit_test(vetoed_pairs_sleep_and_do_not_come_back),
        cmocka_unit_test(a_destroyed_body_ends_its_vetoes),
        cmocka_unit_test(an_answer_holds_in_a_world_without_a_veto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
