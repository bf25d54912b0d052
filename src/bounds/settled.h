// Groups of bodies of which nothing has changed since the detects before: all are immobile, and none is anchored anew. What
// a detect would write of them stands already in both sides of what it writes by turns, so it need not look at them: a
// level of sleeping and static bodies costs next to nothing.
#ifndef AB_SETTLED_H
#define AB_SETTLED_H

#include "base/isa.h"
#include "base/memory.h"
#include "bounds/anchors.h"

#define AB_SETTLED_GROUP 16u // bodies; at least AB_WIDEST

// Anchors and shifts have two sides: what the last detect published, and what the present one writes.
typedef struct ab_settled
{
    uint8_t *sides; // growable, by group: a bit for each side that holds what a detect would write
    uint32_t side;  // the one that the present detect writes, 0 or 1
} ab_settled;

#ifdef AB_SMALL // groups never settle

static inline bool ab_settled_grow(ab_settled *settled, ab_memory *memory, size_t bodies)
{
    (void)settled, (void)memory, (void)bodies;
    return true;
}

static inline uint32_t ab_settled_skip(const ab_settled *settled, const ab_anchor_in *in, const uint8_t *known,
                                       uint32_t first, uint32_t end)
{
    (void)settled, (void)in, (void)known, (void)end;
    return first;
}

static inline uint32_t ab_settled_run(const ab_settled *settled, const ab_anchor_in *in, const uint8_t *known,
                                      uint32_t first, uint32_t end)
{
    (void)settled, (void)in, (void)known, (void)first;
    return end;
}

static inline void ab_settled_note(ab_settled *settled, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                                   uint32_t end)
{
    (void)settled, (void)in, (void)known, (void)first, (void)end;
}

static inline bool ab_settled_has(const ab_settled *settled, uint32_t body)
{
    (void)settled, (void)body;
    return false;
}

#else

// Makes groups for so many bodies; new ones are not settled. False when out of memory.
bool ab_settled_grow(ab_settled *settled, ab_memory *memory, size_t bodies);

// The first body from `first` on, which begins a group, that is in no settled group; `end` if all are.
uint32_t ab_settled_skip(const ab_settled *settled, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                         uint32_t end);

// The first body from `first` on that is in a settled group; `end` if none is.
uint32_t ab_settled_run(const ab_settled *settled, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                        uint32_t end);

// Notes which groups of bodies [first, end), computed by this detect, have settled.
void ab_settled_note(ab_settled *settled, const ab_anchor_in *in, const uint8_t *known, uint32_t first, uint32_t end);

// Whether a body's group has settled: nothing of it is to be published.
static inline bool ab_settled_has(const ab_settled *settled, uint32_t body)
{
    return settled->sides[body / AB_SETTLED_GROUP] != 0;
}

#endif

#endif
