// Remembering where a manifold was computed. The sums are written in the order of the recycling kernel's, so that a pair that
// has not moved is seen not to have moved by a single bit.
#include "narrow/recycle.h"

static abut_vec3 vector_at(const float *three)
{
    return abut_vec3_make(three[0], three[1], three[2]);
}

// v in the axes of a record.
static void to_axes(float out[3], const ab_record *record, abut_vec3 v)
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = abut_vec3_dot(vector_at(&record->axis[3 * k]), v);
    }
}

void ab_reference_make(ab_reference *out, const ab_leaves *leaves, const ab_patch *patch, uint32_t point_count)
{
    const uint32_t leaf_a = patch->leaf_a, leaf_b = patch->leaf_b;
    const ab_record *a = &leaves->record[leaf_a], *b = &leaves->record[leaf_b];
    const abut_vec3 *offsets = leaves->offset; // NULL: all zero
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    const abut_vec3 offset_a = offsets ? offsets[leaf_a] : zero, offset_b = offsets ? offsets[leaf_b] : zero;
    const abut_vec3 apart = abut_vec3_sub(vector_at(b->position), vector_at(a->position));
    to_axes(out->between, a, abut_vec3_add(apart, abut_vec3_sub(offset_b, offset_a)));
    for (int j = 0; j < 3; ++j)
    {
        to_axes(&out->turn[3 * j], a, vector_at(&b->axis[3 * j]));
    }
    to_axes(out->normal, a, vector_at(patch->normal));
    out->separation = patch->separation;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        const abut_point point = ab_patch_point(patch, i < point_count ? i : 0);
        float local[3];
        to_axes(local, a, abut_vec3_sub(point.offset, offset_a));
        out->x[i] = local[0];
        out->y[i] = local[1];
        out->z[i] = local[2];
        out->gap[i] = point.separation;
    }
}

#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return ab_recycle_kernel_##name;
#define DECLARE_(name, isa) ab_recycle_kernel ab_recycle_kernel_##name;
AB_FOR_EACH_ISA(DECLARE_)

ab_recycle_kernel *ab_recycle_kernel_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
