// Anchors of a world that recycles manifolds: which bodies a detect anchors anew, and how the others have moved. What
// it finds replaces the anchors only when the detect succeeds.
#include "bounds/anchors.h"
#include "base/array.h"
#include "base/platform.h"
#include "shape/shape_table.h"
#include "world/world.h"

#include <math.h>

#define NEVER_TURNS 1.0e30f // a radius for what may not turn at all
#define FEW         4u      // fewer than one of so many

// The radius of the sphere about a body's position that holds a collider's shape, as far as that turns with the body.
// Who runs the phases has marked the world busy.
static float radius_of_collider(const abut_world *world, uint32_t slot)
{
    const ab_colliders *colliders = &world->state.colliders;
    const ab_shape_row *row = ab_shape_row_for(colliders->shape[slot].kind);
    const abut_vec3 size = ab_shape_size(&world->state.kind_set, &colliders->shape[slot]);
    const float offset = colliders->local ? abut_vec3_length(colliders->local[slot].position) : 0.0f;
    const float own = row->segment ? size.x + size.y : abut_vec3_length(size);
    return row->changes ? INFINITY : row->turns ? offset + own : row->has_corners ? NEVER_TURNS : offset;
}

static float radius_of(const abut_world *world, uint32_t body)
{
    float radius = 0.0f;
    for (uint32_t at = world->state.bodies.first[body]; at != ABUT_NONE; at = world->state.colliders.next[at])
    {
        if (world->state.colliders.generation[at] != 0)
        {
            const float own = radius_of_collider(world, at);
            radius = own > radius ? own : radius;
        }
    }
    return radius;
}

// Of bodies [first, end). Radii are NaN while they are unknown.
static void find_radii(const abut_world *world, uint32_t first, uint32_t end)
{
    float *const radius = world->cache.anchoring.radius;
    for (uint32_t slot = first; slot < end; ++slot)
    {
        const bool edited = (world->state.bodies.state[slot] & AB_STATE_UNANCHORED) != 0;
        if ((edited || isnan(radius[slot])) && world->state.bodies.generation[slot] != 0)
        {
            radius[slot] = radius_of(world, slot);
        }
    }
}

// Gives every body a place in all arrays. New bodies are anchored anew, so their anchors are not read.
static bool grow(abut_world *world)
{
    ab_anchoring *a = &world->cache.anchoring;
    ab_memory *memory = &world->memory;
    const size_t count = arrlenu(world->state.bodies.pose), had = arrlenu(world->state.anchors);
    const size_t known = arrlenu(a->radius);
    if ((world->state.at_anchors && !ab_array_reserve(a->told, memory, count)) ||
        !ab_array_resize(world->state.anchors, memory, count))
    {
        return false;
    }
    for (size_t slot = had; slot < count; ++slot)
    {
        world->state.anchors[slot] = abut_pose_identity();
    }
    if (!ab_array_resize(a->radius, memory, count))
    {
        return false;
    }
    for (size_t slot = known; slot < count; ++slot)
    {
        a->radius[slot] = NAN;
    }
    return ab_array_resize(a->next, memory, count) && ab_array_resize(a->known, memory, count) &&
           (world->state.at_anchors || (ab_array_resize(a->shifts, memory, count) &&
                                        ab_array_resize(a->shifts_before, memory, AB_KEEPS_SHIFTS ? count : 0))) &&
           ab_array_resize(a->stale, memory, count) && ab_unchanged_grow(&a->unchanged, memory, count);
}

static abut_status prepare(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_anchoring *a = &world->cache.anchoring;
    if (!ab_world_recycles(world))
    {
        return ABUT_OK;
    }
    if (!grow(world))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    a->unanchored = world->state.unanchored; // of what is audited
    a->none_stands = world->state.unanchored;
    atomic_store_explicit(&a->edited, 0, memory_order_relaxed);
    atomic_store_explicit(&a->mobile, 0, memory_order_relaxed);
    atomic_store_explicit(&a->calm, 0, memory_order_relaxed);
    atomic_store_explicit(&a->standing, 0, memory_order_relaxed);
    a->partition = ab_partition_into(&world->work.granularity, arrlenu(a->radius), AB_UNCHANGED_GROUP);
    *tasks = a->partition.tasks;
    return ABUT_OK;
}

static AB_APART ab_anchor_counts find_range(abut_world *world, uint32_t task)
{
    ab_anchoring *a = &world->cache.anchoring;
    const ab_bodies *bodies = &world->state.bodies;
    const ab_anchor_in in = {
        .poses = bodies->pose,
        .anchors = world->state.anchors,
        .velocities = bodies->velocity,
        .states = bodies->state,
        .generations = bodies->generation,
        .radius = a->radius,
        .motion_mask = AB_STATE_MOTION,
        .static_motion = ABUT_STATIC,
        .asleep = AB_STATE_ASLEEP,
        .stale = AB_STATE_UNANCHORED,
        .swept = AB_STATE_CCD,
        .distance = world->state.recycle_distance,
        .horizon = world->state.horizon,
        .all = a->none_stands,
    };
    const ab_anchor_out out = { .known = a->known, .shifts = a->shifts, .anchors = a->next, .stale = a->stale };
    const uint32_t end = (uint32_t)ab_partition_end(&a->partition, task);
    uint32_t first = (uint32_t)ab_partition_first(&a->partition, task);
    ab_anchor_counts sum = { 0 };
    while ((first = ab_unchanged_skip(&a->unchanged, &in, a->known, first, end)) < end)
    {
        const uint32_t last = ab_unchanged_run(&a->unchanged, &in, a->known, first, end);
        find_radii(world, first, last);
        const ab_anchor_counts counts = world->kernels->anchors->find(&in, &out, first, last);
        ab_unchanged_note(&a->unchanged, &in, a->known, first, last);
        sum.edited += counts.edited;
        sum.mobile += counts.mobile;
        sum.calm += counts.calm;
        sum.standing += counts.standing;
        first = last;
    }
    return sum;
}

