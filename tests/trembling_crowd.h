// A crowd of which each frame nothing but a tremor happens, at least to most of it: for worlds that keep manifolds of
// pairs that hardly moved.
#ifndef TREMBLING_CROWD_H
#define TREMBLING_CROWD_H

#include "random_lineup.h"

#include "world/world.h"

#include <stdlib.h>

#define TOLERANCE 0.01f
#define MARKED    0.01 // chance that an immobile body trembles in a frame

enum
{
    FRAMES = 100
};

static inline crowd *crowd_take(uint64_t seed, abut_world_def def)
{
    crowd *c = malloc(sizeof *c);
    assert_non_null(c);
    assert_int_equal(crowd_open(c, seed, def), ABUT_OK);
    return c;
}

static inline void crowd_give(crowd *c)
{
    abut_world_destroy(c->world);
    free(c);
}

// What is immobile trembles only if told so, and is marked as moved then.
static inline void tremble(crowd *c, double by, bool everything)
{
    abut_bodies all = abut_world_bodies(c->world);
    for (uint32_t slot = 0; slot < all.count; ++slot)
    {
        const dvec3 shift = random_in_box(&c->random, by), axis = random_direction(&c->random);
        const float angle = (float)random_between(&c->random, -by, by);
        const bool immobile = ab_is_immobile(c->world->state.bodies.state[slot]);
        if (immobile && (!everything || all.generations[slot] == 0 || !random_chance(&c->random, MARKED)))
        {
            continue;
        }
        all.poses[slot].position = abut_vec3_add(all.poses[slot].position, random_narrow(shift));
        all.poses[slot].rotation =
            abut_quat_mul(abut_quat_from_axis_angle(random_narrow(axis), angle), all.poses[slot].rotation);
        if (immobile)
        {
            const abut_body body = { slot, all.generations[slot] };
            assert_int_equal(abut_body_mark_moved(c->world, body), ABUT_OK);
        }
    }
}

static inline void frame_of(crowd *c, uint64_t seed, uint32_t frame, bool everything)
{
    double dt;
    tremble(c, 0.1 * TOLERANCE, everything);
    const bool edited = random_chance(&c->random, frame < FRAMES / 3 ? 1.0 : 0.2);
    DEMAND(edited ? crowd_frame(c, &dt) >= 0.0 : abut_world_detect(c->world, 0.0f) == ABUT_OK, "the call failed");
    DEMAND(!c->broken, "a failed call changed the hash");
    crowd_bury(c);
}

#endif
