// Makes polytopes of hulls, once, and of boxes, for each pair.
#include "shape/polytope.h"

#include "base/array.h"
#include "base/assert.h"
#include "math/frame.h"

#include <math.h>
#include <string.h>

#define LEVEL  4.0     // tolerances: how far below its plane a face's corner may lie
#define NEEDLE 0x1p-11 // of its length: how far from its axis a needle's vertices are, at most

static bool is_level(const ab_hull_mesh *mesh, const ab_hull_face *face)
{
    for (uint32_t k = 0; k < face->count; ++k)
    {
        double at[3];
        ab_hull_widen(mesh->vertices, mesh->corners[face->first + k], at);
        if (face->offset - ab_dot(face->normal, at) > LEVEL * mesh->tolerance)
        {
            return false;
        }
    }
    return true;
}

// From one vertex to another.
static void way_between(const ab_hull_mesh *mesh, uint32_t from, uint32_t to, double out[3])
{
    double start[3];
    ab_hull_widen(mesh->vertices, from, start);
    ab_hull_widen(mesh->vertices, to, out);
    for (int k = 0; k < 3; ++k)
    {
        out[k] -= start[k];
    }
}

static uint32_t farthest_from(const ab_hull_mesh *mesh, uint32_t vertex)
{
    double most = -1.0;
    uint32_t farthest = 0;
    for (uint32_t i = 0; i < (uint32_t)arrlenu(mesh->vertices); ++i)
    {
        double way[3];
        way_between(mesh, vertex, i, way);
        const double square = ab_dot(way, way);
        farthest = square > most ? i : farthest;
        most = square > most ? square : most;
    }
    return farthest;
}

// Whether all vertices are near one line. Edges along it are nearly parallel to those of another needle beside it, and
// the separating axis test leaves out the axes of such pairs: what that comes to may be more than the needle's width.
static bool is_needle(const ab_hull_mesh *mesh)
{
    double along[3];
    const uint32_t end = farthest_from(mesh, 0);
    way_between(mesh, end, farthest_from(mesh, end), along);
    const double square = ab_dot(along, along);
    for (uint32_t i = 0; i < (uint32_t)arrlenu(mesh->vertices); ++i)
    {
        double way[3];
        way_between(mesh, end, i, way);
        const double forth = ab_dot(way, along);
        if (ab_dot(way, way) * square - forth * forth > NEEDLE * NEEDLE * square * square)
        {
            return false;
        }
    }
    return true;
}

size_t ab_polytope_bytes(const ab_hull_mesh *mesh)
{
    const size_t vertices = arrlenu(mesh->vertices), faces = arrlenu(mesh->faces), edges = arrlenu(mesh->corners) / 2;
    AB_ASSERT(vertices + faces == edges + 2, vertices);
    if (faces > AB_POLYTOPE_FACES || edges > AB_POLYTOPE_EDGES || is_needle(mesh))
    {
        return 0;
    }
    for (size_t i = 0; i < faces; ++i)
    {
        if (!is_level(mesh, &mesh->faces[i]))
        {
            return 0;
        }
    }
    const size_t columns =
        3 * (size_t)ab_polytope_padded((uint32_t)vertices) + 4 * (size_t)ab_polytope_padded((uint32_t)faces);
    const size_t bytes =
        columns * sizeof(float) + edges * sizeof(ab_polytope_edge) +
        edges * (2 * sizeof(uint16_t) + 2 * sizeof(uint8_t)) +
        faces * (ab_polytope_edge_words((uint32_t)edges) * sizeof(uint64_t) + sizeof(ab_polytope_face));
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double); // the hull's faces are behind it
}

enum
{
    CORNERS = 2 * AB_POLYTOPE_EDGES, // most: each edge has two faces, one in each direction
    VERTICES = AB_POLYTOPE_EDGES,    // most: two more than edges less faces, of which there are four
    NO_CORNER = UINT16_MAX
};

// Which corners of faces follow a vertex, as lists: to find the face with an edge.
typedef struct followers
{
    uint16_t first[VERTICES], next[CORNERS]; // corners, or NO_CORNER
    uint16_t face[CORNERS];                  // of a corner
} followers;

static void list_followers(const ab_hull_mesh *mesh, followers *out)
{
    memset(out->first, 0xff, sizeof out->first); // NO_CORNER
    for (uint32_t i = 0; i < (uint32_t)arrlenu(mesh->faces); ++i)
    {
        const ab_hull_face *face = &mesh->faces[i];
        uint32_t last = mesh->corners[face->first + face->count - 1];
        for (uint32_t k = face->first; k < face->first + face->count; last = mesh->corners[k++])
        {
            out->face[k] = (uint16_t)i;
            out->next[k] = out->first[last];
            out->first[last] = (uint16_t)k;
        }
    }
}

