// A cooked mesh as bytes: its vertices, and its triangles in the order of its tree with what was found out about
// them. To make the mesh again takes no welding, sorting or joining. The boxes of the tree are built anew, and what is
// read is checked, so that no bytes lead out of the arrays.
#include "base/array.h"
#include "base/bytes.h"
#include "cook/mesh_cook.h"
#include "math/rotation.h"
#include "shape/mesh.h"

#include <string.h>

// In front. Behind it the vertices, the triangles, and the materials as the caller numbers triangles, in whole words.
typedef struct saved_mesh
{
    uint32_t given, own, joined;   // triangles: by the caller, of the surface, with those of neighbours
    uint32_t vertices, of_own;     // vertices, and those of them that triangles of the surface use
    uint32_t two_sided, materials; // 1 or 0: the latter follow
    uint32_t reserved;             // zero
} saved_mesh;

typedef struct saved_triangle
{
    uint32_t vertex[3], neighbour[3];
    uint32_t child_edges; // as in ab_mesh_triangle, the child lower
} saved_triangle;

static size_t material_bytes(const saved_mesh *m)
{
    return m->materials ? (m->given + (size_t)1) / 2 * sizeof(uint32_t) : 0;
}

static uint64_t bytes_of(const saved_mesh *m)
{
    return sizeof *m + (uint64_t)m->vertices * sizeof(abut_vec3) + (uint64_t)m->joined * sizeof(saved_triangle) +
           material_bytes(m);
}

static saved_mesh measured(const ab_mesh *mesh)
{
    return (saved_mesh){
        .given = mesh->given_count,
        .own = mesh->triangle_count,
        .joined = mesh->joined_count,
        .vertices = mesh->joined_vertices,
        .of_own = mesh->vertex_count,
        .two_sided = mesh->two_sided,
        .materials = mesh->materials != NULL,
    };
}

size_t ab_mesh_bytes_size(const ab_mesh *mesh)
{
    const saved_mesh m = measured(mesh);
    return (size_t)bytes_of(&m);
}

void ab_mesh_bytes_write(const ab_mesh *mesh, unsigned char *out)
{
    const saved_mesh m = measured(mesh);
    const ab_mesh_triangles *triangles = &mesh->triangles;
    out = ab_put_bytes(out, &m, sizeof m);
    out = ab_put_bytes(out, mesh->vertices, m.vertices * sizeof *mesh->vertices);
    for (uint32_t i = 0; i < m.joined; ++i)
    {
        saved_triangle t = { .child_edges = ab_mesh_triangle_child(triangles, i) };
        ab_mesh_triangle_vertices(triangles, i, t.vertex);
        for (int k = 0; k < 3; ++k)
        {
            t.neighbour[k] = ab_mesh_triangle_neighbour(triangles, i, k);
            t.child_edges |= (uint32_t)ab_mesh_triangle_edge(triangles, i, k) << (24 + 2 * k);
        }
        out = ab_put_bytes(out, &t, sizeof t);
    }
    if (m.materials)
    {
        memset(out + material_bytes(&m) - sizeof(uint32_t), 0, sizeof(uint32_t));
        memcpy(out, mesh->materials, m.given * sizeof *mesh->materials);
    }
}

static bool read_head(const unsigned char *bytes, size_t size, saved_mesh *out)
{
    if (size < sizeof *out)
    {
        return false;
    }
    memcpy(out, bytes, sizeof *out);
    const uint32_t most = ABUT_MAX_MESH_TRIANGLES, own = out->own;
    return own > 0 && own <= out->given && out->given <= most && own <= out->joined &&
           out->joined - own <= most - out->given && out->of_own <= out->vertices && out->two_sided <= 1 &&
           out->materials <= 1 && out->reserved == 0 && bytes_of(out) == size;
}

// False for a vertex that is out of range.
static bool read_vertices(const saved_mesh *m, const unsigned char *bytes, abut_vec3 *out)
{
    bool valid = true;
    memcpy(out, bytes, m->vertices * sizeof *out);
    for (uint32_t i = 0; i < m->vertices; ++i)
    {
        valid = valid & ab_vec3_in_range(out[i]);
        out[i] = abut_vec3_make(out[i].x + 0.0f, out[i].y + 0.0f, out[i].z + 0.0f); // no negative zeros
    }
    return valid;
}

