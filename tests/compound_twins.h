// Two worlds with the same bodies: compounds in the first, their parts as colliders in the second.
#ifndef COMPOUND_TWINS_H
#define COMPOUND_TWINS_H

#include "random_compound.h"

typedef struct twins
{
    random_source random;
    abut_world *world[2];
    abut_geometry *hull;
    abut_geometry *held[64];
    uint32_t held_count;
} twins;

static inline void open_twins(twins *t, uint64_t seed, const abut_world_def *def)
{
    *t = (twins){ .random = random_start(seed), .world = { open_world(def), open_world(def) } };
    t->hull = random_lump(&t->random, 0.5);
}

static inline void close_twins(twins *t)
{
    abut_world_destroy(t->world[0]);
    abut_world_destroy(t->world[1]);
    for (uint32_t i = 0; i < t->held_count; ++i)
    {
        abut_geometry_release(t->held[i]);
    }
    abut_geometry_release(t->hull);
}

static inline void add_compound(twins *t, const abut_body_def *def, double size, bool turned, abut_body out[2])
{
    abut_placed_shape parts[COMPOUND_MOST];
    const uint32_t count = random_parts(&t->random, size, turned, t->hull, parts);
    abut_geometry *compound = compound_of(parts, count);
    t->held[t->held_count++] = compound;
    add_twins(t->world, def, parts, count, compound, out);
}

static inline void add_convex(twins *t, const abut_body_def *def, double size, abut_body out[2])
{
    abut_body_def own = *def;
    own.collider.shape = random_chance(&t->random, 0.3) ? abut_shape_aabb((float)size, 0.5f * (float)size, (float)size)
                                                        : random_part(&t->random, size, t->hull);
    for (int k = 0; k < 2; ++k)
    {
        assert_int_equal(abut_body_create(t->world[k], &own, &out[k]), ABUT_OK);
    }
}

static inline abut_body_def some_body(twins *t, double spread, bool turned)
{
    abut_body_def def = { .pose.position = random_narrow(random_in_box(&t->random, spread)) };
    def.pose.rotation = turned ? random_narrow_rotation(random_rotation(&t->random)) : abut_quat_identity();
    def.motion = random_chance(&t->random, 0.2) ? ABUT_STATIC : ABUT_DYNAMIC;
    return def;
}

// A crowd of compounds and convex shapes.
static inline void fill_twins(twins *t, bool turned)
{
    for (uint32_t i = 0; i < 24; ++i)
    {
        abut_body bodies[2];
        const abut_body_def def = some_body(t, 2.0, turned);
        if (i % 2)
        {
            add_convex(t, &def, 0.4, bodies);
        }
        else
        {
            add_compound(t, &def, 0.7, turned, bodies);
        }
    }
}

static inline uint32_t ordinal_of(abut_world *world, abut_body body, abut_collider collider)
{
    abut_collider all[COMPOUND_MOST];
    uint32_t count, at = 0;
    assert_int_equal(abut_body_colliders(world, body, all, COMPOUND_MOST, &count), ABUT_OK);
    while (at < count && all[at].slot != collider.slot)
    {
        ++at;
    }
    assert_true(at < count);
    return at;
}

static inline bool near_vec3(abut_vec3 a, abut_vec3 b, float most)
{
    return fabsf(a.x - b.x) <= most && fabsf(a.y - b.y) <= most && fabsf(a.z - b.z) <= most;
}

#endif
