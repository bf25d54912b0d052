// Validates shapes with poses and converts them to records, for calls without a world.
#include "narrow/placed.h"

#include "base/kernels.h"
#include "math/rotation.h"
#include "shape/shape_table.h"

#include <string.h>

bool ab_placed_is_sound(const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose, bool is_2d)
{
    abut_pose copy;
    if (!pose || !shape || ab_shape_objection(kinds, shape))
    {
        return false;
    }
    copy = *pose;
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    return ab_pose_accept(&copy) && (is_2d ? !row->solid && ab_pose_is_2d(pose) : !row->flat);
}

const ab_pair_table *ab_placed_table(abut_isa isa, bool is_2d)
{
    const ab_kernels *kernels = ab_kernels_for(isa);
    return is_2d ? kernels->table_2d : kernels->table;
}

void ab_placed_record(ab_record *out, const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose,
                      uint32_t order)
{
    abut_pose accepted = *pose;
    (void)ab_pose_accept(&accepted); // normalises
    ab_record_make(out, kinds, shape, &accepted, order);
}

ab_kind_set ab_pair_list_kinds(const abut_pair_list *pairs)
{
    return (ab_kind_set){ pairs->kinds, pairs->kind_count };
}

static bool kinds_valid(const abut_pair_list *pairs)
{
    if (pairs->kind_count > ABUT_MAX_KINDS || (pairs->kind_count && !pairs->kinds))
    {
        return false;
    }
    for (uint32_t i = 0; i < pairs->kind_count; ++i)
    {
        if (ab_kind_objection(&pairs->kinds[i]))
        {
            return false;
        }
    }
    return true;
}

abut_status ab_pair_list_look_over(const abut_pair_list *pairs, bool is_2d, bool parts)
{
    if (!pairs || (pairs->pair_count && !(pairs->shapes && pairs->poses && pairs->a && pairs->b)) ||
        !kinds_valid(pairs))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const ab_kind_set kinds = ab_pair_list_kinds(pairs);
    for (uint32_t i = 0; pairs->pair_count && i < pairs->shape_count; ++i)
    {
        const abut_shape *shape = &pairs->shapes[i];
        if (!ab_placed_is_sound(&kinds, shape, &pairs->poses[i], is_2d) || (!parts && ab_placed_has_parts(shape)))
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    for (uint32_t i = 0; i < pairs->pair_count; ++i)
    {
        if (pairs->a[i] >= pairs->shape_count || pairs->b[i] >= pairs->shape_count ||
            (ab_placed_only_answers(&pairs->shapes[pairs->a[i]]) &&
             ab_placed_only_answers(&pairs->shapes[pairs->b[i]])))
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    return ABUT_OK;
}

bool ab_margin_valid(float margin)
{
    return ab_size_valid(margin);
}

void ab_manifold_publish(abut_manifold *out, const ab_packed_manifold *packed, uint32_t point_count)
{
    memset(out, 0, sizeof *out);
    if (packed)
    {
        out->normal = abut_vec3_make(packed->normal[0], packed->normal[1], packed->normal[2]);
        out->separation = packed->separation;
        out->point_count = point_count;
        for (uint32_t i = 0; i < point_count; ++i)
        {
            out->points[i] = ab_packed_manifold_point(packed, i);
        }
    }
}
