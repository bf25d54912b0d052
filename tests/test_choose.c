// The laws of choosing a broad phase: counts in, a kind out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad/choose.h"
#include "random.h"

#define PROXIES 1000u

// The work of one run that costs about so many units per proxy.
static ab_work work_of(abut_broad_kind kind, uint32_t units)
{
    ab_work work = { .proxies = PROXIES, .levels = kind == ABUT_BROAD_GRID };
    const uint64_t base = ab_choose_cost(kind, &work) / PROXIES;
    work.proxies = 1;
    work.box_tests = 1;
    const ab_work none = { .proxies = 1, .levels = work.levels };
    const uint64_t test = ab_choose_cost(kind, &work) - ab_choose_cost(kind, &none);
    work.proxies = PROXIES;
    work.box_tests = units > base ? (units - base) * PROXIES / test : 0;
    return work;
}

// Runs the choice over two kinds of these costs. Gives the cost of all runs, and which kind ran last.
typedef struct outcome
{
    uint64_t cost, changes;
    uint32_t runs_of[ABUT_BROAD_COUNT];
    abut_broad_kind last;
} outcome;

static outcome play(ab_choice *choice, uint32_t tree, uint32_t grid, uint32_t runs)
{
    outcome o = { .last = choice->kind };
    for (uint32_t i = 0; i < runs; ++i)
    {
        const abut_broad_kind kind = ab_choose_next(choice, PROXIES, 0), before = choice->kind;
        const ab_work work = work_of(kind, kind == ABUT_BROAD_BVH ? tree : grid);
        o.cost += ab_choose_cost(kind, &work);
        ++o.runs_of[kind];
        ab_choose_note(choice, kind, &work);
        o.changes += choice->kind != before;
    }
    o.last = choice->kind;
    return o;
}

static void few_proxies_are_tested_by_brute_force(void **state)
{
    (void)state;
    ab_choice choice;
    ab_choose_open(&choice);
    assert_int_equal(ab_choose_next(&choice, 0, 0), ABUT_BROAD_BRUTE);
    assert_int_equal(ab_choose_next(&choice, AB_CHOOSE_FEW - 1, 0), ABUT_BROAD_BRUTE);
    assert_int_equal(ab_choose_next(&choice, 1, AB_CHOOSE_FEW - 2), ABUT_BROAD_BRUTE);
    assert_int_not_equal(ab_choose_next(&choice, 1, AB_CHOOSE_FEW - 1), ABUT_BROAD_BRUTE);
    assert_int_not_equal(ab_choose_next(&choice, UINT32_MAX, UINT32_MAX), ABUT_BROAD_BRUTE);
}

static void more_work_costs_more(void **state)
{
    (void)state;
    const ab_work work = { .proxies = 100, .box_tests = 500, .sorted = 0, .rows = 200, .levels = 1 };
    for (abut_broad_kind kind = ABUT_BROAD_BVH; kind <= ABUT_BROAD_GRID; ++kind)
    {
        const uint64_t cost = ab_choose_cost(kind, &work);
        ab_work more = work;
        more.box_tests += 1;
        assert_true(ab_choose_cost(kind, &more) > cost);
        more = work;
        more.sorted = 100;
        assert_true(ab_choose_cost(kind, &more) > cost);
        more = work;
        more.proxies += 1;
        assert_true(ab_choose_cost(kind, &more) > cost);
        more = work;
        more.rows += 1;
        more.levels += 1;
        assert_true(ab_choose_cost(kind, &more) > cost || kind == ABUT_BROAD_BVH);
    }
}

static void a_kind_that_does_much_less_is_taken_soon_and_kept(void **state)
{
    (void)state;
    static const uint32_t costs[][2] = { { 300, 1000 }, { 1000, 300 },   { 300, 400 },
                                         { 400, 300 },  { 300, 100000 }, { 100000, 300 } };
    for (uint32_t i = 0; i < sizeof costs / sizeof *costs; ++i)
    {
        ab_choice choice;
        ab_choose_open(&choice);
        const abut_broad_kind better = costs[i][0] < costs[i][1] ? ABUT_BROAD_BVH : ABUT_BROAD_GRID;
        assert_int_equal(play(&choice, costs[i][0], costs[i][1], 16).last, better);
        const outcome later = play(&choice, costs[i][0], costs[i][1], 20000);
        assert_int_equal(later.last, better);
        assert_int_equal(later.changes, 0);
    }
}

static void a_kind_that_does_a_little_less_is_left_alone(void **state)
{
    (void)state;
    ab_choice choice;
    ab_choose_open(&choice);
    assert_int_equal(play(&choice, 400, 350, 20000).changes, 0);
    play(&choice, 1000, 300, 5000);
    assert_int_equal(choice.kind, ABUT_BROAD_GRID);
    assert_int_equal(play(&choice, 350, 400, 20000).changes, 0);
}

