// Broad phases run over a crowd and compared with brute force: what tests of single rows of the table have in common.
#ifndef BROAD_JUDGED_H
#define BROAD_JUDGED_H

#include "broad/broad.h"
#include "broad_crowd.h"
#include "every_isa.h"

// As it stands, not turned.
static inline void add_shape(crowd *c, abut_shape shape, abut_vec3 position)
{
    assert_true(crowd_append(c, crowd_add(c, shape, position, abut_quat_identity())));
}

static inline void add_at(crowd *c, random_source *random, dvec3 position, double low, double high)
{
    const abut_shape shape = crowd_random_shape(random, low, high);
    const abut_quat rotation = random_narrow_rotation(random_rotation(random));
    assert_true(crowd_append(c, crowd_add(c, shape, random_narrow(position), rotation)));
}

static inline void fill_cloud(crowd *c, random_source *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        add_at(c, random, random_in_box(random, 0.6 * cbrt(count)), 0.25, 0.5);
    }
}

static inline void open_kind(ab_broad *broad, abut_broad_kind kind, crowd *c, uint32_t room, abut_isa isa)
{
    crowd_open(c, room);
    *broad = (ab_broad){ .memory = &c->memory, .proxies = &c->proxies };
    assert_int_equal(ab_broad_open(broad, kind, isa), ABUT_OK);
}

static inline void close_kind(ab_broad *broad, crowd *c)
{
    ab_broad_close(broad);
    arrfree(broad->pairs);
    crowd_close(c);
}

static inline uint64_t run_kind(ab_broad *broad, const crowd *c)
{
    const ab_bounds_in in = crowd_bounds_in(c, 0.0f, 0.0f);
    assert_int_equal(broad_update(broad, &in), ABUT_OK);
    assert_int_equal(broad_pairs(broad), ABUT_OK);
    broad->row->check(broad);
    return broad->box_tests;
}

static inline void sleep_all(crowd *c)
{
    assert_true(ab_proxies_reserve(&c->proxies, &c->memory, AB_STATIC_SET, c->count, c->room));
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const uint32_t proxy = c->proxies.proxy_of[i];
        if (proxy != ABUT_NONE && ab_proxies_set_of(&c->proxies, proxy) == AB_ACTIVE)
        {
            ab_proxies_make_static(&c->proxies, proxy);
        }
    }
}

static inline int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline uint64_t *sorted_pairs(const ab_broad *broad)
{
    const size_t count = arrlenu(broad->pairs);
    uint64_t *words = malloc((count + 1) * sizeof *words);
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t a = broad->pairs[i].a, b = broad->pairs[i].b;
        words[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    qsort(words, count, sizeof *words, compare_words);
    return words;
}

// Brute force, over the boxes as the broad phase has left them.
static inline void assert_same_as_brute(const ab_broad *broad, crowd *c, abut_isa isa)
{
    ab_broad brute = { .memory = &c->memory, .proxies = &c->proxies };
    assert_int_equal(ab_broad_open(&brute, ABUT_BROAD_BRUTE, isa), ABUT_OK);
    assert_int_equal(broad_pairs(&brute), ABUT_OK);
    assert_int_equal(arrlenu(brute.pairs), arrlenu(broad->pairs));
    uint64_t *found = sorted_pairs(broad), *expected = sorted_pairs(&brute);
    assert_memory_equal(found, expected, arrlenu(broad->pairs) * sizeof *found);
    free(found);
    free(expected);
    ab_broad_close(&brute);
    arrfree(brute.pairs);
}

// Adds more and more to a crowd that sleeps, `times` as many each time, up to `most`.
static inline void expect_pairs_beside_sleepers(ab_broad *broad, crowd *c, random_source *random, uint32_t times,
                                                uint32_t most, abut_isa isa)
{
    for (uint32_t active = 1; active <= most; active *= times)
    {
        fill_cloud(c, random, active);
        run_kind(broad, c);
        assert_same_as_brute(broad, c, isa);
    }
}

// Everybody meets everybody.
static inline void expect_every_pair(ab_broad *broad, const crowd *c)
{
    run_kind(broad, c);
    assert_int_equal(arrlenu(broad->pairs), c->count * (c->count - 1) / 2);
}

#endif
