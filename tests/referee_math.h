// Vectors and rotations in double precision for the referee: written anew, so that a fault of the library's own algebra
// cannot hide in its judge.
#ifndef REFEREE_MATH_H
#define REFEREE_MATH_H

#include <math.h>

typedef struct dvec3
{
    double x, y, z;
} dvec3;

// w + xi + yj + zk.
typedef struct dquat
{
    double w, x, y, z;
} dquat;

static inline dvec3 dvec3_make(double x, double y, double z)
{
    return (dvec3){ x, y, z };
}

static inline dvec3 dvec3_add(dvec3 a, dvec3 b)
{
    return (dvec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline dvec3 dvec3_sub(dvec3 a, dvec3 b)
{
    return (dvec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline dvec3 dvec3_scale(dvec3 v, double s)
{
    return (dvec3){ v.x * s, v.y * s, v.z * s };
}

// a + s b.
static inline dvec3 dvec3_along(dvec3 a, double s, dvec3 b)
{
    return (dvec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline double dvec3_dot(dvec3 a, dvec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dvec3 dvec3_cross(dvec3 a, dvec3 b)
{
    return (dvec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline double dvec3_length(dvec3 v)
{
    return sqrt(dvec3_dot(v, v));
}

static inline dvec3 dvec3_normalise(dvec3 v)
{
    return dvec3_scale(v, 1.0 / dvec3_length(v));
}

// Some unit vector at right angles to the unit vector n.
static inline dvec3 dvec3_beside(dvec3 n)
{
    dvec3 least = fabs(n.x) < fabs(n.y) ? (fabs(n.x) < fabs(n.z) ? dvec3_make(1, 0, 0) : dvec3_make(0, 0, 1))
                                        : (fabs(n.y) < fabs(n.z) ? dvec3_make(0, 1, 0) : dvec3_make(0, 0, 1));
    return dvec3_normalise(dvec3_cross(n, least));
}

// v turned by q of any length but zero.
static inline dvec3 dquat_rotate(dquat q, dvec3 v)
{
    double squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    dvec3 imaginary = { q.x, q.y, q.z };
    dvec3 once = dvec3_add(dvec3_cross(imaginary, v), dvec3_scale(v, q.w));
    return dvec3_along(v, 2.0 / squared, dvec3_cross(imaginary, once));
}

static inline dquat dquat_mul(dquat a, dquat b)
{
    return (dquat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static inline dquat dquat_conjugate(dquat q)
{
    return (dquat){ q.w, -q.x, -q.y, -q.z };
}

static inline dquat dquat_turn(dvec3 unit_axis, double radians)
{
    double s = sin(0.5 * radians);
    return (dquat){ cos(0.5 * radians), s * unit_axis.x, s * unit_axis.y, s * unit_axis.z };
}

#endif
