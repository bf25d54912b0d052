// Creates triangle meshes as geometry.
#include "shape/mesh.h"

#include "base/array.h"
#include "math/outward.h"

#include <math.h>
#include <string.h>

#define DIGEST_BITS 16u // of a whole number that a float holds

const ab_mesh *ab_mesh_of_geometry(const abut_geometry *geometry)
{
    const bool is_mesh = geometry && (geometry->kind == AB_MESH_GEOMETRY || geometry->kind == AB_HEIGHTFIELD_GEOMETRY ||
                                      geometry->kind == AB_SCALED_GEOMETRY);
    return is_mesh ? (const ab_mesh *)(const void *)geometry : NULL;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

void ab_mesh_measure(ab_mesh *mesh)
{
    double farthest = 0.0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
    {
        const abut_vec3 v = ab_mesh_position(mesh, i);
        const double square = (double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z;
        mesh->half = abut_vec3_make(larger(fabsf(v.x), mesh->half.x), larger(fabsf(v.y), mesh->half.y),
                                    larger(fabsf(v.z), mesh->half.z));
        farthest = square > farthest ? square : farthest;
    }
    mesh->bounding_radius = ab_float_up(sqrt(farthest) * (1.0 + 0x1p-50));
}

// What a hash is of: the vertices, and behind them two floats that follow from who uses them and from materials.
static void write_digest(const ab_mesh *mesh, abut_vec3 *out)
{
    uint32_t digest = 0x811c9dc5u + mesh->two_sided + 2 * (mesh->joined_count - mesh->triangle_count);
    for (uint32_t i = 0; i < mesh->joined_count; ++i)
    {
        const ab_mesh_triangle *t = &mesh->triangles[i];
        const uint32_t words[4] = { t->vertex[0], t->vertex[1], t->vertex[2], t->child };
        for (int k = 0; k < 4; ++k)
        {
            digest = (digest ^ words[k]) * 0x01000193u; // G. Fowler, L. Noll, K. Vo, FNV-1a (1991), by words
            digest ^= digest >> 15;
        }
    }
    for (uint32_t i = 0; mesh->materials && i < mesh->given_count; ++i)
    {
        digest += ab_mesh_digest(i, mesh->materials[i], ABUT_CELL_SURFACE);
    }
    *out = abut_vec3_make((float)(digest >> DIGEST_BITS), (float)(digest & ((1u << DIGEST_BITS) - 1)), 0.0f);
}

static void list_places(const ab_mesh *mesh, uint32_t *place)
{
    memset(place, 0xff, mesh->given_count * sizeof *place); // AB_NO_TRIANGLE
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
    {
        place[mesh->triangles[i].child] = i;
    }
}

static void *copied(char **at, const void *from, size_t bytes)
{
    void *to = memcpy(*at, from, bytes);
    *at += (bytes + 7) & ~(size_t)7;
    return to;
}

// Copies the parts into one block.
static abut_status pack(const abut_mesh_def *def, const ab_mesh_parts *parts, ab_memory *memory, abut_geometry **out)
{
    const size_t vertices = arrlenu(parts->vertices), triangles = arrlenu(parts->triangles);
    const size_t nodes = arrlenu(parts->nodes), blocks = (parts->own + AB_MESH_WIDTH - 1) / AB_MESH_WIDTH;
    const uint32_t given = def->triangle_count - def->neighbour_count;
    ab_mesh *mesh;
    const size_t bytes = sizeof *mesh + blocks * sizeof *mesh->blocks + nodes * sizeof *parts->nodes +
                         triangles * sizeof *parts->triangles + (vertices + 1) * sizeof *parts->vertices +
                         given * sizeof *mesh->place + (def->materials ? given : 0) * sizeof *mesh->materials +
                         AB_CACHE_LINE + 3 * 8;
    mesh = (ab_mesh *)(void *)ab_geometry_make(AB_MESH_GEOMETRY, bytes, memory);
    if (!mesh)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    char *at = (char *)mesh + (sizeof *mesh + AB_CACHE_LINE - 1) / AB_CACHE_LINE * AB_CACHE_LINE;
    ab_mesh_block *const block = (ab_mesh_block *)(void *)at;
    at += blocks * sizeof *block;
    mesh->blocks = block;
    mesh->nodes = copied(&at, parts->nodes, nodes * sizeof *parts->nodes);
    mesh->triangles = copied(&at, parts->triangles, triangles * sizeof *parts->triangles);
    abut_vec3 *const places = copied(&at, parts->vertices, vertices * sizeof *parts->vertices);
    mesh->vertices = places;
    mesh->vertex_count = parts->own_vertices;
    mesh->joined_vertices = (uint32_t)vertices;
    mesh->triangle_count = parts->own;
    mesh->joined_count = (uint32_t)triangles;
    mesh->given_count = given;
    ab_mesh_lay_blocks(mesh, block);
    memcpy(mesh->first, parts->first, sizeof mesh->first);
    mesh->levels = parts->levels;
    mesh->two_sided = def->two_sided;
    uint32_t *const place = (uint32_t *)(void *)&places[vertices + 1];
    mesh->place = place;
    list_places(mesh, place);
    mesh->materials = def->materials ? memcpy(place + given, def->materials, given * sizeof *mesh->materials) : NULL;
    write_digest(mesh, &places[vertices]);
    mesh->head.coordinates = &mesh->vertices->x;
    mesh->head.coordinate_count = 3 * mesh->joined_vertices + 2;
    ab_mesh_measure(mesh);
    *out = &mesh->head;
    return ABUT_OK;
}

abut_status ab_mesh_make(const abut_mesh_def *def, ab_memory *memory, abut_geometry **out)
{
    ab_mesh_parts parts;
    abut_status status = ab_mesh_cook(def, memory, &parts);
    if (status == ABUT_OK)
    {
        status = pack(def, &parts, memory, out);
        ab_mesh_parts_free(&parts);
    }
    return status;
}

// The mesh's bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_mesh(const abut_mesh_def *def, const abut_allocator *allocator, abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!def || !def->vertices || !def->indices || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = ab_mesh_make(def, &memory, out);
    ab_platform_float_leave(before);
    return status;
}

uint32_t abut_geometry_mesh_triangles(const abut_geometry *geometry)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    return mesh ? mesh->given_count : 0;
}

uint32_t ab_mesh_find_child(const ab_mesh *mesh, uint32_t child)
{
    return child < mesh->given_count ? mesh->place[child] : AB_NO_TRIANGLE;
}

bool abut_geometry_mesh_triangle(const abut_geometry *geometry, uint32_t triangle, abut_vec3 out[3])
{
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const bool there = mesh && triangle < mesh->given_count;
    const uint32_t place = there && !ab_mesh_is_grid(mesh) ? ab_mesh_find_child(mesh, triangle) : triangle;
    const bool found = there && place != AB_NO_TRIANGLE && ab_mesh_is_triangle(mesh, place);
    if (found && out)
    {
        const uint64_t before = ab_platform_float_enter(); // places may be products
        ab_mesh_positions(mesh, place, out);
        ab_platform_float_leave(before);
    }
    return found;
}

uint16_t abut_geometry_mesh_material(const abut_geometry *geometry, uint32_t triangle)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const bool there = mesh && mesh->materials && triangle < mesh->given_count;
    return there ? mesh->materials[ab_mesh_is_grid(mesh) ? triangle / 2 : triangle] : 0;
}
