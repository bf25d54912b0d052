// Manifolds as kernels write them: what is put in comes out, whatever the features, on as few lines as it takes; and
// the comparison of features that impulses are carried over by.
#include "math/words.h"
#include "narrow/store/packed_manifold.h"
#include "random.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#define ROUNDS 20000u

static uint32_t equal_one_by_one(uint64_t of, uint64_t among)
{
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t j = 0; j < 4; ++j)
        {
            equal |= (uint32_t)((uint16_t)(of >> 16 * i) == (uint16_t)(among >> 16 * j)) << (4 * i + j);
        }
    }
    return equal;
}

// Of few numbers, so that many are equal; the greatest is what stands where there is no feature.
static uint64_t some_word(random_source *random)
{
    static const uint16_t number[] = { 0, 1, 2, 0x100, 0x7fff, 0x8000, 0xff00, 0xffff };
    uint64_t word = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        word = word << 16 | number[random_below(random, 8)];
    }
    return word;
}

static void equal_numbers_of_words_are_found(void **state)
{
    (void)state;
    random_source random = random_start(1);
    for (uint32_t i = 0; i < ROUNDS; ++i)
    {
        const uint64_t of = some_word(&random), among = some_word(&random);
        assert_int_equal(ab_words_equal(of, among), equal_one_by_one(of, among));
    }
}

static abut_point some_point(random_source *random, uint32_t feature)
{
    return (abut_point){
        .offset = { (float)random_below(random, 100), (float)random_below(random, 100),
                    (float)random_below(random, 100) },
        .separation = -(float)random_below(random, 100),
        .feature = feature,
    };
}

static void points_come_out_as_they_went_in(void **state)
{
    (void)state;
    static const uint32_t feature[] = { 0, 7, 0xfffe, 0xffff, 0x10000, 0xffffffff };
    random_source random = random_start(2);
    for (uint32_t i = 0; i < ROUNDS; ++i)
    {
        const uint32_t count = 1 + random_below(&random, 4), variety = 1 + random_below(&random, 6);
        abut_point points[AB_MAX_POINTS];
        ab_packed_manifold packed[AB_PACKED_LINES];
        bool some_long = false;
        for (uint32_t k = 0; k < count; ++k)
        {
            points[k] = some_point(&random, feature[random_below(&random, variety)]);
            some_long = some_long || points[k].feature >= 0xffff;
        }
        const uint32_t lines = ab_packed_manifold_set_points(packed, points, count);
        assert_int_equal(lines, some_long ? 4 : count > AB_LINE_POINTS ? 3 : 2);
        assert_int_equal(ab_packed_manifold_features(packed) == AB_FEATURES_LONG, some_long);
        for (uint32_t k = 0; k < count; ++k)
        {
            const abut_point point = ab_packed_manifold_point(packed, k);
            assert_memory_equal(&point, &points[k], sizeof point);
        }
    }
}

// Equal words, that is, equal features and counts.
static void words_tell_manifolds_apart(void **state)
{
    (void)state;
    random_source random = random_start(3);
    for (uint32_t i = 0; i < ROUNDS; ++i)
    {
        abut_point one[AB_MAX_POINTS], other[AB_MAX_POINTS];
        const uint32_t count = 1 + random_below(&random, 4), others = 1 + random_below(&random, 4);
        bool same = count == others;
        for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
        {
            one[k] = some_point(&random, random_below(&random, 2));
            other[k] = some_point(&random, random_below(&random, 2));
            same = same && (k >= count || one[k].feature == other[k].feature);
        }
        assert_int_equal(ab_features_of(one, count) == ab_features_of(other, others), same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_of_words_are_found),
        cmocka_unit_test(points_come_out_as_they_went_in),
        cmocka_unit_test(words_tell_manifolds_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
