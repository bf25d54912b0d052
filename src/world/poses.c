// Reads and writes a body's pose, velocity, motion kind, enabled state and user data; one body or many at a time.
#include "base/platform.h"
#include "math/rotation.h"
#include "world/journal.h"
#include "world/world.h"

static const char *const stale = "the handle names no live body of this world";
static const char *const null_pointer = "a pointer is NULL";

const char *ab_world_pose_fault(const abut_world *world, abut_pose *pose)
{
    if (!ab_pose_accept(pose))
    {
        return "the pose is not finite, past the limit, or its rotation is zero";
    }
    return world->state.is_2d && !ab_pose_is_2d(pose)
               ? "the world is 2D, and the pose has a z or a rotation that is not about z"
               : NULL;
}

const char *ab_world_velocity_fault(const abut_world *world, const abut_velocity *velocity)
{
    if (!ab_vec3_in_range(velocity->linear) || !ab_vec3_in_range(velocity->angular))
    {
        return "the velocity is not finite or past the limit";
    }
    return world->state.is_2d && !ab_velocity_is_2d(velocity)
               ? "the world is 2D, and the velocity leaves the xy plane or turns about x or y"
               : NULL;
}

// Checks a call's arguments. `values` are what it reads or writes.
static abut_status begin(const abut_world *world, const abut_body *bodies, const void *values, uint32_t count,
                         const char *call)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (count > 0 && (!bodies || !values))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, null_pointer);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!ab_body_live(world, bodies[i]))
        {
            return ab_fail(world, ABUT_STALE_HANDLE, call, i, stale);
        }
    }
    return ABUT_OK;
}

static bool is_immobile(const abut_world *world, uint32_t slot)
{
    return ab_is_immobile(world->state.bodies.state[slot]);
}

// Caps a count: a call may list a body more than once, but its colliders change once.
static uint32_t all_at_most(const abut_world *world, uint64_t colliders)
{
    return colliders < world->state.colliders.live ? (uint32_t)colliders : world->state.colliders.live;
}

static abut_status set_poses(abut_world *world, const abut_body *bodies, const abut_pose *poses, uint32_t count,
                             const char *call)
{
    uint64_t changed = 0; // colliders of immobile bodies
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_pose pose = poses[i];
        const char *const fault = ab_world_pose_fault(world, &pose);
        if (fault)
        {
            return ab_fail(world, ABUT_INVALID_ARGUMENT, call, i, fault);
        }
        changed += is_immobile(world, bodies[i].slot) ? ab_body_collider_count(world, bodies[i].slot) : 0;
    }
    if (changed > 0 && !ab_places_reserve(world, all_at_most(world, changed)))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t slot = bodies[i].slot;
        world->state.bodies.pose[slot] = poses[i];
        (void)ab_pose_accept(&world->state.bodies.pose[slot]);
        if (is_immobile(world, slot))
        {
            ab_body_place(world, slot);
        }
    }
    AB_WORLD_CHECK(world);
    return ABUT_OK;
}

