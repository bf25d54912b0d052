// Every kind of entry of a recording is checked before it is used.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "damaged_entries.h"
#include "random_images.h"

enum
{
    OPERATIONS = 300
};

static void record_session(uint64_t seed, tape *out)
{
    const abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    session s;
    image kept = { 0 };
    session_open(&s, seed, &def, false);
    abut_recording *recording = tape_record(out, s.world, 5);
    for (uint64_t i = 1; i <= OPERATIONS; ++i)
    {
        session_go_on(&s, i);
        if (i == OPERATIONS / 2)
        {
            save(&s, 0, &kept);
        }
    }
    assert_int_equal(abut_world_set_collides(s.world, ABUT_STATIC, ABUT_STATIC, true), ABUT_OK);
    assert_int_equal(restore(&s, &kept), ABUT_OK);
    assert_int_equal(abut_world_step(s.world, 0.01f), ABUT_OK);
    assert_true(abut_recording_destroy(recording));
    test_free(kept.bytes);
    session_close(&s);
}

static void every_kind_of_entry_is_checked(void **state)
{
    (void)state;
    uint32_t met = 0;
    for (uint64_t seed = 4; seed <= 5; ++seed)
    {
        tape t = { 0 };
        uint32_t seen[AB_ENTRY_COUNT] = { 0 };
        record_session(seed, &t);
        for (size_t at = sizeof(ab_stream_header); at < t.size;)
        {
            ab_entry_header header;
            memcpy(&header, t.bytes + at, sizeof header);
            if (seen[header.kind]++ == 0)
            {
                damage_entry(&t, at);
                met |= 1u << header.kind;
            }
            at += sizeof header + (size_t)header.size;
        }
        tape_close(&t);
    }
    // Custom kinds and pair functions are those of test_record_calls; updates of heightfields those of
    // test_record_geometries.
    const uint32_t all = (1u << AB_ENTRY_COUNT) - 2u;
    assert_int_equal(met, all & ~(1u << AB_ENTRY_KIND | 1u << AB_ENTRY_PAIR_FUNCTION | 1u << AB_ENTRY_HEIGHTS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_entry_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
