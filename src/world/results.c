// Reads the results of a detect. Also the last step of a detect, which lets retired slots be used again.
#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "world/world.h"

abut_contacts abut_world_contacts(abut_world *world, abut_contact_set set)
{
    if (!world || (unsigned)set > ABUT_ASLEEP)
    {
        return (abut_contacts){ 0 };
    }
    ab_contact_store *store = &world->state.store;
    const ab_contact_list *list =
        set == ABUT_ASLEEP ? ab_asleep_contacts_sorted(&store->asleep) : ab_contact_store_now(store);
    return (abut_contacts){ .order = list->slots,
                            .count = ab_contact_list_count(list),
                            .slots = ab_contact_pool_slots(&store->pool),
                            .data = store->pool.contacts,
                            .colliders = store->pool.colliders,
                            .impulses = store->pool.impulses };
}

const abut_contact *abut_world_contact(const abut_world *world, abut_contact_id id)
{
    const bool listed = world && ab_contact_pool_lists(&world->state.store.pool, id);
    return listed ? &world->state.store.pool.contacts[id.slot] : NULL;
}

abut_events abut_world_events(const abut_world *world, abut_event_kind kind)
{
    if (!world || (unsigned)kind > ABUT_SENSOR_END)
    {
        return (abut_events){ 0 };
    }
    const abut_event *events = kind >= ABUT_SENSOR_BEGIN
                                   ? ab_sensors_events(&world->state.sensors, (uint32_t)kind - ABUT_SENSOR_BEGIN)
                                   : world->state.store.events[kind];
    return (abut_events){ events, (uint32_t)arrlenu(events) };
}

abut_impacts abut_world_impacts(const abut_world *world)
{
    if (!world)
    {
        return (abut_impacts){ 0 };
    }
    const abut_body_impact *impacts = world->state.impacts[world->state.store.published];
    return (abut_impacts){ impacts, (uint32_t)arrlenu(impacts) };
}

abut_impacts abut_world_sensor_impacts(const abut_world *world)
{
    if (!world)
    {
        return (abut_impacts){ 0 };
    }
    const abut_body_impact *impacts = world->state.sensor_impacts[world->state.store.published];
    return (abut_impacts){ impacts, (uint32_t)arrlenu(impacts) };
}

abut_vec3 abut_contact_position(const abut_world *world, const abut_contact *contact, const abut_point *point)
{
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    if (!world || !contact || !point || contact->a.slot >= arrlenu(world->state.bodies.pose))
    {
        return zero;
    }
    const uint64_t floats = ab_platform_float_enter();
    const abut_vec3 position = abut_vec3_add(world->state.bodies.pose[contact->a.slot].position, point->offset);
    ab_platform_float_leave(floats);
    return position;
}

const char *abut_stage_name(abut_stage stage)
{
    static const char *const name[ABUT_STAGE_COUNT] = {
        [ABUT_STAGE_MOVE] = "move",   [ABUT_STAGE_BOUNDS] = "bounds", [ABUT_STAGE_BROAD] = "broad",
        [ABUT_STAGE_PAIRS] = "pairs", [ABUT_STAGE_NARROW] = "narrow", [ABUT_STAGE_CONTACT] = "contact",
    };
    return (unsigned)stage < ABUT_STAGE_COUNT ? name[stage] : "unknown";
}

void abut_world_statistics(const abut_world *world, abut_statistics *out)
{
    if (!out)
    {
        return;
    }
    *out = (abut_statistics){ 0 };
    if (!world)
    {
        return;
    }
    *out = world->statistics;
    out->detects = world->state.detects;
    out->bodies = world->state.bodies.live;
    out->colliders = world->state.colliders.live;
    out->bytes = world->memory.bytes;
    out->peak_bytes = world->memory.peak_bytes;
    out->allocations = world->memory.allocations;
}

// Unlinks a destroyed collider from its body, if that is still live.
static void unlink_collider(abut_world *world, uint32_t slot)
{
    const uint32_t body = world->state.colliders.collider_key[slot] >> 8;
    if (world->state.bodies.generation[body] == 0)
    {
        return;
    }
    uint32_t *at = &world->state.bodies.first[body];
    while (*at != slot)
    {
        at = &world->state.colliders.next[*at];
    }
    *at = world->state.colliders.next[slot];
}

// Moves retired slots to the free ones. A slot that has no generation left is dropped.
static void free_retired(uint32_t **asleep, uint32_t **unused, const uint32_t *uses)
{
    size_t count = arrlenu(*unused);
    for (size_t i = 0; i < arrlenu(*asleep); ++i)
    {
        const uint32_t slot = (*asleep)[i];
        if (uses[slot] < AB_USE_COUNT_MAX)
        {
            AB_ASSERT(arrcap(*unused) > count, slot);
            ab_array_set_length(*unused, count + 1);
            (*unused)[count++] = slot;
        }
    }
    ab_array_set_length(*asleep, 0);
}

static void forget_refiltered(abut_world *world)
{
    const size_t count = world->cache.some_refiltered ? arrlenu(world->state.colliders.state) : 0;
    for (size_t slot = 0; slot < count; ++slot)
    {
        world->state.colliders.state[slot] &= ~(uint32_t)AB_STATE_REFILTERED;
    }
    world->cache.some_refiltered = false;
}

void ab_world_publish(abut_world *world)
{
    forget_refiltered(world);
    for (size_t i = 0; i < arrlenu(world->state.colliders.retired); ++i)
    {
        unlink_collider(world, world->state.colliders.retired[i]);
    }
    free_retired(&world->state.colliders.retired, &world->state.colliders.free, world->state.colliders.uses);
    free_retired(&world->state.bodies.retired, &world->state.bodies.free, world->state.bodies.uses);

    for (size_t i = 0; i < arrlenu(world->state.dirty); ++i)
    {
        world->state.colliders.state[world->state.dirty[i]] &= ~(uint32_t)AB_STATE_DIRTY;
    }
    ab_array_set_length(world->state.woken, 0);
    uint32_t *was_dirty = world->state.dirty;
    world->state.dirty = world->state.was_dirty;
    world->state.was_dirty = was_dirty;
    ab_array_set_length(world->state.dirty, 0);
}
