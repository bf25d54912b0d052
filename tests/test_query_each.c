// Batches whose questions each ignore a body of their own, or find categories of their own: those of each question by
// itself, with that body in its list and that mask.
#include "batch_questions.h"

// What each question finds: all, colliders of one category or of two, or none.
static const uint32_t *masks(void)
{
    static uint32_t mask[ASKED];
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        mask[i] = i % 5;
    }
    return mask;
}

static void compare_ignoring(const scene *s, const calls *c, uint64_t all)
{
    static abut_body ignored[ASKED];
    uint32_t counts[] = { 1, 2, 70, ASKED };
    ignore_first(s, c, ASKED, ignored);
    const abut_query_filter filters[] = { { .ignore_each = ignored },
                                          { .ignore_each = ignored, .flags = ABUT_QUERY_ONE_PER_BODY },
                                          { .ignore_each = ignored, .flags = ABUT_QUERY_SKIP_INSIDE },
                                          { .ignore_each = ignored, .flags = ABUT_QUERY_BOUNDS },
                                          { .ignore_each = ignored, .mask = 2, .flags = ABUT_QUERY_SENSORS },
                                          { .ignore_each = ignored, .ignore = s->body + 100, .ignore_count = 40 },
                                          { .mask_each = masks() },
                                          { .mask_each = masks(), .mask = 2, .flags = ABUT_QUERY_ONE_PER_BODY },
                                          { .mask_each = masks(), .ignore_each = ignored } };
    for (uint32_t k = 0; k < COUNT(filters); ++k)
    {
        abut_query_filter everything = filters[k];
        everything.ignore_each = NULL;
        everything.mask_each = NULL;
        everything.mask = filters[k].mask_each ? 0 : filters[k].mask;
        for (uint32_t n = 0; n < COUNT(counts) && (filters[k].flags & ~c->flags) == 0; ++n)
        {
            const uint64_t some = compare(s, c, &filters[k], counts[n], all);
            const uint64_t more = compare(s, c, &everything, counts[n], all);
            // one question in five finds nothing: of a few results all may be those of others
            assert_true(counts[n] < ASKED || k == 4 || most > 0 || some < more || (more < 40 && some == more));
        }
    }
    // by itself the question is the first
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        static char one[ONE * MOST_SIZE], other[ONE * MOST_SIZE];
        const abut_query_filter own = { .ignore_each = &ignored[i] },
                                listed = { .ignore = &ignored[i], .ignore_count = 1 };
        uint32_t count, expected;
        assert_int_equal(c->one(s, i, &own, one, ONE, &count), ABUT_OK);
        assert_int_equal(c->one(s, i, &listed, other, ONE, &expected), ABUT_OK);
        assert_int_equal(count, expected);
        assert_memory_equal(one, other, count * c->size);
    }
}

// The same of the calls with one result a question. Returns how many of them another body changes.
static uint32_t compare_firsts_ignoring(const scene *s, uint32_t flags, const uint32_t *masks)
{
    static abut_hit plain[2][ASKED], hit[2][ASKED];
    static bool any[2][ASKED];
    abut_body ignored[ASKED];
    uint32_t changed = 0;
    abut_query_filter f = { .flags = flags };
    assert_int_equal(abut_world_ray_closest_many(s->world, s->q.ray, ASKED, &f, plain[0]), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(s->world, s->q.cast, ASKED, &f, plain[1]), ABUT_OK);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        ignored[i] = plain[i % 2][i].body;
    }
    f.ignore_each = ignored;
    f.mask_each = masks;
    assert_int_equal(abut_world_ray_closest_many(s->world, s->q.ray, ASKED, &f, hit[0]), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(s->world, s->q.cast, ASKED, &f, hit[1]), ABUT_OK);
    assert_int_equal(abut_world_ray_any_many(s->world, s->q.ray, ASKED, &f, any[0]), ABUT_OK);
    assert_int_equal(abut_world_cast_any_many(s->world, s->q.cast, ASKED, &f, any[1]), ABUT_OK);
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        const abut_query_filter own = filter_of_one(&f, i);
        abut_hit one[2];
        bool one_any[2];
        assert_int_equal(abut_world_ray_closest(s->world, &s->q.ray[i], &own, &one[0]), ABUT_OK);
        assert_int_equal(abut_world_cast_closest(s->world, &s->q.cast[i], &own, &one[1]), ABUT_OK);
        assert_int_equal(abut_world_ray_any(s->world, &s->q.ray[i], &own, &one_any[0]), ABUT_OK);
        assert_int_equal(abut_world_cast_any(s->world, &s->q.cast[i], &own, &one_any[1]), ABUT_OK);
        for (int k = 0; k < 2; ++k)
        {
            assert_memory_equal(&one[k], &hit[k][i], sizeof one[k]);
            assert_int_equal(one_any[k], any[k][i]);
            assert_int_equal(one_any[k], one[k].collider.generation != 0);
            changed += memcmp(&one[k], &plain[k][i], sizeof one[k]) != 0;
        }
    }
    return changed;
}

static void each_question_of_a_batch_has_its_own_body_to_ignore_and_mask(void **state)
{
    (void)state;
    static const abut_broad_kind kinds[] = { ABUT_BROAD_BVH, ABUT_BROAD_BRUTE };
    const uint64_t each = random_share_of(2, 1); // with one thread, and with several
    for (uint64_t seed = 22 - each; seed < 22 + each; ++seed)
    {
        const abut_world_def def = { .broad = kinds[seed % COUNT(kinds)], .threads = seed < 22 ? 1 : 4 };
        scene *s = open_scene(seed, &def, BODIES, 8.0, 1.0);
        most = 0;
        for (uint32_t k = 0; k < COUNT(lists); ++k)
        {
            compare_ignoring(s, &lists[k], ROOM - 1);
        }
        within = 4.0f;
        for (most = 1; most < 12; most += 5)
        {
            for (uint32_t n = 0; n < COUNT(nearest); ++n)
            {
                compare_ignoring(s, &nearest[n], (uint64_t)most * ASKED);
                compare_ignoring(s, &nearest[n], most * ASKED / 2); // one after another
            }
        }
        const uint32_t changed = compare_firsts_ignoring(s, 0, NULL);
        assert_in_range(changed, ASKED / 2, 2 * ASKED);
        assert_in_range(compare_firsts_ignoring(s, 0, masks()), changed + 1, 2 * ASKED);
        (void)compare_firsts_ignoring(s, ABUT_QUERY_ONE_PER_BODY, NULL);
        (void)compare_firsts_ignoring(s, ABUT_QUERY_SKIP_INSIDE, masks());
        close_scene(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_question_of_a_batch_has_its_own_body_to_ignore_and_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
