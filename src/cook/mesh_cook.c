// Cooks a triangle mesh: reads and welds its vertices, drops triangles without area, orders the rest.
#include "cook/mesh.h"

#include "base/array.h"
#include "base/platform.h"
#include "cook/mesh_cook.h"

#include <math.h>
#include <string.h>

#define LEAST_AREA 0x1p-44 // twice the area, of the longest edge's square: below it a normal is rounding errors
#define TOGETHER   16u     // vertices

void ab_mesh_normal(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c, double out[3])
{
    const double u[3] = { (double)b->x - a->x, (double)b->y - a->y, (double)b->z - a->z };
    const double v[3] = { (double)c->x - a->x, (double)c->y - a->y, (double)c->z - a->z };
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

void ab_mesh_unit_normal(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c, double out[3])
{
    ab_mesh_normal(a, b, c, out);
    const double scale = 1.0 / sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int k = 0; k < 3; ++k)
    {
        out[k] *= scale;
    }
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
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > LEAST_AREA * LEAST_AREA * (longest * longest);
}

// Adding zero makes a negative zero positive.
static abut_vec3 without_negative_zeros(abut_vec3 p)
{
    return abut_vec3_make(p.x + 0.0f, p.y + 0.0f, p.z + 0.0f);
}

// Its upper bits are the best: multiplication carries upwards.
static uint64_t hash_of(const abut_vec3 *p)
{
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    uint64_t hash = ((uint64_t)bits[1] << 32 | bits[0]) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ bits[2]) * 0xbf58476d1ce4e5b9u;
    return (hash ^ hash >> 32) * 0x94d049bb133111ebu;
}

// A hash table of the vertices that triangles use.
typedef struct welding
{
    const abut_mesh_def *def;
    uint64_t *table; // by the upper bits of the hash: its lower half, then a vertex; ABUT_NONE there: nothing
    uint32_t length, shift;
    uint32_t *number;    // by the caller's vertex: among those that differ; ABUT_NONE: no triangle has it
    abut_vec3 *vertices; // that differ
} welding;

// The number of a caller's vertex among those that differ. There is room for every one.
static uint32_t weld(const welding *w, uint32_t given, uint64_t hash)
{
    const abut_vec3 p = without_negative_zeros(w->def->vertices[given]);
    uint32_t at = (uint32_t)(hash >> w->shift);
    for (; (uint32_t)w->table[at] != ABUT_NONE; at = (at + 1) & (w->length - 1))
    {
        const abut_vec3 *q = &w->vertices[(uint32_t)w->table[at]];
        if (w->table[at] >> 32 == (hash & 0xffffffffu) && q->x == p.x && q->y == p.y && q->z == p.z)
        {
            return (uint32_t)w->table[at];
        }
    }
    const uint32_t made = (uint32_t)arrlenu(w->vertices);
    ab_array_set_length(w->vertices, made + (size_t)1);
    w->vertices[made] = p;
    w->table[at] = hash << 32 | made;
    return made;
}

// Numbers the vertices that triangles use. Memory is asked for ahead: of the table, then of what it has.
static void weld_all(const welding *w)
{
    uint64_t hash[TOGETHER];
    for (uint32_t first = 0, count; first < w->def->vertex_count; first += count)
    {
        const uint32_t left = w->def->vertex_count - first;
        count = left < TOGETHER ? left : TOGETHER;
        for (uint32_t i = 0; i < count; ++i)
        {
            const abut_vec3 p = without_negative_zeros(w->def->vertices[first + i]);
            hash[i] = hash_of(&p);
            AB_PREFETCH_TO(&w->table[hash[i] >> w->shift]);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t found = (uint32_t)w->table[hash[i] >> w->shift];
            AB_PREFETCH_TO_AT(w->vertices, found != ABUT_NONE ? found : 0);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t *const number = &w->number[first + i];
            *number = *number == ABUT_NONE ? ABUT_NONE : weld(w, first + i, hash[i]);
        }
    }
}

// Asks for the memory of a later triangle's corners.
AB_INLINE void fetch_corners(const welding *w, uint32_t triangle)
{
    const uint32_t *corner = w->def->indices + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k)
    {
        AB_PREFETCH(&w->def->vertices[corner[k]]);
        AB_PREFETCH_TO(&w->number[corner[k]]);
    }
}

