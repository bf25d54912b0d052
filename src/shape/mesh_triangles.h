// The triangles of a mesh in few bytes. Vertices are numbered by their first use, so that the 64 triangles of a group
// have theirs close together: a corner is a byte, its place in the group's list of vertices, which are two bytes each,
// counted from the least. The neighbour across an edge is the triangle of the group that has the edge the other way
// round, or, in another group, listed likewise. Where two bytes are too few, a group's list has four.
#ifndef AB_SHAPE_MESH_TRIANGLES_H
#define AB_SHAPE_MESH_TRIANGLES_H

#include "base/platform.h"
#include "cook/mesh.h"

#define AB_MESH_GROUP 64u     // triangles: their corners are 192 at most, so that a byte has them
#define AB_MESH_NEAR  0x8000u // triangles before a group, and half of what two bytes reach
#define AB_MESH_CHILD 0xffffffu

typedef struct ab_mesh_group
{
    uint64_t outside[3];    // by edge: bit i where triangle i of the group has its neighbour in another group
    uint32_t first_vertex;  // the least; 0 in a list of four bytes each
    uint32_t list;          // where its list begins: the vertices, then the neighbours of edges 0, then 1, then 2
    uint16_t neighbours[3]; // by edge: where in the list its neighbours begin
    bool is_wide;           // the list has four bytes each, the lower two first
} ab_mesh_group;

typedef struct ab_mesh_triangles
{
    const uint32_t *children;     // by triangle: the caller's number, and above 24 bits the kind of edge k at bit 2 k
    const unsigned char *corners; // of eight triangles each: first corners, then second, then third
    const ab_mesh_group *groups;
    const uint16_t *lists;
    const uint32_t *back;     // see mesh_child.c
    const uint32_t *left_out; // the caller's numbers of triangles that the mesh has not
} ab_mesh_triangles;

static inline uint32_t ab_mesh_groups(uint32_t triangles)
{
    return (triangles + AB_MESH_GROUP - 1) / AB_MESH_GROUP;
}

static inline uint32_t ab_mesh_triangle_child(const ab_mesh_triangles *t, uint32_t triangle)
{
    return t->children[triangle] & AB_MESH_CHILD;
}

static inline ab_edge_kind ab_mesh_triangle_edge(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    return (ab_edge_kind)(t->children[triangle] >> (24 + 2 * k) & 3u);
}

// The first corner; the others are behind it in steps of AB_MESH_WIDTH.
static inline const unsigned char *ab_mesh_triangle_corners(const ab_mesh_triangles *t, uint32_t triangle)
{
    return t->corners + 3 * (size_t)triangle - 2 * (triangle % AB_MESH_WIDTH);
}

// An entry of a wide list.
static inline uint32_t ab_mesh_wide(const uint16_t *list, uint32_t at)
{
    return list[2 * at] | (uint32_t)list[2 * at + 1] << 16;
}

static inline uint32_t ab_mesh_triangle_vertex(const ab_mesh_triangles *t, uint32_t triangle, int i)
{
    const ab_mesh_group *group = &t->groups[triangle / AB_MESH_GROUP];
    const uint16_t *list = t->lists + group->list;
    const uint32_t at = ab_mesh_triangle_corners(t, triangle)[AB_MESH_WIDTH * (uint32_t)i];
    return group->is_wide ? ab_mesh_wide(list, at) : group->first_vertex + list[at];
}

// All three.
AB_INLINE void ab_mesh_triangle_vertices(const ab_mesh_triangles *t, uint32_t triangle, uint32_t out[3])
{
    const ab_mesh_group *group = &t->groups[triangle / AB_MESH_GROUP];
    const uint16_t *list = t->lists + group->list;
    const unsigned char *at = ab_mesh_triangle_corners(t, triangle);
    const uint32_t a = at[0], b = at[AB_MESH_WIDTH], c = at[2 * AB_MESH_WIDTH], first = group->first_vertex;
    if (group->is_wide)
    {
        out[0] = ab_mesh_wide(list, a);
        out[1] = ab_mesh_wide(list, b);
        out[2] = ab_mesh_wide(list, c);
        return;
    }
    out[0] = first + list[a];
    out[1] = first + list[b];
    out[2] = first + list[c];
}

// Where the vertices of a triangle are, for a caller that asks for many: the group of the last one is kept.
typedef struct ab_mesh_reader
{
    const abut_vec3 *first;
    const uint16_t *list;
    uint32_t group;
    bool is_wide;
} ab_mesh_reader;

#define AB_MESH_READER_NONE                                                                                            \
    {                                                                                                                  \
        NULL, NULL, UINT32_MAX, false                                                                                  \
    }

AB_INLINE void ab_mesh_read(ab_mesh_reader *r, const ab_mesh_triangles *t, const abut_vec3 *vertices, uint32_t triangle,
                            const abut_vec3 *out[3])
{
    const unsigned char *at = ab_mesh_triangle_corners(t, triangle);
    const uint32_t a = at[0], b = at[AB_MESH_WIDTH], c = at[2 * AB_MESH_WIDTH];
    if (triangle / AB_MESH_GROUP != r->group)
    {
        const ab_mesh_group *group = &t->groups[triangle / AB_MESH_GROUP];
        r->group = triangle / AB_MESH_GROUP;
        r->first = vertices + group->first_vertex;
        r->list = t->lists + group->list;
        r->is_wide = group->is_wide;
    }
    out[0] = r->first + (r->is_wide ? ab_mesh_wide(r->list, a) : r->list[a]);
    out[1] = r->first + (r->is_wide ? ab_mesh_wide(r->list, b) : r->list[b]);
    out[2] = r->first + (r->is_wide ? ab_mesh_wide(r->list, c) : r->list[c]);
}

// Across edge k; AB_NO_TRIANGLE at a border.
uint32_t ab_mesh_triangle_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k);

// What the triangles are packed into, but for what finds children; the arrays are the caller's, see base/array.h.
typedef struct ab_mesh_packed
{
    uint32_t *children;
    unsigned char *corners;
    ab_mesh_group *groups;
    uint16_t *lists;
} ab_mesh_packed;

// False when out of memory; either way, the caller frees what there is.
bool ab_mesh_pack(const ab_mesh_parts *parts, ab_memory *memory, ab_mesh_packed *out);

void ab_mesh_packed_free(ab_mesh_packed *packed);

// How many numbers ab_mesh_list_back writes for so many triangles of the caller's.
static inline uint32_t ab_mesh_back_count(uint32_t given)
{
    return (given + 7) / 8;
}

// Fills in t->back. The others are there; `own` triangles are the mesh's own, of `given`.
void ab_mesh_list_back(const ab_mesh_triangles *t, uint32_t own, uint32_t given, uint32_t *back);

// Where a triangle of the caller's is; AB_NO_TRIANGLE: it is left out.
uint32_t ab_mesh_find_place(const ab_mesh_triangles *t, uint32_t own, uint32_t child);

#endif
