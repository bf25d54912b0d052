// Batches whose answers are lists give the same on any number of the world's threads, whatever room there is for them.
#define _POSIX_C_SOURCE 200809L // unsetenv

#include "asked_crowd.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

enum
{
    THREADS = 5,
    MOST = 3,         // nearest
    LARGEST = 120,    // bytes of a result
    UNTOUCHED = 0xa5, // a byte
    CAPACITIES = 9
};

// Answers of a call.
typedef struct lists
{
    abut_range range[ASKED];
    uint64_t capacity, total;
    unsigned char *results;
} lists;

// Asks all questions of a world.
typedef abut_status ask_all(const abut_world *world, const questions *q, lists *out);

static abut_aabb box_of(const questions *q, uint32_t i)
{
    return abut_aabb_from_centre(q->point[i], abut_vec3_make(0.5f, 1.0f, 0.7f));
}

static abut_status ask_rays(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_ray_all_many(world, q->ray, ASKED, NULL, out->range, (abut_hit *)(void *)out->results,
                                   out->capacity, &out->total);
}

static abut_status ask_casts(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_cast_all_many(world, q->cast, ASKED, NULL, out->range, (abut_hit *)(void *)out->results,
                                    out->capacity, &out->total);
}

static abut_status ask_boxes(const abut_world *world, const questions *q, lists *out)
{
    static abut_aabb boxes[ASKED];
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        boxes[i] = box_of(q, i);
    }
    return abut_world_overlap_aabb_many(world, boxes, ASKED, NULL, out->range, (abut_found *)(void *)out->results,
                                        out->capacity, &out->total);
}

static abut_status ask_bounds(const abut_world *world, const questions *q, lists *out)
{
    static abut_aabb boxes[ASKED];
    const abut_query_filter filter = { .flags = ABUT_QUERY_BOUNDS | ABUT_QUERY_ONE_PER_BODY };
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        boxes[i] = box_of(q, i);
    }
    return abut_world_overlap_aabb_many(world, boxes, ASKED, &filter, out->range, (abut_found *)(void *)out->results,
                                        out->capacity, &out->total);
}

static abut_status ask_shapes(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_overlap_shape_many(world, q->shape, ASKED, NULL, out->range, (abut_found *)(void *)out->results,
                                         out->capacity, &out->total);
}

static abut_status ask_points(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_overlap_point_many(world, q->point, ASKED, NULL, out->range, (abut_found *)(void *)out->results,
                                         out->capacity, &out->total);
}

static abut_status ask_regions(const abut_world *world, const questions *q, lists *out)
{
    static abut_plane planes[ASKED][2];
    static abut_region regions[ASKED];
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        planes[i][0] = (abut_plane){ { 1, 0, 0 }, q->point[i].x - 8 };
        planes[i][1] = (abut_plane){ { 0, 1, 0.5f }, q->point[i].y };
        regions[i] = (abut_region){ planes[i], 2 };
    }
    return abut_world_overlap_region_many(world, regions, ASKED, NULL, out->range, (abut_found *)(void *)out->results,
                                          out->capacity, &out->total);
}

static abut_status ask_nearest(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_nearest_many(world, q->point, ASKED, 0.6f, MOST, NULL, out->range,
                                   (abut_near *)(void *)out->results, out->capacity, &out->total);
}

static abut_status ask_nearest_of_shapes(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_nearest_shape_many(world, q->shape, ASKED, 0.6f, MOST, NULL, out->range,
                                         (abut_near *)(void *)out->results, out->capacity, &out->total);
}

static abut_status ask_collisions(const abut_world *world, const questions *q, lists *out)
{
    return abut_world_collide_shape_many(world, q->shape, ASKED, 0.05f, NULL, out->range,
                                         (abut_collision *)(void *)out->results, out->capacity, &out->total);
}

static const struct
{
    const char *name;
    ask_all *ask;
    size_t size; // of a result, which begins with the handles of a body and a collider
} calls[] = {
    { "rays", ask_rays, sizeof(abut_hit) },
    { "casts", ask_casts, sizeof(abut_hit) },
    { "boxes", ask_boxes, sizeof(abut_found) },
    { "bounds", ask_bounds, sizeof(abut_found) },
    { "shapes", ask_shapes, sizeof(abut_found) },
    { "points", ask_points, sizeof(abut_found) },
    { "regions", ask_regions, sizeof(abut_found) },
    { "nearest", ask_nearest, sizeof(abut_near) },
    { "nearest of shapes", ask_nearest_of_shapes, sizeof(abut_near) },
    { "collisions", ask_collisions, sizeof(abut_collision) },
};

// Handles name their world: without that.
static void forget_world(lists *l, size_t size)
{
    const uint64_t there = l->total < l->capacity ? l->total : l->capacity;
    for (uint64_t i = 0; i < there; ++i)
    {
        uint32_t handles[4];
        memcpy(handles, l->results + i * size, sizeof handles);
        handles[1] >>= AB_GENERATION_SHIFT;
        handles[3] >>= AB_GENERATION_SHIFT;
        memcpy(l->results + i * size, handles, sizeof handles);
    }
}

