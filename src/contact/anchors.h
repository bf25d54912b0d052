// Where the manifolds of the present contacts were computed, for worlds that keep manifolds from detect to detect. A
// reference stays in its slot as long as its manifold is kept; results name slots by contact.
//
// What a detect computes goes to slots that no contact names, so that nothing changes for those of the last one until
// all is published. New contacts, in canonical order, take free slots in ascending order, spread evenly over all of
// them: what contacts give up is as evenly spread, so slots of contacts that are read one after the other stay near to
// each other.
//
// Invariant: a slot is named by one contact of the published results, or is free.
#ifndef AB_ANCHORS_H
#define AB_ANCHORS_H

#include "contact/results.h"
#include "narrow/recycle.h"

typedef struct ab_anchors
{
    ab_anchor *data;   // growable, by slot
    uint32_t *free;    // growable, ascending
    uint64_t *is_free; // growable, by slot a bit, from the lowest of the first on; none past the last slot
    uint64_t stride;   // from one free slot that is about to be taken to the next, times 2^32
} ab_anchors;

// Room for so many slots, all of which may be free. False when out of memory.
bool ab_references_make_room(ab_anchors *anchors, ab_memory *memory, size_t slots);

// Room for `taken` more while those of the last detect stand, and for giving up `given_up` of them. False when memory
// is refused.
bool ab_references_reserve(ab_anchors *anchors, ab_memory *memory, uint32_t taken, uint32_t given_up);

// The slot of the one with number `which` of `taken` that are about to be taken: so many as room was made for last.
uint32_t ab_references_slot(const ab_anchors *anchors, uint32_t taken, uint32_t which);

// So many have been taken, and those slots given up. Room is there.
void ab_references_exchange(ab_anchors *anchors, uint32_t taken, const uint32_t *given_up, uint32_t given_up_count);

void ab_references_close(ab_anchors *anchors);

// Asserts the invariant.
void ab_references_check(const ab_anchors *anchors, const ab_results *published);

#endif
