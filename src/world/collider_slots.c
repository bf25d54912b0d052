// The storage of colliders: their slots, their ordinals in their bodies, and their proxies in the broad phase.
#include "base/array.h"
#include "base/platform.h"
#include "math/rotation.h"
#include "shape/shape_table.h"
#include "world/world.h"

static const abut_filter default_filter = { .category = 1, .mask = UINT32_MAX, .group = 0 };

static bool is_default_filter(const abut_filter *filter)
{
    return filter->category == default_filter.category && filter->mask == default_filter.mask && filter->group == 0;
}

static bool is_identity(const abut_pose *pose)
{
    const abut_vec3 p = pose->position;
    const abut_quat q = pose->rotation;
    return p.x == 0.0f && p.y == 0.0f && p.z == 0.0f && q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f;
}

const char *ab_collider_accept(abut_world *world, abut_collider_def *def)
{
    const char *objection = ab_world_shape_objection(world, &def->shape);
    if (objection)
    {
        return objection;
    }
    if (!world->state.is_2d && ab_shape_row_for(def->shape.kind)->flat)
    {
        return "the shape is 2D, and the world is 3D";
    }
    if (world->state.is_2d && ab_shape_row_for(def->shape.kind)->solid)
    {
        return "the shape is 3D, and the world is 2D";
    }
    ab_rotation_default(&def->local.rotation);
    if (ab_world_pose_fault(world, &def->local))
    {
        return "the collider's local pose is not finite, past the limit, not 2D in a 2D world, or its rotation is zero";
    }
    if (def->flags & ~(uint32_t)(ABUT_COLLIDER_COLLIDES_WITH_NOTHING | ABUT_COLLIDER_SENSOR))
    {
        return "a flag of the collider means nothing";
    }
    def->filter.category = def->filter.category ? def->filter.category : default_filter.category;
    def->filter.mask = def->filter.mask ? def->filter.mask : default_filter.mask;
    return NULL;
}

uint32_t ab_collider_state_of(uint32_t flags)
{
    return (flags & ABUT_COLLIDER_COLLIDES_WITH_NOTHING ? AB_STATE_NOTHING : 0u) |
           (flags & ABUT_COLLIDER_SENSOR ? AB_STATE_SENSOR : 0u);
}

uint32_t ab_collider_flags_of(uint32_t state)
{
    return (state & AB_STATE_NOTHING ? ABUT_COLLIDER_COLLIDES_WITH_NOTHING : 0u) |
           (state & AB_STATE_SENSOR ? ABUT_COLLIDER_SENSOR : 0u);
}

bool ab_collider_is_placed(const abut_collider_def *def)
{
    return def->shape.kind != ABUT_SHAPE_NONE && !is_identity(&def->local);
}

#define RESERVE_(column)  ab_array_reserve(colliders->column, memory, slots) &&
#define LENGTHEN_(column) ab_array_set_length(colliders->column, slot + 1);

static bool reserve_slots(ab_colliders *colliders, ab_memory *memory, size_t slots)
{
    return AB_COLLIDER_COLUMNS(RESERVE_) ab_array_reserve(colliders->free, memory, slots) &&
           ab_array_reserve(colliders->retired, memory, slots);
}

bool ab_locals_reserve(abut_world *world, size_t slots)
{
    ab_colliders *colliders = &world->state.colliders;
    const size_t had = arrlenu(colliders->local), length = arrlenu(colliders->shape);
    if (!ab_array_reserve(colliders->local, &world->memory, slots > length ? slots : length))
    {
        return false;
    }
    ab_array_set_length(colliders->local, length);
    for (size_t i = had; i < length; ++i)
    {
        colliders->local[i] = abut_pose_identity();
    }
    return ab_proxies_need_offset(&world->cache.proxies, &world->memory);
}

bool ab_colliders_reserve(abut_world *world, uint32_t more, bool placed)
{
    ab_colliders *colliders = &world->state.colliders;
    const size_t unused = arrlenu(colliders->free), length = arrlenu(colliders->shape);
    const size_t slots = length + (more > unused ? more - unused : 0);
    return reserve_slots(colliders, &world->memory, slots) &&
           ((!placed && !colliders->local) || ab_locals_reserve(world, slots));
}

bool ab_places_reserve(abut_world *world, uint32_t colliders)
{
    const size_t slots = arrcap(world->state.colliders.shape);
    return ab_array_reserve(world->state.dirty, &world->memory, arrlenu(world->state.dirty) + colliders) &&
           ab_proxies_reserve(&world->cache.proxies, &world->memory, AB_ACTIVE, colliders, (uint32_t)slots);
}

