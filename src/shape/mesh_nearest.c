// The triangle of a mesh that is nearest to a point, or those that may be nearest to a box: down its tree, the nearest
// child first, past what is farther than the best so far. Floats say how far boxes are at least; triangles that may be
// nearer are measured in double.
#include "shape/mesh_nearest.h"

#include "math/outward.h"
#include "math/three.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FARTHEST 1e18 // metres: squares are floats, and no mesh is as far

// Corners of triangles: by corner, then by coordinate.
typedef struct corners
{
    float at[3][3][AB_MESH_WIDTH];
} corners;

static void measure_to_point(ab_nearest *n, uint32_t triangle, const corners *c, uint32_t which)
{
    double corner[3][3], on[3], square = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            corner[i][k] = (double)c->at[i][k][which];
        }
    }
    ab_mesh_nearest_on(corner, n->point, on);
    for (int k = 0; k < 3; ++k)
    {
        const double away = on[k] - n->point[k];
        square += away * away;
    }
    const bool first = n->triangle == AB_NO_TRIANGLE;
    if (first || square < n->square ||
        (square == n->square && ab_mesh_child(n->mesh, triangle) < ab_mesh_child(n->mesh, n->triangle)))
    {
        n->square = square;
        n->limit = square < (double)FLT_MAX ? ab_float_up(square) : FLT_MAX;
        n->triangle = triangle;
        memcpy(n->on, on, sizeof on);
    }
}

// The least that the squares of the distances from eight boxes may be. Compilers make vector instructions of these
// loops, but not inside others.
AB_APART static void squares_to(const ab_nearest *n, const ab_mesh_node *node, float *restrict out)
{
    const float x = n->low[0], y = n->low[1], z = n->low[2], high_x = n->high[0], high_y = n->high[1],
                high_z = n->high[2];
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const float a = ab_outside(x, high_x, node->min[0][i], node->max[0][i]),
                    b = ab_outside(y, high_y, node->min[1][i], node->max[1][i]),
                    c = ab_outside(z, high_z, node->min[2][i], node->max[2][i]);
        out[i] = (a * a + b * b + c * c) * AB_NEAREST_ROUNDED;
    }
}

// From those of triangles.
AB_APART static void squares_to_triangles(const ab_nearest *n, const corners *c, float *restrict out)
{
    const float low[3] = { n->low[0], n->low[1], n->low[2] }, high[3] = { n->high[0], n->high[1], n->high[2] };
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const float px = c->at[0][0][i], py = c->at[0][1][i], pz = c->at[0][2][i];
        const float qx = c->at[1][0][i], qy = c->at[1][1][i], qz = c->at[1][2][i];
        const float rx = c->at[2][0][i], ry = c->at[2][1][i], rz = c->at[2][2][i];
        const float x = ab_outside(low[0], high[0], ab_least_of_3(px, qx, rx), ab_most_of_3(px, qx, rx)),
                    y = ab_outside(low[1], high[1], ab_least_of_3(py, qy, ry), ab_most_of_3(py, qy, ry)),
                    z = ab_outside(low[2], high[2], ab_least_of_3(pz, qz, rz), ab_most_of_3(pz, qz, rz));
        out[i] = (x * x + y * y + z * z) * AB_NEAREST_ROUNDED;
    }
}

// From the boxes of a scaled mesh, whose arrays are another's.
static void squares_to_scaled(const ab_nearest *n, const ab_mesh_node *node, float *out)
{
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        out[i] = 0.0f;
        for (int k = 0; k < 3; ++k)
        {
            double range[2];
            ab_mesh_child_range(n->mesh, node, i, k, range);
            const float away = ab_outside(n->low[k], n->high[k], (float)range[0], (float)range[1]);
            out[i] += away * away;
        }
        out[i] *= AB_NEAREST_ROUNDED;
    }
}

// Eight triangles: of a mesh, those of one block.
static void gather(const ab_mesh *mesh, const uint32_t triangles[AB_MESH_WIDTH], corners *out)
{
    const bool plain = !ab_mesh_is_grid(mesh) && !mesh->is_scaled;
    ab_mesh_reader reader = ab_mesh_reader_of(&mesh->triangles, mesh->vertices);
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        abut_vec3 at[3];
        if (plain)
        {
            const abut_vec3 *from[3];
            ab_mesh_read(&reader, &mesh->triangles, mesh->vertices, triangles[i], from);
            for (int j = 0; j < 3; ++j)
            {
                at[j] = *from[j];
            }
        }
        else
        {
            ab_mesh_positions(mesh, triangles[i], at);
        }
        for (int j = 0; j < 3; ++j)
        {
            out->at[j][0][i] = at[j].x;
            out->at[j][1][i] = at[j].y;
            out->at[j][2][i] = at[j].z;
        }
    }
}

static float square_of(double distance)
{
    const double square = distance * distance;
    return square < (double)FLT_MAX ? ab_float_up(square) : FLT_MAX;
}

void ab_nearest_see(ab_nearest *n, const uint32_t *triangles, uint32_t count)
{
    corners c;
    float square[AB_MESH_WIDTH];
    gather(n->mesh, triangles, &c);
    squares_to_triangles(n, &c, square);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!(square[i] <= n->limit))
        {
            continue;
        }
        if (n->measure)
        {
            n->limit = square_of(n->measure(n->context, triangles[i]));
            continue;
        }
        measure_to_point(n, triangles[i], &c, i);
    }
}

