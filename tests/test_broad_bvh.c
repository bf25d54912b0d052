// Properties of the tree alone: its order under edits, and how much work it leaves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/kernels.h"
#include "broad/bvh.h"
#include "broad_judged.h"
#include "index/descend.h"

static void a_tall_tree_finds_what_brute_force_finds(void **state)
{
    (void)state;
    EVERY_ISA(isa)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(1);
        open_kind(&broad, ABUT_BROAD_BVH, &c, 9000, isa);
        fill_cloud(&c, &random, 6000);
        run_kind(&broad, &c);
        assert_same_as_brute(&broad, &c, isa);
        sleep_all(&c);
        expect_pairs_beside_sleepers(&broad, &c, &random, 12, 2000, isa);
        close_kind(&broad, &c);
    }
}

static void take_away(crowd *c, uint32_t collider)
{
    const uint32_t proxy = c->proxies.proxy_of[collider];
    if (proxy != ABUT_NONE)
    {
        ab_proxies_remove(&c->proxies, proxy);
    }
}

static void a_tall_static_tree_stays_right_while_proxies_come_and_go(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(3);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 9000, abut_isa_best());
    fill_cloud(&c, &random, 4000);
    run_kind(&broad, &c);
    for (uint32_t frame = 0; frame < 60; ++frame)
    {
        sleep_all(&c);
        for (uint32_t k = random_below(&random, 3) ? 3 : random_below(&random, 600); k > 0; --k)
        {
            take_away(&c, random_below(&random, c.count));
        }
        const uint32_t appended = random_below(&random, 3) ? 2 : random_below(&random, 150);
        for (uint32_t k = 0; k < appended && c.count < c.room; ++k)
        {
            add_at(&c, &random, random_in_box(&random, 9.0), 0.25, 0.5);
        }
        run_kind(&broad, &c);
        assert_same_as_brute(&broad, &c, abut_isa_best());
    }
    close_kind(&broad, &c);
}

// The room of the static tree grows, and in the same update gaps are closed so that it has as many levels as before.
static void a_static_tree_keeps_its_levels_when_its_room_grows(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(5);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 600, abut_isa_best());
    fill_cloud(&c, &random, 400);
    run_kind(&broad, &c);
    const uint64_t sorts = broad.sorts, active_sorts = broad.active_sorts;
    sleep_all(&c);
    run_kind(&broad, &c);
    assert_true(broad.sorts == sorts + 1 && broad.active_sorts == active_sorts);
    fill_cloud(&c, &random, 100);
    run_kind(&broad, &c);
    sleep_all(&c);
    run_kind(&broad, &c);
    for (uint32_t i = 400; i < 500; ++i)
    {
        if (i % 5 < 3)
        {
            take_away(&c, i);
        }
    }
    fill_cloud(&c, &random, 50);
    run_kind(&broad, &c);
    sleep_all(&c);
    add_shape(&c, abut_shape_aabb(50, 50, 50), (abut_vec3){ 0 });
    run_kind(&broad, &c);
    assert_same_as_brute(&broad, &c, abut_isa_best());
    assert_true(arrlenu(broad.pairs) == 490);
    close_kind(&broad, &c);
}

// Crowds of many sizes that fall asleep, grow and shrink.
static void static_trees_of_every_size_stay_right(void **state)
{
    (void)state;
    random_source random = random_start(7);
    for (uint32_t round = 0; round < 60; ++round)
    {
        crowd c;
        ab_broad broad;
        open_kind(&broad, ABUT_BROAD_BVH, &c, 3000, abut_isa_best());
        fill_cloud(&c, &random, 1 + random_below(&random, 1000));
        for (uint32_t frame = 0; frame < 12; ++frame)
        {
            run_kind(&broad, &c);
            sleep_all(&c);
            const uint32_t first = random_below(&random, c.count), gone = random_below(&random, 200);
            for (uint32_t i = first; i < first + gone && i < c.count; ++i)
            {
                if (random_below(&random, 4) != 0)
                {
                    take_away(&c, i);
                }
            }
            fill_cloud(&c, &random, random_below(&random, 120));
        }
        add_shape(&c, abut_shape_aabb(50, 50, 50), (abut_vec3){ 0 });
        run_kind(&broad, &c);
        assert_same_as_brute(&broad, &c, abut_isa_best());
        close_kind(&broad, &c);
    }
}

static void everything_on_everything_is_found_to_the_last_pair(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 1500, abut_isa_best());
    for (uint32_t i = 0; i < 1500; ++i)
    {
        add_at(&c, &random, random_in_box(&random, 0.1), 0.25, 0.5);
    }
    expect_every_pair(&broad, &c);
    close_kind(&broad, &c);
}

