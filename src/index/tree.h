// The spatial index over the proxies of one set: a packed tree with eight children per node. The children of node i of
// a level are nodes 8i to 8i + 7 of the level below, and nodes of level 0 are the blocks of proxies. A node's AABB
// contains those of its children, however loosely.
#ifndef AB_TREE_H
#define AB_TREE_H

#include "bounds/proxies.h"

#define AB_TREE_LEVELS 11u // enough for 2^32 proxies

// The AABBs of one set, by level: the eight of each node, and the one around them. Level 0 is the proxies' own;
// `levels` is zero for an empty set, and the last level has one node.
typedef struct ab_tree
{
    uint32_t levels;
    uint32_t first_level; // where a descent for one query begins, see ab_index_first_level; for many at the last
    uint32_t count[AB_TREE_LEVELS];
    const ab_aabb8 *block[AB_TREE_LEVELS];
    const ab_aabb *aabb[AB_TREE_LEVELS];
    const struct ab_filter_union *unions[AB_TREE_LEVELS]; // of each node; NULL: pairs are not dropped
    const ab_proxies *proxies;                            // of a tree that is descended
    uint32_t first_proxy;                                 // the first of level 0
    // by level, of each node a bit: whether it holds something that a query's filter wants; NULL, all or those of a
    // level: all count as such
    const uint64_t *const *wanted;
    const ab_aabb *around; // all proxies, or all that are wanted, however loosely; NULL: not known
} ab_tree;

#endif
