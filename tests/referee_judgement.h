// What the referee holds in hand while it judges one manifold; private to its own files.
#ifndef REFEREE_JUDGEMENT_H
#define REFEREE_JUDGEMENT_H

#include "referee.h"

#define REFEREE_COVER 0.99 // of the best four points' area

// The faces that a face axis names, and what of the incident one lies over the reference one.
typedef struct referee_facing
{
    const referee_solid *reference, *incident;
    dvec3 outward;          // of the reference face
    referee_patch patch[3]; // one for each face of the incident box that faces the reference as well as any
    int count;
} referee_facing;

typedef struct referee_judgement
{
    const referee_solid *a, *b;
    const abut_manifold *m;
    dvec3 origin; // of the points' offsets
    double margin;
    referee_contact contact;
    referee_range range; // of its separation in float
    dvec3 normal;        // the manifold's, made a unit in double
    double along;        // separation along it
    double exact;        // metres: tolerance on lengths
    double yielding;     // metres: how much worse than the best the chosen axis may be
    int code;            // of the axis that the points name; -1 when one of the two is a ball
    bool thin;           // a face axis, but (nearly) nothing of the one face lies over the other within the margin
    bool lone;           // thin, and a single point
    double beside;       // metres by which edges, or faces of thin patches, pass beside each other
    char *why;
} referee_judgement;

dvec3 referee_world_point(const referee_judgement *j, int k);

referee_facing referee_face_to_face(const referee_judgement *j);

// Whether rounding alone decides if there are points at all.
bool referee_patch_is_thin(const referee_judgement *j, const referee_patch *patch);

// How much of the area of the best four vertices of the patch the points span, -1 where it cannot be measured. The
// first point, which is the deepest, is kept whatever it spans, so it is one of the four.
double referee_cover(const referee_judgement *j, const referee_facing *facing);

#endif