static uint64_t tests_of_cloud(uint32_t count, dvec3 outlier)
{
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, count, abut_isa_best());
    add_at(&c, &random, outlier, 0.25, 0.5);
    fill_cloud(&c, &random, count - 1);
    const uint64_t tests = run_kind(&broad, &c);
    close_kind(&broad, &c);
    return tests;
}

static void one_body_far_away_makes_no_more_work_for_the_others(void **state)
{
    (void)state;
    const uint64_t together = tests_of_cloud(5000, dvec3_make(0, 0, 0));
    assert_true(together < 8 * 5000);
    for (double distance = 1e2; distance < 1e8; distance *= 3)
    {
        const uint64_t apart = tests_of_cloud(5000, dvec3_make(distance, -0.5 * distance, distance));
        assert_true(apart < together + together / 3);
    }
}

// A hundredth of the boxes are forty times as large as the others: nearly all pairs are theirs, eight to a test when
// nodes of the small ones stay small.
static void a_few_large_boxes_make_little_more_work_than_their_pairs(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 5000, abut_isa_best());
    for (uint32_t i = 0; i < 5000; ++i)
    {
        const double size = i % 100 == 0 ? 40.0 : 1.0;
        add_at(&c, &random, random_in_box(&random, 20.0), 0.25 * size, 0.5 * size);
    }
    const uint64_t tests = run_kind(&broad, &c);
    assert_true(tests < arrlenu(broad.pairs) / 2);
    close_kind(&broad, &c);
}

static void one_active_body_among_many_static_ones_costs_few_tests(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 20000, abut_isa_best());
    fill_cloud(&c, &random, 15000);
    run_kind(&broad, &c);
    sleep_all(&c);
    add_at(&c, &random, dvec3_make(0, 0, 0), 0.25, 0.5);
    assert_true(run_kind(&broad, &c) < 100);
    assert_same_as_brute(&broad, &c, abut_isa_best());
    close_kind(&broad, &c);
}

static void the_static_set_is_left_alone_until_it_is_edited(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 4000, abut_isa_best());
    fill_cloud(&c, &random, 3000);
    run_kind(&broad, &c);
    sleep_all(&c);
    fill_cloud(&c, &random, 500);
    run_kind(&broad, &c);
    // An extent that its node above does not know of: seen by whoever fits the levels again.
    const ab_tree *static_tree = &((const ab_bvh *)broad.state)->set[AB_STATIC_SET].tree;
    ab_aabb *aabb = &c.proxies.aabb[c.proxies.region[AB_STATIC_SET].first];
    const ab_aabb before = *aabb;
    const ab_bounds_in in = crowd_bounds_in(&c, 0.0f, 0.0f);
    aabb->max[1] = 1e6f;
    for (uint32_t frame = 0; frame < 20; ++frame)
    {
        c.poses[3000 + frame].position.x += 1.0f;
        assert_int_equal(broad_update(&broad, &in), ABUT_OK);
        assert_true(static_tree->block[1][0].max_y[0] == before.max[1]);
    }
    *aabb = before;
    close_kind(&broad, &c);
}

static void bodies_added_one_by_one_make_as_little_work_as_all_at_once(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 2000, abut_isa_best());
    uint64_t tests = 0;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        add_at(&c, &random, random_in_box(&random, 0.6 * cbrt(2000)), 0.25, 0.5);
        tests += run_kind(&broad, &c);
    }
    assert_true(tests / 2000 < 2 * tests_of_cloud(1000, dvec3_make(0, 0, 0)));
    close_kind(&broad, &c);
}

static void moving_bodies_are_sorted_again_before_they_cost_much(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    random_source random = random_start(1);
    open_kind(&broad, ABUT_BROAD_BVH, &c, 3000, abut_isa_best());
    fill_cloud(&c, &random, 3000);
    const uint64_t when_sorted = run_kind(&broad, &c);
    uint64_t tests = 0;
    for (uint32_t frame = 0; frame < 100; ++frame)
    {
        for (uint32_t i = 0; i < c.count; ++i)
        {
            c.poses[i].position.x += i & 1 ? 0.1f : -0.1f;
        }
        tests += run_kind(&broad, &c);
    }
    assert_true(tests / 100 < when_sorted + when_sorted / 2);
    close_kind(&broad, &c);
}

// A crowd of spheres that are all at the origin, and where they belong.
static void open_at_the_origin(ab_broad *broad, crowd *c, abut_vec3 *goals, uint32_t count)
{
    random_source random = random_start(1);
    open_kind(broad, ABUT_BROAD_BVH, c, count, abut_isa_best());
    for (uint32_t i = 0; i < count; ++i)
    {
        goals[i] = random_narrow(random_in_box(&random, 0.6 * cbrt(count)));
        add_shape(c, abut_shape_sphere(0.4f), (abut_vec3){ 0 });
    }
}

