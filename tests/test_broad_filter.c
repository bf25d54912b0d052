// Filters known to the broad phase: every kind drops exactly the pairs that do not collide, and what is dropped costs
// little.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad_judged.h"
#include "pairs/pair_stream.h"

#include <abut/abut.h>

// A crowd with filters, and what the broad phase is given of them.
typedef struct filtered_crowd
{
    crowd c;
    ab_pair_rules rules;
    abut_filter *filters;
    bool *sensor;
    abut_motion *motion;
} filtered_crowd;

static void open_filtered(filtered_crowd *f, ab_broad *broad, abut_broad_kind kind, uint32_t room, abut_isa isa)
{
    *f = (filtered_crowd){ 0 };
    ab_pair_rules_open(&f->rules);
    f->filters = calloc(room, sizeof *f->filters);
    f->sensor = calloc(room, sizeof *f->sensor);
    f->motion = calloc(room, sizeof *f->motion);
    open_kind(broad, kind, &f->c, room, isa);
}

static void close_filtered(filtered_crowd *f, ab_broad *broad)
{
    close_kind(broad, &f->c);
    ab_pair_rules_close(&f->rules);
    free(f->filters);
    free(f->sensor);
    free(f->motion);
}

static void describe(filtered_crowd *f, uint32_t collider, bool append)
{
    ab_proxy_def proxy = crowd_describe(&f->c, collider, f->motion[collider]);
    const abut_filter *own = &f->filters[collider];
    const bool by_default = own->category == 1 && own->mask == UINT32_MAX && own->group == 0;
    proxy.proxy_flags |= (by_default ? 0u : AB_PROXY_FILTERED) | (f->sensor[collider] ? AB_PROXY_SENSOR : 0u);
    if (append)
    {
        assert_true(ab_proxies_reserve(&f->c.proxies, &f->c.memory, AB_ACTIVE, 1, f->c.room));
        ab_proxies_append(&f->c.proxies, AB_ACTIVE, &proxy);
    }
    else
    {
        ab_proxies_describe(&f->c.proxies, f->c.proxies.proxy_of[collider], &proxy);
    }
}

static abut_filter random_filter(random_source *random)
{
    const abut_filter by_default = { .category = 1, .mask = UINT32_MAX };
    const abut_filter own = { .category = 1u << random_below(random, 5),
                              .mask = 1u + random_below(random, 31),
                              .group = (int32_t)random_below(random, 20) - 10 };
    return random_chance(random, 0.3) ? by_default : own;
}

static void change(filtered_crowd *f, random_source *random, uint32_t collider, bool append)
{
    f->filters[collider] = random_filter(random);
    f->filters[collider].group = random_chance(random, 0.7) ? 0 : f->filters[collider].group;
    f->sensor[collider] = random_chance(random, 0.3);
    f->motion[collider] = (abut_motion)random_below(random, ABUT_MOTION_COUNT);
    describe(f, collider, append);
}

static void fill_filtered(filtered_crowd *f, random_source *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 at = random_narrow(random_in_box(random, 6.0));
        const double size = random_chance(random, 0.2) ? 1.5 : 0.4;
        const uint32_t collider =
            crowd_add(&f->c, crowd_random_shape(random, 0.5 * size, size), at, (abut_quat){ .w = 1 });
        change(f, random, collider, true);
    }
}

static void run_filtered(filtered_crowd *f, ab_broad *broad, bool drops)
{
    broad->filters = (ab_proxy_filters){ f->filters, f->rules.collides, drops };
    run_kind(broad, &f->c);
}

// All pairs by brute force, less those that the pair stream refuses.
static void assert_exact(filtered_crowd *f, const ab_broad *broad)
{
    ab_broad brute = { .memory = &f->c.memory, .proxies = &f->c.proxies };
    assert_int_equal(ab_broad_open(&brute, ABUT_BROAD_BRUTE, broad->isa), ABUT_OK);
    assert_int_equal(broad_pairs(&brute), ABUT_OK);
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(brute.pairs); ++i)
    {
        const ab_pair pair = brute.pairs[i];
        brute.pairs[kept] = pair;
        kept += (ab_pair_key_exact(&f->rules, &f->c.proxies, f->filters, pair) & AB_KEY_BIN) != AB_BIN_FILTERED;
    }
    assert_true(kept > 0 && kept < arrlenu(brute.pairs));
    ab_array_set_length(brute.pairs, kept);
    assert_int_equal(arrlenu(broad->pairs), kept);
    uint64_t *found = sorted_pairs(broad), *expected = sorted_pairs(&brute);
    assert_memory_equal(found, expected, kept * sizeof *found);
    free(found);
    free(expected);
    ab_broad_close(&brute);
}

