// The packed Hilbert BVH: a tree of eights without pointers over the leaves of each set, in the order of a Hilbert
// curve. Node i of a level stands over nodes 8i to 8i + 7 of the level below, and nodes of level 0 are the blocks of
// leaves, so that the tree is nothing but boxes and its shape follows from the number of blocks.
#ifndef AB_BVH_H
#define AB_BVH_H

#include "base/radix.h"
#include "broad/broad.h"
#include "broad/hilbert.h"

#define AB_BVH_LEVELS 11u // enough for 2^32 leaves
#define AB_BVH_RUNS   32u

// Boxes of one set, by level: the eight of each node, and one around them. Level 0 is the leaves' own; `levels` is zero
// when there is no leaf, and the last level has one node.
typedef struct ab_tree
{
    uint32_t levels;
    uint32_t count[AB_BVH_LEVELS];
    const ab_aabb8 *block[AB_BVH_LEVELS];
    const ab_aabb *aabb[AB_BVH_LEVELS];
    const ab_filter_union *unions[AB_BVH_LEVELS]; // of each node; NULL: pairs are not dropped
    uint32_t first_proxy;                         // that level 0 begins with
} ab_tree;

// The order of one set and the levels above it.
typedef struct ab_bvh_set
{
    ab_aabb8 *nodes;               // growable: levels from 1 up, each beginning at a multiple of 8
    ab_aabb *aabbs;                // growable: parallel to nodes, empty where there is no node
    ab_filter_union *block_unions; // growable: by block; like the next, only while pairs are dropped
    ab_filter_union *node_unions;  // growable: parallel to nodes
    bool filtered;                 // ordered for filters, and the static set united, since pairs were not dropped last
    ab_tree tree;
    uint32_t revision;         // of the region, when the order was last looked at
    uint32_t run[AB_BVH_RUNS]; // places where sorted runs begin, each run less than half its predecessor's length
    uint32_t runs;
} ab_bvh_set;

// Pairs of nodes as two parallel lists with padding behind them; growable.
typedef struct ab_node_list
{
    uint32_t *opened, *other;
} ab_node_list;

// Two trees, or one with itself, on the way down: the pairs of nodes that are still to be opened, and how tasks share
// them.
typedef struct ab_descent
{
    const ab_tree *few, *many; // by number of leaves
    int few_level, many_level; // of the nodes in the list
    ab_node_list list;         // nodes of `few` and of `many`
    uint32_t count;
    uint32_t first_task, a_task; // a_task: pairs for each
} ab_descent;

// From the cell of a curve to coordinates.
typedef struct ab_curve_cells
{
    float low[3];
    float scale;
    uint32_t bits;
} ab_curve_cells;

// What part of the leaves that are to be sorted holds.
typedef struct ab_order_part
{
    uint32_t first, live; // places among those sorted
    float low[3], high[3];
    uint32_t octaves[256]; // how many are of which size
} ab_order_part;

struct ab_point_geometry;

// Sorting the active set in tasks. Its memory is that of the pairs.
typedef struct ab_bvh_sort
{
    uint32_t start;         // the place from which on leaves are sorted
    bool sorts;             // there are any
    bool divided;           // by tasks, which the rest is about
    ab_partition partition; // places from `start`
    uint32_t count;         // live leaves there
    uint32_t median;
    ab_curve_cells cells;
    ab_radix radix;
    struct ab_point_geometry *spots; // by place, then by place in order
    ab_order_part *parts;
} ab_bvh_sort;

#define AB_BVH_DESCENTS 2u // the active tree with itself, and with the still one

typedef struct ab_bvh
{
    ab_hilbert curve;
    ab_bvh_set set[AB_SET_COUNT];
    ab_bvh_sort sort;
    ab_descent descent[AB_BVH_DESCENTS];
    ab_node_list spare;
    bool edited;                          // the still set was, before this update
    bool in_one;                          // task is everything, because it is little
    bool whole;                           // this update sorts all of the active set
    bool again;                           // the same, after it has seen the new boxes
    bool ambiguous_any;                   // the active order may come from boxes that were void
    bool lax;                             // active pairs are not searched in this tree: its order may wait
    float sorted_width[3];                // of a block by axis, after whole sorts of the active set
    uint64_t top_tests[ABUT_TREE_LEVELS]; // before the tasks began
    uint64_t sorted_tests;                // that no pair accounts for, in the first run after that sort
    uint32_t sorted_live;                 // leaves when sorted_tests were counted; zero: not yet
    uint64_t excess_tests;
} ab_bvh;

