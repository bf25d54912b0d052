// Differences between images, and histories of frames.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_images.h"

#include <stdlib.h>

static void drop(image *it)
{
    if (it->bytes)
    {
        test_free(it->bytes);
    }
    *it = (image){ 0 };
}

static void make_room(image *it, size_t size)
{
    if (size > it->room)
    {
        drop(it);
        it->room = 2 * size;
        it->bytes = test_malloc(it->room);
    }
}

static void differ(const image *base, const image *to, image *out)
{
    size_t size = 0;
    assert_int_equal(abut_image_difference(base->bytes, base->size, to->bytes, to->size, NULL, 0, &size), ABUT_OK);
    make_room(out, size);
    assert_int_equal(
        abut_image_difference(base->bytes, base->size, to->bytes, to->size, out->bytes, out->room, &out->size),
        ABUT_OK);
    assert_int_equal(out->size, size);
}

static abut_status apply(const image *base, const image *difference, image *out)
{
    size_t size = 0;
    const abut_status status =
        abut_image_apply(base->bytes, base->size, difference->bytes, difference->size, NULL, 0, &size);
    if (status != ABUT_OK)
    {
        return status;
    }
    make_room(out, size);
    return abut_image_apply(base->bytes, base->size, difference->bytes, difference->size, out->bytes, out->room,
                            &out->size);
}

static void differences_make_their_images(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(10);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
        session s;
        image base = { 0 }, next = { 0 }, difference = { 0 }, made = { 0 };
        session_open(&s, seed, &def, false);
        save(&s, 0, &base);
        for (uint64_t done = 1; done < 1200; ++done)
        {
            session_go_on(&s, done);
            if (!random_chance(&s.random, 0.1))
            {
                continue;
            }
            save(&s, random_below(&s.random, 2), &next);
            differ(&base, &next, &difference);
            assert_int_equal(apply(&base, &difference, &made), ABUT_OK);
            expect_same(&next, &made, "made by a difference");
            const image other = base;
            base = next;
            next = other;
        }
        // Another base, and damage.
        save(&s, 0, &next);
        differ(&base, &next, &difference);
        if (base.size != next.size || memcmp(base.bytes, next.bytes, base.size) != 0)
        {
            assert_int_equal(apply(&next, &difference, &made), ABUT_INVALID_ARGUMENT);
        }
        for (size_t at = 0; at < difference.size; ++at)
        {
            difference.bytes[at] ^= 0x10;
            assert_int_equal(apply(&base, &difference, &made), ABUT_INVALID_ARGUMENT);
            difference.bytes[at] ^= 0x10;
        }
        drop(&base);
        drop(&next);
        drop(&difference);
        drop(&made);
        session_close(&s);
    }
}