static void drop_exactly(abut_broad_kind kind, abut_isa isa)
{
    filtered_crowd f;
    ab_broad broad;
    random_source random = random_start(kind + 1);
    open_filtered(&f, &broad, kind, 3000, isa);
    fill_filtered(&f, &random, random_share_of(1500, 500));
    const uint32_t runs = random_share_of(24, 8);
    for (uint32_t run = 0; run < runs; ++run)
    {
        const bool drops = run % 8 != 7;
        broad.granularity = run % 2 ? (ab_granularity){ .chunk = 64, .whole = 64 } : AB_GRANULARITY_DEFAULT;
        run_filtered(&f, &broad, drops);
        if (drops)
        {
            assert_exact(&f, &broad);
        }
        if (run % 6 == 3)
        {
            sleep_all(&f.c);
            fill_filtered(&f, &random, 200);
        }
        for (uint32_t i = 0; i < f.c.count; ++i)
        {
            const uint32_t proxy = f.c.proxies.proxy_of[i];
            if (proxy == ABUT_NONE || ab_proxies_set_of(&f.c.proxies, proxy) == AB_STATIC_SET)
            {
                if (proxy != ABUT_NONE && i % 50 == run)
                {
                    ab_proxies_remove(&f.c.proxies, proxy);
                }
                continue;
            }
            f.c.poses[i].position.x += i & 1 ? 0.05f : -0.05f;
            if (random_chance(&random, 0.05))
            {
                change(&f, &random, i, false);
            }
        }
        ab_pair_rules_set(&f.rules, ABUT_KINEMATIC, ABUT_STATIC, run % 5 == 2);
    }
    close_filtered(&f, &broad);
}

static void every_kind_drops_exactly_what_does_not_collide(void **state)
{
    (void)state;
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        drop_exactly(kind, abut_isa_best());
    }
    EVERY_ISA(isa)
    {
        drop_exactly(ABUT_BROAD_BVH, isa);
    }
}

// Four crowds beside each other, each of one group, and few of none among them.
static void fill_groups(filtered_crowd *f, random_source *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t which = random_below(random, 4);
        abut_vec3 at = random_narrow(random_in_box(random, 0.5));
        at.x += (float)which;
        const uint32_t collider = crowd_add(&f->c, crowd_random_shape(random, 0.2, 0.5), at, (abut_quat){ .w = 1 });
        f->filters[collider] = (abut_filter){ .category = 1, .mask = UINT32_MAX };
        f->filters[collider].group = random_chance(random, 0.02) ? 0 : -1 - (int32_t)which;
        describe(f, collider, true);
    }
}

static void drop_groups_exactly(abut_broad_kind kind, bool united)
{
    filtered_crowd f;
    ab_broad broad;
    random_source random = random_start(kind + 20);
    open_filtered(&f, &broad, kind, 3000, abut_isa_best());
    fill_groups(&f, &random, 1600);
    for (uint32_t run = 0; run < 6; ++run)
    {
        broad.granularity = run % 2 ? (ab_granularity){ .chunk = 64, .whole = 64 } : AB_GRANULARITY_DEFAULT;
        arrfree(broad.pairs); // so that they lack room
        run_filtered(&f, &broad, united);
        assert_true(broad.drops);
        assert_int_equal(broad.undropped > 0, !united);
        assert_exact(&f, &broad);
        for (uint32_t i = 0; i < f.c.count; ++i)
        {
            f.c.poses[i].position.x += i & 1 ? 0.05f : -0.05f;
        }
    }
    close_filtered(&f, &broad);
}

static void groups_are_dropped_exactly_by_node_and_where_pairs_are_very_many(void **state)
{
    (void)state;
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        drop_groups_exactly(kind, false);
        drop_groups_exactly(kind, true);
    }
}

static abut_statistics detected(abut_world *world)
{
    abut_statistics s;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    abut_world_statistics(world, &s);
    return s;
}

enum
{
    CIRCLES = 5000,
    SOUGHT = 100, // one circle in so many is of the category that sensors look for
    RADII = 8
};

// Circles in the plane, each with a sensor of so many radii that looks for few of them.
static abut_world *make_seekers(abut_broad_kind kind, abut_body *bodies, abut_collider *sensors, abut_vec3 *positions)
{
    abut_world *world;
    random_source random = random_start(1);
    assert_int_equal(abut_world_create(&(abut_world_def){ .dimension = 2, .broad = kind }, &world), ABUT_OK);
    for (uint32_t i = 0; i < CIRCLES; ++i)
    {
        positions[i] = random_narrow(random_in_box(&random, 18.0));
        positions[i].z = 0.0f;
        const abut_filter own = { .category = i % SOUGHT == 0 ? 2u : 1u }, seeks = { .category = 4, .mask = 2 };
        const abut_body_def body = { .pose = { .position = positions[i], .rotation = { .w = 1 } },
                                     .collider = { .shape = abut_shape_sphere(0.25f), .filter = own } };
        const abut_collider_def sensor = { .shape = abut_shape_sphere(0.25f * RADII),
                                           .filter = seeks,
                                           .flags = ABUT_COLLIDER_SENSOR };
        assert_int_equal(abut_body_create(world, &body, &bodies[i]), ABUT_OK);
        assert_int_equal(abut_collider_attach(world, bodies[i], &sensor, &sensors[i]), ABUT_OK);
    }
    return world;
}

