// The part of a shape that is flat against a contact's normal, found by its support function alone: the support points
// of directions slightly beside the normal are the corners of a face or the ends of an edge, where they are no lower
// than the flat tolerance.
//
// Directions are fixed in the shape's own frame, so that outlines, and with them features, rotate with the shape.
#ifndef AB_CONVEX_OUTLINE_H
#define AB_CONVEX_OUTLINE_H

#include "narrow/convex/convex.h"

#define AB_OUTLINE_CORNERS 15u
#define AB_OUTLINE_NO_PART 15u // of an outline

#define AB_OUTLINE_LEFT_OUT 1e-4 // of the scale: a clipped piece that misses the deepest point by more is discarded

// The tangent of the tilt up to which a part of a surface lies flat. Half of the tilt of the directions in which a
// surface without corners is looked at, by which it falls away.
#define AB_OUTLINE_FLAT 0.015625

// The frame of a contact: its normal and two directions in its plane.
typedef struct ab_contact_frame
{
    double n[3], u[3], v[3];
} ab_contact_frame;

// A point in the contact's plane, and the height of a surface over it along the normal.
typedef struct ab_outline_point
{
    double u, v, height;
    uint32_t part; // of an outline: less than AB_OUTLINE_CORNERS
} ab_outline_point;

// The flat part of one shape: its corners counter-clockwise, seen against the normal; and a plane through them.
typedef struct ab_outline
{
    ab_outline_point corner[AB_OUTLINE_CORNERS];
    uint32_t count;       // 1: nothing is flat
    ab_outline_point top; // the support along the normal itself
    double height, lean_u, lean_v;
    uint32_t bends; // of a polygon's sides: its corners between the two, along u
    ab_outline_point bend[AB_OUTLINE_CORNERS];
} ab_outline;

// Two directions orthogonal to `n`, the first nearest to an axis of the shape.
ab_contact_frame ab_contact_frame_of(const ab_convex *shape, const double n[3]);

// Computes an outline except for its plane. `side` is 1 for a, -1 for b. A face of a hull or triangle counts up to a
// tilt of which `slope` is the tangent.
void ab_outline_of(const ab_convex *shape, double side, double slope, const ab_contact_frame *frame, ab_outline *out);

// A point of a manifold: between the surfaces.
typedef struct ab_flat_point
{
    double u, v, height, separation;
    uint32_t slot;
} ab_flat_point;

enum
{
    AB_FLAT_POINTS = 130 // most: two faces of 64 corners, and rounding
};

typedef struct ab_flat_points
{
    ab_flat_point point[AB_FLAT_POINTS];
    uint32_t count;
    double deepest;
} ab_flat_points;

// Keeps AB_MAX_POINTS: one end, the farthest from it, and those that span most area on either side; the deepest is one
// of them.
void ab_flat_points_reduce(ab_flat_points *points);

// Adds those of a's corners, if it is a hull, that are over b, on faces that look at it, and within the limit.
void ab_flat_points_add_corners(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *b,
                                double limit, ab_flat_points *points);

// Computes its plane: through its corners; through the line of two; level for one.
void ab_outline_lay_frame(ab_outline *outline);

// The plane's height over a point.
static inline double ab_outline_height(const ab_outline *o, const ab_outline_point *p)
{
    return o->height + o->lean_u * p->u + o->lean_v * p->v;
}

// The same of the sides, where an outline has bends.
double ab_outline_surface(const ab_outline *o, const ab_outline_point *at);

// Twice the area of a triangle, positive when counter-clockwise.
static inline double ab_outline_turn(const ab_outline_point *p, const ab_outline_point *q, const ab_outline_point *r)
{
    return (q->u - p->u) * (r->v - p->v) - (q->v - p->v) * (r->u - p->u);
}

// Whether a point lies over an outline's polygon, its sides included.
static inline bool ab_outline_is_under(const ab_outline *o, const ab_outline_point *p)
{
    bool under = true;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        under = under && ab_outline_turn(&o->corner[i], &o->corner[(i + 1) % o->count], p) >= 0.0;
    }
    return under;
}

#endif
