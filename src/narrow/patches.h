// The manifolds of a detect as the narrow phase leaves them for the contact store: in the order they were found, which tells
// nothing, to be read once each in another order. So each begins on a cache line of its own, which holds what its contact
// will name and two points; where there are more they fill the next line. What sorting and merging ask for lies apart, close together.
#ifndef AB_PATCHES_H
#define AB_PATCHES_H

#include "narrow/narrow.h"
#include "pairs/pair_places.h"

#define AB_NEAR_POINTS 2u // that lie on a patch's first line

// One cache line.
typedef union ab_patch
{
    struct
    {
        float normal[3];
        float separation;
        uint32_t collider_a, collider_b; // slots; a has the lower order
        abut_point near[AB_NEAR_POINTS];
    };
    abut_point far[AB_MAX_POINTS - AB_NEAR_POINTS]; // of the line after a patch of more points
} ab_patch;

_Static_assert(sizeof(ab_patch) == AB_CACHE_LINE, "a patch begins on a line of its own");

static inline const abut_point *ab_patch_point(const ab_patch *patch, uint32_t i)
{
    return i < AB_NEAR_POINTS ? &patch[0].near[i] : &patch[1].far[i - AB_NEAR_POINTS];
}

typedef struct ab_brief
{
    uint64_t key;
    uint32_t line; // where its patch begins
    uint32_t point_count;
} ab_brief;

typedef struct ab_patches
{
    ab_patch *lines;  // growable
    ab_brief *briefs; // growable
    uint32_t line_count, count, point_count;
} ab_patches;

// How many lines take what a kernel found about a batch. Asks the cache for what writing them will read.
uint32_t ab_patches_lines(const ab_manifolds *found, const ab_batch *batch);

// Room for so many lines and patches in all; what the counts say stays. False when memory is refused.
bool ab_patches_reserve(ab_patches *patches, ab_memory *memory, size_t lines, size_t count);

// Writes what a kernel found about a batch to `first_line` and patch `first` on. Room must be there; counts stay as they are.
void ab_patches_write(const ab_patches *patches, size_t first_line, size_t first, const ab_manifolds *found,
                      const ab_batch *batch);

// The same behind what is there already, making room. False when memory is refused.
bool ab_patches_append(ab_patches *patches, ab_memory *memory, const ab_manifolds *found, const ab_batch *batch);

void ab_patches_close(ab_patches *patches);

#endif
