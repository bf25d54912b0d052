// The stage between candidates and kernels in a world that keeps manifolds: what is kept comes first among the manifolds of the
// detect, and its pairs are taken out of the candidates.
#include "base/array.h"
#include "world/world.h"

// The candidates without those whose manifold is kept. False when memory is refused.
static bool sift(abut_world *world)
{
    const uint32_t kept = world->recycled;
    ab_pair *pairs = ab_arena_take(&world->arena, kept * sizeof *pairs);
    ab_pair_set set;
    if (!pairs)
    {
        return false;
    }
    for (uint32_t i = 0; i < kept; ++i)
    {
        const ab_patch *patch = &world->patches.lines[world->patches.briefs[i].line];
        pairs[i] = (ab_pair){ world->leaves.leaf_of[patch->collider_a], world->leaves.leaf_of[patch->collider_b] };
    }
    if (!ab_pair_set_list(&set, &world->arena, pairs, kept, world->leaves.region[AB_ACTIVE].tail))
    {
        return false;
    }
    for (size_t i = 0; i < arrlenu(world->broad.spans); ++i)
    {
        ab_span *span = &world->broad.spans[i];
        span->count = world->sift(&set, world->broad.pairs + span->first, span->count);
    }
    return true;
}

abut_status ab_world_recycle(abut_world *world)
{
    world->patches.line_count = world->patches.count = world->patches.point_count = 0;
    world->recycled = 0;
    if (!world->store.remembers)
    {
        return ABUT_OK;
    }
    const ab_recycle_in in = {
        .store = &world->store,
        .leaves = &world->leaves,
        .rules = world->rules_edited == ab_next_detect(world) ? &world->rules : NULL,
        .filters = world->colliders.filter,
        .edited = world->colliders.edited,
        .detect = ab_next_detect(world),
        .margin = world->margin,
        .tolerance = world->recycle_distance,
        .kernel = world->recycle,
    };
    const bool kept = ab_recycle_contacts(&in, &world->memory, &world->patches);
    world->recycled = world->patches.count;
    return kept && (world->recycled == 0 || sift(world)) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}
