// The time of impact of a caller's two shapes; a world sweeps its CCD bodies with the same code.
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/convex/sweep.h"
#include "narrow/placed.h"
#include "shape/shape_table.h"

#include <abut/sweep.h>

#include <string.h>

static bool sound(const abut_moving_shape *shape, bool is_2d)
{
    return shape && ab_placed_valid(NULL, &shape->shape, &shape->pose, is_2d) &&
           ab_vec3_in_range(shape->velocity.linear) && ab_vec3_in_range(shape->velocity.angular) &&
           (!is_2d || ab_velocity_is_2d(&shape->velocity));
}

// Relative to the position of a at time 0, so that accuracy does not fall with the distance from the origin.
static void make_mover(ab_mover *out, const abut_moving_shape *shape, const abut_moving_shape *a, bool is_2d)
{
    const ab_moving moving = {
        .shape = &shape->shape,
        .pose = &shape->pose,
        .velocity = &shape->velocity,
        .origin = a->pose.position,
        .is_2d = is_2d,
    };
    ab_mover_of(out, &moving);
}

static abut_impact sweep(const abut_moving_shape *a, const abut_moving_shape *b, float duration, float tolerance,
                         bool is_2d)
{
    ab_mover mover_a, mover_b;
    ab_sweep found;
    make_mover(&mover_a, a, a, is_2d);
    make_mover(&mover_b, b, a, is_2d);
    if (tolerance > 0.0f)
    {
        ab_sweep_movers(&mover_a, &mover_b, (double)duration, (double)tolerance, &found);
    }
    else
    {
        ab_sweep_to_touch(&mover_a, &mover_b, 0.0, (double)duration, &found);
    }
    if (!found.hit && !found.bound)
    {
        return (abut_impact){ 0 };
    }
    return ab_sweep_impact(&found, &mover_a);
}

static bool in_range(float x)
{
    return ab_size_valid(x);
}

// With zeros between the members, so that equal impacts are equal bytes.
static void put(const abut_impact *found, abut_impact *out)
{
    memset(out, 0, sizeof *out);
    out->hit = found->hit;
    out->time = found->time;
    out->normal = found->normal;
    out->offset = found->offset;
    out->distance = found->distance;
    out->flags = found->flags;
}

static abut_status time_of_impact(const abut_moving_shape *a, const abut_moving_shape *b, float duration,
                                  float tolerance, bool is_2d, abut_impact *out)
{
    const uint64_t before = ab_platform_float_enter(); // validation must not depend on the caller's environment either
    const bool valid = out && sound(a, is_2d) && sound(b, is_2d) && in_range(duration) && in_range(tolerance) &&
                       !(ab_placed_only_answers(&a->shape) && ab_placed_only_answers(&b->shape));
    if (valid)
    {
        const abut_impact found = sweep(a, b, duration, tolerance, is_2d);
        put(&found, out);
    }
    ab_platform_float_leave(before);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_time_of_impact(const abut_moving_shape *a, const abut_moving_shape *b, float duration, float tolerance,
                                abut_impact *out)
{
    return time_of_impact(a, b, duration, tolerance, false, out);
}

abut_status abut_time_of_impact_2d(const abut_moving_shape *a, const abut_moving_shape *b, float duration,
                                   float tolerance, abut_impact *out)
{
    return time_of_impact(a, b, duration, tolerance, true, out);
}
