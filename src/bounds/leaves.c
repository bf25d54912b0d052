// Keeping the leaves: room, appending, removing, settling, reordering. Boxes are written here only when a lane is
// emptied or moved; giving a live leaf its box is the bounds pass' business.
#include "bounds/leaves.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "bounds/eights.h"

#include <string.h>

#define ROOM_GRANULE 8u  // blocks
#define AHEAD        16u // leaves that a permutation asks the cache for in advance

static uint32_t block_count(const ab_leaves *leaves)
{
    const ab_region *last = &leaves->region[AB_STILL];
    return last->first + last->room;
}

static void empty_lane(ab_block *block, uint32_t lane)
{
    block->min_x[lane] = block->min_y[lane] = block->min_z[lane] = AB_EMPTY_BOX;
    block->max_x[lane] = block->max_y[lane] = block->max_z[lane] = -AB_EMPTY_BOX;
}

static void copy_lane(ab_block *to, uint32_t to_lane, const ab_block *from, uint32_t from_lane)
{
    to->min_x[to_lane] = from->min_x[from_lane];
    to->min_y[to_lane] = from->min_y[from_lane];
    to->min_z[to_lane] = from->min_z[from_lane];
    to->max_x[to_lane] = from->max_x[from_lane];
    to->max_y[to_lane] = from->max_y[from_lane];
    to->max_z[to_lane] = from->max_z[from_lane];
}

static void make_dead(ab_leaves *leaves, uint32_t leaf)
{
    empty_lane(&leaves->block[leaf / AB_BLOCK], leaf % AB_BLOCK);
    memset(&leaves->record[leaf], 0, sizeof leaves->record[leaf]);
    leaves->collider[leaf] = ABUT_NONE;
    leaves->traits[leaf] = AB_TRAIT_DEAD;
    if (leaves->reach)
    {
        leaves->reach[leaf] = 0.0f;
    }
    if (leaves->offset)
    {
        leaves->offset[leaf] = abut_vec3_make(0.0f, 0.0f, 0.0f);
    }
}

static void make_dead_range(ab_leaves *leaves, uint32_t first, uint32_t end)
{
    for (uint32_t leaf = first; leaf < end; ++leaf)
    {
        make_dead(leaves, leaf);
    }
}

// Kills leaves [first, end) of the array and brings the extents of their blocks up to date.
static void clear_leaves(ab_leaves *leaves, uint32_t first, uint32_t end)
{
    make_dead_range(leaves, first, end);
    for (uint32_t block = first / AB_BLOCK; block < (end + AB_BLOCK - 1) / AB_BLOCK; ++block)
    {
        fit_extent(&leaves->block[block], &leaves->extent[block]);
    }
}

static void set_tail(ab_region *region, uint32_t tail)
{
    region->tail = tail;
    region->blocks = (tail + AB_BLOCK - 1) / AB_BLOCK;
    region->ordered = region->ordered < tail ? region->ordered : tail;
}

// Room ----------------------------------------------------------------------------------------------------------------

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Blocks to have for `leaves_needed`. When that is more than there are: at least twice as many, and at least an eighth of
// `beyond`, the blocks that have to move out of the way. 64 bits: sums may pass 2^32.
static uint64_t room_for(const ab_region *region, uint64_t leaves_needed, uint64_t beyond)
{
    const uint64_t blocks = (leaves_needed + AB_BLOCK - 1) / AB_BLOCK;
    if (blocks <= region->room)
    {
        return region->room;
    }
    const uint64_t wanted = larger(blocks, larger(2 * (uint64_t)region->room, beyond / 8));
    return (wanted + ROOM_GRANULE - 1) / ROOM_GRANULE * ROOM_GRANULE;
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
           ab_array_reserve(leaves->traits, memory, count) && reserve_optional(leaves, memory, count);
}

static void set_lengths(ab_leaves *leaves, size_t blocks)
{
    const size_t count = blocks * AB_BLOCK;
    ab_array_set_length(leaves->block, blocks);
    ab_array_set_length(leaves->extent, blocks);
    ab_array_set_length(leaves->record, count);
    ab_array_set_length(leaves->collider, count);
    ab_array_set_length(leaves->traits, count);
    ab_array_set_length(leaves->reach, leaves->reach ? count : 0);
    ab_array_set_length(leaves->offset, leaves->offset ? count : 0);
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
    if (leaves->reach)
    {
        memmove(leaves->reach + new, leaves->reach + old, count * sizeof *leaves->reach);
    }
    if (leaves->offset)
    {
        memmove(leaves->offset + new, leaves->offset + old, count * sizeof *leaves->offset);
    }
    for (size_t leaf = new; leaf < new + count; ++leaf)
    {
        if (leaves->collider[leaf] != ABUT_NONE)
        {
            leaves->leaf_of[leaves->collider[leaf]] = (uint32_t)leaf;
        }
    }
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
    arrfree(leaves->reach);
    arrfree(leaves->offset);
    arrfree(leaves->leaf_of);
    *leaves = (ab_leaves){ 0 };
}

