// Crowds of which no two collide, or few do: they cost what their bodies cost and not what their pairs would, from the
// first detect on, whatever keeps the pairs from colliding; and the grid alone gives way to the tree where it would
// test most boxes against most others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad/box_kernels.h"
#include "broad_judged.h"
#include "pairs/pair_stream.h"
#include "scarce_memory.h"
#include "world/world.h"

#include <abut/abut.h>

enum
{
    BODIES = 6000,
    LEAST_BODIES = 1500, // where all pairs are asked for after each detect
    OF_BODY = 250        // colliders
};

static uint32_t bodies(void)
{
    return random_share_of(BODIES, LEAST_BODIES);
}

typedef enum reason
{
    STATIC,
    SLEEPING,
    KINEMATIC,
    SENSORS,
    GROUP,
    CATEGORIES,
    ONE_SIDED, // of two filters one admits the other
    ONE_BODY,  // groups, too
    REASONS,   // no reason
} reason;

static abut_body_def member(reason why, uint32_t i, random_source *random)
{
    const abut_vec3 at = why == ONE_SIDED ? (abut_vec3){ 0 } : random_narrow(random_in_box(random, 0.1));
    abut_body_def def = { .pose.position = at, .collider.shape = abut_shape_sphere(0.5f) };
    def.motion = why == STATIC ? ABUT_STATIC : why == KINEMATIC ? ABUT_KINEMATIC : ABUT_DYNAMIC;
    def.flags = why == SLEEPING ? ABUT_BODY_ASLEEP : 0u;
    def.collider.flags = why == SENSORS ? ABUT_COLLIDER_SENSOR : 0u;
    def.collider.filter.group = why == GROUP || why == SLEEPING || why == ONE_BODY ? -7 : 0;
    if (why == CATEGORIES)
    {
        def.collider.filter = (abut_filter){ .category = 1u + i % 3, .mask = ~3u };
    }
    if (why == ONE_SIDED)
    {
        def.collider.filter = (abut_filter){ .category = 1u + i % 2, .mask = i % 2 ? 4u : 2u };
    }
    return def;
}

static abut_world *world_of(abut_broad_kind kind)
{
    abut_world *world;
    assert_int_equal(abut_world_create(&(abut_world_def){ .broad = kind }, &world), ABUT_OK);
    return world;
}

static abut_world *make_crowd(reason why, abut_broad_kind kind)
{
    abut_world *world = world_of(kind);
    random_source random = random_start(why);
    abut_body body;
    for (uint32_t i = 0; i < bodies(); ++i)
    {
        const abut_body_def def = member(why, i, &random);
        if (why == ONE_BODY && i % OF_BODY > 0)
        {
            abut_collider collider;
            assert_int_equal(abut_collider_attach(world, body, &def.collider, &collider), ABUT_OK);
        }
        else
        {
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        }
    }
    return world;
}

static abut_statistics detected(abut_world *world)
{
    abut_statistics s;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    abut_world_statistics(world, &s);
    return s;
}

static void crowds_that_do_not_collide_cost_what_their_bodies_do(void **state)
{
    (void)state;
    const abut_broad_kind kinds[] = { ABUT_BROAD_AUTO, ABUT_BROAD_BVH, ABUT_BROAD_GRID };
    for (uint32_t which = 0; which < 3 * REASONS; ++which)
    {
        const abut_broad_kind kind = kinds[which % 3];
        abut_world *world = make_crowd((reason)(which / 3), kind);
        for (uint32_t detect = 0; detect < 3; ++detect)
        {
            const abut_statistics s = detected(world);
            assert_int_equal(s.candidates, 0);
            assert_true(s.box_tests < bodies() || (kind == ABUT_BROAD_GRID && detect > 0));
            assert_true(s.peak_bytes < 1000u * bodies());
        }
        abut_world_destroy(world);
    }
}

