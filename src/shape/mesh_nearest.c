// The triangle of a mesh that is nearest to a point, or those that may be nearest to a box: down its tree, the nearest
// child first, past what is farther than the best so far. Floats say how far boxes are at least; triangles that may be
// nearer are measured in double.
#include "shape/mesh.h"

#include "base/platform.h"
#include "math/outward.h"
#include "math/three.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDED    (1.0f - 0x1p-20f) // of the square of a distance: more than what floats round away
#define ROUNDING   0x1p-40           // likewise in double
#define ASIDE      0.01 // of a cell: more than what a point may be beside the one that ab_grid_cells_within finds first
#define ASIDE_EACH 0x1p-20 // likewise for each cell of the longer side
#define FARTHEST   1e18    // metres: squares are floats, and no mesh is as far

typedef struct nearest
{
    const ab_mesh *mesh;
    const double *point;
    float low[3], high[3];         // the point, rounded both ways, or the box
    ab_mesh_measure_near *measure; // of a box
    void *context;
    double square, on[3];
    float limit; // no less than the square
    uint32_t triangle;
    uint32_t waiting, wait[AB_MESH_WIDTH]; // of a heightfield: triangles that were not looked at
} nearest;

// Corners of triangles: by corner, then by coordinate.
typedef struct corners
{
    float at[3][3][AB_MESH_WIDTH];
} corners;

static void measure_to_point(nearest *n, uint32_t triangle, const corners *c, uint32_t which)
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

// How far a place between low and high is outside of a range.
AB_INLINE float outside(float low, float high, float min, float max)
{
    const float below = min - high, above = low - max, away = below > above ? below : above;
    return away > 0.0f ? away : 0.0f;
}

// The least that the squares of the distances from eight boxes may be. Compilers make vector instructions of these
// loops, but not inside others.
AB_APART static void squares_to(const nearest *n, const ab_mesh_node *node, float *restrict out)
{
    const float x = n->low[0], y = n->low[1], z = n->low[2], high_x = n->high[0], high_y = n->high[1],
                high_z = n->high[2];
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const float a = outside(x, high_x, node->min[0][i], node->max[0][i]),
                    b = outside(y, high_y, node->min[1][i], node->max[1][i]),
                    c = outside(z, high_z, node->min[2][i], node->max[2][i]);
        out[i] = (a * a + b * b + c * c) * ROUNDED;
    }
}

// From those of triangles.
AB_APART static void squares_to_triangles(const nearest *n, const corners *c, float *restrict out)
{
    const float low[3] = { n->low[0], n->low[1], n->low[2] }, high[3] = { n->high[0], n->high[1], n->high[2] };
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const float px = c->at[0][0][i], py = c->at[0][1][i], pz = c->at[0][2][i];
        const float qx = c->at[1][0][i], qy = c->at[1][1][i], qz = c->at[1][2][i];
        const float rx = c->at[2][0][i], ry = c->at[2][1][i], rz = c->at[2][2][i];
        const float x = outside(low[0], high[0], ab_least_of_3(px, qx, rx), ab_most_of_3(px, qx, rx)),
                    y = outside(low[1], high[1], ab_least_of_3(py, qy, ry), ab_most_of_3(py, qy, ry)),
                    z = outside(low[2], high[2], ab_least_of_3(pz, qz, rz), ab_most_of_3(pz, qz, rz));
        out[i] = (x * x + y * y + z * z) * ROUNDED;
    }
}

// From the boxes of a scaled mesh, whose arrays are another's.
static void squares_to_scaled(const nearest *n, const ab_mesh_node *node, float *out)
{
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        out[i] = 0.0f;
        for (int k = 0; k < 3; ++k)
        {
            double range[2];
            ab_mesh_child_range(n->mesh, node, i, k, range);
            const float away = outside(n->low[k], n->high[k], (float)range[0], (float)range[1]);
            out[i] += away * away;
        }
        out[i] *= ROUNDED;
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

// Measures those of at most eight triangles that may be near enough. Entries behind `count` must be triangles, too.
static void see(nearest *n, const uint32_t *triangles, uint32_t count)
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
static void find_squares(const nearest *n, uint32_t level, uint32_t which, float out[AB_MESH_WIDTH])
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
static uint32_t push_children(const nearest *n, const waiting *parent, waiting *stack, uint32_t depth)
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

static void see_block(nearest *n, uint32_t block)
{
    uint32_t triangles[AB_MESH_WIDTH];
    const uint32_t first = AB_MESH_WIDTH * block, left = n->mesh->triangle_count - first;
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        triangles[i] = i < left ? first + i : first;
    }
    see(n, triangles, left < AB_MESH_WIDTH ? left : AB_MESH_WIDTH);
}

