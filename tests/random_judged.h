// Questions put to abut_collide and abut_overlap about random meetings, and how their answers may differ; for tests
// that state laws of both.
#ifndef RANDOM_JUDGED_H
#define RANDOM_JUDGED_H

#include "random_pair.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

// Counts what went wrong in a test and shows the first few, each with the seed that brings it back.
typedef struct failures
{
    uint32_t count;
} failures;

static inline void blame(failures *f, uint64_t seed, const random_pair *m, const char *format, ...)
{
    if (f->count++ < 8)
    {
        char text[2 * REFEREE_WHY];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        print_error("ABUT_SEED=%llu %s-%s (%s): %s\n", (unsigned long long)seed, abut_shape_kind_name(m->a.kind),
                    abut_shape_kind_name(m->b.kind), random_layout_name(m->layout), text);
    }
}

static inline void none(const failures *f)
{
    if (f->count)
    {
        fail_msg("%u cases went wrong", f->count);
    }
}

static inline abut_manifold collide(const random_pair *m)
{
    abut_manifold out;
    memset(&out, 0xa5, sizeof out);
    assert_int_equal(abut_collide(&m->a, &m->pose_a, &m->b, &m->pose_b, m->margin, &out), ABUT_OK);
    return out;
}

static inline bool overlap(const random_pair *m)
{
    bool answer;
    assert_int_equal(abut_overlap(&m->a, &m->pose_a, &m->b, &m->pose_b, &answer), ABUT_OK);
    return answer;
}

// Every kind with every kind, every layout.
static inline random_pair pair_of_seed(uint64_t seed, random_source *random)
{
    const uint64_t kinds = RANDOM_KINDS;
    *random = random_start(seed);
    uint64_t rest = seed;
    abut_shape_kind a = random_kind((uint32_t)(rest % kinds));
    rest /= kinds;
    abut_shape_kind b = random_kind((uint32_t)(rest % kinds));
    rest /= kinds;
    return random_pair_of(random, a, b, (random_layout)(rest % RANDOM_LAYOUT_COUNT));
}

// What must be true of the pair that a seed makes; it may draw further numbers, or make another pair of its own.
typedef void random_law(failures *f, uint64_t seed, random_source *random, random_pair m);

typedef struct random_law_run
{
    random_law *law;
    uint32_t count; // of seeds
} random_law_run;

static inline void random_law_holds(void **state)
{
    const random_law_run *run = *state;
    failures f = { 0 };
    const random_seeds seeds = random_seeds_of(run->count);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        const random_pair m = pair_of_seed(seed, &random);
        run->law(&f, seed, &random, m);
    }
    none(&f);
}

// A test of cmocka's: the law over so many seeds.
#define RANDOM_LAW(law, count)                                                                                         \
    {                                                                                                                  \
#law, random_law_holds, NULL, NULL, &(random_law_run)                                                          \
        {                                                                                                              \
            law, count                                                                                                 \
        }                                                                                                              \
    }

static inline referee_verdict verdict_of(const random_pair *m, double margin)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    return referee_decide(&a, &b, margin);
}

static inline bool agrees(referee_verdict verdict, bool touching)
{
    return verdict == REFEREE_UNDECIDED || (verdict == REFEREE_TOUCHING) == touching;
}

static inline double scale_of(const random_pair *m)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    return a.reach + b.reach + (double)m->margin;
}

// By how much two answers to the same question may differ in separation.
static inline double freedom_of(const random_pair *m)
{
    bool boxes = m->a.kind != ABUT_SPHERE && m->b.kind != ABUT_SPHERE;
    return (boxes ? REFEREE_PREFERENCE + REFEREE_EXACT : REFEREE_EXACT) * scale_of(m);
}

static inline bool same_bits(const abut_manifold *a, const abut_manifold *b)
{
    return memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           memcmp(&a->separation, &b->separation, sizeof a->separation) == 0 && a->point_count == b->point_count &&
           memcmp(a->points, b->points, a->point_count * sizeof *a->points) == 0;
}

static inline double near_face_yield_of(const random_pair *m)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    referee_contact contact = referee_collide(&a, &b);
    return referee_near_face_yield(&a, &b, &contact);
}

static inline referee_range range_of(const random_pair *m)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    referee_contact contact = referee_collide(&a, &b);
    return referee_blur(&a, &b, &contact);
}

// Two answers, for two pairs that differ by rounding only.
static inline void compare(failures *f, uint64_t seed, const char *what, const random_pair *m,
                           const abut_manifold *answer, const random_pair *other, const abut_manifold *other_answer)
{
    if ((answer->point_count > 0) != (other_answer->point_count > 0))
    {
        if (verdict_of(m, (double)m->margin) != REFEREE_UNDECIDED &&
            verdict_of(other, (double)other->margin) != REFEREE_UNDECIDED)
        {
            blame(f, seed, m, "%s changes the decision", what);
        }
        return;
    }
    double change = fabs((double)answer->separation - (double)other_answer->separation);
    if (change > freedom_of(m))
    {
        referee_range one = range_of(m), two = range_of(other);
        const double near_face = fmax(near_face_yield_of(m), near_face_yield_of(other));
        if (change > freedom_of(m) + near_face + fmax(one.high, two.high) - fmin(one.low, two.low))
        {
            blame(f, seed, m, "%s changes the separation from %.9g to %.9g", what, (double)answer->separation,
                  (double)other_answer->separation);
        }
    }
}
static inline void centre_on_origin(random_pair *m)
{
    m->pose_b.position = abut_vec3_sub(m->pose_b.position, m->pose_a.position);
    m->pose_a.position = abut_vec3_make(0, 0, 0);
}

#endif
