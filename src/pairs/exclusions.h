// Pairs of bodies that do not meet whatever their filters say, such as those a joint holds together. An exclusion is
// counted: it lasts until it was taken back as often as it was made, or until either body ends.
//
// Found by key in an open table (linear probing: Knuth, The Art of Computer Programming, volume 3, section 6.4), of
// which at most half is in use, and by body in lists.
#ifndef AB_EXCLUSIONS_H
#define AB_EXCLUSIONS_H

#include "pairs/pair_lists.h"

typedef struct ab_exclusions
{
    ab_pair_lists lists;
    uint32_t *times; // growable, by slot of the lists: how often the pair is excluded, at least once
    uint32_t *table; // growable, a power of two long: slot of the lists + 1, or 0
    unsigned bits;   // of an index of the table
} ab_exclusions;

// Room for one more pair, of bodies below `body_slots`. False when out of memory.
bool ab_exclusions_reserve(ab_exclusions *exclusions, ab_memory *memory, uint32_t body_slots);

// How often two bodies exclude each other, in either order.
uint32_t ab_exclusions_times(const ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b);

// Excludes two bodies once more; room must be there.
void ab_exclusions_add(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b);

// Takes one exclusion back, of which there must be one.
void ab_exclusions_take(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b);

// Takes back all that a body has a part in.
void ab_exclusions_forget(ab_exclusions *exclusions, uint32_t body);

// Whether a body has a part in any.
bool ab_exclusions_concern(const ab_exclusions *exclusions, uint32_t body);

void ab_exclusions_close(ab_exclusions *exclusions);
void ab_exclusions_check(const ab_exclusions *exclusions);

#endif