// What is in the nearest child of the nearest child, and so on.
static uint32_t guess_block(const nearest *n)
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

static void search_tree(nearest *n)
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

// How far a point is above all heights, or below them.
static double height_beyond(const ab_grid *grid, double y)
{
    const double above = y - (double)grid->most, below = (double)grid->least - y;
    return above > 0.0 ? above : below > 0.0 ? below : 0.0;
}

static void see_waiting(nearest *n)
{
    const uint32_t count = n->waiting;
    for (uint32_t i = count; i < AB_MESH_WIDTH && count > 0; ++i)
    {
        n->wait[i] = n->wait[0];
    }
    if (count > 0)
    {
        see(n, n->wait, count);
    }
    n->waiting = 0;
}

// Both triangles of a cell.
static void see_cell(nearest *n, uint32_t column, uint32_t row)
{
    const ab_grid *grid = &n->mesh->grid;
    const uint32_t cell = row * (grid->columns - 1) + column;
    if (ab_grid_is_own(grid, cell))
    {
        n->wait[n->waiting++] = 2 * cell;
        n->wait[n->waiting++] = 2 * cell + 1;
        if (n->waiting == AB_MESH_WIDTH)
        {
            see_waiting(n);
        }
    }
}

// The triangles of a ring of cells about another.
static void see_ring(nearest *n, const uint32_t middle[2], uint32_t ring)
{
    const uint32_t across = n->mesh->grid.columns - 1, down = n->mesh->grid.rows - 1;
    const uint32_t first_row = middle[1] > ring ? middle[1] - ring : 0,
                   last_row = middle[1] + ring < down ? middle[1] + ring : down - 1;
    for (uint32_t row = first_row; row <= last_row; ++row)
    {
        const bool whole = row + ring == middle[1] || row == middle[1] + ring;
        const uint32_t first = middle[0] > ring ? middle[0] - ring : 0,
                       last = middle[0] + ring < across ? middle[0] + ring : across - 1;
        for (uint32_t column = first; column <= last; ++column)
        {
            if (whole || column + ring == middle[0] || column == middle[0] + ring)
            {
                see_cell(n, column, row);
            }
        }
    }
}

// Rings of cells about the one below the point, until they are farther away than the best so far.
static void search_rings(nearest *n)
{
    const ab_grid *grid = &n->mesh->grid;
    const ab_grid_cells below = ab_grid_cells_within(grid, n->point, n->point);
    const uint32_t across = grid->columns - 1, down = grid->rows - 1, most = across > down ? across : down;
    const uint32_t middle[2] = { below.first[0] < across ? below.first[0] : across - 1,
                                 below.first[1] < down ? below.first[1] : down - 1 };
    const double step = (double)(grid->step_x < grid->step_z ? grid->step_x : grid->step_z);
    const double height = height_beyond(grid, n->point[1]), aside = ASIDE + ASIDE_EACH * (double)most;
    for (uint32_t ring = 0; ring < most; ++ring)
    {
        const double away = ((double)ring - 1.0 - aside) * step; // at least, along x or z
        const double square = (away * away + height * height) * (1.0 - ROUNDING);
        if (n->triangle != AB_NO_TRIANGLE && away > 0.0 && square > n->square)
        {
            return;
        }
        see_ring(n, middle, ring);
        see_waiting(n);
    }
}

static double within(double x)
{
    return x < -FARTHEST ? -FARTHEST : x > FARTHEST ? FARTHEST : x;
}

uint32_t ab_mesh_nearest(const ab_mesh *mesh, const double point[3], double out[3])
{
    nearest n = { .mesh = mesh, .point = point, .limit = FLT_MAX, .triangle = AB_NO_TRIANGLE };
    for (int k = 0; k < 3; ++k)
    {
        n.low[k] = ab_float_down(within(point[k]));
        n.high[k] = ab_float_up(within(point[k]));
    }
    if (ab_mesh_is_grid(mesh))
    {
        search_rings(&n);
    }
    else
    {
        search_tree(&n);
    }
    memcpy(out, n.on, sizeof n.on);
    return n.triangle;
}

void ab_mesh_near_box(const ab_mesh *mesh, const ab_mesh_box *box, double limit, ab_mesh_measure_near *measure,
                      void *context)
{
    nearest n = { .mesh = mesh, .measure = measure, .context = context, .limit = square_of(limit) };
    for (int k = 0; k < 3; ++k)
    {
        n.low[k] = ab_float_down(within((double)box->min[k]));
        n.high[k] = ab_float_up(within((double)box->max[k]));
    }
    search_tree(&n);
}
