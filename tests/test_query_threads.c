// Queries on many threads: a batch has the same answers on any number of the world's threads, and when several threads
// ask one world at once, of which one at most has them.
#define _POSIX_C_SOURCE 200809L // unsetenv

#include "asked_crowd.h"
#include "world/world.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define REACH 0.6f // metres: some find fewer than MOST

enum
{
    ASKERS = 4,
    ROUNDS = 10,
    MOST = 3 // nearest
};

// Answers to all of them.
typedef struct answers
{
    abut_hit ray[ASKED], cast[ASKED];
    bool ray_any[ASKED], cast_any[ASKED];
    abut_range range[ASKED], shape_range[ASKED];
    abut_near near[MOST * ASKED], shape_near[MOST * ASKED]; // behind the total: zeros
    uint64_t near_total, shape_total;
} answers;

// What lies behind the results is not told.
static void clear_rest(abut_near near[MOST * ASKED], uint64_t total)
{
    memset(near + total, 0, (MOST * ASKED - (size_t)total) * sizeof *near);
}

static void ask(const abut_world *world, const questions *q, answers *out)
{
    assert_int_equal(abut_world_ray_closest_many(world, q->ray, ASKED, NULL, out->ray), ABUT_OK);
    assert_int_equal(abut_world_ray_any_many(world, q->ray, ASKED, NULL, out->ray_any), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(world, q->cast, ASKED, NULL, out->cast), ABUT_OK);
    assert_int_equal(abut_world_cast_any_many(world, q->cast, ASKED, NULL, out->cast_any), ABUT_OK);
    assert_int_equal(abut_world_nearest_many(world, q->point, ASKED, REACH, MOST, NULL, out->range, out->near,
                                             MOST * ASKED, &out->near_total),
                     ABUT_OK);
    assert_int_equal(abut_world_nearest_shape_many(world, q->shape, ASKED, REACH, MOST, NULL, out->shape_range,
                                                   out->shape_near, MOST * ASKED, &out->shape_total),
                     ABUT_OK);
    clear_rest(out->near, out->near_total);
    clear_rest(out->shape_near, out->shape_total);
}

static void ask_for_nearest(const abut_world *world, const questions *q, uint32_t i, answers *out)
{
    out->range[i].first = out->near_total;
    out->shape_range[i].first = out->shape_total;
    assert_int_equal(
        abut_world_nearest(world, &q->point[i], REACH, NULL, out->near + out->near_total, MOST, &out->range[i].count),
        ABUT_OK);
    assert_int_equal(abut_world_nearest_shape(world, &q->shape[i], REACH, NULL, out->shape_near + out->shape_total,
                                              MOST, &out->shape_range[i].count),
                     ABUT_OK);
    out->near_total += out->range[i].count;
    out->shape_total += out->shape_range[i].count;
}

static void ask_one_by_one(const abut_world *world, const questions *q, answers *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        assert_int_equal(abut_world_ray_closest(world, &q->ray[i], NULL, &out->ray[i]), ABUT_OK);
        assert_int_equal(abut_world_ray_any(world, &q->ray[i], NULL, &out->ray_any[i]), ABUT_OK);
        assert_int_equal(abut_world_cast_closest(world, &q->cast[i], NULL, &out->cast[i]), ABUT_OK);
        assert_int_equal(abut_world_cast_any(world, &q->cast[i], NULL, &out->cast_any[i]), ABUT_OK);
        ask_for_nearest(world, q, i, out);
    }
}

static void forget_world_near(abut_near *near)
{
    for (uint32_t i = 0; i < MOST * ASKED; ++i)
    {
        near[i].body.generation >>= AB_GENERATION_SHIFT;
        near[i].collider.generation >>= AB_GENERATION_SHIFT;
    }
}

static bool same_ranges(const abut_range a[ASKED], const abut_range b[ASKED])
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        differing += a[i].first != b[i].first || a[i].count != b[i].count;
    }
    return differing == 0;
}

// Bit for bit.
static bool same_answers(const answers *a, const answers *b)
{
    return memcmp(a->ray, b->ray, sizeof a->ray) == 0 && memcmp(a->cast, b->cast, sizeof a->cast) == 0 &&
           memcmp(a->ray_any, b->ray_any, sizeof a->ray_any) == 0 &&
           memcmp(a->cast_any, b->cast_any, sizeof a->cast_any) == 0 && same_ranges(a->range, b->range) &&
           same_ranges(a->shape_range, b->shape_range) && memcmp(a->near, b->near, sizeof a->near) == 0 &&
           memcmp(a->shape_near, b->shape_near, sizeof a->shape_near) == 0 && a->near_total == b->near_total &&
           a->shape_total == b->shape_total;
}

