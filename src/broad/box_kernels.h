// Wide box tests: eight AABBs against one, branch-free. One table per instruction set; all give the same pairs in the
// same order.
//
// A node names a block of eight AABBs and the AABB around them. At level 0, nodes are blocks of proxies; the eight
// AABBs of a node n of a higher level are those of nodes 8n to 8n + 7 of the level below.
#ifndef AB_BOX_KERNELS_H
#define AB_BOX_KERNELS_H

#include "base/isa.h"
#include "broad/broad.h"

// Kernels write and read this many entries past the end of a list: they append whole vectors and prefetch ahead.
#define AB_LIST_PADDING 16u

// Pairs of nodes, one of each to be expanded, as two parallel lists with padding behind them.
typedef struct ab_node_pairs
{
    uint32_t *opened, *other;
    uint32_t count;
} ab_node_pairs;

// Which children of an expanded node are kept, when both sides are one tree and the other node is one level down.
typedef enum ab_children
{
    AB_CHILDREN_ALL,
    AB_CHILDREN_UP_TO_OTHER,
    AB_CHILDREN_BEFORE_OTHER
} ab_children;

// What the nodes of a list mean. The other side has either nodes or single proxies.
typedef struct ab_node_sides
{
    const ab_aabb8 *opened; // the eight AABBs of the nodes to expand, by node
    const ab_aabb *other;   // the AABB of the other nodes, by node; NULL: the others are proxies
    const ab_aabb8 *blocks; // nodes: their eight AABBs, needed next; proxies: their blocks
    ab_children children;   // of nodes
    bool distant;           // prefetch what the next step needs, or for proxies what this one needs
} ab_node_sides;

// Two sets of proxies to test, as blocks from the first of each.
typedef struct ab_proxy_sides
{
    const ab_aabb8 *opened, *other;
    uint32_t first_opened, first_other; // proxies
    bool distant;                       // prefetch the expanded blocks: no earlier step did
} ab_proxy_sides;

typedef struct ab_box_kernels
{
    // Brute scan: appends (x, proxy) to `out` for every proxy x of blocks [first, end) whose AABB overlaps that of
    // `proxy`. Writes up to 8 pairs past the last: `out` has room for 8 * (end - first) + 8. Returns their number. If
    // `proxy` is in one of the blocks, reports only later proxies of that block.
    uint32_t (*brute_scan)(const ab_proxies *proxies, uint32_t proxy, uint32_t first, uint32_t end, ab_pair *out);

    // Expand: replaces each opened node by its children that overlap the other. `out` has room for 8 * in->count and
    // the padding.
    void (*expand)(const ab_node_sides *sides, const ab_node_pairs *in, ab_node_pairs *out);

    // Leaf test, the last step: opened nodes are blocks, the others single proxies counted from first_other. Writes the
    // overlapping pairs of proxies, up to 8 * in->count and 8 past the last, and returns their number.
    uint32_t (*leaf_test)(const ab_proxy_sides *sides, const ab_node_pairs *in, ab_pair *out);

    // Self-overlap: writes the overlapping pairs of proxies within each of `count` blocks, up to 28 * count and 8 past
    // the last, and returns their number. Proxies are numbered from `first`.
    uint32_t (*overlap_self)(const ab_aabb8 *blocks, uint32_t count, uint32_t first, ab_pair *out);

    // Refit: packs AABBs eight at a time into `count` nodes, and computes the nodes' AABBs.
    void (*refit)(const ab_aabb *children, uint32_t count, ab_aabb8 *nodes, ab_aabb *aabbs);
} ab_box_kernels;

#endif
