// Meshes that share the arrays of another, scaled along the axes. A vertex is multiplied when it is read, in floats,
// and boxes are divided before they go down the tree: answers are those of a mesh made of the products. What follows
// from angles is found anew: how triangles meet, those of neighbouring surfaces too.
//
// A scaled heightfield shares nothing, for heightfields change in place: it is made of the products.
#include "shape/mesh.h"

#include "base/array.h"
#include "cook/mesh_cook.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define LEAST       0x1p-900 // of products of squares: smaller ones lose their bits
#define COORDINATES 5u       // the scale, and the original's digest in two halves

// One block with the kinds of its edges, where they differ from the original's.
typedef struct scaled
{
    ab_mesh mesh;
    float coordinates[COORDINATES];
    uint8_t edges[];
} scaled;

void ab_mesh_scaled_positions(const ab_mesh *mesh, uint32_t triangle, abut_vec3 out[3])
{
    const int second = mesh->is_mirrored ? 2 : 1;
    uint32_t vertex[3];
    ab_mesh_own_vertices(mesh, triangle, vertex);
    out[0] = ab_mesh_scaled(mesh, mesh->vertices[vertex[0]]);
    out[1] = ab_mesh_scaled(mesh, mesh->vertices[vertex[second]]);
    out[2] = ab_mesh_scaled(mesh, mesh->vertices[vertex[3 - second]]);
}

ab_edge_kind ab_mesh_scaled_edge(const ab_mesh *mesh, uint32_t triangle, int k)
{
    return mesh->edges ? (ab_edge_kind)(mesh->edges[triangle] >> 2 * k & 3u)
                       : ab_mesh_triangle_edge(&mesh->triangles, triangle, mesh->is_mirrored ? 2 - k : k);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How a triangle meets its neighbour at edge k now.
static ab_edge_kind kind_of(const ab_mesh *mesh, uint32_t triangle, int k)
{
    const uint32_t neighbour = ab_mesh_neighbour(mesh, triangle, k);
    abut_vec3 own[3], other[3];
    double n[3], m[3];
    if (neighbour == AB_NO_TRIANGLE)
    {
        return AB_EDGE_BORDER;
    }
    ab_mesh_positions(mesh, triangle, own);
    ab_mesh_positions(mesh, neighbour, other);
    ab_mesh_unit_normal(&own[0], &own[1], &own[2], n);
    ab_mesh_unit_normal(&other[0], &other[1], &other[2], m);
    const abut_vec3 *from = &own[k], *to = &own[(k + 1) % 3];
    const double along[3] = { (double)to->x - from->x, (double)to->y - from->y, (double)to->z - from->z };
    return ab_mesh_meet(n, m, along);
}

// Those of neighbouring surfaces, too.
static bool all_have_area(const ab_mesh *mesh)
{
    bool all = true;
    for (uint32_t i = 0; i < mesh->joined_count && all; ++i)
    {
        abut_vec3 at[3];
        ab_mesh_positions(mesh, i, at);
        all = ab_mesh_has_area(&at[0], &at[1], &at[2]);
    }
    return all;
}

// A triangle with its normal, which is not of unit length.
typedef struct facet
{
    abut_vec3 at[3];
    double normal[3], square;
} facet;

static void facet_of(const ab_mesh *mesh, uint32_t triangle, facet *out)
{
    ab_mesh_positions(mesh, triangle, out->at);
    ab_mesh_normal(&out->at[0], &out->at[1], &out->at[2], out->normal);
    out->square = dot(out->normal, out->normal);
}

// Whether kind_of has no doubt, and says that two meet in this way at edge k of the first. Takes neither roots nor
// quotients.
static bool meet_clearly(const facet *f, const facet *g, int k, ab_edge_kind kind)
{
    const double *n = f->normal, *m = g->normal;
    const abut_vec3 *from = &f->at[k], *to = &f->at[(k + 1) % 3];
    const double along[3] = { (double)to->x - from->x, (double)to->y - from->y, (double)to->z - from->z };
    const double across[3] = { n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0] };
    const double sine = dot(across, along),
                 least = AB_MESH_FLAT * AB_MESH_FLAT * f->square * g->square * dot(along, along);
    if (least < LEAST)
    {
        return false;
    }
    if (sine * sine > 4.0 * least)
    {
        return kind == (sine > 0.0 ? AB_EDGE_CONVEX : AB_EDGE_CONCAVE);
    }
    return sine * sine < 0.25 * least && kind == (dot(n, m) > 0.0 ? AB_EDGE_FLAT : AB_EDGE_CONVEX);
}

