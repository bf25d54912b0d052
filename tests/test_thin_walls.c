// CCD bodies against one thin wall: nothing gets through, and each hits the wall when a referee says so that works out,
// in double precision, how far its shape is from the wall's plane. As many worlds as random_seeds_of says:
// ABUT_SHARE=5000 is a hundred thousand bodies.
#include "random.h"
#include "small_world.h"

#include <math.h>
#include <stdio.h>

enum
{
    WORLDS = 20,
    BULLETS = 100, // in each
    SAMPLES = 1000 // of the way, for the referee
};

#define STEP 0.0166666675f // seconds
#define NEAR 1e-4          // of a bullet's size: how exact an impact is

typedef struct wall
{
    dvec3 centre, normal; // towards where the bullets come from
    double half;          // half its thickness; its other extents are past all reach
} wall;

typedef struct bullet
{
    abut_body body;
    abut_body_def def;
    double size; // a sphere's radius, the sum of a box's half extents
} bullet;

static dvec3 wide(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static dquat wide_rotation(abut_quat q)
{
    const dquat wide = { (double)q.w, (double)q.x, (double)q.y, (double)q.z };
    const double length = sqrt(wide.w * wide.w + wide.x * wide.x + wide.y * wide.y + wide.z * wide.z);
    return (dquat){ wide.w / length, wide.x / length, wide.y / length, wide.z / length };
}

// How far the shape reaches along a direction when it has moved for `time`.
static double reach_along(const abut_body_def *def, dvec3 direction, double time)
{
    const abut_shape *shape = &def->collider.shape;
    if (shape->kind == ABUT_SPHERE)
    {
        return (double)shape->sphere.radius;
    }
    const dquat start = wide_rotation(def->pose.rotation);
    const dvec3 turning = wide(def->velocity.angular);
    const double rate = dvec3_length(turning);
    const dquat turned =
        rate > 0.0 ? dquat_mul(dquat_turn(dvec3_scale(turning, 1.0 / rate), rate * time), start) : start;
    const dvec3 local = dquat_rotate(dquat_conjugate(turned), direction), half = wide(shape->box.half_extents);
    return fabs(local.x) * half.x + fabs(local.y) * half.y + fabs(local.z) * half.z;
}

// From the wall's surface to the shape, along the wall's normal.
static double gap_at(const wall *w, const abut_body_def *def, double time)
{
    const dvec3 centre = dvec3_along(wide(def->pose.position), time, wide(def->velocity.linear));
    return dvec3_dot(dvec3_sub(centre, w->centre), w->normal) - w->half - reach_along(def, w->normal, time);
}

// A wall, in any direction, as thick as a five-thousandth to a tenth of a metre.
static wall build_wall(abut_world *world, random_source *random)
{
    const dquat turn = random_rotation(random);
    abut_body_def def = { .pose.position = random_narrow(random_in_box(random, 50.0)),
                          .pose.rotation = random_narrow_rotation(turn),
                          .motion = ABUT_STATIC,
                          .collider.shape = abut_shape_obb((float)random_scale(random, 1e-4, 0.05), 60.0f, 60.0f) };
    abut_body body;
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return (wall){
        .centre = wide(def.pose.position),
        .normal = dquat_rotate(wide_rotation(def.pose.rotation), dvec3_make(1.0, 0.0, 0.0)),
        .half = (double)def.collider.shape.box.half_extents.x,
    };
}

// From in front of the wall towards it, by up to a hundred times its size in a step; most reach it.
static bullet shoot(abut_world *world, random_source *random, const wall *w)
{
    const dvec3 half = { random_between(random, 0.15, 0.6), random_scale(random, 0.02, 0.6),
                         random_scale(random, 0.02, 0.6) };
    bullet b = { .def = { .pose.rotation = random_narrow_rotation(random_rotation(random)),
                          .flags = ABUT_BODY_CCD,
                          .collider.filter.group = -1 } };
    b.def.collider.shape = random_chance(random, 0.5) ? abut_shape_sphere((float)half.x)
                                                      : abut_shape_obb((float)half.x, (float)half.y, (float)half.z);
    b.size = b.def.collider.shape.kind == ABUT_SPHERE ? half.x : half.x + half.y + half.z;
    const double way = b.size * random_scale(random, 1.0, 100.0);
    const double ahead = w->half + b.size + 1.2 * way * random_unit(random);
    const dvec3 aside = dvec3_scale(dvec3_beside(w->normal), random_between(random, -15.0, 15.0));
    const dvec3 from = dvec3_add(dvec3_along(w->centre, 1.001 * ahead, w->normal), aside);
    const dvec3 to = dvec3_normalise(dvec3_along(dvec3_scale(random_direction(random), 0.2), -1.0, w->normal));
    b.def.pose.position = random_narrow(from);
    b.def.velocity.linear = random_narrow(dvec3_scale(to, way / (double)STEP));
    b.def.velocity.angular =
        random_narrow(dvec3_scale(random_direction(random), random_between(random, 0.0, 3.0) / (double)STEP));
    assert_int_equal(abut_body_create(world, &b.def, &b.body), ABUT_OK);
    return b;
}

// Up to `end` the shape is nowhere past the wall's surface by more than `slack`.
static void stays_in_front(const wall *w, const bullet *b, double end, double slack, uint64_t seed)
{
    for (uint32_t k = 0; k <= SAMPLES; ++k)
    {
        const double time = end * k / SAMPLES, gap = gap_at(w, &b->def, time);
        if (gap < -slack)
        {
            fail_msg("seed %llu: body %u, of size %g, is %g in the wall at %g s", (unsigned long long)seed,
                     b->body.slot, b->size, -gap, time);
        }
    }
}

static void judge_impact(const wall *w, const bullet *b, const abut_impact *impact, uint64_t seed)
{
    const double gap = gap_at(w, &b->def, (double)impact->time);
    if (!(fabs(gap) <= NEAR * b->size) || impact->flags != 0)
    {
        fail_msg("seed %llu: body %u, of size %g, is reported to hit the wall at %g s, when it is %g off (flags %u)",
                 (unsigned long long)seed, b->body.slot, b->size, (double)impact->time, gap, impact->flags);
    }
    assert_true(dvec3_dot(wide(impact->normal), w->normal) < -0.9999);
}

static void nothing_gets_through_a_thin_wall(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(WORLDS);
    uint64_t met = 0, missed = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_world *world = open_world(NULL);
        const wall w = build_wall(world, &random);
        bullet b[BULLETS];
        for (uint32_t i = 0; i < BULLETS; ++i)
        {
            b[i] = shoot(world, &random, &w);
        }
        assert_int_equal(abut_world_detect(world, STEP), ABUT_OK);
        const abut_impacts all = abut_world_impacts(world);
        uint32_t next = 0;
        for (uint32_t i = 0; i < BULLETS; ++i)
        {
            const bool meets = next < all.count && all.data[next].body.slot == b[i].body.slot;
            const double slack = NEAR * b[i].size;
            stays_in_front(&w, &b[i], meets ? (double)all.data[next].impact.time : (double)STEP, slack, seed);
            if (meets)
            {
                judge_impact(&w, &b[i], &all.data[next++].impact, seed);
            }
            met += meets;
            missed += !meets;
        }
        assert_int_equal(next, all.count);
        abut_world_destroy(world);
    }
    printf("%llu CCD bodies hit a wall, %llu stopped in front of it\n", (unsigned long long)met,
           (unsigned long long)missed);
    assert_true(!random_seeds_all() || (met > WORLDS * BULLETS / 2 && missed > WORLDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_gets_through_a_thin_wall) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
