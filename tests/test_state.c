// Images of worlds: after a restore everything goes on as it did, bit for bit, whatever happened between.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_images.h"
#include "shape/shape_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A solver's part: impulses at awake and sleeping contacts, velocities in place.
static void solve(session *s)
{
    for (uint32_t set = 0; set < 2; ++set)
    {
        const abut_contacts contacts = abut_world_contacts(s->world, (abut_contact_set)set);
        for (uint32_t i = 0; i < contacts.count; ++i)
        {
            const abut_contact *contact = abut_contact_at(&contacts, i);
            for (uint32_t k = 0; k < contact->point_count; ++k)
            {
                if (random_chance(&s->random, 0.3))
                {
                    abut_impulses_of(&contacts, contact)[k] =
                        (abut_impulse){ between(s, 0, 1), { between(s, -1, 1), 0 }, between(s, -1, 1) };
                }
            }
        }
    }
}

static void go_on(session *s, uint64_t first, uint64_t operations, uint64_t *hashes)
{
    for (uint64_t done = first; done < first + operations; ++done)
    {
        session_go_on(s, done);
        if (done % OPERATIONS_A_DETECT == 0)
        {
            solve(s);
        }
        hashes[done - first] = abut_world_hash(s->world) ^ 3 * abut_world_state_hash(s->world);
    }
}

enum
{
    MOST_OPERATIONS = 360
};

// How many of the operations come before the first that ends with a detect.
static uint64_t before_detect(uint64_t at, uint64_t operations)
{
    const uint64_t since = at % OPERATIONS_A_DETECT, before = since == 0 ? 0 : OPERATIONS_A_DETECT - since;
    return before < operations ? before : operations;
}

// Saves at a random time, goes on, restores, and goes on again with the same calls. The second time may run in another
// world, on another instruction set and broad phase.
static void roll_back(session *s, session *other, uint32_t flags, uint64_t operations, uint64_t *at, image *before,
                      image *after, image *scratch, uint64_t hashes[2][MOST_OPERATIONS])
{
    save(s, flags, before);
    const uint64_t hash = abut_world_hash(s->world), state = abut_world_state_hash(s->world);
    const session model = *s;
    go_on(s, *at, operations, hashes[0]);
    save(s, 0, after);

    session *again = other ? other : s;
    abut_world *world = again->world;
    abut_geometry **polygon = again->polygon;
    *again = model;
    again->world = world;
    again->polygon = polygon;
    if (other)
    {
        lend_polygons(&model, other);
    }
    assert_int_equal(restore(again, before), ABUT_OK);
    save(again, flags, scratch);
    expect_same(before, scratch, "saved again right after the restore");
    assert_true(flags != 0 || abut_world_hash(world) == hash);
    assert_true(abut_world_state_hash(world) == state);
    go_on(again, *at, operations, hashes[1]);
    const uint64_t first = flags != 0 ? before_detect(*at, operations) : 0; // a lean image has no events until then
    for (uint64_t i = first; i < operations; ++i)
    {
        if (hashes[0][i] != hashes[1][i])
        {
            fail_msg("hashes differ after %llu of %llu operations", (unsigned long long)i + 1,
                     (unsigned long long)operations);
        }
    }
    save(again, 0, scratch);
    if (first < operations)
    {
        expect_same(after, scratch, "saved after going on again");
    }
    *at += operations;
}

static uint64_t rollbacks_wanted(void)
{
    const char *text = getenv("ABUT_ROLLBACKS");
    return text ? strtoull(text, NULL, 10) : 600;
}

