// A table of indices with open addressing, at most half full.
#include "state/geometry_set.h"

#include "base/array.h"

#include <string.h>

static size_t bucket_of(const ab_geometry_set *set, const abut_geometry *geometry)
{
    const size_t mask = arrlenu(set->buckets) - 1;
    size_t at = (size_t)(((uint64_t)(uintptr_t)geometry * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (set->buckets[at] != ABUT_NONE && set->geometries[set->buckets[at]] != geometry)
    {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t ab_geometry_set_index(const ab_geometry_set *set, const abut_geometry *geometry)
{
    return arrlenu(set->buckets) == 0 ? ABUT_NONE : set->buckets[bucket_of(set, geometry)];
}

static bool make_room(ab_geometry_set *set, ab_memory *memory)
{
    const size_t count = arrlenu(set->geometries), buckets = arrlenu(set->buckets);
    if (!ab_array_reserve(set->geometries, memory, count + 1))
    {
        return false;
    }
    if (2 * (count + 1) <= buckets)
    {
        return true;
    }
    const size_t more = buckets ? 2 * buckets : 16;
    if (!ab_array_reserve(set->buckets, memory, more))
    {
        return false;
    }
    ab_array_set_length(set->buckets, more);
    memset(set->buckets, 0xff, more * sizeof *set->buckets); // ABUT_NONE
    for (uint32_t i = 0; i < count; ++i)
    {
        set->buckets[bucket_of(set, set->geometries[i])] = i;
    }
    return true;
}

bool ab_geometry_set_add(ab_geometry_set *set, ab_memory *memory, const abut_geometry *geometry)
{
    if (!make_room(set, memory))
    {
        return false;
    }
    const size_t count = arrlenu(set->geometries);
    ab_array_set_length(set->geometries, count + 1);
    set->geometries[count] = geometry;
    set->buckets[bucket_of(set, geometry)] = (uint32_t)count;
    return true;
}

void ab_geometry_set_close(ab_geometry_set *set)
{
    arrfree(set->geometries);
    arrfree(set->buckets);
}
