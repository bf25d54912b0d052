// Batches leave out nodes of the index that hold nothing wanted: their answers are those of each question by itself,
// which descends everywhere; with armies apart and mixed, filters of every kind, after edits without an update too.
#include "query/wanted.h"
#include "random_world.h"
#include "small_world.h"

#include <math.h>
#include <string.h>

enum
{
    BODIES = 3000,
    ASKED = 300, // enough of them to mark for
    MOST = 4,    // nearest
    ROOM = 400 * ASKED,
    ROUNDS = 2
};

typedef struct questions
{
    abut_ray ray[ASKED];
    abut_cast cast[ASKED];
    abut_aabb box[ASKED];
    abut_vec3 point[ASKED];
} questions;

typedef struct armies
{
    abut_world *world;
    abut_body body[BODIES];
    abut_collider collider[BODIES];
} armies;

// Three categories; the first half of the space has its own, but for a few.
static uint32_t category_at(random_source *random, float x)
{
    return random_chance(random, 0.01) ? 4u : x < 0.0f ? 2u : random_chance(random, 0.5) ? 1u : 2u;
}

static void open_armies(armies *c, abut_broad_kind broad, random_source *random)
{
    c->world = open_world(&(abut_world_def){ .broad = broad });
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const float size = (float)random_between(random, 0.1, 0.5);
        const abut_vec3 at = random_narrow(random_in_box(random, 15.0));
        const abut_body_def def = {
            .pose = { .position = at, .rotation = random_narrow_rotation(random_rotation(random)) },
            .motion = (abut_motion)random_below(random, ABUT_MOTION_COUNT),
            .collider = { .shape = i % 2 ? abut_shape_sphere(size) : abut_shape_obb(size, 0.3f, 0.2f),
                          .flags = random_chance(random, 0.1) ? ABUT_COLLIDER_SENSOR : 0,
                          .filter.category = category_at(random, at.x) }
        };
        assert_int_equal(abut_body_create(c->world, &def, &c->body[i]), ABUT_OK);
        uint32_t count;
        assert_int_equal(abut_body_colliders(c->world, c->body[i], &c->collider[i], 1, &count), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(c->world, 0.0f), ABUT_OK);
}

// Some filters, flags and bodies change: questions see filters as they are.
static void edit(armies *c, random_source *random)
{
    for (uint32_t i = 0; i < BODIES / 20; ++i)
    {
        const uint32_t which = random_below(random, BODIES);
        if (!abut_body_valid(c->world, c->body[which]))
        {
            continue;
        }
        const abut_filter filter = { .category = 1u << random_below(random, 3) };
        if (random_chance(random, 0.2))
        {
            assert_int_equal(abut_body_destroy(c->world, c->body[which]), ABUT_OK);
        }
        else
        {
            assert_int_equal(abut_collider_set_filter(c->world, c->collider[which], &filter), ABUT_OK);
        }
    }
}

static void make_questions(questions *q, random_source *random)
{
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        const abut_vec3 from = random_narrow(random_in_box(random, 15.0)),
                        way = random_narrow(random_in_box(random, 9));
        q->ray[i] = (abut_ray){ from, way };
        q->cast[i] = (abut_cast){ .shape = abut_shape_sphere(0.2f), .pose.position = from, .translation = way };
        q->cast[i].pose.rotation.w = 1.0f;
        q->point[i] = i % 3 ? from : random_narrow(random_in_box(random, 40.0));
        q->box[i] =
            (abut_aabb){ abut_vec3_sub(from, abut_vec3_make(2, 2, 2)), abut_vec3_add(from, abut_vec3_make(2, 2, 2)) };
    }
}

static void rays_and_casts(const armies *c, const questions *q, const abut_query_filter *filter)
{
    static abut_hit ray[ASKED], cast[ASKED], one;
    static bool any[ASKED], one_any;
    assert_int_equal(abut_world_ray_closest_many(c->world, q->ray, ASKED, filter, ray), ABUT_OK);
    assert_int_equal(abut_world_ray_any_many(c->world, q->ray, ASKED, filter, any), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(c->world, q->cast, ASKED, filter, cast), ABUT_OK);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        assert_int_equal(abut_world_ray_closest(c->world, &q->ray[i], filter, &one), ABUT_OK);
        assert_memory_equal(&one, &ray[i], sizeof one);
        assert_int_equal(abut_world_ray_any(c->world, &q->ray[i], filter, &one_any), ABUT_OK);
        assert_int_equal(one_any, any[i]);
        assert_int_equal(abut_world_cast_closest(c->world, &q->cast[i], filter, &one), ABUT_OK);
        assert_memory_equal(&one, &cast[i], sizeof one);
    }
}

