// The public calls on colliders.
#include "base/array.h"
#include "base/platform.h"
#include "bounds/lone_block.h"
#include "broad/proxy_filter.h"
#include "shape/shape_table.h"
#include "world/journal.h"
#include "world/world.h"

static const char *const stale = "the handle names no live collider of this world";

bool ab_collider_live(const abut_world *world, abut_collider collider)
{
    return collider.slot < arrlenu(world->state.colliders.generation) && collider.generation != 0 &&
           world->state.colliders.generation[collider.slot] == collider.generation;
}

bool abut_collider_valid(const abut_world *world, abut_collider collider)
{
    return world && ab_collider_live(world, collider);
}

uint16_t abut_collider_mesh_material(const abut_world *world, abut_collider collider, uint32_t triangle)
{
    const bool live = abut_collider_valid(world, collider);
    const abut_shape *shape = live ? &world->state.colliders.shape[collider.slot] : NULL;
    return shape && shape->kind == ABUT_MESH ? abut_geometry_mesh_material(shape->mesh, triangle) : 0;
}

static abut_status attach(abut_world *world, abut_body body, const abut_collider_def *def, abut_collider *out)
{
    static const char *const call = "abut_collider_attach";
    if (!def || !out)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_body_live(world, body))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, 0, "the handle names no live body of this world");
    }
    abut_collider_def accepted = *def;
    const char *sentence = ab_collider_accept(world, &accepted);
    if (sentence)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, sentence);
    }
    const uint32_t ordinal = ab_collider_free_ordinal(world, body.slot);
    if (ordinal == ABUT_MAX_COLLIDERS_PER_BODY)
    {
        return ab_fail(world, ABUT_LIMIT, call, 0, "the body has all its places taken");
    }
    if (arrlenu(world->state.colliders.free) == 0 && arrlenu(world->state.colliders.shape) == ABUT_MAX_COLLIDERS)
    {
        return ab_fail(world, ABUT_LIMIT, call, 0, "the world holds as many colliders as it can");
    }
    if (!ab_colliders_reserve(world, 1, ab_collider_is_placed(&accepted)) || !ab_places_reserve(world, 1))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    const uint32_t slot = ab_collider_add(world, body.slot, ordinal, &accepted);
    ab_collider_place(world, slot);
    *out = (abut_collider){ slot, world->state.colliders.generation[slot] };
    AB_WORLD_CHECK(world);
    return ABUT_OK;
}

// Validity and bounds must not depend on the caller's floating-point environment; likewise in `redefine`.
abut_status abut_collider_attach(abut_world *world, abut_body body, const abut_collider_def *def, abut_collider *out)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    ab_world_float_enter(world);
    const abut_status status = attach(world, body, def, out);
    ab_world_float_leave(world);
    if (status == ABUT_OK)
    {
        AB_TELL(world, .kind = AB_CHANGE_ATTACHED, .count = 1, .bodies = &body, .collider = *out, .collider_def = def);
    }
    return status;
}

abut_status abut_collider_detach(abut_world *world, abut_collider collider)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!ab_collider_live(world, collider))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, "abut_collider_detach", 0, stale);
    }
    ab_collider_end(world, collider.slot);
    AB_WORLD_CHECK(world);
    AB_TELL(world, .kind = AB_CHANGE_DETACHED, .collider = collider);
    return ABUT_OK;
}

// The collider's present definition: creating one from it would make an equal collider.
static abut_collider_def definition_of(const abut_world *world, uint32_t slot)
{
    const ab_colliders *colliders = &world->state.colliders;
    return (abut_collider_def){
        .shape = colliders->shape[slot],
        .local = colliders->local ? colliders->local[slot] : abut_pose_identity(),
        .filter = colliders->filter[slot],
        .flags = ab_collider_flags_of(colliders->state[slot]),
        .user_data = colliders->user_data[slot],
    };
}

