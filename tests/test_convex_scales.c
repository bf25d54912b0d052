// The depth and the points of a small custom shape in a large one are as exact as the small one's size and floats of
// the depth allow, up to a ratio of ten million. Shapes are boxes with a radius, which is a rounding or part of the
// support function; the referee judges in double.
#include "random.h"
#include "referee.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum
{
    TRIALS = 40000,
    RATIOS = 7 // powers of ten
};

// A box turned in double, so that no rounding of a rotation to float counts, with a radius.
typedef struct turned
{
    dvec3 axis[3];
    double half[3];
    double radius;
    bool bare; // the radius is in the support function
} turned;

static turned turned_of(const void *data)
{
    const turned *t;
    memcpy(&t, data, sizeof t);
    return *t;
}

static void turned_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const turned t = turned_of(data);
    const dvec3 d = dvec3_make(direction[0], direction[1], direction[2]);
    dvec3 at = dvec3_scale(d, t.bare ? t.radius / dvec3_length(d) : 0.0);
    for (int k = 0; k < 3; ++k)
    {
        at = dvec3_along(at, dvec3_dot(d, t.axis[k]) >= 0.0 ? t.half[k] : -t.half[k], t.axis[k]);
    }
    out[0] = at.x;
    out[1] = at.y;
    out[2] = at.z;
}

static float turned_rounding(void *context, const void *data)
{
    (void)context;
    const turned t = turned_of(data);
    return t.bare ? 0.0f : (float)t.radius;
}

static abut_aabb turned_bounds(void *context, const void *data)
{
    (void)context;
    const turned t = turned_of(data);
    dvec3 reach = dvec3_make(t.radius, t.radius, t.radius);
    for (int k = 0; k < 3; ++k)
    {
        reach.x += t.half[k] * fabs(t.axis[k].x);
        reach.y += t.half[k] * fabs(t.axis[k].y);
        reach.z += t.half[k] * fabs(t.axis[k].z);
    }
    const float more = 1.00001f, x = (float)reach.x * more, y = (float)reach.y * more, z = (float)reach.z * more;
    return (abut_aabb){ { -x, -y, -z }, { x, y, z } };
}

static const abut_kind_def kinds[] = {
    { .name = "turned", .bounds = turned_bounds, .support = turned_support, .rounding = turned_rounding },
};

// Without the digits that a float has not: compilers drop the way to float and back.
static double floored(double value)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    return ldexp(floor(fraction * 0x1p20), exponent - 20);
}

static turned turned_random(random_source *random, double size)
{
    turned t = { .bare = random_chance(random, 0.5) };
    const dquat rotation = random_rotation(random);
    t.axis[0] = dquat_rotate(rotation, dvec3_make(1, 0, 0));
    t.axis[1] = dquat_rotate(rotation, dvec3_make(0, 1, 0));
    t.axis[2] = dquat_rotate(rotation, dvec3_make(0, 0, 1));
    const uint32_t form = random_below(random, 4); // a box, a rounded box, a capsule, a ball
    for (int k = 0; k < 3; ++k)
    {
        t.half[k] = form < 2 || (form == 2 && k == 0) ? size * random_between(random, 0.3, 1.0) : 0.0;
    }
    t.radius = form > 0 ? floored(size * random_between(random, 0.3, 1.0)) : 0.0;
    return t;
}

static abut_shape shape_of(const turned *t)
{
    return abut_shape_custom(ABUT_FIRST_KIND, &t, sizeof t);
}

static referee_solid core_of(const turned *t, dvec3 centre)
{
    referee_solid s = referee_box(centre, (dquat){ 0, 0, 0, 1 }, dvec3_make(t->half[0], t->half[1], t->half[2]));
    memcpy(s.axis, t->axis, sizeof s.axis);
    return s;
}

// A point of the surface, and the direction out of it.
static dvec3 surface_point(const turned *t, random_source *random, dvec3 *outward)
{
    const int face = (int)random_below(random, 3);
    dvec3 at = { 0, 0, 0 };
    *outward = t->half[1] > 0.0 ? dvec3_scale(t->axis[face], random_sign(random)) : random_direction(random);
    for (int k = 0; k < 3; ++k)
    {
        const double side = dvec3_dot(*outward, t->axis[k]), free = random_between(random, -0.9, 0.9);
        at = dvec3_along(at, t->half[k] * (fabs(side) < 0.5 ? free : side > 0.0 ? 1.0 : -1.0), t->axis[k]);
    }
    return dvec3_along(at, t->radius, *outward);
}

typedef struct trial
{
    turned large, small;
    double ratio;
    bool turn;         // the small one is a
    abut_pose pose[2]; // of a, of b
    referee_solid core[2];
    double truth; // separation
    bool smooth;  // a radius by support alone
} trial;

static double size_of(const turned *t)
{
    return t->half[0] + t->half[1] + t->half[2] + t->radius;
}

static const turned *side_of(const trial *t, int side)
{
    return (side == 0) == t->turn ? &t->small : &t->large;
}