static uint64_t overlaps_and_nearest(const armies *c, const questions *q, const abut_query_filter *filter)
{
    static abut_found found[ROOM], some[ROOM];
    static abut_near near[MOST * ASKED], few[MOST];
    static abut_range range[ASKED];
    uint64_t total, in_all;
    uint32_t count;
    assert_int_equal(abut_world_overlap_aabb_many(c->world, q->box, ASKED, filter, range, found, ROOM, &in_all),
                     ABUT_OK);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        assert_int_equal(abut_world_overlap_aabb(c->world, &q->box[i], filter, some, ROOM, &count), ABUT_OK);
        assert_int_equal(count, range[i].count);
        assert_memory_equal(some, found + range[i].first, count * sizeof *some);
    }
    static const float most[] = { 5.0f, INFINITY };
    for (uint32_t k = 0; k < COUNT(most); ++k)
    {
        const float far = most[k];
        assert_int_equal(
            abut_world_nearest_many(c->world, q->point, ASKED, far, MOST, filter, range, near, MOST * ASKED, &total),
            ABUT_OK);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            assert_int_equal(abut_world_nearest(c->world, &q->point[i], far, filter, few, MOST, &count), ABUT_OK);
            assert_int_equal(count, range[i].count);
            assert_memory_equal(few, near + range[i].first, count * sizeof *few);
        }
    }
    return in_all;
}

static void ask(const armies *c, const questions *q)
{
    const abut_query_filter filters[] = { { .mask = 1 },
                                          { .mask = 2, .flags = ABUT_QUERY_SENSORS },
                                          { .mask = 4 },
                                          { .mask = 8 },
                                          { .mask = 5, .motions = 1u << ABUT_STATIC },
                                          { .mask = 1, .ignore = c->body, .ignore_count = 40 },
                                          { .category = 2 },
                                          { .flags = ABUT_QUERY_SENSORS } };
    for (uint32_t k = 0; k < COUNT(filters); ++k)
    {
        rays_and_casts(c, q, &filters[k]);
        const uint64_t found = overlaps_and_nearest(c, q, &filters[k]);
        assert_true(filters[k].mask == 8 ? found == 0 : found > 0);
    }
}

static void batches_answer_as_each_question_does(void **state)
{
    (void)state;
    armies *c = test_calloc(1, sizeof *c);
    questions *q = test_calloc(1, sizeof *q);
    for (abut_broad_kind broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
    {
        random_source random = random_start(7 + (uint64_t)broad);
        open_armies(c, broad, &random);
        const uint32_t rounds = random_share_of(ROUNDS, 1);
        for (uint32_t round = 0; round < rounds; ++round)
        {
            make_questions(q, &random);
            ask(c, q);
            edit(c, &random);
            ask(c, q);
            assert_int_equal(round % 2 ? abut_world_update(c->world) : abut_world_detect(c->world, 0.0f), ABUT_OK);
        }
        abut_world_destroy(c->world);
    }
    test_free(c);
    test_free(q);
}

// The box around what is wanted has all of it, and nothing else.
static void expect_around(const ab_questions *q, ab_set set)
{
    const ab_tree *tree = &q->index->tree[set];
    float min_x = AB_EMPTY_BOX, max_z = -AB_EMPTY_BOX;
    for (uint32_t i = 0; tree->levels > 0 && i < q->world->cache.proxies.region[set].tail; ++i)
    {
        const ab_aabb8 *block = &tree->block[0][i / AB_BLOCK];
        if (ab_query_wants(q->world, &q->accepted, AB_ANY_QUESTION, tree->first_proxy + i))
        {
            min_x = fminf(min_x, block->min_x[i % AB_BLOCK]);
            max_z = fmaxf(max_z, block->max_z[i % AB_BLOCK]);
        }
    }
    assert_true(tree->levels == 0 || (tree->around->min[0] == min_x && tree->around->max[2] == max_z));
}

// What the marks say: nodes with something wanted below them, and no others.
static void marks_are_exact(void **state)
{
    (void)state;
    static ab_wanted room;
    armies *c = test_calloc(1, sizeof *c);
    random_source random = random_start(11);
    uint32_t left_out = 0;
    open_armies(c, ABUT_BROAD_BVH, &random);
    for (uint32_t mask = 1; mask <= 4; mask *= 2)
    {
        ab_tree trees[AB_SET_COUNT];
        ab_query_index index = { .tree = ab_broad_trees(&c->world->cache.broad, trees) };
        ab_questions q = { .world = c->world, .count = BODIES, .index = &index };
        const abut_query_filter filter = { .category = 1, .mask = mask, .ignore_each = mask == 2 ? c->body : NULL };
        assert_null(ab_query_filter_accept(&q.accepted, &filter, 0));
        ab_wanted_mark(&q, &room);
        for (int set = 0; set < AB_SET_COUNT; ++set)
        {
            const ab_tree *tree = &index.tree[set];
            const uint32_t proxies = c->world->cache.proxies.region[set].tail;
            expect_around(&q, (ab_set)set);
            for (uint32_t level = 0; level < tree->levels; ++level)
            {
                assert_non_null(tree->wanted[level]);
                for (uint32_t node = 0, each = 8u << 3 * level; node < tree->count[level]; ++node)
                {
                    bool wanted = false;
                    for (uint32_t i = node * each; i < (node + 1) * each && i < proxies; ++i)
                    {
                        wanted =
                            wanted || ab_query_wants(c->world, &q.accepted, AB_ANY_QUESTION, tree->first_proxy + i);
                    }
                    assert_int_equal(tree->wanted[level][node / 64] >> node % 64 & 1u, wanted);
                    left_out += !wanted;
                }
            }
        }
    }
    assert_in_range(left_out, 200, 2000);
    abut_world_destroy(c->world);
    test_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_answer_as_each_question_does),
        cmocka_unit_test(marks_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
