// The generic convex pair type, in double: any two shapes with a support function. A shape is a core, given by its
// support function, with a rounding radius. GJK measures disjoint cores, EPA overlapping ones.
//
// Coordinates are relative to the position of the first side's body, with the world's axes. The difference of two cores
// is the set of all b - a: it contains the origin when they overlap.
#ifndef AB_CONVEX_H
#define AB_CONVEX_H

#include "math/frame.h"
#include "narrow/narrow.h"
#include "shape/shape_table.h"

// One side of a pair.
typedef struct ab_convex
{
    const ab_shape_row *row;
    const abut_kind_def *def; // of a custom shape's kind
    const abut_shape *shape;
    double centre[3];
    double axis[9];
    ab_core core;
    double size; // core and rounding together, metres; zero for a half-space: rounding errors go by the other shape's
    bool is_2d;  // 2D: z of the shape's own frame is ignored
} ab_convex;

typedef struct ab_convex_pair
{
    ab_convex a, b;
    bool is_2d;
    double scale;       // metres: the sizes of both
    double granularity; // metres: the smaller size plus the rounding error of both: the scale of "near"
} ab_convex_pair;

// A valid shape with its record, but for where its centre is.
void ab_convex_of_record(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, const ab_record *record,
                         bool is_2d);

// A proxy of the batch, relative to the position of `origin`'s body.
void ab_convex_of(ab_convex *out, const ab_batch *batch, uint32_t proxy, uint32_t origin);

// Its centre alone.
void ab_convex_centre(const ab_batch *batch, uint32_t proxy, uint32_t origin, double out[3]);

void ab_convex_pair_of(ab_convex_pair *out, const ab_batch *batch, uint32_t proxy_a, uint32_t proxy_b);

// A valid shape, but for its centre and its axes.
void ab_convex_core_of(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, bool is_2d);

// A valid shape in a frame of its own.
void ab_convex_at(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, const ab_frame *frame, bool is_2d);

// Fills in the pair members that depend on both sides, which are set.
void ab_convex_pair_up(ab_convex_pair *pair);

// A point of the shape's own frame.
void ab_convex_place(const ab_convex *convex, const double local[3], double out[3]);

// The point of the core farthest along `direction`.
void ab_convex_support(const ab_convex *convex, const double direction[3], double out[3]);

// A point of the difference and the point of a that it comes from.
typedef struct ab_vertex
{
    double w[3], a[3];
} ab_vertex;

// The point of the difference farthest along `direction`.
void ab_difference_support(const ab_convex_pair *pair, const double direction[3], ab_vertex *out);

// The gap between two cores: disjoint by a positive separation, or overlapping by a negative one.
typedef struct ab_convex_contact
{
    double normal[3]; // unit, from a to b
    double separation;
    double on_a[3], on_b[3];
    bool overlap;  // of the cores
    bool touching; // of an overlap: on_a and on_b are opposite each other along the normal; else farthest along it
    ab_vertex vertex[4]; // of disjoint cores: those around the nearest points; else of a tetrahedron about the origin
    int vertices;        // zero: none was found. Without hulls only of disjoint cores
} ab_convex_contact;

// False when the cores overlap, or are too near to tell. Beyond `limit`, GJK may stop early; the separation is then a
// lower bound above `limit`.
bool ab_gjk(const ab_convex_pair *pair, double limit, ab_convex_contact *out);

// The same, and without GJK where one core is a point and the other knows where it is nearest.
#ifdef AB_MESHES
bool ab_convex_gap(const ab_convex_pair *pair, double limit, ab_convex_contact *out);
#else
#define ab_convex_gap ab_gjk
#endif

// The way out of an overlap that ab_gjk found: b moved along the normal by the depth no longer overlaps a. The
// separation is never positive.
void ab_epa(const ab_convex_pair *pair, ab_convex_contact *out);
void ab_epa_2d(const ab_convex_pair *pair, ab_convex_contact *out); // in 2D

// ab_gjk to the end, and more exact where two edges are nearest to each other.
bool ab_convex_distance(const ab_convex_pair *pair, ab_convex_contact *out);

// The way out of two cores that overlap. Cores that are flat in one plane overlap within it, unless they are rounded.
void ab_convex_depth(const ab_convex_pair *pair, ab_convex_contact *out);

// Subtracts the rounding radii from the measurement of two cores.
void ab_convex_round(const ab_convex_pair *pair, ab_convex_contact *contact);

// Pairs up, finds the nearest points and rounds. False when they overlap; or finds the way out then.
bool ab_convex_apart(ab_convex_pair *pair, ab_convex_contact *out);
void ab_convex_measure(ab_convex_pair *pair, ab_convex_contact *out);

// The gap between the two shapes, including rounding.
void ab_convex_collide(const ab_convex_pair *pair, double limit, ab_convex_contact *out);

// Where the ray from `from` to `from` + `way` enters a shape that has no ray of its own, as ab_shape_row says. Ends
// within 1e-12 of the shape's size and the ray's length before the surface.
bool ab_convex_ray(const ab_convex *convex, const double from[3], const double way[3], ab_ray_entry *out);

// The contact points: 1 to AB_MAX_POINTS.
uint32_t ab_convex_points(const ab_convex_pair *pair, const ab_convex_contact *pair_type, double limit,
                          abut_point out[AB_MAX_POINTS]);

// The contact points along a direction, unit, from a to b, where b's face lies across it: those of what is flat of a
// and lies over the face, at most AB_MAX_POINTS; none if that is no part of it. *deepest is the least separation of
// any. `alone`: corners of a that are over the face, and these alone, whether its lowest points are or not.
uint32_t ab_convex_face_points(const ab_convex_pair *pair, const double direction[3], double limit, bool alone,
                               abut_point out[AB_MAX_POINTS], double *deepest);

static inline void ab_along(const double base[3], double by, const double direction[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = base[k] + by * direction[k];
    }
}

static inline void ab_sub(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = a[k] - b[k];
    }
}

static inline void ab_cross(const double a[3], const double b[3], double out[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

#endif
