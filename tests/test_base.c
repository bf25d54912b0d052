// Arrays, the arena, sorting and the mathematics beneath everything.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/radix.h"
#include "math/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void an_array_keeps_its_contents_as_it_grows_and_is_aligned(void **state)
{
    (void)state;
    ab_memory memory;
    assert_true(ab_memory_open(&memory, NULL));
    uint32_t *array = NULL;
    for (uint32_t i = 0; i < 10000; ++i)
    {
        assert_true(ab_array_resize(array, &memory, i + 1));
        array[i] = i;
        assert_int_equal((uintptr_t)array % AB_CACHE_LINE, 0);
    }
    for (uint32_t i = 0; i < 10000; ++i)
    {
        assert_int_equal(array[i], i);
    }
    assert_true(memory.allocations < 20); // it doubles
    assert_false(ab_array_reserve(array, &memory, SIZE_MAX / 2));
    assert_int_equal(arrlenu(array), 10000);
    arrfree(array);
    assert_true(memory.bytes == 0);
}

static void an_arena_hands_out_separate_aligned_blocks_and_stops_growing(void **state)
{
    (void)state;
    ab_memory memory;
    assert_true(ab_memory_open(&memory, NULL));
    ab_arena arena = { .memory = &memory };
    uint64_t steady = 0;
    for (uint32_t round = 0; round < 6; ++round)
    {
        char *block[64];
        for (uint32_t i = 0; i < 64; ++i)
        {
            block[i] = ab_arena_take(&arena, 1000u * i);
            assert_non_null(block[i]);
            assert_int_equal((uintptr_t)block[i] % AB_CACHE_LINE, 0);
            memset(block[i], (int)i, 1000u * i);
        }
        for (uint32_t i = 1; i < 64; ++i)
        {
            assert_int_equal(block[i][0], i);
            assert_int_equal(block[i][1000u * i - 1], i);
        }
        ab_arena_empty(&arena);
        steady = round == 2 ? memory.allocations : steady;
    }
    assert_true(memory.allocations == steady);
    assert_null(ab_arena_take(&arena, SIZE_MAX / 2));
    ab_arena_close(&arena);
    assert_true(memory.bytes == 0);
}

// In one block and in several; what is taken after goes where that was.
static void what_an_arena_takes_after_a_mark_is_free_when_it_is_rewound(void **state)
{
    (void)state;
    ab_memory memory;
    assert_true(ab_memory_open(&memory, NULL));
    ab_arena arena = { .memory = &memory };
    uint64_t steady = 0;
    for (uint32_t round = 0; round < 6; ++round)
    {
        char *kept = ab_arena_take(&arena, 5000);
        assert_non_null(kept);
        memset(kept, (int)round, 5000);
        const ab_arena_mark mark = ab_arena_marked(&arena);
        assert_true(ab_arena_is_at(&arena, mark));
        char *first = ab_arena_take(&arena, 50000), *second = ab_arena_take(&arena, 300000);
        assert_true(first && second && !ab_arena_is_at(&arena, mark));
        memset(first, 0xff, 50000);
        memset(second, 0xff, 300000);
        ab_arena_rewind(&arena, mark);
        char *after = ab_arena_take(&arena, 300000);
        assert_non_null(after);
        memset(after, 0xff, 300000);
        for (uint32_t i = 0; i < 5000; ++i)
        {
            assert_int_equal(kept[i], round);
        }
        if (round > 0)
        {
            assert_ptr_equal(after, first);
        }
        ab_arena_empty(&arena);
        assert_true(arena.block->size < 650000); // not all that was taken, but all that was in use at a time
        steady = round == 1 ? memory.allocations : steady;
    }
    assert_true(memory.allocations == steady);
    ab_arena_close(&arena);
    assert_true(memory.bytes == 0);
}

static void *never_asked(void *context, size_t size, size_t alignment)
{
    (void)context, (void)size, (void)alignment;
    fail();
    return NULL;
}

static void never_given(void *context, void *block, size_t size, size_t alignment)
{
    (void)context, (void)block, (void)size, (void)alignment;
    fail();
}

static void an_allocator_is_whole_and_giving_back_nothing_is_nothing(void **state)
{
    (void)state;
    ab_memory memory;
    assert_false(ab_memory_open(&memory, &(abut_allocator){ .allocate = never_asked }));
    assert_false(ab_memory_open(&memory, &(abut_allocator){ .release = never_given }));
    assert_true(ab_memory_open(&memory, &(abut_allocator){ never_asked, never_given, NULL }));
    ab_memory_give(&memory, NULL, 7);
    assert_true(memory.bytes == 0);
}

static int by_key_then_payload(const void *a, const void *b)
{
    const ab_sort_entry *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->payload < y->payload ? -1 : x->payload > y->payload;
}

