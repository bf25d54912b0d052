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

AB_APART static uint32_t listed_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_group *group = &t->groups[triangle / AB_MESH_GROUP];
    const uint64_t before = ((uint64_t)1 << triangle % AB_MESH_GROUP) - 1;
    const uint16_t *list = t->lists + group->list;
    const uint32_t at = group->neighbours[k] + bits_of(group->outside[k] & before);
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

// The highest bit of byte i for one of eight triangles that has an edge from one corner to another.
AB_INLINE uint64_t find_edge(const unsigned char *corners, uint64_t from, uint64_t to)
{
    const uint64_t a = eight_of(corners), b = eight_of(corners + AB_MESH_WIDTH),
                   c = eight_of(corners + 2 * AB_MESH_WIDTH);
    return zeros_of((a ^ from) | (b ^ to)) | zeros_of((b ^ from) | (c ^ to)) | zeros_of((c ^ from) | (a ^ to));
}

// In the same group, but not among the eight that it lies with: those that were divided from them last come first.
AB_APART static uint32_t find_in_group(const ab_mesh_triangles *t, uint32_t triangle, uint64_t from, uint64_t to)
{
    uint32_t first = 0;
    uint64_t found = 0;
    for (uint32_t i = AB_MESH_WIDTH; found == 0; i += AB_MESH_WIDTH)
    {
        first = (triangle ^ i) & ~(AB_MESH_WIDTH - 1);
        found = find_edge(t->corners + 3 * (size_t)first, from, to);
    }
    return first + ab_lowest_bit(found) / 8;
}

uint32_t ab_mesh_triangle_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const uint64_t each = 0x0101010101010101u;
    const uint32_t first = triangle & ~(AB_MESH_WIDTH - 1);
    const unsigned char *eight = t->corners + 3 * (size_t)first, *corners = eight + triangle % AB_MESH_WIDTH;
    if (ab_mesh_triangle_edge(t, triangle, k) == AB_EDGE_BORDER)
    {
        return AB_NO_TRIANGLE;
    }
    if ((t->groups[triangle / AB_MESH_GROUP].outside[k] >> triangle % AB_MESH_GROUP & 1u) != 0)
    {
        return listed_neighbour(t, triangle, k);
    }
    const uint64_t from = each * corners[k < 2 ? AB_MESH_WIDTH * (uint32_t)(k + 1) : 0],
                   to = each * corners[AB_MESH_WIDTH * (uint32_t)k], found = find_edge(eight, from, to);
    return found != 0 ? first + ab_lowest_bit(found) / 8 : find_in_group(t, triangle, from, to);
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

// Numbers the corners of its triangles by their first use, and lists their vertices.
static void number_corners(packing *p, const ab_mesh_triangle *triangles, uint32_t count, unsigned char *corners)
{
    uint32_t *const numbers = p->numbers, *const list = p->list;
    const uint32_t group = p->group << 8;
    uint32_t vertices = 0, least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        unsigned char *const to = corners + 3 * (size_t)i - 2 * (i % AB_MESH_WIDTH);
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t vertex = triangles[i].vertex[k];
            uint32_t number = numbers[vertex] ^ group;
            if (number > 0xff)
            {
                number = vertices;
                numbers[vertex] = group | vertices;
                list[vertices++] = vertex;
                least = vertex < least ? vertex : least;
                most = vertex > most ? vertex : most;
            }
            to[AB_MESH_WIDTH * k] = (unsigned char)number;
        }
    }
    p->vertices = vertices;
    p->least = least;
    p->most = most;
}

// Lists the neighbours in other groups. Returns where the list ends.
static uint32_t list_neighbours(packing *p, const ab_mesh_triangle *triangles, uint32_t count, ab_mesh_group *out)
{
    uint32_t listed = p->vertices;
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint64_t outside = 0;
        out->neighbours[k] = (uint16_t)listed;
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
    number_corners(p, triangles, count, out->corners + 3 * (size_t)first);
    for (uint32_t i = 0; i < count; ++i)
    {
        out->children[first + i] = triangles[i].child | (uint32_t)triangles[i].edges << 24;
    }
    ab_mesh_group *const group = &out->groups[p->group];
    const uint32_t listed = list_neighbours(p, triangles, count, group), list = (uint32_t)arrlenu(out->lists);
    group->is_wide = !is_near(p, listed);
    group->first_vertex = group->is_wide ? 0 : p->least;
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
