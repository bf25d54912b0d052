// Grows and shrinks the arrays of both regions of proxies.
#include "base/array.h"
#include "base/assert.h"
#include "bounds/proxy_lanes.h"

#define TRIM_LEAST 512u // blocks; fewer are not worth a trim

static uint32_t block_count(const ab_proxies *proxies)
{
    const ab_region *last = &proxies->region[AB_STATIC_SET];
    return last->first + last->room;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// The blocks to allocate for `proxies_needed`. When growing: at least twice as many as now, and at least an eighth of
// `beyond`, the blocks that must move out of the way. 64 bits: sums may exceed 2^32.
static uint64_t room_for(const ab_region *region, uint64_t proxies_needed, uint64_t beyond)
{
    const uint64_t blocks = (proxies_needed + AB_BLOCK - 1) / AB_BLOCK;
    if (blocks <= region->room)
    {
        return region->room;
    }
    const uint64_t wanted = larger(blocks, larger(2 * (uint64_t)region->room, beyond / 8));
    return (wanted + AB_ROOM_GRANULE - 1) / AB_ROOM_GRANULE * AB_ROOM_GRANULE;
}

// Regions double, so arrays need no slack of their own. A non-NULL optional array is in use, so it never has a capacity
// of zero.
static bool reserve_optional(ab_proxies *proxies, ab_memory *memory, size_t count)
{
#ifndef AB_SMALL
    if (!ab_array_fit(proxies->name, memory, count))
    {
        return false;
    }
#endif
    return (!proxies->reach || ab_array_fit(proxies->reach, memory, count)) &&
           (!proxies->offset || ab_array_fit(proxies->offset, memory, count));
}

static bool reserve_blocks(ab_proxies *proxies, ab_memory *memory, size_t blocks)
{
    const size_t count = blocks * AB_BLOCK;
    return ab_array_fit(proxies->block, memory, blocks) && ab_array_fit(proxies->aabb, memory, blocks) &&
           ab_array_fit(proxies->record, memory, count) && ab_array_fit(proxies->collider, memory, count) &&
           ab_array_fit(proxies->proxy_flags, memory, count) && ab_array_fit(proxies->collider_key, memory, count) &&
           reserve_optional(proxies, memory, count);
}

static void set_lengths(ab_proxies *proxies, size_t blocks)
{
    const size_t count = blocks * AB_BLOCK;
    ab_array_set_length(proxies->block, blocks);
    ab_array_set_length(proxies->aabb, blocks);
    ab_array_set_length(proxies->record, count);
    ab_array_set_length(proxies->collider, count);
    ab_array_set_length(proxies->proxy_flags, count);
    ab_array_set_length(proxies->collider_key, count);
#ifndef AB_SMALL
    ab_array_set_length(proxies->name, count);
#endif
    ab_array_set_length(proxies->reach, proxies->reach ? count : 0);
    ab_array_set_length(proxies->offset, proxies->offset ? count : 0);
}

static void place_colliders(ab_proxies *proxies, size_t first, size_t count)
{
    for (size_t proxy = first; proxy < first + count; ++proxy)
    {
        if (proxies->collider[proxy] != ABUT_NONE)
        {
            proxies->proxy_of[proxies->collider[proxy]] = (uint32_t)proxy;
        }
    }
}

// Moves the static region to begin at block `to`; the array is long enough.
static void move_static(ab_proxies *proxies, uint32_t to)
{
    ab_region *immobile = &proxies->region[AB_STATIC_SET];
    const uint32_t from = immobile->first, blocks = immobile->blocks;
    const size_t old = (size_t)from * AB_BLOCK, new = (size_t)to *AB_BLOCK, count = (size_t)blocks *AB_BLOCK;
    immobile->first = to;
    if (count == 0)
    {
        return;
    }
    memmove(proxies->block + to, proxies->block + from, blocks * sizeof *proxies->block);
    memmove(proxies->aabb + to, proxies->aabb + from, blocks * sizeof *proxies->aabb);
    memmove(proxies->record + new, proxies->record + old, count * sizeof *proxies->record);
    memmove(proxies->collider + new, proxies->collider + old, count * sizeof *proxies->collider);
    memmove(proxies->proxy_flags + new, proxies->proxy_flags + old, count * sizeof *proxies->proxy_flags);
    memmove(proxies->collider_key + new, proxies->collider_key + old, count * sizeof *proxies->collider_key);
#ifndef AB_SMALL
    memmove(proxies->name + new, proxies->name + old, count * sizeof *proxies->name);
#endif
    if (proxies->reach)
    {
        memmove(proxies->reach + new, proxies->reach + old, count * sizeof *proxies->reach);
    }
    if (proxies->offset)
    {
        memmove(proxies->offset + new, proxies->offset + old, count * sizeof *proxies->offset);
    }
    place_colliders(proxies, new, count);
}

static bool reserve_slots(ab_proxies *proxies, ab_memory *memory, uint32_t colliders)
{
    const size_t before = arrlenu(proxies->proxy_of);
    if (colliders <= before)
    {
        return true;
    }
    if (!ab_array_resize(proxies->proxy_of, memory, colliders))
    {
        return false;
    }
    memset(proxies->proxy_of + before, 0xff, (colliders - before) * sizeof *proxies->proxy_of);
    return true;
}

bool ab_proxies_reserve(ab_proxies *proxies, ab_memory *memory, ab_set set, uint32_t more, uint32_t colliders)
{
    ab_region *active = &proxies->region[AB_ACTIVE], *immobile = &proxies->region[AB_STATIC_SET];
    const uint64_t active_room =
        room_for(active, (uint64_t)active->tail + (set == AB_ACTIVE ? more : 0), immobile->blocks);
    const uint64_t static_room = room_for(immobile, (uint64_t)immobile->tail + (set == AB_STATIC_SET ? more : 0), 0);
    const uint64_t blocks = active_room + static_room;
    if (blocks * AB_BLOCK >= UINT32_MAX || !reserve_slots(proxies, memory, colliders))
    {
        return false;
    }
    if (active_room == active->room && static_room == immobile->room)
    {
        return true;
    }
    if (!reserve_blocks(proxies, memory, (size_t)blocks))
    {
        return false;
    }
    set_lengths(proxies, (size_t)blocks);
    const uint32_t active_end = active->room, static_blocks = immobile->blocks;
    active->room = (uint32_t)active_room;
    immobile->room = (uint32_t)static_room;
    move_static(proxies, active->room);
    clear_proxies(proxies, active_end * AB_BLOCK, active->room * AB_BLOCK);
    clear_proxies(proxies, (immobile->first + static_blocks) * AB_BLOCK, (uint32_t)blocks * AB_BLOCK);
    return true;
}

// Copies the used blocks of a region, and its colliders' indices, to another ab_proxies with arrays and regions of its
// own.
static void copy_region(const ab_proxies *from, ab_proxies *to, ab_set set)
{
    const size_t blocks = from->region[set].blocks, count = blocks * AB_BLOCK;
    AB_ASSERT(to->block && to->aabb && to->record && to->collider && to->proxy_flags && to->collider_key, set);
    const size_t old_block = from->region[set].first, new_block = to->region[set].first;
    const size_t old = AB_BLOCK * old_block, new = AB_BLOCK *new_block;
    memcpy(to->block + new_block, from->block + old_block, blocks * sizeof *to->block);
    memcpy(to->aabb + new_block, from->aabb + old_block, blocks * sizeof *to->aabb);
    memcpy(to->record + new, from->record + old, count * sizeof *to->record);
    memcpy(to->collider + new, from->collider + old, count * sizeof *to->collider);
    memcpy(to->proxy_flags + new, from->proxy_flags + old, count * sizeof *to->proxy_flags);
    memcpy(to->collider_key + new, from->collider_key + old, count * sizeof *to->collider_key);
#ifndef AB_SMALL
    memcpy(to->name + new, from->name + old, count * sizeof *to->name);
#endif
    if (from->reach)
    {
        memcpy(to->reach + new, from->reach + old, count * sizeof *to->reach);
    }
    if (from->offset)
    {
        memcpy(to->offset + new, from->offset + old, count * sizeof *to->offset);
    }
    place_colliders(to, new, count);
    clear_proxies(to, (uint32_t)(new + count), (to->region[set].first + to->region[set].room) * AB_BLOCK);
}

void ab_proxies_trim(ab_proxies *proxies, ab_memory *memory)
{
    const ab_region *active = &proxies->region[AB_ACTIVE], *immobile = &proxies->region[AB_STATIC_SET];
    const uint32_t live = active->live + immobile->live;
    const uint32_t reserved = proxies->reserved > live ? (proxies->reserved - live) / AB_BLOCK + 1 : 0;
    const uint32_t used =
        active->blocks + (reserved > active->blocks / 4 ? reserved : active->blocks / 4) + AB_ROOM_GRANULE;
    const uint32_t active_room = used / AB_ROOM_GRANULE * AB_ROOM_GRANULE, static_room = immobile->room;
    const uint64_t spare = active->room > active_room ? active->room - active_room : 0;
    if (spare < TRIM_LEAST || spare < immobile->blocks / 2 || spare > 2 * (uint64_t)immobile->blocks)
    {
        return;
    }
    const size_t blocks = (size_t)active_room + static_room;
    ab_proxies trimmed = { .proxy_of = proxies->proxy_of,
                           .reserved = proxies->reserved,
                           .region = { *active, *immobile } };
    const bool have = (!proxies->reach || ab_array_reserve(trimmed.reach, memory, AB_BLOCK)) &&
                      (!proxies->offset || ab_array_reserve(trimmed.offset, memory, AB_BLOCK)) &&
                      reserve_blocks(&trimmed, memory, blocks);
    if (!have)
    {
        trimmed.proxy_of = NULL;
        ab_proxies_release(&trimmed);
        return;
    }
    set_lengths(&trimmed, blocks);
    trimmed.region[AB_ACTIVE].room = active_room;
    trimmed.region[AB_STATIC_SET].first = active_room;
    copy_region(proxies, &trimmed, AB_ACTIVE);
    copy_region(proxies, &trimmed, AB_STATIC_SET);
    proxies->proxy_of = NULL;
    ab_proxies_release(proxies);
    *proxies = trimmed;
}

bool ab_proxies_need_reach(ab_proxies *proxies, ab_memory *memory)
{
    const size_t count = (size_t)block_count(proxies) * AB_BLOCK;
    if (proxies->reach)
    {
        return true;
    }
    if (!ab_array_reserve(proxies->reach, memory, count > 0 ? count : AB_BLOCK))
    {
        return false;
    }
    ab_array_set_length(proxies->reach, count);
    memset(proxies->reach, 0, count * sizeof *proxies->reach);
    return true;
}

bool ab_proxies_need_offset(ab_proxies *proxies, ab_memory *memory)
{
    const size_t count = (size_t)block_count(proxies) * AB_BLOCK;
    if (proxies->offset)
    {
        return true;
    }
    if (!ab_array_reserve(proxies->offset, memory, count > 0 ? count : AB_BLOCK))
    {
        return false;
    }
    ab_array_set_length(proxies->offset, count);
    memset(proxies->offset, 0, count * sizeof *proxies->offset);
    return true;
}

void ab_proxies_release(ab_proxies *proxies)
{
    arrfree(proxies->block);
    arrfree(proxies->aabb);
    arrfree(proxies->record);
    arrfree(proxies->collider);
    arrfree(proxies->proxy_flags);
    arrfree(proxies->collider_key);
#ifndef AB_SMALL
    arrfree(proxies->name);
#endif
    arrfree(proxies->reach);
    arrfree(proxies->offset);
    arrfree(proxies->proxy_of);
    *proxies = (ab_proxies){ 0 };
}
