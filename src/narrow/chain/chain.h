// Chains in the narrow phase: pairs of a convex shape and a segment, and sweeps against them.
#ifndef AB_NARROW_CHAIN_H
#define AB_NARROW_CHAIN_H

#include "narrow/convex/sweep.h"
#include "shape/chain.h"

// A kernel of pairs with a chain: one pair for each segment, compiled once.
ab_narrow_kernel ab_chain_kernel;
ab_touching_kernel ab_chain_touching;

// Shows the segments of a batch with one pair that may touch.
void ab_chain_pair_parts(const ab_batch *batch, ab_mesh_see *see, void *context);

// As ab_sweep_shapes, where one of the two is a chain.
void ab_sweep_chain(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                    uint32_t *child);

#endif