bool ab_places_reserve_next(abut_world *world, uint32_t colliders)
{
    return ab_array_reserve(world->state.was_dirty, &world->memory, arrlenu(world->state.was_dirty) + colliders);
}

static uint32_t take_slot(ab_colliders *colliders)
{
    const size_t unused = arrlenu(colliders->free);
    if (unused > 0)
    {
        ab_array_set_length(colliders->free, unused - 1);
        return colliders->free[unused - 1];
    }
    const size_t slot = arrlenu(colliders->shape);
    AB_COLLIDER_COLUMNS(LENGTHEN_)
    if (colliders->local)
    {
        ab_array_set_length(colliders->local, slot + 1);
    }
    colliders->uses[slot] = 0;
    return (uint32_t)slot;
}

uint32_t ab_collider_free_ordinal(const abut_world *world, uint32_t body_slot)
{
    uint32_t ordinal = 0;
    for (uint32_t at = world->state.bodies.first[body_slot]; at != ABUT_NONE; at = world->state.colliders.next[at])
    {
        if ((world->state.colliders.collider_key[at] & 0xffu) != ordinal)
        {
            break;
        }
        ++ordinal;
    }
    return ordinal;
}

// Keeps a body's colliders in the order of their ordinals.
static void link_in(abut_world *world, uint32_t body_slot, uint32_t slot)
{
    uint32_t *at = &world->state.bodies.first[body_slot];
    while (*at != ABUT_NONE && world->state.colliders.collider_key[*at] < world->state.colliders.collider_key[slot])
    {
        at = &world->state.colliders.next[*at];
    }
    world->state.colliders.next[slot] = *at;
    *at = slot;
}

uint32_t ab_collider_add(abut_world *world, uint32_t body_slot, uint32_t ordinal, const abut_collider_def *def)
{
    ab_colliders *colliders = &world->state.colliders;
    const uint32_t slot = take_slot(colliders);
    colliders->shape[slot] = def->shape;
    ab_shape_retain(&def->shape);
    colliders->filter[slot] = def->filter;
    colliders->user_data[slot] = def->user_data;
    colliders->generation[slot] = ab_generation_of(world, ++colliders->uses[slot]);
    colliders->name[slot] = (ab_contact_name){ { body_slot, world->state.bodies.generation[body_slot] },
                                               { slot, colliders->generation[slot] } };
    colliders->state[slot] = ab_collider_state_of(def->flags);
    colliders->collider_key[slot] = body_slot << 8 | ordinal;
    if (colliders->local)
    {
        colliders->local[slot] = def->local;
    }
    world->cache.proxies.proxy_of[slot] = ABUT_NONE;
    link_in(world, body_slot, slot);
    ++colliders->live;
    ab_collider_changed(world, slot);
    return slot;
}

// Removes a collider's proxy. If it was in the static set, its body is recorded as woken: pairs with it need a look.
static void remove_proxy(abut_world *world, uint32_t slot)
{
    const uint32_t proxy = world->cache.proxies.proxy_of[slot];
    if (ab_proxies_set_of(&world->cache.proxies, proxy) == AB_STATIC_SET)
    {
        const size_t count = arrlenu(world->state.woken);
        ab_array_set_length(world->state.woken, count + 1);
        world->state.woken[count] = world->state.colliders.collider_key[slot] >> 8;
    }
    ab_proxies_remove(&world->cache.proxies, proxy);
}

void ab_collider_end(abut_world *world, uint32_t slot)
{
    ab_colliders *colliders = &world->state.colliders;
    if (world->cache.proxies.proxy_of[slot] != ABUT_NONE)
    {
        remove_proxy(world, slot);
    }
    ab_body_unanchor(world, colliders->collider_key[slot] >> 8);
    colliders->generation[slot] = 0;
    ab_shape_release(&colliders->shape[slot]);
    --colliders->live;
    ab_collider_changed(world, slot);
    const size_t count = arrlenu(colliders->retired);
    ab_array_set_length(colliders->retired, count + 1);
    colliders->retired[count] = slot;
}

// An immobile body is not swept.
static bool is_swept(uint32_t state)
{
    return (state & AB_STATE_CCD) != 0 && !ab_is_immobile(state);
}

