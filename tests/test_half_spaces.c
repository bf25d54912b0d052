// The least way out of several half-spaces, against R. Dykstra's alternating projections (1983), which share nothing
// with it: as long, and out of all; where there is none, theirs do not end, or end too far away. They may take long: a
// way that is shorter than where they have come to is judged by what they prove.
#include "query/half_spaces.h"
#include "random.h"
#include "referee.h"
#include "small_world.h"

#include <math.h>
#include <stdio.h>

enum
{
    SCENES = 20000,
    ROUNDS = 3000
};

typedef struct scene
{
    ab_half_space space[AB_HALF_SPACES];
    uint32_t count;
    double farthest;
} scene;

// Some alike, some against each other, some in one plane.
static scene some_scene(random_source *random)
{
    scene s = { .count = 1 + random_below(random, AB_HALF_SPACES) };
    const bool flat = random_chance(random, 0.3);
    for (uint32_t i = 0; i < s.count; ++i)
    {
        dvec3 n = random_in_box(random, 1.0);
        if (i > 0 && random_chance(random, 0.3))
        {
            const abut_vec3 before = s.space[i - 1].normal;
            const double sign = random_chance(random, 0.5) ? 1.0 : -1.0;
            n = dvec3_add(dvec3_scale(n, random_scale(random, 1e-3, 0.5)),
                          dvec3_make(sign * (double)before.x, sign * (double)before.y, sign * (double)before.z));
        }
        n.z = flat ? 0.0 : n.z;
        s.space[i].normal = random_narrow(dvec3_scale(n, 1.0 / fmax(dvec3_length(n), 1e-6)));
        s.space[i].at = random_between(random, -0.3, 1.0);
        s.farthest = fmax(s.farthest, fabs(s.space[i].at));
    }
    return s;
}

static double dot_of(const ab_half_space *space, dvec3 way)
{
    return (double)space->normal.x * way.x + (double)space->normal.y * way.y + (double)space->normal.z * way.z;
}

static dvec3 along(dvec3 from, double by, const ab_half_space *space)
{
    return dvec3_add(
        from, dvec3_scale(dvec3_make((double)space->normal.x, (double)space->normal.y, (double)space->normal.z), by));
}

// How far a way is inside the half-space that it is deepest in; negative: out of all.
static double inside(const scene *s, dvec3 way)
{
    double deepest = -HUGE_VAL;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        deepest = fmax(deepest, s->space[i].at - dot_of(&s->space[i], way));
    }
    return deepest;
}

// Sets `owed` to the shares of the normals that the way is the sum of.
static dvec3 by_projections(const scene *s, double owed[AB_HALF_SPACES])
{
    dvec3 way = dvec3_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < AB_HALF_SPACES; ++i)
    {
        owed[i] = 0.0;
    }
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        for (uint32_t i = 0; i < s->count; ++i)
        {
            const dvec3 from = along(way, -owed[i], &s->space[i]);
            owed[i] = fmax(s->space[i].at - dot_of(&s->space[i], from), 0.0);
            way = along(from, owed[i], &s->space[i]);
        }
    }
    return way;
}

// No way that is at most so far inside of any is shorter, however far the projections have come: the dual problem's
// value, of any shares that are not negative (S. Boyd and L. Vandenberghe, Convex Optimization, 2004, 5.1.3).
static double least_length(const scene *s, const double owed[AB_HALF_SPACES], double inside)
{
    dvec3 sum = dvec3_make(0.0, 0.0, 0.0);
    double value = 0.0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        sum = along(sum, owed[i], &s->space[i]);
        value += owed[i] * (s->space[i].at - inside);
    }
    return sqrt(fmax(0.0, 2.0 * value - dvec3_dot(sum, sum)));
}

static void the_least_way_out_is_that_of_projections(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    uint32_t ways = 0, none = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const scene s = some_scene(&random);
        double owed[AB_HALF_SPACES];
        const dvec3 expected = by_projections(&s, owed);
        const double far = dvec3_length(expected), slack = 1e-4 * s.farthest;
        const bool ends = inside(&s, expected) < slack;
        abut_vec3 way;
        if (ab_half_spaces_way_out(s.space, s.count, &way))
        {
            const dvec3 found = dvec3_make((double)way.x, (double)way.y, (double)way.z);
            assert_true(inside(&s, found) < slack);
            assert_true(dvec3_length(found) < AB_WAY_OUT_MOST * s.farthest + slack);
            assert_true(!ends || dvec3_length(found) < 1.01 * far + slack);
            assert_true(dvec3_length(found) > least_length(&s, owed, fmax(inside(&s, found), 0.0)) - 1e-3 * slack);
            ++ways;
        }
        else
        {
            assert_true(!ends || far > 0.9 * AB_WAY_OUT_MOST * s.farthest || inside(&s, expected) > 0.1 * slack);
            ++none;
        }
    }
    printf("%u ways, %u scenes without one\n", ways, none);
    assert_true(!random_seeds_all() || (ways > 1000 && none > 1000));
}

// Planes that close at six degrees: the shares are a hundred times the way out of one of them.
static void normals_that_are_unit_but_for_rounding_have_a_way_out(void **state)
{
    (void)state;
    const ab_half_space spaces[3] = { { { -0.0857415646f, 0.209804088f, -0.973976731f }, 0.756772725 },
                                      { { -0.877436161f, -0.21162273f, -0.430490017f }, 0.771405979 },
                                      { { 0.916621745f, 0.13759692f, 0.37532866f }, 0.4805565 } };
    abut_vec3 way;
    assert_true(ab_half_spaces_way_out(spaces, 3, &way));
    assert_true(fabsf(abut_vec3_length(way) - 12.48425f) < 1e-3f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_way_out_is_that_of_projections),
        cmocka_unit_test(normals_that_are_unit_but_for_rounding_have_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
