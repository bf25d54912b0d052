// What queries see after edits, updates and calls that failed; and that neither leaves a mark on results.
#include "ray_crowd.h"
#include "scarce_memory.h"

#include "base/kernels.h"
#include "query/bound_kernels.h"
#include "world/world.h"

#include <abut/state.h>

static void queries_see_what_the_last_update_saw(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        const abut_body first = ball(world, 0), floor = add(world, abut_shape_aabb(9, 1, 9), 0, -5, 0, ABUT_STATIC);
        const abut_ray down = { { 4, 5, 0 }, { 0, -20, 0 } };
        assert_false(cast(world, along_x, NULL).collider.generation); // nothing has been looked at yet
        update(world);
        assert_true(hits_body(world, along_x, NULL, first));
        assert_true(hits_body(world, down, NULL, floor));
        abut_world_bodies(world).poses[first.slot].position.y = 3.0f;
        assert_true(hits_body(world, along_x, NULL, first)); // where it was
        update(world);
        assert_false(cast(world, along_x, NULL).collider.generation);
        detect(world);
        detect(world);
        const abut_body second = ball(world, 2);
        assert_false(cast(world, along_x, NULL).collider.generation);
        update(world);
        assert_true(hits_body(world, along_x, NULL, second));
        const abut_pose below = { .position = { 0, -50, 0 }, .rotation = { 0, 0, 0, 1 } };
        assert_int_equal(abut_body_set_pose(world, floor, &below), ABUT_OK);
        update(world);
        assert_false(cast(world, down, NULL).collider.generation);
        assert_int_equal(abut_body_destroy(world, second), ABUT_OK);
        assert_false(cast(world, along_x, NULL).collider.generation); // at once
        abut_world_destroy(world);
    }
}

// Boxes that were turned become boxes that never are, and are asked about before an update: the calls agree.
static void shapes_that_do_not_turn_are_seen_with_the_axes_of_the_world(void **state)
{
    (void)state;
    enum
    {
        BOXES = 40
    };
    abut_world *world = open_world(&(abut_world_def){ .broad = ABUT_BROAD_BVH });
    const abut_shape upright = abut_shape_aabb(0.5f, 0.4f, 0.5f);
    const abut_quat turned = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.785f);
    abut_body body[BOXES];
    abut_vec3 point[BOXES];
    abut_near near[BOXES];
    abut_range range[BOXES];
    uint64_t total;
    for (uint32_t i = 0; i < BOXES; ++i)
    {
        const abut_body_def def = { .pose = { .position = { 3.0f * (float)i, 0, 0 }, .rotation = turned },
                                    .collider.shape = abut_shape_obb(0.5f, 0.1f, 0.1f) };
        assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
        point[i] = abut_vec3_make(3.0f * (float)i + 0.02f * (float)i, 1, 0.3f);
    }
    update(world);
    for (uint32_t i = 0; i < BOXES; ++i)
    {
        assert_int_equal(abut_collider_set_shape(world, first_collider(world, body[i]), &upright), ABUT_OK);
    }
    assert_int_equal(abut_world_nearest_many(world, point, BOXES, 9, 1, NULL, range, near, BOXES, &total), ABUT_OK);
    assert_int_equal(total, BOXES);
    for (uint32_t i = 0; i < BOXES; ++i)
    {
        abut_near alone;
        uint32_t count;
        assert_int_equal(abut_world_nearest(world, &point[i], 9, NULL, &alone, 1, &count), ABUT_OK);
        assert_memory_equal(&near[i], &alone, sizeof alone);
        const abut_ray up = { { 3.0f * (float)i + 0.34f, -5, 0 }, { 0, 10, 0 } };
        abut_hit hit;
        assert_int_equal(abut_world_ray_all(world, &up, NULL, &hit, 1, &count), ABUT_OK);
        assert_int_equal(count, 1);
        assert_true(hit.fraction == cast(world, up, NULL).fraction);
    }
    abut_world_destroy(world);
}

