// The triangle of a mesh that is nearest to a point, or those that may be nearest to a box: down its tree, the nearest
// child first, past what is farther than the best so far; of a heightfield, block by block from the one below. Floats
// say how far boxes are at least; triangles that may be nearer are measured in double.
#include "shape/mesh.h"

#include "base/platform.h"
#include "math/outward.h"
#include "math/three.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDED  (1.0f - 0x1p-20f) // of the square of a distance: more than what floats round away
#define FARTHEST 1e18              // metres: squares are floats, and no mesh is as far

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

// Blocks of cells: columns and rows [first, end), of blocks.
typedef struct blocks
{
    uint32_t first[2], end[2];
} blocks;

// Where cells begin that are in blocks from `block` on, or where the last one ends.
static float block_at(uint32_t block, uint32_t heights, float step)
{
    const uint32_t at = block * AB_GRID_BLOCK;
    return ab_grid_at(at < heights ? at : heights - 1, heights, step);
}

// The least that the square of the distance from a block may be.
static float square_to_block(const nearest *n, uint32_t x, uint32_t z)
{
    const ab_grid *grid = &n->mesh->grid;
    const ab_grid_block *block = &grid->level[0][(size_t)z * ab_grid_blocks(grid->columns, 0) + x];
    const float a = outside(n->low[0], n->high[0], block_at(x, grid->columns, grid->step_x),
                            block_at(x + 1, grid->columns, grid->step_x)),
                b = outside(n->low[1], n->high[1], block->least, block->most),
                c = outside(n->low[2], n->high[2], block_at(z, grid->rows, grid->step_z),
                            block_at(z + 1, grid->rows, grid->step_z));
    return (a * a + b * b + c * c) * ROUNDED;
}

// Cells that may be near enough, seen from above.
static ab_grid_cells cells_near(const nearest *n)
{
    const double reach = sqrt((double)n->limit);
    double min[3], max[3];
    for (int k = 0; k < 3; ++k)
    {
        min[k] = (double)n->low[k] - reach;
        max[k] = (double)n->high[k] + reach;
    }
    return ab_grid_cells_within(&n->mesh->grid, min, max);
}

#ifdef AB_SMALL
// Those cells of a block that are in a row.
static void see_row(nearest *n, const ab_grid_cells *cells, uint32_t row)
{
    for (uint32_t column = cells->first[0]; column < cells->end[0]; ++column)
    {
        see_cell(n, column, row);
    }
}
#else
// From the cells of a row: a row of heights on both sides of them, and where the lines between them are.
typedef struct cell_row
{
    float near[AB_GRID_BLOCK + 1], far[AB_GRID_BLOCK + 1], x[AB_GRID_BLOCK + 1], z[2];
} cell_row;

AB_APART static void squares_to_cells(const nearest *n, const cell_row *r, float *restrict out)
{
    const float x = n->low[0], high_x = n->high[0], y = n->low[1], high_y = n->high[1];
    const float c = outside(n->low[2], n->high[2], r->z[0], r->z[1]);
    for (uint32_t i = 0; i < AB_GRID_BLOCK; ++i)
    {
        const float least = ab_least_of_3(r->near[i], r->near[i + 1], r->far[i]),
                    most = ab_most_of_3(r->near[i], r->near[i + 1], r->far[i]);
        const float last = r->far[i + 1];
        const float a = outside(x, high_x, r->x[i], r->x[i + 1]),
                    b = outside(y, high_y, least < last ? least : last, most > last ? most : last);
        out[i] = (a * a + b * b + c * c) * ROUNDED;
    }
}

// At most AB_GRID_BLOCK cells.
static void find_squares_of_row(const nearest *n, const ab_grid_cells *cells, uint32_t row, float out[AB_GRID_BLOCK])
{
    const ab_grid *grid = &n->mesh->grid;
    const float *const heights = grid->heights + (size_t)row * grid->columns;
    cell_row r = { .z = { ab_grid_at(row, grid->rows, grid->step_z), ab_grid_at(row + 1, grid->rows, grid->step_z) } };
    for (uint32_t i = 0; i <= AB_GRID_BLOCK; ++i)
    {
        const uint32_t own = cells->first[0] + i, column = own < cells->end[0] ? own : cells->end[0];
        r.near[i] = heights[column];
        r.far[i] = heights[grid->columns + column];
        r.x[i] = ab_grid_at(column, grid->columns, grid->step_x);
    }
    squares_to_cells(n, &r, out);
}

