// A segment of a chain as one side of a convex pair, and what a convex shape makes of it.
//
// A segment has the normals of the line as a whole: its own; and where the line bends back at one of its ends, so that
// something can stand on the point, those from its own to the one halfway to the neighbour's. The neighbour has the
// others, unless it has the shape behind it. An end where the line does not go on has those up to a right angle. That
// an edge's neighbours decide what it is to answer is an idea of E. Catto's (Box2D, chain shapes, 2011), whose ghost
// vertices are the points beyond the ends here.
#ifndef AB_SEGMENT_H
#define AB_SEGMENT_H

#include "narrow/convex/convex.h"
#include "shape/chain.h"

// The segment as a shape, about its middle; the chain's axes.
typedef struct ab_segment
{
    abut_shape shape;
    double half[2]; // from the middle to its second point
} ab_segment;

// A segment of a chain that is at `placed`. `segment` must outlive `out`.
void ab_segment_place(const ab_convex *placed, uint32_t which, ab_segment *segment, ab_convex *out);

#define AB_SEGMENT_CORNERS 32 // most of an outline

// A convex shape in the frame of a segment: u along it from its first point, h in front of it. Corners clockwise as
// the front is on the right; those of a box, a capsule or a polygon.
typedef struct ab_segment_outline
{
    double u[AB_SEGMENT_CORNERS], h[AB_SEGMENT_CORNERS];
    double normal_u[AB_SEGMENT_CORNERS], normal_h[AB_SEGMENT_CORNERS]; // of the side from a corner to the next; unit
    double middle_u, middle_h; // the mean of the corners: within the shape, so that what is outside a corner of the
                               // line has it in front of one of the two segments there
    double rounding;
    uint32_t count;
} ab_segment_outline;

// The normals that the line has at the ends of a segment, in its frame.
typedef struct ab_segment_end
{
    double last_u, last_h; // the farthest of its own from the segment's, and
    double next_u, next_h; // that of the neighbour; both those of the segment where the line bends forward or not
    double far_u, far_h;   // the neighbour's other end
    bool bends;            // back: there are some
    bool is_all;           // the last is the next: no neighbour takes a share
    bool is_free;          // the line does not go on
} ab_segment_end;

// A segment in the chain's frame, seen from one of its sides.
typedef struct ab_segment_view
{
    double origin[2], along[2], front[2]; // the first point; unit directions of u and h
    double length;
    ab_segment_end end[2];
} ab_segment_view;

// Seen from behind it runs the other way.
void ab_segment_view_of(const ab_chain *chain, uint32_t which, bool behind, ab_segment_view *out);

// Whether a direction, in the segment's frame and of any length, is one of the line's normals at an end: its own, or
// with `all` those of the neighbour as well. `end`: 0 or 1.
bool ab_segment_has_normal(const ab_segment_view *view, int end, double u, double h, bool all);

// Makes all normals at an end the segment's own.
void ab_segment_take_all(ab_segment_end *end);

// Whether the middle of an outline is in front of the neighbour's line at an end. A neighbour that has it behind does
// not touch the outline.
bool ab_segment_outline_is_before(const ab_segment_outline *outline, const ab_segment_view *view, int end);

// Whether an outline overlaps the segment, or is nearest to it at an end of it. The outline has its sides.
bool ab_segment_outline_is_at(const ab_segment_outline *outline, const ab_segment_view *view, int end);

// A position in a segment's frame.
typedef struct ab_segment_position
{
    double u, h;
} ab_segment_position;

// A contact, in the segment's frame.
typedef struct ab_segment_point
{
    double u, h; // on the segment's side: halfway between the surfaces
    double separation;
    uint32_t feature;
} ab_segment_point;

typedef struct ab_segment_contact
{
    double normal_u, normal_h; // unit, from the segment to the shape
    double separation;
    ab_segment_point point[2];
    uint32_t count;
    bool from_behind; // where there is none: an end where nothing goes on is overlapped, and less from the other side
} ab_segment_contact;

// The contact of an outline, whose middle is in front, with a segment. False: they are apart by more than the limit, or
// the contact is a neighbour's, or from behind.
bool ab_segment_collide(const ab_segment_view *view, const ab_segment_outline *outline, double limit,
                        ab_segment_contact *out);

// The same along the segment's own normal alone.
bool ab_segment_collide_front(const ab_segment_view *view, const ab_segment_outline *outline, double limit,
                              ab_segment_contact *out);

#define AB_SEGMENT_FRONT 0.9998 // the cosine: normals as near to the segment's are taken for it

// A convex shape beside a chain, in the chain's frame.
typedef struct ab_chain_pair
{
    const ab_chain *chain;
    ab_convex placed, convex;  // as they are placed
    double centre[2], axis[4]; // of the convex shape, in the chain's frame: its x axis, then its y axis
} ab_chain_pair;

void ab_chain_pair_of(const ab_convex *placed, const ab_convex *convex, ab_chain_pair *out);

// The same for any convex shape and a segment, of two sides from that which its middle is on. False also if that is
// behind.
bool ab_chain_pair_collide(const ab_chain_pair *pair, uint32_t which, double limit, ab_segment_view *view,
                           ab_segment_contact *out);

// A direction of a segment's frame in the axes that the chain is placed in, unit where it was.
void ab_segment_turn_out(const ab_chain_pair *pair, const ab_segment_view *view, double u, double h, double out[3]);

#endif
