// How deep casts begin in what they overlap, and which way leads out: in worlds, without one, straight and turning, as
// the referees say.
#include "hull_meetings.h"
#include "random_judged.h"

#include <abut/query.h>

#define HULL_SLACK 1e-5 // of the scale

// A shape that is cast from its pose at one that is placed.
typedef struct casting
{
    const abut_shape *shape, *target;
    const abut_pose *pose, *at;
    double scale;
} casting;

typedef struct start
{
    const char *which;
    bool inside;
    double depth;
    abut_vec3 normal;
} start;

enum
{
    STARTS = 4
};

static void casts_of(random_source *random, const casting *c, abut_world *world, start out[STARTS])
{
    const dvec3 way = dvec3_scale(random_direction(random), c->scale * random_scale(random, 0.01, 3.0));
    const dvec3 turn = dvec3_scale(random_direction(random), random_scale(random, 0.01, 3.0));
    const abut_body_def def = { .pose = *c->at, .motion = ABUT_STATIC, .collider.shape = *c->target };
    abut_body body;
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (int turns = 0; turns < 2; ++turns)
    {
        const abut_cast cast = { .shape = *c->shape,
                                 .pose = *c->pose,
                                 .translation = random_narrow(way),
                                 .rotation = turns ? random_narrow(turn) : abut_vec3_make(0, 0, 0) };
        abut_hit hit;
        abut_ray_hit alone;
        assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
        assert_int_equal(abut_cast_shape(&cast, c->target, c->at, 0, &alone), ABUT_OK);
        *out++ = (start){ turns ? "turning, in a world" : "straight, in a world", (hit.flags & ABUT_HIT_INSIDE) != 0,
                          (double)hit.depth, hit.normal };
        *out++ = (start){ turns ? "turning, alone" : "straight, alone", (alone.flags & ABUT_HIT_INSIDE) != 0,
                          (double)alone.depth, alone.normal };
    }
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
}

static dvec3 into(const start *s)
{
    return dvec3_make(-(double)s->normal.x, -(double)s->normal.y, -(double)s->normal.z);
}

// What overlaps by more than the tolerance begins inside. Flat shapes in one plane are as deep as they are within it.
static const char *fault_of(const start *s, double separation, double along, double slack)
{
    if (!s->inside)
    {
        return separation < -3.0 * slack ? "not inside" : NULL;
    }
    return fabs(s->depth + separation) > slack && fabs(separation) > slack ? "not as deep"
           : fabs(along + s->depth) > slack                                ? "not along the normal"
           : fabs(dvec3_length(into(s)) - 1.0) > 1e-6                      ? "no unit normal"
                                                                           : NULL;
}

static void casts_begin_as_deep_as_the_referee_says(void **state)
{
    (void)state;
    failures f = { 0 };
    uint64_t inside = 0;
    const random_seeds seeds = random_seeds_of(20000);
    abut_world *world = open_world(NULL);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        start starts[STARTS];
        const random_pair m = pair_of_seed(seed, &random);
        const referee_solid a = referee_solid_of(&m.a, &m.pose_a, NULL), b = referee_solid_of(&m.b, &m.pose_b, NULL);
        const casting c = { &m.a, &m.b, &m.pose_a, &m.pose_b, a.reach + b.reach };
        const double separation = referee_collide(&a, &b).separation;
        casts_of(&random, &c, world, starts);
        for (uint32_t i = 0; i < STARTS; ++i)
        {
            const start *s = &starts[i];
            const double along = s->inside ? referee_separation_along(&a, &b, into(s)) : 0.0;
            const char *fault = fault_of(s, separation, along, REFEREE_EXACT * c.scale);
            inside += s->inside;
            if (fault)
            {
                blame(&f, seed, &m, "%s: %s: a depth of %.9g, along the normal %.9g, right %.9g, scale %g", s->which,
                      fault, s->depth, -along, -separation, c.scale);
            }
        }
    }
    abut_world_destroy(world);
    none(&f);
    printf("%llu inside\n", (unsigned long long)inside);
    assert_true(!random_seeds_all() || inside > 10000);
}

static void casts_of_hulls_begin_as_deep_as_the_referee_says(void **state)
{
    (void)state;
    uint64_t inside = 0;
    const random_seeds seeds = random_seeds_of(2000);
    abut_world *world = open_world(NULL);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        start starts[STARTS];
        const meeting m = some_meeting(&random);
        const polytope a = polytope_of(&m.a, &m.pose_a), b = polytope_of(&m.b, &m.pose_b);
        const casting c = { &m.a, &m.b, &m.pose_a, &m.pose_b, a.reach + b.reach };
        const double separation = polytope_separation(&a, &b);
        casts_of(&random, &c, world, starts);
        for (uint32_t i = 0; i < STARTS; ++i)
        {
            const start *s = &starts[i];
            const double along = s->inside ? polytope_gap(&a, &b, into(s)) : 0.0;
            const char *fault = fault_of(s, separation, along, HULL_SLACK * c.scale);
            inside += s->inside;
            if (fault)
            {
                fail_msg("seed %llu: %s: %s: a depth of %.9g, along the normal %.9g, right %.9g, scale %g",
                         (unsigned long long)seed, s->which, fault, s->depth, -along, -separation, c.scale);
            }
        }
        give(&m.a);
        give(&m.b);
    }
    abut_world_destroy(world);
    printf("%llu inside\n", (unsigned long long)inside);
    assert_true(!random_seeds_all() || inside > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_begin_as_deep_as_the_referee_says),
        cmocka_unit_test(casts_of_hulls_begin_as_deep_as_the_referee_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
