#include "narrow/placed.h"

#include "math/rotation.h"

#include <string.h>

bool ab_placed_valid(const abut_shape *shape, const abut_pose *pose)
{
    abut_pose copy;
    if (!pose || !abut_shape_valid(shape))
    {
        return false;
    }
    copy = *pose;
    return ab_pose_accept(&copy);
}

void ab_placed_record(ab_record *out, const abut_shape *shape, const abut_pose *pose, uint32_t order)
{
    abut_pose accepted = *pose;
    (void)ab_pose_accept(&accepted); // normalises
    ab_record_make(out, shape, &accepted, order);
}

bool ab_margin_valid(float margin)
{
    return margin >= 0.0f && margin <= ABUT_MAX_MAGNITUDE;
}

void ab_manifold_publish(abut_manifold *out, const ab_manifold *m, const abut_point *points)
{
    memset(out, 0, sizeof *out);
    if (m)
    {
        out->normal = abut_vec3_make(m->normal[0], m->normal[1], m->normal[2]);
        out->separation = m->separation;
        out->point_count = m->point_count;
        memcpy(out->points, points + m->first_point, m->point_count * sizeof *out->points);
    }
}
