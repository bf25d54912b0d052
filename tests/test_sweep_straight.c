// Sweeps of shapes that do not turn, beside the general sweep: what one hits the other hits, but for grazes; at the hit
// the shapes are as near as its points say, along its normal; and so is an overlap at the start.
#include "stock_2d.h"

#include "narrow/convex/sweep_straight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum
{
    PAIRS = 150000,
    NARROWINGS = 100
};

#define SKEW 1e-7 // of axes as floats

typedef struct pair
{
    abut_shape shape[2];
    abut_pose pose[2];
    abut_velocity velocity[2];
    ab_mover a, b;
    double tolerance;
    bool is_2d;
} pair;

#define DEMAND(seed, condition, ...)                                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            print_error("seed %llu: %s: ", (unsigned long long)(seed), #condition);                                    \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static abut_shape some_shape(random_source *random, bool is_2d, double size)
{
    const bool flat = random_chance(random, 0.05), round = random_chance(random, 0.05);
    const float x = (float)(size * random_between(random, 0.1, 1.0)), y = (float)(size * random_unit(random));
    const float z = flat ? 0.0f : (float)(size * random_between(random, 0.02, 1.0));
    if (is_2d)
    {
        return random_shape_2d(random, &stock, random_kind_2d(random), size);
    }
    switch (random_below(random, 4))
    {
    case 0:
        return abut_shape_sphere(round ? 0.0f : x);
    case 1:
        return abut_shape_aabb(x, round ? 0.0f : y, z);
    case 2:
        return abut_shape_obb(x, round ? 0.0f : y, z);
    default:
        return abut_shape_capsule(round ? 0.0f : x, y);
    }
}

static abut_quat some_rotation(random_source *random, bool is_2d)
{
    const float right = 1.57079633f;
    if (is_2d)
    {
        const float angle =
            random_chance(random, 0.3) ? right * (float)random_below(random, 4) : (float)random_between(random, -3, 3);
        return abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), angle);
    }
    switch (random_below(random, 6))
    {
    case 0:
        return abut_quat_identity();
    case 1:
        return random_narrow_rotation(random_cube_rotation(random_below(random, 24)));
    case 2:
        return abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), (float)random_between(random, -3, 3));
    case 3:
        return abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), (float)random_scale(random, 1e-9, 1e-2));
    default:
        return abut_quat_normalise(random_narrow_rotation(random_rotation(random)));
    }
}

// The distance at a time, zero when the shapes overlap.
static double distance_at(const pair *p, double time, ab_convex_contact *contact)
{
    ab_convex_pair at;
    ab_mover_at(&p->a, time, &at.a);
    ab_mover_at(&p->b, time, &at.b);
    ab_convex_pair_up(&at);
    if (!ab_convex_distance(&at, contact))
    {
        contact->overlap = true;
        return 0.0;
    }
    ab_convex_round(&at, contact);
    return fmax(contact->separation, 0.0);
}

// The least distance on the way, which is a convex function of the time.
static double least_distance(const pair *p, ab_convex_contact *contact)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < NARROWINGS; ++i)
    {
        const double one = low + (high - low) / 3.0, other = high - (high - low) / 3.0;
        const double before = distance_at(p, one, contact), after = distance_at(p, other, contact);
        *(before < after ? &high : &low) = before < after ? other : one;
    }
    return distance_at(p, low < 1.0 - high ? low : high, contact);
}

// Moves one so that the other passes by at about the tolerance.
static void let_graze(pair *p, random_source *random)
{
    ab_convex_contact contact;
    const double by = least_distance(p, &contact) - p->tolerance * random_between(random, 0.0, 1.5);
    for (int k = 0; k < 3 && !contact.overlap && by > -p->tolerance; ++k)
    {
        p->b.start.centre[k] -= by * contact.normal[k];
        p->b.pivot[k] -= by * contact.normal[k];
    }
}

