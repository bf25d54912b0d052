// A ray against one shape, without a world.
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/placed.h"
#include "query/query.h"
#include "query/ray_shape.h"

static abut_ray_hit cast(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags)
{
    const abut_vec3 o = ray->origin, way = ray->translation;
    ab_record record;
    ab_ray_found found;
    ab_placed_record(&record, NULL, shape, pose, 0);
    const ab_ray_target target = {
        .from = { (double)o.x - (double)record.position[0], (double)o.y - (double)record.position[1],
                  (double)o.z - (double)record.position[2] },
        .way = { (double)way.x, (double)way.y, (double)way.z },
        .record = &record,
        .shape = shape,
    };
    if (!ab_ray_test(&target, flags, &found))
    {
        return (abut_ray_hit){ .fraction = 1.0f };
    }
    double offset[3];
    ab_ray_offset(&target, &found, offset);
    return (abut_ray_hit){
        .hit = true,
        .fraction = (float)found.fraction,
        .offset = ab_query_vec3(offset),
        .normal = ab_query_vec3(found.normal),
        .flags = found.flags,
    };
}

// Validation must not depend on the caller's floating-point environment either.
static abut_status ask(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags, bool is_2d,
                       abut_ray_hit *out)
{
    const uint32_t all = ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE;
    const uint64_t floats = ab_platform_float_enter();
    const bool valid =
        ray && out && (flags & ~all) == 0 && !ab_ray_fault(ray, is_2d) && ab_placed_valid(NULL, shape, pose, is_2d);
    if (valid)
    {
        *out = cast(ray, shape, pose, flags);
    }
    ab_platform_float_leave(floats);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_ray_shape(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                           abut_ray_hit *out)
{
    return ask(ray, shape, pose, flags, false, out);
}

abut_status abut_ray_shape_2d(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                              abut_ray_hit *out)
{
    return ask(ray, shape, pose, flags, true, out);
}