static void every_rollback_is_exact(void **state)
{
    (void)state;
    static uint64_t hashes[2][MOST_OPERATIONS];
    image before = { 0 }, after = { 0 }, scratch = { 0 };
    const uint64_t wanted = rollbacks_wanted();
    for (uint64_t seed = 1, done = 0; done < wanted; ++seed)
    {
        const abut_isa isas[] = { ABUT_ISA_SCALAR, abut_isa_best() };
        const abut_broad_kind broads[] = { (abut_broad_kind)(seed % ABUT_BROAD_COUNT),
                                           (abut_broad_kind)((seed / 2 + 1) % ABUT_BROAD_COUNT) };
        const abut_world_def def = def_of(seed, broads[0], isas[seed % 2]);
        const abut_world_def of_other = def_of(seed, broads[1], isas[(seed + 1) % 2]);
        session s, other;
        session_open(&s, seed, &def, false);
        session_open(&other, seed, &of_other, false);
        uint64_t at = 0;
        for (uint32_t round = 0; round < 12 && done < wanted; ++round, ++done)
        {
            const uint64_t ahead = random_below(&s.random, 200),
                           operations = 1 + random_below(&s.random, MOST_OPERATIONS);
            go_on(&s, at, ahead, hashes[0]);
            at += ahead;
            roll_back(&s, round % 3 == 2 ? &other : NULL, round % 4 == 3 ? ABUT_SAVE_LEAN : 0u, operations, &at,
                      &before, &after, &scratch, hashes);
        }
        session_close(&s);
        session_close(&other);
    }
    test_free(before.bytes);
    test_free(after.bytes);
    test_free(scratch.bytes);
}

// Back over no call, one or two: what differs between the image and the world is one thing at a time, or nothing but
// poses, so that much of the world stays.
static void short_rollbacks_are_exact(void **state)
{
    (void)state;
    static uint64_t hashes[2][MOST_OPERATIONS];
    image before = { 0 }, after = { 0 }, scratch = { 0 };
    const random_seeds seeds = random_seeds_of(30);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const abut_world_def def = def_of(seed, ABUT_BROAD_AUTO, abut_isa_best());
        session s;
        session_open(&s, seed, &def, false);
        uint64_t at = 0;
        for (uint32_t round = 0; round < 150; ++round)
        {
            go_on(&s, at, 4, hashes[0]);
            at += 4;
            roll_back(&s, NULL, 0, round % 3, &at, &before, &after, &scratch, hashes);
        }
        session_close(&s);
    }
    test_free(before.bytes);
    test_free(after.bytes);
    test_free(scratch.bytes);
}

// A world counts the detects of the image's world, and at some counts gives back memory that it never had.
static void a_fresh_world_goes_on_from_any_number_of_detects(void **state)
{
    (void)state;
    const abut_world_def def = def_of(1, ABUT_BROAD_AUTO, abut_isa_best());
    image it = { 0 };
    session s;
    session_open(&s, 3, &def, false);
    for (uint64_t i = 0; i < 100; ++i)
    {
        session_go_on(&s, i);
    }
    for (uint32_t detects = 0; detects < 300; ++detects)
    {
        session fresh;
        session_open(&fresh, 4, &def, false);
        lend_polygons(&s, &fresh);
        fresh.polygons = s.polygons;
        save(&s, 0, &it);
        assert_int_equal(restore(&fresh, &it), ABUT_OK);
        assert_int_equal(abut_world_detect(fresh.world, 0.0f), abut_world_detect(s.world, 0.0f));
        assert_true(abut_world_hash(fresh.world) == abut_world_hash(s.world));
        session_close(&fresh);
    }
    session_close(&s);
    test_free(it.bytes);
}

// Every kind says what is to be saved of it, if there is anything.
static void every_kind_has_words_or_a_geometry(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < ABUT_SHAPE_KIND_COUNT; ++kind)
    {
        const ab_shape_row *row = ab_shape_row_for((abut_shape_kind)kind);
        assert_true(kind == ABUT_HALF_SPACE || (row->geometry != NULL) == (row->words == 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_kind_has_words_or_a_geometry),
                                        cmocka_unit_test(a_fresh_world_goes_on_from_any_number_of_detects),
                                        cmocka_unit_test(short_rollbacks_are_exact),
                                        cmocka_unit_test(every_rollback_is_exact) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
