#include "narrow/placed.h"

#include "math/rotation.h"
#include "shape/shape_table.h"

#include <string.h>

bool ab_placed_valid(const abut_shape *shape, const abut_pose *pose, bool plane)
{
    abut_pose copy;
    if (!pose || !abut_shape_valid(shape))
    {
        return false;
    }
    copy = *pose;
    return ab_pose_accept(&copy) && (plane ? ab_pose_in_plane(pose) : !ab_shape_row_for(shape->kind)->flat);
}

const ab_pair_table *ab_placed_table(abut_isa isa, bool plane)
{
    return plane ? ab_pair_table_plane_for(isa) : ab_pair_table_for(isa);
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
