// A world that knows all kinds of own_kinds.h.
#ifndef OWN_WORLD_H
#define OWN_WORLD_H

#include "own_kinds.h"
#include "small_world.h"

static inline void register_own_kinds(abut_world *world)
{
    for (uint32_t k = 0; k < OWN_KINDS; ++k)
    {
        uint32_t id = 0;
        assert_int_equal(abut_world_register_kind(world, &own_kind[k], &id), ABUT_OK);
        assert_int_equal(id, ABUT_FIRST_KIND + k);
    }
}

static inline abut_world *open_own_world(const abut_world_def *def)
{
    abut_world *world = open_world(def);
    register_own_kinds(world);
    return world;
}

#endif
