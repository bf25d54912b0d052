// Creates and destroys bodies: all of a call's, or none.
#include "base/array.h"
#include "math/rotation.h"
#include "world/journal.h"
#include "world/world.h"

static const char *accept(abut_world *world, abut_body_def *def)
{
    ab_rotation_default(&def->pose.rotation);
    const char *const pose_fault = ab_world_pose_fault(world, &def->pose);
    const char *const velocity_fault = ab_world_velocity_fault(world, &def->velocity);
    if (pose_fault || velocity_fault)
    {
        return pose_fault ? pose_fault : velocity_fault;
    }
    if ((unsigned)def->motion >= ABUT_MOTION_COUNT)
    {
        return "there is no such motion kind";
    }
    if (def->flags & ~(uint32_t)(ABUT_BODY_DISABLED | ABUT_BODY_ASLEEP | ABUT_BODY_CCD | ABUT_BODY_CCD_ALL))
    {
        return "a flag of the body means nothing";
    }
    return def->collider.shape.kind == ABUT_SHAPE_NONE ? NULL : ab_collider_accept(world, &def->collider);
}

#define RESERVE_(column)  ab_array_reserve(bodies->column, memory, slots) &&
#define LENGTHEN_(column) ab_array_set_length(bodies->column, slot + 1);

static bool reserve_slots(abut_world *world, uint32_t more)
{
    ab_bodies *bodies = &world->state.bodies;
    ab_memory *memory = &world->memory;
    const size_t unused = arrlenu(bodies->free);
    const size_t slots = arrlenu(bodies->pose) + (more > unused ? more - unused : 0);
    return AB_BODY_COLUMNS(RESERVE_) ab_array_reserve(bodies->free, memory, slots) &&
           ab_array_reserve(bodies->retired, memory, slots);
}

static uint32_t take_slot(ab_bodies *bodies)
{
    const size_t unused = arrlenu(bodies->free);
    if (unused > 0)
    {
        ab_array_set_length(bodies->free, unused - 1);
        return bodies->free[unused - 1];
    }
    const size_t slot = arrlenu(bodies->pose);
    AB_BODY_COLUMNS(LENGTHEN_)
    bodies->uses[slot] = 0;
    return (uint32_t)slot;
}

// Adds a body from an accepted definition. Cannot fail.
static abut_body add(abut_world *world, const abut_body_def *def)
{
    ab_bodies *bodies = &world->state.bodies;
    const uint32_t slot = take_slot(bodies);
    bodies->pose[slot] = def->pose;
    bodies->velocity[slot] = def->velocity;
    bodies->user_data[slot] = def->user_data;
    bodies->generation[slot] = ab_generation_of(world, ++bodies->uses[slot]);
    bodies->state[slot] = (uint32_t)def->motion | (def->flags & ABUT_BODY_DISABLED ? AB_STATE_DISABLED : 0) |
                          (def->flags & ABUT_BODY_ASLEEP ? AB_STATE_ASLEEP : 0) |
                          (def->flags & ABUT_BODY_CCD ? AB_STATE_CCD : 0) |
                          (def->flags & ABUT_BODY_CCD_ALL ? AB_STATE_CCD_ALL : 0);
    bodies->first[slot] = ABUT_NONE;
    ab_body_unanchor(world, slot);
    if (slot < arrlenu(world->state.anchors))
    {
        world->state.anchors[slot] = abut_pose_identity(); // was that of the slot's last body
    }
    ++bodies->live;
    if (def->collider.shape.kind != ABUT_SHAPE_NONE)
    {
        ab_collider_place(world, ab_collider_add(world, slot, 0, &def->collider));
    }
    return (abut_body){ slot, bodies->generation[slot] };
}

// The number of slots once `count` more are in use.
static size_t slots_for(const void *slots, const uint32_t *unused, uint32_t count)
{
    const size_t again = arrlenu(unused);
    return arrlenu(slots) + (count > again ? count - again : 0);
}

static bool within_limits(const abut_world *world, uint32_t count)
{
    return slots_for(world->state.bodies.pose, world->state.bodies.free, count) <= ABUT_MAX_BODIES &&
           slots_for(world->state.colliders.shape, world->state.colliders.free, count) <= ABUT_MAX_COLLIDERS;
}

static abut_status create(abut_world *world, const abut_body_def *defs, uint32_t count, abut_body *out,
                          const char *call)
{
    if (count > 0 && (!defs || !out))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    bool placed = false;
    uint32_t colliders = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_body_def def = defs[i];
        const char *sentence = accept(world, &def);
        if (sentence)
        {
            return ab_fail(world, ABUT_INVALID_ARGUMENT, call, i, sentence);
        }
        placed = placed || ab_collider_is_placed(&def.collider);
        colliders += def.collider.shape.kind != ABUT_SHAPE_NONE;
    }
    if (!within_limits(world, count))
    {
        return ab_fail(world, ABUT_LIMIT, call, 0, "the world holds as many bodies or colliders as it can");
    }
    if (!reserve_slots(world, count) || !ab_colliders_reserve(world, colliders, placed) ||
        !ab_places_reserve(world, colliders))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_body_def def = defs[i];
        (void)accept(world, &def);
        out[i] = add(world, &def);
    }
    AB_WORLD_CHECK(world);
    return ABUT_OK;
}

