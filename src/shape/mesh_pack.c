// Packs the triangles of a mesh, and finds their neighbours again.
#include "base/array.h"
#include "base/platform.h"
#include "shape/mesh_triangles.h"

#include <stddef.h>
#include <string.h>

#define EACH        0x0101010101010101u
#define MOST_LISTED (6u * AB_MESH_GROUP) // a vertex for each corner, and a neighbour across each edge

static uint32_t listed_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    const ab_mesh_group *group = ab_mesh_group_of(t, triangle);
    const uint32_t outside = eight->outside[0] | (uint32_t)eight->outside[1] << 8 | (uint32_t)eight->outside[2] << 16;
    const uint32_t before = (1u << (AB_MESH_WIDTH * (uint32_t)k + triangle % AB_MESH_WIDTH)) - 1;
    const uint32_t at = eight->listed + ab_bits_of(outside & before);
    return group->is_wide ? ab_mesh_wide(group->list, at)
                          : (triangle & ~(AB_MESH_GROUP - 1)) - AB_MESH_NEAR + group->list[at];
}

// The highest bits of bytes that are zero, and perhaps of some above the lowest one of these.
static uint64_t zeros_of(uint64_t x)
{
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

// The highest bit of byte i for one of eight triangles that has an edge from one corner to another.
AB_INLINE uint64_t find_edge(const ab_mesh_eight *eight, uint64_t from, uint64_t to)
{
    const uint64_t a = ab_mesh_bytes(eight->corner[0]), b = ab_mesh_bytes(eight->corner[1]),
                   c = ab_mesh_bytes(eight->corner[2]);
    const uint64_t number = EACH * eight->number;
    return zeros_of(((a ^ from) | (b ^ to)) & number) | zeros_of(((b ^ from) | (c ^ to)) & number) |
           zeros_of(((c ^ from) | (a ^ to)) & number);
}

// Eight times the corner at which an edge begins, or for the next edge, at which it ends.
AB_INLINE uint64_t corner_of(const ab_mesh_eight *eight, uint32_t which, uint32_t edge)
{
    return EACH * (&eight->corner[0][which])[edge < 3 * AB_MESH_WIDTH ? edge : 0];
}

// Which of eight has an edge the other way round than a triangle.
AB_INLINE uint64_t find_opposite(const ab_mesh_eight *in, const ab_mesh_eight *eight, uint32_t which, int k)
{
    const uint32_t edge = AB_MESH_WIDTH * (uint32_t)k;
    return find_edge(in, corner_of(eight, which, edge + AB_MESH_WIDTH), corner_of(eight, which, edge));
}

// In the same group, but not among the eight that it lies with: those that are beside them as a rule come first.
static uint32_t find_in_group(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    uint32_t other = 0;
    uint64_t found = 0;
    for (uint32_t order = 0x7643521u; found == 0; order >>= 4)
    {
        other = triangle / AB_MESH_WIDTH ^ (order & 7u);
        found = other < t->eight_count ? find_opposite(&t->eights[other], eight, triangle % AB_MESH_WIDTH, k) : 0;
    }
    return AB_MESH_WIDTH * other + ab_lowest_bit(found) / 8;
}

// Not among the eight that it lies with.
AB_APART static uint32_t find_elsewhere(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const uint32_t outside = ab_mesh_eight_of(t, triangle)->outside[k];
    const bool is_listed = (outside >> triangle % AB_MESH_WIDTH & 1u) != 0;
    return is_listed ? listed_neighbour(t, triangle, k) : find_in_group(t, triangle, k);
}

uint32_t ab_mesh_triangle_neighbour(const ab_mesh_triangles *t, uint32_t triangle, int k)
{
    const ab_mesh_eight *eight = ab_mesh_eight_of(t, triangle);
    if (ab_mesh_triangle_edge(t, triangle, k) == AB_EDGE_BORDER)
    {
        return AB_NO_TRIANGLE;
    }
    const uint64_t found = find_opposite(eight, eight, triangle % AB_MESH_WIDTH, k);
    return found != 0 ? (triangle & ~(AB_MESH_WIDTH - 1)) + ab_lowest_bit(found) / 8 : find_elsewhere(t, triangle, k);
}

// One group that is packed.
typedef struct packing
{
    const ab_mesh_parts *parts;
    uint32_t *numbers; // by vertex: the group that had it last, and in the lower byte its number there
    uint32_t group;
    uint32_t vertices, list[MOST_LISTED]; // vertices, and behind them neighbours in other groups
    uint32_t least, most;                 // vertices
    uint32_t first_child;                 // the least
    bool is_loose;
    uint32_t own; // vertices of the groups before
} packing;

// Numbers the corners of its triangles by their first use, and lists their vertices.
static void number_corners(packing *p, const ab_mesh_triangle *triangles, uint32_t count, ab_mesh_eight *eights)
{
    uint32_t *const numbers = p->numbers, *const list = p->list;
    const uint32_t group = p->group << 8;
    uint32_t vertices = 0, least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_mesh_eight *const eight = &eights[i / AB_MESH_WIDTH];
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
            eight->corner[k][i % AB_MESH_WIDTH] = (unsigned char)number;
        }
    }
    p->vertices = vertices;
    p->least = least;
    p->most = most;
}

// Finds the least of the caller's numbers, and whether the group is loose. Its corners are numbered.
static void see_children(packing *p, const ab_mesh_triangle *triangles, uint32_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t child = triangles[i].child;
        least = child < least ? child : least;
        most = child > most ? child : most;
    }
    p->first_child = least;
    p->is_loose = p->vertices > AB_MESH_CLOSE || most - least > UINT16_MAX;
}

