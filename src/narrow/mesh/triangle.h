// A triangle of a mesh as one side of a convex pair.
#ifndef AB_TRIANGLE_H
#define AB_TRIANGLE_H

#include "base/platform.h"
#include "narrow/convex/convex.h"
#include "narrow/mesh/triangle_axes.h"
#include "shape/mesh.h"

#include <math.h>

// The triangle as a shape, about its middle; the mesh's axes.
typedef struct ab_triangle
{
    abut_shape shape;
    double corner[3][3];
    double normal[3]; // unit, towards its front
} ab_triangle;

// A triangle of a mesh that is at `placed`. `triangle` must outlive `out`.
void ab_triangle_place(const ab_mesh *mesh, const ab_convex *placed, uint32_t which, ab_triangle *triangle,
                       ab_convex *out);

#define AB_AXES_SLACK 0x1p-21 // of coordinates: axes in float are orthonormal but for less

// The box in a mesh's frame of all that comes within a distance of a convex shape.
ab_mesh_box ab_mesh_box_around(const ab_convex *mesh, const ab_convex *shape, double distance);

// A convex shape and a mesh.
typedef struct ab_triangle_pair
{
    const ab_mesh *mesh;
    ab_convex placed; // the mesh
    ab_convex convex;
    double centre[3], axis[9]; // of the convex shape, in the mesh's frame
    bool level;                // the mesh's axes are the world's
} ab_triangle_pair;

// Whether the convex shape is a box with an inside.
static inline bool ab_triangle_is_of_box(const ab_triangle_pair *pair)
{
    const double *half = pair->convex.core.half;
    return pair->convex.row->box_core && half[0] > 0.0 && half[1] > 0.0 && half[2] > 0.0;
}

// A point where the two are placed, in the mesh's frame.
static inline void ab_triangle_into_mesh(const ab_triangle_pair *pair, const double at[3], double out[3])
{
    double from[3];
    ab_sub(at, pair->placed.centre, from);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = ab_dot(from, pair->placed.axis + 3 * k);
    }
}

// A point of the mesh's frame in the convex shape's own.
static inline void ab_triangle_into_shape(const ab_triangle_pair *pair, const double at[3], double out[3])
{
    double from[3];
    ab_sub(at, pair->centre, from);
    for (int i = 0; i < 3; ++i)
    {
        out[i] = ab_dot(pair->axis + 3 * i, from);
    }
}

// Whether a value is more than `limit` times the root of `square`; signs count.
static inline bool ab_exceeds_root(double value, double limit, double square)
{
    return value * fabs(value) > limit * fabs(limit) * square;
}

// A pair of a batch, b being the mesh, relative to the position of `origin`'s body.
void ab_triangle_pair_of(ab_triangle_pair *out, const ab_batch *batch, uint32_t i, uint32_t origin);

// The same where `out` is of a pair before it in the batch, whose mesh was proxy `before`, or ABUT_NONE: of the same
// mesh only what differs is read.
void ab_triangle_pair_next(ab_triangle_pair *out, const ab_batch *batch, uint32_t i, uint32_t before, uint32_t origin);

// Asks for the memory of a pair that is laid out later: first who its shape is, and once that is there, what.
AB_INLINE void ab_triangle_pair_fetch_who(const ab_batch *batch, uint32_t i)
{
    AB_PREFETCH(&batch->records[batch->a[i]]);
    AB_PREFETCH(&batch->colliders[batch->a[i]]);
}

AB_INLINE void ab_triangle_pair_fetch_what(const ab_batch *batch, uint32_t i)
{
    AB_PREFETCH(&batch->shapes[batch->colliders[batch->a[i]]]);
}

// Fills in what follows from the others.
void ab_triangle_pair_up(ab_triangle_pair *pair);

// The box in the mesh's frame of all that comes within a distance of the convex shape.
ab_mesh_box ab_mesh_box_of_pair(const ab_triangle_pair *pair, double distance);

// The same within a pair's limit, relative to the position of the mesh's body. `before` as above; of `p` only what is
// the mesh's is valid then.
ab_mesh_box ab_mesh_box_next(ab_triangle_pair *p, const ab_batch *batch, uint32_t i, uint32_t before);

// The box about the convex shape for triangle_axes.h. False for a shape of which nothing is known but its supports.
bool ab_axes_box_of(const ab_triangle_pair *pair, double limit, ab_axes_box *out);

// At most AB_AXES_ROW triangles, from the first entry on: what ab_mesh_positions says of them.
void ab_axes_row_of(const ab_mesh *mesh, const uint32_t *triangles, uint32_t count, ab_axes_row *out);