static abut_status change(abut_world *world, uint32_t slot, const abut_collider_def *def, const char *call)
{
    abut_collider_def accepted = *def;
    const char *sentence = ab_collider_accept(world, &accepted);
    if (sentence)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, sentence);
    }
    if (!ab_colliders_reserve(world, 0, ab_collider_is_placed(&accepted)) || !ab_places_reserve(world, 1))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    ab_colliders *colliders = &world->state.colliders;
    const bool refiltered = !ab_same_filter(&colliders->filter[slot], &accepted.filter);
    ab_shape_retain(&accepted.shape);
    ab_shape_release(&colliders->shape[slot]);
    colliders->shape[slot] = accepted.shape;
    colliders->filter[slot] = accepted.filter;
    colliders->user_data[slot] = accepted.user_data;
    colliders->state[slot] &= ~(uint32_t)(AB_STATE_NOTHING | AB_STATE_SENSOR);
    colliders->state[slot] |= ab_collider_state_of(accepted.flags);
    if (colliders->local)
    {
        colliders->local[slot] = accepted.local;
    }
    ab_collider_place(world, slot);
    colliders->state[slot] |= refiltered ? AB_STATE_REFILTERED : 0u;
    world->cache.some_refiltered |= refiltered;
    AB_WORLD_CHECK(world);
    return ABUT_OK;
}

static abut_status redefine(abut_world *world, uint32_t slot, const abut_collider_def *def, const char *call)
{
    ab_world_float_enter(world);
    const abut_status status = change(world, slot, def, call);
    ab_world_float_leave(world);
    if (status == ABUT_OK)
    {
        AB_TELL(world, .kind = AB_CHANGE_COLLIDER, .collider = { slot, world->state.colliders.generation[slot] },
                .collider_def = def);
    }
    return status;
}

// Checks a setter's arguments: the world accepts calls, the value is not NULL, and the handle is live.
static abut_status begin_set(const abut_world *world, abut_collider collider, const void *value, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!value)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    return ab_collider_live(world, collider) ? ABUT_OK : ab_fail(world, ABUT_STALE_HANDLE, call, 0, stale);
}

abut_status abut_collider_set(abut_world *world, abut_collider collider, const abut_collider_def *def)
{
    static const char *const call = "abut_collider_set";
    const abut_status begun = begin_set(world, collider, def, call);
    return begun != ABUT_OK ? begun : redefine(world, collider.slot, def, call);
}

abut_status abut_collider_set_shape(abut_world *world, abut_collider collider, const abut_shape *shape)
{
    static const char *const call = "abut_collider_set_shape";
    const abut_status begun = begin_set(world, collider, shape, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    abut_collider_def def = definition_of(world, collider.slot);
    def.shape = *shape;
    return redefine(world, collider.slot, &def, call);
}

abut_status abut_collider_set_local(abut_world *world, abut_collider collider, const abut_pose *local)
{
    static const char *const call = "abut_collider_set_local";
    const abut_status begun = begin_set(world, collider, local, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    const uint64_t mode = ab_platform_float_enter();
    const abut_quat q = local->rotation;
    const bool turns = q.x != 0.0f || q.y != 0.0f || q.z != 0.0f || q.w != 0.0f;
    ab_platform_float_leave(mode);
    if (!turns)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "the rotation is zero");
    }
    abut_collider_def def = definition_of(world, collider.slot);
    def.local = *local;
    return redefine(world, collider.slot, &def, call);
}