// The face with the edge from `from` to `to`.
static uint32_t face_of_edge(const ab_hull_mesh *mesh, const followers *f, uint32_t from, uint32_t to)
{
    uint32_t corner = f->first[from];
    while (mesh->corners[corner] != to)
    {
        corner = f->next[corner];
    }
    return f->face[corner];
}

static void lay_edge(const ab_hull_mesh *mesh, uint32_t left, uint32_t right, uint32_t from, uint32_t to,
                     ab_polytope_edge *out)
{
    double a[3], b[3];
    ab_hull_widen(mesh->vertices, from, a);
    ab_hull_widen(mesh->vertices, to, b);
    const double along[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, length = sqrt(ab_dot(along, along));
    *out = (ab_polytope_edge){ .face = { left, right }, .vertex = { from, to } };
    for (int k = 0; k < 3; ++k)
    {
        out->point[k] = (float)a[k];
        out->direction[k] = (float)(along[k] / length);
        out->left[k] = (float)mesh->faces[left].normal[k];
        out->right[k] = (float)mesh->faces[right].normal[k];
    }
}

static uint32_t lay_edges(const ab_hull_mesh *mesh, ab_polytope_edge *out)
{
    followers lists;
    uint32_t count = 0;
    list_followers(mesh, &lists);
    for (uint32_t i = 0; i < (uint32_t)arrlenu(mesh->faces); ++i)
    {
        const ab_hull_face *face = &mesh->faces[i];
        const uint32_t *corner = mesh->corners + face->first;
        uint32_t last = corner[face->count - 1];
        for (uint32_t k = 0; k < face->count; last = corner[k++])
        {
            if (last < corner[k])
            {
                lay_edge(mesh, i, face_of_edge(mesh, &lists, corner[k], last), last, corner[k], &out[count++]);
            }
        }
    }
    return count;
}

// Lays out where each face's corners are, and the corners behind it. Returns what follows.
static uint16_t *lay_faces(const ab_hull_mesh *mesh, void *room, ab_polytope *out)
{
    const uint32_t count = (uint32_t)arrlenu(mesh->corners);
    ab_polytope_face *faces = room;
    uint16_t *corners = (uint16_t *)(void *)(faces + out->face_count);
    for (uint32_t i = 0; i < out->face_count; ++i)
    {
        faces[i] = (ab_polytope_face){ (uint16_t)mesh->faces[i].first, (uint16_t)mesh->faces[i].count };
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        corners[i] = (uint16_t)mesh->corners[i];
    }
    out->faces = faces;
    out->corners = corners;
    return corners + count;
}

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

// Half the least width over all faces, the middle and the reach of all vertices.
static void measure(const ab_hull_mesh *mesh, ab_polytope *out)
{
    const uint32_t vertices = (uint32_t)arrlenu(mesh->vertices);
    double least = HUGE_VAL, farthest = 0.0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        float low = out->vertex[k][0], high = low;
        for (uint32_t v = 1; v < vertices; ++v)
        {
            low = lesser(out->vertex[k][v], low);
            high = -lesser(-out->vertex[k][v], -high);
        }
        out->middle[k] = 0.5f * low + 0.5f * high;
    }
    for (uint32_t v = 0; v < vertices; ++v)
    {
        double at[3];
        ab_hull_widen(mesh->vertices, v, at);
        const double square = ab_dot(at, at);
        farthest = square > farthest ? square : farthest;
    }
    for (uint32_t i = 0; i < (uint32_t)arrlenu(mesh->faces); ++i)
    {
        const ab_hull_face *face = &mesh->faces[i];
        double width = 0.0;
        for (uint32_t v = 0; v < vertices; ++v)
        {
            double at[3];
            ab_hull_widen(mesh->vertices, v, at);
            const double below = face->offset - ab_dot(face->normal, at);
            width = below > width ? below : width;
        }
        least = width < least ? width : least;
    }
    out->width = (float)(0.5 * least);
    out->reach = (float)sqrt(farthest);
}