// One leaf at a time --------------------------------------------------------------------------------------------------

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

// Reordering ----------------------------------------------------------------------------------------------------------

// What the bounds pass reads of a record and does not write.
typedef struct kept
{
    float half[3];
    uint32_t order;
} kept;

typedef struct naming
{
    uint32_t collider, traits;
} naming;

typedef struct travel
{
    abut_vec3 offset;
    float reach;
} travel;

static void permute_kept(ab_record *record, uint32_t to, const uint32_t *order, uint32_t count, kept *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        const ab_record *from = &record[order[i]];
        scratch[i] = (kept){ .half = { from->half_x, from->half_y, from->half_z }, .order = from->order };
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        record[to + i].half_x = scratch[i].half[0];
        record[to + i].half_y = scratch[i].half[1];
        record[to + i].half_z = scratch[i].half[2];
        record[to + i].order = scratch[i].order;
    }
}

static void permute_records(ab_record *record, uint32_t to, const uint32_t *order, uint32_t count, ab_record *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        scratch[i] = record[order[i]];
    }
    memcpy(record + to, scratch, count * sizeof *record);
}

static void permute_naming(ab_leaves *leaves, uint32_t to, const uint32_t *order, uint32_t count, naming *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i] = (naming){ leaves->collider[order[i]], leaves->traits[order[i]] };
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        leaves->collider[to + i] = scratch[i].collider;
        leaves->traits[to + i] = scratch[i].traits;
        leaves->leaf_of[scratch[i].collider] = to + i;
    }
}

static void permute_boxes(ab_block *block, uint32_t to, const uint32_t *order, uint32_t count, ab_block *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        copy_lane(&scratch[i / AB_BLOCK], i % AB_BLOCK, &block[order[i] / AB_BLOCK], order[i] % AB_BLOCK);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        copy_lane(&block[(to + i) / AB_BLOCK], (to + i) % AB_BLOCK, &scratch[i / AB_BLOCK], i % AB_BLOCK);
    }
}

static void permute_travel(ab_leaves *leaves, uint32_t to, const uint32_t *order, uint32_t count, travel *scratch)
{
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i].offset = leaves->offset ? leaves->offset[order[i]] : zero;
        scratch[i].reach = leaves->reach ? leaves->reach[order[i]] : 0.0f;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (leaves->offset)
        {
            leaves->offset[to + i] = scratch[i].offset;
        }
        if (leaves->reach)
        {
            leaves->reach[to + i] = scratch[i].reach;
        }
    }
}

size_t ab_leaves_permute_bytes(ab_set set, uint32_t count)
{
    return (size_t)(count + AB_BLOCK) * (set == AB_ACTIVE ? sizeof(kept) : sizeof(ab_record));
}

void ab_leaves_permute(ab_leaves *leaves, ab_set set, uint32_t first, const uint32_t *order, uint32_t count,
                       void *scratch)
{
    ab_region *region = &leaves->region[set];
    const uint32_t to = region->first * AB_BLOCK + first, end = region->first * AB_BLOCK + region->tail;
    AB_ASSERT(first + count <= region->tail, count);
    if (set == AB_ACTIVE)
    {
        permute_kept(leaves->record, to, order, count, scratch);
    }
    else
    {
        permute_records(leaves->record, to, order, count, scratch);
        permute_boxes(leaves->block, to, order, count, scratch);
        if (leaves->reach || leaves->offset)
        {
            permute_travel(leaves, to, order, count, scratch);
        }
    }
    permute_naming(leaves, to, order, count, scratch);
    clear_leaves(leaves, to + count, end);
    for (uint32_t block = to / AB_BLOCK; set == AB_STILL && block < region->first + region->blocks; ++block)
    {
        fit_extent(&leaves->block[block], &leaves->extent[block]);
    }
    set_tail(region, first + count);
    region->ordered = region->tail;
}

// Checking ------------------------------------------------------------------------------------------------------------

static void check_leaf(const ab_leaves *leaves, uint32_t leaf)
{
    const ab_block *block = &leaves->block[leaf / AB_BLOCK];
    const uint32_t collider = leaves->collider[leaf], lane = leaf % AB_BLOCK;
    const bool empty = block->min_x[lane] == AB_EMPTY_BOX && block->max_x[lane] == -AB_EMPTY_BOX;
    AB_ASSERT((collider == ABUT_NONE) == ((leaves->traits[leaf] & AB_TRAIT_DEAD) != 0), leaf);
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
        AB_ASSERT(region->room % ROOM_GRANULE == 0 && region->blocks <= region->room, region->room);
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