// The same calls with and without updates and queries in between.
static uint64_t session(abut_broad_kind kind, bool asks, uint64_t seed)
{
    static crowd c;
    uint64_t hash = 0;
    crowd_open(&c, seed, &(abut_world_def){ .broad = kind, .recycle_distance = 0.01f }, 300);
    random_source random = random_start(seed);
    for (uint32_t step = 0; step < 25; ++step)
    {
        for (uint32_t k = 0; k < 20; ++k)
        {
            const uint32_t i = random_below(&random, c.count);
            const abut_pose pose = crowd_pose(&random, &c);
            const abut_body_def def = { .pose = pose, .collider.shape = c.shape[i] };
            if (k % 4 == 0)
            {
                assert_int_equal(abut_body_destroy(c.world, c.body[i]), ABUT_OK);
                assert_int_equal(abut_body_create(c.world, &def, &c.body[i]), ABUT_OK);
            }
            else if (k % 4 == 1)
            {
                assert_int_equal(abut_body_set_awake(c.world, c.body[i], random_chance(&random, 0.5)), ABUT_OK);
            }
            else
            {
                assert_int_equal(abut_body_set_pose(c.world, c.body[i], &pose), ABUT_OK);
            }
            if (asks && k % 5 == 0)
            {
                update(c.world);
            }
        }
        if (asks)
        {
            update(c.world);
            assert_int_equal(abut_body_pose_many(c.world, c.body, c.count, c.pose), ABUT_OK);
            expect_rays(&c, step, 10);
        }
        assert_int_equal(abut_world_step(c.world, 0.01f), ABUT_OK);
        expect_sound(c.world);
        hash = hash * 31 + abut_world_hash(c.world);
    }
    abut_world_destroy(c.world);
    return hash;
}

static void updates_and_queries_leave_results_alone(void **state)
{
    (void)state;
    const uint64_t expected = session(ABUT_BROAD_BVH, false, 77);
    EVERY_BROAD(kind)
    {
        assert_int_equal(session(kind, true, 77), expected);
    }
}

