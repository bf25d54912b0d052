// The narrow phase held to its promises: every instruction set gives the bits of the scalar one, in batches of any count;
// and the referee finds nothing wrong with a manifold.
#include "narrow/narrow.h"
#include "random_meeting.h"

#include "math/rotation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_referee_finds_nothing_wrong(void **state)
{
    (void)state;
    uint64_t wrong = 0, tried = 0;
    random_seeds seeds = random_seeds_of(200000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        random_meeting m = random_meeting_any(&random);
        abut_manifold manifold;
        char why[REFEREE_WHY];
        if (abut_collide(&m.a, &m.pose_a, &m.b, &m.pose_b, m.margin, &manifold) != ABUT_OK)
        {
            continue;
        }
        ++tried;
        if (!referee_check_manifold(&m.a, &m.pose_a, &m.b, &m.pose_b, m.margin, &manifold, why))
        {
            if (++wrong < 30)
                print_message("seed %llu %s-%s %s: %s\n", (unsigned long long)seed, abut_shape_kind_name(m.a.kind),
                              abut_shape_kind_name(m.b.kind), random_layout_name(m.layout), why);
        }
    }
    print_message("%llu tried %llu wrong\n", (unsigned long long)tried, (unsigned long long)wrong);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_referee_finds_nothing_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
