// Wide box tests: eight boxes against one, staged and branch-free. One table for each instruction set, all of them
// giving the same pairs in the same order.
//
// A node names a block of eight boxes and the extent around them. At level 0 blocks are blocks of leaves; the eight
// boxes of a node n of a higher level are the extents of nodes 8n to 8n + 7 of the level below.
#ifndef AB_BOX_KERNELS_H
#define AB_BOX_KERNELS_H

#include "base/isa.h"
#include "broad/broad.h"

// Kernels append whole vectors and look ahead: this many entries behind a list's last are written and read.
#define AB_LIST_PADDING 16u

// Pairs of nodes, one of each to be opened, as two parallel lists with padding behind them.
typedef struct ab_node_pairs
{
    uint32_t *opened, *other;
    uint32_t count;
} ab_node_pairs;

// Which children of an opened node count, when both sides are one tree and the other is one level down.
typedef enum ab_children
{
    AB_CHILDREN_ALL,
    AB_CHILDREN_UP_TO_OTHER,
    AB_CHILDREN_BEFORE_OTHER
} ab_children;

// What the nodes of a list mean. The others are either nodes or single leaves.
typedef struct ab_node_sides
{
    const ab_aabb8 *opened; // the eight boxes of the nodes to be opened, by node
    const ab_aabb *other;   // the box of the others, by node; NULL: the others are leaves
    const ab_aabb8 *blocks; // nodes: their eight boxes, wanted next; leaves: their blocks
    ab_children children;   // of nodes
    bool distant;           // what the next step wants, of leaves what this one wants, is asked for ahead
} ab_node_sides;

// Two sets of leaves meeting, as blocks from the first of each.
typedef struct ab_proxy_sides
{
    const ab_aabb8 *opened, *other;
    uint32_t first_opened, first_other; // leaves
    bool distant;                       // the opened blocks are asked for ahead: they were not before
} ab_proxy_sides;

typedef struct ab_box_kernels
{
    // Appends (x, leaf) to `out` for every leaf x of blocks [first, end) whose box overlaps that of `leaf`. Writes up
    // to 8 pairs past the last: `out` has room for 8 * (end - first) + 8. Returns how many. When `leaf` lies in one of
    // the blocks, only later leaves of that block are reported.
    uint32_t (*sweep)(const ab_proxies *proxies, uint32_t proxy, uint32_t first, uint32_t end, ab_pair *out);

    // Replaces each opened node by those of its children that overlap the other. `out` has room for 8 * in->count and
    // the padding.
    void (*open)(const ab_node_sides *sides, const ab_node_pairs *in, ab_node_pairs *out);

    // The last step: opened nodes are blocks, the others single leaves counted from first_other. Writes the overlapping
    // pairs of leaves, up to 8 * in->count and 8 past the last, and returns how many.
    uint32_t (*meet)(const ab_proxy_sides *sides, const ab_node_pairs *in, ab_pair *out);

    // Writes the overlapping pairs of leaves within each of `count` blocks, up to 28 * count and 8 past the last, and
    // returns how many. Leaves are numbered from `first`.
    uint32_t (*overlap_self)(const ab_aabb8 *blocks, uint32_t count, uint32_t first, ab_pair *out);

    // Eights of extents become `count` nodes and their extents.
    void (*refit)(const ab_aabb *children, uint32_t count, ab_aabb8 *nodes, ab_aabb *aabbs);
} ab_box_kernels;

// NULL for an instruction set that is not compiled in.
const ab_box_kernels *ab_box_kernels_for(abut_isa isa);

#endif
