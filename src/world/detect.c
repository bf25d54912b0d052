// The stages of a detect, in order. Each is a pass over arrays in a file of its own; here is only their order, their
// timing, and what is done when one of them is refused: nothing is published, and nothing observable has changed.
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

abut_status ab_world_find_bounds(abut_world *world)
{
    const ab_bounds_in in = {
        .poses = world->bodies.pose,
        .velocities = world->bodies.velocity,
        .locals = world->colliders.local,
        .growth = 0.5f * world->margin,
        .horizon = world->horizon,
    };
    return world->broad.row->update(&world->broad, &in);
}

static abut_status find_bounds(abut_world *world, float horizon)
{
    world->horizon = horizon;
    if (!settle(world) || (horizon > 0.0f && !ab_leaves_need_reach(&world->leaves, &world->memory)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    return ab_world_find_bounds(world);
}

static abut_status find_pairs(abut_world *world)
{
    return world->broad.row->pairs(&world->broad);
}

static abut_status sort_pairs(abut_world *world)
{
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
        .kinds = &world->kind_set,
        .functions = &world->function_set,
        .a = a,
        .b = b,
        .count = count,
        .margin = world->margin,
    };
}

// Runs one bucket through its kernel, a chunk at a time.
static abut_status run_cell(abut_world *world, uint32_t cell, ab_narrow_kernel *kernel)
{
    const uint32_t first = world->stream.first[cell], count = world->stream.count[cell];
    for (uint32_t done = 0; done < count; done += AB_CHUNK)
    {
        const uint32_t here = count - done < AB_CHUNK ? count - done : AB_CHUNK;
        if (!ab_manifolds_reserve(&world->manifolds, &world->memory, here))
        {
            return ABUT_OUT_OF_MEMORY;
        }
        const uint32_t at = first + done;
        const ab_batch batch = ab_world_batch(world, world->stream.a + at, world->stream.b + at, here);
        world->busy = true; // kinds and pair functions of the caller's own may be asked
        kernel(&batch, &world->manifolds);
        world->busy = false;
        if (world->manifolds.refused)
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    return ABUT_OK;
}

static abut_status find_manifolds(abut_world *world)
{
    world->manifolds.count = world->manifolds.point_count = 0;
    for (uint32_t higher = 1; higher < AB_KINDS; ++higher)
    {
        for (uint32_t lower = 1; lower <= higher; ++lower)
        {
            const uint32_t cell = ab_cell_of(lower, higher);
            const ab_meeting *meeting = &world->table->cell[lower][higher];
            const uint64_t began = ab_platform_now_ns();
            const uint32_t before = world->manifolds.count;
            const abut_status status = run_cell(world, cell, meeting->kernel);
            if (status != ABUT_OK)
            {
                return status;
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

static abut_status find_contacts(abut_world *world)
{
    const ab_contact_names names = ab_world_names(world);
    return ab_contact_store_update(&world->store, &world->memory, &world->arena, &world->manifolds, &names);
}

static void count(abut_world *world)
{
    abut_statistics *s = &world->statistics;
    const ab_results *results = &world->store.results[world->store.published];
    ++s->detects;
    s->broad = world->broad_kind;
    s->isa = world->isa;
    s->box_tests = world->broad.box_tests;
    memcpy(s->level_tests, world->broad.level_tests, sizeof s->level_tests);
    s->tree_depth = world->broad.depth;
    s->sorts = world->broad.sorts;
    s->candidates = arrlenu(world->broad.pairs);
    s->filtered = world->stream.refused;
    s->contacts = arrlenu(results->contacts);
    s->speculative = results->speculative;
    s->resting = world->store.resting.live;
    s->points = arrlenu(results->points);
    s->begun = arrlenu(results->events[ABUT_BEGIN]);
    s->ended = arrlenu(results->events[ABUT_END]);
}

static uint64_t lap(uint64_t *since)
{
    const uint64_t now = ab_platform_now_ns(), elapsed = now - *since;
    *since = now;
    return elapsed;
}

static abut_status run_stages(abut_world *world, float horizon)
{
    uint64_t *elapsed_ns = world->statistics.elapsed_ns;
    uint64_t since = ab_platform_now_ns();
    world->manifolds.refused = false;
    abut_status status = find_bounds(world, horizon);
    elapsed_ns[ABUT_STAGE_BOUNDS] = lap(&since);
    status = status == ABUT_OK ? find_pairs(world) : status;
    elapsed_ns[ABUT_STAGE_BROAD] = lap(&since);
    status = status == ABUT_OK ? sort_pairs(world) : status;
    elapsed_ns[ABUT_STAGE_PAIRS] = lap(&since);
    status = status == ABUT_OK ? find_manifolds(world) : status;
    elapsed_ns[ABUT_STAGE_NARROW] = lap(&since);
    status = status == ABUT_OK ? find_contacts(world) : status;
    elapsed_ns[ABUT_STAGE_CONTACT] = lap(&since);
    return status;
}

// Wrong input is met in the bounds pass, or in what a caller's pair function gave; the index is the body's slot.
static abut_status refuse_detect(const abut_world *world, abut_status status, const char *call)
{
    const ab_record *records = world->leaves.record;
    if (status == ABUT_INVALID_ARGUMENT && world->manifolds.refused)
    {
        return ab_refuse(world, status, call, records[world->manifolds.refused_leaf].order >> 8,
                         "a pair function gave no manifold for the body in this slot: a normal that is no unit vector, "
                         "more than 4 points, or a number that is not finite");
    }
    const bool invalid = status == ABUT_INVALID_ARGUMENT;
    return ab_refuse(world, status, call, invalid ? records[world->broad.bad_leaf].order >> 8 : 0,
                     invalid ? "the pose or velocity of the body in this slot is not valid" : abut_status_text(status));
}

abut_status ab_detect(abut_world *world, float horizon, const char *call)
{
    const abut_statistics before = world->statistics;
    const float horizon_before = world->horizon;
    const abut_status status = run_stages(world, horizon);
    if (status == ABUT_OK)
    {
        ab_world_publish(world);
        count(world);
        AB_WORLD_CHECK(world);
        return ABUT_OK;
    }
    world->statistics = before;
    world->horizon = horizon_before;
    return refuse_detect(world, status, call);
}

static bool horizon_valid(float horizon)
{
    return horizon >= 0.0f && horizon <= ABUT_MAX_MAGNITUDE;
}

abut_status abut_world_detect(abut_world *world, float horizon)
{
    static const char *const call = "abut_world_detect";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!horizon_valid(horizon))
    {
        return ab_refuse(world, ABUT_INVALID_ARGUMENT, call, 0,
                         "the horizon is negative, not finite or past the limit");
    }
    const uint64_t mode = ab_platform_float_enter();
    ab_arena_empty(&world->arena);
    const abut_status status = ab_detect(world, horizon, call);
    ab_platform_float_leave(mode);
    return status;
}

abut_status abut_world_step(abut_world *world, float dt)
{
    static const char *const call = "abut_world_step";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!isfinite(dt))
    {
        return ab_refuse(world, ABUT_INVALID_ARGUMENT, call, 0, "the time step is not finite");
    }
    const uint64_t mode = ab_platform_float_enter();
    ab_arena_empty(&world->arena);
    ab_undo undo;
    abut_status status = ab_move(world, dt, &undo, call);
    if (status == ABUT_OK)
    {
        status = ab_detect(world, 0.0f, call);
        if (status != ABUT_OK)
        {
            ab_move_undo(world, &undo);
        }
    }
    ab_platform_float_leave(mode);
    return status;
}
