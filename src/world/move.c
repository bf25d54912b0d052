// Moves bodies along their velocities. Keeps the old poses until the step has succeeded.
#include "base/array.h"
#include "base/platform.h"
#include "math/rotation.h"
#include "world/journal.h"
#include "world/world.h"

#include <math.h>

// False when the pose or velocity is invalid, or the body would leave the range.
static bool advance(const abut_world *world, abut_pose *pose, const abut_velocity *velocity, float dt)
{
    abut_pose accepted = *pose;
    if (ab_world_pose_fault(world, &accepted) || ab_world_velocity_fault(world, velocity))
    {
        return false;
    }
    return ab_pose_move(pose, velocity, dt);
}

static bool stands(const abut_velocity *velocity)
{
    const abut_vec3 v = velocity->linear, w = velocity->angular;
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f && w.x == 0.0f && w.y == 0.0f && w.z == 0.0f;
}

static bool moves(const ab_bodies *bodies, uint32_t slot)
{
    const uint32_t state = bodies->state[slot];
    return bodies->generation[slot] != 0 && (state & AB_STATE_DISABLED) == 0 && !ab_is_immobile(state) &&
           !stands(&bodies->velocity[slot]);
}

// A range of slots; on a cache line of its own.
typedef struct ab_move_part
{
    _Alignas(AB_CACHE_LINE) uint32_t first; // slot, and index in the undo
    uint32_t end;
    uint32_t count; // moved
    bool invalid;   // the last of them failed
} ab_move_part;

static void undo_part(abut_world *world, const ab_undo *undo, const ab_move_part *part)
{
    for (uint32_t i = part->first; i < part->first + part->count; ++i)
    {
        world->state.bodies.pose[undo->slots[i]] = undo->poses[i];
    }
}

void ab_move_undo(abut_world *world, const ab_undo *undo)
{
    for (uint32_t i = 0; i < undo->parts; ++i)
    {
        undo_part(world, undo, &undo->part[i]);
    }
}

typedef struct moving
{
    abut_world *world;
    ab_undo *undo;
    float dt;
} moving;

// Small builds look at each slot.
#ifdef AB_SMALL
#define skip_standing(bodies, part, slot) (slot)
#else
#define AT_ONCE 256u // slots

// Whether a body of some slots may move, by their states alone. Without branches, so that compilers take several at
// once.
static bool some_may_move(const ab_bodies *bodies, uint32_t first, uint32_t end)
{
    const uint32_t *state = bodies->state;
    uint32_t some = 0;
    for (uint32_t slot = first; slot < end; ++slot)
    {
        some |= (state[slot] & (AB_STATE_ASLEEP | AB_STATE_DISABLED)) == 0 &&
                (state[slot] & AB_STATE_MOTION) != ABUT_STATIC;
    }
    return some != 0;
}

// The next slot to look at, from one on: a level may have a thousand bodies that stand for each that moves.
static uint32_t skip_standing(const ab_bodies *bodies, const ab_move_part *part, uint32_t slot)
{
    while (slot < part->end && (slot - part->first) % AT_ONCE == 0)
    {
        const uint32_t end = part->end - slot < AT_ONCE ? part->end : slot + AT_ONCE;
        if (some_may_move(bodies, slot, end))
        {
            return slot;
        }
        slot = end;
    }
    return slot;
}
#endif

static void move_part(void *given, uint32_t task)
{
    const moving *m = given;
    const ab_bodies *bodies = &m->world->state.bodies;
    ab_undo *undo = m->undo;
    ab_move_part *part = &undo->part[task];
    uint32_t at = part->first;
    for (uint32_t slot = skip_standing(bodies, part, part->first); slot < part->end && !part->invalid;
         slot = skip_standing(bodies, part, slot + 1))
    {
        if (moves(bodies, slot))
        {
            undo->slots[at] = slot;
            undo->poses[at++] = bodies->pose[slot];
            part->invalid = !advance(m->world, &bodies->pose[slot], &bodies->velocity[slot], m->dt);
        }
    }
    part->count = at - part->first;
}

static bool take_undo(abut_world *world, ab_undo *undo, const ab_partition *partition)
{
    undo->parts = partition->tasks;
    undo->slots = ab_arena_take(&world->work.arena, (partition->count + 1) * sizeof *undo->slots);
    undo->poses = ab_arena_take(&world->work.arena, (partition->count + 1) * sizeof *undo->poses);
    undo->part = ab_arena_take(&world->work.arena, (partition->tasks + (size_t)1) * sizeof *undo->part);
    for (uint32_t i = 0; i < partition->tasks && undo->part; ++i)
    {
        undo->part[i] = (ab_move_part){ .first = (uint32_t)ab_partition_first(partition, i),
                                        .end = (uint32_t)ab_partition_end(partition, i) };
    }
    return undo->slots && undo->poses && undo->part;
}

abut_status ab_move(abut_world *world, float dt, ab_undo *undo, const char *call)
{
    if (!isfinite(dt))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "the time step is not finite");
    }
    ab_arena_empty(&world->work.arena);
    const uint64_t began = ab_platform_now_ns();
    const ab_partition partition = ab_partition_into(&world->work.granularity, arrlenu(world->state.bodies.pose), 1);
    if (!take_undo(world, undo, &partition))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    moving m = { world, undo, dt };
    ab_pool_run(world->pool, move_part, &m, partition.tasks);
    for (uint32_t i = 0; i < partition.tasks; ++i)
    {
        const ab_move_part *part = &undo->part[i];
        if (part->invalid)
        {
            const uint32_t slot = undo->slots[part->first + part->count - 1];
            ab_move_undo(world, undo);
            return ab_fail(world, ABUT_INVALID_ARGUMENT, call, slot,
                           "a body's pose or velocity is not valid, or would carry it past the limit");
        }
    }
    world->statistics.elapsed_ns[ABUT_STAGE_MOVE] = ab_platform_now_ns() - began;
    return ABUT_OK;
}

abut_status abut_world_move(abut_world *world, float dt)
{
    static const char *const call = "abut_world_move";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    AB_TELL(world, .kind = AB_CHANGE_BEGINS, .bits = AB_RUNNING_MOVE, .seconds = dt);
    ab_world_float_enter(world);
    ab_undo undo;
    const abut_status status = ab_move(world, dt, &undo, call);
    ab_world_float_leave(world);
    AB_TELL(world, .kind = AB_CHANGE_ENDS, .bits = AB_RUNNING_MOVE, .status = status);
    return status;
}
