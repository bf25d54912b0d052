// Brings a mesh's triangles into their order, and builds the tree over them: as in a packed R-tree (J. Roussopoulos,
// D. Leifker, 1985).
#include "cook/mesh_cook.h"

#include "base/array.h"
#include "base/platform.h"

#include <math.h>
#include <string.h>

#define AHEAD 16u // triangles

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

void ab_cook_box_of(const ab_mesh_parts *parts, const ab_mesh_triangle *triangle, float min[3], float max[3])
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

bool ab_mesh_build_nodes(ab_mesh_parts *parts, ab_memory *memory)
{
    const uint32_t blocks = parents_of(parts->own), leaves = parents_of(blocks);
    uint32_t nodes = 0;
    parts->levels = 1;
    for (uint32_t count = leaves; count > 1;)
    {
        count = parents_of(count);
        parts->first[parts->levels++] = nodes;
        nodes += count;
    }
    if (!ab_array_resize(parts->nodes, memory, nodes) || !ab_array_resize(parts->leaves, memory, leaves) ||
        !ab_array_resize(parts->blocks, memory, blocks))
    {
        return false;
    }
    float min[3], max[3];
    for (uint32_t i = 0; i < nodes; ++i)
    {
        clear_node(&parts->nodes[i]);
    }
    for (uint32_t i = 0; i < leaves; ++i)
    {
        ab_mesh_lay_leaf(parts, i, min, max);
        if (nodes > 0)
        {
            add_box(&parts->nodes[i / AB_MESH_WIDTH], i % AB_MESH_WIDTH, min, max);
        }
    }
    for (uint32_t level = 2; level < parts->levels; ++level)
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

// Asks for the memory of triangles that come later, and of the vertices of those that come sooner.
AB_INLINE void fetch_ahead(const ab_mesh_parts *parts, const uint32_t *order, uint32_t left, const uint32_t *number)
{
    if (left <= 2 * AHEAD)
    {
        return;
    }
    const ab_mesh_triangle *const near = &parts->triangles[order[AHEAD]];
    AB_PREFETCH(&parts->triangles[order[2 * AHEAD]]);
    for (int k = 0; k < 3; ++k)
    {
        AB_PREFETCH_TO(&number[near->vertex[k]]);
        AB_PREFETCH(&parts->vertices[near->vertex[k]]);
    }
}

// Brings the triangles into their order, and numbers the vertices by their first use.
static void arrange(ab_mesh_parts *parts, const uint32_t *order, ab_mesh_triangle *sorted, uint32_t *number,
                    abut_vec3 *moved)
{
    const uint32_t vertices = (uint32_t)arrlenu(parts->vertices), count = (uint32_t)arrlenu(parts->triangles);
    uint32_t used = 0;
    memset(number, 0xff, vertices * sizeof *number); // ABUT_NONE
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_mesh_triangle triangle = parts->triangles[order[i]];
        fetch_ahead(parts, order + i, count - i, number);
        for (int k = 0; k < 3; ++k)
        {
            uint32_t *const to = &number[triangle.vertex[k]];
            if (*to == ABUT_NONE)
            {
                moved[used] = parts->vertices[triangle.vertex[k]];
                *to = used++;
            }
            triangle.vertex[k] = *to;
        }
        sorted[i] = triangle;
        parts->own_vertices = i < parts->own ? used : parts->own_vertices;
    }
    ab_array_set_length(moved, used);
}

static bool sort_triangles(ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool)
{
    const uint32_t count = (uint32_t)arrlenu(parts->triangles);
    ab_mesh_triangle *sorted = NULL;
    uint32_t *order = NULL, *number = NULL;
    abut_vec3 *moved = NULL;
    const bool room = ab_array_resize(order, memory, count) && ab_mesh_sort(parts, memory, pool, order) &&
                      ab_array_resize(sorted, memory, count) &&
                      ab_array_resize(number, memory, arrlenu(parts->vertices)) &&
                      ab_array_resize(moved, memory, arrlenu(parts->vertices));
    if (room)
    {
        arrange(parts, order, sorted, number, moved);
        arrfree(parts->triangles);
        arrfree(parts->vertices);
        parts->triangles = sorted;
        parts->vertices = moved;
    }
    else
    {
        arrfree(sorted);
        arrfree(moved);
    }
    arrfree(order);
    arrfree(number);
    return room;
}

bool ab_mesh_order(ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool)
{
    return sort_triangles(parts, memory, pool) && ab_mesh_build_nodes(parts, memory);
}
