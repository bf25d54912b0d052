// The triangles of a mesh in few bytes. Vertices are numbered by their first use, so that the 64 triangles of a group
// have theirs close together: a corner is a byte, its place in the group's list of vertices, which are two bytes each,
// counted from the least. The neighbour across an edge is the triangle of the group that has the edge the other way
// round, or, in another group, listed likewise. Where two bytes are too few, a group's list has four. As a rule a group
// has no more than 64 vertices, and its triangles had numbers close to each other; another one is loose.
#ifndef AB_SHAPE_MESH_TRIANGLES_H
#define AB_SHAPE_MESH_TRIANGLES_H

#include "base/platform.h"
#include "cook/mesh.h"

#define AB_MESH_GROUP 64u     // triangles: their corners are 192 at most, so that a byte has them
#define AB_MESH_NEAR  0x8000u // triangles before a group, and half of what two bytes reach
#define AB_MESH_CLOSE 64u     // vertices of a group that is not loose, at most: six bits

// Eight triangles. Places of triangles that are not there are zeros.
typedef struct ab_mesh_eight
{
    unsigned char corner[3][AB_MESH_WIDTH]; // first corners, second, third; above six bits the kind of edge k
    uint16_t child[AB_MESH_WIDTH];          // the caller's number, counted from the group's least
    unsigned char outside[3];               // by edge: bit i where triangle i has its neighbour in another group
    unsigned char number;                   // what is a corner's number in its byte; all of it: the group is loose
    uint16_t listed; // where in the group's list such neighbours begin: across edges 0, edges 1, edges 2
    uint16_t unused;
} ab_mesh_eight;

// In front of a loose group is what has no room in its eights.
typedef struct ab_mesh_loose
{
    unsigned char edges[AB_MESH_GROUP]; // the kind of edge k at bit 2 k
    unsigned char child[AB_MESH_GROUP]; // above 16 bits
} ab_mesh_loose;

typedef struct ab_mesh_group
{
    uint32_t first_vertex; // the least; 0 in a list of four bytes each
    uint32_t first_own;    // the first one that no group before has
    uint16_t is_wide;      // the list has four bytes each, the lower two first
    uint16_t list[];       // the vertices, then neighbours
} ab_mesh_group;

// Where a group is.
typedef struct ab_mesh_group_at
{
    uint32_t word;
    uint32_t first_child; // the least of the caller's numbers
} ab_mesh_group_at;

typedef struct ab_mesh_triangles
{
    const ab_mesh_eight *eights;
    uint32_t eight_count;
    const uint32_t *groups; // one behind the other
    const ab_mesh_group_at *group_at;
    const uint32_t *back;     // see mesh_child.c
    const uint32_t *left_out; // the caller's numbers of triangles that the mesh has not
} ab_mesh_triangles;

static inline uint32_t ab_mesh_groups(uint32_t triangles)
{
    return (triangles + AB_MESH_GROUP - 1) / AB_MESH_GROUP;
}

// How many bits of up to 24 are set.
static inline uint32_t ab_bits_of(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

// Eight bytes, the first one lowest. Compilers make one load of it.
static inline uint64_t ab_mesh_bytes(const unsigned char *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static inline const ab_mesh_eight *ab_mesh_eight_of(const ab_mesh_triangles *t, uint32_t triangle)
{
    return &t->eights[triangle / AB_MESH_WIDTH];
}

static inline const ab_mesh_group *ab_mesh_group_of(const ab_mesh_triangles *t, uint32_t triangle)
{
    return (const ab_mesh_group *)(const void *)(t->groups + t->group_at[triangle / AB_MESH_GROUP].word);
}

// Of a triangle in a loose group.
static inline const ab_mesh_loose *ab_mesh_loose_of(const ab_mesh_triangles *t, uint32_t triangle)
{
    return (const ab_mesh_loose *)(const void *)ab_mesh_group_of(t, triangle) - 1;
}

static inline bool ab_mesh_is_loose(const ab_mesh_eight *eight)
{
    return eight->number >= AB_MESH_CLOSE;
}

// Asks for the memory of a triangle's eight, which may begin in one line of the cache and end in the next.
AB_INLINE void ab_mesh_fetch_eight(const ab_mesh_triangles *t, uint32_t triangle)
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    AB_PREFETCH(eight);
    AB_PREFETCH(&eight->unused);
}

// Asks for the memory of a triangle's group: most of its list.
AB_INLINE void ab_mesh_fetch_group(const ab_mesh_triangles *t, uint32_t triangle)
{
    const char *group = (const char *)ab_mesh_group_of(t, triangle);
    AB_PREFETCH(group);
    AB_PREFETCH(group + 64);
}

static inline uint32_t ab_mesh_triangle_child(const ab_mesh_triangles *t, uint32_t triangle)
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    const uint32_t child = t->group_at[triangle / AB_MESH_GROUP].first_child + eight->child[triangle % AB_MESH_WIDTH];
    return ab_mesh_is_loose(eight)
               ? child + ((uint32_t)ab_mesh_loose_of(t, triangle)->child[triangle % AB_MESH_GROUP] << 16)
               : child;
}