// Validity and bounds must not depend on the caller's floating-point environment.
static abut_status set_poses_in_own_environment(abut_world *world, const abut_body *bodies, const abut_pose *poses,
                                                uint32_t count, const char *call)
{
    const abut_status begun = begin(world, bodies, poses, count, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    ab_world_float_enter(world);
    const abut_status status = set_poses(world, bodies, poses, count, call);
    ab_world_float_leave(world);
    if (status == ABUT_OK)
    {
        AB_TELL(world, .kind = AB_CHANGE_MARKED, .count = count, .bodies = bodies);
    }
    return status;
}

abut_status abut_body_set_pose(abut_world *world, abut_body body, const abut_pose *pose)
{
    return set_poses_in_own_environment(world, &body, pose, 1, "abut_body_set_pose");
}

abut_status abut_body_set_pose_many(abut_world *world, const abut_body *bodies, uint32_t count, const abut_pose *poses)
{
    return set_poses_in_own_environment(world, bodies, poses, count, "abut_body_set_pose_many");
}

static abut_status get_poses(const abut_world *world, const abut_body *bodies, uint32_t count, abut_pose *out,
                             const char *call)
{
    const abut_status begun = begin(world, bodies, out, count, call);
    for (uint32_t i = 0; begun == ABUT_OK && i < count; ++i)
    {
        out[i] = world->state.bodies.pose[bodies[i].slot];
    }
    return begun;
}

abut_status abut_body_pose(const abut_world *world, abut_body body, abut_pose *out)
{
    return get_poses(world, &body, 1, out, "abut_body_pose");
}

abut_status abut_body_pose_many(const abut_world *world, const abut_body *bodies, uint32_t count, abut_pose *out)
{
    return get_poses(world, bodies, count, out, "abut_body_pose_many");
}

static abut_status set_velocities(abut_world *world, const abut_body *bodies, const abut_velocity *velocities,
                                  uint32_t count, const char *call)
{
    const abut_status begun = begin(world, bodies, velocities, count, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    const char *fault = NULL;
    uint32_t looked_at = 0;
    const uint64_t mode = ab_platform_float_enter();
    while (looked_at < count && !fault)
    {
        fault = ab_world_velocity_fault(world, &velocities[looked_at++]);
    }
    ab_platform_float_leave(mode);
    if (fault)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, looked_at - 1, fault);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        world->state.bodies.velocity[bodies[i].slot] = velocities[i];
    }
    return ABUT_OK;
}

abut_status abut_body_set_velocity(abut_world *world, abut_body body, const abut_velocity *velocity)
{
    return set_velocities(world, &body, velocity, 1, "abut_body_set_velocity");
}

abut_status abut_body_set_velocity_many(abut_world *world, const abut_body *bodies, uint32_t count,
                                        const abut_velocity *velocities)
{
    return set_velocities(world, bodies, velocities, count, "abut_body_set_velocity_many");
}

static abut_status get_velocities(const abut_world *world, const abut_body *bodies, uint32_t count, abut_velocity *out,
                                  const char *call)
{
    const abut_status begun = begin(world, bodies, out, count, call);
    for (uint32_t i = 0; begun == ABUT_OK && i < count; ++i)
    {
        out[i] = world->state.bodies.velocity[bodies[i].slot];
    }
    return begun;
}

abut_status abut_body_velocity(const abut_world *world, abut_body body, abut_velocity *out)
{
    return get_velocities(world, &body, 1, out, "abut_body_velocity");
}

abut_status abut_body_velocity_many(const abut_world *world, const abut_body *bodies, uint32_t count,
                                    abut_velocity *out)
{
    return get_velocities(world, bodies, count, out, "abut_body_velocity_many");
}

// Replaces the bits of `mask` in the bodies' states, and updates their proxies.
static abut_status set_states(abut_world *world, const abut_body *bodies, uint32_t count, uint32_t mask, uint32_t bits,
                              const char *call)
{
    const abut_status begun = begin(world, bodies, bodies, count, call);
    if (begun != ABUT_OK)
    {
        return begun;
    }
    uint64_t colliders = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        colliders += ab_body_collider_count(world, bodies[i].slot);
    }
    if (!ab_places_reserve(world, all_at_most(world, colliders)))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t *state = &world->state.bodies.state[bodies[i].slot];
        if ((*state & mask) != bits)
        {
            *state = (*state & ~mask) | bits;
            ab_body_place(world, bodies[i].slot);
        }
    }
    AB_WORLD_CHECK(world);
    AB_TELL(world, .kind = AB_CHANGE_STATES, .count = count, .bodies = bodies, .mask = mask, .bits = bits);
    return ABUT_OK;
}

abut_status abut_body_set_motion(abut_world *world, abut_body body, abut_motion motion)
{
    static const char *const call = "abut_body_set_motion";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if ((unsigned)motion >= ABUT_MOTION_COUNT)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "there is no such motion kind");
    }
    return set_states(world, &body, 1, AB_STATE_MOTION, (uint32_t)motion, call);
}

