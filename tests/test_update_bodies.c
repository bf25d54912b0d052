// What abut_world_update_bodies does is what abut_world_update does where only these bodies have changed: every form of
// query gives the same bits. It leaves results, hashes and images alone, whatever the broad phase.
#include "query_twins.h"
#include "scarce_memory.h"

#include <abut/state.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_BROAD(kind) for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)

enum
{
    LARGE = 6000,
    STEPS = 12,
    LEAST_STEPS = 4, // the soundness of all worlds is asked for after every fourth
    ROUNDS = 3,      // of edits in a step
    EDITS = 12
};

static void open_twins(twins *t, uint64_t seed, const abut_world_def *def)
{
    *t = (twins){ .random = random_start(seed), .is_2d = def->dimension == 2 };
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        t->world[w] = open_world(def);
    }
    for (uint32_t i = 0; i < FIRST; ++i)
    {
        create(t);
    }
}

static void close_twins(twins *t)
{
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        abut_world_destroy(t->world[w]);
    }
}

typedef struct image
{
    void *bytes;
    size_t size;
} image;

static image save(const twins *t)
{
    abut_world *world = t->world[0];
    const abut_registry registry = { (const abut_geometry *const *)stock.polygon,
                                     sizeof stock.polygon / sizeof *stock.polygon };
    image out = { 0 };
    assert_int_equal(abut_world_save(world, 0, &registry, NULL, 0, &out.size), ABUT_OK);
    out.bytes = malloc(out.size);
    assert_non_null(out.bytes);
    assert_int_equal(abut_world_save(world, 0, &registry, out.bytes, out.size, &out.size), ABUT_OK);
    return out;
}

static void update_some(twins *t, const uint32_t *some, uint32_t count)
{
    abut_body bodies[EDITS];
    for (uint32_t k = 0; k < count; ++k)
    {
        bodies[k] = t->body[0][some[k]];
    }
    assert_int_equal(abut_world_update_bodies(t->world[0], bodies, count), ABUT_OK);
}

// One by one, or all together.
static void edit_some(twins *t)
{
    uint32_t some[EDITS], count = 1 + random_below(&t->random, EDITS);
    const bool alone = random_chance(&t->random, 0.3);
    if (random_chance(&t->random, 0.2) && t->count < MOST - 120)
    {
        for (uint32_t k = 0; k < 100; ++k) // so many that the tree grows
        {
            create(t);
            some[0] = t->count - 1;
            update_some(t, some, 1);
        }
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        some[k] = edit(t);
        if (alone)
        {
            update_some(t, &some[k], 1);
        }
    }
    if (!alone)
    {
        update_some(t, some, count);
    }
    if (random_chance(&t->random, 0.3))
    {
        destroy(t, some_body(t));
    }
    assert_int_equal(abut_world_update(t->world[1]), ABUT_OK);
}

static void detect_all(twins *t, uint64_t seed)
{
    const float horizon = random_chance(&t->random, 0.4) ? 0.05f : 0.0f;
    const bool steps = random_chance(&t->random, 0.5);
    uint64_t hash[WORLDS];
    for (uint32_t w = 0; w < WORLDS; ++w)
    {
        assert_int_equal(steps ? abut_world_step(t->world[w], 0.01f) : abut_world_detect(t->world[w], horizon),
                         ABUT_OK);
        hash[w] = abut_world_hash(t->world[w]);
    }
    if (hash[0] != hash[2] || hash[1] != hash[2])
    {
        fail_msg("seed %llu: another hash", (unsigned long long)seed);
    }
}

static uint64_t session(uint64_t seed, const abut_world_def *def)
{
    static twins t;
    uint64_t results = 0;
    const uint32_t steps = random_share_of(STEPS, LEAST_STEPS);
    open_twins(&t, seed, def);
    for (uint32_t step = 0; step < steps; ++step)
    {
        const image before = save(&t);
        const uint64_t hash = abut_world_hash(t.world[0]);
        assert_int_equal(abut_world_update_bodies(t.world[0], t.body[0], step == 0 ? t.count : 0), ABUT_OK);
        const image after = save(&t);
        assert_true(hash == abut_world_hash(t.world[0]) && before.size == after.size);
        assert_memory_equal(before.bytes, after.bytes, before.size);
        free(before.bytes);
        free(after.bytes);
        // A detect that recycles leaves boxes at the anchors.
        if (step > 0 && def->recycle_distance > 0.0f)
        {
            assert_int_equal(abut_world_update(t.world[0]), ABUT_OK);
        }
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            edit_some(&t);
            results += expect_same_answers(&t, seed);
        }
        detect_all(&t, seed);
        for (uint32_t w = 0; w < WORLDS && step % 4 == 3; ++w)
        {
            expect_sound(t.world[w]);
            assert_int_equal(abut_world_update(t.world[w]), ABUT_OK);
        }
    }
    close_twins(&t);
    return results;
}