static void lay_out(trial *t, uint64_t seed)
{
    random_source random = random_start(seed);
    const double size = random_scale(&random, 1.0, 1e4);
    t->ratio = pow(10.0, random_between(&random, 0.0, (double)RATIOS));
    t->large = turned_random(&random, size);
    t->small = turned_random(&random, size / t->ratio);
    t->turn = random_chance(&random, 0.5);
    dvec3 outward;
    const dvec3 surface = surface_point(&t->large, &random, &outward);
    const double by = random_chance(&random, 0.8) ? size_of(&t->small) * random_between(&random, -5.0, 0.5)
                                                  : -size * random_scale(&random, 1.0 / t->ratio, 1.0);
    const dvec3 at = dvec3_along(surface, by, outward);
    const dvec3 place = dvec3_make(floored(at.x), floored(at.y), floored(at.z));
    t->pose[0] = t->pose[1] = (abut_pose){ .rotation = { 0.0f, 0.0f, 0.0f, 1.0f } };
    t->pose[!t->turn].position = (abut_vec3){ (float)place.x, (float)place.y, (float)place.z };
    t->core[t->turn] = core_of(&t->large, dvec3_make(0, 0, 0));
    t->core[!t->turn] = core_of(&t->small, place);
    const double cores = referee_collide(&t->core[0], &t->core[1]).separation;
    t->truth = (cores <= 0.0 ? cores : referee_distance(&t->core[0], &t->core[1])) - t->large.radius - t->small.radius;
    t->smooth = (t->large.bare && t->large.radius > 0.0) || (t->small.bare && t->small.radius > 0.0);
}

// By how much the points miss the surfaces, or the deepest of them the depth, at most.
static double points_miss(const trial *t, const abut_manifold *m)
{
    const dvec3 normal = dvec3_make((double)m->normal.x, (double)m->normal.y, (double)m->normal.z);
    double off = 0.0, deepest = HUGE_VAL;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        const abut_point *point = &m->points[k];
        const dvec3 offset = dvec3_make((double)point->offset.x, (double)point->offset.y, (double)point->offset.z);
        for (int side = 0; side < 2; ++side)
        {
            const double by = side == 0 ? -0.5 : 0.5;
            const dvec3 on_it =
                dvec3_along(dvec3_add(t->core[0].centre, offset), by * (double)point->separation, normal);
            const double gap = referee_point_distance(&t->core[side], on_it) - side_of(t, side)->radius;
            off = fmax(off, fabs(gap));
        }
        deepest = fmin(deepest, (double)point->separation);
    }
    return fmax(off, deepest - (double)m->separation);
}

typedef struct tally
{
    uint32_t tried, wrong;
    double worst; // error past what the depth allows, of the small one's size
} tally;

static void count(tally *all, const trial *t, double off, double small_share, double depth_share)
{
    tally *one = &all[(int)log10(t->ratio)];
    const double small = size_of(&t->small), beyond = off - depth_share * fabs(t->truth) - 1e-13 * size_of(&t->large);
    ++one->tried;
    one->wrong += beyond > small_share * small;
    one->worst = fmax(one->worst, beyond / small);
}

static void report(const char *what, const tally *all)
{
    uint32_t wrong = 0;
    for (int k = 0; k < RATIOS; ++k)
    {
        print_message("%s, ratio 1e%d: %u of %u wrong, by up to %.2g of the small one\n", what, k, all[k].wrong,
                      all[k].tried, all[k].worst);
        wrong += all[k].wrong;
    }
    assert_int_equal(wrong, 0);
}

static void depths_and_points_are_as_exact_as_the_small_shape(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(TRIALS);
    tally flat[RATIOS] = { 0 }, smooth[RATIOS] = { 0 }, points[RATIOS] = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        trial t;
        lay_out(&t, seed);
        const abut_shape shape[2] = { shape_of(side_of(&t, 0)), shape_of(side_of(&t, 1)) };
        const uint32_t first = 0, second = 1;
        const abut_pair_list list = { shape, t.pose, 2, 1, &first, &second, kinds, 1 };
        abut_manifold m;
        assert_int_equal(abut_collide_many(&list, 0.0f, &m), ABUT_OK);
        if (m.point_count == 0 && t.truth > -1e-12 * size_of(&t.large))
        {
            continue;
        }
        count(t.smooth ? smooth : flat, &t, fabs((double)m.separation - t.truth), t.smooth ? 2e-4 : 1e-6,
              t.smooth ? 2e-5 : 0x1p-23);
        const bool balls = t.large.half[0] + t.small.half[0] <= 0.0;
        if (t.turn && (balls || !t.smooth)) // offsets from the large one are no more exact than its size
        {
            count(points, &t, points_miss(&t, &m), 2e-3, balls ? 2e-5 : 0x1p-22);
        }
    }
    report("points", points);
    report("depths, flat", flat);
    report("depths, smooth", smooth);
}

// The ends of the way out were of a face of the expanding polytope that is next to a line: 1000 m beside the shapes.
static void the_point_of_a_box_deep_in_another_is_between_the_two(void **state)
{
    (void)state;
    trial t;
    lay_out(&t, 0x1e0000005c4a);
    const abut_shape shape[2] = { shape_of(side_of(&t, 0)), shape_of(side_of(&t, 1)) };
    const uint32_t first = 0, second = 1;
    const abut_pair_list list = { shape, t.pose, 2, 1, &first, &second, kinds, 1 };
    abut_manifold m;
    assert_int_equal(abut_collide_many(&list, 0.0f, &m), ABUT_OK);
    assert_true(points_miss(&t, &m) <= 2e-3 * size_of(&t.small));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_and_points_are_as_exact_as_the_small_shape),
        cmocka_unit_test(the_point_of_a_box_deep_in_another_is_between_the_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