// A triangle's corners and unit normal, in the mesh's frame.
typedef struct ab_triangle_corners
{
    double at[3][3], normal[3];
} ab_triangle_corners;

void ab_triangle_corners_of(const ab_mesh *mesh, uint32_t which, ab_triangle_corners *out);

// A direction of a placed shape's frame to the axes that it is placed in.
void ab_triangle_turn_out(const ab_convex *shape, const double local[3], double out[3]);

// What measuring a pair came to.
typedef enum ab_triangle_gap
{
    AB_GAP_FOUND,
    AB_GAP_BEYOND, // more than the limit
    AB_GAP_UNKNOWN // it takes a search
} ab_triangle_gap;

// What ab_convex_collide finds for the convex shape, a, and a triangle, b, if it is a box or a capsule. On the surfaces
// there are points only of cores that do not overlap. A box is tried along `axes` alone: see triangle_axes.h.
ab_triangle_gap ab_triangle_measure(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, uint32_t axes,
                                    double limit, ab_convex_contact *out);

// NULL for what is no hull, and for a hull without a polytope.
const struct ab_hull *ab_triangle_hull_of(const ab_triangle_pair *pair);

// The contact of a box's corner or edge, and of higher corners within the limit, with the face of a triangle, along its
// normal. No points: what of it is over the triangle is farther than the limit.
typedef struct ab_triangle_points
{
    uint32_t count;
    double deepest; // the least separation
    abut_point point[AB_MAX_POINTS];
} ab_triangle_points;

#define AB_FACE_CORNERS 4

// The corners of a box's face that looks down the most on a triangle, or the ends of an edge that does. Corner 0 is
// lowest.
typedef struct ab_triangle_low
{
    bool is_known;
    double side;                                                // 1 in front of the triangle, -1 behind it
    int flat;                                                   // the axis of an edge that is lowest as a whole, or -1
    uint32_t part[AB_FACE_CORNERS];                             // bit k: on which side of axis k
    uint32_t there, over;                                       // bit i: there is a corner i; it is over the triangle
    double at[3][AB_FACE_CORNERS], separation[AB_FACE_CORNERS]; // by coordinate; along the triangle's normal
} ab_triangle_low;

// Of a box or capsule. False, with nothing known, where a face of it lies across the triangle's normal.
bool ab_triangle_lay_low(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                         ab_triangle_low *out);

// `alone`: all corners over the triangle, and these alone, even where the lowest is elsewhere.
void ab_triangle_points_of(const ab_triangle_pair *pair, const ab_triangle_corners *triangle,
                           const ab_triangle_low *low, double limit, bool alone, ab_triangle_points *out);

// Both together. False, without an answer, for what is no box or capsule, and where nothing is known.
bool ab_triangle_face_points(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                             double limit, bool alone, ab_triangle_points *out);

// What a triangle is to a convex shape.
typedef enum ab_triangle_answer
{
    AB_TRIANGLE_APART,   // beyond the limit, on the other side, or the contact is a neighbour's
    AB_TRIANGLE_TOUCHES, // there is a contact
    AB_TRIANGLE_CUT,     // it overlaps the shape, whose way out is at none of the triangle's normals
    AB_TRIANGLE_CUT_OVER // likewise, and there is a contact of corners that are over it, and apart
} ab_triangle_answer;

static inline bool ab_triangle_has_contact(ab_triangle_answer answer)
{
    return answer == AB_TRIANGLE_TOUCHES || answer == AB_TRIANGLE_CUT_OVER;
}

static inline bool ab_triangle_is_cut(ab_triangle_answer answer)
{
    return answer == AB_TRIANGLE_CUT || answer == AB_TRIANGLE_CUT_OVER;
}

#define AB_TRIANGLE_ROW 4u

// What a box with an inside is to triangles in front of it, in columns: see ab_triangle_low for most. `corner` is what
// the others follow from.
typedef struct ab_triangle_row
{
    double corner[3][3][AB_TRIANGLE_ROW], normal[3][AB_TRIANGLE_ROW];
    double in_box[3][3][AB_TRIANGLE_ROW];                    // the corners in the box's frame
    double along[3][AB_TRIANGLE_ROW];                        // of the normal along the box's axes
    double low[AB_TRIANGLE_ROW], high[AB_TRIANGLE_ROW];      // as in ab_triangle_heights
    double part[AB_TRIANGLE_ROW], flat[AB_TRIANGLE_ROW];     // of corner 0, and the axes that lie flat: sums of bits
    double steepest[AB_TRIANGLE_ROW], over[AB_TRIANGLE_ROW]; // the box's axis that is it; a sum of bits
    double outward[3][3][AB_TRIANGLE_ROW];                   // of the planes through the edges
    double at[3][AB_FACE_CORNERS][AB_TRIANGLE_ROW];
    double separation[AB_FACE_CORNERS][AB_TRIANGLE_ROW];
} ab_triangle_row;

