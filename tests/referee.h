// The referee: what two shapes, or a whole world of them, do to each other, worked out in double precision by the
// plainest method. It shares the public types with the library and nothing else.
//
// Float kernels round, so a decision nearer than `band` to its threshold is nobody's to judge; everything else is.
#ifndef REFEREE_H
#define REFEREE_H

#include "referee_math.h"

#include <abut/collide.h>
#include <abut/contacts.h>

#define REFEREE_WHY 256 // bytes a complaint may take

// Tolerances, relative to the scale of a pair.
#define REFEREE_BAND       1e-6 // of deciding whether two shapes touch
#define REFEREE_EXACT      1e-5 // of lengths
#define REFEREE_PREFERENCE 1e-3 // given up for naming a face rather than an edge, or a's face rather than b's

// A shape where it is: a ball, a box, or a capsule. A ball has zero half extents, a box zero radius; a capsule is a box
// without width, its axis 1 the segment, and a radius about it.
typedef struct referee_solid
{
    bool ball;
    bool capsule;
    dvec3 centre;
    dvec3 axis[3]; // orthonormal
    double half[3];
    double radius;
    double reach; // radius of the bounding sphere about the centre, and the length of the offset from its body
} referee_solid;

// The rotation is normalised in double; a zero one is identity. `local` may be NULL: identity.
referee_solid referee_solid_of(const abut_shape *shape, const abut_pose *pose, const abut_pose *local);
referee_solid referee_box(dvec3 centre, dquat rotation, dvec3 half);
referee_solid referee_ball(dvec3 centre, double radius);
referee_solid referee_capsule(dvec3 centre, dquat rotation, double radius, double half_height);

dvec3 referee_corner(const referee_solid *box, int index); // 0 to 7: bit i set is +half on axis i

// From the point to the nearest of the solid's surface; negative inside.
double referee_point_distance(const referee_solid *solid, dvec3 point);

// How far the solid reaches from its centre along a unit direction.
double referee_extent(const referee_solid *solid, dvec3 direction);

// The gap between the two along a unit direction from a to b.
double referee_separation_along(const referee_solid *a, const referee_solid *b, dvec3 direction);

// One direction that might separate two solids. Codes of box pairs: 0-2 faces of a, 3-5 faces of b, 6 + 3i + j edges.
typedef struct referee_axis
{
    dvec3 normal; // unit, from a to b
    double separation;
    double length; // how well its direction is known: of the cross product it came from; for balls, of what was
                   // normalised over the scale, at most 1; 1 for faces
    int code;
    bool two_way; // the opposite normal is as good
} referee_axis;

typedef struct referee_contact
{
    referee_axis axis[15];
    int count;
    int best;
    double separation; // of the best axis
    double scale;      // metres: the sum of both reaches
    double band;       // metres
} referee_contact;

// A contact with a capsule has the axes of the cores (a ball's is its centre): the way between their nearest points, or
// where they overlap those of the separating axis theorem.
//
// Edges nearer to parallel than 1e-10 are passed over: that loses at most 1e-10 of the scale.
referee_contact referee_collide(const referee_solid *a, const referee_solid *b);

// Edges one of which lies in a face of the other box but for a sine of REFEREE_NEAR_FACE, with their axis as near to
// the face's normal (to a sixteenth where the boxes overlap), do not name a contact: a face does.
#define REFEREE_NEAR_FACE (1.0 / 512.0)

// `share` is of both sines.
bool referee_is_near_face(const referee_solid *a, const referee_solid *b, const referee_axis *axis, double share);

// By how much the best face may be worse than the best edges because these are near a face: zero where they are not.
double referee_near_face_yield(const referee_solid *a, const referee_solid *b, const referee_contact *contact);

// What rounding to float may make of the separation. The cross product of edges nearly parallel turns by rounding over
// its length. That moves no decision about overlap, but for boxes that are apart corner to corner the axis theorem's
// value depends on it: from that of the faces up to the distance.
typedef struct referee_range
{
    double low, high;
} referee_range;

referee_range referee_blur(const referee_solid *a, const referee_solid *b, const referee_contact *contact);

typedef enum referee_verdict
{
    REFEREE_APART,
    REFEREE_TOUCHING,
    REFEREE_UNDECIDED // within the band
} referee_verdict;

referee_verdict referee_decide_contact(const referee_solid *a, const referee_solid *b, const referee_contact *contact,
                                       double margin);
referee_verdict referee_decide(const referee_solid *a, const referee_solid *b, double margin);

// Euclidean; zero when they overlap. Boxes by enumerating vertices against boxes and edges against edges.
double referee_distance(const referee_solid *a, const referee_solid *b);

// Where the two edges that an edge axis stands on come nearest, each kept to its own length.
typedef struct referee_crossing
{
    dvec3 middle;
    double apart; // metres between the two points, more than the separation when the lines cross beyond an end
} referee_crossing;

referee_crossing referee_cross(const referee_solid *a, const referee_solid *b, const referee_axis *axis);

// The incident face of one box cut to the side planes of the reference face of the other.
typedef struct referee_patch
{
    dvec3 vertex[12]; // on the incident face, in order around it
    double height[12];
    int count;
    int incident_face;
    double area;     // projected on the reference face
    double crossing; // the least sine between an edge of the one face and one of the other, seen along the normal
} referee_patch;

// `outward` is the unit normal of the reference box's face `face` (0 to 2); `incident_face` likewise of the other, its
// side being the one that faces the reference. Heights are above the reference face.
referee_patch referee_clip(const referee_solid *reference, int face, dvec3 outward, const referee_solid *incident,
                           int incident_face);

// The largest area that four (or fewer) of the points span, seen along a unit normal; `with` is one that must be among
// the four, or -1.
double referee_best_four(const dvec3 *points, int count, int with, dvec3 normal);

// Judges a manifold whose points are offsets from `origin`. True when nothing is wrong; else `why` says what is. When
// `cover` is not NULL it is given how much of the best four points' area its points span, or -1 where that cannot be
// measured.
bool referee_check(const referee_solid *a, const referee_solid *b, dvec3 origin, double margin, const abut_manifold *m,
                   double *cover, char why[REFEREE_WHY]);

bool referee_check_manifold(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            float margin, const abut_manifold *m, char why[REFEREE_WHY]);

// A right manifold, by the plainest route.
abut_manifold referee_answer(const referee_solid *a, const referee_solid *b, dvec3 origin, double margin);

// A collider of a world, as the referee sees it.
typedef struct referee_collider
{
    abut_shape shape;
    abut_pose pose;  // of its body
    abut_pose local; // within its body; zero rotation: identity
    abut_motion motion;
    abut_filter filter;
    uint32_t flags; // ABUT_COLLIDER_…
    uint32_t body;  // colliders of one body never collide
    bool disabled;
} referee_collider;

typedef struct referee_rules
{
    bool meets[ABUT_MOTION_COUNT][ABUT_MOTION_COUNT];
    double margin;
} referee_rules;

// Dynamic collides with all, nothing else collides; no margin.
referee_rules referee_default_rules(void);

bool referee_may_collide(const referee_rules *rules, const referee_collider *a, const referee_collider *b);

typedef struct referee_pair
{
    uint32_t a, b; // indices, a < b
    bool undecided;
} referee_pair;

typedef struct referee_pairs
{
    referee_pair *data;
    size_t count, capacity;
} referee_pairs;

// Every pair that touches or might, in the order of (a, b). Reuses what `out` holds; start it at zero, free its data.
void referee_touching(const referee_rules *rules, const referee_collider *colliders, uint32_t count,
                      referee_pairs *out);

#endif
