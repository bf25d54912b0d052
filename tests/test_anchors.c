// How far bodies have moved since they were anchored, and which are anchored anew, over every instruction set: the same
// bits everywhere, and what a computation in double says.
#include "base/kernels.h"
#include "bounds/anchors.h"
#include "every_isa.h"
#include "random.h"
#include "small_world.h"

#include <math.h>
#include <string.h>

enum
{
    CROWDS = 600,
    MOST = 67, // bodies of a crowd
    STATIC = 0,
    MOTION = 3, // bits of a state
    ASLEEP = 4,
    STALE = 8,
    SWEPT = 16
};

typedef struct crowd
{
    abut_pose poses[MOST], anchors[MOST];
    abut_velocity velocities[MOST];
    uint32_t states[MOST], generations[MOST];
    float radius[MOST];
    ab_anchor_in in;
    uint32_t first, end;
} crowd;

typedef struct found
{
    uint8_t known[MOST], stale[MOST];
    ab_shift shifts[MOST];
    abut_pose anchors[MOST];
    ab_anchor_counts counts;
} found;

static abut_vec3 some_vector(random_source *random, double most)
{
    return random_narrow(dvec3_scale(random_direction(random), random_between(random, 0.0, most)));
}

static abut_quat some_rotation(random_source *random, const abut_quat *near)
{
    const double most = near ? random_scale(random, 1e-4, 0.5) : 1.0;
    abut_quat q = near ? *near : (abut_quat){ 0.0f, 0.0f, 0.0f, 0.0f };
    q.x += (float)random_between(random, -most, most);
    q.y += (float)random_between(random, -most, most);
    q.z += (float)random_between(random, -most, most);
    q.w += (float)random_between(random, -most, most);
    const float sign = random_chance(random, 0.2) ? -1.0f : 1.0f; // the same rotation
    return (abut_quat){ sign * q.x, sign * q.y, sign * q.z, sign * q.w };
}

static void make_crowd(crowd *c, random_source *random)
{
    const double distance = random_scale(random, 1e-3, 1.0), plain = random_chance(random, 0.5) ? 0.02 : 0.3;
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < MOST; ++i)
    {
        c->anchors[i].position = some_vector(random, 100.0);
        c->anchors[i].rotation = some_rotation(random, NULL);
        c->poses[i].position = abut_vec3_add(c->anchors[i].position, some_vector(random, distance));
        c->poses[i].rotation = some_rotation(random, &c->anchors[i].rotation);
        c->velocities[i].linear = some_vector(random, 2.0 * distance);
        c->velocities[i].angular = some_vector(random, distance);
        c->states[i] = (random_chance(random, plain) ? random_below(random, 3) : 2) |
                       (random_chance(random, plain) ? ASLEEP : 0u) | (random_chance(random, plain) ? STALE : 0u) |
                       (random_chance(random, plain) ? SWEPT : 0u);
        c->generations[i] = random_chance(random, 0.5 * plain) ? 0 : 1 + i;
        c->radius[i] = random_chance(random, plain) ? INFINITY : (float)random_between(random, 0.0, 2.0);
        if (random_chance(random, 0.1 * plain))
        {
            c->poses[i].position.x = NAN;
        }
    }
    c->in = (ab_anchor_in){ .poses = c->poses,
                            .anchors = c->anchors,
                            .velocities = c->velocities,
                            .states = c->states,
                            .generations = c->generations,
                            .radius = c->radius,
                            .motion_mask = MOTION,
                            .static_motion = STATIC,
                            .asleep = ASLEEP,
                            .stale = STALE,
                            .swept = SWEPT,
                            .distance = (float)distance,
                            .horizon = random_chance(random, 0.5) ? 0.0f : 0.1f,
                            .all = random_chance(random, 0.1) };
    c->first = random_below(random, 20);
    c->end = c->first + random_below(random, MOST - 20);
}

static void find(const crowd *c, abut_isa isa, found *f)
{
    memset(f, 0xa5, sizeof *f); // what is outside of the range stays
    const ab_anchor_out out = { .known = f->known, .shifts = f->shifts, .anchors = f->anchors, .stale = f->stale };
    f->counts = ab_kernels_for(isa)->anchors->find(&c->in, &out, c->first, c->end);
}

