// Puts the bodies, colliders and proxies of a checked image into a world, in room that was reserved. Nothing here can
// fail.
#include "base/array.h"
#include "shape/shape_table.h"
#include "state/restore.h"

#include <string.h>

ab_static_proxy ab_static_proxy_of(const ab_saved_static *saved)
{
    ab_static_proxy saved_static;
    memset(&saved_static, 0, sizeof saved_static); // compared as bytes
    memcpy(&saved_static.record, saved->record, sizeof saved->record);
    memcpy(&saved_static.aabb.min, saved->min, sizeof saved->min);
    memcpy(&saved_static.aabb.max, saved->max, sizeof saved->max);
    memcpy(&saved_static.offset, saved->offset, sizeof saved->offset);
    saved_static.reach = saved->reach;
    return saved_static;
}

static void take_list(uint32_t *list, ab_section section)
{
    ab_array_set_length(list, (size_t)section.count);
    if (section.count > 0)
    {
        memcpy(list, section.data, (size_t)section.count * sizeof *list);
    }
}

static bool has_geometry(uint32_t kind)
{
    return ab_shape_row_for((abut_shape_kind)kind)->geometry != NULL;
}

// Shapes of the image are retained before those of the world are released: both may point to one geometry.
static void exchange_geometry(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                              const abut_registry *registry)
{
    const ab_saved_collider *saved = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        if ((scratch->collider[slot] & (AB_SLOT_MASK | AB_SLOT_SAME)) == AB_SLOT_LIVE &&
            has_geometry(saved[slot].shape.kind))
        {
            const abut_shape shape = ab_shape_unpack(&saved[slot].shape, registry);
            ab_shape_retain(&shape);
        }
    }
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const bool same = slot < AB_SAVED_COUNT(image, COLLIDERS) && (scratch->collider[slot] & AB_SLOT_SAME) != 0;
        if (!same && world->state.colliders.generation[slot] != 0 &&
            has_geometry((uint32_t)world->state.colliders.shape[slot].kind))
        {
            ab_shape_release(&world->state.colliders.shape[slot]);
        }
    }
}

static void remove_proxies(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const uint32_t proxy = world->cache.proxies.proxy_of[slot];
        const bool kept = slot < AB_SAVED_COUNT(image, COLLIDERS) && (scratch->collider[slot] & AB_SLOT_STAYS) != 0;
        if (proxy != ABUT_NONE && !kept)
        {
            ab_proxies_remove(&world->cache.proxies, proxy);
        }
    }
}

#define BODY_LENGTH_(column) ab_array_set_length(bodies->column, count);

static void take_bodies(abut_world *world, const ab_image *image)
{
    ab_bodies *bodies = &world->state.bodies;
    const ab_saved_body *saved = AB_SAVED(image, BODIES, ab_saved_body);
    const uint32_t count = AB_SAVED_COUNT(image, BODIES);
    AB_BODY_COLUMNS(BODY_LENGTH_)
    bodies->live = 0;
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const bool live = (saved[slot].state & AB_SAVED_LIVE) != 0;
        bodies->uses[slot] = saved[slot].uses;
        bodies->state[slot] = saved[slot].state & ~(uint32_t)AB_SAVED_LIVE;
        bodies->generation[slot] = live ? ab_generation_of(world, saved[slot].uses) : 0;
        bodies->first[slot] = ABUT_NONE;
        bodies->live += live;
    }
    take_list(bodies->free, image->section[AB_SECTION_BODIES_FREE]);
    take_list(bodies->retired, image->section[AB_SECTION_BODIES_RETIRED]);
}

#define COLLIDER_LENGTH_(column) ab_array_set_length(colliders->column, count);

static void take_colliders(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                           const abut_registry *registry)
{
    ab_colliders *colliders = &world->state.colliders;
    const ab_saved_collider *saved = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    const abut_pose *locals = AB_SAVED(image, LOCALS, abut_pose);
    const uint32_t count = AB_SAVED_COUNT(image, COLLIDERS);
    if (AB_SLOT_SAME != 0 && count > 0 && count != arrlenu(colliders->generation))
    {
        ab_collider_changed(world, count - 1); // their number has changed, at least
    }
    AB_COLLIDER_COLUMNS(COLLIDER_LENGTH_)
    if (colliders->local)
    {
        ab_array_set_length(colliders->local, count);
    }
    colliders->live = 0;
    world->cache.some_refiltered = true;
    const uint32_t *states = AB_SAVED(image, COLLIDER_STATES, uint32_t);
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const bool live = (scratch->collider[slot] & AB_SLOT_MASK) == AB_SLOT_LIVE;
        colliders->next[slot] = ABUT_NONE;
        colliders->live += live;
        if (colliders->local)
        {
            colliders->local[slot] = locals ? locals[slot] : abut_pose_identity();
        }
        if ((scratch->collider[slot] & AB_SLOT_SAME) != 0)
        {
            continue;
        }
        ab_collider_changed(world, slot);
        colliders->shape[slot] = ab_shape_unpack(&saved[slot].shape, registry);
        colliders->filter[slot] = saved[slot].filter;
        colliders->uses[slot] = saved[slot].uses;
        colliders->state[slot] = states[slot] & ~(uint32_t)(AB_SAVED_LIVE | AB_SAVED_STATIC);
        colliders->collider_key[slot] = saved[slot].collider_key;
        colliders->edited[slot] = saved[slot].edited;
        colliders->generation[slot] = live ? ab_generation_of(world, saved[slot].uses) : 0;
        colliders->name[slot] = scratch->names[slot];
    }
    take_list(colliders->free, image->section[AB_SECTION_COLLIDERS_FREE]);
    take_list(colliders->retired, image->section[AB_SECTION_COLLIDERS_RETIRED]);
}