static inline ab_edge_kind ab_mesh_triangle_edge(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    const uint32_t kind = ab_mesh_is_loose(eight)
                              ? (uint32_t)ab_mesh_loose_of(t, triangle)->edges[triangle % AB_MESH_GROUP] >> 2 * k & 3u
                              : (uint32_t)eight->corner[k][triangle % AB_MESH_WIDTH] >> 6;
    return (ab_edge_kind)kind;
}

// An entry of a wide list.
static inline uint32_t ab_mesh_wide(const uint16_t *list, uint32_t at)
{
    return list[2 * at] | (uint32_t)list[2 * at + 1] << 16;
}

static inline uint32_t ab_mesh_triangle_vertex(const ab_mesh_triangles *t, uint32_t triangle, int i)
{
    const ab_mesh_group *group = ab_mesh_group_of(t, triangle);
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    const uint32_t at = eight->corner[i][triangle % AB_MESH_WIDTH] & eight->number;
    return group->is_wide ? ab_mesh_wide(group->list, at) : group->first_vertex + group->list[at];
}

// All three.
AB_INLINE void ab_mesh_triangle_vertices(const ab_mesh_triangles *t, uint32_t triangle, uint32_t out[3])
{
    const ab_mesh_group *group = ab_mesh_group_of(t, triangle);
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    const unsigned char *at = &eight->corner[0][triangle % AB_MESH_WIDTH];
    const uint32_t number = eight->number, a = at[0] & number, b = at[AB_MESH_WIDTH] & number,
                   c = at[2 * AB_MESH_WIDTH] & number, first = group->first_vertex;
    if (group->is_wide)
    {
        out[0] = ab_mesh_wide(group->list, a);
        out[1] = ab_mesh_wide(group->list, b);
        out[2] = ab_mesh_wide(group->list, c);
        return;
    }
    out[0] = first + group->list[a];
    out[1] = first + group->list[b];
    out[2] = first + group->list[c];
}

// Asks for the memory of a triangle's vertices, where that of its eight and group is there.
AB_INLINE void ab_mesh_fetch_vertices(const ab_mesh_triangles *t, const abut_vec3 *vertices, uint32_t triangle)
{
    uint32_t corner[3];
    ab_mesh_triangle_vertices(t, triangle, corner);
    for (uint32_t i = 0; i < 3; ++i)
    {
        AB_PREFETCH(&vertices[corner[i]]);
    }
}

// Where the vertices of a triangle are, for a caller that asks for many: the group of the last one is kept.
typedef struct ab_mesh_reader
{
    const abut_vec3 *first;
    const uint16_t *list;
    uint32_t group, number;
    bool is_wide;
} ab_mesh_reader;

// Has no group yet.
AB_INLINE ab_mesh_reader ab_mesh_reader_of(const ab_mesh_triangles *t, const abut_vec3 *vertices)
{
    return (ab_mesh_reader){ vertices, (const uint16_t *)(const void *)t->groups, UINT32_MAX, 0, false };
}

AB_INLINE void ab_mesh_read(ab_mesh_reader *r, const ab_mesh_triangles *t, const abut_vec3 *vertices, uint32_t triangle,
                            const abut_vec3 *out[3])
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    const unsigned char *at = &eight->corner[0][triangle % AB_MESH_WIDTH];
    if (triangle / AB_MESH_GROUP != r->group)
    {
        const ab_mesh_group *group = ab_mesh_group_of(t, triangle);
        r->group = triangle / AB_MESH_GROUP;
        r->number = eight->number;
        r->first = vertices + group->first_vertex;
        r->list = group->list;
        r->is_wide = group->is_wide != 0;
    }
    const uint32_t a = at[0] & r->number, b = at[AB_MESH_WIDTH] & r->number, c = at[2 * AB_MESH_WIDTH] & r->number;
    if (r->is_wide)
    {
        out[0] = r->first + ab_mesh_wide(r->list, a);
        out[1] = r->first + ab_mesh_wide(r->list, b);
        out[2] = r->first + ab_mesh_wide(r->list, c);
        return;
    }
    out[0] = r->first + r->list[a];
    out[1] = r->first + r->list[b];
    out[2] = r->first + r->list[c];
}

// Across edge k; AB_NO_TRIANGLE at a border.
uint32_t ab_mesh_triangle_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k);

// What the triangles are packed into, but for what finds children; the arrays are the caller's, see base/array.h.
typedef struct ab_mesh_packed
{
    ab_mesh_eight *eights;
    uint32_t *groups;
    ab_mesh_group_at *group_at;
} ab_mesh_packed;

// False when out of memory; either way, the caller frees what there is.
bool ab_mesh_pack(const ab_mesh_parts *parts, ab_memory *memory, ab_mesh_packed *out);

void ab_mesh_packed_free(ab_mesh_packed *packed);

// How many numbers ab_mesh_list_back writes for so many triangles of the caller's.
static inline uint32_t ab_mesh_back_count(uint32_t given)
{
    return (given + 7) / 8;
}

// Fills in what `back` points at. By place: the caller's number, behind the mesh's own triangles of those left out.
void ab_mesh_list_back(const uint32_t *numbers, uint32_t given, uint32_t *back);

// Where a triangle of the caller's is; AB_NO_TRIANGLE: it is left out.
uint32_t ab_mesh_find_place(const ab_mesh_triangles *t, uint32_t own, uint32_t child);

#endif
