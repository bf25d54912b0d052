// Properties of the grid alone: the same pairs however its cells are numbered, and little work wherever bodies are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad/grid.h"
#include "broad_judged.h"

static bool is_hashed(const ab_broad *broad)
{
    return ((const ab_grid *)broad->state)->hashed;
}

static uint32_t levels_of(const ab_broad *broad)
{
    return ((const ab_grid *)broad->state)->levels;
}

// Bodies of sizes from 1 to 2^octaves, each as many as fill its share of the same space.
static void fill_sizes(crowd *c, random_source *random, uint32_t count, uint32_t octaves)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const double size = ldexp(0.25, (int)random_below(random, octaves + 1));
        add_at(c, random, random_in_box(random, 40.0), size, 2.0 * size);
    }
}

static void crowds_of_one_size_and_of_many_are_found_whole(void **state)
{
    (void)state;
    EVERY_ISA(isa)
    {
        for (uint32_t octaves = 0; octaves <= 20; octaves += 4)
        {
            crowd c;
            ab_broad broad;
            random_source random = random_start(octaves + 1);
            open_kind(&broad, ABUT_BROAD_GRID, &c, 3000, isa);
            fill_sizes(&c, &random, octaves < 8 ? 3000 : 800, octaves);
            run_kind(&broad, &c);
            assert_true(octaves == 0 ? levels_of(&broad) == 1 : levels_of(&broad) > 1);
            assert_same_as_brute(&broad, &c, isa);
            close_kind(&broad, &c);
        }
    }
}

static void hashed_cells_lose_and_double_nothing(void **state)
{
    (void)state;
    EVERY_ISA(isa)
    {
        for (uint32_t seed = 1; seed <= 12; ++seed)
        {
            crowd c;
            ab_broad broad;
            random_source random = random_start(seed);
            open_kind(&broad, ABUT_BROAD_GRID, &c, 2000, isa);
            add_at(&c, &random, dvec3_make(9e7, -9e7, 9e7), 0.25, 0.5);
            if (seed % 3 == 0)
            {
                fill_sizes(&c, &random, 600, seed % 2 ? 8 : 20);
            }
            else
            {
                fill_cloud(&c, &random, seed % 3 == 1 ? 1900 : 5);
            }
            // Far from everything, and where coordinates are as coarse as sizes.
            for (uint32_t i = 0; i < 60; ++i)
            {
                const dvec3 about = dvec3_make(-8e7, 8e7, seed % 2 ? 0.0 : 8e7);
                add_at(&c, &random, dvec3_add(about, random_in_box(&random, 20.0)), 0.25, 0.5);
            }
            run_kind(&broad, &c);
            assert_true(is_hashed(&broad));
            assert_same_as_brute(&broad, &c, isa);
            close_kind(&broad, &c);
        }
    }
}

static void a_body_far_away_costs_the_others_little(void **state)
{
    (void)state;
    for (double distance = 0.0; distance < 1e8; distance = distance * 10.0 + 10.0)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(1);
        open_kind(&broad, ABUT_BROAD_GRID, &c, 5000, abut_isa_best());
        add_at(&c, &random, dvec3_make(distance, -distance, distance), 0.25, 0.5);
        fill_cloud(&c, &random, 4999);
        uint64_t tests = 0;
        for (uint32_t run = 0; run < 20; ++run)
        {
            tests = run_kind(&broad, &c);
        }
        assert_true(tests < 8 * 5000 && is_hashed(&broad) == (distance > 100.0));
        close_kind(&broad, &c);
    }
}

static void bodies_that_are_put_elsewhere_each_time_cost_no_more(void **state)
{
    (void)state;
    EVERY_ISA(isa)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(5);
        open_kind(&broad, ABUT_BROAD_GRID, &c, 3000, isa);
        fill_cloud(&c, &random, 3000);
        for (uint32_t run = 0; run < 12; ++run)
        {
            const uint64_t tests = run_kind(&broad, &c);
            assert_true(tests < 5 * 3000);
            assert_same_as_brute(&broad, &c, isa);
            for (uint32_t i = 0; i < c.count; ++i)
            {
                c.poses[i].position = random_narrow(random_in_box(&random, 0.6 * cbrt(3000)));
            }
        }
        close_kind(&broad, &c);
    }
}

static void everything_on_everything_is_found_to_the_last_pair(void **state)
{
    (void)state;
    for (double size = 0.0; size <= 0.5; size += 0.5)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(1);
        open_kind(&broad, ABUT_BROAD_GRID, &c, 1500, abut_isa_best());
        for (uint32_t i = 0; i < 1500; ++i)
        {
            add_shape(&c, abut_shape_sphere((float)size), random_narrow(random_in_box(&random, 0.3 * size)));
        }
        expect_every_pair(&broad, &c);
        close_kind(&broad, &c);
    }
}

static void static_proxies_are_found_and_cost_nothing_among_themselves(void **state)
{
    (void)state;
    EVERY_ISA(isa)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(3);
        open_kind(&broad, ABUT_BROAD_GRID, &c, 6000, isa);
        fill_cloud(&c, &random, 4000);
        run_kind(&broad, &c);
        sleep_all(&c);
        assert_int_equal(run_kind(&broad, &c), 0);
        expect_pairs_beside_sleepers(&broad, &c, &random, 10, 1000, isa);
        close_kind(&broad, &c);
    }
}

