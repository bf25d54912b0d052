// What laws of queries and of contacts have in common: how far a body is from what asks, results of a world, which are
// judged, and those of its copies, which are asked all at once and have to give the same bits.
#ifndef JUDGED_ANSWERS_H
#define JUDGED_ANSWERS_H

#include "judged_world.h"

enum
{
    ASKED = 100,          // of each form in a world
    MOST = JUDGED_BODIES, // results of a question
    NEAREST = 9,          // likewise, of the nearest
    STEPS = 60            // of searches along a way
};

#define BAND 4e-6 // of the sizes: nearer to touching than this, nobody decides

static judged_world w;
static uint64_t asked, found_by, decided;

static inline bool is_far(const plain_sphere *a, const plain_sphere *b, double beyond)
{
    return dvec3_length(dvec3_sub(a->centre, b->centre)) > a->radius + b->radius + beyond;
}

// The least distance from a solid to the pieces of a body, or how deep it is in one; HUGE_VAL for more than `beyond`.
static inline double apart(const plain_solid *s, const judged_body *b, double beyond)
{
    const plain_sphere around = plain_around(s);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < b->pieces; ++i)
    {
        if (!is_far(&around, &b->around[i], beyond))
        {
            least = fmin(least, plain_apart(s, &b->piece[i]));
        }
    }
    return least;
}

static inline bool is_half_space(const judged_body *b)
{
    return b->shape.kind == ABUT_HALF_SPACE;
}

// The largest of a body's pieces; for a half-space as far as most that asks is from its place.
static inline double size_of(const judged_body *b)
{
    double most = 0.0;
    if (is_half_space(b))
    {
        return 100.0 * w.side;
    }
    for (uint32_t i = 0; i < b->pieces; ++i)
    {
        most = fmax(most,
                    b->around[i].radius + dvec3_length(dvec3_sub(b->around[i].centre, judged_widen(b->pose.position))));
    }
    return most;
}

#define JUDGE(condition)                                                                                               \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            fail_msg("seed %llu, question %u, body %u: %s", (unsigned long long)judged_seed, judged_question, i,       \
                     #condition);                                                                                      \
        }                                                                                                              \
    } while (0)

static uint64_t judged_seed;
static uint32_t judged_question;

// Anywhere, in or about a body, or, some, far outside.
static inline dvec3 random_place(random_source *random)
{
    const judged_body *b = &w.body[random_below(random, JUDGED_BODIES)];
    const double most = 0.1 * (double)ABUT_MAX_MAGNITUDE / w.side; // so that ways are within it, too
    const double far = random_chance(random, 0.1) ? fmin(random_scale(random, 2.0, 200.0), most) : 1.1;
    return random_chance(random, 0.5) ? judged_in_box(&w, random, far * w.side)
                                      : dvec3_add(judged_widen(b->pose.position), judged_in_box(&w, random, w.scale));
}

// From one place towards another, or beyond it.
static inline dvec3 random_way(random_source *random, dvec3 from)
{
    return dvec3_scale(dvec3_sub(random_place(random), from), random_scale(random, 0.3, 3.0));
}

static inline abut_placed_shape random_asker(random_source *random, plain_solid *out)
{
    plain_solid own;
    abut_placed_shape asker = { .pose = judged_pose(&w, random, w.side) };
    asker.shape = judged_convex(&w, random, w.scale * random_scale(random, 0.1, 3.0), random_below(random, 4), &own);
    asker.pose.position = random_narrow(random_place(random));
    plain_place(&own, judged_rotation(asker.pose.rotation), judged_widen(asker.pose.position), out);
    return asker;
}

static inline bool in_order(const abut_hit *a, const abut_hit *b)
{
    return a->fraction < b->fraction || (a->fraction == b->fraction && a->body.slot < b->body.slot);
}

// The other worlds are asked all at once.
typedef struct answers
{
    abut_range range[ASKED];
    abut_hit hit[ASKED * MOST], first[ASKED];
    abut_found found[ASKED * MOST];
    abut_near near[ASKED * NEAREST];
    bool any[ASKED];
    uint64_t total;
} answers;

static answers judged, other;

// Handles tell worlds apart by their generations, and begin with the slots of body and collider.
static inline void forget_world(void *results, size_t count, size_t size)
{
    for (size_t i = 0; i < count; ++i)
    {
        abut_body body;
        abut_collider collider;
        char *const result = (char *)results + i * size;
        memcpy(&body, result, sizeof body);
        memcpy(&collider, result + sizeof body, sizeof collider);
        body.generation = body.generation > 0;
        collider.generation = collider.generation > 0;
        memcpy(result, &body, sizeof body);
        memcpy(result + sizeof body, &collider, sizeof collider);
    }
}

static inline void same_firsts(void)
{
    forget_world(judged.first, ASKED, sizeof *judged.first);
    forget_world(other.first, ASKED, sizeof *other.first);
    assert_memory_equal(judged.first, other.first, sizeof judged.first);
}

static inline void same_lists(void *a, void *b, size_t size)
{
    assert_true(judged.total == other.total);
    assert_memory_equal(judged.range, other.range, sizeof judged.range);
    forget_world(a, judged.total, size);
    forget_world(b, judged.total, size);
    assert_memory_equal(a, b, size * judged.total);
}

static inline void put_range(uint32_t q, uint32_t count)
{
    judged.range[q] = (abut_range){ judged.total, count };
    judged.total += count;
}

// Asks one world after the other. There must be so many results for each question on average.
static inline void judged_run(void (*ask)(random_source *random), uint32_t worlds, double least)
{
    const random_seeds seeds = random_seeds_of(worlds);
    asked = found_by = decided = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        judged_seed = seed;
        judged_open(&w, &random, seed % 3 == 0);
        ask(&random);
        judged_close(&w);
    }
    print_message("%llu asked, %llu found, %llu decided\n", (unsigned long long)asked, (unsigned long long)found_by,
                  (unsigned long long)decided);
    assert_true(!random_seeds_all() || (double)found_by >= least * (double)asked);
}

#endif
