// The packed BVH: a pointerless tree with eight children per node over the proxies of each set, in the order of a k-d
// tree. The children of node i of a level are nodes 8i to 8i + 7 of the level below; nodes of level 0 are
// the blocks of proxies. So the tree is nothing but AABBs, and its shape follows from the number of blocks.
#ifndef AB_BVH_H
#define AB_BVH_H

#include "broad/broad.h"
#include "broad/halve.h"

#define AB_BVH_RUNS 80u

// The order of one set and the levels above it.
typedef struct ab_bvh_set
{
    ab_aabb8 *nodes;               // growable: levels from 1 up, each beginning at a multiple of 8
    ab_aabb *aabbs;                // growable: parallel to nodes, empty where there is no node
    ab_filter_union *block_unions; // growable: by block; like the next, only while pairs are dropped
    ab_filter_union *node_unions;  // growable: parallel to nodes
    bool filtered;                 // since the last run without filters: the order regards them, and the static set has
                                   // its unions
    ab_tree tree;
    uint32_t revision;         // of the region, at the last update
    uint32_t run[AB_BVH_RUNS]; // first indices of the sorted runs, each less than 3/4 as long as its predecessor
    uint32_t runs;
} ab_bvh_set;

// Pairs of nodes as two parallel lists with padding behind them; growable.
typedef struct ab_node_list
{
    uint32_t *opened, *other;
} ab_node_list;

// The descent of two trees, or of one with itself: the pairs of nodes still to expand, and their division into tasks.
typedef struct ab_descent
{
    const ab_tree *few, *many; // by number of proxies
    int few_level, many_level; // of the nodes in the list
    ab_node_list list;         // nodes of `few` and of `many`
    uint32_t count;
    uint32_t first_task, a_task; // a_task: pairs for each
} ab_descent;

// Statistics of a part of the proxies to sort.
typedef struct ab_order_part
{
    uint32_t first, live;  // its points
    ab_span span;          // of these
    uint32_t octaves[256]; // histogram of sizes by octave
} ab_order_part;

#define AB_ORDER_RANGES 256u

// How many points a part has of each range, which is a bin of a class; then where the next of them goes.
typedef struct ab_order_places
{
    uint32_t next[AB_ORDER_RANGES];
} ab_order_places;

#define AB_BVH_SLABS 128u // of all classes, at most

// The state of sorting proxies of a set, the active one in tasks. Uses the memory of the pairs.
typedef struct ab_bvh_sort
{
    uint32_t start;         // the first index to sort
    bool sorts;             // there is anything to sort
    bool divided;           // into tasks
    ab_partition partition; // indices from `start`
    uint32_t count;         // live proxies there
    uint32_t median;        // octave of the median size
    uint32_t axis;          // of slabs
    uint32_t bin_bits;      // of bins along it; one bin, if there will be no slabs
    float low, per_metre;   // of those
    ab_order_places *places;
    ab_centres points; // by part; once they are dealt, their memory is scratch
    ab_centres dealt;  // by range, and then in order
    uint8_t *range;    // by point
    ab_order_part *parts;
    ab_contact_name *names; // room for these and the next, if there are tasks
    ab_proxy_naming *naming;
    uint32_t slabs;
    uint32_t slab[AB_BVH_SLABS + 1]; // first points; one more behind the last
} ab_bvh_sort;

#define AB_BVH_DESCENTS 2u // the active tree with itself, and with the static one

typedef struct ab_bvh
{
    ab_bvh_set set[AB_SET_COUNT];
    ab_bvh_sort sort;
    ab_descent descent[AB_BVH_DESCENTS];
    ab_node_list spare;
    bool edited;                          // the static set was, before this update
    bool in_one;                          // one task does everything, because there is little to do
    bool whole;                           // this update sorts all of the active set
    bool again;                           // the same, after measuring the new AABBs
    bool ambiguous_any;                   // the active order may come from invalid AABBs
    bool lax;                             // no pairs are searched in this tree: its order may wait
    float sorted_width[3];                // of a block by axis, after whole sorts of the active set
    uint64_t top_tests[ABUT_TREE_LEVELS]; // before the tasks began
    uint64_t sorted_tests;                // in excess of the pairs found, in the first run after a whole sort
    uint32_t sorted_live;                 // proxies when sorted_tests were counted; zero: not yet
    uint64_t excess_tests;
} ab_bvh;

// A new tree accepts the proxies in any order. Closing frees what it owns, not itself.
void ab_bvh_open(ab_broad *broad, ab_bvh *bvh);
void ab_bvh_close(ab_bvh *bvh);

// The row's update phases and check, for rows that contain a tree.
extern const ab_phase ab_bvh_update_phases[];
void ab_bvh_check(const ab_broad *broad);

// Makes the next update sort the whole active set.
void ab_bvh_want_sort(ab_bvh *bvh);

