// Points in halves of halves: whatever they are, every cut leaves the lesser along some axis in front, and all
// instruction sets agree.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/kernels.h"
#include "broad/halve.h"
#include "every_isa.h"
#include "random.h"

#include <string.h>

#define MOST   3000u
#define BEYOND 1.0e30

typedef struct cloud
{
    float memory[4 * MOST], before[4 * MOST], scratch[4 * MOST];
    ab_centres points;
    uint32_t first, count;
} cloud;

typedef enum cloud_form
{
    SPREAD,
    LATTICE,
    ONE_SPOT,
    LINE,
    CLUSTERS,
    ALL_SCALES,
    FAR_ONE,
    SIGNED_ZEROS,
    NEIGHBOURS,
    FORMS
} cloud_form;

static float coordinate(random_source *random, cloud_form form, uint32_t i, uint32_t axis)
{
    switch (form)
    {
    case LATTICE:
        return (float)random_below(random, 4);
    case ONE_SPOT:
        return 3.0f;
    case LINE:
        return axis == 1 ? (float)random_between(random, -9, 9) : 1.0f;
    case CLUSTERS:
        return (float)(1000 * (double)(i % 3 + axis) + random_between(random, 0, 1e-3));
    case ALL_SCALES:
        return (float)(random_sign(random) * random_scale(random, 1e-30, BEYOND));
    case FAR_ONE:
        return i == 7 ? (float)BEYOND : (float)random_unit(random);
    case SIGNED_ZEROS:
        return random_chance(random, 0.5) ? 0.0f : random_chance(random, 0.5) ? -0.0f : -1.0f;
    case NEIGHBOURS:
        return nextafterf(1.0f, random_chance(random, 0.5) ? 2.0f : 0.0f);
    default:
        return (float)random_between(random, -50, 50);
    }
}

static void fill(cloud *c, random_source *random, cloud_form form)
{
    c->count = 1 + (random_chance(random, 0.5) ? random_below(random, 100) : random_below(random, MOST));
    c->first = random_chance(random, 0.5) ? 0 : random_below(random, 5000);
    c->points = ab_centres_in(c->memory, c->count);
    for (uint32_t i = 0; i < c->count; ++i)
    {
        for (uint32_t axis = 0; axis < AB_AXES; ++axis)
        {
            c->points.at[axis][i] = coordinate(random, form, i, axis);
        }
        c->points.proxy[i] = i;
    }
    memcpy(c->before, c->memory, sizeof c->memory);
}

// Each proxy is there once, with its own coordinates.
static void expect_the_same_points(const cloud *c)
{
    bool seen[MOST] = { false };
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const uint32_t proxy = c->points.proxy[i];
        assert_true(proxy < c->count && !seen[proxy]);
        seen[proxy] = true;
        for (uint32_t axis = 0; axis < AB_AXES; ++axis)
        {
            assert_memory_equal(&c->points.at[axis][i], &c->before[axis * c->count + proxy], sizeof(float));
        }
    }
}

static bool are_in_front(const float *at, uint32_t middle, uint32_t count)
{
    float most = -INFINITY, least = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        most = i < middle && at[i] > most ? at[i] : most;
        least = i >= middle && at[i] < least ? at[i] : least;
    }
    return most <= least;
}

static void expect_cuts(const cloud *c, uint32_t from, uint32_t end)
{
    const uint32_t first = c->first + from, last = c->first + end - 1;
    if (first / 8 == last / 8)
    {
        return;
    }
    const uint32_t middle = ab_halve_at(first, last + 1) - c->first;
    assert_true(from < middle && middle < end && (c->first + middle) % 8 == 0);
    const ab_centres points = ab_centres_from(&c->points, from);
    assert_true(are_in_front(points.at[0], middle - from, end - from) ||
                are_in_front(points.at[1], middle - from, end - from) ||
                are_in_front(points.at[2], middle - from, end - from));
    expect_cuts(c, from, middle);
    expect_cuts(c, middle, end);
}

static void count_alike(const void *context, const ab_centres *points, void *scratch, uint32_t count)
{
    uint32_t *alike = (uint32_t *)(uintptr_t)context;
    (void)points, (void)scratch;
    assert_true(count > 8);
    *alike += count;
}

static void every_cut_leaves_the_lesser_in_front(void **state)
{
    (void)state;
    static cloud c, other;
    const random_seeds seeds = random_seeds_of(900);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const cloud_form form = (cloud_form)(seed % FORMS);
        fill(&c, &random, form);
        other = c;
        uint32_t alike = 0;
        ab_kernels_for(ABUT_ISA_SCALAR)->halves->order(&c.points, c.scratch, c.first, c.count, count_alike, &alike);
        expect_the_same_points(&c);
        expect_cuts(&c, 0, c.count);
        assert_true(form != ONE_SPOT || alike == (c.count > 8 ? c.count : 0));
        EVERY_ISA(isa)
        {
            memcpy(other.memory, other.before, sizeof other.memory);
            other.points = ab_centres_in(other.memory, other.count);
            ab_kernels_for(isa)->halves->order(&other.points, other.scratch, c.first, c.count, count_alike, &alike);
            assert_memory_equal(other.memory, c.memory, 4 * (size_t)c.count * sizeof(float));
        }
    }
}

static void any_number_of_the_least_is_brought_to_the_front(void **state)
{
    (void)state;
    static cloud c;
    const random_seeds seeds = random_seeds_of(900);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        fill(&c, &random, (cloud_form)(seed % FORMS));
        const uint32_t front = random_below(&random, c.count), axis = random_below(&random, AB_AXES);
        EVERY_ISA(isa)
        {
            memcpy(c.memory, c.before, sizeof c.memory);
            ab_kernels_for(isa)->halves->halve(&c.points, c.scratch, c.count, front, axis);
            expect_the_same_points(&c);
            assert_true(are_in_front(c.points.at[axis], front, c.count));
        }
    }
}

// Bodies that overlap are mostly of one node: cubes, not slices.
static void nodes_of_points_evenly_spread_are_nearly_cubes(void **state)
{
    (void)state;
    static cloud c;
    random_source random = random_start(1);
    double widths = 0.0;
    c.count = 512, c.points = ab_centres_in(c.memory, c.count);
    for (uint32_t i = 0; i < c.count; ++i)
    {
        for (uint32_t axis = 0; axis < AB_AXES; ++axis)
        {
            c.points.at[axis][i] = (float)random_between(&random, 0, 16);
        }
    }
    ab_kernels_for(abut_isa_best())->halves->order(&c.points, c.scratch, 0, c.count, count_alike, NULL);
    for (uint32_t node = 0; node < c.count / 64; ++node)
    {
        for (uint32_t axis = 0; axis < AB_AXES; ++axis)
        {
            float least = INFINITY, most = -INFINITY;
            for (uint32_t i = 64 * node; i < 64 * (node + 1); ++i)
            {
                least = c.points.at[axis][i] < least ? c.points.at[axis][i] : least;
                most = c.points.at[axis][i] > most ? c.points.at[axis][i] : most;
            }
            widths += (double)(most - least) / (AB_AXES * (c.count / 64));
        }
    }
    assert_true(widths < 8.0); // as wide as cubes of an eighth
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_leaves_the_lesser_in_front),
        cmocka_unit_test(any_number_of_the_least_is_brought_to_the_front),
        cmocka_unit_test(nodes_of_points_evenly_spread_are_nearly_cubes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
