// The anchors of cached manifolds, for worlds that recycle manifolds: the poses at which a manifold was computed. An
// anchor stays in its slot while its manifold is reused; contacts name slots.
//
// A detect writes new anchors to slots that no contact names, so the published ones stay valid until it publishes. New
// contacts, in canonical order, take free slots in ascending order, spread evenly over the free list. Freed slots are
// spread as evenly, so the slots of neighbouring contacts stay close in memory.
//
// Invariant: each slot is either free or named by exactly one contact of the published results.
#ifndef AB_ANCHORS_H
#define AB_ANCHORS_H

#include "contact/results.h"
#include "narrow/kernels/recycle.h"

typedef struct ab_anchors
{
    ab_anchor *data;   // growable, by slot
    uint32_t *free;    // growable, ascending
    uint64_t *is_free; // growable, a bit per slot, lowest first; none set past the last slot
    uint64_t stride;   // between the free slots taken next, in 32.32 fixed point
    size_t most;       // slots named at a time since ab_anchors_trim
} ab_anchors;

// Reserves so many slots, all of which may be free. False when out of memory.
bool ab_anchors_make_room(ab_anchors *anchors, ab_memory *memory, size_t slots);

// Reserves `taken` more anchors while the present ones stay, and room to free `given_up` of them. False when out of
// memory.
bool ab_anchors_reserve(ab_anchors *anchors, ab_memory *memory, uint32_t taken, uint32_t given_up);

// The slot of anchor number `which` of the `taken` reserved last.
uint32_t ab_anchors_slot(const ab_anchors *anchors, uint32_t taken, uint32_t which);

// Takes the `taken` slots reserved last and frees those in `given_up`. Cannot fail.
void ab_anchors_exchange(ab_anchors *anchors, uint32_t taken, const uint32_t *given_up, uint32_t given_up_count);

// Moves the anchors together, into the order of the published contacts that name them, and gives back the rest, if
// slots are more than twice what was needed for long, and more than `slots`. When out of memory, nothing changes.
void ab_anchors_trim(ab_anchors *anchors, ab_memory *memory, ab_results *published, size_t slots);
// Makes slots [0, count) the only ones, none of them free; their anchors are to be written. Room was made before.
void ab_anchors_reset(ab_anchors *anchors, uint32_t count);

void ab_anchors_close(ab_anchors *anchors);

void ab_anchors_check(const ab_anchors *anchors, const ab_results *published);

#endif
