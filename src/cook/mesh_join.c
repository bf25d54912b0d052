// Who is whose neighbour: edges are listed by their lower vertex, and those of one vertex are compared. Tasks are
// ranges of triangles or of vertices; each edge is written by one.
#include "cook/mesh_cook.h"

#include "base/array.h"
#include "base/radix.h"

#include <string.h>

#define FEW 16u // edges that are sorted by insertion

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

typedef struct normal
{
    double at[3];
} normal;

ab_edge_kind ab_mesh_meet(const double n[3], const double m[3], const double along[3])
{
    const double across[3] = { n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0] };
    const double side = dot(across, along); // the sine of their angle, as many times as the edge is long
    if (side * side <= AB_MESH_FLAT * AB_MESH_FLAT * dot(along, along))
    {
        return dot(n, m) > 0.0 ? AB_EDGE_FLAT : AB_EDGE_CONVEX;
    }
    return side > 0.0 ? AB_EDGE_CONVEX : AB_EDGE_CONCAVE;
}

// The edges of all triangles, by their lower vertex: the other one in the upper half, 3 times the triangle plus the
// edge's number there in the lower.
typedef struct edge_lists
{
    ab_mesh_parts *parts;
    normal *normals; // by triangle, of unit length
    uint8_t *kinds;  // by edge, as numbered here: of ab_edge_kind
    uint32_t *end;   // by vertex: behind its last edge
    uint64_t *edges, *scratch;
    ab_partition of_triangles, of_vertices;
} edge_lists;

// Two triangles on one edge that run along it in opposite ways are neighbours.
static void join_two(const edge_lists *l, uint32_t one, uint32_t other)
{
    const uint32_t a = one / 3, b = other / 3, i = one % 3, j = other % 3;
    ab_mesh_triangle *const t = &l->parts->triangles[a], *const u = &l->parts->triangles[b];
    if (t->vertex[i] == u->vertex[j])
    {
        return;
    }
    const abut_vec3 *from = &l->parts->vertices[t->vertex[i]], *to = &l->parts->vertices[t->vertex[(i + 1) % 3]];
    const double along[3] = { (double)to->x - from->x, (double)to->y - from->y, (double)to->z - from->z };
    const ab_edge_kind kind = ab_mesh_meet(l->normals[a].at, l->normals[b].at, along);
    t->neighbour[i] = b;
    u->neighbour[j] = a;
    l->kinds[one] = l->kinds[other] = (uint8_t)kind;
}

static uint32_t lower_vertex(const uint32_t v[3], uint32_t k)
{
    const uint32_t from = v[k], to = v[(k + 1) % 3];
    return from < to ? from : to;
}

// Returns the length of the longest list.
static uint32_t list_edges(const edge_lists *l)
{
    const ab_mesh_triangle *const triangles = l->parts->triangles;
    const uint32_t count = (uint32_t)arrlenu(triangles), vertices = (uint32_t)arrlenu(l->parts->vertices);
    memset(l->end, 0, vertices * sizeof *l->end);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            ++l->end[lower_vertex(triangles[i].vertex, k)];
        }
    }
    uint32_t longest = 0;
    for (uint32_t i = 0, sum = 0; i < vertices; ++i)
    {
        const uint32_t here = l->end[i];
        longest = here > longest ? here : longest;
        l->end[i] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t *const v = triangles[i].vertex;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t low = lower_vertex(v, k), high = v[k] ^ v[(k + 1) % 3] ^ low;
            l->edges[l->end[low]++] = (uint64_t)high << 32 | (3 * i + k);
        }
    }
    return longest;
}

static void insert(uint64_t *edges, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const uint64_t edge = edges[i];
        uint32_t at = i;
        for (; at > 0 && edges[at - 1] > edge; --at)
        {
            edges[at] = edges[at - 1];
        }
        edges[at] = edge;
    }
}