// A box that waits: a node of a level, or below the last level a block of triangles.
typedef struct waiting
{
    float square;
    uint32_t height, which; // 0: a block
} waiting;

#define MOST_WAITING (AB_MESH_LEVELS * AB_MESH_WIDTH)

// The boxes of a leaf's children.
AB_APART static void open_leaf(const ab_mesh_leaf *leaf, ab_mesh_node *restrict out)
{
    for (int k = 0; k < 3; ++k)
    {
        const float origin = leaf->origin[k], step = ab_mesh_leaf_step(leaf, k);
        for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
        {
            out->min[k][i] = origin + (float)leaf->min[k][i] * step;
            out->max[k][i] = origin + (float)leaf->max[k][i] * step;
        }
    }
    for (uint32_t absent = ~leaf->there & 0xffu; absent != 0; absent &= absent - 1)
    {
        out->min[0][ab_lowest_bit(absent)] = HUGE_VALF;
        out->max[0][ab_lowest_bit(absent)] = -HUGE_VALF;
    }
}

// From the boxes of a node's children.
static void find_squares(const ab_nearest *n, uint32_t level, uint32_t which, float out[AB_MESH_WIDTH])
{
    const ab_mesh *mesh = n->mesh;
    ab_mesh_node leaf;
    const ab_mesh_node *node = &leaf;
    if (level > 0)
    {
        node = &mesh->nodes[mesh->first[level] + which];
    }
    else
    {
        open_leaf(&mesh->leaves[which], &leaf);
    }
    (mesh->is_scaled ? squares_to_scaled : squares_to)(n, node, out);
}

// Lets those children wait that are near enough, the nearest on top.
static uint32_t push_children(const ab_nearest *n, const waiting *parent, waiting *stack, uint32_t depth)
{
    float square[AB_MESH_WIDTH];
    const uint32_t bottom = depth;
    find_squares(n, parent->height - 1, parent->which, square);
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        if (!(square[i] <= n->limit))
        {
            continue;
        }
        uint32_t at = depth++;
        for (; at > bottom && stack[at - 1].square < square[i]; --at)
        {
            stack[at] = stack[at - 1];
        }
        stack[at] = (waiting){ square[i], parent->height - 1, AB_MESH_WIDTH * parent->which + i };
    }
    return depth;
}

static void see_block(ab_nearest *n, uint32_t block)
{
    uint32_t triangles[AB_MESH_WIDTH];
    const uint32_t first = AB_MESH_WIDTH * block, left = n->mesh->triangle_count - first;
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        triangles[i] = i < left ? first + i : first;
    }
    ab_nearest_see(n, triangles, left < AB_MESH_WIDTH ? left : AB_MESH_WIDTH);
}

// What is in the nearest child of the nearest child, and so on.
static uint32_t guess_block(const ab_nearest *n)
{
    uint32_t which = 0;
    for (uint32_t level = n->mesh->levels; level-- > 0;)
    {
        float square[AB_MESH_WIDTH];
        uint32_t best = 0;
        find_squares(n, level, which, square);
        for (uint32_t i = 1; i < AB_MESH_WIDTH; ++i)
        {
            best = square[i] < square[best] ? i : best;
        }
        which = AB_MESH_WIDTH * which + best;
    }
    return which;
}

static void search_tree(ab_nearest *n)
{
    waiting stack[MOST_WAITING];
    uint32_t depth = 0;
    const uint32_t guess = guess_block(n);
    see_block(n, guess);
    stack[depth++] = (waiting){ 0.0f, n->mesh->levels, 0 };
    while (depth > 0)
    {
        const waiting at = stack[--depth];
        if (!(at.square <= n->limit))
        {
            continue;
        }
        if (at.height == 0 && at.which != guess)
        {
            see_block(n, at.which);
        }
        else if (at.height > 0)
        {
            depth = push_children(n, &at, stack, depth);
        }
    }
}

static double within(double x)
{
    return x < -FARTHEST ? -FARTHEST : x > FARTHEST ? FARTHEST : x;
}

uint32_t ab_mesh_nearest(const ab_mesh *mesh, const double point[3], double out[3])
{
    ab_nearest n = { .mesh = mesh, .point = point, .limit = FLT_MAX, .triangle = AB_NO_TRIANGLE };
    for (int k = 0; k < 3; ++k)
    {
        n.low[k] = ab_float_down(within(point[k]));
        n.high[k] = ab_float_up(within(point[k]));
    }
    (ab_mesh_is_grid(mesh) ? ab_nearest_of_field : search_tree)(&n);
    memcpy(out, n.on, sizeof n.on);
    return n.triangle;
}

void ab_mesh_near_box(const ab_mesh *mesh, const ab_mesh_box *box, double limit, ab_mesh_measure_near *measure,
                      void *context)
{
    ab_nearest n = { .mesh = mesh, .measure = measure, .context = context, .limit = square_of(limit) };
    for (int k = 0; k < 3; ++k)
    {
        n.low[k] = ab_float_down(within((double)box->min[k]));
        n.high[k] = ab_float_up(within((double)box->max[k]));
    }
    (ab_mesh_is_grid(mesh) ? ab_nearest_of_field : search_tree)(&n);
}
