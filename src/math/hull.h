// Points in the xy plane: their convex hull, and the rectangle of least area around it.
#ifndef AB_HULL_H
#define AB_HULL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ab_dvec2
{
    double x, y;
} ab_dvec2;

// The bytes of so many points followed by room for their hull; 0 if that overflows.
size_t ab_hull_bytes(uint32_t count);

// The corners of the convex hull, counter-clockwise from the lowest x (and of those the lowest y), without duplicates
// and, up to rounding, without collinear points. Reorders `points` and drops some; `hull` has room for twice as many.
// Returns the number of corners.
size_t ab_hull_of(ab_dvec2 *points, size_t count, ab_dvec2 *hull);

typedef struct ab_rectangle
{
    ab_dvec2 along;       // unit: direction of the first side; the second is a quarter turn counter-clockwise
    double first, second; // lengths of the sides
} ab_rectangle;

// The rectangle of least area around such a hull; of equal ones, the one on the earliest edge. Lengths below
// `granularity` count as `granularity`.
ab_rectangle ab_least_rectangle(const ab_dvec2 *hull, size_t count, double granularity);

#endif
