// The order of a mesh's triangles, and the tree over them: as in a packed R-tree (J. Roussopoulos, D. Leifker, 1985),
// but divided from the top: at the median of the longest side of the centres' box, to whole nodes of the level below.
#include "cook/mesh_cook.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

// A triangle while it is sorted: twice the centre of its box.
typedef struct place
{
    float at[3];
    uint32_t triangle;
} place;

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// The AABB of a triangle.
static void box_of(const ab_mesh_parts *parts, const ab_mesh_triangle *triangle, float min[3], float max[3])
{
    const abut_vec3 *a = &parts->vertices[triangle->vertex[0]], *b = &parts->vertices[triangle->vertex[1]],
                    *c = &parts->vertices[triangle->vertex[2]];
    const float x[3] = { a->x, a->y, a->z }, y[3] = { b->x, b->y, b->z }, z[3] = { c->x, c->y, c->z };
    for (int k = 0; k < 3; ++k)
    {
        min[k] = lesser(lesser(x[k], y[k]), z[k]);
        max[k] = larger(larger(x[k], y[k]), z[k]);
    }
}

// Whether p comes before q along an axis. Triangles of the same place keep the caller's order.
static bool is_before(const place *p, const place *q, int axis)
{
    return p->at[axis] < q->at[axis] || (p->at[axis] == q->at[axis] && p->triangle < q->triangle);
}

static void swap(place *p, place *q)
{
    const place moved = *p;
    *p = *q;
    *q = moved;
}

// Brings the `left` first of `count` places along an axis to the front: C. Hoare, "Algorithm 65: Find" (1961), with the
// median of three as pivot.
static void divide(place *places, uint32_t count, uint32_t left, int axis)
{
    uint32_t low = 0, high = count - 1;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (is_before(&places[middle], &places[low], axis))
        {
            swap(&places[middle], &places[low]);
        }
        if (is_before(&places[high], &places[low], axis))
        {
            swap(&places[high], &places[low]);
        }
        if (is_before(&places[high], &places[middle], axis))
        {
            swap(&places[high], &places[middle]);
        }
        const place pivot = places[middle];
        uint32_t i = low, j = high;
        while (i <= j)
        {
            while (is_before(&places[i], &pivot, axis))
            {
                ++i;
            }
            while (is_before(&pivot, &places[j], axis))
            {
                --j;
            }
            if (i <= j)
            {
                swap(&places[i++], &places[j]);
                if (j == 0)
                {
                    break;
                }
                --j;
            }
        }
        if (left <= j)
        {
            high = j;
        }
        else if (left >= i)
        {
            low = i;
        }
        else
        {
            return;
        }
    }
}

static int longest_side(const place *places, uint32_t count)
{
    float side[3];
    for (int k = 0; k < 3; ++k)
    {
        float least = places[0].at[k], most = least;
        for (uint32_t i = 1; i < count; ++i)
        {
            least = lesser(places[i].at[k], least);
            most = larger(places[i].at[k], most);
        }
        side[k] = most - least;
    }
    return side[0] >= side[1] ? (side[0] >= side[2] ? 0 : 2) : side[1] >= side[2] ? 1 : 2;
}

// How many of `count` go left: a half, in whole nodes.
static uint32_t left_of(uint32_t count)
{
    uint32_t node = AB_MESH_WIDTH;
    while (node * AB_MESH_WIDTH < count)
    {
        node *= AB_MESH_WIDTH;
    }
    const uint32_t nodes = (count + node - 1) / node;
    return (nodes / 2) * node;
}

// Halves a stretch again and again, down to blocks. The stack holds the right halves: they shrink by more than a third.
static void sort(place *places, uint32_t count)
{
    struct
    {
        uint32_t first, count;
    } stack[64];
    uint32_t depth = 0, first = 0;
    for (;;)
    {
        while (count > AB_MESH_WIDTH)
        {
            const uint32_t left = left_of(count);
            divide(places + first, count, left, longest_side(places + first, count));
            stack[depth].first = first + left;
            stack[depth++].count = count - left;
            count = left;
        }
        if (depth == 0)
        {
            return;
        }
        first = stack[--depth].first;
        count = stack[depth].count;
    }
}

static void clear_node(ab_mesh_node *node)
{
    for (uint32_t i = 0; i < 3 * AB_MESH_WIDTH; ++i)
    {
        (&node->min[0][0])[i] = HUGE_VALF;
        (&node->max[0][0])[i] = -HUGE_VALF;
    }
}

