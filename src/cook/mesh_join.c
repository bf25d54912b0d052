// Who is whose neighbour, by the positions at the ends of edges.
#include "cook/mesh_cook.h"

#include "base/array.h"
#include "base/radix.h"

#include <math.h>

#define FLAT 0x1p-10 // sine of the angle between neighbours that lie in one plane

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normal_of(const ab_mesh_parts *parts, uint32_t triangle, double out[3])
{
    const uint32_t *v = parts->triangles[triangle].vertex;
    ab_mesh_normal(&parts->vertices[v[0]], &parts->vertices[v[1]], &parts->vertices[v[2]], out);
    const double length = sqrt(dot(out, out));
    for (int k = 0; k < 3; ++k)
    {
        out[k] /= length;
    }
}

ab_edge_kind ab_mesh_meet(const double n[3], const double m[3], const double along[3])
{
    const double across[3] = { n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0] };
    const double sine = dot(across, along) / sqrt(dot(along, along));
    if (fabs(sine) <= FLAT)
    {
        return dot(n, m) > 0.0 ? AB_EDGE_FLAT : AB_EDGE_CONVEX;
    }
    return sine > 0.0 ? AB_EDGE_CONVEX : AB_EDGE_CONCAVE;
}

// How a triangle meets its neighbour at edge k.
static ab_edge_kind kind_of(const ab_mesh_parts *parts, uint32_t triangle, int k, uint32_t neighbour)
{
    const uint32_t *v = parts->triangles[triangle].vertex;
    const abut_vec3 *from = &parts->vertices[v[k]], *to = &parts->vertices[v[(k + 1) % 3]];
    const double along[3] = { (double)to->x - from->x, (double)to->y - from->y, (double)to->z - from->z };
    double n[3], m[3];
    normal_of(parts, triangle, n);
    normal_of(parts, neighbour, m);
    return ab_mesh_meet(n, m, along);
}

static void set_edge(ab_mesh_triangle *triangle, uint32_t k, ab_edge_kind kind)
{
    triangle->edges = (triangle->edges & ~(3u << 2 * k) & 0xffu) | ((uint32_t)kind << 2 * k & 0xffu);
}

// Two triangles on one edge that run along it in opposite ways are neighbours.
static void join_two(ab_mesh_parts *parts, uint64_t one, uint64_t other)
{
    const uint32_t a = (uint32_t)(one / 3), b = (uint32_t)(other / 3), k = (uint32_t)(one % 3),
                   l = (uint32_t)(other % 3);
    if (parts->triangles[a].vertex[k] == parts->triangles[b].vertex[l])
    {
        return;
    }
    const ab_edge_kind kind = kind_of(parts, a, (int)k, b);
    parts->triangles[a].neighbour[k] = b;
    parts->triangles[b].neighbour[l] = a;
    set_edge(&parts->triangles[a], k, kind);
    set_edge(&parts->triangles[b], l, kind);
}

static ab_sort_entry entry_of(const ab_mesh_parts *parts, uint32_t edge)
{
    const uint32_t *v = parts->triangles[edge / 3].vertex;
    const uint64_t from = v[edge % 3], to = v[(edge % 3 + 1) % 3];
    return (ab_sort_entry){ from < to ? from << 32 | to : to << 32 | from, edge };
}

bool ab_mesh_join(ab_mesh_parts *parts, ab_memory *memory)
{
    const uint32_t edges = 3 * (uint32_t)arrlenu(parts->triangles);
    ab_sort_entry *entries = NULL, *scratch = NULL;
    const bool room = ab_array_resize(entries, memory, edges) && ab_array_resize(scratch, memory, edges);
    for (uint32_t i = 0; room && i < edges; ++i)
    {
        entries[i] = entry_of(parts, i);
        set_edge(&parts->triangles[i / 3], i % 3, AB_EDGE_BORDER);
    }
    const ab_sort_entry *sorted = room ? ab_radix_sort(entries, scratch, edges) : NULL;
    for (uint32_t i = 0, end; room && i < edges; i = end)
    {
        for (end = i + 1; end < edges && sorted[end].key == sorted[i].key;)
        {
            ++end;
        }
        if (end - i == 2)
        {
            join_two(parts, sorted[i].payload, sorted[i + 1].payload);
        }
    }
    arrfree(entries);
    arrfree(scratch);
    return room;
}
