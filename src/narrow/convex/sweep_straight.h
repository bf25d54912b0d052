// Sweeps of shapes that do not turn. What a box hits on its way follows from the axes of the separating axis theorem,
// what a ball or a capsule hits from the distance of a segment from a box: in closed form, where ab_sweep_to_touch has
// to search for nearest points. The least overlap along those axes is the way out of two boxes that begin overlapping.
// What neither decides (shapes that touch at the start, grazes, corners that meet corners) is left to
// ab_sweep_to_touch, and other shapes to it from where boxes about them meet.
//
// The hit is where the shapes come within half of the tolerance, so both give the same within the tolerance.
#ifndef AB_SWEEP_STRAIGHT_H
#define AB_SWEEP_STRAIGHT_H

#include "narrow/convex/sweep.h"

#define AB_STRAIGHT_PARALLEL 1e-8 // of the square of a sine
#define AB_STRAIGHT_LEVEL    0.05 // of the tolerance: features that reach no farther along an axis lie across it
#define AB_STRAIGHT_LATER    0.05 // of the tolerance: faces go before edges that part them no longer
#define AB_STRAIGHT_ASIDE    0.01 // of the square of the distance: what nearest points may be apart across the axis
#define AB_STRAIGHT_ROUNDS   64   // of Newton's method

// As ab_sweep_to_touch for a unit of time. Neither mover turns or is a mesh. Hits after `limit`
// need not be found.
void ab_sweep_straight(const ab_mover *a, const ab_mover *b, double limit, ab_sweep *out);

// The same pair in the frame of one of its cores, which is a box, or a box about it; the other travels. Axes of records
// have the precision of a float, so the frame is not orthonormal, by about 1e-7, but in it the box is exact: that
// changes gaps by as much of themselves only, where products with those axes would of the whole shape.
typedef struct ab_straight
{
    const ab_convex *box, *other;
    double inverse[9];      // rows: the frame's coordinates of a vector
    double from[3], way[3]; // of the other one's centre
    double axis[9];         // of the other one
    double rounding;        // both
    double tolerance, limit;
} ab_straight;

typedef struct ab_straight_hit
{
    double time;
    double normal[3];              // from the other one to the box, of any length; the world's axes
    double on_other[3], on_box[3]; // nearest points of the cores, at that time; the box's frame
    double distance;               // between those
} ab_straight_hit;

typedef enum ab_straight_answer
{
    AB_STRAIGHT_MISS,
    AB_STRAIGHT_HIT,
    AB_STRAIGHT_OVERLAP,  // they begin so; the distance is negative, and by as much the way out
    AB_STRAIGHT_UNDECIDED // nothing is hit before `time`
} ab_straight_answer;

// The other core is a segment or a point.
ab_straight_answer ab_straight_segment(const ab_straight *s, ab_straight_hit *out);

// Any other two cores; undecided where one is no box.
ab_straight_answer ab_straight_boxes(const ab_straight *s, ab_straight_hit *out);

#endif