ab_proxy_def ab_collider_describe(const abut_world *world, uint32_t slot)
{
    const ab_colliders *colliders = &world->state.colliders;
    const abut_shape *shape = &colliders->shape[slot];
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const abut_vec3 size = ab_shape_size(&world->state.kind_set, shape);
    const uint32_t collider_key = colliders->collider_key[slot], body = collider_key >> 8;
    const bool placed = colliders->local && !is_identity(&colliders->local[slot]);
    return (ab_proxy_def){
        .collider = slot,
        .collider_key = collider_key,
#ifndef AB_SMALL
        .name = colliders->name[slot],
#endif
        .proxy_flags =
            (uint32_t)shape->kind << 2 | (world->state.bodies.state[body] & AB_STATE_MOTION) |
            (ab_is_immobile(world->state.bodies.state[body]) ? AB_PROXY_IMMOBILE : 0u) |
            (row->turns ? AB_PROXY_TURNS : 0u) | (row->segment ? AB_PROXY_SEGMENT : 0u) |
            (row->points ? AB_PROXY_POINTS : 0u) | (row->sized && !world->state.is_2d ? AB_PROXY_SIZED : 0u) |
            (is_swept(world->state.bodies.state[body]) ? AB_PROXY_CCD : 0u) | (placed ? AB_PROXY_PLACED : 0u) |
            (is_default_filter(&colliders->filter[slot]) ? 0u : AB_PROXY_FILTERED) |
            (colliders->state[slot] & AB_STATE_SENSOR ? AB_PROXY_SENSOR : 0u) |
            (ab_exclusions_concern(&world->state.rules.exclusions, body) ? AB_PROXY_EXCLUDED : 0u),
        .half = { size.x, size.y, world->state.is_2d ? 0.0f : size.z },
        .position = world->state.bodies.pose[body].position,
    };
}

static void mark_dirty(abut_world *world, uint32_t slot)
{
    if ((world->state.colliders.state[slot] & AB_STATE_DIRTY) == 0)
    {
        world->state.colliders.state[slot] |= AB_STATE_DIRTY;
        const size_t count = arrlenu(world->state.dirty);
        ab_array_set_length(world->state.dirty, count + 1);
        world->state.dirty[count] = slot;
    }
}

static void place(abut_world *world, uint32_t slot)
{
    const uint32_t body = world->state.colliders.collider_key[slot] >> 8, proxy = world->cache.proxies.proxy_of[slot];
    const bool collides = ((world->state.bodies.state[body] & AB_STATE_DISABLED) |
                           (world->state.colliders.state[slot] & AB_STATE_NOTHING)) == 0;
    world->state.colliders.edited[slot] = world->state.colliders_edited = ab_next_detect(world);
    ab_body_unanchor(world, body);
    ab_collider_changed(world, slot);
    if (proxy != ABUT_NONE && collides && ab_proxies_set_of(&world->cache.proxies, proxy) == AB_ACTIVE)
    {
        const ab_proxy_def description = ab_world_describe(world, slot);
        ab_proxies_describe(&world->cache.proxies, proxy, &description);
    }
    else
    {
        if (proxy != ABUT_NONE)
        {
            remove_proxy(world, slot);
        }
        if (collides)
        {
            const ab_proxy_def description = ab_world_describe(world, slot);
            ab_proxies_append(&world->cache.proxies, AB_ACTIVE, &description);
        }
    }
    world->cache.sensors_placed += collides && (world->state.colliders.state[slot] & AB_STATE_SENSOR) != 0 &&
                                   !is_default_filter(&world->state.colliders.filter[slot]);
    if (collides && ab_is_immobile(world->state.bodies.state[body]))
    {
        mark_dirty(world, slot);
    }
}

// A proxy must not depend on the caller's floating-point environment.
void ab_collider_place(abut_world *world, uint32_t slot)
{
    const uint64_t mode = ab_platform_float_enter();
    place(world, slot);
    ab_platform_float_leave(mode);
}

void ab_body_place(abut_world *world, uint32_t body_slot)
{
    for (uint32_t at = world->state.bodies.first[body_slot]; at != ABUT_NONE; at = world->state.colliders.next[at])
    {
        if (world->state.colliders.generation[at] != 0)
        {
            ab_collider_place(world, at);
        }
    }
}

uint32_t ab_body_collider_count(const abut_world *world, uint32_t body_slot)
{
    uint32_t count = 0;
    for (uint32_t at = world->state.bodies.first[body_slot]; at != ABUT_NONE; at = world->state.colliders.next[at])
    {
        count += world->state.colliders.generation[at] != 0;
    }
    return count;
}
