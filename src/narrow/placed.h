// Helpers of the calls without a world: a caller's shapes with poses as records for kernels, and packed manifolds in
// the public form.
#ifndef AB_PLACED_H
#define AB_PLACED_H

#include "narrow/narrow.h"
#include "shape/shape_table.h"

// False for NULL, and for a shape or a pose that is invalid in 3D, or in 2D with `is_2d`. `kinds` are the caller's custom
// kinds; NULL: none.
bool ab_placed_is_sound(const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose, bool is_2d);

// Whether a valid shape is a surface or half-space.
static inline bool ab_placed_only_answers(const abut_shape *shape)
{
    return AB_HAS_CHILDREN && ab_row_only_answers(ab_shape_row_for(shape->kind));
}

// Likewise made of parts.
static inline bool ab_placed_has_parts(const abut_shape *shape)
{
    return AB_HAS_CHILDREN && ab_shape_row_for(shape->kind)->parts;
}

// As ab_placed_is_sound; false for a mesh or half-space, too.
static inline bool ab_placed_may_ask(const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose,
                                     bool is_2d)
{
    return ab_placed_is_sound(kinds, shape, pose, is_2d) && !ab_placed_only_answers(shape);
}

// Likewise for a shape of parts.
static inline bool ab_placed_valid(const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose, bool is_2d)
{
    return ab_placed_is_sound(kinds, shape, pose, is_2d) && !ab_placed_has_parts(shape);
}

// The 3D or the 2D pair table.
const ab_pair_table *ab_placed_table(abut_isa isa, bool is_2d);

// The record of a valid shape.
void ab_placed_record(ab_record *out, const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose,
                      uint32_t order);

ab_kind_set ab_pair_list_kinds(const abut_pair_list *pairs);

// ABUT_INVALID_ARGUMENT when anything in the list is invalid in 3D, or in 2D with `is_2d`: a shape of parts, too; or,
// with `parts`, only a pair of two surfaces.
abut_status ab_pair_list_look_over(const abut_pair_list *pairs, bool is_2d, bool parts);

// Computes overlap_many or collide_many for a validated list. One of the results is NULL.
void ab_pair_list_run(const abut_pair_list *pairs, float margin, bool is_2d, bool *overlapping, abut_manifold *out);

bool ab_margin_valid(float margin);

// A NULL manifold gives zeros: no contact.
void ab_manifold_publish(abut_manifold *out, const ab_packed_manifold *packed, uint32_t point_count);

#endif