// Each of the ten bodies collides with all static ones.
static void few_in_a_crowd_cost_what_they_collide_with(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 2; ++which)
    {
        abut_world *world = world_of(which ? ABUT_BROAD_BVH : ABUT_BROAD_AUTO);
        random_source random = random_start(20);
        uint64_t few = 0;
        for (uint32_t i = 0; i < bodies(); ++i)
        {
            abut_body body;
            abut_body_def def = member(STATIC, i, &random);
            def.motion = i % (bodies() / 10) == 77 ? ABUT_DYNAMIC : ABUT_STATIC;
            few += def.motion == ABUT_DYNAMIC;
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        }
        const abut_statistics s = detected(world);
        assert_int_equal(s.contacts, few * (bodies() - few) + few * (few - 1) / 2);
        assert_int_equal(s.candidates, s.contacts);
        assert_true(s.box_tests < 2 * s.contacts);
        abut_world_destroy(world);
    }
}

// Its own colliders are no candidates of a body with many, nor does it take memory for their pairs.
static void a_body_with_many_colliders_is_not_searched_for_pairs_in_itself(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 2; ++which)
    {
        const uint32_t many = which ? 200 : 40; // very many pairs, or less
        abut_world *world = world_of(ABUT_BROAD_BVH);
        for (uint32_t i = 0; i < 20; ++i)
        {
            abut_body body;
            abut_collider collider;
            const abut_body_def def = { .pose.position.x = (float)i * 0.9f, .collider.shape = abut_shape_sphere(0.5f) };
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
            for (uint32_t k = 1; k < many; ++k)
            {
                abut_collider_def small = { .shape = abut_shape_sphere(0.1f) };
                assert_int_equal(abut_collider_attach(world, body, &small, &collider), ABUT_OK);
            }
        }
        for (uint32_t detect = 0; detect < 3; ++detect)
        {
            const abut_statistics s = detected(world);
            assert_int_equal(s.contacts, 19);
            assert_true((s.filtered == 0 && s.box_tests < 3 * 20 * many) || (detect == 0 && !which));
            assert_true(s.peak_bytes < 1000u * 20 * many);
        }
        abut_world_destroy(world);
    }
}

// Of a crowd almost at rest, the few that have moved are searched for by themselves only where that is cheaper.
static void a_few_that_move_in_a_crowd_do_not_test_all_of_it(void **state)
{
    (void)state;
    abut_world *world;
    const abut_world_def recycling = { .broad = ABUT_BROAD_BVH, .recycle_distance = 0.05f };
    assert_int_equal(abut_world_create(&recycling, &world), ABUT_OK);
    static abut_body body[BODIES];
    random_source random = random_start(30);
    for (uint32_t i = 0; i < bodies(); ++i)
    {
        const abut_body_def def = member(GROUP, i, &random);
        assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
    }
    for (uint32_t detect = 0; detect < 6; ++detect)
    {
        const bool some_move = detect > 1;
        for (uint32_t i = detect; i < bodies() && some_move; i += 50)
        {
            const abut_pose pose = { .position.x = 0.1f * (float)detect, .rotation.w = 1.0f };
            assert_int_equal(abut_body_set_pose(world, body[i], &pose), ABUT_OK);
        }
        const abut_statistics s = detected(world);
        assert_int_equal(s.candidates, 0);
        assert_true(s.box_tests < bodies());
        assert_true(!some_move || s.box_tests > 0); // of the tree: else each has gone through the crowd
    }
    abut_world_destroy(world);
}

// Tests of proxies against blocks.
static uint64_t leaf_tests;
static const ab_box_kernels *counted;

static uint32_t count_tests(const ab_proxy_sides *sides, const ab_node_pairs *in, ab_pair *out)
{
    leaf_tests += in->count;
    return counted->leaf_test(sides, in, out);
}

