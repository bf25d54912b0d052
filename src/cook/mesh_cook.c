// Cooks a triangle mesh: reads and welds its vertices, drops triangles without area, orders the rest.
#include "cook/mesh.h"

#include "base/array.h"
#include "cook/mesh_cook.h"

#include <math.h>
#include <string.h>

#define LEAST_AREA 0x1p-44 // twice the area, of the longest edge's square: below it a normal is rounding errors

void ab_mesh_normal(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c, double out[3])
{
    const double u[3] = { (double)b->x - a->x, (double)b->y - a->y, (double)b->z - a->z };
    const double v[3] = { (double)c->x - a->x, (double)c->y - a->y, (double)c->z - a->z };
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static double square_between(const abut_vec3 *a, const abut_vec3 *b)
{
    const double x = (double)b->x - a->x, y = (double)b->y - a->y, z = (double)b->z - a->z;
    return x * x + y * y + z * z;
}

bool ab_mesh_has_area(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c)
{
    double n[3];
    const double x = square_between(a, b), y = square_between(b, c), z = square_between(c, a);
    const double longest = x > y ? (x > z ? x : z) : y > z ? y : z;
    ab_mesh_normal(a, b, c, n);
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > LEAST_AREA * longest;
}

static uint32_t scatter(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Adding zero makes a negative zero positive.
static abut_vec3 without_negative_zeros(abut_vec3 p)
{
    return abut_vec3_make(p.x + 0.0f, p.y + 0.0f, p.z + 0.0f);
}

static uint32_t hash_of(const abut_vec3 *p)
{
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    return scatter(scatter(scatter(bits[0]) + bits[1]) + bits[2]);
}

// A hash table of the vertices that triangles use.
typedef struct welding
{
    const abut_mesh_def *def;
    uint32_t *table;      // by hash: a vertex of `vertices`, or ABUT_NONE
    uint32_t mask;        // its length less one
    abut_vec3 **vertices; // that differ
} welding;

// The number of a caller's vertex among those that differ. There is room for every one.
static uint32_t weld(const welding *w, uint32_t given)
{
    const abut_vec3 p = without_negative_zeros(w->def->vertices[given]);
    uint32_t at = hash_of(&p) & w->mask;
    while (w->table[at] != ABUT_NONE)
    {
        const abut_vec3 *q = &(*w->vertices)[w->table[at]];
        if (q->x == p.x && q->y == p.y && q->z == p.z)
        {
            return w->table[at];
        }
        at = (at + 1) & w->mask;
    }
    const uint32_t made = (uint32_t)arrlenu(*w->vertices);
    ab_array_set_length(*w->vertices, made + (size_t)1);
    (*w->vertices)[made] = p;
    w->table[at] = made;
    return made;
}

static bool open_welding(welding *w, const abut_mesh_def *def, ab_memory *memory, abut_vec3 **vertices)
{
    const size_t most =
        def->vertex_count < 3 * (size_t)def->triangle_count ? def->vertex_count : 3 * (size_t)def->triangle_count;
    size_t length = 16;
    while (length < 2 * most)
    {
        length *= 2;
    }
    *w = (welding){ .def = def, .mask = (uint32_t)(length - 1), .vertices = vertices };
    if (!ab_array_resize(w->table, memory, length) || !ab_array_reserve(*vertices, memory, most))
    {
        arrfree(w->table);
        return false;
    }
    memset(w->table, 0xff, length * sizeof *w->table); // ABUT_NONE
    return true;
}

// Keeps the triangles that have an area. Those of neighbours are numbered after the mesh's own without gaps.
static bool read_triangles(const abut_mesh_def *def, ab_memory *memory, ab_mesh_parts *out)
{
    welding w;
    if (!ab_array_reserve(out->triangles, memory, def->triangle_count) ||
        !open_welding(&w, def, memory, &out->vertices))
    {
        return false;
    }
    const uint32_t own = def->triangle_count - def->neighbour_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < def->triangle_count; ++i)
    {
        const uint32_t *corner = def->indices + 3 * (size_t)i;
        if (ab_mesh_has_area(&def->vertices[corner[0]], &def->vertices[corner[1]], &def->vertices[corner[2]]))
        {
            const uint32_t child = i < own ? i : own + (kept - out->own);
            ab_array_set_length(out->triangles, kept + (size_t)1);
            out->triangles[kept++] =
                (ab_mesh_triangle){ .vertex = { weld(&w, corner[0]), weld(&w, corner[1]), weld(&w, corner[2]) },
                                    .neighbour = { AB_NO_TRIANGLE, AB_NO_TRIANGLE, AB_NO_TRIANGLE },
                                    .child = child & 0xffffffu };
            out->own = i < own ? kept : out->own;
        }
    }
    arrfree(w.table);
    return true;
}

static bool is_in_range(float x)
{
    return x >= -ABUT_MAX_MAGNITUDE && x <= ABUT_MAX_MAGNITUDE;
}

static bool is_valid(const abut_mesh_def *def)
{
    for (uint32_t i = 0; i < def->vertex_count; ++i)
    {
        const abut_vec3 p = def->vertices[i];
        if (!is_in_range(p.x) || !is_in_range(p.y) || !is_in_range(p.z))
        {
            return false;
        }
    }
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
    {
        if (def->indices[i] >= def->vertex_count)
        {
            return false;
        }
    }
    return true;
}

abut_status ab_mesh_cook(const abut_mesh_def *def, ab_memory *memory, ab_mesh_parts *out)
{
    *out = (ab_mesh_parts){ 0 };
    if (def->triangle_count > ABUT_MAX_MESH_TRIANGLES)
    {
        return ABUT_LIMIT;
    }
    if (def->neighbour_count > def->triangle_count || !is_valid(def))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = read_triangles(def, memory, out) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
    if (status == ABUT_OK && out->own == 0)
    {
        status = ABUT_INVALID_ARGUMENT;
    }
    if (status == ABUT_OK && !(ab_mesh_order(out, memory) && ab_mesh_join(out, memory)))
    {
        status = ABUT_OUT_OF_MEMORY;
    }
    if (status != ABUT_OK)
    {
        ab_mesh_parts_free(out);
    }
    return status;
}

void ab_mesh_parts_free(ab_mesh_parts *parts)
{
    arrfree(parts->vertices);
    arrfree(parts->triangles);
    arrfree(parts->nodes);
    *parts = (ab_mesh_parts){ 0 };
}