abut_status abut_collider_set_filter(abut_world *world, abut_collider collider, const abut_filter *filter)
{
    static const char *const call = "abut_collider_set_filter";
    const abut_status begun = begin_set(world, collider, filter, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    abut_collider_def def = definition_of(world, collider.slot);
    def.filter = *filter;
    return redefine(world, collider.slot, &def, call);
}

abut_status abut_collider_set_flags(abut_world *world, abut_collider collider, uint32_t flags)
{
    static const char *const call = "abut_collider_set_flags";
    const abut_status begun = begin_set(world, collider, &flags, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    abut_collider_def def = definition_of(world, collider.slot);
    def.flags = flags;
    return redefine(world, collider.slot, &def, call);
}

abut_status abut_collider_set_user_data(abut_world *world, abut_collider collider, uint64_t user_data)
{
    const abut_status begun = begin_set(world, collider, &user_data, "abut_collider_set_user_data");
    if (begun == ABUT_OK)
    {
        world->state.colliders.user_data[collider.slot] = user_data;
    }
    return begun;
}

abut_status abut_collider_get(const abut_world *world, abut_collider collider, abut_collider_def *def, abut_body *body)
{
    const abut_status begun = begin_set(world, collider, &collider, "abut_collider_get");
    if (begun != ABUT_OK)
    {
        return begun;
    }
    if (def)
    {
        *def = definition_of(world, collider.slot);
    }
    if (body)
    {
        const uint32_t slot = world->state.colliders.collider_key[collider.slot] >> 8;
        *body = (abut_body){ slot, world->state.bodies.generation[slot] };
    }
    return ABUT_OK;
}

abut_colliders abut_world_colliders(abut_world *world)
{
    if (ab_world_enter(world) != ABUT_OK)
    {
        return (abut_colliders){ 0 };
    }
    const ab_colliders *colliders = &world->state.colliders;
    return (abut_colliders){ (uint32_t)arrlenu(colliders->generation), colliders->user_data, colliders->generation };
}

abut_status abut_body_colliders(const abut_world *world, abut_body body, abut_collider *out, uint32_t capacity,
                                uint32_t *count)
{
    static const char *const call = "abut_body_colliders";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!count || (capacity > 0 && !out))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_body_live(world, body))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, 0, "the handle names no live body of this world");
    }
    uint32_t found = 0;
    for (uint32_t at = world->state.bodies.first[body.slot]; at != ABUT_NONE; at = world->state.colliders.next[at])
    {
        if (world->state.colliders.generation[at] == 0)
        {
            continue;
        }
        if (found < capacity)
        {
            out[found] = (abut_collider){ at, world->state.colliders.generation[at] };
        }
        ++found;
    }
    *count = found;
    return ABUT_OK;
}

bool ab_collider_bounds(const abut_world *world, uint32_t slot, abut_aabb *out)
{
    ab_lone_block lone;
    const ab_proxy_def description = ab_collider_describe(world, slot);
    ab_lone_block_open(&lone);
    lone.collider[0] = slot;
    ab_proxies_describe(&lone.proxies, 0, &description);
    const ab_bounds_in in = {
        .poses = world->state.bodies.pose,
        .velocities = world->state.bodies.velocity,
        .locals = world->state.colliders.local,
        .shapes = world->state.colliders.shape,
        .growth = 0.5f * world->state.margin,
        .is_2d = world->state.is_2d,
    };
    if (world->cache.broad.bounds(&in, &lone.proxies, 0, 1) != ABUT_NONE)
    {
        return false;
    }
    out->min = abut_vec3_make(lone.block[0].min_x[0], lone.block[0].min_y[0], lone.block[0].min_z[0]);
    out->max = abut_vec3_make(lone.block[0].max_x[0], lone.block[0].max_y[0], lone.block[0].max_z[0]);
    return true;
}

abut_status abut_collider_bounds(const abut_world *world, abut_collider collider, abut_aabb *out)
{
    static const char *const call = "abut_collider_bounds";
    const abut_status begun = begin_set(world, collider, out, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    const uint64_t floats = ab_platform_float_enter();
    const bool placed = ab_collider_bounds(world, collider.slot, out);
    ab_platform_float_leave(floats);
    return placed ? ABUT_OK
                  : ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0,
                            "the body's pose was written in place and is not valid");
}
