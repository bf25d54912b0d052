// The stages of a detect, in order: passes over arrays in files of their own, each cut into phases. Here is only their order,
// and what the world hands to each.
#include "base/array.h"
#include "base/platform.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// Quiet colliders that were active for one detect without further change go to the still ones.
static bool settle(abut_world *world)
{
    const ab_colliders *colliders = &world->colliders;
    const uint32_t count = (uint32_t)arrlenu(world->seen);
    if (count == 0)
    {
        return true;
    }
    const size_t still = world->leaves.region[AB_STILL].live + (size_t)count;
    if (!ab_leaves_reserve(&world->leaves, &world->memory, AB_STILL, count, (uint32_t)arrlenu(colliders->shape)) ||
        !ab_array_reserve(world->stirred, &world->memory, arrlenu(world->stirred) + still))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t slot = world->seen[i], leaf = world->leaves.leaf_of[slot];
        const bool lasts = colliders->life[slot] != 0 && leaf != ABUT_NONE &&
                           (colliders->state[slot] & AB_STATE_FRESH) == 0 &&
                           ab_is_quiet(world->bodies.state[colliders->order[slot] >> 8]);
        if (lasts && ab_leaves_set_of(&world->leaves, leaf) == AB_ACTIVE)
        {
            ab_leaves_settle(&world->leaves, leaf);
        }
    }
    ab_array_set_length(world->seen, 0);
    return true;
}

static ab_bounds_in bounds_in(const abut_world *world)
{
    return (ab_bounds_in){
        .poses = world->bodies.pose,
        .velocities = world->bodies.velocity,
        .locals = world->colliders.local,
        .growth = 0.5f * world->margin,
        .horizon = world->horizon,
    };
}

abut_status ab_world_find_bounds(abut_world *world)
{
    const ab_bounds_in in = bounds_in(world);
    return ab_broad_update(&world->broad, &in);
}

static abut_status prepare_bounds(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    (void)tasks;
    const bool looks_ahead = world->horizon > 0.0f;
    if (!settle(world) || (looks_ahead && !ab_leaves_need_reach(&world->leaves, &world->memory)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    world->broad.in = bounds_in(world);
    return ABUT_OK;
}

static abut_status sort_pairs(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    (void)tasks;
    return ab_pair_stream_run(&world->stream, &world->memory, &world->rules, &world->leaves, world->colliders.filter,
                              world->broad.pairs, world->scatter);
}

ab_batch ab_world_batch(const abut_world *world, const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return (ab_batch){
        .records = world->leaves.record,
        .offsets = world->leaves.offset,
        .reach = world->horizon > 0.0f ? world->leaves.reach : NULL,
        .colliders = world->leaves.collider,
        .shapes = world->colliders.shape,
        .a = a,
        .b = b,
        .count = count,
        .margin = world->margin,
    };
}

// Runs one bucket through its kernel, a chunk at a time.
static bool run_cell(abut_world *world, uint32_t cell, ab_narrow_kernel *kernel)
{
    const uint32_t first = world->stream.first[cell], count = world->stream.count[cell];
    for (uint32_t done = 0; done < count; done += AB_CHUNK)
    {
        const uint32_t here = count - done < AB_CHUNK ? count - done : AB_CHUNK;
        if (!ab_manifolds_reserve(&world->manifolds, &world->memory, here))
        {
            return false;
        }
        const uint32_t at = first + done;
        const ab_batch batch = ab_world_batch(world, world->stream.a + at, world->stream.b + at, here);
        kernel(&batch, &world->manifolds);
    }
    return true;
}

static abut_status find_manifolds(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    (void)tasks;
    world->manifolds.count = world->manifolds.point_count = 0;
    for (uint32_t higher = 1; higher < AB_KINDS; ++higher)
    {
        for (uint32_t lower = 1; lower <= higher; ++lower)
        {
            const uint32_t cell = ab_cell_of(lower, higher);
            const ab_meeting *meeting = &world->table->cell[lower][higher];
            const uint64_t began = ab_platform_now_ns();
            const uint32_t before = world->manifolds.count;
            if (!run_cell(world, cell, meeting->kernel))
            {
                return ABUT_OUT_OF_MEMORY;
            }
            world->statistics.meetings[cell] = (abut_meeting_statistics){
                .name = meeting->name,
                .pairs = world->stream.count[cell],
                .touching = world->manifolds.count - before,
                .elapsed_ns = ab_platform_now_ns() - began,
            };
        }
    }
    return ABUT_OK;
}

ab_contact_names ab_world_names(const abut_world *world)
{
    return (ab_contact_names){
        .leaves = &world->leaves,
        .stirred = world->stirred,
        .stirred_count = (uint32_t)arrlenu(world->stirred),
        .body_lives = world->bodies.life,
        .user_data = world->bodies.user_data,
        .collider_lives = world->colliders.life,
        .body_slots = (uint32_t)arrlenu(world->bodies.life),
        .margin = world->horizon > 0.0f ? world->margin : INFINITY,
    };
}

static abut_status find_contacts(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    (void)tasks;
    const ab_contact_names names = ab_world_names(world);
    return ab_contact_store_update(&world->store, &world->memory, &world->arena, &world->manifolds, &names);
}

static const ab_phase bounds_phases[] = { { prepare_bounds, NULL }, { NULL, NULL } };
static const ab_phase pair_phases[] = { { sort_pairs, NULL }, { NULL, NULL } };
static const ab_phase narrow_phases[] = { { find_manifolds, NULL }, { NULL, NULL } };
static const ab_phase contact_phases[] = { { find_contacts, NULL }, { NULL, NULL } };

bool ab_world_pass(abut_world *world, uint32_t which, ab_pass *out)
{
    const ab_pass passes[] = {
        { ABUT_STAGE_BOUNDS, bounds_phases, world },
        { ABUT_STAGE_BOUNDS, ab_broad_update_phases(&world->broad), &world->broad },
        { ABUT_STAGE_BROAD, ab_broad_pairs_phases(&world->broad), &world->broad },
        { ABUT_STAGE_PAIRS, pair_phases, world },
        { ABUT_STAGE_NARROW, narrow_phases, world },
        { ABUT_STAGE_CONTACT, contact_phases, world },
    };
    if (which >= sizeof passes / sizeof *passes)
    {
        return false;
    }
    *out = passes[which];
    return true;
}
