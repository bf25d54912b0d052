// Creates triangle meshes as geometry.
#include "shape/mesh.h"

#include "base/array.h"
#include "base/kernels.h"
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
static void write_digest(const ab_mesh_parts *parts, const ab_mesh *mesh, abut_vec3 *out)
{
    uint32_t digest = 0x811c9dc5u + mesh->two_sided + 2 * (mesh->joined_count - mesh->triangle_count);
    for (uint32_t i = 0; i < mesh->joined_count; ++i)
    {
        const ab_mesh_triangle *t = &parts->triangles[i];
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

// What a mesh's block is made of.
typedef struct making
{
    const ab_mesh_cooked *cooked;
    ab_mesh_packed packed;
    uint32_t *numbers; // of the caller's triangles, in their order, and behind them of those without area
} making;

// By place.
static bool list_numbers(making *m, ab_memory *memory)
{
    const ab_mesh_parts *parts = m->cooked->parts;
    const uint32_t given = m->cooked->given;
    uint8_t *is_there = NULL;
    uint32_t end = parts->own;
    bool room = ab_array_resize(m->numbers, memory, given);
    for (uint32_t i = 0; i < parts->own && room; ++i)
    {
        m->numbers[i] = parts->triangles[i].child;
    }
    room = room && (end == given || ab_array_resize(is_there, memory, given));
    if (room && end < given)
    {
        memset(is_there, 0, given);
        for (uint32_t i = 0; i < end; ++i)
        {
            is_there[m->numbers[i]] = 1;
        }
        for (uint32_t i = 0; i < given; ++i)
        {
            if (!is_there[i])
            {
                m->numbers[end++] = i;
            }
        }
    }
    arrfree(is_there);
    return room;
}

static void *taken(char **at, size_t bytes)
{
    void *const here = *at;
    *at += (bytes + 7) & ~(size_t)7;
    return here;
}

static void *copied(char **at, const void *from, size_t bytes)
{
    void *const to = taken(at, bytes);
    return bytes > 0 ? memcpy(to, from, bytes) : to;
}

#define COPIED(at, array) copied((at), (array), arrlenu(array) * sizeof *(array))

// Copies the parts into one block.
static abut_status pack(const making *m, ab_memory *memory, abut_geometry **out)
{
    const ab_mesh_cooked *cooked = m->cooked;
    const ab_mesh_parts *parts = cooked->parts;
    const ab_mesh_packed *packed = &m->packed;
    const size_t vertices = arrlenu(parts->vertices), back = ab_mesh_back_count(cooked->given);
    const size_t materials = cooked->materials ? cooked->given : 0, left_out = cooked->given - parts->own;
    ab_mesh *mesh;
    const size_t bytes =
        sizeof *mesh + arrlenu(parts->blocks) * sizeof *parts->blocks + arrlenu(parts->nodes) * sizeof *parts->nodes +
        arrlenu(parts->leaves) * sizeof *parts->leaves + arrlenu(packed->eights) * sizeof *packed->eights +
        arrlenu(packed->groups) * sizeof *packed->groups + arrlenu(packed->group_at) * sizeof *packed->group_at +
        (vertices + 1) * sizeof *parts->vertices + (back + left_out) * sizeof(uint32_t) +
        materials * sizeof *mesh->materials + AB_CACHE_LINE + 9 * 8;
    mesh = (ab_mesh *)(void *)ab_geometry_make(AB_MESH_GEOMETRY, bytes, memory);
    if (!mesh)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    char *at = (char *)mesh + (sizeof *mesh + AB_CACHE_LINE - 1) / AB_CACHE_LINE * AB_CACHE_LINE;
    mesh->nodes = COPIED(&at, parts->nodes); // whole lines of the cache, as leaves
    mesh->leaves = COPIED(&at, parts->leaves);
    ab_mesh_triangles *const triangles = &mesh->triangles;
    triangles->eights = COPIED(&at, packed->eights);
    triangles->eight_count = (uint32_t)arrlenu(packed->eights);
    mesh->blocks = COPIED(&at, parts->blocks);
    abut_vec3 *const places = taken(&at, (vertices + 1) * sizeof *places);
    memcpy(places, parts->vertices, vertices * sizeof *places);
    mesh->vertices = places;
    triangles->groups = COPIED(&at, packed->groups);
    triangles->group_at = COPIED(&at, packed->group_at);
    triangles->left_out = copied(&at, m->numbers + parts->own, left_out * sizeof *m->numbers);
    uint32_t *const to_back = taken(&at, back * sizeof *to_back);
    triangles->back = to_back;
    mesh->vertex_count = parts->own_vertices;
    mesh->joined_vertices = (uint32_t)vertices;
    mesh->triangle_count = parts->own;
    mesh->joined_count = (uint32_t)arrlenu(parts->triangles);
    mesh->given_count = cooked->given;
    ab_mesh_list_back(m->numbers, cooked->given, to_back);
    mesh->kernels = ab_kernels_for(abut_isa_best())->mesh_rays;
    memcpy(mesh->first, parts->first, sizeof mesh->first);
    mesh->levels = parts->levels;
    mesh->two_sided = cooked->two_sided;
    mesh->materials = cooked->materials ? copied(&at, cooked->materials, materials * sizeof *mesh->materials) : NULL;
    write_digest(parts, mesh, &places[vertices]);
    mesh->head.coordinates = &mesh->vertices->x;
    mesh->head.coordinate_count = 3 * mesh->joined_vertices + 2;
    ab_mesh_measure(mesh);
    *out = &mesh->head;
    return ABUT_OK;
}

abut_status ab_mesh_assemble(const ab_mesh_cooked *cooked, ab_memory *memory, abut_geometry **out)
{
    making m = { .cooked = cooked };
    const abut_status status = ab_mesh_pack(cooked->parts, memory, &m.packed) && list_numbers(&m, memory)
                                   ? pack(&m, memory, out)
                                   : ABUT_OUT_OF_MEMORY;
    ab_mesh_packed_free(&m.packed);
    arrfree(m.numbers);
    return status;
}

abut_status ab_mesh_make(const abut_mesh_def *def, ab_memory *memory, abut_geometry **out)
{
    ab_mesh_parts parts;
    abut_status status = ab_mesh_cook(def, memory, &parts);
    if (status == ABUT_OK)
    {
        status = ab_mesh_assemble(
            &(ab_mesh_cooked){ &parts, def->triangle_count - def->neighbour_count, def->two_sided, def->materials },
            memory, out);
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
    return child < mesh->given_count ? ab_mesh_find_place(&mesh->triangles, mesh->triangle_count, child)
                                     : AB_NO_TRIANGLE;
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