static void queries_find_what_a_whole_update_lets_them_find(void **state)
{
    (void)state;
    static const abut_world_def worlds[] = {
        { .dimension = 3 },
        { .dimension = 2 },
        { .dimension = 3, .margin = 0.02f, .threads = 2 },
        { .dimension = 3, .recycle_distance = 0.01f },
        { .dimension = 3, .recycle_distance = 0.02f, .separations = ABUT_AT_ANCHORS },
        { .dimension = 2, .recycle_distance = 0.01f },
    };
    const uint32_t wanted = random_share_of(COUNT(worlds), 2), some = wanted < COUNT(worlds) ? wanted : COUNT(worlds);
    uint64_t seed = 1;
    EVERY_BROAD(kind)
    {
        for (uint32_t i = 0; i < some; ++i, ++seed)
        {
            abut_world_def def = worlds[(2 * kind + i) % COUNT(worlds)]; // of a few, others for each kind
            def.broad = kind;
            assert_true(session(seed, &def) > (random_seeds_all() ? 10000 : 2000));
        }
    }
}

static abut_hit ray_down(const abut_world *world, float x)
{
    const abut_ray ray = { { x, 5, 0 }, { 0, -10, 0 } };
    abut_hit hit;
    assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &hit), ABUT_OK);
    return hit;
}

static bool is_at(const abut_world *world, float x, abut_body body)
{
    const abut_hit hit = ray_down(world, x);
    return hit.body.slot == body.slot && hit.body.generation == body.generation;
}

static abut_pose pose_at(float x)
{
    return (abut_pose){ .position = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 } };
}

static void other_bodies_are_found_where_they_were(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        abut_body body[100];
        for (uint32_t i = 0; i < 100; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        assert_int_equal(abut_world_update_bodies(world, body, 50), ABUT_OK); // the first one
        assert_true(is_at(world, 98, body[49]) && ray_down(world, 100).body.generation == 0);
        assert_int_equal(abut_world_update_bodies(world, body + 50, 50), ABUT_OK);
        assert_true(is_at(world, 100, body[50]));
        abut_pose *const poses = abut_world_bodies(world).poses;
        poses[body[7].slot] = pose_at(-10);
        poses[body[8].slot] = pose_at(-20);
        assert_int_equal(abut_world_update_bodies(world, &body[7], 1), ABUT_OK);
        assert_true(is_at(world, -10, body[7]) && ray_down(world, 14).body.generation == 0);
        assert_true(is_at(world, 16, body[8]) && ray_down(world, -20).body.generation == 0);
        detect(world);
        assert_true(is_at(world, -20, body[8]));
        abut_world_destroy(world);
    }
}

// All nodes above a body are refitted.
static void in_a_large_world_far_moves_are_found(void **state)
{
    (void)state;
    static abut_body body[LARGE];
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        for (uint32_t i = 0; i < LARGE; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        detect(world);
        for (uint32_t i = 0; i < LARGE; i += 97)
        {
            const float x = -100.0f - 1000.0f * (float)i;
            abut_world_bodies(world).poses[body[i].slot] = pose_at(x);
            assert_int_equal(abut_world_update_bodies(world, &body[i], 1), ABUT_OK);
            assert_true(is_at(world, x, body[i]));
        }
        abut_world_destroy(world);
    }
}

