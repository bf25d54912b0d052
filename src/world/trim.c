// Gives back the memory of a spike. Every TRIM_PERIOD detects, each array of candidates, manifolds, contacts, events
// and overlaps that has more than twice the room that the last TRIM_PERIOD detects needed becomes smaller. The first
// two periods are short, for in a world's first detect every contact begins. The results have two buffers, and callers
// may still read the published one: each is trimmed while the other is published, in the first and in the second detect
// of a period. Free slots of contacts behind the last one in use go when the last detect of a long period has
// succeeded, because later ids follow from them.
#include "base/array.h"
#include "broad/pair_writer.h"
#include "world/world.h"

#define TRIM_PERIOD 128u
#define FIRST       2u // detects of the first period, and of the second

bool ab_world_trims(const abut_world *world)
{
    return world->state.detects % TRIM_PERIOD == 0;
}

void ab_world_cut(abut_world *world)
{
    if (ab_world_trims(world))
    {
        ab_contact_pool_cut(&world->state.store.pool);
    }
}

// The detects since a period ended.
static uint64_t since_period(uint64_t detects)
{
    return detects < 2 * FIRST ? detects % FIRST : detects < TRIM_PERIOD ? detects - 2 * FIRST : detects % TRIM_PERIOD;
}

void ab_world_trim(abut_world *world)
{
    const uint64_t detects = world->state.detects, since = since_period(detects);
    if (detects < FIRST || since > 1)
    {
        return;
    }
    ab_contact_store_trim(&world->state.store, &world->memory, since == 0);
    ab_sensors_trim(&world->state.sensors, &world->memory);
    ab_array_trim(world->state.impacts[1 - world->state.store.published], &world->memory, 0);
    ab_array_trim(world->state.sensor_impacts[1 - world->state.store.published], &world->memory, 0);
    if (since == 0)
    {
        ab_array_trim(world->cache.packed.words, &world->memory, 0);
        ab_array_trim(world->cache.packed_static.words, &world->memory, 0);
    }
    if (since == 0 && world->work.sorting.stream) // a restored world may have counted detects that it did not run
    {
        ab_pair_writers_trim(&world->cache.broad);
        ab_pair_pass_trim(&world->work.sorting);
        ab_narrow_pass_trim(&world->work.narrow);
    }
}