// Those cells of a block that are in a row, where they may be near enough.
static void see_row(nearest *n, const ab_grid_cells *cells, uint32_t row)
{
    float square[AB_GRID_BLOCK];
    find_squares_of_row(n, cells, row, square);
    for (uint32_t column = cells->first[0]; column < cells->end[0]; ++column)
    {
        if (square[column - cells->first[0]] <= n->limit)
        {
            see_cell(n, column, row);
        }
    }
}
#endif

// The triangles of a block, if they may be near enough.
static void see_cells(nearest *n, uint32_t x, uint32_t z)
{
    const uint32_t from[2] = { x * AB_GRID_BLOCK, z * AB_GRID_BLOCK };
    if (!(square_to_block(n, x, z) <= n->limit))
    {
        return;
    }
    ab_grid_cells cells = cells_near(n);
    for (int i = 0; i < 2; ++i)
    {
        cells.first[i] = cells.first[i] > from[i] ? cells.first[i] : from[i];
        cells.end[i] = cells.end[i] < from[i] + AB_GRID_BLOCK ? cells.end[i] : from[i] + AB_GRID_BLOCK;
    }
    for (uint32_t row = cells.first[1]; row < cells.end[1]; ++row)
    {
        see_row(n, &cells, row);
    }
    see_waiting(n);
}

// The least that the square of the distance from all other blocks may be; infinite if there are none.
static float square_beyond(const nearest *n, const blocks *b)
{
    const ab_grid *grid = &n->mesh->grid;
    const uint32_t count[2] = { grid->columns, grid->rows };
    const float step[2] = { grid->step_x, grid->step_z };
    const float height = outside(n->low[1], n->high[1], grid->least, grid->most);
    float away = HUGE_VALF;
    for (int i = 0; i < 2; ++i)
    {
        const float below = n->low[2 * i] - block_at(b->first[i], count[i], step[i]),
                    above = block_at(b->end[i], count[i], step[i]) - n->high[2 * i];
        away = b->first[i] > 0 && below < away ? below : away;
        away = b->end[i] < ab_grid_blocks(count[i], 0) && above < away ? above : away;
    }
    away = away > 0.0f ? away : 0.0f;
    return (away * away + height * height) * ROUNDED;
}

// One block more on every side. Those on the new sides are seen.
static void widen(nearest *n, blocks *b)
{
    const ab_grid *grid = &n->mesh->grid;
    const uint32_t most[2] = { ab_grid_blocks(grid->columns, 0), ab_grid_blocks(grid->rows, 0) };
    const blocks had = *b;
    for (int i = 0; i < 2; ++i)
    {
        b->first[i] -= had.first[i] > 0;
        b->end[i] += had.end[i] < most[i];
    }
    for (uint32_t z = b->first[1]; z < b->end[1]; ++z)
    {
        const bool whole = z < had.first[1] || z >= had.end[1];
        for (uint32_t x = b->first[0]; x < b->end[0]; ++x)
        {
            x = !whole && x == had.first[0] ? had.end[0] : x; // past those that were seen
            if (x < b->end[0])
            {
                see_cells(n, x, z);
            }
        }
    }
}

// The cell below the middle, then blocks about it, until the others are farther away than the best so far.
static void search_blocks(nearest *n)
{
    const ab_grid *grid = &n->mesh->grid;
    double middle[3];
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = 0.5 * ((double)n->low[k] + (double)n->high[k]);
    }
    const ab_grid_cells below = ab_grid_cells_within(grid, middle, middle);
    const uint32_t across = grid->columns - 1, down = grid->rows - 1;
    const uint32_t x = below.first[0] < across ? below.first[0] : across - 1,
                   z = below.first[1] < down ? below.first[1] : down - 1;
    if (!n->measure)
    {
        see_cell(n, x, z);
        see_waiting(n);
    }
    blocks b = { { x / AB_GRID_BLOCK, z / AB_GRID_BLOCK }, { x / AB_GRID_BLOCK + 1, z / AB_GRID_BLOCK + 1 } };
    see_cells(n, b.first[0], b.first[1]);
    while (square_beyond(n, &b) <= n->limit)
    {
        widen(n, &b);
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
    (ab_mesh_is_grid(mesh) ? search_blocks : search_tree)(&n);
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
    (ab_mesh_is_grid(mesh) ? search_blocks : search_tree)(&n);
}
