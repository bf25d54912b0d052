// Two shapes with poses and no world: the world's own kernels, one pair at a time on the narrowest lanes. Since all
// instruction sets give the same bits, so do these calls and a world.
#include "narrow/narrow.h"

#include "base/memory.h"
#include "math/rotation.h"

#include <string.h>

// The most that one pair can give, with what kernels write past the end.
typedef struct outcome
{
    ab_manifold manifold[1 + AB_WIDEST];
    abut_point point[(1 + AB_WIDEST) * AB_MAX_POINTS];
    bool touching;
} outcome;

static bool describe(const abut_shape *shape, const abut_pose *pose, uint32_t order, ab_record *out)
{
    if (!pose || !abut_shape_valid(shape))
    {
        return false;
    }
    abut_pose accepted = *pose;
    if (!ab_pose_accept(&accepted))
    {
        return false;
    }
    ab_record_make(out, shape, &accepted, order);
    return true;
}

// The caller's first shape has the lower order, so the manifold comes out as he sees it, whichever kind is lower.
static abut_status meet(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                        float margin, outcome *out)
{
    _Alignas(AB_CACHE_LINE) ab_record record[2];
    if (!(margin >= 0.0f && margin <= ABUT_MAX_MAGNITUDE) || !describe(a, pose_a, 0, &record[0]) ||
        !describe(b, pose_b, 1, &record[1]))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const bool turned = a->kind > b->kind;
    const ab_meeting *cell = turned ? &ab_pair_table_for(ABUT_ISA_SCALAR)->cell[b->kind][a->kind]
                                    : &ab_pair_table_for(ABUT_ISA_SCALAR)->cell[a->kind][b->kind];
    if (!cell->kernel)
    {
        return ABUT_UNSUPPORTED;
    }
    const uint32_t first[AB_WIDEST] = { turned ? 1 : 0 }, second[AB_WIDEST] = { !turned };
    const ab_batch batch = { .records = record, .a = first, .b = second, .count = 1, .margin = margin };
    ab_manifolds manifolds = { .data = out->manifold, .points = out->point };
    cell->kernel(&batch, &manifolds);
    out->touching = manifolds.count != 0;
    return ABUT_OK;
}

abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                         bool *overlapping)
{
    outcome met;
    abut_status status = overlapping ? meet(a, pose_a, b, pose_b, 0.0f, &met) : ABUT_INVALID_ARGUMENT;
    if (status == ABUT_OK)
    {
        *overlapping = met.touching;
    }
    return status;
}

abut_status abut_collide(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                         float margin, abut_manifold *out)
{
    outcome met;
    abut_status status = out ? meet(a, pose_a, b, pose_b, margin, &met) : ABUT_INVALID_ARGUMENT;
    if (status != ABUT_OK)
    {
        return status;
    }
    memset(out, 0, sizeof *out);
    if (met.touching)
    {
        const ab_manifold *m = &met.manifold[0];
        out->normal = abut_vec3_make(m->normal[0], m->normal[1], m->normal[2]);
        out->separation = m->separation;
        out->point_count = m->point_count;
        memcpy(out->points, met.point + m->first_point, m->point_count * sizeof *out->points);
    }
    return ABUT_OK;
}
