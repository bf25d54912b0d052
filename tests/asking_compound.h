// A world with bodies of all kinds, and compounds that ask it. Everything is at places that are exact in floats, so
// that a part asks from the same place by itself and in its compound.
#ifndef ASKING_COMPOUND_H
#define ASKING_COMPOUND_H

#include "mesh_makers.h"
#include "random_compound.h"

#include <abut/query.h>

enum
{
    BODIES = 40,
    A_MESH = 2 // a category
};

typedef struct asked_world
{
    random_source random;
    abut_world *world;
    abut_geometry *held[64];
    uint32_t held_count;
} asked_world;

// The asking compound, not turned, and its parts where they are.
typedef struct asker
{
    abut_placed_shape whole, part[COMPOUND_MOST];
    uint32_t parts;
} asker;

// In 256ths of a metre.
static inline abut_vec3 some_place(random_source *random, double spread)
{
    abut_vec3 p = random_narrow(random_in_box(random, spread));
    p.x = roundf(p.x * 256.0f) / 256.0f;
    p.y = roundf(p.y * 256.0f) / 256.0f;
    p.z = roundf(p.z * 256.0f) / 256.0f;
    return p;
}

static inline abut_geometry *hold(asked_world *w, abut_geometry *geometry)
{
    assert_true(w->held_count < COUNT(w->held));
    return w->held[w->held_count++] = geometry;
}

static inline abut_geometry *some_compound(asked_world *w, double size, bool turned, const abut_geometry *hull,
                                           asker *out)
{
    out->parts = random_parts(&w->random, size, turned, hull, out->part);
    for (uint32_t i = 0; i < out->parts; ++i)
    {
        out->part[i].pose.position = some_place(&w->random, size);
    }
    return hold(w, compound_of(out->part, out->parts));
}

static inline asker some_asker(asked_world *w, double size, const abut_geometry *hull)
{
    asker a;
    const abut_vec3 at = some_place(&w->random, 4.0);
    a.whole = (abut_placed_shape){ abut_shape_compound(some_compound(w, size, false, hull, &a)), abut_pose_identity() };
    a.whole.pose.position = at;
    for (uint32_t i = 0; i < a.parts; ++i)
    {
        a.part[i].pose.position = abut_vec3_add(a.part[i].pose.position, at);
    }
    return a;
}

static inline asked_world open_asked(uint64_t seed)
{
    asked_world w = { .random = random_start(seed) };
    mesh_maker m = { 0 };
    w.world = open_world(&(abut_world_def){ .broad = seed % 2 ? ABUT_BROAD_BVH : ABUT_BROAD_GRID });
    const abut_geometry *hull = hold(&w, random_lump(&w.random, 0.5));
    mesh_field(&m, &w.random, 6, 6, 6.0, 6.0, 0.5, NULL, NULL);
    const abut_geometry *mesh = hold(&w, mesh_made(&m));
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        abut_body body;
        asker parts;
        abut_body_def def = { .pose.position = some_place(&w.random, 5.0), .motion = (abut_motion)(i % 3) };
        def.pose.rotation = random_narrow_rotation(random_rotation(&w.random));
        def.collider.shape = i % 8 == 0   ? abut_shape_mesh(mesh)
                             : i % 4 == 1 ? abut_shape_compound(some_compound(&w, 1.0, true, hull, &parts))
                             : i % 4 == 2 ? abut_shape_aabb(0.5f, 0.25f, 1.0f)
                                          : random_part(&w.random, 0.7, hull);
        def.collider.filter.category = i % 8 == 0 ? A_MESH : 1;
        assert_int_equal(abut_body_create(w.world, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_update(w.world), ABUT_OK);
    return w;
}

static inline void close_asked(asked_world *w)
{
    abut_world_destroy(w->world);
    for (uint32_t i = 0; i < w->held_count; ++i)
    {
        abut_geometry_release(w->held[i]);
    }
}

static inline const abut_geometry *hull_of(const asked_world *w)
{
    return w->held[0];
}

#endif
