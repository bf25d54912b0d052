// The faces of a convex hull in a tree of eights. A node bounds its faces' planes about the middle of the box of their
// corners: their normals are in a box, too, and no plane passes farther inside than `inside` from that middle. So it
// bounds how far a point is above any of them closely where that matters, near the faces.
//
// Searches skip what cannot be the answer for certain, and give the same answer as a loop over all faces, bit for bit.
#ifndef AB_SHAPE_HULL_TREE_H
#define AB_SHAPE_HULL_TREE_H

#include "cook/hull.h"
#include "math/frame.h"
#include "shape/ray.h"

#define AB_HULL_TREE_LEAST 160u    // faces: of fewer, all are looked at
#define AB_HULL_TREE_SIZE  0x1p-40 // metres: squares of smaller hulls' distances would be no floats

enum
{
    AB_HULL_TREE_WIDTH = 8
};

// What is known of eight children. Those past the last bound nothing.
typedef struct ab_hull_node
{
    float middle[3][AB_HULL_TREE_WIDTH], half[3][AB_HULL_TREE_WIDTH];   // the box of what lies on the faces
    float normal[3][AB_HULL_TREE_WIDTH], spread[3][AB_HULL_TREE_WIDTH]; // of the box of the normals: middle and half
    float inside[AB_HULL_TREE_WIDTH];
    uint32_t first; // child: a node or, past the last of those, eight faces of the order
    uint32_t count; // children
} ab_hull_node;

typedef struct ab_hull_tree
{
    const ab_hull_node *nodes; // the root first; NULL: no tree
    const uint32_t *order;     // faces
    uint32_t node_count, face_count;
    double size;  // metres: of the vertices' distances from the origin along the axes, their sum at most
    float beside; // metres: how far the nearest point on any face may be outside of the box of its corners
} ab_hull_tree;

// What the faces of a tree are read from.
typedef struct ab_hull_faces
{
    const abut_vec3 *vertices;
    const ab_hull_face *faces;
    const uint32_t *corners;
} ab_hull_faces;

// The bytes of a tree of so many faces.
size_t ab_hull_tree_bytes(uint32_t faces);

// Builds the tree into `room`, of so many bytes. False when out of memory.
bool ab_hull_tree_build(const ab_hull_faces *hull, uint32_t faces, double size, void *room, ab_memory *memory,
                        ab_hull_tree *out);

// Where a ray enters, as the row says: of faces that are entered at once, the first.
bool ab_hull_tree_ray(const ab_hull_tree *tree, const ab_hull_faces *hull, const double from[3], const double way[3],
                      ab_ray_entry *out);

// Whether no face has a point above it.
bool ab_hull_tree_contains(const ab_hull_tree *tree, const ab_hull_faces *hull, const double point[3]);

// The face with the largest product of its normal with a direction, of which the square is at least 2^-800 and at most
// 2^800; of several, the first.
uint32_t ab_hull_tree_facing(const ab_hull_tree *tree, const ab_hull_faces *hull, const double direction[3]);

// The point of the faces that a point is above, nearest to it; of those as near, the first face's. The point itself if
// there is none.
void ab_hull_tree_closest(const ab_hull_tree *tree, const ab_hull_faces *hull, const double point[3], double out[3]);

// Faces whose normal has at least a cosine with a unit direction, and that have a corner at least so far along another.
typedef struct ab_hull_beyond
{
    const double *facing, *along;
    double cosine, least;
} ab_hull_beyond;

// Sets their bits.
void ab_hull_tree_mark_beyond(const ab_hull_tree *tree, const ab_hull_faces *hull, const ab_hull_beyond *beyond,
                              uint64_t *out);

// What a loop over all faces does for each: shared with small hulls.

// How far a point is above the plane of a face.
static inline double ab_hull_above(const ab_hull_face *face, const double point[3])
{
    return ab_dot(face->normal, point) - face->offset;
}

// The point of a face closest to a point above its plane. Returns the squared distance.
double ab_hull_closest_on_face(const ab_hull_faces *hull, const ab_hull_face *face, const double point[3],
                               double out[3]);

#endif
