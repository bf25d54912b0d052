// Finds the velocity that moves a body from its pose to another in a given time: the inverse of abut_world_move.
#include "base/platform.h"
#include "math/rotation.h"
#include "world/world.h"

#include <math.h>

// The angle in [0, pi / 2] whose sine and cosine are in proportion to s and c, both non-negative. Halves it three times
// (tan x/2 = tan x / (1 + sqrt(1 + tan^2 x))); then its tangent is below 0.2, where eight terms of the series err by
// less than 1e-13.
static double angle_of(double s, double c)
{
    double t = s / (c + sqrt(s * s + c * c));
    t = t / (1.0 + sqrt(1.0 + t * t));
    t = t / (1.0 + sqrt(1.0 + t * t));
    const double u = t * t;
    double series = 1.0 / 15.0;
    for (int k = 13; k > 0; k -= 2)
    {
        series = 1.0 / k - u * series;
    }
    return 8.0 * t * series;
}

// The constant angular velocity that turns `from` into `to` in dt, the shorter way.
static abut_vec3 turn_rate(abut_quat from, abut_quat to, double dt)
{
    const double fx = -(double)from.x, fy = -(double)from.y, fz = -(double)from.z, fw = (double)from.w;
    const double tx = (double)to.x, ty = (double)to.y, tz = (double)to.z, tw = (double)to.w;
    const double x = tw * fx + tx * fw + ty * fz - tz * fy;
    const double y = tw * fy - tx * fz + ty * fw + tz * fx;
    const double z = tw * fz + tx * fy - ty * fx + tz * fw;
    const double w = tw * fw - tx * fx - ty * fy - tz * fz;
    const double sine = sqrt(x * x + y * y + z * z);
    if (!(sine > 0.0))
    {
        return abut_vec3_make(0.0f, 0.0f, 0.0f);
    }
    const double half = angle_of(sine, fabs(w)), rate = (w < 0.0 ? -2.0 : 2.0) * half / (sine * dt);
    return abut_vec3_make((float)(x * rate), (float)(y * rate), (float)(z * rate));
}

static float speed(float from, float to, double dt)
{
    return (float)(((double)to - (double)from) / dt);
}

// Returns what is wrong with the call, or NULL with the velocity in *out.
static const char *find_velocity(const abut_world *world, uint32_t slot, abut_pose to, float dt, abut_velocity *out)
{
    abut_pose from = world->state.bodies.pose[slot];
    const uint32_t state = world->state.bodies.state[slot];
    if (!isfinite(dt) || !(dt > 0.0f))
    {
        return "the time is not finite or not positive";
    }
    const char *const fault = ab_world_pose_fault(world, &to);
    if (fault)
    {
        return fault;
    }
    if (ab_is_immobile(state) || (state & AB_STATE_DISABLED) != 0)
    {
        return "the body is static, asleep or disabled, and does not move";
    }
    if (ab_world_pose_fault(world, &from))
    {
        return "the body's pose was written in place and is not valid";
    }
    const abut_vec3 p = from.position, q = to.position;
    const double time = (double)dt;
    out->linear = abut_vec3_make(speed(p.x, q.x, time), speed(p.y, q.y, time), speed(p.z, q.z, time));
    out->angular = turn_rate(from.rotation, to.rotation, time);
    return ab_vec3_in_range(out->linear) && ab_vec3_in_range(out->angular) ? NULL : "the speed is past the limit";
}

abut_status abut_body_move_to(abut_world *world, abut_body body, const abut_pose *pose, float dt)
{
    static const char *const call = "abut_body_move_to";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!pose)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_body_live(world, body))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, 0, "the handle names no live body of this world");
    }
    abut_velocity velocity;
    const uint64_t mode = ab_platform_float_enter();
    const char *sentence = find_velocity(world, body.slot, *pose, dt, &velocity);
    ab_platform_float_leave(mode);
    if (sentence)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, sentence);
    }
    world->state.bodies.velocity[body.slot] = velocity;
    return ABUT_OK;
}
