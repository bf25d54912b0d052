// Triangle meshes: welds vertices, leaves out triangles without area, puts the others into the order of a packed tree,
// and finds out how neighbours meet at their edges.
#ifndef AB_COOK_MESH_H
#define AB_COOK_MESH_H

#include "base/memory.h"

#include <abut/shape.h>

#include <string.h>

#define AB_NO_TRIANGLE UINT32_MAX

#define AB_MESH_FLAT 0x1p-10 // sine of the angle between neighbours that lie in one plane

// How two triangles meet at an edge, seen from the front.
typedef enum ab_edge_kind
{
    AB_EDGE_FLAT,    // they lie in one plane
    AB_EDGE_CONVEX,  // a ridge
    AB_EDGE_CONCAVE, // a valley
    AB_EDGE_BORDER   // there is no second triangle, or more than one, or one that faces the other way
} ab_edge_kind;

// A triangle, counter-clockwise seen from the front. Edge k runs from vertex k to vertex k + 1.
typedef struct ab_mesh_triangle
{
    uint32_t vertex[3];
    uint32_t neighbour[3]; // across each edge; AB_NO_TRIANGLE at a border
    uint32_t child : 24;   // its number among the caller's
    uint32_t edges : 8;    // the kind of edge k at bit 2 k
} ab_mesh_triangle;

static inline ab_edge_kind ab_mesh_edge(const ab_mesh_triangle *triangle, int k)
{
    return (ab_edge_kind)(triangle->edges >> 2 * k & 3u);
}

// How two triangles with these unit normals meet at an edge that runs along the first counter-clockwise. Two that are
// folded onto each other meet at a ridge.
ab_edge_kind ab_mesh_meet(const double n[3], const double m[3], const double along[3]);

#define AB_MESH_WIDTH  8u // triangles of a block, and children of a node
#define AB_MESH_LEVELS 8u // enough for 2^24 triangles

// The AABBs of eight children; a child that is not there has none. Nodes of level 1 have leaves as children, and those
// of node i are leaves 8 i to 8 i + 7; on the levels above they are nodes.
typedef struct ab_mesh_node
{
    float min[3][AB_MESH_WIDTH], max[3][AB_MESH_WIDTH];
} ab_mesh_node;

// A node of level 0, whose children are blocks of eight triangles: a line of the cache. Boxes are rounded outward to
// steps from the leaf's least corner; see ab_mesh_leaf_place.
typedef struct ab_mesh_leaf
{
    float origin[3];
    unsigned char step[3]; // as the exponent of a float; 0: there is no extent, and steps are none
    unsigned char there;   // bit i: child i
    unsigned char min[3][AB_MESH_WIDTH], max[3][AB_MESH_WIDTH];
} ab_mesh_leaf;

// Metres: a power of two.
static inline float ab_mesh_leaf_step(const ab_mesh_leaf *leaf, int k)
{
    const uint32_t bits = (uint32_t)leaf->step[k] << 23;
    float step;
    memcpy(&step, &bits, sizeof step);
    return step;
}

// Where so many steps end along axis k. The product is exact.
static inline float ab_mesh_leaf_place(const ab_mesh_leaf *leaf, int k, uint32_t steps)
{
    return leaf->origin[k] + (float)steps * ab_mesh_leaf_step(leaf, k);
}

// The boxes of a block's triangles inside the block's own: by axis, byte i for triangle i. Its lower half is how many
// steps it begins from the block's least corner, the upper half how many it ends from the other one. Rounding is down,
// of boxes that are looked for too, so that two that meet are never told apart.
typedef struct ab_mesh_block
{
    uint64_t inset[3];
} ab_mesh_block;

#define AB_MESH_STEPS  14u  // the most
#define AB_MESH_ABSENT 255u // a triangle that is not there: more on either side

// Steps a metre, of a block from here to there. Infinity where it has no extent, or one too small for floats: what is
// at its corner is then at no step that is a number.
static inline float ab_mesh_step_scale(float min, float max)
{
    return (float)AB_MESH_STEPS / (max - min);
}

// The step so far from a corner; what is not a number is at the first one.
static inline int32_t ab_mesh_step_at(float away, float scale)
{
    const float steps = away * scale, most = (float)AB_MESH_STEPS, some = steps > 0.0f ? steps : 0.0f;
    return (int32_t)(some < most ? some : most);
}

// The arrays are the caller's, see base/array.h. Zeros hold nothing.
typedef struct ab_mesh_parts
{
    abut_vec3 *vertices;            // no two alike, in the order of their first use
    ab_mesh_triangle *triangles;    // the mesh's own, then those of its neighbours, which are in no node
    uint32_t own, own_vertices;     // triangles that are the mesh's own, and the vertices that these use
    ab_mesh_leaf *leaves;           // level 0
    ab_mesh_node *nodes;            // the levels above, one after the other
    ab_mesh_block *blocks;          // of the mesh's own triangles
    uint32_t first[AB_MESH_LEVELS]; // by level: its first node; of leaves 0
    uint32_t levels;
} ab_mesh_parts;

// As documented at abut_geometry_create_mesh, with its statuses. On failure the parts are empty.
abut_status ab_mesh_cook(const abut_mesh_def *def, ab_memory *memory, ab_mesh_parts *out);

void ab_mesh_parts_free(ab_mesh_parts *parts);

#endif
