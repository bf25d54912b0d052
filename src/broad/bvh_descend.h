// Descending two trees at once, or one with itself: from pairs of nodes to pairs of leaves. Trees in one space have
// nodes of about the same size at the same depth. The one with fewer leaves is down to its leaves first, and these go
// on down the other one by one.
//
// Of each pair the node of the tree of few is opened first, since its boxes are the larger ones, which leaves the fewer
// tests. Of one tree with itself that is the later node: large and new leaves come last in the order.
#ifndef AB_BVH_DESCEND_H
#define AB_BVH_DESCEND_H

#include "broad/box_kernels.h"
#include "broad/bvh.h"
#include "broad/pair_writer.h"

#define AB_NODE_CHUNK 16u  // pairs opened on both sides together, so that what comes of them stays near
#define AB_PROXIES    (-1) // the level of single leaves, below that of blocks

// What a step is about: the nodes of two trees at these levels.
typedef struct ab_step
{
    const ab_broad *broad;
    const ab_tree *few, *many;
    int few_level, many_level;
    uint64_t *level_tests; // counted here
} ab_step;

// The levels one step down.
static inline ab_step ab_step_below(const ab_step *step)
{
    ab_step below = *step;
    below.many_level -= step->few_level != 0;
    below.few_level -= step->few_level > AB_PROXIES;
    return below;
}

// Opens both nodes of each pair; of blocks and leaves only one. `between` has room for 8 pairs a pair, `out` for 64, or
// for 8 where one side is opened; both with padding, which is written.
void ab_step_down(const ab_step *step, const ab_node_pairs *in, ab_node_pairs *between, ab_node_pairs *out);

// From pairs of nodes, of level 2 or lower in the tree of few, down to pairs of leaves.
void ab_step_to_proxies(const ab_step *step, const ab_node_pairs *in, ab_pair_writer *writer);

#endif