// Whether some edge is of another kind than the original's. Both sides of an edge see the same kind.
static bool edges_differ(const ab_mesh *mesh)
{
    bool differ = false;
    for (uint32_t i = 0; i < mesh->joined_count && !differ; ++i)
    {
        facet own, other;
        facet_of(mesh, i, &own);
        for (int k = 0; k < 3 && !differ; ++k)
        {
            const uint32_t neighbour = ab_mesh_neighbour(mesh, i, k);
            if (neighbour != AB_NO_TRIANGLE && neighbour > i)
            {
                const ab_edge_kind kind = ab_mesh_listed_edge(mesh, i, k);
                facet_of(mesh, neighbour, &other);
                differ = !meet_clearly(&own, &other, k, kind) && kind_of(mesh, i, k) != kind;
            }
        }
    }
    return differ;
}

static void write_edges(const ab_mesh *mesh, uint8_t *out)
{
    for (uint32_t i = 0; i < mesh->joined_count; ++i)
    {
        const unsigned kinds =
            (unsigned)kind_of(mesh, i, 0) | (unsigned)kind_of(mesh, i, 1) << 2 | (unsigned)kind_of(mesh, i, 2) << 4;
        out[i] = (uint8_t)kinds;
    }
}

// What a hash is of.
static void write_coordinates(const ab_mesh *mesh, float out[COORDINATES])
{
    const abut_geometry *original = &mesh->original->head;
    uint32_t digest = 0x811c9dc5u;
    for (uint32_t i = 0; i < original->coordinate_count; ++i)
    {
        uint32_t bits;
        memcpy(&bits, &original->coordinates[i], sizeof bits);
        digest = (digest ^ bits) * 0x01000193u; // G. Fowler, L. Noll, K. Vo, FNV-1a (1991), by words
        digest ^= digest >> 15;
    }
    const float coordinates[COORDINATES] = { mesh->scale.x, mesh->scale.y, mesh->scale.z, (float)(digest >> 16),
                                             (float)(digest & 0xffffu) };
    memcpy(out, coordinates, sizeof coordinates);
}

static void release_original(const abut_geometry *own)
{
    abut_geometry_release(&((const ab_mesh *)(const void *)own)->original->head);
}

static void keep_original(ab_mesh *mesh, const ab_mesh *original)
{
    mesh->original = original;
    mesh->head.close = release_original;
    abut_geometry_retain(&original->head);
}

// All but the head, whose counter others change.
static void copy_surface(const ab_mesh *from, ab_mesh *to)
{
    const size_t head = sizeof from->head;
    memcpy((char *)to + head, (const char *)from + head, sizeof *from - head);
}

static abut_status share(const ab_mesh *draft, ab_memory *memory, abut_geometry **out)
{
    const bool own_edges = edges_differ(draft);
    const size_t bytes = offsetof(scaled, edges) + (own_edges ? draft->joined_count : 0);
    scaled *made =
        (scaled *)(void *)ab_geometry_make(AB_SCALED_GEOMETRY, bytes < sizeof *made ? sizeof *made : bytes, memory);
    if (!made)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    copy_surface(draft, &made->mesh);
    if (own_edges)
    {
        write_edges(draft, made->edges);
        made->mesh.edges = made->edges;
    }
    keep_original(&made->mesh, draft->original);
    write_coordinates(&made->mesh, made->coordinates);
    made->mesh.head.coordinates = made->coordinates;
    made->mesh.head.coordinate_count = COORDINATES;
    *out = &made->mesh.head;
    return ABUT_OK;
}

// A mesh with arrays of its own, where triangles have lost their area: it leaves them out and has other neighbours
// there.
static abut_status cook(const ab_mesh *draft, ab_memory *memory, abut_geometry **out)
{
    const uint32_t neighbours = draft->joined_count - draft->triangle_count, count = draft->given_count + neighbours;
    abut_vec3 *vertices = NULL;
    uint32_t *indices = NULL;
    abut_status status = ABUT_OUT_OF_MEMORY;
    if (ab_array_resize(vertices, memory, draft->joined_vertices) &&
        ab_array_resize(indices, memory, 3 * (size_t)count))
    {
        for (uint32_t i = 0; i < draft->joined_vertices; ++i)
        {
            vertices[i] = ab_mesh_position(draft, i);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t place = i < draft->given_count ? ab_mesh_find_child(draft, i)
                                                          : draft->triangle_count + (i - draft->given_count);
            for (int k = 0; k < 3; ++k)
            {
                indices[3 * (size_t)i + (size_t)k] = place == AB_NO_TRIANGLE ? 0 : ab_mesh_vertex(draft, place, k);
            }
        }
        const abut_mesh_def def = { .vertices = vertices,
                                    .indices = indices,
                                    .vertex_count = draft->joined_vertices,
                                    .triangle_count = count,
                                    .two_sided = draft->two_sided,
                                    .neighbour_count = neighbours,
                                    .materials = draft->materials };
        status = ab_mesh_make(&def, memory, out);
    }
    arrfree(vertices);
    arrfree(indices);
    if (status == ABUT_OK)
    {
        ab_mesh *mesh = (ab_mesh *)(void *)*out;
        mesh->scale = draft->scale;
        keep_original(mesh, draft->original);
    }
    return status;
}

