// The manifolds of a detect as the narrow phase leaves them for the contact store.
#ifndef AB_PATCHES_H
#define AB_PATCHES_H

#include "base/memory.h"
#include "narrow/narrow.h"

typedef struct ab_patches
{
    ab_patch *lines;  // growable
    ab_brief *briefs; // growable
    uint32_t line_count, count, point_count;
} ab_patches;

// Room for so many lines and patches in all; what the counts say stays. False when memory is refused.
bool ab_patches_reserve(ab_patches *patches, ab_memory *memory, size_t lines, size_t count);

// Writes what a kernel found to `first_line` and patch `first` on. Room must be there; counts stay as they are.
void ab_patches_write(const ab_patches *patches, uint32_t first_line, uint32_t first, const ab_manifolds *found);

// The same behind what is there already, making room. False when memory is refused.
bool ab_patches_append(ab_patches *patches, ab_memory *memory, const ab_manifolds *found);

void ab_patches_close(ab_patches *patches);

#endif
