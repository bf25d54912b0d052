// A box of shapes for worlds on several threads: large enough for many tasks, or cut finely enough. Of a file that
// defines _POSIX_C_SOURCE before it includes anything.
#ifndef THREADED_PILE_H
#define THREADED_PILE_H

#include "job_systems.h"
#include "observed.h"
#include "random_world.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

static const ab_granularity fine = { 32, 0 };

static inline uint64_t counted(const abut_world *world)
{
    abut_statistics s;
    abut_world_statistics(world, &s);
    uint64_t hash = 1;
    const uint64_t counts[] = { s.box_tests, s.tree_depth, s.sorts, s.candidates, s.filtered };
    hash = observed_bytes(hash, counts, sizeof counts);
    hash = observed_bytes(hash, s.level_tests, sizeof s.level_tests);
    for (uint32_t i = 0; i < ABUT_PAIR_TYPE_MAX; ++i)
    {
        const uint64_t tally[] = { s.pair_types[i].pairs, s.pair_types[i].touching };
        hash = observed_bytes(hash, tally, sizeof tally);
    }
    return hash;
}

// After a failure proxies may be in another order than without it, and other AABBs are tested to find the same pairs.
static inline void assert_same(abut_world *a, abut_world *b, bool failed, uint64_t seed)
{
    if (abut_world_hash(a) != abut_world_hash(b) || observed_results(1, a) != observed_results(1, b) ||
        (!failed && counted(a) != counted(b)))
    {
        fail_msg("seed %llu: not the same", (unsigned long long)seed);
    }
}

// Under sanitizers, which are up to fifty times slower, worlds and tasks are smaller, and only one in so many requests
// fails.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SLOW 1
#endif
#endif
enum
{
#ifdef SLOW
    LARGE = 700,
    CHUNK = 100,
    SITES_APART = 9
#else
    LARGE = 5000,
    CHUNK = 1024,
    SITES_APART = 1
#endif
};

// A box of balls and crates, some of them falling, with a floor of many static ones.
static inline void fill(abut_world *world, uint32_t bodies, uint64_t seed)
{
    random_source random = random_start(seed);
    const double side = 0.55 * cbrt((double)bodies);
    for (uint32_t i = 0; i < bodies; ++i)
    {
        const float size = (float)random_between(&random, 0.2, 0.6);
        abut_body body;
        const abut_body_def def = {
            .pose.position = random_narrow(random_in_box(&random, side)),
            .pose.rotation = random_narrow_rotation(random_rotation(&random)),
            .velocity.linear = random_narrow(random_in_box(&random, 3.0)),
            .motion = i % 5 == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
            .collider.shape = i % 3 == 0   ? abut_shape_sphere(size)
                              : i % 3 == 1 ? abut_shape_obb(size, 0.4f, size)
                                           : abut_shape_aabb(size, size, 0.3f),
        };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
}

// Bodies of several colliders, sensors and CCD bodies.
static inline void complicate(abut_world *world)
{
    const abut_bodies all = abut_world_bodies(world);
    for (uint32_t slot = 0; slot < all.count; ++slot)
    {
        const abut_body body = { slot, all.generations[slot] };
        const abut_collider_def more = { .shape = abut_shape_sphere(0.3f),
                                         .local = { .position = { 0.0f, 0.4f, 0.0f }, .rotation = { .w = 1.0f } },
                                         .flags = slot % 4 ? 0 : ABUT_COLLIDER_SENSOR };
        abut_collider collider;
        if (slot % 2 == 0)
        {
            assert_int_equal(abut_collider_attach(world, body, &more, &collider), ABUT_OK);
        }
        assert_int_equal(abut_body_set_ccd(world, body, slot % 7 == 1), ABUT_OK);
    }
}

#endif
