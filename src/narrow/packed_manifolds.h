// The manifolds of a detect as the narrow phase leaves them for the contact store.
#ifndef AB_PACKED_MANIFOLDS_H
#define AB_PACKED_MANIFOLDS_H

#include "base/memory.h"
#include "narrow/narrow.h"

typedef struct ab_packed_manifolds
{
    ab_packed_manifold *lines;  // growable
    ab_manifold_entry *entries; // growable
    uint32_t line_count, count, point_count;
} ab_packed_manifolds;

// Room for so many lines and patches in all; what the counts say stays. False when out of memory.
bool ab_packed_manifolds_reserve(ab_packed_manifolds *manifolds, ab_memory *memory, size_t lines, size_t count);

// Writes what a kernel found to `first_line` and patch `first` on. Room must be there; counts stay as they are.
void ab_packed_manifolds_write(const ab_packed_manifolds *manifolds, uint32_t first_line, uint32_t first,
                               const ab_manifolds *found);

// The same behind what is there already, making room. False when out of memory.
bool ab_packed_manifolds_append(ab_packed_manifolds *manifolds, ab_memory *memory, const ab_manifolds *found);

void ab_packed_manifolds_close(ab_packed_manifolds *manifolds);

#endif