// Far, near, touching and overlapping ones, that head for each other, past each other, along an axis, away or nowhere.
static void make(pair *p, uint64_t seed)
{
    static const ab_kind_set none = { 0 };
    random_source random = random_start(seed + 90000u);
    *p = (pair){ .is_2d = random_chance(&random, 0.25) };
    const double size = random_scale(&random, 1e-2, 1e2);
    const double other = size * (random_chance(&random, 0.2) ? random_scale(&random, 1e-3, 1e3) : 1.0);
    const double both = size + other;
    const double far = both * (random_chance(&random, 0.3) ? random_unit(&random) : random_scale(&random, 1.0, 30.0));
    dvec3 apart = dvec3_scale(random_direction(&random), far);
    dvec3 aim = random_in_box(&random, random_chance(&random, 0.5) ? 0.5 * other : both);
    dvec3 way = dvec3_scale(dvec3_add(apart, aim), random_between(&random, 0.2, 3.0));
    const uint32_t kind = random_below(&random, 12), axis = random_below(&random, 3);
    way = kind == 0   ? dvec3_make(0, 0, 0)
          : kind == 1 ? dvec3_scale(random_direction(&random), far)
          : kind == 2 ? dvec3_scale(way, -1.0)
                      : way;
    if (kind == 3 || kind == 4)
    {
        way = dvec3_make(axis == 0 ? way.x : 0.0, axis == 1 ? way.y : 0.0, axis == 2 ? way.z : 0.0);
    }
    apart.z = p->is_2d ? 0.0 : apart.z;
    way.z = p->is_2d ? 0.0 : way.z;
    for (int i = 0; i < 2; ++i)
    {
        p->shape[i] = some_shape(&random, p->is_2d, i == 0 ? size : other);
        p->pose[i].rotation = some_rotation(&random, p->is_2d);
    }
    p->pose[1].position = random_narrow(apart);
    p->velocity[0].linear = random_narrow(way);
    if (random_chance(&random, 0.1)) // both move
    {
        p->velocity[1].linear = abut_vec3_scale(p->velocity[0].linear, -0.5f);
    }
    for (int i = 0; i < 2; ++i)
    {
        const ab_moving moving = {
            .kinds = &none, .shape = &p->shape[i], .pose = &p->pose[i], .velocity = &p->velocity[i], .is_2d = p->is_2d
        };
        ab_mover_of(i == 0 ? &p->a : &p->b, &moving);
    }
    for (int k = 0; k < 9; ++k)
    {
        p->b.start.axis[k] = (double)(float)p->b.start.axis[k]; // as of a record
    }
    p->tolerance = ab_sweep_tolerance(&p->a, &p->b);
    if (random_chance(&random, 0.1))
    {
        let_graze(p, &random);
    }
}

// How far a point is out of a shape.
static double outside(const ab_convex *shape, const double point[3])
{
    static const abut_shape ball = { .kind = ABUT_SPHERE };
    ab_convex_pair at = { .a = { .row = ab_shape_row_for(ABUT_SPHERE), .shape = &ball, .is_2d = shape->is_2d },
                          .b = *shape };
    ab_convex_contact contact;
    memcpy(at.a.centre, point, sizeof at.a.centre);
    ab_convex_pair_up(&at);
    if (!ab_convex_distance(&at, &contact))
    {
        return 0.0;
    }
    ab_convex_round(&at, &contact);
    return contact.separation;
}

// What separates the shapes along the normal.
static double gap_of(const pair *p, const ab_sweep *found)
{
    const double *n = found->normal, back[3] = { -n[0], -n[1], -n[2] };
    ab_convex a, b;
    double on_a[3], on_b[3], between[3];
    ab_mover_at(&p->a, found->time, &a);
    ab_mover_at(&p->b, found->time, &b);
    ab_convex_support(&a, n, on_a);
    ab_convex_support(&b, back, on_b);
    ab_sub(on_b, on_a, between);
    return ab_dot(between, n) - a.core.rounding - b.core.rounding;
}

static void judge_hit(const pair *p, const ab_sweep *found, uint64_t seed)
{
    ab_convex_contact contact;
    ab_convex a, b;
    double between[3], way[3];
    const double distance = distance_at(p, found->time, &contact), tolerance = p->tolerance;
    const double skew = SKEW * (p->a.start.size + p->b.start.size);
    ab_mover_at(&p->a, found->time, &a);
    ab_mover_at(&p->b, found->time, &b);
    ab_sub(found->on_b, found->on_a, between);
    ab_sub(p->a.v, p->b.v, way);
    DEMAND(seed, found->time > 0.0 && found->time < 1.0, "%g", found->time);
    DEMAND(seed, distance > 0.49 * tolerance && distance < 1.001 * tolerance, "%g of %g", distance, tolerance);
    DEMAND(seed, found->distance > distance - 0.02 * tolerance, "%g, not %g", found->distance, distance);
    DEMAND(seed, found->distance < fmax(distance, 0.75 * tolerance) + 0.02 * tolerance, "%g, not %g", found->distance,
           distance);
    DEMAND(seed, fabs(sqrt(ab_dot(between, between)) - found->distance) < 0.02 * tolerance, "%g, not %g",
           sqrt(ab_dot(between, between)), found->distance);
    DEMAND(seed, outside(&a, found->on_a) < 0.01 * tolerance, "%g of %g", outside(&a, found->on_a), tolerance);
    DEMAND(seed, outside(&b, found->on_b) < 0.01 * tolerance, "%g of %g", outside(&b, found->on_b), tolerance);
    DEMAND(seed, gap_of(p, found) > fmin(0.98 * distance, 0.49 * tolerance) - skew, "%g of %g", gap_of(p, found),
           distance);
    DEMAND(seed, fabs(ab_dot(found->normal, found->normal) - 1.0) < 1e-12, "%g", ab_dot(found->normal, found->normal));
    DEMAND(seed, ab_dot(way, found->normal) > 0.0, "%g", ab_dot(way, found->normal));
    DEMAND(seed, !p->is_2d || found->normal[2] == 0.0, "%g", found->normal[2]);
}