static double length_of(abut_vec3 v)
{
    return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

// How far the body's farthest point may have moved, and the chord of its turn at distance 1.
static double moved_by(const crowd *c, uint32_t i, double *chord, double *reach)
{
    const abut_quat p = c->anchors[i].rotation, q = c->poses[i].rotation;
    const double pp[4] = { (double)p.x, (double)p.y, (double)p.z, (double)p.w },
                 qq[4] = { (double)q.x, (double)q.y, (double)q.z, (double)q.w };
    double dot = 0.0, p_square = 0.0, q_square = 0.0;
    for (int k = 0; k < 4; ++k)
    {
        dot += pp[k] * qq[k];
        p_square += pp[k] * pp[k];
        q_square += qq[k] * qq[k];
    }
    const double cosine = fabs(dot) / sqrt(p_square * q_square), sine = sqrt(fmax(0.0, 1.0 - cosine * cosine));
    const double way = length_of(abut_vec3_sub(c->poses[i].position, c->anchors[i].position));
    *chord = 2.0 * sine;
    *reach = (length_of(c->velocities[i].linear) + length_of(c->velocities[i].angular) * (double)c->radius[i]) *
             (double)c->in.horizon;
    return way + *chord * (double)c->radius[i] + (c->in.horizon > 0.0f ? *reach : 0.0);
}

static void judge_mobile(const crowd *c, const found *f, uint32_t i)
{
    const double limit = 0.5 * (double)c->in.distance, band = 1e-4;
    const bool edited = (c->states[i] & STALE) != 0, swept = (c->states[i] & SWEPT) != 0;
    const uint32_t known = f->known[i];
    double chord, reach;
    const double by = moved_by(c, i, &chord, &reach);
    const bool sure = by < limit * (1.0 - band) - 2e-6 && chord < 0.1 - band && !swept;
    const bool never = !(by <= limit * (1.0 + band) + 2e-6 && chord <= 0.1 + band) || swept;
    const bool moved = (known & AB_ANCHOR_MOVED) != 0;
    assert_false(known & AB_ANCHOR_IMMOBILE);
    assert_true(moved || !(c->in.all || edited || never));
    assert_true(!moved || c->in.all || edited || !sure);
    assert_true((known & AB_ANCHOR_CALM) == 0 || !never || edited);
    assert_true((known & AB_ANCHOR_CALM) != 0 || !sure);
    assert_true(f->stale[i] == ((known & AB_ANCHOR_NEAR) == 0));
    assert_true(!f->stale[i] || moved);
    assert_true(!swept || f->stale[i]);
}

static void judge_shift(const crowd *c, const found *f, uint32_t i)
{
    static const ab_shift none = { .way = { 0.0f } };
    const bool stands = (f->known[i] & (AB_ANCHOR_MOVED | AB_ANCHOR_IMMOBILE)) == 0;
    ab_shift own = stands ? ab_shift_between(&c->anchors[i], &c->poses[i]) : none;
    own.stands = f->known[i] & AB_ANCHOR_MOVED      ? AB_SHIFT_MOVED
                 : f->known[i] & AB_ANCHOR_IMMOBILE ? AB_SHIFT_IMMOBILE
                                                    : AB_SHIFT_STANDS;
    assert_memory_equal(&f->shifts[i], &own, sizeof own);
    assert_memory_equal(&f->anchors[i], f->known[i] & AB_ANCHOR_MOVED ? &c->poses[i] : &c->anchors[i],
                        sizeof(abut_pose));
}

static void judge(const crowd *c, const found *f)
{
    ab_anchor_counts counts = { 0 };
    for (uint32_t i = 0; i < MOST; ++i)
    {
        const bool lives = c->generations[i] != 0, edited = (c->states[i] & STALE) != 0;
        const bool immobile = (c->states[i] & MOTION) == STATIC || (c->states[i] & ASLEEP) != 0;
        const uint32_t known = f->known[i];
        if (i < c->first || i >= c->end)
        {
            assert_int_equal(known, 0xa5);
            assert_int_equal(f->stale[i], 0xa5);
            continue;
        }
        judge_shift(c, f, i);
        counts.edited += (known & AB_ANCHOR_MOVED) != 0 && lives && immobile;
        counts.mobile += lives && !immobile;
        counts.calm += (known & AB_ANCHOR_CALM) != 0;
        counts.standing += (known & (AB_ANCHOR_MOVED | AB_ANCHOR_IMMOBILE)) == 0;
        if (lives && !immobile)
        {
            judge_mobile(c, f, i);
            continue;
        }
        const bool moved = !lives || edited || isinf(c->radius[i]);
        assert_int_equal(known, (moved ? AB_ANCHOR_MOVED : AB_ANCHOR_IMMOBILE) | AB_ANCHOR_NEAR);
        assert_false(f->stale[i]);
    }
    assert_memory_equal(&counts, &f->counts, sizeof counts);
}

static void bodies_are_anchored_as_double_precision_says(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(CROWDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        static crowd c;
        static found first, other;
        make_crowd(&c, &random);
        bool has_first = false;
        EVERY_ISA(isa)
        {
            find(&c, isa, has_first ? &other : &first);
            assert_true(!has_first || memcmp(&first, &other, sizeof first) == 0);
            has_first = true;
        }
        judge(&c, &first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bodies_are_anchored_as_double_precision_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
