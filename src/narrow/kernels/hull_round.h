// A ball or a capsule against a polytope: what the lanes find, and the contact, in double.
#ifndef AB_HULL_ROUND_H
#define AB_HULL_ROUND_H

#include "narrow/pair_functions.h"
#include "shape/polytope.h"

typedef struct ab_round_pair
{
    const ab_polytope *hull;
    const abut_shape *shape; // the hull's
    const ab_record *record; // likewise
    float end[2][3];         // of the segment, in the frame of the hull; both the same for a ball
    bool ball;
    bool hull_first; // it has the lower collider key
    float radius;
    float limit;   // touching within it
    float base[3]; // from the position of the first body to the centre of the hull, world axes
} ab_round_pair;

typedef enum ab_round_contact_class
{
    AB_ROUND_ASK, // not decided: to be asked of the generic convex path
    AB_ROUND_FACE,
    AB_ROUND_EDGE,
    AB_ROUND_POINT
} ab_round_contact_class;

typedef struct ab_round_contact
{
    ab_round_contact_class class;
    uint32_t index; // the face or the edge
    float separation;
    double normal[3];              // outward of the hull, in its frame
    double on_core[3], on_hull[3]; // nearest to each other; not set for faces
} ab_round_contact;

// Measures a ball, given the face that it is farthest above.
void ab_round_ball(const ab_round_pair *pair, uint32_t face, ab_round_contact *out);

// Measures a capsule whose segment is above its highest face, if it is nearest to the inside of that; else
// AB_ROUND_ASK.
void ab_round_over_face(const ab_round_pair *pair, uint32_t face, ab_round_contact *out);

// The face and the edge whose axes separate a segment and a polytope the most.
typedef struct ab_round_axes
{
    uint32_t face, edge;
    float along_face, along_edge; // separations
    float left_out;               // how much more the axes of edges that are all but parallel to it may separate them
} ab_round_axes;

// Measures a capsule.
void ab_round_capsule(const ab_round_pair *pair, const ab_round_axes *best, ab_round_contact *out);

void ab_round_manifold(const ab_round_pair *pair, const ab_round_contact *contact, abut_manifold *out);

#endif