// However finely the work is cut, and whatever row comes after another.
static void changing_rows_and_granularities_changes_no_pair(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(7);
    open_kind(&broad, ABUT_BROAD_AUTO, &c, 4000, abut_isa_best());
    fill_cloud(&c, &random, 2000);
    for (uint32_t run = 0; run < 150; ++run)
    {
        const abut_broad_kind kind = (abut_broad_kind)random_below(&random, ABUT_BROAD_COUNT);
        if (random_chance(&random, 0.5))
        {
            assert_int_equal(ab_broad_change(&broad, kind), ABUT_OK);
        }
        const uint32_t chunk = 8u << random_below(&random, 10);
        broad.granularity =
            (ab_granularity){ .chunk = chunk, .whole = random_chance(&random, 0.5) ? chunk : 4 * chunk };
        run_kind(&broad, &c);
        assert_same_as_brute(&broad, &c, abut_isa_best());
        if (run % 20 == 19)
        {
            sleep_all(&c);
            fill_cloud(&c, &random, 200);
        }
        for (uint32_t i = 0; i < c.count; ++i)
        {
            const uint32_t proxy = c.proxies.proxy_of[i];
            if (proxy != ABUT_NONE && ab_proxies_set_of(&c.proxies, proxy) == AB_ACTIVE)
            {
                c.poses[i].position.y += i & 1 ? 0.05f : -0.05f;
            }
        }
    }
    close_kind(&broad, &c);
}

// The tree is put in order before bodies that jump cost it much, so the grid is tried and left; a few bodies are
// nobody's.
static void the_tree_stays_better_where_bodies_jump(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(9);
    open_kind(&broad, ABUT_BROAD_AUTO, &c, 3000, abut_isa_best());
    fill_cloud(&c, &random, 60);
    run_kind(&broad, &c);
    assert_int_equal(broad.ran, ABUT_BROAD_BRUTE);
    fill_cloud(&c, &random, 2900);
    uint32_t runs_of[ABUT_BROAD_COUNT] = { 0 };
    for (uint32_t run = 0; run < 100; ++run)
    {
        run_kind(&broad, &c);
        ++runs_of[broad.ran];
        for (uint32_t i = 0; i < c.count; ++i)
        {
            c.poses[i].position = random_narrow(random_in_box(&random, 8.0));
        }
    }
    assert_int_equal(runs_of[ABUT_BROAD_BRUTE], 0);
    assert_true(runs_of[ABUT_BROAD_GRID] > 0 && runs_of[ABUT_BROAD_GRID] < 10);
    assert_int_equal(broad.ran, ABUT_BROAD_BVH);
    for (uint32_t run = 0; run < 300; ++run)
    {
        run_kind(&broad, &c);
        ++runs_of[broad.ran];
    }
    assert_true(runs_of[ABUT_BROAD_GRID] < 20);
    close_kind(&broad, &c);
}

static abut_shape plank(void)
{
    return abut_shape_aabb(50.0f, 0.01f, 0.01f);
}

// Planks side by side that touch nothing: the tree's case, while in the grid every one of them is near all others.
static void a_trial_of_the_grid_costs_no_more_than_a_few_runs(void **state)
{
    (void)state;
    for (uint32_t side = 32; side <= 128; side *= 2)
    {
        crowd c;
        ab_broad broad;
        open_kind(&broad, ABUT_BROAD_AUTO, &c, side * side, abut_isa_best());
        for (uint32_t i = 0; i < side * side; ++i)
        {
            const abut_vec3 at = { 0.0f, 0.05f * (float)(i % side), 0.05f * (float)(i / side) };
            add_shape(&c, plank(), at);
        }
        const uint64_t ordinary = run_kind(&broad, &c);
        uint32_t tried = 0;
        for (uint32_t run = 0; run < 40; ++run)
        {
            const uint64_t tests = run_kind(&broad, &c);
            assert_true(tests < 6 * ordinary);
            assert_int_equal(broad.ran, ABUT_BROAD_BVH);
            assert_int_equal(arrlenu(broad.pairs), 0);
            tried += tests > ordinary;
        }
        assert_int_equal(tried, 1);
        close_kind(&broad, &c);
    }
}

// The same with planks that touch, in as many tasks as there may be.
static void the_tree_finds_the_pairs_of_an_abandoned_grid(void **state)
{
    (void)state;
    EVERY_ISA(isa)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(11);
        open_kind(&broad, ABUT_BROAD_AUTO, &c, 2000, isa);
        for (uint32_t i = 0; i < 2000; ++i)
        {
            const abut_vec3 at = random_narrow(random_in_box(&random, 0.5));
            add_shape(&c, plank(), at);
        }
        broad.granularity = (ab_granularity){ .chunk = 64, .whole = 64 };
        for (uint32_t run = 0; run < 20; ++run)
        {
            run_kind(&broad, &c);
            assert_true(arrlenu(broad.pairs) > 0);
            assert_int_equal(broad.ran, ABUT_BROAD_BVH);
            assert_same_as_brute(&broad, &c, isa);
        }
        close_kind(&broad, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowds_of_one_size_and_of_many_are_found_whole),
        cmocka_unit_test(hashed_cells_lose_and_double_nothing),
        cmocka_unit_test(a_body_far_away_costs_the_others_little),
        cmocka_unit_test(bodies_that_are_put_elsewhere_each_time_cost_no_more),
        cmocka_unit_test(everything_on_everything_is_found_to_the_last_pair),
        cmocka_unit_test(static_proxies_are_found_and_cost_nothing_among_themselves),
        cmocka_unit_test(changing_rows_and_granularities_changes_no_pair),
        cmocka_unit_test(the_tree_stays_better_where_bodies_jump),
        cmocka_unit_test(a_trial_of_the_grid_costs_no_more_than_a_few_runs),
        cmocka_unit_test(the_tree_finds_the_pairs_of_an_abandoned_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