// Nothing is lost by more than hysteresis grants: 1.25 of the better one; where that is clear, 1.05 in the long run.
static void the_choice_costs_little_more_than_the_better_kind(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t tree = 200 + random_below(&random, 2000), grid = 200 + random_below(&random, 2000);
        ab_choice choice;
        ab_choose_open(&choice);
        const outcome o = play(&choice, tree, grid, 5000);
        const ab_work best = tree < grid ? work_of(ABUT_BROAD_BVH, tree) : work_of(ABUT_BROAD_GRID, grid);
        const uint64_t least = 5000 * ab_choose_cost(tree < grid ? ABUT_BROAD_BVH : ABUT_BROAD_GRID, &best);
        const bool clear = 4 * tree > 5 * grid + 40 || 4 * grid > 5 * tree + 40;
        assert_true(o.cost * 100 <= least * (clear ? 105 : 131));
    }
}

static void a_change_of_scene_is_noticed_at_once(void **state)
{
    (void)state;
    ab_choice choice;
    ab_choose_open(&choice);
    for (uint32_t round = 0; round < 10; ++round)
    {
        play(&choice, 300, 3000, 8000);
        assert_int_equal(choice.kind, ABUT_BROAD_BVH);
        play(&choice, 30000, 400, 12);
        assert_int_equal(choice.kind, ABUT_BROAD_GRID);
        play(&choice, 300, 4000, 40);
        assert_int_equal(choice.kind, ABUT_BROAD_BVH);
    }
}

static void trials_grow_rare_while_they_are_lost(void **state)
{
    (void)state;
    ab_choice choice;
    ab_choose_open(&choice);
    const outcome early = play(&choice, 300, 600, 1000), late = play(&choice, 300, 600, 100000);
    assert_true(early.runs_of[ABUT_BROAD_GRID] > 2);
    assert_true(late.runs_of[ABUT_BROAD_GRID] > 4 && late.runs_of[ABUT_BROAD_GRID] < 50);
}

// A frame with a trial takes longer: there are no more of them than it takes to see that it is lost.
static void a_lost_trial_is_one_run_of_the_grid_and_two_of_the_tree(void **state)
{
    (void)state;
    static const uint32_t costs[][2] = { { 300, 310 }, { 300, 600 }, { 310, 300 }, { 600, 300 } };
    for (uint32_t i = 0; i < sizeof costs / sizeof *costs; ++i)
    {
        const bool grid = costs[i][1] < costs[i][0];
        ab_choice choice;
        ab_choose_open(&choice);
        play(&choice, grid ? 3000 : 300, grid ? 300 : 3000, 1000);
        const abut_broad_kind kind = choice.kind;
        assert_int_equal(kind, grid ? ABUT_BROAD_GRID : ABUT_BROAD_BVH);
        uint32_t others = 0;
        while (ab_choose_next(&choice, PROXIES, 0) == kind)
        {
            play(&choice, costs[i][0], costs[i][1], 1);
        }
        for (; ab_choose_next(&choice, PROXIES, 0) != kind; ++others)
        {
            play(&choice, costs[i][0], costs[i][1], 1);
        }
        assert_int_equal(others, grid ? 2 : 1);
        assert_int_equal(choice.kind, kind);
    }
}

static void a_grid_that_was_given_up_is_left_at_once(void **state)
{
    (void)state;
    ab_choice choice;
    const ab_work given_up = { .proxies = PROXIES, .gave_up = true };
    ab_choose_open(&choice);
    play(&choice, 1000, 10000, 12);
    assert_int_equal(ab_choose_next(&choice, PROXIES, 0), ABUT_BROAD_GRID);
    assert_true(ab_choose_limit(&choice, PROXIES) >= 19 * 100 * PROXIES);
    assert_true(ab_choose_limit(&choice, PROXIES) <= 21 * 100 * PROXIES);
    ab_choose_note(&choice, ABUT_BROAD_GRID, &given_up);
    assert_int_equal(play(&choice, 1000, 10000, 50).runs_of[ABUT_BROAD_GRID], 0);
    play(&choice, 10000, 1000, 200);
    while (ab_choose_next(&choice, PROXIES, 0) != ABUT_BROAD_GRID)
    {
        play(&choice, 10000, 1000, 1);
    }
    assert_int_equal(choice.kind, ABUT_BROAD_GRID);
    assert_true(ab_choose_limit(&choice, PROXIES) >= 7 * 1000 * PROXIES);
    ab_choose_note(&choice, ABUT_BROAD_GRID, &given_up);
    assert_int_equal(play(&choice, 1000, 10000, 50).runs_of[ABUT_BROAD_GRID], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_proxies_are_tested_by_brute_force),
        cmocka_unit_test(more_work_costs_more),
        cmocka_unit_test(a_kind_that_does_much_less_is_taken_soon_and_kept),
        cmocka_unit_test(a_kind_that_does_a_little_less_is_left_alone),
        cmocka_unit_test(the_choice_costs_little_more_than_the_better_kind),
        cmocka_unit_test(a_change_of_scene_is_noticed_at_once),
        cmocka_unit_test(trials_grow_rare_while_they_are_lost),
        cmocka_unit_test(a_lost_trial_is_one_run_of_the_grid_and_two_of_the_tree),
        cmocka_unit_test(a_grid_that_was_given_up_is_left_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