// Runs that somebody made up, under the right checksum: refused, or an image.
static void made_up_differences_do_no_harm(void **state)
{
    (void)state;
    enum
    {
        HEADER = 48 // bytes before those under the checksum, which is the last field
    };
    const abut_world_def def = def_of(4, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    session s;
    image base = { 0 }, next = { 0 }, difference = { 0 }, made = { 0 };
    session_open(&s, 4, &def, false);
    for (uint64_t done = 1; done < 200; ++done)
    {
        session_go_on(&s, done);
    }
    save(&s, 0, &base);
    for (uint64_t done = 200; done < 230; ++done)
    {
        session_go_on(&s, done);
    }
    save(&s, 0, &next);
    differ(&base, &next, &difference);
    for (uint32_t k = 0; k < 20000; ++k)
    {
        const uint32_t words[] = { 0, 1, 7, 0x7fffffffu, 0xffffffffu };
        const size_t at = HEADER + 4 * (size_t)random_below(&s.random, (uint32_t)(difference.size - HEADER) / 4);
        uint32_t before;
        memcpy(&before, difference.bytes + at, sizeof before);
        memcpy(difference.bytes + at, &words[random_below(&s.random, 5)], sizeof before);
        const uint64_t checksum =
            ab_header_seal(difference.bytes, HEADER, difference.bytes + HEADER, difference.size - HEADER);
        memcpy(difference.bytes + HEADER - 8, &checksum, sizeof checksum);
        const abut_status status = apply(&base, &difference, &made);
        assert_true(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
        memcpy(difference.bytes + at, &before, sizeof before);
    }
    drop(&base);
    drop(&next);
    drop(&difference);
    drop(&made);
    session_close(&s);
}

// Every frame that a history has comes back exactly, and the game goes on from there.
static void histories_go_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed)
    {
        enum
        {
            FRAMES = 120
        };
        const abut_world_def def = def_of(seed, ABUT_BROAD_AUTO, ABUT_ISA_AUTO);
        static session model[FRAMES];
        uint64_t hash[FRAMES];
        session s, judge;
        abut_history *history;
        uint64_t oldest = 0, newest = 0, done = 0;
        uint32_t rewinds = 0;
        session_open(&s, seed, &def, false);
        session_open(&judge, seed, &def, false);
        assert_int_equal(abut_history_create(NULL, 600000, &history), ABUT_OK);
        assert_false(abut_history_range(history, NULL, NULL) || abut_history_range(NULL, NULL, NULL));
        for (uint64_t frame = 0; frame < FRAMES; ++frame)
        {
            for (uint32_t k = 0; k < OPERATIONS_A_DETECT; ++k)
            {
                session_go_on(&s, ++done);
            }
            hash[frame] = abut_world_hash(s.world);
            model[frame] = s;
            const abut_registry registry = registry_of(&s);
            assert_int_equal(abut_history_push(history, s.world, &registry, frame), ABUT_OK);
            assert_int_equal(abut_history_push(history, s.world, &registry, frame), ABUT_INVALID_ARGUMENT);
            assert_true(abut_history_range(history, &oldest, &newest) && newest == frame);
            const uint64_t then = oldest + frame * 7919 % (frame - oldest + 1); // any of them
            assert_int_equal(abut_history_read(history, judge.world, &registry, then), ABUT_OK);
            assert_true(abut_world_hash(judge.world) == hash[then] && abut_world_hash(s.world) == hash[frame]);
            assert_true(abut_history_range(history, NULL, &newest) && newest == frame);
            if (frame - oldest >= 3 && rewinds < 12 && random_chance(&s.random, 0.2))
            {
                const uint64_t to = oldest + random_below(&s.random, (uint32_t)(frame - oldest));
                assert_int_equal(abut_history_rewind(history, s.world, &registry, to), ABUT_OK);
                assert_true(abut_world_hash(s.world) == hash[to]);
                assert_true(abut_history_range(history, NULL, &newest) && newest == to);
                s = model[to];
                ++rewinds;
                random_below(&s.random, 2 + (uint32_t)frame % 3); // another way from here
                done -= (frame - to) * OPERATIONS_A_DETECT;
                frame = to;
                hash[to] = abut_world_hash(s.world);
            }
        }
        const abut_registry registry = registry_of(&s);
        assert_int_equal(abut_history_rewind(history, s.world, &registry, 1000), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_read(history, judge.world, &registry, 1000), ABUT_INVALID_ARGUMENT);
        assert_true(newest - oldest >= 20 && abut_history_range(history, &oldest, NULL));
        abut_history_destroy(history);
        assert_int_equal(abut_history_create(NULL, 1000, &history), ABUT_OK);
        assert_int_equal(abut_history_push(history, s.world, &registry, 0), ABUT_LIMIT);
        abut_history_destroy(history);
        session_close(&s);
        session_close(&judge);
    }
}

