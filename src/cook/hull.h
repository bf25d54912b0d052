// The convex hull of points in space: vertices and faces for abut_geometry_create_hull.
#ifndef AB_COOK_HULL_H
#define AB_COOK_HULL_H

#include "base/memory.h"

#include <abut/shape.h>

// A face: a convex polygon within the tolerance of a plane that has all vertices on its inner side.
typedef struct ab_hull_face
{
    double normal[3]; // unit, outward
    double offset;    // of the plane from the origin, along the normal
    uint32_t first;   // of its corners in ab_hull_mesh.corners
    uint32_t count;   // 3 at least
} ab_hull_face;

// The arrays are the caller's, see base/array.h. Zeros hold nothing.
typedef struct ab_hull_mesh
{
    abut_vec3 *vertices;
    ab_hull_face *faces;
    uint32_t *corners; // vertices, counter-clockwise seen from outside, face after face
    double tolerance;  // metres
    double deviation;  // metres: how far a point lies outside the hull, at most; more than the tolerance if simplified
} ab_hull_mesh;

// As documented at abut_geometry_create_hull, with its statuses. `most` vertices; zero: all. On failure the mesh is
// empty.
abut_status ab_hull_cook(const abut_vec3 *points, uint32_t count, uint32_t most, ab_memory *memory, ab_hull_mesh *out);

void ab_hull_mesh_free(ab_hull_mesh *mesh);

// A vertex in doubles.
static inline void ab_hull_widen(const abut_vec3 *vertices, uint32_t vertex, double out[3])
{
    out[0] = (double)vertices[vertex].x;
    out[1] = (double)vertices[vertex].y;
    out[2] = (double)vertices[vertex].z;
}

#endif
