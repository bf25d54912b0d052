// What must be true of a world between calls.
#include "base/array.h"
#include "base/assert.h"
#include "shape/shape_table.h"
#include "world/world.h"

static void check_bodies(const abut_world *world)
{
    const ab_bodies *bodies = &world->bodies;
    uint32_t live = 0, colliders = 0;
    for (uint32_t slot = 0; slot < arrlenu(bodies->life); ++slot)
    {
        if (bodies->life[slot] == 0)
        {
            continue;
        }
        ++live;
        AB_ASSERT(bodies->life[slot] == ab_life_of(world, bodies->uses[slot]), slot);
        uint32_t before = 0;
        for (uint32_t at = bodies->first[slot]; at != ABUT_NONE; at = world->colliders.next[at])
        {
            const uint32_t order = world->colliders.order[at];
            AB_ASSERT(order >> 8 == slot, at);
            AB_ASSERT(at == bodies->first[slot] || order > before, at);
            before = order;
            colliders += world->colliders.life[at] != 0;
        }
    }
    AB_ASSERT(live == bodies->live, live);
    AB_ASSERT(colliders == world->colliders.live, colliders);
}

// A collider has a leaf exactly when it may meet something, and a settled one is quiet and not fresh.
static void check_colliders(const abut_world *world)
{
    const ab_colliders *colliders = &world->colliders;
    uint32_t leaves = 0;
    for (uint32_t slot = 0; slot < arrlenu(colliders->life); ++slot)
    {
        if (colliders->life[slot] == 0)
        {
            continue;
        }
        const uint32_t body = colliders->order[slot] >> 8, leaf = world->leaves.leaf_of[slot];
        const ab_contact_name *name = &colliders->name[slot];
        AB_ASSERT(name->body.slot == body && name->body.life == world->bodies.life[body], slot);
        AB_ASSERT(name->collider.slot == slot && name->collider.life == colliders->life[slot], slot);
        AB_ASSERT(world->plane || !ab_shape_row_for(colliders->shape[slot].kind)->flat, slot);
        const uint32_t state = world->bodies.state[body];
        const bool meets = ((state & AB_STATE_DISABLED) | (colliders->state[slot] & AB_STATE_NOTHING)) == 0;
        AB_ASSERT((leaf != ABUT_NONE) == meets, slot);
        if (leaf == ABUT_NONE)
        {
            continue;
        }
        ++leaves;
        AB_ASSERT(world->leaves.collider[leaf] == slot, slot);
        AB_ASSERT(world->leaves.record[leaf].order == colliders->order[slot], slot);
        AB_ASSERT((world->leaves.traits[leaf] & 3u) == (state & AB_STATE_MOTION), slot);
        const bool senses = (colliders->state[slot] & AB_STATE_SENSOR) != 0;
        AB_ASSERT(((world->leaves.traits[leaf] & AB_TRAIT_SENSOR) != 0) == senses, slot);
        AB_ASSERT((world->leaves.traits[leaf] & AB_TRAIT_EXCLUDED) != 0 ||
                      !ab_exclusions_concern(&world->rules.exclusions, body),
                  slot);
        if (ab_leaves_set_of(&world->leaves, leaf) == AB_STILL)
        {
            AB_ASSERT(ab_is_quiet(state), slot);
            AB_ASSERT((colliders->state[slot] & AB_STATE_FRESH) == 0, slot);
        }
    }
    const ab_region *region = world->leaves.region;
    AB_ASSERT(leaves == region[AB_ACTIVE].live + region[AB_STILL].live, leaves);
}

// Exclusions are of bodies that live.
static void check_exclusions(const abut_world *world)
{
    const ab_exclusions *exclusions = &world->rules.exclusions;
    ab_exclusions_check(exclusions);
    for (uint32_t node = 0; node < arrlenu(exclusions->lists.ends); ++node)
    {
        const uint32_t body = exclusions->lists.ends[node].body;
        AB_ASSERT(exclusions->lists.keys[node / 2] == AB_NO_KEY || world->bodies.life[body] != 0, node);
    }
}

void ab_world_check(const abut_world *world)
{
    check_bodies(world);
    check_colliders(world);
    ab_leaves_check(&world->leaves);
    ab_contact_store_check(&world->store);
    ab_kept_check(&world->sensors.overlaps);
    check_exclusions(world);
}
