// Moves the origin of a world: adds a vector to the position of every body. All is checked before anything moves.
#include "base/array.h"
#include "base/platform.h"
#include "math/rotation.h"
#include "world/journal.h"
#include "world/world.h"

#define TOLD_AT_ONCE 64u

static const char *fault_of(const abut_world *world, abut_vec3 by)
{
    if (!ab_vec3_in_range(by))
    {
        return "the vector is not finite or past the limit";
    }
    return world->state.is_2d && by.z != 0.0f ? "the world is 2D, and the vector has a z" : NULL;
}

static abut_status translate(abut_world *world, abut_vec3 by, const char *call)
{
    ab_bodies *bodies = &world->state.bodies;
    const uint32_t slots = (uint32_t)arrlenu(bodies->pose);
    const char *const fault = fault_of(world, by);
    uint32_t changed = 0; // colliders of immobile bodies
    if (fault)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, fault);
    }
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        if (bodies->generation[slot] == 0)
        {
            continue;
        }
        if (!ab_vec3_in_range(abut_vec3_add(bodies->pose[slot].position, by)))
        {
            return ab_fail(world, ABUT_INVALID_ARGUMENT, call, slot,
                           "a position is not finite, or would pass the limit");
        }
        changed += ab_is_immobile(bodies->state[slot]) ? ab_body_collider_count(world, slot) : 0;
    }
    if (changed > 0 && !ab_places_reserve(world, changed))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        if (bodies->generation[slot] != 0)
        {
            bodies->pose[slot].position = abut_vec3_add(bodies->pose[slot].position, by);
            if (ab_is_immobile(bodies->state[slot]))
            {
                ab_body_place(world, slot);
            }
        }
    }
    AB_WORLD_CHECK(world);
    return ABUT_OK;
}

#ifdef AB_RECORDINGS
// A recording looks at positions itself, but for those of immobile bodies.
static void tell(abut_world *world)
{
    const ab_bodies *bodies = &world->state.bodies;
    const uint32_t slots = (uint32_t)arrlenu(bodies->pose);
    abut_body marked[TOLD_AT_ONCE];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        if (bodies->generation[slot] != 0 && ab_is_immobile(bodies->state[slot]))
        {
            marked[count++] = (abut_body){ slot, bodies->generation[slot] };
        }
        if (count == TOLD_AT_ONCE || (count > 0 && slot + 1 == slots))
        {
            AB_TELL(world, .kind = AB_CHANGE_MARKED, .count = count, .bodies = marked);
            count = 0;
        }
    }
}
#else
#define tell(world) ((void)(world))
#endif

abut_status abut_world_translate(abut_world *world, abut_vec3 by)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    ab_world_float_enter(world);
    const abut_status status = translate(world, by, "abut_world_translate");
    ab_world_float_leave(world);
    if (status == ABUT_OK)
    {
        tell(world);
    }
    return status;
}
