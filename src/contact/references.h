// Where the manifolds of the present contacts were computed, for worlds that keep manifolds from detect to detect. A reference stays
// in its slot as long as its manifold is kept; results name slots by contact.
//
// What a detect computes goes to slots that no contact names, so that nothing changes for those of the last one until all is
// published. New contacts take the slots that others gave up in the last detect, both in canonical order: so slots that are read one
// after the other stay near to each other.
//
// Invariant: a slot is named by one contact of the published results, or is free.
#ifndef AB_REFERENCES_H
#define AB_REFERENCES_H

#include "contact/results.h"
#include "narrow/recycle.h"

typedef struct ab_references
{
    ab_reference *data; // growable, by slot
    uint32_t *free;     // growable stack
} ab_references;

// Room for `taken` more while those of the last detect stand, and for giving up `given_up` of them. False when memory is refused.
bool ab_references_reserve(ab_references *references, ab_memory *memory, uint32_t taken, uint32_t given_up);

// The slot of the one with number `which` of `taken` that are about to be taken.
uint32_t ab_references_slot(const ab_references *references, uint32_t taken, uint32_t which);

// So many have been taken, and those slots given up. Room is there.
void ab_references_exchange(ab_references *references, uint32_t taken, const uint32_t *given_up,
                            uint32_t given_up_count);

void ab_references_close(ab_references *references);

// Asserts the invariant.
void ab_references_check(const ab_references *references, const ab_results *published);

#endif