// Validity and bounds must not depend on the caller's floating-point environment.
static abut_status create_in_own_environment(abut_world *world, const abut_body_def *defs, uint32_t count,
                                             abut_body *out, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    ab_world_float_enter(world);
    const abut_status status = create(world, defs, count, out, call);
    ab_world_float_leave(world);
    if (status == ABUT_OK)
    {
        AB_TELL(world, .kind = AB_CHANGE_CREATED, .count = count, .bodies = out, .body_defs = defs);
    }
    return status;
}

abut_status abut_body_create(abut_world *world, const abut_body_def *def, abut_body *out)
{
    return create_in_own_environment(world, def, 1, out, "abut_body_create");
}

abut_status abut_body_create_many(abut_world *world, const abut_body_def *defs, uint32_t count, abut_body *out)
{
    return create_in_own_environment(world, defs, count, out, "abut_body_create_many");
}

bool ab_body_live(const abut_world *world, abut_body body)
{
    return body.slot < arrlenu(world->state.bodies.generation) && body.generation != 0 &&
           world->state.bodies.generation[body.slot] == body.generation;
}

bool abut_body_valid(const abut_world *world, abut_body body)
{
    return world && ab_body_live(world, body);
}

static void end(abut_world *world, uint32_t slot)
{
    ab_bodies *bodies = &world->state.bodies;
    for (uint32_t at = bodies->first[slot]; at != ABUT_NONE; at = world->state.colliders.next[at])
    {
        if (world->state.colliders.generation[at] != 0)
        {
            ab_collider_end(world, at);
        }
    }
    ab_exclusions_forget(&world->state.rules.exclusions, slot);
    bodies->generation[slot] = 0;
    --bodies->live;
    const size_t count = arrlenu(bodies->retired);
    ab_array_set_length(bodies->retired, count + 1);
    bodies->retired[count] = slot;
}

// Destroys as it goes, which finds duplicate handles; if one is bad, restores the generations of all before it.
static abut_status destroy(abut_world *world, const abut_body *handles, uint32_t count, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (count > 0 && !handles)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    uint32_t sound = 0;
    while (sound < count && ab_body_live(world, handles[sound]))
    {
        world->state.bodies.generation[handles[sound++].slot] = 0;
    }
    for (uint32_t i = 0; i < sound; ++i)
    {
        world->state.bodies.generation[handles[i].slot] = handles[i].generation;
    }
    if (sound < count)
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, sound, "the handle names no live body, or is listed twice");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        end(world, handles[i].slot);
    }
    AB_WORLD_CHECK(world);
    AB_TELL(world, .kind = AB_CHANGE_DESTROYED, .count = count, .bodies = handles);
    return ABUT_OK;
}

abut_status abut_body_destroy(abut_world *world, abut_body body)
{
    return destroy(world, &body, 1, "abut_body_destroy");
}

abut_status abut_body_destroy_many(abut_world *world, const abut_body *bodies, uint32_t count)
{
    return destroy(world, bodies, count, "abut_body_destroy_many");
}

#define MOST_CONTACTS 0x80000000u // that a detect may ever find; more would be out of memory for good

abut_status abut_world_reserve(abut_world *world, uint32_t bodies, uint32_t contacts)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (bodies > ABUT_MAX_BODIES || contacts > MOST_CONTACTS)
    {
        return ab_fail(world, ABUT_LIMIT, "abut_world_reserve", 0, "a world holds fewer than that");
    }
    const uint32_t more_bodies = bodies > world->state.bodies.live ? bodies - world->state.bodies.live : 0;
    const uint32_t more_colliders = bodies > world->state.colliders.live ? bodies - world->state.colliders.live : 0;
    if (!reserve_slots(world, more_bodies) || !ab_colliders_reserve(world, more_colliders, false) ||
        !ab_places_reserve(world, more_colliders) || !ab_places_reserve_next(world, more_colliders) ||
        !ab_contact_store_reserve(&world->state.store, &world->memory, contacts))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, "abut_world_reserve", 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    world->cache.proxies.reserved = bodies > world->cache.proxies.reserved ? bodies : world->cache.proxies.reserved;
    return ABUT_OK;
}

abut_bodies abut_world_bodies(abut_world *world)
{
    if (ab_world_enter(world) != ABUT_OK)
    {
        return (abut_bodies){ 0 };
    }
    const ab_bodies *bodies = &world->state.bodies;
    return (abut_bodies){
        .count = (uint32_t)arrlenu(bodies->pose),
        .poses = bodies->pose,
        .velocities = bodies->velocity,
        .user_data = bodies->user_data,
        .generations = bodies->generation,
        .states = bodies->state,
    };
}