// No pair of these is found twice: once there are very many, each task ends.
static void the_search_that_finds_very_many_pairs_ends(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 2; ++which)
    {
        crowd c;
        ab_broad broad;
        ab_pair_rules rules = { 0 };
        const abut_filter unused = { 0 };
        random_source random = random_start(40);
        open_kind(&broad, ABUT_BROAD_BVH, &c, BODIES, abut_isa_best());
        ab_pair_rules_open(&rules);
        for (uint32_t i = 0; i < BODIES; ++i)
        {
            const abut_vec3 at = random_narrow(random_in_box(&random, 0.1));
            const uint32_t collider = crowd_add(&c, abut_shape_sphere(0.5f), at, abut_quat_identity());
            assert_true(crowd_append_motion(&c, collider, random_chance(&random, 0.5) ? ABUT_STATIC : ABUT_KINEMATIC));
        }
        ab_box_kernels kernels = *broad.kernels;
        counted = broad.kernels;
        kernels.leaf_test = count_tests;
        broad.kernels = &kernels;
        broad.granularity = which ? (ab_granularity){ .chunk = 64, .whole = 64 } : AB_GRANULARITY_DEFAULT;
        broad.filters = (ab_proxy_filters){ &unused, rules.collides, false };
        leaf_tests = 0;
        run_kind(&broad, &c);
        assert_int_equal(arrlenu(broad.pairs), 0);
        assert_int_equal(broad.undropped, 64 * BODIES);
        assert_true(leaf_tests < 20 * BODIES); // of eight boxes each; all would be 375 times as many as bodies
        ab_pair_rules_close(&rules);
        close_kind(&broad, &c);
    }
}

// Static bodies, sensors, groups and bodies with many colliders, some at one spot and some apart, and few that collide.
static void fill_mixed(abut_world *world, uint32_t count)
{
    random_source random = random_start(50);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_body body;
        const reason why = (reason)random_below(&random, REASONS);
        abut_body_def def = member(random_chance(&random, 0.05) ? REASONS : why, i, &random);
        def.pose.position.x += random_chance(&random, 0.1) ? (float)random_below(&random, 40) : 0.0f;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        for (uint32_t k = 0; k < 30 && random_chance(&random, 0.5); ++k)
        {
            abut_collider collider;
            assert_int_equal(abut_collider_attach(world, body, &def.collider, &collider), ABUT_OK);
        }
    }
}

static void crowds_have_the_contacts_of_all_pairs(void **state)
{
    (void)state;
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        abut_world *world = world_of(kind);
        fill_mixed(world, 400);
        for (uint32_t detect = 0; detect < 3; ++detect)
        {
            abut_audit audit;
            assert_true(detected(world).contacts + detected(world).asleep > 1000);
            assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
            assert_null(audit.what);
        }
        abut_world_destroy(world);
    }
}

static uint64_t counts_of(const abut_statistics *s)
{
    return s->box_tests * 3 + s->candidates * 5 + s->filtered * 7 + s->contacts * 11 + s->sorts * 13 + s->broad;
}

// Wherever sorting has put the proxies, each has the name of its collider.
static void expect_names(const abut_world *world)
{
    const ab_proxies *proxies = &world->cache.proxies;
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.name); ++slot)
    {
        const uint32_t proxy = proxies->proxy_of[slot];
        if (proxy != ABUT_NONE)
        {
            assert_memory_equal(&proxies->name[proxy], &world->state.colliders.name[slot], sizeof(ab_contact_name));
        }
    }
}

static void crowds_cost_the_same_on_several_threads(void **state)
{
    (void)state;
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        uint64_t counts[2][4], hashes[2][4];
        for (uint32_t threaded = 0; threaded < 2; ++threaded)
        {
            abut_world *world;
            const abut_world_def def = { .broad = kind, .threads = threaded ? 3 : 1 };
            assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
            ab_world_set_granularity(world, (ab_granularity){ 64, 64 });
            fill_mixed(world, 700);
            for (uint32_t detect = 0; detect < 4; ++detect)
            {
                const abut_statistics s = detected(world);
                counts[threaded][detect] = counts_of(&s);
                hashes[threaded][detect] = abut_world_hash(world);
                expect_names(world);
            }
            abut_world_destroy(world);
        }
        assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
        assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    }
}