// A world of which one body in a hundred moves: a difference is at most 3% of the image.
static void what_rests_costs_nothing(void **state)
{
    (void)state;
    enum
    {
        SIDE = 50
    };
    abut_world *world;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
    {
        abut_body body;
        const bool moves = i % 100 == 7;
        const abut_body_def def = { .pose.position = { (float)(i % SIDE), (float)(i / SIDE), 0 },
                                    .velocity.linear = { moves ? 0.3f : 0.0f, 0, 0 },
                                    .motion = moves ? ABUT_DYNAMIC : ABUT_STATIC,
                                    .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    const session s = { .world = world };
    image base = { 0 }, next = { 0 }, difference = { 0 };
    for (uint32_t frame = 0; frame < 10; ++frame)
    {
        save(&s, 0, &base);
        assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
    }
    save(&s, 0, &next);
    differ(&base, &next, &difference);
    printf("%u bodies, one in 100 moves: image %zu bytes, difference %zu\n", SIDE * SIDE, next.size, difference.size);
    assert_true(100 * difference.size <= 3 * next.size);
    drop(&base);
    drop(&next);
    drop(&difference);
    abut_world_destroy(world);
}

static void wrong_calls_fail(void **state)
{
    (void)state;
    const abut_world_def def = def_of(4, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    session s;
    image a = { 0 }, b = { 0 }, difference = { 0 }, made = { 0 };
    size_t size = 3;
    session_open(&s, 4, &def, false);
    save(&s, 0, &a);
    for (uint64_t done = 1; done < 100; ++done)
    {
        session_go_on(&s, done);
    }
    save(&s, 0, &b);
    differ(&a, &b, &difference);
    assert_int_equal(apply(&a, &difference, &made), ABUT_OK);
    const unsigned char *x = a.bytes, *y = b.bytes, *d = difference.bytes;
    const size_t nx = a.size, ny = b.size, nd = difference.size;
    const abut_status wrong = ABUT_INVALID_ARGUMENT;
    assert_int_equal(abut_image_difference(NULL, nx, y, ny, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_difference(x, nx, NULL, ny, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_difference(x, nx, y, ny, NULL, 0, NULL), wrong);
    assert_int_equal(abut_image_difference(x, nx, y, ny, NULL, 9, &size), wrong);
    assert_int_equal(abut_image_difference(x, nx - 1, y, ny, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_difference(x, nx, y, ny - 1, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_apply(NULL, nx, d, nd, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_apply(x, nx, NULL, nd, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_apply(x, nx, d, nd, NULL, 0, NULL), wrong);
    assert_int_equal(abut_image_apply(x, nx, d, nd, NULL, 9, &size), wrong);
    assert_int_equal(abut_image_apply(x, nx, d, nd, made.bytes + 4, ny, &size), wrong);
    assert_int_equal(abut_image_apply(x, nx - 1, d, nd, NULL, 0, &size), wrong);
    assert_int_equal(abut_image_apply(x, nx, d, 8, NULL, 0, &size), wrong);
    assert_int_equal(size, 3);
    assert_int_equal(abut_image_difference(x, nx, y, ny, made.bytes, 100, &size), ABUT_LIMIT);
    assert_int_equal(abut_image_apply(x, nx, d, nd, made.bytes, 100, &size), ABUT_LIMIT);
    assert_int_equal(size, ny);
    drop(&a);
    drop(&b);
    drop(&difference);
    drop(&made);
    session_close(&s);
}

// Every request of a history's memory fails once; its frames stay, and so does the world.
static void histories_without_memory_keep_what_they_have(void **state)
{
    (void)state;
    scarce memory = { 0 };
    const abut_allocator allocator = { allocate, release, &memory }, half = { allocate, NULL, NULL };
    const abut_world_def def = def_of(5, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    abut_history *history;
    session s;
    session_open(&s, 5, &def, false);
    const abut_registry registry = registry_of(&s);
    assert_int_equal(abut_history_create(NULL, 0, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_history_create(&half, 0, &history), ABUT_INVALID_ARGUMENT);
    memory.countdown = 1;
    assert_int_equal(abut_history_create(&allocator, 1u << 20, &history), ABUT_OUT_OF_MEMORY);
    abut_history_destroy(NULL);
    for (uint32_t request = 1; request < 12; ++request)
    {
        uint64_t done = 0, newest = 0;
        session model = s;
        memory.countdown = 0;
        assert_int_equal(abut_history_create(&allocator, 1u << 22, &history), ABUT_OK);
        assert_int_equal(abut_history_push(NULL, s.world, &registry, 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_push(history, NULL, &registry, 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_rewind(NULL, s.world, &registry, 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_rewind(history, NULL, &registry, 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_read(NULL, s.world, &registry, 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_read(history, NULL, &registry, 1), ABUT_INVALID_ARGUMENT);
        memory.countdown = request;
        for (uint64_t frame = 0; frame < 4; ++frame)
        {
            session_go_on(&s, ++done);
            abut_status status = abut_history_push(history, s.world, &registry, frame);
            status = status == ABUT_OUT_OF_MEMORY ? abut_history_push(history, s.world, &registry, frame) : status;
            assert_int_equal(status, ABUT_OK);
            model = frame == 1 ? s : model;
        }
        const uint64_t hash = abut_world_hash(s.world);
        memory.countdown = request;
        abut_status status = abut_history_read(history, s.world, &registry, 3);
        assert_true(status == ABUT_OK || status == ABUT_OUT_OF_MEMORY);
        assert_true(abut_world_hash(s.world) == hash);
        memory.countdown = request;
        status = abut_history_rewind(history, s.world, &registry, 1);
        if (status != ABUT_OK)
        {
            assert_int_equal(status, ABUT_OUT_OF_MEMORY);
            assert_true(abut_world_hash(s.world) == hash);
            assert_true(abut_history_range(history, NULL, &newest) && newest == 3);
            memory.countdown = 0;
            assert_int_equal(abut_history_rewind(history, s.world, &registry, 1), ABUT_OK);
        }
        s = model;
        memory.countdown = 0;
        // A registry without the polygons: nothing is saved, nothing is restored.
        abut_body body;
        const abut_body_def polygon = { .collider.shape = abut_shape_polygon(s.polygon[0]) };
        assert_int_equal(abut_body_create(s.world, &polygon, &body), ABUT_OK);
        assert_int_equal(abut_history_push(history, s.world, NULL, 9), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_history_push(history, s.world, &registry, 9), ABUT_OK);
        assert_int_equal(abut_history_rewind(history, s.world, NULL, 9), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_destroy(s.world, body), ABUT_OK);
        memory.countdown = 0;
        abut_history_destroy(history);
    }
    session_close(&s);
}

typedef struct noted
{
    const char *call, *sentence;
    abut_status status;
    uint32_t times;
} noted;

static void note_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    noted *t = context;
    (void)index;
    *t = (noted){ call, sentence, status, t->times + 1 };
}

static void expect_error(noted *t, abut_status status, abut_status wanted, const char *call)
{
    assert_int_equal(status, wanted);
    assert_int_equal(t->times, 1);
    assert_int_equal(t->status, wanted);
    assert_string_equal(t->call, call);
    assert_non_null(t->sentence);
    t->times = 0;
}

// A call on a history that fails reports to the world's on_error, once.
static void failures_are_reported(void **state)
{
    (void)state;
    noted t = { 0 };
    const abut_world_def def = { .on_error = note_error, .on_error_context = &t };
    abut_world *world;
    abut_history *history, *small;
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    assert_int_equal(abut_history_create(NULL, 1 << 20, &history), ABUT_OK);
    assert_int_equal(abut_history_create(NULL, 1, &small), ABUT_OK);
    assert_int_equal(abut_history_push(history, world, NULL, 5), ABUT_OK);
    expect_error(&t, abut_history_push(history, world, NULL, 5), ABUT_INVALID_ARGUMENT, "abut_history_push");
    expect_error(&t, abut_history_push(small, world, NULL, 5), ABUT_LIMIT, "abut_history_push");
    expect_error(&t, abut_history_push(NULL, world, NULL, 5), ABUT_INVALID_ARGUMENT, "abut_history_push");
    expect_error(&t, abut_history_rewind(history, world, NULL, 4), ABUT_INVALID_ARGUMENT, "abut_history_rewind");
    expect_error(&t, abut_history_read(history, world, NULL, 6), ABUT_INVALID_ARGUMENT, "abut_history_read");
    expect_error(&t, abut_history_read(NULL, world, NULL, 6), ABUT_INVALID_ARGUMENT, "abut_history_read");
    assert_int_equal(abut_history_read(history, world, NULL, 5), ABUT_OK);
    assert_int_equal(t.times, 0);
    abut_history_destroy(history);
    abut_history_destroy(small);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_make_their_images),
        cmocka_unit_test(made_up_differences_do_no_harm),
        cmocka_unit_test(histories_go_back),
        cmocka_unit_test(what_rests_costs_nothing),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(wrong_calls_fail),
        cmocka_unit_test(histories_without_memory_keep_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