void ab_polytope_make(const ab_hull_mesh *mesh, void *room, ab_polytope *out)
{
    const uint32_t vertices = (uint32_t)arrlenu(mesh->vertices), faces = (uint32_t)arrlenu(mesh->faces);
    const uint32_t padded = ab_polytope_padded(vertices), padded_faces = ab_polytope_padded(faces);
    ab_polytope_edge *edges = room;
    *out = (ab_polytope){ .vertex_count = vertices, .face_count = faces, .edges = edges };
    out->edge_count = lay_edges(mesh, edges);
    float *column = (float *)(void *)(edges + out->edge_count);
    for (uint32_t k = 0; k < 3; ++k, column += padded)
    {
        out->vertex[k] = column;
        for (uint32_t i = 0; i < padded; ++i)
        {
            const abut_vec3 v = mesh->vertices[i < vertices ? i : 0];
            column[i] = k == 0 ? v.x : k == 1 ? v.y : v.z;
        }
    }
    for (uint32_t k = 0; k < 4; ++k, column += padded_faces)
    {
        *(k < 3 ? &out->normal[k] : &out->offset) = column;
        for (uint32_t i = 0; i < padded_faces; ++i)
        {
            const ab_hull_face *face = &mesh->faces[i < faces ? i : 0];
            column[i] = (float)(k < 3 ? face->normal[k] : face->offset);
        }
    }
    const uint32_t words = ab_polytope_edge_words(out->edge_count);
    const size_t all_words = (size_t)words * faces;
    uint64_t *face_edges = memset(column, 0, all_words * sizeof *face_edges);
    uint8_t(*edge_faces)[2] = (uint8_t(*)[2])(void *)lay_faces(mesh, face_edges + all_words, out);
    for (uint32_t e = 0; e < out->edge_count; ++e)
    {
        for (uint32_t k = 0; k < 2; ++k)
        {
            edge_faces[e][k] = (uint8_t)edges[e].face[k];
            face_edges[words * edges[e].face[k] + e / 64] |= (uint64_t)1 << e % 64;
        }
    }
    out->face_edges = face_edges;
    out->edge_faces = (const uint8_t(*)[2])(void *)edge_faces;
    measure(mesh, out);
}

// Corner i is at +half on axis k where bit k of i is set. Faces: -x, +x, -y, +y, -z, +z.
static const uint16_t box_corners[24] = { 0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6 };
static const uint64_t box_face_edges[12] = { 0x530, 0, 0xac0, 0, 0x305, 0, 0xc0a, 0, 0x053, 0, 0x0ac, 0 };
static const uint8_t box_edge_faces[12][2] = { { 2, 4 }, { 4, 3 }, { 5, 2 }, { 3, 5 }, { 4, 0 }, { 0, 5 },
                                               { 1, 4 }, { 5, 1 }, { 0, 2 }, { 2, 1 }, { 3, 0 }, { 1, 3 } };
static const ab_polytope_face box_faces[6] = { { 0, 4 }, { 4, 4 }, { 8, 4 }, { 12, 4 }, { 16, 4 }, { 20, 4 } };
// padded
static const float box_normals[3][AB_WIDEST] = { { -1, 1, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
                                                 { 0, 0, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
                                                 { 0, 0, 0, 0, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } };

// Edge 4 k + i runs along axis k: towards + on the sides of its other two axes, next and last, where the bits of i are
// set.
static void lay_box_edge(uint32_t axis, uint32_t sides, const float half[3], ab_polytope_edge *out)
{
    const uint32_t next = (axis + 1) % 3, last = (axis + 2) % 3, on_next = sides & 1, on_last = sides >> 1;
    const uint32_t from = on_next << next | on_last << last;
    const uint32_t of_next = 2 * next + on_next, of_last = 2 * last + on_last;
    *out = (ab_polytope_edge){ .vertex = { from, from | 1u << axis } };
    out->point[axis] = -half[axis];
    out->point[next] = on_next ? half[next] : -half[next];
    out->point[last] = on_last ? half[last] : -half[last];
    out->direction[axis] = 1.0f;
    // left x right is the direction: next x last is the axis, times the signs of both
    const bool in_order = on_next == on_last;
    out->face[0] = in_order ? of_next : of_last;
    out->face[1] = in_order ? of_last : of_next;
    (in_order ? out->left : out->right)[next] = on_next ? 1.0f : -1.0f;
    (in_order ? out->right : out->left)[last] = on_last ? 1.0f : -1.0f;
}

void ab_polytope_of_box(const float half[3], ab_box_room *room, ab_polytope *out)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        for (uint32_t i = 0; i < AB_WIDEST; ++i)
        {
            room->vertex[k][i] = i < 8 && i >> k & 1u ? half[k] : -half[k];
        }
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        room->offset[i] = half[i < 6 ? i / 2 : 0];
    }
    *out = (ab_polytope){
        .vertex_count = 8,
        .face_count = 6,
        .edge_count = 12,
        .vertex = { room->vertex[0], room->vertex[1], room->vertex[2] },
        .normal = { box_normals[0], box_normals[1], box_normals[2] },
        .offset = room->offset,
        .edges = room->edges,
        .faces = box_faces,
        .corners = box_corners,
        .face_edges = box_face_edges,
        .edge_faces = box_edge_faces,
        .reach = sqrtf(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]),
        .width = lesser(lesser(half[0], half[1]), half[2]),
    };
}

void ab_polytope_lay_box_edges(const float half[3], ab_box_room *room)
{
    for (uint32_t i = 0; i < 12; ++i)
    {
        lay_box_edge(i / 4, i % 4, half, &room->edges[i]);
    }
}
