// Separations of contacts at the present poses, from their manifolds at the anchors (see bounds/anchors.h).
//
// Body a has moved by way_a + turn_a x r at r from its position since it was anchored, body b likewise. So the separation
// of a point changes by n . (way_b - way_a - turn_b x between) + (n x (turn_b - turn_a)) . r, to first order in the
// rotations. The contact's own separation changes as that of its deepest point.
#ifndef AB_FOLLOW_H
#define AB_FOLLOW_H

#include "base/isa.h"
#include "bounds/anchors.h"
#include "narrow/store/packed_manifold.h"

#include <abut/contacts.h>

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

// What a contact was before it followed.
typedef struct ab_followed_from
{
    ab_separations separations;
    uint32_t flags;
} ab_followed_from;

typedef struct ab_follow_in
{
    abut_contact *contacts;      // by slot
    const ab_anchored *anchored; // likewise
    const ab_shift *shifts;      // by body slot
    const uint32_t *slots;       // by index in a list of contacts
    float margin;
} ab_follow_in;

// Writes the separations and flags of `count` contacts of the list with these indices. Notes what they were, and whether
// each is within the margin, both by index. Returns the number of their points.
typedef uint64_t ab_follow_kernel(const ab_follow_in *in, const uint32_t *indices, uint32_t count,
                                  ab_followed_from *before, uint8_t *touching);

typedef struct ab_follow_kernels
{
    ab_follow_kernel *follow;
} ab_follow_kernels;

// The same of one new manifold of so many points; its proxies have these records. `at` becomes what is kept of it. Returns
// whether either body has moved since it was anchored.
bool ab_follow_manifold(const ab_packed_manifold *packed, uint32_t count, const ab_record *records,
                        const ab_shift *shifts, ab_anchored *at, ab_separations *out);

#endif
