// Pairs in slots, each listed with both of its bodies, so that the pairs of one body are found without a search.
//
// Invariant: a slot with a pair is in the lists of both its bodies; a free slot has key AB_NO_KEY.
#ifndef AB_PAIR_LISTS_H
#define AB_PAIR_LISTS_H

#include "base/memory.h"

#include <abut/world.h>

#define AB_NO_KEY UINT64_MAX

// One side of a pair.
typedef struct ab_pair_end
{
    uint32_t body;          // slot
    abut_collider collider; // zeros if the pair is of whole bodies
    uint32_t child;         // of the first side: the second key, of pairs that have several entries
} ab_pair_end;

typedef struct ab_pair_lists
{
    uint64_t *keys;         // growable, by slot
    ab_pair_end *ends;      // growable, by node: 2 * slot for the pair's first side, 2 * slot + 1 for its second
    uint32_t *next, *prior; // growable, by node: in the list of its body, or ABUT_NONE
    uint32_t *head;         // growable, by body slot: first node of its list, or ABUT_NONE
    uint32_t *free;         // growable stack; room for every slot
    uint32_t live;
} ab_pair_lists;

// The number of slots after `more` puts.
size_t ab_pair_lists_slots(const ab_pair_lists *lists, uint32_t more);

// Reserves `more` pairs and the lists of `body_slots` bodies. False when out of memory.
bool ab_pair_lists_reserve(ab_pair_lists *lists, ab_memory *memory, uint32_t more, uint32_t body_slots);

// Returns the pair's slot. Cannot fail.
uint32_t ab_pair_lists_put(ab_pair_lists *lists, uint64_t key, const ab_pair_end ends[2]);
void ab_pair_lists_remove(ab_pair_lists *lists, uint32_t slot);

// The first node of a body's list, or ABUT_NONE.
uint32_t ab_pair_lists_first(const ab_pair_lists *lists, uint32_t body);

// Whether any pair is of these two bodies. Takes time in proportion to the shorter of their lists.
bool ab_pair_lists_join(const ab_pair_lists *lists, uint32_t body_a, uint32_t body_b);

// Sorts slots in use by key and child.
void ab_pair_lists_sort(const ab_pair_lists *lists, uint32_t *slots, uint32_t count);

// Writes the slots in use in the order of their keys; `slots` has room for every slot. Returns their number.
uint32_t ab_pair_lists_sorted(const ab_pair_lists *lists, uint32_t *slots);

// Removes every pair. Cannot fail.
void ab_pair_lists_clear(ab_pair_lists *lists);

void ab_pair_lists_close(ab_pair_lists *lists);
void ab_pair_lists_check(const ab_pair_lists *lists);

#endif