static void find(void *given, uint32_t task)
{
    abut_world *world = given;
    ab_anchoring *a = &world->cache.anchoring;
    const ab_anchor_counts counts = find_range(world, task);
    atomic_fetch_add_explicit(&a->edited, counts.edited, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->mobile, counts.mobile, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->calm, counts.calm, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->standing, counts.standing, memory_order_relaxed);
}

static bool are_few(uint64_t bodies, uint64_t mobile)
{
    return FEW * bodies < mobile;
}

// Few standing bodies save less than it costs to keep their contacts apart from the others. Where few are calm, the
// next detect will find few that stand. But contacts of bodies that come to rest stay as they are for long, so they are
// always computed as those at anchors.
static abut_status decide(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_anchoring *a = &world->cache.anchoring;
    if (ab_world_recycles(world))
    {
        const uint32_t mobile = atomic_load_explicit(&a->mobile, memory_order_relaxed),
                       calm = atomic_load_explicit(&a->calm, memory_order_relaxed),
                       standing = atomic_load_explicit(&a->standing, memory_order_relaxed);
        a->unanchored = are_few(calm, mobile) && atomic_load_explicit(&a->edited, memory_order_relaxed) == 0;
        a->none_stands = a->unanchored || standing == 0 || are_few(standing, mobile);
        *tasks = a->none_stands && standing > 0 ? a->partition.tasks : 0;
    }
    return ABUT_OK;
}

static void anchor_all(void *given, uint32_t task)
{
    (void)find_range(given, task);
}

const ab_phase ab_anchor_phases[] = { { prepare, find }, { NULL, NULL } };
const ab_phase ab_anchor_choice_phases[] = { { decide, anchor_all }, { NULL, NULL } };

const uint8_t *ab_anchors_known(const abut_world *world)
{
    return ab_world_is_anchored(world) ? world->cache.anchoring.known : NULL;
}

void ab_anchors_publish(abut_world *world)
{
    ab_anchoring *a = &world->cache.anchoring;
    uint32_t *const states = world->state.bodies.state;
    if (!ab_world_recycles(world))
    {
        return;
    }
    abut_pose *const anchors = world->state.anchors;
    world->state.unanchored = a->unanchored;
    world->state.anchors = a->next;
    world->state.anchored = (uint32_t)arrlenu(a->next);
    a->next = anchors;
    a->unchanged.side ^= 1u;
    if (AB_KEEPS_SHIFTS)
    {
        ab_shift *const shifts = a->shifts;
        a->shifts = a->shifts_before;
        a->shifts_before = shifts;
        a->before_known = true;
    }
    for (uint32_t slot = 0; slot < arrlenu(a->known); ++slot)
    {
        if (ab_unchanged_has(&a->unchanged, slot))
        {
            slot |= AB_UNCHANGED_GROUP - 1;
        }
        else if (a->known[slot] & AB_ANCHOR_MOVED)
        {
            states[slot] &= ~(uint32_t)AB_STATE_UNANCHORED;
            states[slot] |= a->stale[slot] ? AB_STATE_UNANCHORED : 0u;
        }
    }
}

static bool is_shifted(const abut_world *world, uint32_t slot)
{
    const uint32_t state = world->state.bodies.state[slot];
    return world->state.bodies.generation[slot] != 0 && (state & AB_STATE_UNANCHORED) == 0 && !ab_is_immobile(state);
}

abut_shifts abut_world_shifts(abut_world *world)
{
    if (ab_world_enter(world) != ABUT_OK || !world->state.at_anchors || world->state.anchored == 0)
    {
        return (abut_shifts){ 0 };
    }
    static const ab_shift none = { .way = { 0.0f } };
    const abut_pose *const anchors = world->state.anchors;
    abut_shift *const told = world->cache.anchoring.told; // has room for all, since they were anchored
    const uint32_t count = world->state.anchored;
    const uint64_t floats = ab_platform_float_enter();
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const ab_shift own =
            is_shifted(world, slot) ? ab_shift_between(&anchors[slot], &world->state.bodies.pose[slot]) : none;
        told[slot] = (abut_shift){ .way = { own.way[0], own.way[1], own.way[2] },
                                   .turn = { own.turn[0], own.turn[1], own.turn[2] } };
    }
    ab_platform_float_leave(floats);
    return (abut_shifts){ count, told, anchors };
}

void ab_body_unanchor(abut_world *world, uint32_t body)
{
    if (ab_world_recycles(world))
    {
        world->state.bodies.state[body] |= AB_STATE_UNANCHORED;
    }
}

void ab_world_unanchor(abut_world *world, uint32_t motions)
{
    for (uint32_t body = 0; body < arrlenu(world->state.bodies.state); ++body)
    {
        if (motions >> (world->state.bodies.state[body] & AB_STATE_MOTION) & 1u)
        {
            ab_body_unanchor(world, body);
        }
    }
}

void ab_anchoring_close(ab_anchoring *anchoring)
{
    arrfree(anchoring->next);
    arrfree(anchoring->known);
    arrfree(anchoring->shifts);
    arrfree(anchoring->shifts_before);
    arrfree(anchoring->told);
    arrfree(anchoring->stale);
    arrfree(anchoring->radius);
    arrfree(anchoring->unchanged.sides);
}