static uint32_t overlaps_of(const abut_vec3 *positions, uint32_t sensor)
{
    const float reach = 0.25f * (RADII + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < CIRCLES; i += SOUGHT)
    {
        const float x = positions[i].x - positions[sensor].x, y = positions[i].y - positions[sensor].y;
        count += i != sensor && x * x + y * y <= reach * reach;
    }
    return count;
}

static void a_sensor_costs_what_it_may_notice(void **state)
{
    (void)state;
    static abut_body bodies[CIRCLES];
    static abut_collider sensors[CIRCLES];
    static abut_vec3 positions[CIRCLES];
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        abut_world *world = make_seekers(kind, bodies, sensors, positions);
        for (uint32_t detect = 0; detect < 3; ++detect)
        {
            const abut_statistics s = detected(world);
            assert_int_equal(s.filtered, 0);
            assert_true(s.candidates < 5 * CIRCLES);
            assert_true(kind != ABUT_BROAD_BVH || s.box_tests < 10 * CIRCLES);
            assert_true(s.peak_bytes < 12u << 20);
            uint64_t overlaps = 0;
            for (uint32_t i = 0; i < CIRCLES; ++i)
            {
                overlaps += overlaps_of(positions, i);
            }
            assert_int_equal(s.overlaps, overlaps);
            assert_true(overlaps > 1000);
        }
        abut_world_destroy(world);
    }
}

// Bodies that do not collide by their motion kinds cost one detect, which finds out.
static void what_is_filtered_often_is_dropped_from_the_second_detect_on(void **state)
{
    (void)state;
    abut_world *world;
    random_source random = random_start(2);
    assert_int_equal(abut_world_create(&(abut_world_def){ .broad = ABUT_BROAD_BVH }, &world), ABUT_OK);
    for (uint32_t i = 0; i < 2000; ++i)
    {
        abut_body body;
        const abut_body_def def = { .motion = ABUT_KINEMATIC,
                                    .pose = { .position = random_narrow(random_in_box(&random, 3.0)),
                                              .rotation = { .w = 1 } },
                                    .collider.shape = abut_shape_sphere(0.5f) };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    const abut_statistics first = detected(world), second = detected(world);
    assert_true(first.filtered > 20000 && first.filtered == first.candidates);
    assert_int_equal(second.candidates, 0);
    assert_true(second.box_tests < first.box_tests / 4);
    assert_int_equal(abut_world_set_collides(world, ABUT_KINEMATIC, ABUT_KINEMATIC, true), ABUT_OK);
    const abut_statistics third = detected(world);
    assert_int_equal(third.candidates, first.candidates);
    assert_int_equal(third.filtered, 0);
    abut_world_destroy(world);
}

// A crowd at one spot that does not collide with itself: no detect makes room for its pairs, and the tree, which knows
// the group of each node, does not look for them.
static void a_group_at_one_spot_costs_little_from_the_first_detect_on(void **state)
{
    (void)state;
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        abut_world *world;
        assert_int_equal(abut_world_create(&(abut_world_def){ .broad = kind }, &world), ABUT_OK);
        for (uint32_t i = 0; i < 3000; ++i)
        {
            abut_body body;
            const abut_body_def def = { .collider = { .shape = abut_shape_sphere(0.5f), .filter = { .group = -7 } } };
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        }
        for (uint32_t detect = 0; detect < 3; ++detect)
        {
            const abut_statistics s = detected(world);
            assert_int_equal(s.candidates, 0);
            assert_int_equal(s.contacts, 0);
            assert_true(s.peak_bytes < 8u << 20);
            assert_true(detect == 0 || kind != ABUT_BROAD_BVH || s.box_tests < 10000);
        }
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_drops_exactly_what_does_not_collide),
        cmocka_unit_test(groups_are_dropped_exactly_by_node_and_where_pairs_are_very_many),
        cmocka_unit_test(a_group_at_one_spot_costs_little_from_the_first_detect_on),
        cmocka_unit_test(a_sensor_costs_what_it_may_notice),
        cmocka_unit_test(what_is_filtered_often_is_dropped_from_the_second_detect_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
