// The two nearest points of two shapes, in double precision. Overlap is what abut_overlap says it is.
#include "base/platform.h"
#include "narrow/placed.h"
#include "narrow/solid.h"

static abut_vec3 narrowed(ab_point p)
{
    return abut_vec3_make((float)p.x, (float)p.y, (float)p.z);
}

static abut_closest measure(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b)
{
    const ab_point apart = ab_point_sub(ab_point_of(pose_b->position), ab_point_of(pose_a->position));
    const ab_solid solid_a = ab_solid_of(a, pose_a->rotation, (ab_point){ 0, 0, 0 });
    const ab_solid solid_b = ab_solid_of(b, pose_b->rotation, apart);
    const ab_nearest best = ab_solids_nearest(&solid_a, &solid_b);
    return (abut_closest){ (float)best.distance, narrowed(best.on_a), narrowed(best.on_b) };
}

abut_status abut_closest_points(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, abut_closest *out)
{
    abut_manifold overlap;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = abut_collide(a, pose_a, b, pose_b, 0.0f, &overlap);
    if (status == ABUT_OK && overlap.point_count)
    {
        *out = (abut_closest){ 0.0f, overlap.points[0].offset, overlap.points[0].offset };
    }
    else if (status == ABUT_OK)
    {
        const uint64_t before = ab_platform_float_enter();
        *out = measure(a, pose_a, b, pose_b);
        ab_platform_float_leave(before);
    }
    return status;
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                          float *distance)
{
    abut_closest closest;
    abut_status status = distance ? abut_closest_points(a, pose_a, b, pose_b, &closest) : ABUT_INVALID_ARGUMENT;
    if (status == ABUT_OK)
    {
        *distance = closest.distance;
    }
    return status;
}
