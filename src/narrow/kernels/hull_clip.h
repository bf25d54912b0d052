// The faces of two overlapping polytopes clipped to each other: what contact points of a face are taken from.
//
// Features name a corner of either face by its vertex, and where two sides cross by both, with the faces that they are
// of: so points of other faces have other names. A byte has room for all names of two faces with up to 15 corners, and
// goes round with the faces; what larger faces need beyond it is in bits 16 and up. Where vertices leave too little
// room, corners are named by their faces, too.
#ifndef AB_HULL_CLIP_H
#define AB_HULL_CLIP_H

#include "narrow/convex/convex_outline.h"
#include "shape/polytope.h"

#define AB_HULL_NO_PART 0xffu // the feature of a point that is neither's corner

enum
{
    AB_HULL_CORNERS = 64 // most of a face that are clipped; of more, every so many-th
};

// A polytope in the frame of another.
typedef struct ab_hull_side
{
    const ab_polytope *polytope;
    double turn[9]; // turn[3 * i + k]: of its axis k along axis i of the frame
    double at[3];
} ab_hull_side;

// What contact points are measured from, along a normal: the plane of a face, or that of an edge axis near to one's,
// which the face leans away from.
typedef struct ab_contact_plane
{
    double normal[3], offset;
    bool leans;
} ab_contact_plane;

// A face of the reference polytope, laid out in the plane.
typedef struct ab_hull_reference
{
    double normal[3], u[3], v[3], offset;
    double lean[3]; // the height of the face over the plane: lean[0] + lean[1] * u + lean[2] * v
    uint32_t count;
    uint32_t face, opposite; // that points were found of
    double corner[AB_HULL_CORNERS][2];
} ab_hull_reference;

static inline double ab_hull_lean(const ab_hull_reference *r, double u, double v)
{
    return r->lean[0] + r->lean[1] * u + r->lean[2] * v;
}

// What clips a face: the polytopes, the named face of the reference, the face that looks most against it, and the
// separation.
typedef struct ab_clipping
{
    const ab_polytope *reference;
    ab_hull_side incident;  // in the frame of the reference
    ab_contact_plane plane; // in the frame of the reference
    uint32_t face, opposite;
    double separation, limit;
    double scale; // of both shapes
} ab_clipping;

static inline void ab_hull_vertex(const ab_polytope *p, uint32_t vertex, double out[3])
{
    out[0] = (double)p->vertex[0][vertex];
    out[1] = (double)p->vertex[1][vertex];
    out[2] = (double)p->vertex[2][vertex];
}

// The face that looks most against a direction in the frame.
uint32_t AB_ISA_NAME(ab_hull_opposite)(const ab_hull_side *side, const double normal[3]);

// Finds the points of the opposite face within the limit. Where these miss the deepest vertex, those of the faces that
// miss it by least: a face may be in pieces nearly in one plane, of which others touch. There may be none.
void AB_ISA_NAME(ab_hull_clip)(const ab_clipping *c, ab_hull_reference *reference, ab_flat_points *out);

// Puts the features of points, without the axis, in the place of the slots that they were found with.
void AB_ISA_NAME(ab_hull_name_points)(const ab_clipping *c, const ab_hull_reference *reference, ab_flat_points *points);

#endif