static void ask(const abut_world *world, const questions *q, uint32_t call, uint64_t capacity, uint64_t room,
                lists *out)
{
    memset(out->results, UNTOUCHED, (size_t)room * calls[call].size);
    memset(out->range, 0, sizeof out->range);
    out->capacity = capacity;
    assert_int_equal(calls[call].ask(world, q, out), ABUT_OK);
    for (size_t k = (size_t)capacity * calls[call].size; k < (size_t)room * calls[call].size; ++k)
    {
        assert_int_equal(out->results[k], UNTOUCHED);
    }
    forget_world(out, calls[call].size);
}

static void same(const lists *a, const lists *b, uint32_t call, uint32_t threads)
{
    const uint64_t there = a->total < a->capacity ? a->total : a->capacity;
    bool equal = a->total == b->total && memcmp(a->results, b->results, (size_t)there * calls[call].size) == 0;
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        equal = equal && a->range[i].first == b->range[i].first && a->range[i].count == b->range[i].count;
    }
    if (!equal)
    {
        fail_msg("%s: other answers on %u threads with room for %llu of %llu", calls[call].name, threads,
                 (unsigned long long)a->capacity, (unsigned long long)a->total);
    }
}

static void lists_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    questions *q = make_questions();
    abut_world *worlds[THREADS + 1];
    for (uint32_t threads = 1; threads <= THREADS; ++threads)
    {
        worlds[threads] = make_crowd(threads);
    }
    for (uint32_t call = 0; call < COUNT(calls); ++call)
    {
        lists *alone = test_calloc(1, sizeof *alone), *own = test_calloc(1, sizeof *own);
        assert_in_range(calls[call].size, 1, LARGEST);
        assert_int_equal(calls[call].ask(worlds[1], q, own), ABUT_OK);
        const uint64_t total = own->total, room = 4 * total;
        assert_in_range(total, ASKED / 50, BODIES * ASKED / 2);
        const uint64_t capacities[CAPACITIES] = { 0, 1, 13, total / 2, total - 1, total, total + 1, 2 * total, room };
        alone->results = test_calloc((size_t)room, calls[call].size);
        own->results = test_calloc((size_t)room, calls[call].size);
        for (uint32_t i = 0; i < CAPACITIES; i += CAPACITIES / random_share_of(CAPACITIES, 3))
        {
            ask(worlds[1], q, call, capacities[i], room, alone);
            assert_int_equal(alone->total, total);
            for (uint32_t threads = 2; threads <= THREADS; ++threads)
            {
                ask(worlds[threads], q, call, capacities[i], room, own);
                same(alone, own, call, threads);
            }
        }
        test_free(alone->results);
        test_free(own->results);
        test_free(alone);
        test_free(own);
    }
    for (uint32_t threads = 1; threads <= THREADS; ++threads)
    {
        abut_world_destroy(worlds[threads]);
    }
    test_free(q);
}

// One question finds more than all others: its task has no room in its share, whichever it is.
static void a_list_that_is_longer_than_all_others_has_its_place(void **state)
{
    (void)state;
    questions *q = make_questions();
    abut_world *alone = make_crowd(1), *many = make_crowd(4);
    static abut_aabb boxes[ASKED];
    static abut_found expected[4 * BODIES], found[4 * BODIES];
    static abut_range ranges[2][ASKED];
    const abut_query_filter filter = { .flags = ABUT_QUERY_BOUNDS };
    for (uint32_t large = 0; large < ASKED; large += 61)
    {
        uint64_t totals[2];
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            const float half = i == large ? 20.0f : 0.05f;
            boxes[i] = abut_aabb_from_centre(q->point[i], abut_vec3_make(half, half, half));
        }
        assert_int_equal(abut_world_overlap_aabb_many(alone, boxes, ASKED, &filter, ranges[0], expected,
                                                      COUNT(expected), &totals[0]),
                         ABUT_OK);
        assert_int_equal(
            abut_world_overlap_aabb_many(many, boxes, ASKED, &filter, ranges[1], found, COUNT(found), &totals[1]),
            ABUT_OK);
        assert_int_equal(totals[0], totals[1]);
        assert_in_range(totals[0], BODIES, COUNT(found));
        assert_true(ranges[0][large].count == BODIES);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            assert_true(ranges[0][i].first == ranges[1][i].first && ranges[0][i].count == ranges[1][i].count);
        }
        for (uint64_t i = 0; i < totals[0]; ++i)
        {
            assert_int_equal(expected[i].body.slot, found[i].body.slot);
            assert_int_equal(expected[i].collider.slot, found[i].collider.slot);
        }
    }
    abut_world_destroy(alone);
    abut_world_destroy(many);
    test_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(a_list_that_is_longer_than_all_others_has_its_place),
    };
    unsetenv("ABUT_THREADS"); // the threads of every world are said here
    return cmocka_run_group_tests(tests, NULL, NULL);
}