static uint64_t run_at(ab_broad *broad, crowd *c, const abut_vec3 *goals, uint32_t first)
{
    for (uint32_t i = 0; i < c->count; ++i)
    {
        c->poses[i].position = goals[(first + i * 7919) % c->count];
    }
    const uint64_t tests = run_kind(broad, c);
    assert_same_as_brute(broad, c, abut_isa_best());
    return tests;
}

static void bodies_created_at_one_point_and_then_placed_are_in_order_at_once(void **state)
{
    (void)state;
    enum
    {
        COUNT = 3000
    };
    static abut_vec3 goals[COUNT];
    crowd c;
    ab_broad broad;
    open_at_the_origin(&broad, &c, goals, COUNT);
    assert_true(run_at(&broad, &c, goals, 0) < 8 * COUNT);
    assert_int_equal(broad.active_sorts, 1);
    assert_true(run_at(&broad, &c, goals, 0) < 8 * COUNT);
    assert_int_equal(broad.active_sorts, 1);
    close_kind(&broad, &c);
}

// First from the one point where all overlapped, then from each other's positions.
static void teleported_bodies_are_in_order_before_their_pairs_are_searched(void **state)
{
    (void)state;
    enum
    {
        COUNT = 2000
    };
    static abut_vec3 goals[COUNT];
    crowd c;
    ab_broad broad;
    open_at_the_origin(&broad, &c, goals, COUNT);
    expect_every_pair(&broad, &c);
    for (uint32_t round = 0; round < 20; ++round)
    {
        assert_true(run_at(&broad, &c, goals, round * 13) < 8 * COUNT);
    }
    assert_int_equal(broad.active_sorts, 21);
    close_kind(&broad, &c);
}

// Of many tests that found many pairs, those that find none are too many.
static void tests_are_judged_by_the_pairs_they_find(void **state)
{
    (void)state;
    ab_bvh bvh = { 0 };
    ab_bvh_count_excess(&bvh, 250000, 1999000, 2000);
    ab_bvh_count_excess(&bvh, 250000, 1999000, 2000);
    assert_int_equal(bvh.excess_tests, 0);
    ab_bvh_count_excess(&bvh, 250000, 1000, 2000);
    assert_true(bvh.excess_tests > 200000);
}

static uint32_t nodes_opened;

static uint32_t count_opened(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                             uint32_t *children, float *values)
{
    nodes_opened += count;
    return ab_kernels_for(abut_isa_best())->index->overlap(blocks, query, nodes, count, children, values);
}

static bool count_proxies(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    (void)proxies, (void)values;
    *(uint32_t *)context += count;
    return true;
}

// Whoever asks for the tree descends it from near its root.
static void a_small_box_opens_few_nodes(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    ab_tree tree;
    random_source random = random_start(8);
    const uint32_t bodies = 60000;
    open_kind(&broad, ABUT_BROAD_BVH, &c, bodies, abut_isa_best());
    fill_cloud(&c, &random, bodies);
    run_kind(&broad, &c);
    ab_broad_tree(&broad, AB_ACTIVE, &tree);
    uint32_t found = 0;
    const ab_aabb8 *block = tree.block[0];
    const ab_index_box box = { .min = { block->min_x[0], block->min_y[0], block->min_z[0] },
                               .max = { block->max_x[0], block->max_y[0], block->max_z[0] } };
    nodes_opened = 0;
    assert_true(ab_index_descend(&tree, count_opened, &box, count_proxies, &found));
    print_message("%u of %u blocks and nodes were opened for %u proxies\n", nodes_opened, bodies / AB_BLOCK, found);
    assert_true(found > 0 && nodes_opened < 200);
    close_kind(&broad, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tall_tree_finds_what_brute_force_finds),
        cmocka_unit_test(a_tall_static_tree_stays_right_while_proxies_come_and_go),
        cmocka_unit_test(a_static_tree_keeps_its_levels_when_its_room_grows),
        cmocka_unit_test(static_trees_of_every_size_stay_right),
        cmocka_unit_test(everything_on_everything_is_found_to_the_last_pair),
        cmocka_unit_test(one_body_far_away_makes_no_more_work_for_the_others),
        cmocka_unit_test(a_few_large_boxes_make_little_more_work_than_their_pairs),
        cmocka_unit_test(one_active_body_among_many_static_ones_costs_few_tests),
        cmocka_unit_test(the_static_set_is_left_alone_until_it_is_edited),
        cmocka_unit_test(bodies_added_one_by_one_make_as_little_work_as_all_at_once),
        cmocka_unit_test(moving_bodies_are_sorted_again_before_they_cost_much),
        cmocka_unit_test(bodies_created_at_one_point_and_then_placed_are_in_order_at_once),
        cmocka_unit_test(teleported_bodies_are_in_order_before_their_pairs_are_searched),
        cmocka_unit_test(tests_are_judged_by_the_pairs_they_find),
        cmocka_unit_test(a_small_box_opens_few_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
