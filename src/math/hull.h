// Points in the plane: their convex hull, and the rectangle of least area around it.
#ifndef AB_HULL_H
#define AB_HULL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ab_place
{
    double x, y;
} ab_place;

// Bytes for so many places and, after them, the room for a hull of theirs; 0 when that is past what can be asked for.
size_t ab_hull_bytes(uint32_t count);

// The corners of the convex hull, counter-clockwise from the lowest x (and of those the lowest y), none doubled and,
// but for rounding, none between two others. Rearranges `places`, and loses some; `hull` has room for twice as many.
// Returns how many there are.
size_t ab_hull_of(ab_place *places, size_t count, ab_place *hull);

typedef struct ab_rectangle
{
    ab_place along;       // unit: direction of the first side; the second is a quarter turn on
    double first, second; // lengths of the sides
} ab_rectangle;

// The rectangle of least area around a convex hull as above; of equal ones, the one on the earliest edge. Lengths below
// `grain` count as the grain.
ab_rectangle ab_least_rectangle(const ab_place *hull, size_t count, double granularity);

#endif