// Handles name their world, too: without that.
static void forget_world(abut_hit *hits)
{
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        hits[i].body.generation >>= AB_GENERATION_SHIFT;
        hits[i].collider.generation >>= AB_GENERATION_SHIFT;
    }
}

static void answers_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    questions *q = make_questions();
    answers *first = test_calloc(1, sizeof *first), *own = test_calloc(1, sizeof *own);
    uint32_t hits = 0;
    for (uint32_t threads = 1; threads <= 5; ++threads)
    {
        abut_world *world = make_crowd(threads);
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            answers *out = threads == 1 ? first : own;
            memset(out, 0, sizeof *out);
            ask(world, q, out);
            forget_world(out->ray);
            forget_world(out->cast);
            forget_world_near(out->near);
            forget_world_near(out->shape_near);
            assert_true(threads == 1 || same_answers(own, first));
        }
        if (threads == 1)
        {
            ask_one_by_one(world, q, own);
            forget_world(own->ray);
            forget_world(own->cast);
            forget_world_near(own->near);
            forget_world_near(own->shape_near);
            assert_true(same_answers(own, first));
        }
        abut_world_destroy(world);
    }
    assert_in_range(first->near_total, ASKED / 2, MOST * ASKED - ASKED / 4);
    assert_in_range(first->shape_total, ASKED / 2, MOST * ASKED - ASKED / 4);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        hits += first->ray_any[i] && first->cast_any[i];
    }
    assert_in_range(hits, ASKED / 4, ASKED - 1);
    test_free(q);
    test_free(first);
    test_free(own);
}

typedef struct asker
{
    pthread_t thread;
    const abut_world *world;
    const questions *questions;
    const answers *expected;
    answers *own;
    uint32_t wrong;
} asker;

static void *ask_again_and_again(void *context)
{
    asker *a = context;
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        const questions *q = a->questions;
        memset(a->own, 0, sizeof *a->own);
        a->wrong += abut_world_ray_closest_many(a->world, q->ray, ASKED, NULL, a->own->ray) != ABUT_OK;
        a->wrong += abut_world_ray_any_many(a->world, q->ray, ASKED, NULL, a->own->ray_any) != ABUT_OK;
        a->wrong += abut_world_cast_closest_many(a->world, q->cast, ASKED, NULL, a->own->cast) != ABUT_OK;
        a->wrong += abut_world_cast_any_many(a->world, q->cast, ASKED, NULL, a->own->cast_any) != ABUT_OK;
        a->wrong += abut_world_nearest_many(a->world, q->point, ASKED, REACH, MOST, NULL, a->own->range, a->own->near,
                                            MOST * ASKED, &a->own->near_total) != ABUT_OK;
        a->wrong += abut_world_nearest_shape_many(a->world, q->shape, ASKED, REACH, MOST, NULL, a->own->shape_range,
                                                  a->own->shape_near, MOST * ASKED, &a->own->shape_total) != ABUT_OK;
        clear_rest(a->own->near, a->own->near_total);
        clear_rest(a->own->shape_near, a->own->shape_total);
        a->wrong += !same_answers(a->own, a->expected);
    }
    return NULL;
}

static void several_threads_ask_one_world_at_once(void **state)
{
    (void)state;
    questions *q = make_questions();
    answers *expected = test_calloc(1, sizeof *expected);
    asker askers[ASKERS];
    abut_world *world = make_crowd(3);
    ask(world, q, expected);
    for (uint32_t i = 0; i < ASKERS; ++i)
    {
        askers[i] = (asker){ .world = world, .questions = q, .expected = expected };
        askers[i].own = test_calloc(1, sizeof *askers[i].own);
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_again_and_again, &askers[i]), 0);
    }
    for (uint32_t i = 0; i < ASKERS; ++i)
    {
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
        assert_int_equal(askers[i].wrong, 0);
        test_free(askers[i].own);
    }
    assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK); // the world has its threads again
    abut_world_destroy(world);
    test_free(q);
    test_free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(several_threads_ask_one_world_at_once),
    };
    unsetenv("ABUT_THREADS"); // the threads of every world are said here
    return cmocka_run_group_tests(tests, NULL, NULL);
}
