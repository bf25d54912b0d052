// Separations of contacts at the present poses, from their manifolds at the anchors (see bounds/anchors.h).
//
// Body a has moved by way_a + turn_a x r at r from its position since it was anchored, body b likewise. So the
// separation of a point changes by n . (way_b - way_a - turn_b x between) + (n x (turn_b - turn_a)) . r, to first order
// in the rotations. The contact's own separation changes as that of its deepest point.
#ifndef AB_FOLLOW_H
#define AB_FOLLOW_H

#include "base/isa.h"
#include "bounds/anchors.h"
#include "narrow/store/packed_manifold.h"

#include <abut/contacts.h>

// Whether what a detect that fails has written is found again from the shifts before. Small builds note it always.
#ifdef AB_SMALL
#define AB_KEEPS_SHIFTS false
#else
#define AB_KEEPS_SHIFTS true
#endif

// What a contact had at its anchors.
typedef struct ab_anchored
{
    float gap[AB_MAX_POINTS]; // the separations of its points; AB_NO_POINT where there is none
    float between[3];         // from the position of body a to that of body b
    float separation;
} ab_anchored;

#define AB_NO_POINT 1.0e30f

// The separations of a contact now.
typedef struct ab_separations
{
    float gap[AB_MAX_POINTS]; // of its points
    float separation;
} ab_separations;

typedef struct ab_follow_in
{
    abut_contact *contacts;        // by slot
    const ab_anchored *anchored;   // likewise
    const ab_shift *shifts;        // by body slot
    const ab_shift *shifts_before; // likewise: when contacts that stand were given their separations; NULL: unknown
    const uint64_t *keys;          // of a list of contacts
    const uint32_t *slots;         // likewise
    float margin;
} ab_follow_in;

#define AB_FOLLOW_MOST   8u                   // lanes of any kernel
#define AB_FOLLOW_BEFORE (AB_MAX_POINTS + 1u) // separations of a contact: of its points, and its own

typedef struct ab_follow_out
{
    uint8_t *flags_before; // by index in the list, of contacts that stand
    float *before; // NULL, or their separations before: AB_FOLLOW_BEFORE a contact, and as many for AB_FOLLOW_MOST more
    uint32_t *others;  // the indices of contacts that do not stand, ascending
    uint32_t *changed; // of those that stand and touch and did not, or the other way about
} ab_follow_out;

typedef struct ab_follow_counts
{
    uint32_t others, changed;
    uint64_t points, speculative; // of contacts that stand
} ab_follow_counts;

// Finds which of contacts [first, end) of the list stand: neither body is anchored anew, and one of them may move.
// Writes their separations and flags.
typedef ab_follow_counts ab_follow_kernel(const ab_follow_in *in, uint32_t first, uint32_t end,
                                          const ab_follow_out *out);

// Undoes it, with the same arguments; shifts must be as they were. Finds the separations before as they were found
// then, or where they were noted.
typedef void ab_follow_undo_kernel(const ab_follow_in *in, uint32_t first, uint32_t end, const ab_follow_out *out);

typedef struct ab_follow_kernels
{
    ab_follow_kernel *follow;
    ab_follow_undo_kernel *undo;
} ab_follow_kernels;

// What is kept of a manifold of so many points; its proxies have these records.
void ab_anchor_manifold(const ab_packed_manifold *packed, uint32_t count, const ab_record *records, ab_anchored *out);

// The separations where neither body has moved. Adding zero makes a negative zero positive, as the kernel does.
void ab_follow_none(const ab_anchored *at, ab_separations *out);

// Follows it to the present poses, as the kernel does. `at` becomes what is kept of it. Returns whether either body has
// moved since it was anchored.
bool ab_follow_manifold(const ab_packed_manifold *packed, uint32_t count, const ab_record *records,
                        const ab_shift *shifts, ab_anchored *at, ab_separations *out);

#endif
