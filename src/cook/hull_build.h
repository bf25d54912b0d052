// A convex hull under construction: a triangulated surface that grows by a point at a time.
#ifndef AB_COOK_HULL_BUILD_H
#define AB_COOK_HULL_BUILD_H

#include "base/memory.h"

#include <abut/math.h>

#define AB_HULL_TOLERANCE 0x1p-20 // of the largest coordinate: points so near the hull are no vertices
#define AB_HULL_FLAT      0x1p-17 // of the largest coordinate: a thinner cloud is flat

// A triangle of the surface. Edge i runs from vertex[i] to the next, counter-clockwise seen from outside.
typedef struct ab_facet
{
    uint32_t vertex[3]; // points
    uint32_t across[3]; // the facet beyond each edge
    double normal[3];   // unit; rounded, so that a sliver's may be poor
    uint32_t outside;   // first of the points that see it, linked by ab_hull_build.next
    uint32_t farthest;  // of these
    double height;      // of that
    uint32_t made;      // a number of its own; zero: not in use
    uint32_t seen;      // the last look that reached it
} ab_facet;

// A heap's entry: the largest key first; of equal ones the lower facet.
typedef struct ab_hull_entry
{
    double key;
    uint32_t facet, made; // stale once the facet has another number
} ab_hull_entry;

typedef struct ab_hull_build
{
    ab_memory *memory;
    const abut_vec3 *points;
    uint32_t count;
    double size;         // the largest coordinate, metres
    double tolerance;    // metres
    uint32_t *next;      // by point: the next that sees the same facet
    uint32_t *begins;    // by point: the new facet whose first edge begins there
    uint32_t *uses;      // by point: facets that have it as a vertex
    uint32_t vertices;   // points in use
    ab_facet *facets;    // in use or free
    uint32_t *free;      // facets to use again
    uint32_t *visible;   // those that the last look saw
    ab_hull_entry *heap; // of facets with points outside
    uint32_t made, looks;
} ab_hull_build;

// Grows the surface until no point is outside it by more than the tolerance, or it has `most` vertices. Sets
// *deviation to how far points lie outside then. The caller closes the build, whatever the result.
abut_status ab_hull_grow(ab_hull_build *build, const abut_vec3 *points, uint32_t count, uint32_t most,
                         ab_memory *memory, double *deviation);

void ab_hull_close(ab_hull_build *build);

// False when out of memory.
bool ab_hull_push(ab_hull_build *build, ab_hull_entry entry);
ab_hull_entry ab_hull_pop(ab_hull_build *build); // the heap is not empty

// Four points far from lying in a plane; false when all points lie within AB_HULL_FLAT of one.
bool ab_hull_find_first(const ab_hull_build *build, uint32_t out[4]);

void ab_hull_between(abut_vec3 from, abut_vec3 to, double out[3]);
double ab_hull_from_segment(abut_vec3 point, abut_vec3 a, abut_vec3 b); // the distance

static inline void ab_hull_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
