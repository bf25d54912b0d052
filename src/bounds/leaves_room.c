// Room for leaves: the arrays of both regions grow and shrink together, with what is in them.
#include "base/array.h"
#include "base/assert.h"
#include "bounds/leaf_lanes.h"

#define TRIM_LEAST 512u // blocks; fewer are not worth a trim

static uint32_t block_count(const ab_leaves *leaves)
{
    const ab_region *last = &leaves->region[AB_STILL];
    return last->first + last->room;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Blocks to have for `leaves_needed`. When that is more than there are: at least twice as many, and at least an eighth
// of `beyond`, the blocks that have to move out of the way. 64 bits: sums may pass 2^32.
static uint64_t room_for(const ab_region *region, uint64_t leaves_needed, uint64_t beyond)
{
    const uint64_t blocks = (leaves_needed + AB_BLOCK - 1) / AB_BLOCK;
    if (blocks <= region->room)
    {
        return region->room;
    }
    const uint64_t wanted = larger(blocks, larger(2 * (uint64_t)region->room, beyond / 8));
    return (wanted + AB_ROOM_GRANULE - 1) / AB_ROOM_GRANULE * AB_ROOM_GRANULE;
}

// The optional arrays count as there when they are not NULL, so they never have a capacity of zero.
static bool reserve_optional(ab_leaves *leaves, ab_memory *memory, size_t count)
{
    return (!leaves->reach || ab_array_reserve(leaves->reach, memory, count)) &&
           (!leaves->offset || ab_array_reserve(leaves->offset, memory, count));
}

static bool reserve_blocks(ab_leaves *leaves, ab_memory *memory, size_t blocks)
{
    const size_t count = blocks * AB_BLOCK;
    return ab_array_reserve(leaves->block, memory, blocks) && ab_array_reserve(leaves->extent, memory, blocks) &&
           ab_array_reserve(leaves->record, memory, count) && ab_array_reserve(leaves->collider, memory, count) &&
           ab_array_reserve(leaves->traits, memory, count) && ab_array_reserve(leaves->order, memory, count) &&
           reserve_optional(leaves, memory, count);
}

static void set_lengths(ab_leaves *leaves, size_t blocks)
{
    const size_t count = blocks * AB_BLOCK;
    ab_array_set_length(leaves->block, blocks);
    ab_array_set_length(leaves->extent, blocks);
    ab_array_set_length(leaves->record, count);
    ab_array_set_length(leaves->collider, count);
    ab_array_set_length(leaves->traits, count);
    ab_array_set_length(leaves->order, count);
    ab_array_set_length(leaves->reach, leaves->reach ? count : 0);
    ab_array_set_length(leaves->offset, leaves->offset ? count : 0);
}

static void place_colliders(ab_leaves *leaves, size_t first, size_t count)
{
    for (size_t leaf = first; leaf < first + count; ++leaf)
    {
        if (leaves->collider[leaf] != ABUT_NONE)
        {
            leaves->leaf_of[leaves->collider[leaf]] = (uint32_t)leaf;
        }
    }
}

// Moves the still region to begin at block `to`; the array is long enough.
static void move_still(ab_leaves *leaves, uint32_t to)
{
    ab_region *still = &leaves->region[AB_STILL];
    const uint32_t from = still->first, blocks = still->blocks;
    const size_t old = (size_t)from * AB_BLOCK, new = (size_t)to *AB_BLOCK, count = (size_t)blocks *AB_BLOCK;
    still->first = to;
    if (count == 0)
    {
        return;
    }
    memmove(leaves->block + to, leaves->block + from, blocks * sizeof *leaves->block);
    memmove(leaves->extent + to, leaves->extent + from, blocks * sizeof *leaves->extent);
    memmove(leaves->record + new, leaves->record + old, count * sizeof *leaves->record);
    memmove(leaves->collider + new, leaves->collider + old, count * sizeof *leaves->collider);
    memmove(leaves->traits + new, leaves->traits + old, count * sizeof *leaves->traits);
    memmove(leaves->order + new, leaves->order + old, count * sizeof *leaves->order);
    if (leaves->reach)
    {
        memmove(leaves->reach + new, leaves->reach + old, count * sizeof *leaves->reach);
    }
    if (leaves->offset)
    {
        memmove(leaves->offset + new, leaves->offset + old, count * sizeof *leaves->offset);
    }
    place_colliders(leaves, new, count);
}

static bool reserve_slots(ab_leaves *leaves, ab_memory *memory, uint32_t colliders)
{
    const size_t before = arrlenu(leaves->leaf_of);
    if (colliders <= before)
    {
        return true;
    }
    if (!ab_array_resize(leaves->leaf_of, memory, colliders))
    {
        return false;
    }
    memset(leaves->leaf_of + before, 0xff, (colliders - before) * sizeof *leaves->leaf_of);
    return true;
}

bool ab_leaves_reserve(ab_leaves *leaves, ab_memory *memory, ab_set set, uint32_t more, uint32_t colliders)
{
    ab_region *active = &leaves->region[AB_ACTIVE], *still = &leaves->region[AB_STILL];
    const uint64_t active_room =
        room_for(active, (uint64_t)active->tail + (set == AB_ACTIVE ? more : 0), still->blocks);
    const uint64_t still_room = room_for(still, (uint64_t)still->tail + (set == AB_STILL ? more : 0), 0);
    const uint64_t blocks = active_room + still_room;
    if (blocks * AB_BLOCK >= UINT32_MAX || !reserve_slots(leaves, memory, colliders))
    {
        return false;
    }
    if (active_room == active->room && still_room == still->room)
    {
        return true;
    }
    if (!reserve_blocks(leaves, memory, (size_t)blocks))
    {
        return false;
    }
    set_lengths(leaves, (size_t)blocks);
    const uint32_t active_end = active->room, still_blocks = still->blocks;
    active->room = (uint32_t)active_room;
    still->room = (uint32_t)still_room;
    move_still(leaves, active->room);
    clear_leaves(leaves, active_end * AB_BLOCK, active->room * AB_BLOCK);
    clear_leaves(leaves, (still->first + still_blocks) * AB_BLOCK, (uint32_t)blocks * AB_BLOCK);
    return true;
}

// Copies the blocks in use of a region, and where its colliders are, to leaves with arrays and regions of their own.
static void copy_region(const ab_leaves *from, ab_leaves *to, ab_set set)
{
    const size_t blocks = from->region[set].blocks, count = blocks * AB_BLOCK;
    AB_ASSERT(to->block && to->extent && to->record && to->collider && to->traits && to->order, set);
    const size_t old_block = from->region[set].first, new_block = to->region[set].first;
    const size_t old = AB_BLOCK * old_block, new = AB_BLOCK *new_block;
    memcpy(to->block + new_block, from->block + old_block, blocks * sizeof *to->block);
    memcpy(to->extent + new_block, from->extent + old_block, blocks * sizeof *to->extent);
    memcpy(to->record + new, from->record + old, count * sizeof *to->record);
    memcpy(to->collider + new, from->collider + old, count * sizeof *to->collider);
    memcpy(to->traits + new, from->traits + old, count * sizeof *to->traits);
    memcpy(to->order + new, from->order + old, count * sizeof *to->order);
    if (from->reach)
    {
        memcpy(to->reach + new, from->reach + old, count * sizeof *to->reach);
    }
    if (from->offset)
    {
        memcpy(to->offset + new, from->offset + old, count * sizeof *to->offset);
    }
    place_colliders(to, new, count);
    clear_leaves(to, (uint32_t)(new + count), (to->region[set].first + to->region[set].room) * AB_BLOCK);
}

void ab_leaves_trim(ab_leaves *leaves, ab_memory *memory)
{
    const ab_region *active = &leaves->region[AB_ACTIVE], *still = &leaves->region[AB_STILL];
    const uint32_t live = active->live + still->live;
    const uint32_t promised = leaves->promised > live ? (leaves->promised - live) / AB_BLOCK + 1 : 0;
    const uint32_t used =
        active->blocks + (promised > active->blocks / 4 ? promised : active->blocks / 4) + AB_ROOM_GRANULE;
    const uint32_t active_room = used / AB_ROOM_GRANULE * AB_ROOM_GRANULE, still_room = still->room;
    const uint64_t spare = active->room > active_room ? active->room - active_room : 0;
    if (spare < TRIM_LEAST || spare < still->blocks / 2 || spare > 2 * (uint64_t)still->blocks)
    {
        return;
    }
    const size_t blocks = (size_t)active_room + still_room;
    ab_leaves fresh = { .leaf_of = leaves->leaf_of, .promised = leaves->promised, .region = { *active, *still } };
    const bool have = (!leaves->reach || ab_array_reserve(fresh.reach, memory, AB_BLOCK)) &&
                      (!leaves->offset || ab_array_reserve(fresh.offset, memory, AB_BLOCK)) &&
                      reserve_blocks(&fresh, memory, blocks);
    if (!have)
    {
        fresh.leaf_of = NULL;
        ab_leaves_release(&fresh);
        return;
    }
    set_lengths(&fresh, blocks);
    fresh.region[AB_ACTIVE].room = active_room;
    fresh.region[AB_STILL].first = active_room;
    copy_region(leaves, &fresh, AB_ACTIVE);
    copy_region(leaves, &fresh, AB_STILL);
    leaves->leaf_of = NULL;
    ab_leaves_release(leaves);
    *leaves = fresh;
}

bool ab_leaves_need_reach(ab_leaves *leaves, ab_memory *memory)
{
    const size_t count = (size_t)block_count(leaves) * AB_BLOCK;
    if (leaves->reach)
    {
        return true;
    }
    if (!ab_array_reserve(leaves->reach, memory, count > 0 ? count : AB_BLOCK))
    {
        return false;
    }
    ab_array_set_length(leaves->reach, count);
    memset(leaves->reach, 0, count * sizeof *leaves->reach);
    return true;
}

bool ab_leaves_need_offset(ab_leaves *leaves, ab_memory *memory)
{
    const size_t count = (size_t)block_count(leaves) * AB_BLOCK;
    if (leaves->offset)
    {
        return true;
    }
    if (!ab_array_reserve(leaves->offset, memory, count > 0 ? count : AB_BLOCK))
    {
        return false;
    }
    ab_array_set_length(leaves->offset, count);
    memset(leaves->offset, 0, count * sizeof *leaves->offset);
    return true;
}

void ab_leaves_release(ab_leaves *leaves)
{
    arrfree(leaves->block);
    arrfree(leaves->extent);
    arrfree(leaves->record);
    arrfree(leaves->collider);
    arrfree(leaves->traits);
    arrfree(leaves->order);
    arrfree(leaves->reach);
    arrfree(leaves->offset);
    arrfree(leaves->leaf_of);
    *leaves = (ab_leaves){ 0 };
}