static void invalid_input_is_an_error(void **state)
{
    (void)state;
    error_note told = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &told });
    ball(world, 0);
    update(world);
    abut_ray rays[3] = { along_x, along_x, along_x };
    abut_hit hits[3] = { { .child = 9 }, { .child = 9 }, { .child = 9 } };
    bool any[3] = { false };
    abut_range ranges[3] = { { 9, 9 } };
    uint32_t count = 9;
    uint64_t total = 9;
    rays[2].translation.y = NAN;
    assert_int_equal(abut_world_ray_closest_many(world, rays, 3, NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_true(told.times == 1 && told.index == 2);
    assert_int_equal(abut_world_ray_any_many(world, rays, 3, NULL, any), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_all_many(world, rays, 3, NULL, ranges, hits, 3, &total), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_all(world, &rays[2], NULL, hits, 3, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_closest(world, &rays[2], NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_any(world, &rays[2], NULL, any), ABUT_INVALID_ARGUMENT);
    assert_true(told.times == 6);
    const abut_query_filter wrong[] = { { .flags = 1u << 30 }, { .motions = 8 }, { .ignore_count = 1 } };
    for (size_t i = 0; i < COUNT(wrong); ++i)
    {
        assert_int_equal(abut_world_ray_closest(world, rays, &wrong[i], hits), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_world_ray_closest(world, NULL, NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_closest(world, rays, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_all(world, rays, NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_all(world, rays, NULL, hits, 1, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_closest(NULL, rays, NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_update(NULL), ABUT_INVALID_ARGUMENT);
    assert_true(hits[0].child == 9 && !any[0] && ranges[0].count == 9 && count == 9 && total == 9);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_ray_closest(world, rays, NULL, hits), ABUT_BUSY);
    assert_int_equal(abut_world_update(world), ABUT_BUSY);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    abut_world_destroy(world);
    abut_world *is_2d = open_world(&(abut_world_def){ .dimension = 2 });
    const abut_ray off[] = { { { 0, 0, 1 }, { 1, 0, 0 } }, { { 0, 0, 0 }, { 1, 0, 1 } } };
    assert_int_equal(abut_world_ray_closest(is_2d, &off[0], NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_closest(is_2d, &off[1], NULL, hits), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(is_2d);
}

// A pose that is not valid takes its body out of sight, and no other.
static void after_an_update_that_failed_the_others_are_found(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        static crowd c;
        error_note told = { 0 };
        crowd_open(&c, 4, &(abut_world_def){ .broad = kind, .on_error = note_error, .on_error_context = &told }, 300);
        detect(c.world);
        random_source random = random_start(4);
        abut_pose *poses = abut_world_bodies(c.world).poses;
        uint32_t bad = 0;
        for (abut_motion motion = ABUT_STATIC; motion == ABUT_STATIC; ++bad)
        {
            assert_int_equal(abut_body_motion(c.world, c.body[bad], &motion), ABUT_OK);
        }
        --bad;
        assert_int_equal(abut_body_set_awake(c.world, c.body[bad], true), ABUT_OK);
        poses[c.body[bad].slot].position.x = NAN;
        for (uint32_t k = 0; k < 3; ++k)
        {
            assert_int_equal(k == 1 ? abut_world_detect(c.world, 0.0f) : abut_world_update(c.world),
                             ABUT_INVALID_ARGUMENT);
            assert_true(told.times == k + 1 && told.index == c.body[bad].slot);
            crowd others = c;
            --others.count; // the last in its place: no ray begins in the one that is out of sight
            others.body[bad] = others.body[others.count];
            others.pose[bad] = others.pose[others.count];
            others.shape[bad] = others.shape[others.count];
            expect_rays(&others, random_bits(&random), 40);
        }
        poses[c.body[bad].slot] = c.pose[bad];
        update(c.world);
        expect_rays(&c, 6, 40);
        abut_world_destroy(c.world);
    }
}

// Off the plane, and with rotations that are too short or too long, there are AABBs that a ray would meet.
static void poses_that_are_finite_and_not_valid_are_out_of_sight(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 12; ++k)
    {
        abut_world *world = open_world(&(abut_world_def){ .dimension = k / 3 % 2 == 0 ? 2 : 3 });
        const abut_body body = add(world, abut_shape_sphere(1), 5, 0, 0, ABUT_DYNAMIC),
                        other = add(world, abut_shape_sphere(1), 9, 0, 0, ABUT_DYNAMIC);
        const abut_ray ray = { { 0, 0, 0 }, { 20, 0, 0 } };
        abut_pose *pose = &abut_world_bodies(world).poses[body.slot];
        abut_hit hit;
        update(world);
        assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &hit), ABUT_OK);
        assert_int_equal(hit.body.slot, body.slot);
        if (k / 3 % 2 == 0)
        {
            *(k % 3 == 0 ? &pose->position.z : k % 3 == 1 ? &pose->rotation.x : &pose->rotation.y) = 0.5f;
        }
        else
        {
            pose->rotation = (abut_quat){ 0, 0, 0, k % 3 == 0 ? 1e-8f : k % 3 == 1 ? 1e20f : 1e25f };
        }
        const abut_status status = k < 6 ? abut_world_update(world) : abut_world_update_bodies(world, &body, 1);
        assert_int_equal(status, ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &hit), ABUT_OK);
        assert_int_equal(hit.body.slot, other.slot);
        abut_world_destroy(world);
    }
}

static void a_world_short_of_memory_is_still_searched(void **state)
{
    (void)state;
    static crowd c;
    for (uint64_t granted = 0; granted < 40; ++granted)
    {
        EVERY_BROAD(kind)
        {
            source memory = { .first_failed = NEVER, .lasting = true };
            crowd_open(&c, granted, &(abut_world_def){ .broad = kind, .allocator = { lend, take_back, &memory } }, 200);
            fail_after(&memory, granted);
            abut_status status = granted % 2 ? abut_world_update(c.world) : abut_world_detect(c.world, 0.0f);
            fail_after(&memory, NEVER);
            if (status == ABUT_OUT_OF_MEMORY)
            {
                expect_rays(&c, granted, 10);
            }
            update(c.world);
            expect_rays(&c, granted, 5);
            abut_world_destroy(c.world);
        }
    }
}

static void expect_trees(const abut_world *world, uint32_t *laid)
{
    const ab_broad *broad = &world->cache.broad;
    ab_tree room[AB_SET_COUNT];
    const ab_tree *trees = ab_broad_trees(broad, room);
    *laid += trees != room;
    for (ab_set set = 0; set < AB_SET_COUNT; ++set)
    {
        ab_tree now;
        ab_broad_tree(broad, set, &now);
        assert_int_equal(trees[set].levels, now.levels);
        for (uint32_t level = 0; level < now.levels; ++level)
        {
            assert_int_equal(trees[set].count[level], now.count[level]);
            assert_ptr_equal(trees[set].block[level], now.block[level]);
            assert_ptr_equal(trees[set].aabb[level], now.aabb[level]);
        }
        if (now.levels > 0)
        {
            assert_ptr_equal(trees[set].around, now.around);
            assert_int_equal(trees[set].first_level, now.first_level);
            assert_int_equal(trees[set].first_proxy, now.first_proxy);
        }
    }
}

// Trees are laid once for all queries up to the next edit.
static void trees_are_those_of_the_world_whatever_was_edited(void **state)
{
    (void)state;
    enum
    {
        STEPS = 600
    };
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        abut_body body[STEPS];
        random_source random = random_start(kind);
        uint32_t laid = 0, bodies = 0;
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            const uint32_t what = (uint32_t)random_between(&random, 0.0, 9.99);
            const uint32_t some = (uint32_t)random_between(&random, 0.0, 0.99 * bodies);
            if (what < 5 || bodies == 0)
            {
                const abut_shape cube = abut_shape_aabb(1, 1, 1);
                body[bodies++] = add(world, cube, (float)random_between(&random, -99.0, 99.0), 0, 0,
                                     what % 2 ? ABUT_STATIC : ABUT_DYNAMIC);
            }
            else if (what == 5)
            {
                assert_int_equal(abut_body_destroy(world, body[some]), ABUT_OK);
                body[some] = body[--bodies];
            }
            else if (what == 6)
            {
                assert_int_equal(abut_world_update_bodies(world, body, bodies), ABUT_OK);
            }
            else if (what == 7)
            {
                update(world);
            }
            else if (what == 8)
            {
                detect(world);
            }
            else
            {
                assert_int_equal(abut_world_set_broad(world, step % 2 ? ABUT_BROAD_BVH : kind), ABUT_OK);
            }
            expect_trees(world, &laid);
        }
        const bool small = !world->kernels->queries->near; // lays them for each call
        assert_true(laid >= (small ? 0 : STEPS / 20) && laid <= STEPS - STEPS / 20);
        abut_world_destroy(world);
    }
}

static void queries_ask_for_no_memory(void **state)
{
    (void)state;
    static crowd c;
    source memory = { .first_failed = NEVER };
    crowd_open(&c, 1, &(abut_world_def){ .allocator = { lend, take_back, &memory } }, 500);
    detect(c.world);
    update(c.world);
    const uint64_t asked = memory.asked;
    expect_rays(&c, 2, 100);
    update(c.world);
    assert_int_equal(memory.asked, asked);
    abut_world_destroy(c.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_see_what_the_last_update_saw),
        cmocka_unit_test(shapes_that_do_not_turn_are_seen_with_the_axes_of_the_world),
        cmocka_unit_test(updates_and_queries_leave_results_alone),
        cmocka_unit_test(invalid_input_is_an_error),
        cmocka_unit_test(after_an_update_that_failed_the_others_are_found),
        cmocka_unit_test(poses_that_are_finite_and_not_valid_are_out_of_sight),
        cmocka_unit_test(a_world_short_of_memory_is_still_searched),
        cmocka_unit_test(trees_are_those_of_the_world_whatever_was_edited),
        cmocka_unit_test(queries_ask_for_no_memory),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