// Links the colliders of each live body in the order of their ordinals: the sorted list backwards.
static void link_colliders(abut_world *world, const ab_image_scratch *scratch)
{
    for (uint32_t i = scratch->linked_count; i-- > 0;)
    {
        const uint32_t slot = (uint32_t)scratch->linked[i].payload,
                       body = world->state.colliders.collider_key[slot] >> 8;
        world->state.colliders.next[slot] = world->state.bodies.first[body];
        world->state.bodies.first[body] = slot;
    }
}

static void take_exclusions(abut_world *world, const ab_image *image)
{
    const ab_saved_exclusion *saved = AB_SAVED(image, EXCLUSIONS, ab_saved_exclusion);
    ab_exclusions_clear(&world->state.rules.exclusions);
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, EXCLUSIONS); ++i)
    {
        ab_exclusions_put(&world->state.rules.exclusions, saved[i].body_a, saved[i].body_b, saved[i].times);
    }
}

// Describing a static proxy writes its present position: its record follows.
static void take_proxies(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    const ab_saved_static *saved = AB_SAVED(image, STATIC, ab_saved_static);
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        const ab_set wanted = ab_saved_set(image, scratch, slot);
        if (wanted == AB_SET_COUNT)
        {
            continue;
        }
        if (ab_mark_is_kept(scratch->collider[slot]))
        {
            if (wanted == AB_STATIC_SET)
            {
                ++saved;
            }
            continue;
        }
        const ab_proxy_def description = ab_world_describe(world, slot);
        uint32_t proxy = world->cache.proxies.proxy_of[slot];
        if (proxy == ABUT_NONE)
        {
            proxy = ab_proxies_append(&world->cache.proxies, wanted, &description);
        }
        else
        {
            ab_proxies_describe(&world->cache.proxies, proxy, &description);
        }
        if (ab_saved_is_static(image, scratch, slot))
        {
            const ab_static_proxy saved_static = ab_static_proxy_of(saved++);
            ab_proxies_set_static(&world->cache.proxies, proxy, &saved_static);
        }
    }
    take_list(world->state.woken, image->section[AB_SECTION_WOKEN]);
    take_list(world->state.dirty, image->section[AB_SECTION_DIRTY]);
    take_list(world->state.was_dirty, image->section[AB_SECTION_WAS_DIRTY]);
}

static void take_column(void *column, ab_section section, size_t element)
{
    if (section.count > 0)
    {
        memcpy(column, section.data, (size_t)section.count * element);
    }
}

// What may change from frame to frame.
static void take_columns(abut_world *world, const ab_image *image)
{
    const ab_bodies *bodies = &world->state.bodies;
    const ab_section *section = image->section;
    take_column(bodies->pose, section[AB_SECTION_POSES], sizeof *bodies->pose);
    ab_array_set_length(world->state.anchors, (size_t)section[AB_SECTION_ANCHORS].count);
    take_column(world->state.anchors, section[AB_SECTION_ANCHORS], sizeof *world->state.anchors);
    world->state.anchored = (uint32_t)section[AB_SECTION_ANCHORS].count;
    ab_array_set_length(world->cache.anchoring.radius, 0);          // of other shapes
    ab_array_set_length(world->cache.anchoring.unchanged.sides, 0); // and other anchors
    world->cache.anchoring.before_known = false;
    take_column(bodies->velocity, section[AB_SECTION_VELOCITIES], sizeof *bodies->velocity);
    take_column(bodies->user_data, section[AB_SECTION_BODY_DATA], sizeof *bodies->user_data);
    take_column(world->state.colliders.user_data, section[AB_SECTION_COLLIDER_DATA],
                sizeof *world->state.colliders.user_data);
}

static void take_slots(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                       const abut_registry *registry)
{
    exchange_geometry(world, image, scratch, registry);
    remove_proxies(world, image, scratch);
    take_bodies(world, image);
    take_colliders(world, image, scratch, registry);
    take_columns(world, image);
    link_colliders(world, scratch);
    take_exclusions(world, image);
    take_proxies(world, image, scratch);
}

static void take_settings(abut_world *world, const ab_image *image)
{
    const ab_saved_settings *s = AB_SAVED(image, SETTINGS, ab_saved_settings);
    world->state.tag = s->tag;
    world->state.first_generation = s->first_generation;
    world->state.rules_edited = s->rules_edited;
    world->state.colliders_edited = s->colliders_edited;
    world->state.horizon = s->horizon;
    world->state.unanchored = (s->anchoring & AB_SAVED_UNANCHORED) != 0;
    for (uint32_t bit = 0; bit < ABUT_MOTION_COUNT * ABUT_MOTION_COUNT; ++bit)
    {
        const abut_motion a = (abut_motion)(bit / ABUT_MOTION_COUNT), b = (abut_motion)(bit % ABUT_MOTION_COUNT);
        const bool collides = (s->collides >> bit & 1u) != 0;
        if (world->state.rules.motions_collide[a][b] != collides)
        {
            ab_pair_rules_set(&world->state.rules, a, b, collides);
        }
    }
}

void ab_restore_take(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                     const abut_registry *registry, bool kept, const ab_read_results *read)
{
    take_settings(world, image);
    if (kept)
    {
        take_columns(world, image);
    }
    else
    {
        take_slots(world, image, scratch, registry);
    }
    world->cache.broad.unindexed = true; // the image contains no trees over the proxies
    ab_restore_results(world, image, scratch, read);
    ab_world_count_results(world);
    world->state.detects = AB_SAVED(image, SETTINGS, ab_saved_settings)->detects;
}