// A fresh tree takes the leaves as it finds them. Closing frees what it owns, not itself.
void ab_bvh_open(ab_broad *broad, ab_bvh *bvh);
void ab_bvh_close(ab_bvh *bvh);

// The row's phases of an update, and its check, for those who have a tree among other things.
extern const ab_phase ab_bvh_update_phases[];
void ab_bvh_check(const ab_broad *broad);

// Has the next update sort the active set as a whole.
void ab_bvh_want_sort(ab_bvh *bvh);

// Adds up how many more tests there were than right after the last sorting of all, in proportion to the leaves. Eight
// pairs account for one test.
void ab_bvh_count_excess(ab_bvh *bvh, uint64_t tests, uint64_t pairs, uint32_t live);

// Sorts the leaves of places [start, tail) of a set by size class and place on the curve.
abut_status ab_bvh_order(ab_broad *broad, ab_set set, uint32_t start);

// The same for the active set, from place bvh->sort.start on, in phases of an update; sort.divided says whether there
// are any tasks, and is decided by the first call. Where there are none all is sorted by it. The last is what follows
// the tasks.
abut_status ab_bvh_order_begin(ab_broad *broad, uint32_t *tasks);
void ab_bvh_order_measure(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_keys(void *pass, uint32_t *tasks);
void ab_bvh_order_make_keys(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_deal(void *pass, uint32_t *tasks);
void ab_bvh_order_deal(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_ranges(void *pass, uint32_t *tasks);
void ab_bvh_order_sort_range(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_put(void *pass, uint32_t *tasks);
void ab_bvh_order_put(void *pass, uint32_t task);
void ab_bvh_order_end(ab_broad *broad);

// Makes room for the levels over a set; then fits them to the extents of its blocks from `first_block` on, or of all
// where the levels lie elsewhere now.
bool ab_bvh_reserve(ab_broad *broad, ab_set set, uint32_t proxies);
void ab_bvh_refit(ab_broad *broad, ab_set set, uint32_t first_block);

// The same for all of the active set, in parts: the lowest level over blocks [first, end), then all above. `first` is a
// multiple of 8, and so is `end` or it is the last.
void ab_bvh_refit_lowest(ab_broad *broad, uint32_t first, uint32_t end);
void ab_bvh_refit_upper(ab_broad *broad);

// The unions of a set: room for them, the tree's pointers to them, and making those of blocks and of nodes of a level
// from the level below; nothing where no pairs are dropped.
bool ab_bvh_reserve_unions(ab_broad *broad, ab_set set, uint32_t blocks, size_t nodes);
void ab_bvh_look_at_unions(const ab_broad *broad, ab_bvh_set *s);
void ab_bvh_unite_blocks(ab_broad *broad, ab_set set, uint32_t first, uint32_t end);
void ab_bvh_unite_nodes(const ab_broad *broad, ab_bvh_set *s, uint32_t level, uint32_t first, uint32_t end);
void ab_bvh_check_unions(const ab_broad *broad, const ab_tree *tree);

// While pairs are dropped, gives sensors and others two of the four size classes each. A word holds a proxy below and
// its class from bit `shift` up.
void ab_bvh_set_sensors_apart(const ab_broad *broad, uint64_t *words, size_t count, unsigned shift);

void ab_bvh_look(ab_broad *broad, ab_set set); // after the leaves may have moved: the tree's pointers anew
void ab_bvh_check_tree(const ab_tree *tree);

// Every pair of overlapping leaves of the active tree, with itself and with the still one: what comes before the tasks,
// a task, and adding to the tests of the tasks those that came before.
abut_status ab_bvh_prepare_pairs(ab_broad *broad, uint32_t *tasks);
void ab_bvh_find_pairs(ab_broad *broad, uint32_t task);
void ab_bvh_count_top(ab_broad *broad);

struct ab_pair_writer;

// Pairs of the active tree with the still one alone, by tasks [*tasks, *tasks + more); *tasks becomes their end.
abut_status ab_bvh_prepare_static(ab_broad *broad, uint32_t *tasks);
void ab_bvh_find_static(ab_broad *broad, uint32_t task, struct ab_pair_writer *writer);

// The row's `visit`, and that for one set.
void ab_bvh_visit(const ab_broad *broad, ab_broad_see *see, void *context);
void ab_bvh_visit_set(const ab_broad *broad, ab_set set, ab_broad_see *see, void *context);

#endif
