// Packs the triangles of a mesh, and finds their neighbours again.
#include "base/array.h"
#include "base/platform.h"
#include "shape/mesh_triangles.h"

#include <string.h>

#define MOST_LISTED (6u * AB_MESH_GROUP) // a vertex for each corner, and a neighbour across each edge

static uint32_t bits_of(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

static uint32_t listed_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_group *group = &t->groups[triangle / AB_MESH_GROUP];
    const uint64_t before = ((uint64_t)1 << triangle % AB_MESH_GROUP) - 1;
    const uint16_t *list = t->lists + group->list;
    uint32_t at = group->vertices + bits_of(group->outside[k] & before);
    for (int i = 0; i < k; ++i)
    {
        at += bits_of(group->outside[i]);
    }
    return group->is_wide ? ab_mesh_wide(list, at) : triangle / AB_MESH_GROUP * AB_MESH_GROUP - AB_MESH_NEAR + list[at];
}

// Compilers make one load of it.
static uint64_t eight_of(const unsigned char *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

// The highest bits of bytes that are zero, and perhaps of some above the lowest one of these.
static uint64_t zeros_of(uint64_t x)
{
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

// The triangle of eight that has an edge from one corner to another. AB_MESH_WIDTH: none has.
static uint32_t find_edge(const unsigned char *corners, uint64_t from, uint64_t to)
{
    const uint64_t a = eight_of(corners), b = eight_of(corners + AB_MESH_WIDTH),
                   c = eight_of(corners + 2 * AB_MESH_WIDTH);
    const uint64_t found =
        zeros_of((a ^ from) | (b ^ to)) | zeros_of((b ^ from) | (c ^ to)) | zeros_of((c ^ from) | (a ^ to));
    return found != 0 ? ab_lowest_bit(found) / 8 : AB_MESH_WIDTH;
}

// In the same group; first among the eight that it lies with.
static uint32_t near_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const unsigned char *corners = ab_mesh_triangle_corners(t, triangle);
    const uint64_t each = 0x0101010101010101u;
    const uint64_t from = each * corners[k < 2 ? AB_MESH_WIDTH * (uint32_t)(k + 1) : 0],
                   to = each * corners[AB_MESH_WIDTH * (uint32_t)k];
    uint32_t first = triangle & ~(AB_MESH_WIDTH - 1), found = find_edge(t->corners + 3 * (size_t)first, from, to);
    if (found == AB_MESH_WIDTH)
    {
        first = triangle & ~(AB_MESH_GROUP - 1);
        for (; (found = find_edge(t->corners + 3 * (size_t)first, from, to)) == AB_MESH_WIDTH;)
        {
            first += AB_MESH_WIDTH;
        }
    }
    return first + found;
}

uint32_t ab_mesh_triangle_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_group *group = &t->groups[triangle / AB_MESH_GROUP];
    if (ab_mesh_triangle_edge(t, triangle, k) == AB_EDGE_BORDER)
    {
        return AB_NO_TRIANGLE;
    }
    return (group->outside[k] >> triangle % AB_MESH_GROUP & 1u) != 0 ? listed_neighbour(t, triangle, k)
                                                                     : near_neighbour(t, triangle, k);
}

// One group that is packed.
typedef struct packing
{
    const ab_mesh_parts *parts;
    uint32_t *numbers; // by vertex: the group that had it last, and in the lower byte its number there
    uint32_t group;
    uint32_t vertices, list[MOST_LISTED]; // vertices, and behind them neighbours in other groups
    uint32_t least, most;                 // vertices
} packing;

static uint32_t number_vertex(packing *p, uint32_t vertex)
{
    uint32_t *const number = &p->numbers[vertex];
    if (*number >> 8 != p->group)
    {
        *number = p->group << 8 | p->vertices;
        p->list[p->vertices++] = vertex;
        p->least = vertex < p->least ? vertex : p->least;
        p->most = vertex > p->most ? vertex : p->most;
    }
    return *number & 0xffu;
}

// Lists the neighbours in other groups. Returns where the list ends.
static uint32_t list_neighbours(packing *p, const ab_mesh_triangle *triangles, uint32_t count, ab_mesh_group *out)
{
    uint32_t listed = p->vertices;
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint64_t outside = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t neighbour = triangles[i].neighbour[k];
            const bool is_outside = neighbour / AB_MESH_GROUP != p->group && neighbour != AB_NO_TRIANGLE;
            p->list[listed] = neighbour;
            listed += is_outside;
            outside |= (uint64_t)is_outside << i;
        }
        out->outside[k] = outside;
    }
    return listed;
}

