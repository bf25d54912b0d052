// The comparison of two engines' findings: against counts made one by one.
#include "compare.h"
#include "random.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#define BODIES 40u

// Unit spheres at x = 0, 1.9, 3.8, …, so that neighbours overlap by 0.1 and the next but one are 1.8 apart.
static bench_scene row_of_spheres(abut_body_def *defs, abut_pose *poses)
{
    memset(defs, 0, BODIES * sizeof *defs);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        defs[i].collider.shape = abut_shape_sphere(1.0f);
        poses[i] = abut_pose_identity();
        poses[i].position.x = 1.9f * (float)i;
    }
    return (bench_scene){ .name = "row", .bodies = BODIES, .count = BODIES, .defs = defs, .poses = poses };
}

static void every_difference_is_counted_and_measured(void **state)
{
    (void)state;
    abut_body_def defs[BODIES];
    abut_pose poses[BODIES];
    const bench_scene scene = row_of_spheres(defs, poses);
    for (uint64_t seed = 1; seed <= 2000; ++seed)
    {
        random_source random = random_start(seed);
        pair_list ours = { 0 }, theirs = { 0 };
        comparison wanted = { 0 };
        for (uint32_t i = BODIES; i-- > 0;)
        {
            for (uint32_t k = i + 1; k < BODIES && k <= i + 2; ++k)
            {
                const uint32_t which = random_below(&random, 4);
                for (uint32_t times = 0; which & 1u && times <= which; ++times) // pairs may be reported more than once
                {
                    pair_list_add(&ours, k, i);
                }
                if (which & 2u)
                {
                    pair_list_add(&theirs, i, k);
                }
                const double gap = k == i + 1 ? -0.1 : 1.8;
                wanted.common += which == 3;
                wanted.missed += which == 1;
                wanted.more += which == 2;
                wanted.missed_deepest = which == 1 ? fmax(wanted.missed_deepest, -gap) : wanted.missed_deepest;
                wanted.more_widest = which == 2 ? fmax(wanted.more_widest, gap) : wanted.more_widest;
            }
        }
        const comparison found = compare(&ours, &theirs, &scene);
        pair_list_release(&ours);
        pair_list_release(&theirs);
        if (found.common != wanted.common || found.missed != wanted.missed || found.more != wanted.more ||
            fabs(found.missed_deepest - wanted.missed_deepest) > 1e-5 ||
            fabs(found.more_widest - wanted.more_widest) > 1e-5)
        {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

static void empty_lists_do_not_differ(void **state)
{
    (void)state;
    pair_list ours = { 0 }, theirs = { 0 };
    const bench_scene scene = { 0 };
    const comparison found = compare(&ours, &theirs, &scene);
    assert_int_equal(found.common + found.missed + found.more, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_is_counted_and_measured),
        cmocka_unit_test(empty_lists_do_not_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
