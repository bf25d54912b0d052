// The 2D referee: two circles, capsules, rectangles or convex polygons, worked out in double precision by way of their
// Minkowski difference. It shares the public types with the library and nothing else, and not its method either: whether
// two shapes overlap, how deep they do and how far they are apart all follow from the origin's position relative to one
// polygon, the convex hull of all differences of their corners.
#ifndef REFEREE_PLANE_H
#define REFEREE_PLANE_H

#include <abut/abut.h>

#define PLANE_WHY   256
#define PLANE_BAND  1e-6 // of the size: a decision nearer to its threshold is nobody's to judge
#define PLANE_EXACT 1e-5 // of the size: tolerance on lengths
#define PLANE_MOST  16   // corners

typedef struct dvec2
{
    double x, y;
} dvec2;

// Where it is. A circle has one corner, its centre; a capsule two.
typedef struct plane_solid
{
    dvec2 corner[PLANE_MOST]; // counter-clockwise
    int count;
    double radius;
    bool rectangle;
    bool thin;    // a rectangle of no width
    double reach; // from the position of its body
} plane_solid;

// `local` may be NULL. The rotations' parts off z are not looked at.
plane_solid plane_solid_of(const abut_shape *shape, const abut_pose *pose, const abut_pose *local);

// How two lie to each other.
typedef struct plane_meeting
{
    double size;     // metres: the sum of what both reach
    double depth;    // how far they must move to part; zero when apart
    double distance; // between them; zero when they overlap
    double low,
        high; // what the library's separation may be: -depth or, apart, the distance, or for rectangles what their
              // axes say
} plane_meeting;

plane_meeting plane_meet(const plane_solid *a, const plane_solid *b);

// -1: apart, 1: touching, 0: too near to the margin to say.
int plane_decide(const plane_meeting *meeting, double margin);

// The gap between the two along a unit direction from a to b.
double plane_separation_along(const plane_solid *a, const plane_solid *b, dvec2 direction);

// From the point to the nearest of the solid's surface; negative inside.
double plane_point_distance(const plane_solid *solid, dvec2 point);

// Judges a manifold whose points are offsets from `origin`. True when nothing is wrong; else `why` says what is.
bool plane_check(const plane_solid *a, const plane_solid *b, dvec2 origin, double margin, const abut_manifold *m,
                 char why[PLANE_WHY]);

// By how much less than it is the separation of two rectangles may be said to be in a world, where the side that named
// the contact before may still do so; metres.
double plane_loyalty(const plane_solid *a, const plane_solid *b);

// The same of a contact in a world.
bool plane_check_contact(const plane_solid *a, const plane_solid *b, dvec2 origin, double margin,
                         const abut_manifold *m, char why[PLANE_WHY]);

#endif
