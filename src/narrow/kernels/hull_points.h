// Two polytopes: the axis that the separating axis test names, and the contact points along it.
#ifndef AB_HULL_POINTS_H
#define AB_HULL_POINTS_H

#include "narrow/pair_functions.h"
#include "shape/polytope.h"

typedef enum ab_hull_class
{
    AB_HULL_NO_AXIS,
    AB_HULL_FACE_OF_A,
    AB_HULL_FACE_OF_B,
    AB_HULL_EDGES
} ab_hull_class;

typedef struct ab_hull_axis
{
    ab_hull_class class;
    uint32_t index[2]; // the face; or the edges of a and of b
    uint32_t opposite; // of a face: the other polytope's that looks most against it; read by ab_hull_manifold
    float separation;
    float normal[3]; // of edges: unit, from a to b, in the frame of a
} ab_hull_axis;

// Shape b in the frame of shape a: a's axis i and b's axis k have the cosine turn[3 * i + k].
typedef struct ab_hull_relation
{
    float turn[9];
    float apart[3];  // from the centre of a to that of b, in the frame of a
    float behind[3]; // from the centre of b to that of a, in the frame of b
} ab_hull_relation;

// Two polytopes, a with the lower collider key.
typedef struct ab_hull_pair
{
    const ab_batch *batch;
    ab_proxy_pair proxies;
    const ab_polytope *a, *b;
    const ab_record *record_a, *record_b;
    float base[3]; // from the position of body a to the centre of shape a, world axes
    float limit;   // points within it count
    ab_hull_relation relation;
} ab_hull_pair;

#define AB_HULL_CODES      64u // faces that codes tell apart
#define AB_HULL_EDGE_CODES 7u  // edges of a; of b one more

// The low bits of the code of two edges.
static inline uint32_t ab_hull_edge_code(uint32_t edge_a, uint32_t edge_b)
{
    return edge_a % AB_HULL_EDGE_CODES << 3 | (edge_b & 7u);
}

// The code of an axis: bits 8 to 15 of features, and its name in the cache. Never 255, which long features seem to
// have.
static inline uint32_t ab_hull_axis_code(const ab_hull_axis *axis)
{
    const uint32_t low = axis->class == AB_HULL_EDGES ? ab_hull_edge_code(axis->index[0], axis->index[1])
                                                      : axis->index[0] % AB_HULL_CODES;
    return (uint32_t)axis->class << 6 | low;
}

#ifdef AB_ISA
// The manifold of an overlap along its axis; it has at least one point.
void AB_ISA_NAME(ab_hull_manifold)(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out);

// The manifold of two that the plane of a face parts, where a vertex that is lowest over the plane lies over the face:
// then the two are nearest there. False, with nothing of use, where none does. If its separation is more than the limit,
// it has no points.
bool AB_ISA_NAME(ab_hull_apart)(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out);

// Adds to the manifold of two that are apart, and nearest at a face, the points of what leans over that face: those
// within the limit. Points of one face are named as if the two overlapped.
void AB_ISA_NAME(ab_hull_add_higher)(const ab_hull_pair *pair, abut_manifold *m);
#endif

#endif