// The way out is as short as the general one, and leads from one surface to the other.
static void judge_overlap(const pair *p, const ab_sweep *found, const ab_sweep *expected, uint64_t seed)
{
    const double tolerance = p->tolerance, skew = SKEW * (p->a.start.size + p->b.start.size);
    double between[3];
    ab_sub(found->on_b, found->on_a, between);
    ab_along(between, -found->distance, found->normal, between);
    DEMAND(seed, found->initial && found->hit && !found->bound && found->time == 0.0, "%g", found->time);
    DEMAND(seed, fabs(found->distance - expected->distance) < 0.06 * tolerance + skew, "%g, not %g", found->distance,
           expected->distance);
    DEMAND(seed, gap_of(p, found) > found->distance - 0.02 * tolerance - skew, "%g of %g", gap_of(p, found),
           found->distance);
    DEMAND(seed, outside(&p->a.start, found->on_a) < 0.02 * tolerance, "%g", outside(&p->a.start, found->on_a));
    DEMAND(seed, outside(&p->b.start, found->on_b) < 0.02 * tolerance, "%g", outside(&p->b.start, found->on_b));
    DEMAND(seed, sqrt(ab_dot(between, between)) < 0.3 * tolerance, "%g of %g", sqrt(ab_dot(between, between)),
           tolerance);
    DEMAND(seed, fabs(ab_dot(found->normal, found->normal) - 1.0) < 1e-12, "%g", ab_dot(found->normal, found->normal));
    DEMAND(seed, !p->is_2d || found->normal[2] == 0.0, "%g", found->normal[2]);
}

typedef struct tally
{
    uint32_t hits, initial, parted, differing, closed;
} tally;

// How much closer shapes come after a hit.
static double closing_after(const pair *p, const ab_sweep *hit)
{
    double way[3];
    ab_sub(p->a.v, p->b.v, way);
    return ab_dot(way, hit->normal) * (1.0 - hit->time);
}

// A hit that only one has is about as close as what counts as touching, or as good as the end. Gaps along axes, which
// straight sweeps go by, are less than distances where corners meet.
static void compare(const pair *p, const ab_sweep *found, uint64_t seed, tally *seen)
{
    ab_sweep expected;
    ab_sweep_to_touch(&p->a, &p->b, 0.0, 1.0, &expected);
    if (expected.initial || found->initial)
    {
        judge_overlap(p, found, &expected, seed);
        ++seen->initial;
        seen->parted += memcmp(found, &expected, sizeof expected) != 0;
        return;
    }
    if (expected.hit && found->hit)
    {
        double way[3];
        ab_sub(p->a.v, p->b.v, way);
        const double apart = (found->time - expected.time) * ab_dot(way, found->normal);
        DEMAND(seed, fabs(apart) < p->tolerance, "%g of %g", apart, p->tolerance);
        ++seen->hits;
    }
    else if (expected.hit || found->hit)
    {
        ab_convex_contact ignored;
        const double least = least_distance(p, &ignored), touch = AB_SWEEP_TOUCH * p->tolerance;
        const bool ends = closing_after(p, found->hit ? found : &expected) < p->tolerance;
        DEMAND(seed, ends || (least > 0.49 * touch && least < 4.0 * touch), "%d, not %d; %g of %g", found->hit,
               expected.hit, least, p->tolerance);
        ++seen->differing;
    }
    if (found->hit && found->time > 0.0)
    {
        seen->closed += memcmp(found, &expected, sizeof expected) != 0;
        judge_hit(p, found, seed);
    }
}

static void straight_sweeps_hit_what_the_general_one_hits(void **state)
{
    (void)state;
    tally seen = { 0 };
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        pair p;
        ab_sweep found;
        make(&p, seed);
        assert_true(ab_mover_is_straight(&p.a) && ab_mover_is_straight(&p.b));
        ab_sweep_straight(&p.a, &p.b, 1.0, &found);
        compare(&p, &found, seed, &seen);
    }
    print_message("%u hits, %u of another time, point or normal; %u overlap, %u likewise; %u graze\n", seen.hits,
                  seen.closed, seen.initial, seen.parted, seen.differing);
    assert_true(!random_seeds_all() || (seen.hits > PAIRS / 4 && seen.initial > PAIRS / 20));
    assert_true(!random_seeds_all() || (seen.closed > seen.hits / 2 && seen.differing < PAIRS / 1000));
}

// A limit spares work, and changes no hit before it.
static void hits_do_not_depend_on_the_limit(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(PAIRS / 10);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        pair p;
        ab_sweep found, limited;
        make(&p, seed);
        random_source random = random_start(seed);
        const double limit = random_unit(&random);
        ab_sweep_straight(&p.a, &p.b, 1.0, &found);
        ab_sweep_straight(&p.a, &p.b, limit, &limited);
        if (found.hit && found.time <= limit)
        {
            DEMAND(seed, memcmp(&found, &limited, sizeof found) == 0, "%g", limit);
        }
        else
        {
            DEMAND(seed, !limited.hit || memcmp(&found, &limited, sizeof found) == 0, "%g", limit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_sweeps_hit_what_the_general_one_hits),
        cmocka_unit_test(hits_do_not_depend_on_the_limit),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