// Takes a triangle over, and marks its number as seen. False for one that names what there is not, or has no area.
static bool read_triangle(const saved_mesh *m, const saved_triangle *from, uint32_t i, ab_mesh_parts *parts,
                          uint8_t *is_seen)
{
    const uint32_t child = from->child_edges & 0xffffffu, *v = from->vertex;
    const uint32_t vertices = i < m->own ? m->of_own : m->vertices;
    const bool is_known = i < m->own ? child < m->given && !is_seen[child] : child == m->given + (i - m->own);
    if (v[0] >= vertices || v[1] >= vertices || v[2] >= vertices || !is_known || from->child_edges >> 30 != 0)
    {
        return false;
    }
    ab_mesh_triangle *const to = &parts->triangles[i];
    *to = (ab_mesh_triangle){ .child = child & 0xffffffu, .edges = from->child_edges >> 24 & 0x3fu };
    memcpy(to->vertex, from->vertex, sizeof to->vertex);
    memcpy(to->neighbour, from->neighbour, sizeof to->neighbour);
    if (i < m->own)
    {
        is_seen[child] = 1;
    }
    return ab_mesh_has_area(&parts->vertices[v[0]], &parts->vertices[v[1]], &parts->vertices[v[2]]);
}

// Whether a triangle has an edge from one vertex to another.
static bool has_edge(const ab_mesh_triangle *t, uint32_t from, uint32_t to)
{
    return (t->vertex[0] == from && t->vertex[1] == to) || (t->vertex[1] == from && t->vertex[2] == to) ||
           (t->vertex[2] == from && t->vertex[0] == to);
}

// Whether there is a neighbour across each edge that is no border, which has it the other way round.
static bool is_joined(const ab_mesh_parts *parts, uint32_t joined, uint32_t i)
{
    const ab_mesh_triangle *t = &parts->triangles[i];
    bool all = true;
    for (int k = 0; k < 3 && all; ++k)
    {
        const uint32_t neighbour = t->neighbour[k];
        const bool is_border = ab_mesh_edge(t, k) == AB_EDGE_BORDER;
        all = is_border ? neighbour == AB_NO_TRIANGLE
                        : neighbour < joined && neighbour != i &&
                              has_edge(&parts->triangles[neighbour], t->vertex[(k + 1) % 3], t->vertex[k]);
    }
    return all;
}

static abut_status read_parts(const saved_mesh *m, const unsigned char *bytes, ab_memory *memory, ab_mesh_parts *parts)
{
    uint8_t *is_seen = NULL;
    if (!ab_array_resize(parts->vertices, memory, m->vertices) ||
        !ab_array_resize(parts->triangles, memory, m->joined) || !ab_array_resize(is_seen, memory, m->given))
    {
        arrfree(is_seen);
        return ABUT_OUT_OF_MEMORY;
    }
    parts->own = m->own;
    parts->own_vertices = m->of_own;
    memset(is_seen, 0, m->given);
    bool valid = read_vertices(m, bytes, parts->vertices);
    bytes += m->vertices * sizeof *parts->vertices;
    for (uint32_t i = 0; i < m->joined && valid; ++i)
    {
        saved_triangle t;
        memcpy(&t, bytes + i * sizeof t, sizeof t);
        valid = read_triangle(m, &t, i, parts, is_seen);
    }
    for (uint32_t i = 0; i < m->joined && valid; ++i)
    {
        valid = is_joined(parts, m->joined, i);
    }
    arrfree(is_seen);
    return !valid ? ABUT_INVALID_ARGUMENT : ab_mesh_build_nodes(parts, memory) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

abut_status ab_mesh_bytes_read(const unsigned char *bytes, size_t size, ab_memory *memory, abut_geometry **out)
{
    saved_mesh m;
    ab_mesh_parts parts = { 0 };
    uint16_t *materials = NULL;
    if (!read_head(bytes, size, &m))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = read_parts(&m, bytes + sizeof m, memory, &parts);
    if (status == ABUT_OK && m.materials)
    {
        status = ab_array_resize(materials, memory, m.given) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
    }
    if (status == ABUT_OK)
    {
        if (materials)
        {
            memcpy(materials, bytes + (size - material_bytes(&m)), m.given * sizeof *materials);
        }
        status = ab_mesh_assemble(&(ab_mesh_cooked){ &parts, m.given, m.two_sided != 0, materials }, memory, out);
    }
    arrfree(materials);
    ab_mesh_parts_free(&parts);
    return status;
}
