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

// Reserves so many lines and manifolds in all; counts stay. False when out of memory.
bool ab_packed_manifolds_reserve(ab_packed_manifolds *manifolds, ab_memory *memory, size_t lines, size_t count);

// Writes a kernel's output at `first_line` and manifold `first`. Cannot fail; counts stay.
void ab_packed_manifolds_write(const ab_packed_manifolds *manifolds, uint32_t first_line, uint32_t first,
                               const ab_manifolds *found);

// The same behind the present ones, growing as needed. False when out of memory.
bool ab_packed_manifolds_append(ab_packed_manifolds *manifolds, ab_memory *memory, const ab_manifolds *found);

void ab_packed_manifolds_close(ab_packed_manifolds *manifolds);

#endif