// Joins the edges of one vertex.
static void join_edges(const edge_lists *l, uint64_t *edges, uint32_t count)
{
    if (count <= FEW)
    {
        insert(edges, count);
    }
    else
    {
        edges = ab_radix_sort_words(edges, l->scratch, count, 0, 64);
    }
    for (uint32_t i = 0, end; i < count; i = end)
    {
        for (end = i + 1; end < count && edges[end] >> 32 == edges[i] >> 32;)
        {
            ++end;
        }
        if (end - i == 2)
        {
            join_two(l, (uint32_t)edges[i], (uint32_t)edges[i + 1]);
        }
    }
}

// Vertices of many edges, which need room to be sorted, are left to the calling thread.
static void join_vertices(const edge_lists *l, uint32_t first, uint32_t end, bool few)
{
    for (uint32_t i = first, from = first > 0 ? l->end[first - 1] : 0; i < end; ++i)
    {
        const uint32_t count = l->end[i] - from;
        if ((count <= FEW) == few)
        {
            join_edges(l, l->edges + from, count);
        }
        from = l->end[i];
    }
}

static void join_some(void *pass, uint32_t task)
{
    const edge_lists *l = pass;
    join_vertices(l, (uint32_t)ab_partition_first(&l->of_vertices, task),
                  (uint32_t)ab_partition_end(&l->of_vertices, task), true);
}

static void prepare_triangles(void *pass, uint32_t task)
{
    const edge_lists *l = pass;
    for (size_t i = ab_partition_first(&l->of_triangles, task); i < ab_partition_end(&l->of_triangles, task); ++i)
    {
        ab_mesh_triangle *const t = &l->parts->triangles[i];
        const abut_vec3 *const vertices = l->parts->vertices;
        ab_mesh_unit_normal(&vertices[t->vertex[0]], &vertices[t->vertex[1]], &vertices[t->vertex[2]],
                            l->normals[i].at);
        for (uint32_t k = 0; k < 3; ++k)
        {
            t->neighbour[k] = AB_NO_TRIANGLE;
            l->kinds[3 * i + k] = AB_EDGE_BORDER;
        }
    }
}

static void set_edges(void *pass, uint32_t task)
{
    const edge_lists *l = pass;
    for (size_t i = ab_partition_first(&l->of_triangles, task); i < ab_partition_end(&l->of_triangles, task); ++i)
    {
        const uint8_t *kind = l->kinds + 3 * i;
        l->parts->triangles[i].edges = (kind[0] | kind[1] << 2 | kind[2] << 4) & 0xff;
    }
}

static void join_all(edge_lists *l, ab_pool *pool, bool few)
{
    const uint32_t vertices = (uint32_t)arrlenu(l->parts->vertices);
    l->of_triangles = ab_partition_into(&AB_GRANULARITY_DEFAULT, arrlenu(l->parts->triangles), 1);
    l->of_vertices = ab_partition_into(&AB_GRANULARITY_DEFAULT, vertices, 1);
    ab_pool_run(pool, prepare_triangles, l, l->of_triangles.tasks);
    ab_pool_run(pool, join_some, l, l->of_vertices.tasks);
    if (!few)
    {
        join_vertices(l, 0, vertices, false);
    }
    ab_pool_run(pool, set_edges, l, l->of_triangles.tasks);
}

bool ab_mesh_join(ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool)
{
    const uint32_t count = (uint32_t)arrlenu(parts->triangles);
    edge_lists l = { .parts = parts };
    bool room = ab_array_resize(l.normals, memory, count) && ab_array_resize(l.end, memory, arrlenu(parts->vertices)) &&
                ab_array_resize(l.edges, memory, 3 * count) && ab_array_resize(l.kinds, memory, 3 * count);
    if (room)
    {
        const uint32_t longest = list_edges(&l);
        room = longest <= FEW || ab_array_resize(l.scratch, memory, longest);
        if (room)
        {
            join_all(&l, pool, longest <= FEW);
        }
    }
    arrfree(l.normals);
    arrfree(l.kinds);
    arrfree(l.end);
    arrfree(l.edges);
    arrfree(l.scratch);
    return room;
}
