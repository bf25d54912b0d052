// Groups of bodies of which nothing has changed since the detects before: all are immobile, and none is anchored anew.
// What a detect would write of them stands already in both sides of what it writes by turns, so it need not look at
// them: a level of sleeping and static bodies costs next to nothing.
#ifndef AB_UNCHANGED_H
#define AB_UNCHANGED_H

#include "base/isa.h"
#include "base/memory.h"
#include "bounds/anchors.h"

#define AB_UNCHANGED_GROUP 16u // bodies; at least AB_WIDEST

// Anchors and shifts have two sides: what the last detect published, and what the present one writes.
typedef struct ab_unchanged
{
    uint8_t *sides; // growable, by group: a bit for each side that holds what a detect would write
    uint32_t side;  // the one that the present detect writes, 0 or 1
} ab_unchanged;

#ifdef AB_SMALL // no group counts as unchanged

static inline bool ab_unchanged_grow(ab_unchanged *unchanged, ab_memory *memory, size_t bodies)
{
    (void)unchanged, (void)memory, (void)bodies;
    return true;
}

static inline uint32_t ab_unchanged_skip(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known,
                                         uint32_t first, uint32_t end)
{
    (void)unchanged, (void)in, (void)known, (void)end;
    return first;
}

static inline uint32_t ab_unchanged_run(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known,
                                        uint32_t first, uint32_t end)
{
    (void)unchanged, (void)in, (void)known, (void)first;
    return end;
}

static inline void ab_unchanged_note(ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known,
                                     uint32_t first, uint32_t end)
{
    (void)unchanged, (void)in, (void)known, (void)first, (void)end;
}

static inline bool ab_unchanged_has(const ab_unchanged *unchanged, uint32_t body)
{
    (void)unchanged, (void)body;
    return false;
}

#else

// Makes groups for so many bodies; new ones are not unchanged. False when out of memory.
bool ab_unchanged_grow(ab_unchanged *unchanged, ab_memory *memory, size_t bodies);

// The first body from `first` on, which begins a group, that is in no unchanged group; `end` if all are.
uint32_t ab_unchanged_skip(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                           uint32_t end);

// The first body from `first` on that is in an unchanged group; `end` if none is.
uint32_t ab_unchanged_run(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                          uint32_t end);

// Notes which groups of bodies [first, end), computed by this detect, are unchanged.
void ab_unchanged_note(ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                       uint32_t end);

// Whether a body's group is unchanged: nothing of it is to be published.
static inline bool ab_unchanged_has(const ab_unchanged *unchanged, uint32_t body)
{
    return unchanged->sides[body / AB_UNCHANGED_GROUP] != 0;
}

#endif

#endif
