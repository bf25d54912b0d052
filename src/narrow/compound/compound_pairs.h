// Pairs with a compound: one pair for each part that may touch, each for the kernel of the kinds that meet.
#ifndef AB_COMPOUND_PAIRS_H
#define AB_COMPOUND_PAIRS_H

#include "narrow/convex/convex.h"
#include "shape/compound.h"

// A part of a compound that is at `placed`. `placed` must outlive `out`.
void ab_compound_place(const ab_convex *placed, uint32_t part, ab_convex *out);

// The record of a part of a proxy, and where it is from the collider, world axes.
void ab_compound_record(const ab_record *whole, const ab_compound_part *part, ab_record *out, abut_vec3 *away);

// The most children that a pair may have: a child fits an entry. Each is a number as abut_shape_children has it.
#define AB_MOST_CHILDREN (1u << (32 - AB_CHILD_SHIFT))

// Whether the children of a pair of valid shapes have numbers.
bool ab_children_fit(const abut_shape *a, const abut_shape *b);

// Sees a child of each side; false: it wants no more. A side that has none has child 0; a mesh's is its triangle.
typedef bool ab_children_see(void *context, uint32_t of_a, uint32_t of_b);

// Shows the children of pair i of a batch that may touch, b being a compound, or a if b is a half-space. Those of one
// part of b follow each other. False when `see` did not want more.
bool ab_compound_find(const ab_batch *batch, uint32_t i, ab_children_see *see, void *context);

// The same for all children, whether they may touch or not.
bool ab_compound_each(const ab_batch *batch, uint32_t i, ab_children_see *see, void *context);

// Both children in one number, if ab_children_fit.
static inline uint32_t ab_children_join(const ab_batch *batch, uint32_t i, uint32_t of_a, uint32_t of_b)
{
    return of_a * ab_child_count(&batch->shapes[batch->colliders[batch->b[i]]]) + of_b;
}

// As kernels of the pair table do, by its other kernels. A batch has its children in `parts`, joined.
void ab_compound_collide(const ab_batch *batch, const ab_pair_table *table, ab_manifolds *out);
uint32_t ab_compound_touch(const ab_batch *batch, const ab_pair_table *table, uint32_t *out);

#endif
