// Long random sessions: every kind of call, right and wrong, in any order. After each detect the events add up, and
// every so often the audit compares the contacts with all pairs.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_session.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t operations_wanted(void)
{
    const char *text = getenv("ABUT_OPERATIONS");
    return text ? strtoull(text, NULL, 10) : 200000;
}

static void run(uint64_t seed, abut_broad_kind broad, abut_isa isa, bool restless, bool is_2d, uint64_t operations)
{
    session s;
    const abut_world_def def = { .broad = broad,
                                 .isa = isa,
                                 .margin = seed % 2 ? 0.02f : 0.0f,
                                 .recycle_distance = seed % 4 ? 0.0f : 0.1f,
                                 .separations = seed % 8 ? ABUT_FOLLOWED : ABUT_AT_ANCHORS,
                                 .dimension = is_2d ? 2 : 3,
                                 .veto = seed % 3 ? veto : NULL };
    session_open(&s, seed, &def, restless);
    for (uint64_t done = 0; done < operations; ++done)
    {
        session_go_on(&s, done);
    }
    session_close(&s);
    printf("%llu operations, %llu detects, %llu audits: %s%s, %s\n", (unsigned long long)operations,
           (unsigned long long)s.detects, (unsigned long long)s.audits, restless ? "changing from " : "",
           abut_broad_name(broad), abut_isa_name(isa));
}

static void no_session_leaves_a_contact_wrong(void **state)
{
    (void)state;
    const uint64_t share = operations_wanted() / ((ABUT_BROAD_COUNT + 1) * 4 + 1) + 1;
    uint64_t seed = 1;
    for (uint32_t broad = 0; broad <= ABUT_BROAD_COUNT; ++broad)
    {
        const bool restless = broad == ABUT_BROAD_COUNT;
        for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
        {
            if (abut_isa_available(isa))
            {
                run(seed, restless ? ABUT_BROAD_AUTO : (abut_broad_kind)broad, isa, restless, false, share);
                run(seed++, restless ? ABUT_BROAD_AUTO : (abut_broad_kind)broad, isa, restless, true, share / 4);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_session_leaves_a_contact_wrong) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