static bool is_factor(float x)
{
    return fabsf(x) > 0.0f && fabsf(x) <= FLT_MAX;
}

static bool is_scale(abut_vec3 s)
{
    return is_factor(s.x) && is_factor(s.y) && is_factor(s.z);
}

// Whether a vertex, or a box of this size about the origin, stays in range.
static bool is_in_range(abut_vec3 v, abut_vec3 s)
{
    return fabsf(v.x * s.x) <= ABUT_MAX_MAGNITUDE && fabsf(v.y * s.y) <= ABUT_MAX_MAGNITUDE &&
           fabsf(v.z * s.z) <= ABUT_MAX_MAGNITUDE;
}

// The box that a mesh has is without its neighbours.
static bool stays_in_range(const ab_mesh *mesh, abut_vec3 s)
{
    bool all = is_in_range(mesh->half, s);
    for (uint32_t i = mesh->vertex_count; i < mesh->joined_vertices && all; ++i)
    {
        all = is_in_range(mesh->vertices[i], s);
    }
    return all;
}

// One that is mirrored would divide its cells the other way.
static abut_status create_field(const ab_mesh *mesh, abut_vec3 s, ab_memory *memory, abut_geometry **out)
{
    const ab_grid *grid = &mesh->grid;
    const uint32_t count = mesh->triangle_count / 2;
    float *heights = NULL;
    uint8_t *cells = NULL;
    abut_status status = ABUT_OUT_OF_MEMORY;
    if (!is_scale(s) || s.x < 0.0f || s.y < 0.0f || s.z < 0.0f)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (ab_array_resize(heights, memory, mesh->vertex_count) && ab_array_resize(cells, memory, count))
    {
        for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        {
            heights[i] = grid->heights[i] * s.y;
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            cells[i] = (uint8_t)ab_grid_cell(grid, i);
        }
        const abut_heightfield_def def = { .heights = heights,
                                           .cells = cells,
                                           .materials = mesh->materials,
                                           .columns = grid->columns,
                                           .rows = grid->rows,
                                           .step_x = grid->step_x * s.x,
                                           .step_z = grid->step_z * s.z,
                                           .two_sided = mesh->two_sided };
        status = ab_heightfield_make(&def, memory, out);
    }
    arrfree(heights);
    arrfree(cells);
    return status;
}

static abut_status create_mesh(const ab_mesh *mesh, abut_vec3 scale, ab_memory *memory, abut_geometry **out)
{
    const ab_mesh *original = mesh->original ? mesh->original : mesh;
    ab_mesh draft;
    memset(&draft, 0, sizeof draft);
    copy_surface(original, &draft);
    draft.original = original;
    draft.scale = mesh->original
                      ? abut_vec3_make(mesh->scale.x * scale.x, mesh->scale.y * scale.y, mesh->scale.z * scale.z)
                      : scale;
    const abut_vec3 s = draft.scale;
    if (!is_scale(scale) || !is_scale(s) || !stays_in_range(original, s))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    draft.is_scaled = true;
    draft.is_mirrored = ((s.x < 0.0f) ^ (s.y < 0.0f) ^ (s.z < 0.0f)) != 0;
    draft.half = abut_vec3_make(0.0f, 0.0f, 0.0f);
    ab_mesh_measure(&draft);
    return all_have_area(&draft) ? share(&draft, memory, out) : cook(&draft, memory, out);
}

// The bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_scaled(const abut_geometry *mesh, abut_vec3 scale, const abut_allocator *allocator,
                                        abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    const ab_mesh *given = ab_mesh_of_geometry(mesh);
    if (!given || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = (ab_mesh_is_grid(given) ? create_field : create_mesh)(given, scale, &memory, out);
    ab_platform_float_leave(before);
    return status;
}
