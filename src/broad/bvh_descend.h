// Descends two trees at once, or one with itself: from pairs of nodes to pairs of proxies. Trees in one space have
// nodes of about the same size at the same depth. The tree with fewer proxies reaches its proxies first, and these
// continue down the other one by one.
//
// Of each pair, the node of the tree with fewer proxies is expanded first: its AABBs are larger, which saves tests. In
// one tree with itself that is the later node: large and new proxies come last in the order.
#ifndef AB_BVH_DESCEND_H
#define AB_BVH_DESCEND_H

#include "broad/box_kernels.h"
#include "broad/bvh.h"
#include "broad/pair_writer.h"

// pairs expanded on both sides together: few enough that their output stays in the near caches
#define AB_NODE_CHUNK 16u
#define AB_PROXIES    (-1) // the level of single proxies, below that of blocks

// The input of a step: the nodes of two trees at these levels.
typedef struct ab_step
{
    const ab_broad *broad;
    const ab_tree *few, *many;
    int few_level, many_level;
    uint64_t *level_tests; // counts the tests
} ab_step;

// The levels one step down.
static inline ab_step ab_step_below(const ab_step *step)
{
    ab_step below = *step;
    below.many_level -= step->few_level != 0;
    below.few_level -= step->few_level > AB_PROXIES;
    return below;
}

// Expands both nodes of each pair; of blocks and proxies only one. `between` has room for 8 pairs per pair, `out` for
// 64, or for 8 where one side is expanded; both have padding, which is written.
void ab_step_down(const ab_step *step, const ab_node_pairs *in, ab_node_pairs *between, ab_node_pairs *out);

// From pairs of nodes, of level 2 or lower in the tree with fewer proxies, down to pairs of proxies.
void ab_step_to_proxies(const ab_step *step, const ab_node_pairs *in, ab_pair_writer *writer);

#endif
