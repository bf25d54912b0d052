// The hull that the expanding polytope algorithm grows within the difference of two cores.
#ifndef AB_EPA_HULL_H
#define AB_EPA_HULL_H

#include "narrow/convex/convex.h"

enum
{
    AB_EPA_VERTICES = 256,
    AB_EPA_FACES = 2 * AB_EPA_VERTICES
};

typedef struct ab_epa_face
{
    double normal[3]; // outward, unit
    double distance;  // of its plane from the origin
    uint16_t corner[3];
    uint16_t beyond[3]; // the face across the edge from corner[i] to corner[i + 1]
    bool live, seen;
} ab_epa_face;

// A direction out of the difference.
typedef struct ab_way_out
{
    double outward[3]; // unit
    double depth;
    ab_vertex farthest; // along it
} ab_way_out;

typedef struct ab_epa_hull
{
    const ab_convex_pair *pair;
    ab_vertex vertex[AB_EPA_VERTICES];
    uint32_t vertices;
    ab_epa_face face[AB_EPA_FACES];
    uint32_t faces; // live or not
    uint16_t spare[AB_EPA_FACES];
    uint32_t spares;
    ab_way_out best;
} ab_epa_hull;

// Computes the difference's reach along a unit direction and keeps it if it is the shortest way out so far. True if so.
bool ab_epa_probe(ab_epa_hull *hull, const double direction[3], ab_vertex *farthest);

// Makes a face of three vertices, counter-clockwise from without. False if rounding leaves it without a normal.
bool ab_epa_lay_face(ab_epa_hull *hull, ab_epa_face *face, uint32_t i, uint32_t j, uint32_t k);

// Begins with four points that have an interior. False when there are none: the best way out is then the answer.
bool ab_epa_begin(ab_epa_hull *hull);

// Begins with the tetrahedron that GJK ended with. False unless it is thick enough to grow.
bool ab_epa_begin_at(ab_epa_hull *hull, const ab_convex_contact *found);

// The points of both cores whose difference is where the best way out leaves the hull: there the cores touch once they
// are moved apart. False, and both are as they were, where the hull falls short of the difference.
bool ab_epa_touching(const ab_epa_hull *hull, double on_a[3], double on_b[3]);

#endif
