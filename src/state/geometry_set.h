// Geometries by the order in which they were added, found again by their address.
#ifndef AB_GEOMETRY_SET_H
#define AB_GEOMETRY_SET_H

#include "base/memory.h"

#include <abut/shape.h>

// Zeros are an empty set.
typedef struct ab_geometry_set
{
    const abut_geometry **geometries; // growable: by index
    uint32_t *buckets;                // growable: hashed, their indices or ABUT_NONE; a power of two
} ab_geometry_set;

// The index of a geometry; ABUT_NONE: it is not there.
uint32_t ab_geometry_set_index(const ab_geometry_set *set, const abut_geometry *geometry);

// Adds a geometry that is not there. False when out of memory.
bool ab_geometry_set_add(ab_geometry_set *set, ab_memory *memory, const abut_geometry *geometry);

void ab_geometry_set_close(ab_geometry_set *set);

#endif
