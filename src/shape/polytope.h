// A convex hull or a box as the separating axis test reads it: vertices and planes in columns, padded to whole groups
// of lanes by repeating the first, and edges in rows of a cache line.
#ifndef AB_SHAPE_POLYTOPE_H
#define AB_SHAPE_POLYTOPE_H

#include "base/isa.h"
#include "base/memory.h"
#include "cook/hull.h"

enum
{
    AB_POLYTOPE_FACES = 256, // most: hulls with more have no polytope
    AB_POLYTOPE_EDGES = 384  // most, see Euler
};

// An edge of two faces. The direction runs counter-clockwise about the left one, seen from outside.
typedef struct ab_polytope_edge
{
    float point[3], direction[3]; // its first vertex; unit
    float left[3], right[3];      // the normals of its faces
    uint32_t face[2], vertex[2];  // left and right; first and last
} ab_polytope_edge;

_Static_assert(sizeof(ab_polytope_edge) == AB_CACHE_LINE, "gathered as a row of 16 floats");

// Where a face's corners are: all faces of a hull in few cache lines.
typedef struct ab_polytope_face
{
    uint16_t first, count;
} ab_polytope_face;

typedef struct ab_polytope
{
    uint32_t vertex_count, face_count, edge_count;
    const float *vertex[3]; // columns
    const float *normal[3]; // columns: unit, outward
    const float *offset;    // of the planes along their normals
    const ab_polytope_edge *edges;
    const ab_polytope_face *faces;
    const uint16_t *corners;
    const uint64_t *face_edges;     // by face, ab_polytope_edge_words each: the bits of its edges
    const uint8_t (*edge_faces)[2]; // by edge: its faces again, in a small part of the space
    float middle[3];                // of the box of its vertices
    float reach;                    // from the origin, at most
    float width; // half the least distance between a plane and the vertex farthest below it: of a box, its least half
} ab_polytope;

// The number of entries in a column.
static inline uint32_t ab_polytope_padded(uint32_t count)
{
    return (count + AB_WIDEST - 1) / AB_WIDEST * AB_WIDEST;
}

// The words of a bit for each edge.
static inline uint32_t ab_polytope_edge_words(uint32_t edges)
{
    return (edges + 127) / 128 * 2; // an even number: most hulls have two
}

// The bytes behind a polytope's arrays, or zero where there can be none: with too many faces, with slivers, whose
// normals are no better than rounding makes them, or of a needle.
size_t ab_polytope_bytes(const ab_hull_mesh *mesh);

// Fills in a hull's. `room` has so many bytes and begins on a cache line.
void ab_polytope_make(const ab_hull_mesh *mesh, void *room, ab_polytope *out);

typedef struct ab_box_room
{
    _Alignas(AB_CACHE_LINE) ab_polytope_edge edges[12];
    float vertex[3][AB_WIDEST], offset[AB_WIDEST];
} ab_box_room;

// A box's. It uses `room` as long as it lives. Its edges are laid out by a call of their own, for boxes that their
// faces separate do without.
void ab_polytope_of_box(const float half[3], ab_box_room *room, ab_polytope *out);
void ab_polytope_lay_box_edges(const float half[3], ab_box_room *room);

#endif