static void radix_sort_agrees_with_comparison_sort_and_is_stable(void **state)
{
    (void)state;
    static ab_sort_entry entries[5000], scratch[5000], expected[5000];
    static uint64_t words[5000], spare[5000];
    const uint64_t masks[] = { 0xff, 0xffffu << 20, 0xffffff0000ffffffu, UINT64_MAX, 0 };
    uint64_t seed = 12345;
    for (uint32_t trial = 0; trial < 60; ++trial)
    {
        const uint32_t count = trial < 20 ? trial * 7 : 5000 - trial;
        const unsigned index_bits = 13, bits = trial % 4 ? 3 * (trial % 17) : 51;
        for (uint32_t i = 0; i < count; ++i)
        {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            // One key far from the others makes its uppermost bits say nothing of them.
            const uint64_t far_off = trial % 2 == 0 && i == count / 2 ? (uint64_t)1 << 47 : 0;
            const uint64_t key = ((seed ^ seed >> 31) & masks[trial % 5]) | far_off;
            entries[i] = (ab_sort_entry){ key, i };
            words[i] = key << index_bits | i;
        }
        memcpy(expected, entries, sizeof entries);
        qsort(expected, count, sizeof *expected, by_key_then_payload);
        const ab_sort_entry *sorted = ab_radix_sort(entries, scratch, count);
        assert_memory_equal(sorted, expected, count * sizeof *expected);

        const uint64_t mask = ((uint64_t)1 << bits) - 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            expected[i] = (ab_sort_entry){ words[i] >> index_bits & mask, words[i] & 8191u };
        }
        qsort(expected, count, sizeof *expected, by_key_then_payload);
        const uint64_t *in_order = ab_radix_sort_words(words, spare, count, index_bits, bits);
        for (uint32_t i = 0; i < count; ++i)
        {
            assert_true((in_order[i] >> index_bits & mask) == expected[i].key);
            assert_true((in_order[i] & 8191u) == expected[i].payload);
        }
    }
}

// Tasks in some order: `step` is coprime with any number of them below it.
#define IN_SOME_ORDER(task, tasks)                                                                                     \
    for (uint32_t k_ = 0, task = 0; k_ < (tasks) && (task = (k_ * 7919u + 5u) % (tasks), true); ++k_)

static void sort_in_tasks(ab_radix *sort, uint32_t count)
{
    const uint32_t chunk = sort->chunk;
    IN_SOME_ORDER(part, sort->parts)
    {
        const uint32_t first = part * chunk, end = first + chunk < count ? first + chunk : count;
        ab_radix_count(sort, part, first, end);
    }
    ab_radix_place(sort);
    IN_SOME_ORDER(part, sort->parts)
    {
        const uint32_t first = part * chunk, end = first + chunk < count ? first + chunk : count;
        ab_radix_deal(sort, part, first, end);
    }
    IN_SOME_ORDER(task, sort->tasks)
    {
        ab_radix_finish(sort, task);
    }
}

static void a_sort_in_tasks_is_the_sort_in_one(void **state)
{
    (void)state;
    enum
    {
        MOST = 5000,
        PARTS = 40
    };
    static uint64_t given[2 * MOST], from[2 * MOST], to[2 * MOST], expected[2 * MOST], spare[2 * MOST];
    static ab_radix_places places[PARTS];
    uint64_t seed = 99;
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const uint32_t width = 1 + trial % 2, count = trial < 20 ? trial : 211 * (trial % 24);
        const unsigned shift = trial % 5 * 3, bits = trial % 7 ? 1 + trial % 37 : 64 - shift;
        const uint32_t chunk = 1 + count / (1 + trial % PARTS);
        for (uint32_t i = 0; i < count * width; ++i)
        {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const uint64_t key = seed ^ seed >> 31;
            given[i] = bits + shift < 64 ? key & (((uint64_t)1 << (bits + shift)) - 1) : key;
            given[i] =
                trial % 11 ? given[i] : given[i] & ~((uint64_t)255 << (bits + shift - 8) % 64); // all in one range
        }
        ab_radix sort = { .from = from,
                          .to = to,
                          .width = width,
                          .shift = shift,
                          .bits = bits,
                          .parts = (count + chunk - 1) / chunk,
                          .chunk = chunk,
                          .places = places };
        memcpy(expected, given, sizeof given);
        ab_radix whole = sort;
        whole.from = expected;
        whole.to = spare;
        const uint64_t *in_one = ab_radix_sort_all(&whole, count);
        memcpy(from, given, sizeof given);
        memcpy(to, given, sizeof given);
        sort_in_tasks(&sort, count);
        assert_memory_equal(to, in_one, count * width * sizeof *to);
        assert_int_equal(sort.first[0], 0);
        assert_int_equal(sort.first[sort.tasks], count);
    }
}

