// Calls the veto with the world marked busy.
#include "world/journal.h"
#include "world/world.h"

static void ask(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    abut_world *world = context;
    world->work.busy = true;
    world->veto(world->veto_context, pairs, count, vetoed);
    world->work.busy = false;
    AB_TELL(world, .kind = AB_CHANGE_ASKED, .count = count, .vetoed = vetoed);
}

ab_veto ab_world_veto(abut_world *world)
{
    return (ab_veto){ world->veto ? ask : NULL, world };
}