static void wrong_calls_change_nothing(void **state)
{
    (void)state;
    error_note told = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &told });
    const abut_body first = ball(world, 0), second = ball(world, 3), gone = ball(world, 6);
    assert_int_equal(abut_body_destroy(world, gone), ABUT_OK);
    detect(world);
    abut_world_bodies(world).poses[first.slot] = pose_at(-5);
    const abut_body some[] = { first, gone, second };
    assert_int_equal(abut_world_update_bodies(world, some, 3), ABUT_STALE_HANDLE);
    assert_true(told.times == 1 && told.index == 1 && told.status == ABUT_STALE_HANDLE);
    assert_true(is_at(world, 0, first));
    assert_int_equal(abut_world_update_bodies(world, NULL, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_update_bodies(NULL, some, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(told.times, 2);
    assert_int_equal(abut_world_update_bodies(world, NULL, 0), ABUT_OK);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_update_bodies(world, &first, 1), ABUT_BUSY);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    assert_true(is_at(world, -5, first));
    abut_world_destroy(world);
    abut_world *empty = open_world(NULL);
    assert_int_equal(abut_world_update_bodies(empty, NULL, 0), ABUT_OK);
    abut_world_destroy(empty);
}

typedef struct caller
{
    abut_world *world;
    abut_body body;
    abut_status status;
} caller;

static void calls_back(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    caller *c = context;
    (void)pairs, (void)count, (void)vetoed;
    c->status = abut_world_update_bodies(c->world, &c->body, 1);
}

static void callbacks_cannot_call_it(void **state)
{
    (void)state;
    caller c = { 0 };
    c.world = open_world(&(abut_world_def){ .veto = calls_back, .veto_context = &c });
    c.body = ball(c.world, 0);
    ball(c.world, 0.5f);
    detect(c.world);
    assert_int_equal(c.status, ABUT_BUSY);
    abut_world_destroy(c.world);
}

static void an_invalid_pose_hides_its_body_alone(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        error_note told = { 0 };
        abut_world *world =
            open_world(&(abut_world_def){ .broad = kind, .on_error = note_error, .on_error_context = &told });
        abut_body body[100];
        for (uint32_t i = 0; i < 100; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        detect(world);
        abut_pose *const poses = abut_world_bodies(world).poses;
        poses[body[3].slot].position.y = NAN;
        poses[body[5].slot].position.x = 1e30f;
        poses[body[6].slot].rotation = (abut_quat){ 0 };
        poses[body[4].slot] = pose_at(-10);
        for (uint32_t k = 0; k < 2; ++k)
        {
            assert_int_equal(abut_world_update_bodies(world, body, 10), ABUT_INVALID_ARGUMENT);
            assert_true(told.times == k + 1 && told.index == 3);
            assert_true(ray_down(world, 6).body.generation == 0 && ray_down(world, 10).body.generation == 0 &&
                        ray_down(world, 12).body.generation == 0);
            assert_true(is_at(world, -10, body[4]) && is_at(world, 14, body[7]) && is_at(world, 198, body[99]));
        }
        for (uint32_t i = 3; i < 7; ++i)
        {
            poses[body[i].slot] = pose_at(2.0f * (float)i);
        }
        assert_int_equal(abut_world_update_bodies(world, body + 3, 4), ABUT_OK);
        assert_true(is_at(world, 6, body[3]) && is_at(world, 10, body[5]) && is_at(world, 12, body[6]));
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        abut_world_bodies(world).velocities[body[3].slot].linear.x = INFINITY;
        assert_int_equal(abut_world_update_bodies(world, body + 2, 4), ABUT_INVALID_ARGUMENT);
        assert_true(told.index == 1 && is_at(world, 6, body[3]));
        abut_world_destroy(world);
    }
}

static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    bool fails = false;
    for (uint64_t granted = 0; granted < 4; ++granted)
    {
        EVERY_BROAD(kind)
        {
            source memory = { .first_failed = NEVER, .lasting = true };
            abut_world *world =
                open_world(&(abut_world_def){ .broad = kind, .allocator = { lend, take_back, &memory } });
            abut_body body[1000];
            for (uint32_t i = 0; i < 100; ++i)
            {
                body[i] = ball(world, 2.0f * (float)i);
            }
            detect(world);
            for (uint32_t i = 100; i < 1000; ++i)
            {
                body[i] = ball(world, 2.0f * (float)i);
            }
            abut_world_bodies(world).poses[body[0].slot] = pose_at(-4);
            fail_after(&memory, granted);
            const abut_status status = abut_world_update_bodies(world, body, 1000);
            fail_after(&memory, NEVER);
            if (status != ABUT_OK)
            {
                fails = true;
                assert_int_equal(status, ABUT_OUT_OF_MEMORY);
                assert_true(is_at(world, 0, body[0]) && is_at(world, 198, body[99]));
                assert_int_equal(ray_down(world, 200).body.generation, 0);
            }
            assert_int_equal(abut_world_update_bodies(world, body, 1000), ABUT_OK);
            assert_true(is_at(world, -4, body[0]) && is_at(world, 1998, body[999]));
            const uint64_t asked = memory.asked;
            abut_world_bodies(world).poses[body[0].slot] = pose_at(-6);
            assert_int_equal(abut_world_update_bodies(world, body, 1000), ABUT_OK);
            assert_int_equal(memory.asked, asked);
            detect(world);
            expect_sound(world);
            abut_world_destroy(world);
        }
    }
    assert_true(fails);
}

// An image has no boxes.
static void after_a_restore_only_these_bodies_are_found(void **state)
{
    (void)state;
    EVERY_BROAD(kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        abut_body body[100];
        size_t size;
        for (uint32_t i = 0; i < 100; ++i)
        {
            body[i] = ball(world, 2.0f * (float)i);
        }
        detect(world);
        assert_int_equal(abut_world_save(world, 0, NULL, NULL, 0, &size), ABUT_OK);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(abut_world_save(world, 0, NULL, bytes, size, &size), ABUT_OK);
        assert_int_equal(abut_world_restore(world, NULL, bytes, size), ABUT_OK);
        free(bytes);
        assert_int_equal(abut_world_update_bodies(world, &body[20], 1), ABUT_OK);
        assert_true(is_at(world, 40, body[20]));
        assert_int_equal(abut_world_update(world), ABUT_OK);
        assert_true(is_at(world, 40, body[20]) && is_at(world, 42, body[21]));
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_find_what_a_whole_update_lets_them_find),
        cmocka_unit_test(other_bodies_are_found_where_they_were),
        cmocka_unit_test(in_a_large_world_far_moves_are_found),
        cmocka_unit_test(wrong_calls_change_nothing),
        cmocka_unit_test(callbacks_cannot_call_it),
        cmocka_unit_test(an_invalid_pose_hides_its_body_alone),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(after_a_restore_only_these_bodies_are_found),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