// Whether vertices and neighbours are counted in two bytes.
static bool is_near(const packing *p, uint32_t listed)
{
    bool near = p->most - p->least <= UINT16_MAX;
    for (uint32_t i = p->vertices; i < listed; ++i)
    {
        near = near & (p->list[i] - p->group * AB_MESH_GROUP + AB_MESH_NEAR <= UINT16_MAX);
    }
    return near;
}

static uint32_t write_list(const packing *p, uint32_t listed, bool is_wide, uint16_t *to)
{
    const uint32_t before = p->group * AB_MESH_GROUP - AB_MESH_NEAR;
    if (is_wide)
    {
        for (uint32_t i = 0; i < listed; ++i)
        {
            to[2 * i] = (uint16_t)(p->list[i] & UINT16_MAX);
            to[2 * i + 1] = (uint16_t)(p->list[i] >> 16);
        }
        return 2 * listed;
    }
    for (uint32_t i = 0; i < listed; ++i)
    {
        to[i] = (uint16_t)((p->list[i] - (i < p->vertices ? p->least : before)) & UINT16_MAX);
    }
    return listed;
}

// There is room.
static void pack_group(packing *p, ab_mesh_packed *out)
{
    const uint32_t first = p->group * AB_MESH_GROUP, all = (uint32_t)arrlenu(p->parts->triangles);
    const uint32_t count = all - first < AB_MESH_GROUP ? all - first : AB_MESH_GROUP;
    const ab_mesh_triangle *triangles = p->parts->triangles + first;
    p->vertices = p->most = 0;
    p->least = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_mesh_triangle *t = &triangles[i];
        unsigned char *corners = out->corners + 3 * (size_t)(first + i) - 2 * (i % AB_MESH_WIDTH);
        for (uint32_t k = 0; k < 3; ++k)
        {
            corners[AB_MESH_WIDTH * k] = (unsigned char)number_vertex(p, t->vertex[k]);
        }
        out->children[first + i] = t->child | (uint32_t)t->edges << 24;
    }
    ab_mesh_group *const group = &out->groups[p->group];
    const uint32_t listed = list_neighbours(p, triangles, count, group), list = (uint32_t)arrlenu(out->lists);
    group->is_wide = !is_near(p, listed);
    group->first_vertex = group->is_wide ? 0 : p->least;
    group->vertices = (uint8_t)p->vertices;
    group->list = list;
    ab_array_set_length(out->lists, list + write_list(p, listed, group->is_wide, out->lists + list));
}

static bool pack_groups(packing *p, ab_memory *memory, ab_mesh_packed *out)
{
    const uint32_t groups = (uint32_t)arrlenu(out->groups);
    for (p->group = 0; p->group < groups; ++p->group)
    {
        if (!ab_array_reserve(out->lists, memory, arrlenu(out->lists) + 2 * MOST_LISTED))
        {
            return false;
        }
        pack_group(p, out);
    }
    return true;
}

bool ab_mesh_pack(const ab_mesh_parts *parts, ab_memory *memory, ab_mesh_packed *out)
{
    const size_t vertices = arrlenu(parts->vertices), triangles = arrlenu(parts->triangles);
    const size_t corners = (triangles + AB_MESH_WIDTH - 1) / AB_MESH_WIDTH * 3 * AB_MESH_WIDTH;
    packing p = { .parts = parts };
    *out = (ab_mesh_packed){ 0 };
    bool packed = ab_array_resize(p.numbers, memory, vertices) && ab_array_resize(out->children, memory, triangles) &&
                  ab_array_resize(out->corners, memory, corners) &&
                  ab_array_resize(out->groups, memory, ab_mesh_groups((uint32_t)triangles));
    if (packed)
    {
        memset(p.numbers, 0xff, vertices * sizeof *p.numbers); // no group
        memset(out->groups, 0, arrlenu(out->groups) * sizeof *out->groups);
        memset(out->corners + corners - 3 * AB_MESH_WIDTH, 0, 3 * AB_MESH_WIDTH); // the last eight may be fewer
        packed = pack_groups(&p, memory, out);
    }
    arrfree(p.numbers);
    return packed;
}

void ab_mesh_packed_free(ab_mesh_packed *packed)
{
    arrfree(packed->children);
    arrfree(packed->corners);
    arrfree(packed->groups);
    arrfree(packed->lists);
    *packed = (ab_mesh_packed){ 0 };
}
