// The 2D referee: two circles, capsules, rectangles or convex polygons, worked out in double precision by way of their
// Minkowski difference. It shares the public types with the library and nothing else, and not its method either:
// whether two shapes overlap, how deep they do and how far they are apart all follow from the origin's position
// relative to one polygon, the convex hull of all differences of their corners.
#ifndef REFEREE_2D_H
#define REFEREE_2D_H

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
typedef struct solid_2d
{
    dvec2 corner[PLANE_MOST]; // counter-clockwise
    int count;
    double radius;
    bool rectangle;
    bool thin;    // a rectangle of no width
    double reach; // from the position of its body
} solid_2d;

// `local` may be NULL. The rotations' parts off z are not looked at.
solid_2d solid_2d_of(const abut_shape *shape, const abut_pose *pose, const abut_pose *local);

// How two lie to each other.
typedef struct contact_2d
{
    double size;     // metres: the sum of what both reach
    double depth;    // how far they must move to part; zero when apart
    double distance; // between them; zero when they overlap
    double low,
        high; // what the library's separation may be: -depth or, apart, the distance, or for rectangles what their
              // axes say
} contact_2d;

contact_2d collide_2d(const solid_2d *a, const solid_2d *b);

// -1: apart, 1: touching, 0: too near to the margin to say.
int decide_2d(const contact_2d *contact, double margin);

// The gap between the two along a unit direction from a to b.
double separation_along_2d(const solid_2d *a, const solid_2d *b, dvec2 direction);

// From the point to the nearest of the solid's surface; negative inside.
double point_distance_2d(const solid_2d *solid, dvec2 point);

// Judges a manifold whose points are offsets from `origin`. True when nothing is wrong; else `why` says what is.
bool check_2d(const solid_2d *a, const solid_2d *b, dvec2 origin, double margin, const abut_manifold *m,
              char why[PLANE_WHY]);

// By how much less than it is the separation of two rectangles may be said to be in a world, where the side that named
// the contact before may still do so; metres.
double hysteresis_2d(const solid_2d *a, const solid_2d *b);

// The same of a contact in a world.
bool check_contact_2d(const solid_2d *a, const solid_2d *b, dvec2 origin, double margin, const abut_manifold *m,
                      char why[PLANE_WHY]);

#endif
