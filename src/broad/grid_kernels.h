// The grid's wide kernels. One table per instruction set; all give the same output in the same order.
#ifndef AB_GRID_KERNELS_H
#define AB_GRID_KERNELS_H

#include "base/isa.h"
#include "broad/grid_look.h"

typedef struct ab_grid_kernels
{
    // Writes the size bin of each proxy of `count` blocks, AB_GRID_NO_BIN for an empty AABB; and bucket 0 for all.
    void (*measure)(const ab_aabb8 *blocks, uint32_t count, uint32_t *bins, uint32_t *buckets);

    // Writes the bucket of each proxy of `count` blocks whose size is of the level; leaves others alone.
    void (*place)(const ab_grid_level *level, const ab_aabb8 *blocks, uint32_t count, const uint32_t *bins,
                  uint32_t *buckets);

    // What the boxes [first, first + count) of a level reach in it, going forward: list[0] in their own row, where only
    // `high` is set; list[1] to list[4] in the next one along y and the three next along z.
    void (*reach_own)(const ab_grid_level *level, const ab_grid_boxes *boxes, uint32_t first, uint32_t count,
                      ab_grid_list *lists);

    // What they reach in a coarser level: AB_GRID_REACHES lists.
    void (*reach_coarser)(const ab_grid_level *level, const ab_grid_boxes *boxes, uint32_t first, uint32_t count,
                          ab_grid_list *lists);

    // Runs `count` tests from `first` on. Writes the pairs of boxes that overlap, up to 8 for each and 8 past the last,
    // and returns their number.
    uint32_t (*test)(const ab_grid_boxes *boxes, const ab_grid_tasks *tasks, uint32_t first, uint32_t count,
                     ab_pair *out);
} ab_grid_kernels;

#endif