// Adds the tests beyond those right after the last whole sort, in proportion to the proxies. Eight pairs account for
// one test.
void ab_bvh_count_excess(ab_bvh *bvh, uint64_t tests, uint64_t pairs, uint32_t live);

// Sorts the proxies at indices [start, tail) of a set by size class and position.
abut_status ab_bvh_order(ab_broad *broad, ab_set set, uint32_t start);

// The same for the active set, from index bvh->sort.start on, in phases of an update. The first call sets sort.divided:
// whether there are tasks; if not, it sorts everything itself. The last call follows the tasks.
abut_status ab_bvh_order_begin(ab_broad *broad, uint32_t *tasks);
void ab_bvh_order_measure(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_ranges(void *pass, uint32_t *tasks);
void ab_bvh_order_count(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_deal(void *pass, uint32_t *tasks);
void ab_bvh_order_deal(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_halves(void *pass, uint32_t *tasks);
void ab_bvh_order_halve(void *pass, uint32_t task);
abut_status ab_bvh_order_prepare_put(void *pass, uint32_t *tasks);
void ab_bvh_order_put(void *pass, uint32_t task);
void ab_bvh_order_end(ab_broad *broad);

// Reserve the levels over a set; then refit them to the AABBs of its blocks from `first_block` on, or to all if the
// levels have moved.
bool ab_bvh_reserve(ab_broad *broad, ab_set set, uint32_t proxies);
void ab_bvh_refit(ab_broad *broad, ab_set set, uint32_t first_block);

// The same for all of the active set, in parts: the lowest level over blocks [first, end), then all above. `first` is a
// multiple of 8; `end` is too, unless it is the last.
void ab_bvh_refit_lowest(ab_broad *broad, uint32_t first, uint32_t end);
void ab_bvh_refit_upper(ab_broad *broad);

// Between two updates, in the active set: extend the levels over blocks of proxies that were appended since; and refit
// the nodes above a block that has changed, up to the first whose AABB stays. Neither maintains unions: extending drops
// the filters until the next update.
abut_status ab_bvh_extend(ab_broad *broad, bool *extended);
void ab_bvh_refit_above(ab_broad *broad, uint32_t block);

// The unions of a set: reserve them, set the tree's pointers to them, and compute those of blocks and of nodes of a
// level from the level below; no-ops while no pairs are dropped.
bool ab_bvh_reserve_unions(ab_broad *broad, ab_set set, uint32_t blocks, size_t nodes);
void ab_bvh_look_at_unions(const ab_broad *broad, ab_bvh_set *s);
void ab_bvh_unite_blocks(ab_broad *broad, ab_set set, uint32_t first, uint32_t end);
void ab_bvh_unite_nodes(const ab_broad *broad, ab_bvh_set *s, uint32_t level, uint32_t first, uint32_t end);
void ab_bvh_check_unions(const ab_broad *broad, const ab_tree *tree);

// Makes the unions of a set for one run, where none are maintained. False when out of memory.
bool ab_bvh_unite(ab_broad *broad, ab_set set);

// While pairs are dropped: a proxy's class, by its size's. Sensors and others have two of the four each.
uint32_t ab_bvh_class_of(const ab_broad *broad, uint32_t proxy, uint32_t size_class);

// Replaces the keys of words, from bit `shift` up, so that proxies of one filter and motion have the same.
void ab_bvh_key_by_filter(const ab_broad *broad, uint64_t *words, size_t count, unsigned shift);

void ab_bvh_look(ab_broad *broad, ab_set set); // updates the tree's pointers after the proxies may have moved
void ab_bvh_check_tree(const ab_tree *tree);

// Every overlapping pair of proxies of the active tree, with itself and with the static one: before the tasks, and
// before they run again with unions, which were not maintained; one task; and adding the tests counted before the tasks
// to theirs.
abut_status ab_bvh_prepare_pairs(ab_broad *broad, uint32_t *tasks);
abut_status ab_bvh_prepare_dropping(ab_broad *broad, uint32_t *tasks);
void ab_bvh_find_pairs(ab_broad *broad, uint32_t task);
void ab_bvh_count_top(ab_broad *broad);

struct ab_pair_writer;

// Pairs of the active tree with the static one alone, by tasks [*tasks, *tasks + more); *tasks becomes their end.
abut_status ab_bvh_prepare_static(ab_broad *broad, uint32_t *tasks);
void ab_bvh_find_static(ab_broad *broad, uint32_t task, struct ab_pair_writer *writer);

// The row's `tree`, for those who have a tree among other things.
void ab_bvh_tree(const ab_broad *broad, ab_set set, ab_tree *out);

// The row's `visit`, and that for one set.
void ab_bvh_visit(const ab_broad *broad, ab_broad_see *see, void *context);
void ab_bvh_visit_set(const ab_broad *broad, ab_set set, ab_broad_see *see, void *context);

#endif
