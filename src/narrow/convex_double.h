// Convex shapes in double precision, for distances and sweeps: a box, or a ball around a point (a box of no size). The
// caller chooses the origin.
#ifndef AB_CONVEX_DOUBLE_H
#define AB_CONVEX_DOUBLE_H

#include <abut/shape.h>

#include <stdbool.h>

typedef struct ab_dvec3
{
    double x, y, z;
} ab_dvec3;

typedef struct ab_convex_double
{
    ab_dvec3 centre;
    ab_dvec3 axis[3];
    double half[3];
    double radius;
    bool ball;
} ab_convex_double;

static inline ab_dvec3 ab_dvec3_sub(ab_dvec3 a, ab_dvec3 b)
{
    return (ab_dvec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// base + direction x by
static inline ab_dvec3 ab_dvec3_along(ab_dvec3 base, ab_dvec3 direction, double by)
{
    return (ab_dvec3){ base.x + direction.x * by, base.y + direction.y * by, base.z + direction.z * by };
}

static inline double ab_dvec3_dot(ab_dvec3 a, ab_dvec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ab_dvec3 ab_dvec3_cross(ab_dvec3 a, ab_dvec3 b)
{
    return (ab_dvec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline ab_dvec3 ab_dvec3_of(abut_vec3 v)
{
    return (ab_dvec3){ (double)v.x, (double)v.y, (double)v.z };
}

// Whether this kind of shape has such a form.
static inline bool ab_convex_double_is_known(abut_shape_kind kind)
{
    return kind == ABUT_SPHERE || kind == ABUT_AABB || kind == ABUT_OBB;
}

// A valid shape with a non-zero rotation, centred at `centre`.
ab_convex_double ab_convex_double_of(const abut_shape *shape, abut_quat rotation, ab_dvec3 centre);

typedef struct ab_nearest
{
    ab_dvec3 on_a, on_b;
    double distance; // zero when balls overlap; of overlapping boxes, only an upper bound of their depth
} ab_nearest;

// The nearest points of two shapes; any, if several are. Points of a ball are on its surface, unless its centre is
// inside the other shape. For overlapping boxes, on_b - on_a does not point from a to b.
ab_nearest ab_convex_double_nearest(const ab_convex_double *a, const ab_convex_double *b);

typedef struct ab_apart
{
    ab_dvec3 normal;   // unit, from a to b
    double separation; // along it; negative: depth
} ab_apart;

// The axis of largest separation among those of the separating axis theorem: the way out when they overlap. Flat boxes
// in one plane are separated within it.
ab_apart ab_convex_double_apart(const ab_convex_double *a, const ab_convex_double *b);

// How far the shape reaches from its centre along a unit direction.
double ab_convex_double_extent(const ab_convex_double *convex, ab_dvec3 direction);

// The point of the shape farthest along a direction.
ab_dvec3 ab_convex_double_support(const ab_convex_double *convex, ab_dvec3 direction);

#endif
