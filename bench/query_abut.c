// A first pass without room counts what there is; after it nothing is cut off.
#include "query_abut.h"

#include "storage.h"

#include <math.h>

static const abut_query_filter bounds_only = { .flags = ABUT_QUERY_BOUNDS };

static uint32_t most_of(query_kind kind)
{
    return kind == QUERY_NEAREST_8 ? 8u : 1u;
}

// The place of question i's own answers, and in *count how many there is room for.
static void *own_entries(const query_found *found, uint32_t i, uint32_t *count)
{
    const uint64_t first = found->ranges ? found->ranges[i].first : i;
    *count = found->ranges ? found->ranges[i].count : 1;
    return (char *)found->entries + first * found->entry_size;
}

static abut_status ask_one(void *out, uint32_t room, uint32_t *count, uint32_t i, const query_set *set,
                           const abut_world *world)
{
    switch (set->kind)
    {
    case QUERY_RAY_ANY:
        return abut_world_ray_any(world, &set->rays[i], NULL, out);
    case QUERY_RAY_ALL:
        return abut_world_ray_all(world, &set->rays[i], NULL, out, room, count);
    case QUERY_CAST:
        return abut_world_cast_closest(world, &set->casts[i], NULL, out);
    case QUERY_OVERLAP_BOUNDS:
        return abut_world_overlap_aabb(world, &set->boxes[i], &bounds_only, out, room, count);
    case QUERY_OVERLAP_BOX:
        return abut_world_overlap_aabb(world, &set->boxes[i], NULL, out, room, count);
    case QUERY_OVERLAP_SPHERE:
        return abut_world_overlap_shape(world, &set->shapes[i], NULL, out, room, count);
    case QUERY_NEAREST:
    case QUERY_NEAREST_8:
        return abut_world_nearest(world, &set->points[i], INFINITY, NULL, out, most_of(set->kind), count);
    default:
        return abut_world_ray_closest(world, &set->rays[i], NULL, out);
    }
}

abut_status query_ask_each(query_found *found, const query_set *set, const abut_world *world)
{
    abut_status status = ABUT_OK;
    found->total = 0;
    found->miscounted = 0;
    for (uint32_t i = 0; status == ABUT_OK && i < QUERY_COUNT; ++i)
    {
        uint32_t room, count = 1;
        void *const out = own_entries(found, i, &room);
        status = ask_one(out, room, &count, i, set, world);
        found->total += count;
        found->miscounted += count != room;
    }
    return status;
}

abut_status query_ask_many(query_found *found, const query_set *set, const abut_world *world)
{
    abut_range *ranges = found->ranges;
    void *out = found->entries;
    const uint64_t room = found->room;
    uint64_t *total = &found->total;
    *total = QUERY_COUNT;
    switch (set->kind)
    {
    case QUERY_RAY_ANY:
        return abut_world_ray_any_many(world, set->rays, QUERY_COUNT, NULL, out);
    case QUERY_RAY_ALL:
        return abut_world_ray_all_many(world, set->rays, QUERY_COUNT, NULL, ranges, out, room, total);
    case QUERY_CAST:
        return abut_world_cast_closest_many(world, set->casts, QUERY_COUNT, NULL, out);
    case QUERY_OVERLAP_BOUNDS:
        return abut_world_overlap_aabb_many(world, set->boxes, QUERY_COUNT, &bounds_only, ranges, out, room, total);
    case QUERY_OVERLAP_BOX:
        return abut_world_overlap_aabb_many(world, set->boxes, QUERY_COUNT, NULL, ranges, out, room, total);
    case QUERY_OVERLAP_SPHERE:
        return abut_world_overlap_shape_many(world, set->shapes, QUERY_COUNT, NULL, ranges, out, room, total);
    case QUERY_NEAREST:
    case QUERY_NEAREST_8:
        return abut_world_nearest_many(world, set->points, QUERY_COUNT, INFINITY, most_of(set->kind), NULL, ranges, out,
                                       room, total);
    default:
        return abut_world_ray_closest_many(world, set->rays, QUERY_COUNT, NULL, out);
    }
}

static size_t entry_size(query_kind kind)
{
    return kind == QUERY_RAY_ANY  ? sizeof(bool)
           : kind <= QUERY_CAST   ? sizeof(abut_hit)
           : kind < QUERY_NEAREST ? sizeof(abut_found)
                                  : sizeof(abut_near);
}

abut_status query_found_make(query_found *found, const query_set *set, const abut_world *world)
{
    const bool has_ranges = set->kind == QUERY_RAY_ALL || set->kind > QUERY_CAST;
    *found = (query_found){ .entry_size = entry_size(set->kind), .room = QUERY_COUNT };
    if (has_ranges)
    {
        found->room = 0;
        found->ranges = storage_take(QUERY_COUNT, sizeof *found->ranges);
        const abut_status status = query_ask_many(found, set, world);
        if (status != ABUT_OK)
        {
            return status;
        }
        found->room = found->total;
    }
    found->entries = storage_take((size_t)found->room + 8, found->entry_size);
    return ABUT_OK;
}

void query_found_release(query_found *found)
{
    storage_give(found->ranges);
    storage_give(found->entries);
}

// FNV-1a over bytes.
static uint64_t feed(uint64_t hash, const void *from, size_t size)
{
    const unsigned char *bytes = from;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

uint64_t query_found_hash(const query_found *found)
{
    uint64_t hash = feed(0xcbf29ce484222325u, found->entries, (size_t)found->room * found->entry_size);
    for (uint32_t i = 0; found->ranges && i < QUERY_COUNT; ++i)
    {
        hash = feed(hash, &found->ranges[i].count, sizeof found->ranges[i].count);
    }
    return hash;
}

void query_found_answers(const query_found *found, const query_set *set, query_answers *out)
{
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        uint32_t count;
        const void *own = own_entries(found, i, &count);
        const abut_hit *hit = set->kind <= QUERY_CAST && set->kind != QUERY_RAY_ANY ? own : NULL;
        out->hits[i] = count;
        out->fractions[i] = 1.0f;
        if (set->kind == QUERY_RAY_ANY)
        {
            out->hits[i] = *(const bool *)own;
        }
        else if (hit && !found->ranges)
        {
            out->hits[i] = hit->collider.slot != 0 || hit->collider.generation != 0;
        }
        if (hit && out->hits[i] > 0)
        {
            out->fractions[i] = hit->fraction;
        }
    }
}
