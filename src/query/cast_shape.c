// What a cast makes of a sweep's result.
#include "query/cast_shape.h"

#include "math/rotation.h"

#include <string.h>

const char *ab_cast_fault(const abut_cast *cast, bool is_2d)
{
    if (!ab_vec3_in_range(cast->translation) || !ab_vec3_in_range(cast->rotation))
    {
        return "the cast is not finite or past the limit";
    }
    return is_2d && (cast->translation.z != 0.0f || cast->rotation.x != 0.0f || cast->rotation.y != 0.0f)
               ? "the world is 2D, and the cast leaves the xy plane"
               : NULL;
}

void ab_cast_mover(ab_mover *out, const abut_cast *cast, const abut_pose *pose, const ab_kind_set *kinds, bool is_2d)
{
    const abut_velocity velocity = { .linear = cast->translation, .angular = cast->rotation };
    const ab_moving moving = { .kinds = kinds,
                               .shape = &cast->shape,
                               .pose = pose,
                               .velocity = &velocity,
                               .origin = pose->position,
                               .is_2d = is_2d };
    ab_mover_of(out, &moving);
}

bool ab_cast_test(const ab_mover *mover, const ab_convex *standing, uint32_t flags, ab_cast_found *out)
{
    ab_mover other = { .start = *standing };
    ab_sweep sweep;
    memcpy(other.pivot, standing->centre, sizeof other.pivot);
#ifdef AB_MESHES
    uint32_t child;
    ab_sweep_shapes(mover, &other, 1.0, (flags & ABUT_QUERY_SKIP_INSIDE) == 0, &sweep, &child);
#else
    const uint32_t child = 0;
    ab_sweep_movers(mover, &other, 1.0, ab_sweep_tolerance(mover, &other), &sweep);
#endif
    if (!(sweep.hit || sweep.bound) || (sweep.initial && (flags & ABUT_QUERY_SKIP_INSIDE)))
    {
        return false;
    }
    const abut_impact impact = ab_sweep_impact(&sweep, mover);
    *out = (ab_cast_found){
        .fraction = (double)impact.time,
        .depth = sweep.initial ? -sweep.distance : 0.0,
        .flags = (sweep.initial ? ABUT_HIT_INSIDE : 0u) | (sweep.bound ? ABUT_HIT_BOUND : 0u),
        .child = child,
    };
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = -sweep.normal[k];
        out->at[k] = sweep.on_b[k];
    }
    return true;
}