abut_status abut_body_motion(const abut_world *world, abut_body body, abut_motion *out)
{
    const abut_status begun = begin(world, &body, out, 1, "abut_body_motion");
    if (begun == ABUT_OK)
    {
        *out = (abut_motion)(world->state.bodies.state[body.slot] & AB_STATE_MOTION);
    }
    return begun;
}

abut_status abut_body_set_enabled(abut_world *world, abut_body body, bool enabled)
{
    return set_states(world, &body, 1, AB_STATE_DISABLED, enabled ? 0u : AB_STATE_DISABLED, "abut_body_set_enabled");
}

abut_status abut_body_enabled(const abut_world *world, abut_body body, bool *out)
{
    const abut_status begun = begin(world, &body, out, 1, "abut_body_enabled");
    if (begun == ABUT_OK)
    {
        *out = (world->state.bodies.state[body.slot] & AB_STATE_DISABLED) == 0;
    }
    return begun;
}

abut_status abut_body_set_awake(abut_world *world, abut_body body, bool awake)
{
    return set_states(world, &body, 1, AB_STATE_ASLEEP, awake ? 0u : AB_STATE_ASLEEP, "abut_body_set_awake");
}

abut_status abut_body_set_awake_many(abut_world *world, const abut_body *bodies, uint32_t count, bool awake)
{
    return set_states(world, bodies, count, AB_STATE_ASLEEP, awake ? 0u : AB_STATE_ASLEEP, "abut_body_set_awake_many");
}

abut_status abut_body_awake(const abut_world *world, abut_body body, bool *out)
{
    const abut_status begun = begin(world, &body, out, 1, "abut_body_awake");
    if (begun == ABUT_OK)
    {
        *out = (world->state.bodies.state[body.slot] & AB_STATE_ASLEEP) == 0;
    }
    return begun;
}

static abut_status get_state(const abut_world *world, abut_body body, uint32_t bit, bool *out, const char *call)
{
    const abut_status begun = begin(world, &body, out, 1, call);
    if (begun == ABUT_OK)
    {
        *out = (world->state.bodies.state[body.slot] & bit) != 0;
    }
    return begun;
}

abut_status abut_body_set_ccd(abut_world *world, abut_body body, bool ccd)
{
    return set_states(world, &body, 1, AB_STATE_CCD, ccd ? AB_STATE_CCD : 0u, "abut_body_set_ccd");
}

abut_status abut_body_ccd(const abut_world *world, abut_body body, bool *out)
{
    return get_state(world, body, AB_STATE_CCD, out, "abut_body_ccd");
}

abut_status abut_body_set_ccd_all(abut_world *world, abut_body body, bool all)
{
    return set_states(world, &body, 1, AB_STATE_CCD_ALL, all ? AB_STATE_CCD_ALL : 0u, "abut_body_set_ccd_all");
}

abut_status abut_body_ccd_all(const abut_world *world, abut_body body, bool *out)
{
    return get_state(world, body, AB_STATE_CCD_ALL, out, "abut_body_ccd_all");
}

abut_status abut_body_set_user_data(abut_world *world, abut_body body, uint64_t user_data)
{
    const abut_status begun = begin(world, &body, &body, 1, "abut_body_set_user_data");
    if (begun == ABUT_OK)
    {
        world->state.bodies.user_data[body.slot] = user_data;
    }
    return begun;
}

abut_status abut_body_user_data(const abut_world *world, abut_body body, uint64_t *out)
{
    const abut_status begun = begin(world, &body, out, 1, "abut_body_user_data");
    if (begun == ABUT_OK)
    {
        *out = world->state.bodies.user_data[body.slot];
    }
    return begun;
}

abut_status abut_body_mark_moved(abut_world *world, abut_body body)
{
    static const char *const call = "abut_body_mark_moved";
    const abut_status begun = begin(world, &body, &body, 1, call);
    if (begun != ABUT_OK || !is_immobile(world, body.slot))
    {
        return begun;
    }
    if (!ab_places_reserve(world, ab_body_collider_count(world, body.slot)))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    ab_body_place(world, body.slot);
    AB_TELL(world, .kind = AB_CHANGE_MARKED, .count = 1, .bodies = &body);
    return ABUT_OK;
}
