// A convex hull in space as geometry.
#ifndef AB_SHAPE_HULL_H
#define AB_SHAPE_HULL_H

#include "cook/hull.h"
#include "shape/hull_support.h"
#include "shape/hull_tree.h"
#include "shape/polytope.h"
#include "shape/shape_table.h"
#include "shape/shared.h"

// One block with its arrays.
typedef struct ab_hull
{
    abut_geometry head;
    uint32_t vertex_count, face_count;
    const abut_vec3 *vertices;
    const ab_hull_face *faces;
    const uint32_t *corners;
    ab_support_map support; // of hulls with many vertices
    ab_hull_tree tree;      // with many faces
    abut_vec3 half;         // of the box about the origin that contains it
    float bounding_radius;  // about the origin, rounded outward
    float deviation;        // metres
    double tolerance;       // metres: of cooking
    ab_polytope polytope;   // without faces where there is none
    ab_box_points box;      // for hulls without
} ab_hull;

static inline ab_hull_faces ab_hull_faces_of(const ab_hull *hull)
{
    return (ab_hull_faces){ hull->vertices, hull->faces, hull->corners };
}

// Makes a hull of what cooking gives, in our own floating-point environment.
abut_status ab_hull_assemble(const ab_hull_mesh *mesh, ab_memory *memory, abut_geometry **out);

// A hull as bytes; see hull_bytes.c.
size_t ab_hull_bytes_size(const ab_hull *hull);
void ab_hull_bytes_write(const ab_hull *hull, unsigned char *out);

// The hull again, in our own floating-point environment. ABUT_INVALID_ARGUMENT for bytes that are none.
abut_status ab_hull_bytes_read(const unsigned char *bytes, size_t size, ab_memory *memory, abut_geometry **out);

// NULL for anything but a hull.
const ab_hull *ab_hull_of_geometry(const abut_geometry *geometry);

enum
{
    AB_HULL_MARKS = 512 // words of a bit for each face
};

// Sets the bits of a hull's faces that have a corner beyond, and maybe of more. False where the hull has too few faces
// to choose from, or too many for the bits.
bool ab_hull_mark_beyond(const ab_hull *hull, const ab_hull_beyond *beyond, uint64_t out[AB_HULL_MARKS]);

#endif
