// What the calls without a world share: shapes where the caller puts them, as kernels read them, and manifolds as he
// reads them.
#ifndef AB_PLACED_H
#define AB_PLACED_H

#include "narrow/narrow.h"

// False for a shape or a pose that is not valid in space, or in the plane; NULL is not. `kinds` are the caller's own;
// NULL: none.
bool ab_placed_valid(const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose, bool plane);

// The table for the one or the other.
const ab_pair_table *ab_placed_table(abut_isa isa, bool plane);

// The record of what is valid.
void ab_placed_record(ab_record *out, const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose,
                      uint32_t order);

ab_kind_set ab_pair_list_kinds(const abut_pair_list *pairs);

// ABUT_INVALID_ARGUMENT when there is anything in the list that is not valid in space, or in the plane.
abut_status ab_pair_list_look_over(const abut_pair_list *pairs, bool plane);

// What overlap_many and collide_many do with a list that was looked over. Either of the results is NULL.
void ab_pair_list_run(const abut_pair_list *pairs, float margin, bool plane, bool *overlapping, abut_manifold *out);

bool ab_margin_valid(float margin);

// A NULL patch gives zeros: no contact.
void ab_manifold_publish(abut_manifold *out, const ab_packed_manifold *packed, uint32_t point_count);

#endif
