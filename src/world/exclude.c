// Excludes pairs of bodies from colliding, whatever their filters.
#include "base/array.h"
#include "world/journal.h"
#include "world/world.h"

static abut_status begin(const abut_world *world, abut_body a, abut_body b, const void *out, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!out)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_body_live(world, a) || !ab_body_live(world, b))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, 0, "a handle names no live body of this world");
    }
    if (a.slot == b.slot)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a body never collides with itself");
    }
    return ABUT_OK;
}

abut_status abut_body_excluded(const abut_world *world, abut_body a, abut_body b, uint32_t *count)
{
    const abut_status begun = begin(world, a, b, count, "abut_body_excluded");
    if (begun == ABUT_OK)
    {
        *count = ab_exclusions_times(&world->state.rules.exclusions, a.slot, b.slot);
    }
    return begun;
}

// Everything that can fail, before anything changes.
static abut_status reserve(abut_world *world, abut_body a, abut_body b, bool excluded, const char *call)
{
    const uint32_t times = ab_exclusions_times(&world->state.rules.exclusions, a.slot, b.slot);
    const uint32_t colliders = ab_body_collider_count(world, a.slot) + ab_body_collider_count(world, b.slot);
    if (!excluded && times == 0)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "the bodies do not exclude each other");
    }
    if (excluded && times == UINT32_MAX)
    {
        return ab_fail(world, ABUT_LIMIT, call, 0, "the bodies exclude each other as often as can be counted");
    }
    const uint32_t slots = (uint32_t)arrlenu(world->state.bodies.generation);
    if ((excluded && !ab_exclusions_reserve(&world->state.rules.exclusions, &world->memory, slots)) ||
        !ab_places_reserve(world, colliders))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    return ABUT_OK;
}

abut_status abut_body_exclude(abut_world *world, abut_body a, abut_body b, bool excluded)
{
    static const char *const call = "abut_body_exclude";
    const abut_status begun = begin(world, a, b, &a, call);
    const abut_status status = begun == ABUT_OK ? reserve(world, a, b, excluded, call) : begun;
    if (status != ABUT_OK)
    {
        return status;
    }
    ab_exclusions *exclusions = &world->state.rules.exclusions;
    const uint32_t before = ab_exclusions_times(exclusions, a.slot, b.slot);
    (excluded ? ab_exclusions_add : ab_exclusions_take)(exclusions, a.slot, b.slot);
    if ((before == 0) != (ab_exclusions_times(exclusions, a.slot, b.slot) == 0))
    {
        ab_body_place(world, a.slot);
        ab_body_place(world, b.slot);
    }
    AB_WORLD_CHECK(world);
    AB_TELL(world, .kind = AB_CHANGE_EXCLUDED, .count = 2, .bodies = (const abut_body[]){ a, b }, .bits = excluded);
    return ABUT_OK;
}