// A triangle with what is known of it before it is asked for a contact: where it is, and along which axes. `row` may
// be NULL; else it is number `place` there.
typedef struct ab_triangle_at
{
    uint32_t which, axes, place;
    const ab_triangle_row *row;
    bool *in_doubt; // as in ab_triangle_view
    ab_triangle_corners corners;
} ab_triangle_at;

// As ab_triangle_lay_low in front of a triangle.
bool ab_triangle_low_of_row(const ab_triangle_pair *pair, const ab_triangle_row *row, uint32_t place,
                            ab_triangle_low *out);

// As ab_triangle_measure of a box with an inside.
ab_triangle_gap ab_triangle_measure_row(const ab_triangle_pair *pair, const ab_triangle_at *at, double limit,
                                        ab_convex_contact *out);

// Whether a triangle has no contact for sure, where that can be told at little cost.
bool ab_triangle_is_passed_over(const ab_triangle_pair *pair, ab_triangle_at *at);

// Whether the ways out of a box along some axes, without AB_AXES_NORMAL, are for sure at no normal that the surface
// has at a triangle that they do not face the back of. The box overlaps it from behind.
bool ab_triangle_leads_nowhere(const ab_triangle_pair *pair, uint32_t which, uint32_t axes);

// How low and how high a shape reaches over a triangle's plane. Of what is no box, the points of its core that do, in
// the mesh's frame.
typedef struct ab_triangle_heights
{
    double low, high;
    double bottom[3], top[3];
} ab_triangle_heights;

ab_triangle_heights ab_triangle_heights_of(const ab_triangle_pair *pair, const ab_triangle_corners *triangle);

// As ab_triangle_measure of a hull that reaches so far over the triangle's plane.
ab_triangle_gap ab_triangle_measure_hull(const ab_triangle_pair *pair, const ab_triangle_corners *triangle,
                                         const ab_triangle_heights *heights, double limit, ab_convex_contact *out);

// Whether the way out of a shape that is no box and overlaps a triangle is along the triangle's normal for sure.
// `side`: 1 in front of the triangle, -1 behind it.
bool ab_triangle_leads_up(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                          const ab_triangle_heights *heights);

// Heights of a shape over triangles of two surfaces that differ by less may be the same, as each of the surfaces has
// rounded its corners on its own.
double ab_triangle_slack(const ab_triangle_pair *pair);

#define AB_TRIANGLE_DEEPER 8.0 // a shape that is so much deeper below a plane than it has to be moved is beside it

#define AB_TRIANGLE_NO_FEATURE 255u // of a point that is of no part of an outline: see convex_points.c

// How a triangle is cut.
typedef struct ab_triangle_cut
{
    double low;        // the height of the shape's lowest point over the triangle's plane
    double separation; // of the shape from the triangle alone
    double side;       // that the shape is on: 1 in front, -1 behind
    bool elsewhere;    // across a ridge: the way out is a neighbour's
    bool overlaps;     // the shape overlaps it, and is on that side of it
    bool *in_doubt;    // as in ab_triangle_view, of its ridges
} ab_triangle_cut;

// The contact of a convex shape, a, with one triangle, b. Normals are those of the surface as a whole (see
// docs/shapes.md): an edge between neighbours in one plane or in a valley has none. The normal points from the convex
// shape to the triangle. With AB_AXES_CORNERS, corners of the shape that are over the triangle have a contact where its
// way out is past such an edge. *cut is set where the triangle is cut, and where the answer is in doubt.
ab_triangle_answer ab_triangle_collide(const ab_triangle_pair *pair, uint32_t which, uint32_t axes, double limit,
                                       abut_manifold *out, ab_triangle_cut *cut);

// The same where the corners are known.
ab_triangle_answer ab_triangle_collide_at(const ab_triangle_pair *pair, ab_triangle_at *at, double limit,
                                          abut_manifold *out, ab_triangle_cut *cut);

// The same of a ball.
ab_triangle_answer ab_triangle_collide_ball(const ab_triangle_pair *pair, ab_triangle_at *at, double limit,
                                            abut_manifold *out, ab_triangle_cut *cut);

