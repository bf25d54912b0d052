#include "base/array.h"
#include "narrow/narrow.h"

bool ab_manifolds_reserve(ab_manifolds *manifolds, ab_memory *memory, uint32_t pairs)
{
    // Growing keeps as much as the length says.
    ab_array_set_length(manifolds->data, manifolds->count);
    ab_array_set_length(manifolds->points, manifolds->point_count);
    const size_t heads = (size_t)manifolds->count + pairs + AB_WIDEST;
    const size_t points = (size_t)manifolds->point_count + (size_t)AB_MAX_POINTS * (pairs + AB_WIDEST);
    return ab_array_reserve(manifolds->data, memory, heads) && ab_array_reserve(manifolds->points, memory, points);
}