static void sines_and_cosines_are_right_to_the_last_place(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t i = 0; i < 200000; ++i)
    {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double scale = i % 2 ? 1.0e5 : 10.0;
        const float x = (float)(((double)(seed >> 11) * 0x1p-53 * 2.0 - 1.0) * scale);
        float s, c;
        abut_sincos(x, &s, &c);
        assert_true(fabs(s - sin(x)) <= 0x1p-23 * fabs(sin(x)) + 1e-14);
        assert_true(fabs(c - cos(x)) <= 0x1p-23 * fabs(cos(x)) + 1e-14);
    }
    float s, c;
    abut_sincos(INFINITY, &s, &c);
    assert_true(isnan(s) && isnan(c));
    abut_sincos(-NAN, &s, &c);
    assert_true(isnan(s) && isnan(c));
}

// Of every exponent of a float, and the largest of all.
static void the_largest_angles_have_the_sines_of_the_numbers_they_are(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (uint32_t i = 0; i < 400000; ++i)
    {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double mantissa = 1.0 + (double)(seed >> 41) * 0x1p-23;
        const float x = i ? (float)ldexp(seed & 1024 ? mantissa : -mantissa, (int)(i % 128)) : 0x1.fffffep+127f;
        float s, c;
        abut_sincos(x, &s, &c);
        assert_true(fabs(s - sin(x)) <= 0x1p-23 * fabs(sin(x)) + 1e-13);
        assert_true(fabs(c - cos(x)) <= 0x1p-23 * fabs(cos(x)) + 1e-13);
        const abut_pose pose = abut_pose_2d(0.0f, 0.0f, x);
        assert_true(fabsf(pose.rotation.z * pose.rotation.z + pose.rotation.w * pose.rotation.w - 1.0f) < 1e-6f);
    }
}

static void rotation_axes_are_orthonormal_for_any_length_of_quaternion(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        float v[4];
        for (uint32_t k = 0; k < 4; ++k)
        {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            v[k] = (float)((double)(seed >> 11) * 0x1p-53 * 2.0 - 1.0) * (i % 3 ? 1.0f : 100.0f);
        }
        float r[9], same[9];
        ab_rotation_axes((abut_quat){ v[0], v[1], v[2], v[3] }, r);
        ab_rotation_axes((abut_quat){ -v[0], -v[1], -v[2], -v[3] }, same);
        assert_memory_equal(r, same, sizeof r);
        for (uint32_t a = 0; a < 3; ++a)
        {
            for (uint32_t b = 0; b < 3; ++b)
            {
                const float dot = r[3 * a] * r[3 * b] + r[3 * a + 1] * r[3 * b + 1] + r[3 * a + 2] * r[3 * b + 2];
                assert_true(fabsf(dot - (a == b ? 1.0f : 0.0f)) < 1e-6f);
            }
        }
    }
}

static void a_turn_about_an_axis_goes_counter_clockwise(void **state)
{
    (void)state;
    const abut_quat q = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 2), 1.57079632679f);
    const abut_vec3 v = abut_quat_rotate(q, abut_vec3_make(1, 0, 0));
    assert_true(fabsf(v.x) < 1e-6f && fabsf(v.y - 1.0f) < 1e-6f && fabsf(v.z) < 1e-6f);
    const abut_quat none = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 0), 1.0f);
    assert_true(none.w == 1.0f && none.x == 0.0f);
}

static void every_status_and_every_instruction_set_has_a_name(void **state)
{
    (void)state;
    for (int status = ABUT_OK; status <= ABUT_UNSUPPORTED; ++status)
    {
        assert_string_not_equal(abut_status_text((abut_status)status), "unknown status");
    }
    assert_string_equal(abut_status_text((abut_status)99), "unknown status");
    assert_true(abut_isa_available(ABUT_ISA_SCALAR) && abut_isa_available(abut_isa_best()));
    assert_false(abut_isa_available((abut_isa)99));
    assert_string_equal(abut_isa_name((abut_isa)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_keeps_its_contents_as_it_grows_and_is_aligned),
        cmocka_unit_test(an_allocator_is_whole_and_giving_back_nothing_is_nothing),
        cmocka_unit_test(an_arena_hands_out_separate_aligned_blocks_and_stops_growing),
        cmocka_unit_test(what_an_arena_takes_after_a_mark_is_free_when_it_is_rewound),
        cmocka_unit_test(radix_sort_agrees_with_comparison_sort_and_is_stable),
        cmocka_unit_test(a_sort_in_tasks_is_the_sort_in_one),
        cmocka_unit_test(sines_and_cosines_are_right_to_the_last_place),
        cmocka_unit_test(the_largest_angles_have_the_sines_of_the_numbers_they_are),
        cmocka_unit_test(rotation_axes_are_orthonormal_for_any_length_of_quaternion),
        cmocka_unit_test(a_turn_about_an_axis_goes_counter_clockwise),
        cmocka_unit_test(every_status_and_every_instruction_set_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
