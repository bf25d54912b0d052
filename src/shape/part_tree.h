// A tree over the boxes of parts of one shape, depth first: each node names the one behind all that it holds, so that a
// search is one loop without a stack.
#ifndef AB_PART_TREE_H
#define AB_PART_TREE_H

#include "shape/mesh.h"

typedef struct ab_part_node
{
    float min[3];
    uint32_t next; // the node behind all within this one
    float max[3];
    uint32_t part; // of a leaf; AB_NO_PART: there are nodes within
} ab_part_node;

#define AB_NO_PART UINT32_MAX

typedef struct ab_part_tree
{
    const ab_part_node *nodes;
    uint32_t count;
} ab_part_tree;

// Nodes of a tree of so many parts, at least one.
#define AB_PART_NODES(parts) (2 * (size_t)(parts)-1)

// Writes the tree over some leaves, which it reorders: each range is divided at the median of its parts' middles along
// the axis where these are farthest apart. As deep as the logarithm of `count`.
void ab_part_tree_build(ab_part_node *nodes, ab_part_node *leaves, uint32_t count);

// Shows the parts whose own boxes meet a box, in the order of the tree. The box is read anew at every step: who sees
// may shrink it. False when `see` did not want more.
bool ab_part_tree_overlap(const ab_part_tree *tree, const ab_mesh_box *box, ab_mesh_see *see, void *context);

// The same in another order: of each two nodes the one nearer to a point comes first, so that a box that shrinks about
// what is nearest does so soon.
bool ab_part_tree_overlap_from(const ab_part_tree *tree, const double point[3], const ab_mesh_box *box,
                               ab_mesh_see *see, void *context);

// A search for the part nearest to a point, which the box has that shrinks: of two as near, the lower one.
typedef struct ab_part_nearest
{
    double point[3];
    double on[3], square; // the nearest point so far, and the square of its distance
    uint32_t part;
    ab_mesh_box box; // of all that is as near
} ab_part_nearest;

// Before any part was measured.
ab_part_nearest ab_part_nearest_to(const double point[3]);

// Counts a part, with its nearest point.
void ab_part_nearest_take(ab_part_nearest *n, uint32_t part, const double on[3]);

// Whether what a node holds may share a point with a box.
bool ab_part_node_meets(const ab_part_node *node, const ab_mesh_box *box);

// No less than what the parts within a node reach along a direction.
double ab_part_node_most_along(const ab_part_node *node, const double direction[3]);

#endif
