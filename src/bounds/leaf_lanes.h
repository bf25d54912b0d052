// What the files of the leaves share: emptying lanes and copying them, and moving a region's tail.
#ifndef AB_LEAF_LANES_H
#define AB_LEAF_LANES_H

#include "bounds/eights.h"

static inline void empty_lane(ab_block *block, uint32_t lane)
{
    block->min_x[lane] = block->min_y[lane] = block->min_z[lane] = AB_EMPTY_BOX;
    block->max_x[lane] = block->max_y[lane] = block->max_z[lane] = -AB_EMPTY_BOX;
}

static inline void copy_lane(ab_block *to, uint32_t to_lane, const ab_block *from, uint32_t from_lane)
{
    to->min_x[to_lane] = from->min_x[from_lane];
    to->min_y[to_lane] = from->min_y[from_lane];
    to->min_z[to_lane] = from->min_z[from_lane];
    to->max_x[to_lane] = from->max_x[from_lane];
    to->max_y[to_lane] = from->max_y[from_lane];
    to->max_z[to_lane] = from->max_z[from_lane];
}

static inline void make_dead(ab_leaves *leaves, uint32_t leaf)
{
    empty_lane(&leaves->block[leaf / AB_BLOCK], leaf % AB_BLOCK);
    memset(&leaves->record[leaf], 0, sizeof leaves->record[leaf]);
    leaves->collider[leaf] = ABUT_NONE;
    leaves->traits[leaf] = AB_TRAIT_DEAD;
    leaves->order[leaf] = 0;
    if (leaves->reach)
    {
        leaves->reach[leaf] = 0.0f;
    }
    if (leaves->offset)
    {
        leaves->offset[leaf] = abut_vec3_make(0.0f, 0.0f, 0.0f);
    }
}

static inline void make_dead_range(ab_leaves *leaves, uint32_t first, uint32_t end)
{
    for (uint32_t leaf = first; leaf < end; ++leaf)
    {
        make_dead(leaves, leaf);
    }
}

// Kills leaves [first, end) of the array and brings the extents of their blocks up to date.
static inline void clear_leaves(ab_leaves *leaves, uint32_t first, uint32_t end)
{
    make_dead_range(leaves, first, end);
    for (uint32_t block = first / AB_BLOCK; block < (end + AB_BLOCK - 1) / AB_BLOCK; ++block)
    {
        fit_extent(&leaves->block[block], &leaves->extent[block]);
    }
}

static inline void set_tail(ab_region *region, uint32_t tail)
{
    region->tail = tail;
    region->blocks = (tail + AB_BLOCK - 1) / AB_BLOCK;
    region->ordered = region->ordered < tail ? region->ordered : tail;
}

#endif
