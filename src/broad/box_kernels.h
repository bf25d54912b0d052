// Wide box tests: eight boxes against one, staged and branch-free. One table for each instruction set, all of them giving the
// same pairs in the same order.
//
// A node names a block of eight boxes and the extent around them. At level 0 blocks are blocks of leaves; the eight boxes of
// a node n of a higher level are the extents of nodes 8n to 8n + 7 of the level below.
#ifndef AB_BOX_KERNELS_H
#define AB_BOX_KERNELS_H

#include "base/isa.h"
#include "broad/broad.h"

// Kernels append whole vectors: this many entries past the last are written, and as many are read ahead.
#define AB_LIST_PADDING 16u

// Pairs of nodes as two lists, opened[i] with other[i]. The padding behind the last entry must name existing nodes.
typedef struct ab_node_pairs
{
    uint32_t *opened, *other;
    uint32_t count;
} ab_node_pairs;

typedef struct ab_box_kernels
{
    // Appends (x, leaf) to `out` for every leaf x of blocks [first, end) whose box overlaps that of `leaf`. Writes up to
    // 8 pairs past the last: `out` has room for 8 * (end - first) + 8. Returns how many. When `leaf` lies in one of the
    // blocks, only later leaves of that block are reported.
    uint32_t (*sweep)(const ab_leaves *leaves, uint32_t leaf, uint32_t first, uint32_t end, ab_pair *out);
} ab_box_kernels;

// NULL for an instruction set that is not compiled in.
const ab_box_kernels *ab_box_kernels_for(abut_isa isa);

#endif