// Writes the caller's numbers and the kinds of edges. `loose`: of a group that is.
static void write_children(const packing *p, const ab_mesh_triangle *triangles, uint32_t count, ab_mesh_eight *eights,
                           ab_mesh_loose *loose)
{
    if (p->is_loose)
    {
        memset(loose, 0, sizeof *loose);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_mesh_eight *const eight = &eights[i / AB_MESH_WIDTH];
        const uint32_t child = triangles[i].child - p->first_child, edges = triangles[i].edges;
        eight->number = p->is_loose ? 0xff : AB_MESH_CLOSE - 1;
        eight->child[i % AB_MESH_WIDTH] = (uint16_t)(child & UINT16_MAX);
        if (p->is_loose)
        {
            loose->edges[i] = (unsigned char)edges;
            loose->child[i] = (unsigned char)(child >> 16);
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            unsigned char *const corner = &eight->corner[k][i % AB_MESH_WIDTH];
            *corner = (unsigned char)(*corner | (edges >> 2 * k & 3u) << 6);
        }
    }
}

// Lists the neighbours of eight triangles in other groups behind what is listed. Returns where the list ends.
static uint32_t list_neighbours(packing *p, const ab_mesh_triangle *triangles, uint32_t count, uint32_t listed,
                                ab_mesh_eight *out)
{
    out->listed = (uint16_t)listed;
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t outside = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t neighbour = triangles[i].neighbour[k];
            const bool is_outside = (neighbour / AB_MESH_GROUP != p->group) & (neighbour != AB_NO_TRIANGLE);
            p->list[listed] = neighbour;
            listed += is_outside;
            outside |= (uint32_t)is_outside << i;
        }
        out->outside[k] = (unsigned char)outside;
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

// Returns how many numbers of two bytes it takes.
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
    for (uint32_t i = 0; i < p->vertices; ++i)
    {
        to[i] = (uint16_t)((p->list[i] - p->least) & UINT16_MAX);
    }
    for (uint32_t i = p->vertices; i < listed; ++i)
    {
        to[i] = (uint16_t)((p->list[i] - before) & UINT16_MAX);
    }
    return listed;
}

// A group with a list of so many numbers of two bytes.
static uint32_t words_of(uint32_t listed)
{
    const size_t bytes = offsetof(ab_mesh_group, list) + listed * sizeof(uint16_t);
    return (uint32_t)((bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t));
}

#define MOST_WORDS (sizeof(ab_mesh_loose) / sizeof(uint32_t) + words_of(2 * MOST_LISTED))

// There is room.
static void pack_group(packing *p, ab_mesh_packed *out)
{
    const uint32_t first = p->group * AB_MESH_GROUP, all = (uint32_t)arrlenu(p->parts->triangles);
    const uint32_t count = all - first < AB_MESH_GROUP ? all - first : AB_MESH_GROUP;
    const ab_mesh_triangle *triangles = p->parts->triangles + first;
    ab_mesh_eight *const eights = out->eights + first / AB_MESH_WIDTH;
    uint32_t at = (uint32_t)arrlenu(out->groups);
    ab_mesh_loose *const loose = (ab_mesh_loose *)(void *)(out->groups + at);
    number_corners(p, triangles, count, eights);
    see_children(p, triangles, count);
    at += p->is_loose ? (uint32_t)(sizeof *loose / sizeof *out->groups) : 0;
    write_children(p, triangles, count, eights, loose);
    ab_mesh_group *const group = (ab_mesh_group *)(void *)(out->groups + at);
    uint32_t listed = p->vertices;
    for (uint32_t i = 0; i < count; i += AB_MESH_WIDTH)
    {
        const uint32_t here = count - i < AB_MESH_WIDTH ? count - i : AB_MESH_WIDTH;
        listed = list_neighbours(p, triangles + i, here, listed, &eights[i / AB_MESH_WIDTH]);
    }
    const bool is_wide = !is_near(p, listed);
    group->is_wide = is_wide;
    group->first_vertex = is_wide ? 0 : p->least;
    group->first_own = p->own;
    p->own = p->most >= p->own ? p->most + 1 : p->own;
    out->group_at[p->group] = (ab_mesh_group_at){ at, p->first_child };
    ab_array_set_length(out->groups, at + words_of(write_list(p, listed, is_wide, group->list)));
}

static bool pack_groups(packing *p, ab_memory *memory, ab_mesh_packed *out)
{
    const uint32_t groups = (uint32_t)arrlenu(out->group_at);
    for (p->group = 0; p->group < groups; ++p->group)
    {
        if (!ab_array_reserve(out->groups, memory, arrlenu(out->groups) + MOST_WORDS))
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
    const size_t eights = (triangles + AB_MESH_WIDTH - 1) / AB_MESH_WIDTH;
    packing p = { .parts = parts };
    *out = (ab_mesh_packed){ 0 };
    bool packed = ab_array_resize(p.numbers, memory, vertices) && ab_array_resize(out->eights, memory, eights) &&
                  ab_array_resize(out->group_at, memory, ab_mesh_groups((uint32_t)triangles));
    if (packed)
    {
        memset(p.numbers, 0xff, vertices * sizeof *p.numbers); // no group
        memset(out->eights, 0, eights * sizeof *out->eights);
        packed = pack_groups(&p, memory, out);
    }
    arrfree(p.numbers);
    return packed;
}

void ab_mesh_packed_free(ab_mesh_packed *packed)
{
    arrfree(packed->eights);
    arrfree(packed->groups);
    arrfree(packed->group_at);
    *packed = (ab_mesh_packed){ 0 };
}
