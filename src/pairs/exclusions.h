// Pairs of bodies that never collide, whatever their filters, such as those connected by a joint. Exclusions are
// counted: one lasts until it is removed as often as it was added, or until either body is destroyed.
//
// Found by key in an open table (linear probing: Knuth, The Art of Computer Programming, volume 3, section 6.4) that is
// at most half full, and by body in lists.
#ifndef AB_EXCLUSIONS_H
#define AB_EXCLUSIONS_H

#include "pairs/pair_lists.h"

typedef struct ab_exclusions
{
    ab_pair_lists lists;
    uint32_t *times; // growable, by slot of the lists: how often the pair is excluded, at least once
    uint32_t *table; // growable, its length a power of two: slot of the lists + 1, or 0
    unsigned bits;   // log2 of the table's length
} ab_exclusions;

// Reserves one more pair, of bodies below `body_slots`. False when out of memory.
bool ab_exclusions_reserve(ab_exclusions *exclusions, ab_memory *memory, uint32_t body_slots);

// Reserves `pairs` in all.
bool ab_exclusions_reserve_all(ab_exclusions *exclusions, ab_memory *memory, uint32_t pairs, uint32_t body_slots);

// Removes every exclusion, and adds `times` of a pair that has none. Cannot fail.
void ab_exclusions_clear(ab_exclusions *exclusions);
void ab_exclusions_put(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b, uint32_t times);

// How often two bodies, in either order, exclude each other.
uint32_t ab_exclusions_times(const ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b);

// Adds one exclusion of two bodies. Cannot fail.
void ab_exclusions_add(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b);

// Removes one exclusion, which must exist.
void ab_exclusions_take(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b);

// Removes all exclusions of a body.
void ab_exclusions_forget(ab_exclusions *exclusions, uint32_t body);

// Whether a body has any exclusion.
bool ab_exclusions_concern(const ab_exclusions *exclusions, uint32_t body);

void ab_exclusions_close(ab_exclusions *exclusions);
void ab_exclusions_check(const ab_exclusions *exclusions);

#endif