// The contact of a shape that overlaps no triangle with a contact, although some are cut: at one of these, along its
// own normal, at the shape's lowest point, which is as deep as it is low where the surface goes on. `past_ridges`: or
// past a ridge of it, where an edge of the shape is across that and less deep than the shape is low.
void ab_triangle_collide_cut(const ab_triangle_pair *pair, uint32_t which, const ab_triangle_cut *cut,
                             double separation, bool past_ridges, abut_manifold *out);

// A triangle of a mesh as seen from one of its sides. From behind, ridges are valleys, and valleys ridges.
typedef struct ab_triangle_view
{
    const ab_mesh *mesh;
    uint32_t which;
    const ab_triangle_corners *corners;
    double side;    // 1: the front; -1: the back of a mesh with two sides
    bool *in_doubt; // set where an answer depends on what may be across an edge without a neighbour; or NULL
} ab_triangle_view;

// The neighbour across edge k of a triangle; AB_NO_TRIANGLE, perhaps in doubt, at a border.
uint32_t ab_triangle_neighbour(const ab_triangle_view *view, uint32_t triangle, int k);

// Whether the middle of a shape is on that side of the triangle's plane. Both are placed.
bool ab_triangle_faces(const ab_triangle_view *view, const ab_convex *placed, const ab_convex *shape);

// How a direction, unit, in the mesh's frame, away from a triangle, fits the surface there.
typedef enum ab_triangle_fit
{
    AB_FIT_FACE,    // it is the triangle's normal
    AB_FIT_FEATURE, // it is one of the ridge or the peak that the triangle ends in there
    AB_FIT_NOT,     // the surface has no such normal there
    AB_FIT_OTHER    // it is the neighbour's across a ridge, or on the other side
} ab_triangle_fit;

// *other is the neighbour whose it is, or AB_NO_TRIANGLE.
ab_triangle_fit ab_triangle_fit_of(const ab_triangle_view *view, const double direction[3], uint32_t *other);

// The same of a direction that goes backwards from the triangle, where the surface turns by more than a right angle:
// AB_FIT_FEATURE of the ridge or the peak there, which a neighbour has; AB_FIT_OTHER of a face beyond, which it nearly
// is the normal of; else, and at a border, AB_FIT_NOT.
ab_triangle_fit ab_triangle_fit_under(const ab_triangle_view *view, const double direction[3], uint32_t *other);

// Whether the surface has neighbours where a triangle is farthest along a direction, turned by no more than the angle
// with this cosine.
bool ab_triangle_leans_on(const ab_triangle_view *view, const double direction[3], double least);

// Where a surface ends, or turns away: the edge, along a direction out of the surface, of any length.
typedef struct ab_surface_end
{
    double outward[3], at;
    bool is_border; // there is no neighbour
} ab_surface_end;

// Whether the surface ends, or turns away by more than 45 degrees, where one goes on it from a point of a triangle so
// far along a direction. Where it may have an end, it has none.
bool ab_triangle_meets_end(const ab_triangle_view *view, const double from[3], const double direction[3], double far,
                           ab_surface_end *out);

// Whether the surface goes on around a point of a triangle: a shape that is in it there has to be moved by more than
// `far` to come out beside it, past any of its borders, and by four times that past any ridge.
bool ab_triangle_goes_on(const ab_triangle_pair *pair, const ab_triangle_view *view, const double from[3], double far);

// Whether the surface of a solid ends along a unit direction that leads behind the triangle, no farther than `far`
// beyond where the triangle is farthest along it: a shape that comes out of the triangle there comes out of the solid.
bool ab_triangle_ends_behind(const ab_triangle_view *view, const double direction[3], double far);

// Whether the surface ends where a triangle is farthest along a direction: at an edge without a neighbour, or at a
// corner of such an edge of its own.
bool ab_triangle_ends(const ab_triangle_view *view, const double direction[3]);

// A shape that comes to a mesh with a point. Both are placed.
typedef struct ab_approach
{
    const ab_convex *shape, *mesh;
    const double *at, *way; // of the point
    double slack, least;
} ab_approach;

// Whether the point is over a triangle, or comes to be, or is past a valley: beyond a ridge or border it is in front of
// the surface, and beyond an edge in a plane the neighbour has it. By `slack` inside an edge it counts as beyond; there
// the way must lead inward by more than `least` of its length. Of two sides, a shape is in a valley that is on that
// side of both of its faces: on the other side of one it is over the ridge.
bool ab_triangle_leads_over(const ab_triangle_view *view, const ab_approach *approach);

#endif
