// Creates convex hulls as geometry.
#include "shape/hull.h"

#include "base/array.h"
#include "base/platform.h"
#include "math/outward.h"

#include <math.h>
#include <string.h>

const ab_hull *ab_hull_of_geometry(const abut_geometry *geometry)
{
    return geometry && geometry->kind == AB_HULL_GEOMETRY ? (const ab_hull *)(const void *)geometry : NULL;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static void measure(ab_hull *hull)
{
    double farthest = 0.0;
    const abut_vec3 first = hull->vertices[0];
    float min[3] = { first.x, first.y, first.z }, max[3] = { first.x, first.y, first.z };
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        const abut_vec3 v = hull->vertices[i];
        const float at[3] = { v.x, v.y, v.z };
        for (uint32_t k = 0; k < 3; ++k)
        {
            min[k] = at[k] < min[k] ? at[k] : min[k];
            max[k] = at[k] > max[k] ? at[k] : max[k];
        }
        const double square = (double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z;
        hull->half = abut_vec3_make(larger(fabsf(v.x), hull->half.x), larger(fabsf(v.y), hull->half.y),
                                    larger(fabsf(v.z), hull->half.z));
        farthest = square > farthest ? square : farthest;
    }
    ab_box_points_make(min, max, &hull->box);
    hull->bounding_radius = ab_float_up(sqrt(farthest) * (1.0 + 0x1p-50));
}

// What large hulls have besides, while it is made.
typedef struct extras
{
    ab_support_lists support;
    double size; // metres: the vertices' distances from the origin along the axes, their sum at most
    bool with_tree;
} extras;

// False when out of memory. Their lists are freed in any case.
static bool make_extras(const ab_hull_mesh *mesh, ab_memory *memory, extras *out)
{
    const size_t vertices = arrlenu(mesh->vertices);
    *out = (extras){ .size = 0.0 };
    for (size_t i = 0; i < vertices; ++i)
    {
        const abut_vec3 v = mesh->vertices[i];
        const double here = fabs((double)v.x) + fabs((double)v.y) + fabs((double)v.z);
        out->size = here > out->size ? here : out->size;
    }
    out->with_tree = out->size >= AB_HULL_TREE_SIZE && arrlenu(mesh->faces) >= AB_HULL_TREE_LEAST;
    return vertices < AB_SUPPORT_LEAST || ab_support_build(mesh->vertices, (uint32_t)vertices, memory, &out->support);
}

// Copies a mesh into one block.
static abut_status pack(const ab_hull_mesh *mesh, const extras *more, ab_memory *memory, abut_geometry **out)
{
    const size_t vertices = arrlenu(mesh->vertices), faces = arrlenu(mesh->faces), corners = arrlenu(mesh->corners);
    const size_t cells = arrlenu(more->support.cells), entries = arrlenu(more->support.vertices);
    const size_t face_bytes = faces * sizeof *mesh->faces, vertex_bytes = vertices * sizeof *mesh->vertices;
    const size_t cell_bytes = cells * sizeof *more->support.cells, entry_bytes = entries * sizeof(uint32_t);
    const size_t tree_bytes = more->with_tree ? ab_hull_tree_bytes((uint32_t)faces) : 0;
    const size_t polytope_bytes = ab_polytope_bytes(mesh), line = AB_CACHE_LINE;
    const size_t bytes = sizeof(ab_hull) + line + polytope_bytes + face_bytes + vertex_bytes +
                         corners * sizeof *mesh->corners + cell_bytes + entry_bytes + tree_bytes;
    ab_hull *hull = (ab_hull *)(void *)ab_geometry_make(AB_HULL_GEOMETRY, bytes, memory);
    if (!hull)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    char *room = (char *)(hull + 1);
    room += (line - (uintptr_t)room % line) % line;
    char *at = room + polytope_bytes;
    hull->vertex_count = (uint32_t)vertices;
    hull->face_count = (uint32_t)faces;
    hull->faces = memcpy(at, mesh->faces, face_bytes);
    at += face_bytes;
    hull->vertices = memcpy(at, mesh->vertices, vertex_bytes);
    at += vertex_bytes;
    hull->corners = memcpy(at, mesh->corners, corners * sizeof *mesh->corners);
    at += corners * sizeof *mesh->corners;
    if (cells > 0)
    {
        hull->support.cells = memcpy(at, more->support.cells, cell_bytes);
        hull->support.vertices = memcpy(at + cell_bytes, more->support.vertices, entry_bytes);
        at += cell_bytes + entry_bytes;
    }
    const ab_hull_faces of = ab_hull_faces_of(hull);
    if (more->with_tree && !ab_hull_tree_build(&of, hull->face_count, more->size, at, memory, &hull->tree))
    {
        abut_geometry_release(&hull->head);
        return ABUT_OUT_OF_MEMORY;
    }
    if (polytope_bytes > 0)
    {
        ab_polytope_make(mesh, room, &hull->polytope);
    }
    hull->deviation = ab_float_up(mesh->deviation);
    hull->tolerance = mesh->tolerance;
    hull->head.coordinates = &hull->vertices->x;
    hull->head.coordinate_count = 3 * hull->vertex_count;
    measure(hull);
    *out = &hull->head;
    return ABUT_OK;
}

abut_status ab_hull_assemble(const ab_hull_mesh *mesh, ab_memory *memory, abut_geometry **out)
{
    extras more;
    const abut_status status = make_extras(mesh, memory, &more) ? pack(mesh, &more, memory, out) : ABUT_OUT_OF_MEMORY;
    ab_support_free(&more.support);
    return status;
}

static abut_status create(const abut_vec3 *points, uint32_t count, uint32_t max_vertices, ab_memory *memory,
                          abut_geometry **out)
{
    ab_hull_mesh mesh;
    abut_status status = ab_hull_cook(points, count, max_vertices, memory, &mesh);
    if (status == ABUT_OK)
    {
        status = ab_hull_assemble(&mesh, memory, out);
        ab_hull_mesh_free(&mesh);
    }
    return status;
}

// The hull's bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_hull(const abut_vec3 *points, uint32_t count, uint32_t max_vertices,
                                      const abut_allocator *allocator, abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!points || count == 0 || (max_vertices > 0 && max_vertices < 4) || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = create(points, count, max_vertices, &memory, out);
    ab_platform_float_leave(before);
    return status;
}

uint32_t abut_geometry_hull_vertices(const abut_geometry *geometry, const abut_vec3 **out)
{
    const ab_hull *hull = ab_hull_of_geometry(geometry);
    if (out)
    {
        *out = hull ? hull->vertices : NULL;
    }
    return hull ? hull->vertex_count : 0;
}

uint32_t abut_geometry_hull_faces(const abut_geometry *geometry)
{
    const ab_hull *hull = ab_hull_of_geometry(geometry);
    return hull ? hull->face_count : 0;
}

uint32_t abut_geometry_hull_face(const abut_geometry *geometry, uint32_t face, const uint32_t **out)
{
    const ab_hull *hull = ab_hull_of_geometry(geometry);
    const bool found = hull && face < hull->face_count;
    if (out)
    {
        *out = found ? hull->corners + hull->faces[face].first : NULL;
    }
    return found ? hull->faces[face].count : 0;
}

float abut_geometry_hull_deviation(const abut_geometry *geometry)
{
    const ab_hull *hull = ab_hull_of_geometry(geometry);
    return hull ? hull->deviation : 0.0f;
}