// Keeps the triangles that have an area, and marks their vertices. Those of neighbours are numbered after the mesh's
// own without gaps. Returns how many corners they have, or all vertices if those are fewer.
static size_t read_triangles(const welding *w, ab_mesh_parts *out)
{
    const uint32_t own = w->def->triangle_count - w->def->neighbour_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->def->triangle_count; ++i)
    {
        const uint32_t *corner = w->def->indices + 3 * (size_t)i;
        const abut_vec3 *const vertices = w->def->vertices;
        if (w->def->triangle_count - i > TOGETHER)
        {
            fetch_corners(w, i + TOGETHER);
        }
        if (ab_mesh_has_area(&vertices[corner[0]], &vertices[corner[1]], &vertices[corner[2]]))
        {
            w->number[corner[0]] = w->number[corner[1]] = w->number[corner[2]] = 0;
            const uint32_t child = i < own ? i : own + (kept - out->own);
            out->triangles[kept++] =
                (ab_mesh_triangle){ .vertex = { corner[0], corner[1], corner[2] }, .child = child & 0xffffffu };
            out->own = i < own ? kept : out->own;
        }
    }
    ab_array_set_length(out->triangles, kept);
    return w->def->vertex_count < 3 * (size_t)kept ? w->def->vertex_count : 3 * (size_t)kept;
}

static bool open_table(welding *w, ab_memory *memory, size_t most)
{
    w->length = 16;
    for (w->shift = 60; 3 * (size_t)w->length < 4 * most; --w->shift)
    {
        w->length *= 2;
    }
    if (!ab_array_reserve(w->vertices, memory, most) || !ab_array_resize(w->table, memory, w->length))
    {
        return false;
    }
    memset(w->table, 0xff, w->length * sizeof *w->table); // ABUT_NONE
    return true;
}

static void number_corners(const welding *w, ab_mesh_triangle *triangles)
{
    for (uint32_t i = 0; i < arrlenu(triangles); ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            triangles[i].vertex[k] = w->number[triangles[i].vertex[k]];
        }
    }
}

static bool read_mesh(const abut_mesh_def *def, ab_memory *memory, ab_mesh_parts *out)
{
    welding w = { .def = def };
    bool room = ab_array_reserve(out->triangles, memory, def->triangle_count) &&
                ab_array_resize(w.number, memory, def->vertex_count);
    if (room)
    {
        memset(w.number, 0xff, def->vertex_count * sizeof *w.number); // ABUT_NONE
        room = open_table(&w, memory, read_triangles(&w, out));
    }
    if (room && w.vertices) // there is none where no triangle is kept
    {
        weld_all(&w);
        number_corners(&w, out->triangles);
    }
    out->vertices = w.vertices;
    arrfree(w.table);
    arrfree(w.number);
    return room;
}

static bool are_in_range(const float *x, size_t count)
{
    uint32_t all = 1;
    for (size_t i = 0; i < count; ++i)
    {
        all &= (uint32_t)(x[i] >= -ABUT_MAX_MAGNITUDE) & (uint32_t)(x[i] <= ABUT_MAX_MAGNITUDE);
    }
    return all != 0;
}

static bool is_valid(const abut_mesh_def *def)
{
    uint32_t most = 0;
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
    {
        most = def->indices[i] > most ? def->indices[i] : most;
    }
    return def->triangle_count > 0 && most < def->vertex_count &&
           are_in_range(&def->vertices->x, 3 * (size_t)def->vertex_count);
}

abut_status ab_mesh_cook(const abut_mesh_def *def, ab_memory *memory, ab_mesh_parts *out)
{
    *out = (ab_mesh_parts){ 0 };
    if (def->triangle_count > ABUT_MAX_MESH_TRIANGLES)
    {
        return ABUT_LIMIT;
    }
    if (def->neighbour_count > def->triangle_count || def->threads > ABUT_MAX_THREADS || !is_valid(def))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = read_mesh(def, memory, out) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
    if (status == ABUT_OK && out->own == 0)
    {
        status = ABUT_INVALID_ARGUMENT;
    }
    ab_pool *pool = NULL;
    if (status == ABUT_OK && def->threads > 1)
    {
        pool = ab_pool_open(memory, def->threads);
        status = pool ? ABUT_OK : ABUT_OUT_OF_MEMORY;
    }
    if (status == ABUT_OK && !(ab_mesh_order(out, memory, pool) && ab_mesh_join(out, memory, pool)))
    {
        status = ABUT_OUT_OF_MEMORY;
    }
    ab_pool_close(pool, memory);
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
    arrfree(parts->leaves);
    arrfree(parts->nodes);
    arrfree(parts->blocks);
    *parts = (ab_mesh_parts){ 0 };
}
