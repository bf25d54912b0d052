// What sorting proxies into the order of the tree works with, on one thread or in tasks: points are dealt to bins of
// each class along an axis, cut into slabs there, and slabs into halves of halves.
#ifndef AB_BVH_ORDER_H
#define AB_BVH_ORDER_H

#include "broad/bvh.h"

#define AB_ORDER_CLASSES 4u

// The sort's memory for points of `count` proxies, dead ones among them, in `tasks` parts: its size; and laying it
// out, for the partition that is set.
size_t ab_order_bytes(uint32_t count, uint32_t tasks);
void ab_order_lay_out(ab_bvh_sort *sort, void *block, uint32_t count);

// The steps, each after all parts or slabs of the one before: measures a part of the proxies of `set` at indices from
// sort->start on; plans bins, on one thread; counts a part's points by range; places these, on one thread; deals
// the part; cuts slabs, on one thread.
void ab_order_measure(const ab_broad *broad, ab_set set, ab_bvh_sort *sort, uint32_t part);
void ab_order_plan(ab_bvh_sort *sort);
void ab_order_count(const ab_broad *broad, ab_bvh_sort *sort, uint32_t part);
void ab_order_place(ab_bvh_sort *sort);
void ab_order_deal(ab_bvh_sort *sort, uint32_t part);
void ab_order_cut(const ab_broad *broad, ab_bvh_sort *sort);

// Orders a slab. Returns its proxies in their order.
const uint32_t *ab_order_slab(const ab_broad *broad, const ab_bvh_sort *sort, uint32_t slab);

// Once points are dealt: memory for as many bytes as the points from index `first` on have.
void *ab_order_scratch(const ab_bvh_sort *sort, uint32_t first);

// The last run's pairs are dead, so their memory serves as scratch. The static set, which is sorted only after edits,
// allocates temporarily instead of growing it, unless it needs little: a few bodies that come in each step ask for
// nothing. NULL when out of memory.
void *ab_order_take_scratch(ab_broad *broad, ab_set set, size_t bytes);

#endif