static void add_box(ab_mesh_node *node, uint32_t child, const float min[3], const float max[3])
{
    for (int k = 0; k < 3; ++k)
    {
        node->min[k][child] = lesser(min[k], node->min[k][child]);
        node->max[k][child] = larger(max[k], node->max[k][child]);
    }
}

// The box around all children of a node.
static void box_of_node(const ab_mesh_node *node, float min[3], float max[3])
{
    for (int k = 0; k < 3; ++k)
    {
        min[k] = node->min[k][0];
        max[k] = node->max[k][0];
        for (uint32_t i = 1; i < AB_MESH_WIDTH; ++i)
        {
            min[k] = lesser(node->min[k][i], min[k]);
            max[k] = larger(node->max[k][i], max[k]);
        }
    }
}

static uint32_t parents_of(uint32_t count)
{
    return (count + AB_MESH_WIDTH - 1) / AB_MESH_WIDTH;
}

static bool build_nodes(ab_mesh_parts *parts, ab_memory *memory)
{
    const uint32_t triangles = parts->own;
    uint32_t nodes = 0;
    for (uint32_t count = parents_of(triangles); count > 1 || nodes == 0;)
    {
        count = parents_of(count);
        parts->first[parts->levels++] = nodes;
        nodes += count;
    }
    if (!ab_array_resize(parts->nodes, memory, nodes))
    {
        return false;
    }
    float min[3], max[3];
    for (uint32_t i = 0; i < nodes; ++i)
    {
        clear_node(&parts->nodes[i]);
    }
    for (uint32_t i = 0; i < triangles; ++i)
    {
        const uint32_t block = i / AB_MESH_WIDTH;
        box_of(parts, &parts->triangles[i], min, max);
        add_box(&parts->nodes[block / AB_MESH_WIDTH], block % AB_MESH_WIDTH, min, max);
    }
    for (uint32_t level = 1; level < parts->levels; ++level)
    {
        for (uint32_t i = parts->first[level - 1]; i < parts->first[level]; ++i)
        {
            const uint32_t child = i - parts->first[level - 1];
            box_of_node(&parts->nodes[i], min, max);
            add_box(&parts->nodes[parts->first[level] + child / AB_MESH_WIDTH], child % AB_MESH_WIDTH, min, max);
        }
    }
    return true;
}

// Numbers the vertices by their first use.
static void renumber(ab_mesh_parts *parts, uint32_t *number, abut_vec3 *moved)
{
    const uint32_t vertices = (uint32_t)arrlenu(parts->vertices);
    uint32_t used = 0;
    memset(number, 0xff, vertices * sizeof *number); // ABUT_NONE
    for (uint32_t i = 0; i < arrlenu(parts->triangles); ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            uint32_t *vertex = &parts->triangles[i].vertex[k];
            if (number[*vertex] == ABUT_NONE)
            {
                moved[used] = parts->vertices[*vertex];
                number[*vertex] = used++;
            }
            *vertex = number[*vertex];
        }
        parts->own_vertices = i < parts->own ? used : parts->own_vertices;
    }
    memcpy(parts->vertices, moved, used * sizeof *moved);
    ab_array_set_length(parts->vertices, used);
}

static void lay_places(const ab_mesh_parts *parts, place *places)
{
    for (uint32_t i = 0; i < parts->own; ++i)
    {
        float min[3], max[3];
        box_of(parts, &parts->triangles[i], min, max);
        places[i] = (place){ { min[0] + max[0], min[1] + max[1], min[2] + max[2] }, i };
    }
}

bool ab_mesh_order(ab_mesh_parts *parts, ab_memory *memory)
{
    const uint32_t count = parts->own;
    place *places = NULL;
    ab_mesh_triangle *sorted = NULL;
    uint32_t *number = NULL;
    abut_vec3 *moved = NULL;
    const bool room = ab_array_resize(places, memory, count) && ab_array_resize(sorted, memory, count) &&
                      ab_array_resize(number, memory, arrlenu(parts->vertices)) &&
                      ab_array_resize(moved, memory, arrlenu(parts->vertices));
    if (room)
    {
        lay_places(parts, places);
        sort(places, count);
        for (uint32_t i = 0; i < count; ++i)
        {
            sorted[i] = parts->triangles[places[i].triangle];
        }
        memcpy(parts->triangles, sorted, count * sizeof *sorted);
        renumber(parts, number, moved);
    }
    arrfree(places);
    arrfree(sorted);
    arrfree(number);
    arrfree(moved);
    return room && build_nodes(parts, memory);
}
