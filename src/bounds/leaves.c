// The leaves one at a time: appending, removing, settling. Boxes are written here only when a lane is emptied or moved;
// giving a live leaf its box is the bounds pass' business.
#include "bounds/leaves.h"

#include "base/assert.h"
#include "bounds/leaf_lanes.h"

ab_set ab_leaves_set_of(const ab_leaves *leaves, uint32_t leaf)
{
    return leaf / AB_BLOCK < leaves->region[AB_STILL].first ? AB_ACTIVE : AB_STILL;
}

static uint32_t take_tail(ab_leaves *leaves, ab_set set)
{
    ab_region *region = &leaves->region[set];
    AB_ASSERT(region->tail < region->room * AB_BLOCK, region->tail);
    const uint32_t leaf = region->first * AB_BLOCK + region->tail;
    set_tail(region, region->tail + 1);
    ++region->live;
    ++region->revision;
    return leaf;
}

static void write_description(ab_leaves *leaves, uint32_t leaf, const ab_leaf *description)
{
    ab_record *record = &leaves->record[leaf];
    record->position[0] = description->position.x;
    record->position[1] = description->position.y;
    record->position[2] = description->position.z;
    record->half_x = description->half[0];
    record->half_y = description->half[1];
    record->half_z = description->half[2];
    record->order = description->order;
    leaves->traits[leaf] = description->traits;
    leaves->order[leaf] = description->order;
}

uint32_t ab_leaves_append(ab_leaves *leaves, ab_set set, const ab_leaf *leaf)
{
    const uint32_t at = take_tail(leaves, set);
    leaves->collider[at] = leaf->collider;
    leaves->leaf_of[leaf->collider] = at;
    write_description(leaves, at, leaf);
    return at;
}

void ab_leaves_describe(ab_leaves *leaves, uint32_t leaf, const ab_leaf *description)
{
    AB_ASSERT(leaves->collider[leaf] == description->collider, leaf);
    write_description(leaves, leaf, description);
}

void ab_leaves_remove(ab_leaves *leaves, uint32_t leaf)
{
    const ab_set set = ab_leaves_set_of(leaves, leaf);
    ab_region *region = &leaves->region[set];
    const uint32_t first = region->first * AB_BLOCK;
    AB_ASSERT(leaves->collider[leaf] != ABUT_NONE, leaf);
    leaves->leaf_of[leaves->collider[leaf]] = ABUT_NONE;
    make_dead(leaves, leaf);
    fit_extent(&leaves->block[leaf / AB_BLOCK], &leaves->extent[leaf / AB_BLOCK]);
    --region->live;
    ++region->revision;
    uint32_t tail = region->tail;
    while (tail > 0 && leaves->collider[first + tail - 1] == ABUT_NONE)
    {
        --tail;
    }
    set_tail(region, tail);
}

void ab_leaves_settle(ab_leaves *leaves, uint32_t leaf)
{
    AB_ASSERT(ab_leaves_set_of(leaves, leaf) == AB_ACTIVE, leaf);
    const uint32_t collider = leaves->collider[leaf];
    const uint32_t at = take_tail(leaves, AB_STILL);
    leaves->record[at] = leaves->record[leaf];
    leaves->traits[at] = leaves->traits[leaf];
    leaves->order[at] = leaves->order[leaf];
    leaves->collider[at] = collider;
    if (leaves->reach)
    {
        leaves->reach[at] = leaves->reach[leaf];
    }
    if (leaves->offset)
    {
        leaves->offset[at] = leaves->offset[leaf];
    }
    copy_lane(&leaves->block[at / AB_BLOCK], at % AB_BLOCK, &leaves->block[leaf / AB_BLOCK], leaf % AB_BLOCK);
    fit_extent(&leaves->block[at / AB_BLOCK], &leaves->extent[at / AB_BLOCK]);
    ab_leaves_remove(leaves, leaf);
    leaves->leaf_of[collider] = at;
}

static void check_leaf(const ab_leaves *leaves, uint32_t leaf)
{
    const ab_block *block = &leaves->block[leaf / AB_BLOCK];
    const uint32_t collider = leaves->collider[leaf], lane = leaf % AB_BLOCK;
    const bool empty = block->min_x[lane] == AB_EMPTY_BOX && block->max_x[lane] == -AB_EMPTY_BOX;
    AB_ASSERT((collider == ABUT_NONE) == ((leaves->traits[leaf] & AB_TRAIT_DEAD) != 0), leaf);
    AB_ASSERT(leaves->order[leaf] == leaves->record[leaf].order, leaf);
    AB_ASSERT(collider != ABUT_NONE || (empty && leaves->record[leaf].order == 0), leaf);
    AB_ASSERT(collider == ABUT_NONE || leaves->leaf_of[collider] == leaf, leaf);
}

void ab_leaves_check(const ab_leaves *leaves)
{
    AB_ASSERT(leaves->region[AB_ACTIVE].first == 0, leaves->region[AB_ACTIVE].first);
    AB_ASSERT(leaves->region[AB_STILL].first == leaves->region[AB_ACTIVE].room, leaves->region[AB_STILL].first);
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_region *region = &leaves->region[set];
        uint32_t live = 0;
        AB_ASSERT(region->room % AB_ROOM_GRANULE == 0 && region->blocks <= region->room, region->room);
        AB_ASSERT(region->ordered <= region->tail && region->tail <= region->blocks * AB_BLOCK, region->tail);
        for (uint32_t i = 0; i < region->room * AB_BLOCK; ++i)
        {
            check_leaf(leaves, region->first * AB_BLOCK + i);
            live += leaves->collider[region->first * AB_BLOCK + i] != ABUT_NONE;
            AB_ASSERT(i < region->tail || leaves->collider[region->first * AB_BLOCK + i] == ABUT_NONE, i);
        }
        AB_ASSERT(live == region->live, live);
    }
}