// The first detect of a crowd, with every request refused in turn.
static void a_shortage_in_a_crowd_changes_nothing(void **state)
{
    (void)state;
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        uint64_t expected = 0;
        for (uint64_t at = 0, failed = 1; failed > 0; ++at)
        {
            source memory = { .first_failed = NEVER };
            const abut_world_def def = { .allocator = { lend, take_back, &memory }, .broad = kind };
            abut_world *world;
            assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
            fill_mixed(world, 250);
            const uint64_t empty = abut_world_hash(world);
            if (at > 0)
            {
                fail_after(&memory, at - 1);
            }
            const abut_status status = abut_world_detect(world, 0.0f);
            failed = at == 0 ? 1 : memory.failed;
            assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && abut_world_hash(world) == empty));
            fail_after(&memory, NEVER);
            if (status != ABUT_OK)
            {
                assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
            }
            expected = at == 0 ? abut_world_hash(world) : expected;
            assert_true(abut_world_hash(world) == expected);
            abut_world_destroy(world);
            assert_int_equal(memory.blocks, 0);
        }
    }
}

// Sticks side by side, each as long as all of them are wide: every row of cells has them all.
static void the_grid_alone_gives_way_to_the_tree_where_it_tests_most_boxes(void **state)
{
    (void)state;
    enum
    {
        ACROSS = 110,
        STICKS = ACROSS * ACROSS,
        PAUSE = 64
    };
    abut_world *world = world_of(ABUT_BROAD_GRID);
    abut_body bodies[2];
    for (uint32_t i = 0; i < STICKS; ++i)
    {
        const abut_body_def def = { .pose.position = { (float)(i % ACROSS), (float)(i / ACROSS), 0.0f },
                                    .collider.shape = abut_shape_aabb(0.4f, 0.4f, 1000.0f) };
        assert_int_equal(abut_body_create(world, &def, &bodies[i % 2]), ABUT_OK);
    }
    for (uint32_t detect = 0; detect < PAUSE + 3; ++detect)
    {
        const abut_statistics s = detected(world);
        const bool tried = detect % (PAUSE + 1) == 0;
        assert_int_equal(s.contacts, 0);
        assert_int_equal(s.broad, ABUT_BROAD_BVH);
        assert_true(s.box_tests < (tried ? 600u : 4u) * STICKS);
        assert_true(!tried || s.box_tests > 100u * STICKS);
    }
    abut_world_destroy(world);
}

static void the_grid_alone_comes_back_when_it_suits_the_scene(void **state)
{
    (void)state;
    enum
    {
        MANY = 3000
    };
    abut_world *world = world_of(ABUT_BROAD_GRID);
    static abut_body bodies[MANY];
    static abut_pose poses[MANY];
    random_source random = random_start(60);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        const abut_body_def def = member(GROUP, i, &random);
        assert_int_equal(abut_body_create(world, &def, &bodies[i]), ABUT_OK);
        poses[i] = (abut_pose){ .position = random_narrow(random_in_box(&random, 15.0)), .rotation.w = 1.0f };
    }
    assert_int_equal(detected(world).broad, ABUT_BROAD_BVH); // very many pairs
    assert_int_equal(abut_body_set_pose_many(world, bodies, MANY, poses), ABUT_OK);
    for (uint32_t detect = 0; detect < 64; ++detect)
    {
        assert_int_equal(detected(world).broad, ABUT_BROAD_BVH);
    }
    assert_int_equal(detected(world).broad, ABUT_BROAD_GRID);
    assert_int_equal(detected(world).broad, ABUT_BROAD_GRID);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowds_that_do_not_collide_cost_what_their_bodies_do),
        cmocka_unit_test(few_in_a_crowd_cost_what_they_collide_with),
        cmocka_unit_test(a_body_with_many_colliders_is_not_searched_for_pairs_in_itself),
        cmocka_unit_test(a_few_that_move_in_a_crowd_do_not_test_all_of_it),
        cmocka_unit_test(the_search_that_finds_very_many_pairs_ends),
        cmocka_unit_test(crowds_have_the_contacts_of_all_pairs),
        cmocka_unit_test(crowds_cost_the_same_on_several_threads),
        cmocka_unit_test(a_shortage_in_a_crowd_changes_nothing),
        cmocka_unit_test(the_grid_alone_gives_way_to_the_tree_where_it_tests_most_boxes),
        cmocka_unit_test(the_grid_alone_comes_back_when_it_suits_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
