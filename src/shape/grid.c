// What a box meets of a heightfield, and how its triangles meet each other.
#include "shape/mesh.h"

#include "base/platform.h"
#include "math/outward.h"

#include <math.h>
#include <string.h>

#define SLACK    1e-3    // of a cell
#define ROUNDING 0x1p-22 // of a cell for each cell that a place is from the middle

// The cells of one axis that a range reaches into, or one more: places of columns and rows are rounded.
static void range_within(double min, double max, uint32_t count, float step, uint32_t *first, uint32_t *end)
{
    const double middle = 0.5 * ((double)count - 1.0), cells = (double)count - 1.0;
    const double slack = SLACK + ROUNDING * middle;
    const double low = min / (double)step + middle - slack, high = max / (double)step + middle + slack;
    *first = low <= 0.0 ? 0 : low >= cells ? count - 1 : (uint32_t)low;
    *end = high < 0.0 ? 0 : high >= cells ? count - 1 : (uint32_t)high + 1;
}

ab_grid_cells ab_grid_cells_within(const ab_grid *grid, const double min[3], const double max[3])
{
    ab_grid_cells out;
    range_within(min[0], max[0], grid->columns, grid->step_x, &out.first[0], &out.end[0]);
    range_within(min[2], max[2], grid->rows, grid->step_z, &out.first[1], &out.end[1]);
    return out;
}

static ab_grid_cells cells_of(const ab_grid *grid, const ab_mesh_box *box)
{
    const double min[3] = { (double)box->min[0], (double)box->min[1], (double)box->min[2] },
                 max[3] = { (double)box->max[0], (double)box->max[1], (double)box->max[2] };
    return ab_grid_cells_within(grid, min, max);
}

// Whether a range and the one between two heights and a third meet.
static bool reaches(float a, float b, float c, const ab_mesh_box *box)
{
    const float least = a < b ? a : b, most = a > b ? a : b;
    const bool low = (least < c ? least : c) <= box->max[1], high = (most > c ? most : c) >= box->min[1];
    return low & high;
}

// Whether a cell between a column and the next one, on either side of a row, is of the surface.
static bool has_own_beside(const ab_grid *grid, uint32_t row, uint32_t column)
{
    const uint32_t across = grid->columns - 1, cell = row * across + column;
    return column < across &&
           ((row > 0 && ab_grid_is_own(grid, cell - across)) || (row + 1 < grid->rows && ab_grid_is_own(grid, cell)));
}

bool ab_grid_uses(const ab_grid *grid, uint32_t vertex)
{
    const uint32_t column = vertex % grid->columns, row = vertex / grid->columns;
    return has_own_beside(grid, row, column) || (column > 0 && has_own_beside(grid, row, column - 1));
}

void ab_grid_find_row_extents(ab_grid *grid, uint32_t row)
{
    ab_heights_row *out = &grid->row[row];
    const float z = ab_grid_at(row, grid->rows, grid->step_z);
    *out = (ab_heights_row){ .least = ABUT_MAX_MAGNITUDE, .most = -ABUT_MAX_MAGNITUDE, .version = out->version };
    const float *heights = grid->heights + (size_t)row * grid->columns;
    bool before = false; // whether a cell between the column before and this one is of the surface
    for (uint32_t column = 0; column < grid->columns; ++column)
    {
        const bool behind = has_own_beside(grid, row, column), uses = before || behind;
        before = behind;
        if (uses)
        {
            const float x = ab_grid_at(column, grid->columns, grid->step_x), y = heights[column];
            const double square = (double)x * x + (double)y * y + (double)z * z;
            out->least = y < out->least ? y : out->least;
            out->most = y > out->most ? y : out->most;
            out->reach = fabsf(x) > out->reach ? fabsf(x) : out->reach;
            out->farthest = square > out->farthest ? square : out->farthest;
        }
    }
}

static ab_grid_block block_of(const ab_grid *grid, uint32_t column, uint32_t row)
{
    ab_grid_block out = { ABUT_MAX_MAGNITUDE, -ABUT_MAX_MAGNITUDE };
    for (uint32_t z = row; z <= row + AB_GRID_BLOCK && z < grid->rows; ++z)
    {
        for (uint32_t x = column; x <= column + AB_GRID_BLOCK && x < grid->columns; ++x)
        {
            const float y = grid->heights[(size_t)z * grid->columns + x];
            out.least = y < out.least ? y : out.least;
            out.most = y > out.most ? y : out.most;
        }
    }
    return out;
}

size_t ab_grid_lay_levels(ab_grid *grid, ab_grid_block *room)
{
    size_t count = 0, last = 0;
    for (grid->levels = 0; last != 1; ++grid->levels)
    {
        grid->level[grid->levels] = room ? room + count : NULL;
        last = (size_t)ab_grid_blocks(grid->columns, grid->levels) * ab_grid_blocks(grid->rows, grid->levels);
        count += last;
    }
    return count;
}

// Of the blocks of the level below.
static ab_grid_block joined_block_of(const ab_grid *grid, uint32_t level, uint32_t x, uint32_t z)
{
    const uint32_t across = ab_grid_blocks(grid->columns, level - 1), down = ab_grid_blocks(grid->rows, level - 1);
    ab_grid_block out = { ABUT_MAX_MAGNITUDE, -ABUT_MAX_MAGNITUDE };
    for (uint32_t row = 2 * z; row < 2 * z + 2 && row < down; ++row)
    {
        for (uint32_t column = 2 * x; column < 2 * x + 2 && column < across; ++column)
        {
            const ab_grid_block *block = &grid->level[level - 1][(size_t)row * across + column];
            out.least = block->least < out.least ? block->least : out.least;
            out.most = block->most > out.most ? block->most : out.most;
        }
    }
    return out;
}

// A height at the end of a block is also of the next.
void ab_grid_find_blocks(ab_grid *grid, const uint32_t first[2], const uint32_t end[2])
{
    const uint32_t from[2] = { first[0] > 0 ? first[0] - 1 : 0, first[1] > 0 ? first[1] - 1 : 0 };
    for (uint32_t level = 0; level < grid->levels; ++level)
    {
        const uint32_t across = ab_grid_blocks(grid->columns, level), down = ab_grid_blocks(grid->rows, level),
                       cells = ab_grid_block_cells(level);
        for (uint32_t z = from[1] / cells; z < down && z * cells < end[1]; ++z)
        {
            for (uint32_t x = from[0] / cells; x < across && x * cells < end[0]; ++x)
            {
                grid->level[level][(size_t)z * across + x] =
                    level == 0 ? block_of(grid, x * cells, z * cells) : joined_block_of(grid, level, x, z);
            }
        }
    }
}

void ab_grid_find_extents(ab_mesh *mesh)
{
    ab_grid *grid = &mesh->grid;
    double farthest = 0.0;
    float x = 0.0f, z = 0.0f;
    grid->least = ABUT_MAX_MAGNITUDE;
    grid->most = -ABUT_MAX_MAGNITUDE;
    for (uint32_t i = 0; i < grid->rows; ++i)
    {
        const ab_heights_row *row = &grid->row[i];
        if (row->least <= row->most)
        {
            const float at = fabsf(ab_grid_at(i, grid->rows, grid->step_z));
            grid->least = row->least < grid->least ? row->least : grid->least;
            grid->most = row->most > grid->most ? row->most : grid->most;
            x = row->reach > x ? row->reach : x;
            z = at > z ? at : z;
            farthest = row->farthest > farthest ? row->farthest : farthest;
        }
    }
    const float below = fabsf(grid->least), above = fabsf(grid->most);
    mesh->half = abut_vec3_make(x, below > above ? below : above, z);
    mesh->bounding_radius = ab_float_up(sqrt(farthest) * (1.0 + 0x1p-50));
}

// Whose cells are looked for.
typedef struct looking
{
    const ab_mesh *mesh;
    abut_cell wanted;
    ab_mesh_see *see;
    void *context;
} looking;

// The cells of a row: both triangles of a cell reach over all of it, seen from above.
static bool see_row(const looking *l, uint32_t row, const uint32_t columns[2], const ab_mesh_box *box)
{
    const ab_grid *grid = &l->mesh->grid;
    const float *near = grid->heights + (size_t)row * grid->columns, *far = near + grid->columns;
    const float z = ab_grid_at(row, grid->rows, grid->step_z), next_z = ab_grid_at(row + 1, grid->rows, grid->step_z);
    float next_x = ab_grid_at(columns[0], grid->columns, grid->step_x);
    for (uint32_t c = columns[0]; c < columns[1] && z <= box->max[2] && next_z >= box->min[2]; ++c)
    {
        const uint32_t cell = row * (grid->columns - 1) + c;
        const float x = next_x;
        next_x = ab_grid_at(c + 1, grid->columns, grid->step_x);
        if (x > box->max[0] || next_x < box->min[0] || ab_grid_cell(grid, cell) != l->wanted)
        {
            continue;
        }
        if ((reaches(far[c], near[c + 1], near[c], box) && !l->see(l->context, 2 * cell)) ||
            (reaches(far[c], near[c + 1], far[c + 1], box) && !l->see(l->context, 2 * cell + 1)))
        {
            return false;
        }
    }
    return true;
}

static bool same_box(const ab_mesh_box *x, const ab_mesh_box *y)
{
    bool same = true;
    for (uint32_t k = 0; k < 3; ++k)
    {
        same = same && x->min[k] == y->min[k] && x->max[k] == y->max[k];
    }
    return same;
}

static bool look(const looking *l, const ab_mesh_box *box)
{
    ab_mesh_box seen = *box;
    ab_grid_cells cells = cells_of(&l->mesh->grid, box);
    for (uint32_t row = cells.first[1]; row < cells.end[1]; ++row)
    {
        const uint32_t columns[2] = { cells.first[0], cells.end[0] };
        if (!see_row(l, row, columns, box))
        {
            return false;
        }
        if (!same_box(&seen, box))
        {
            seen = *box;
            cells = cells_of(&l->mesh->grid, box);
        }
    }
    return true;
}

bool ab_grid_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    const looking l = { mesh, ABUT_CELL_SURFACE, see, context };
    return look(&l, box);
}

#define FETCHED_ROWS 8u

ab_grid_cells ab_grid_fetch(const ab_mesh *mesh, const ab_mesh_box *box)
{
    const ab_grid *grid = &mesh->grid;
    const ab_grid_cells cells = cells_of(grid, box);
    const uint32_t first = cells.first[1], last = cells.end[1],
                   end = last - first < FETCHED_ROWS ? last : first + FETCHED_ROWS;
    for (uint32_t row = first; AB_PREFETCHES && first < last && row <= end; ++row)
    {
        const float *heights = grid->heights + (size_t)row * grid->columns;
        AB_PREFETCH(&heights[cells.first[0]]);
        AB_PREFETCH(&heights[cells.end[0]]);
    }
    return cells;
}

// Triangles that are listed.
typedef struct listing
{
    uint32_t *out;
    uint32_t count, room;
} listing;

// The next triangle is written over one that is not kept: which are kept cannot be predicted.
AB_INLINE void add_triangle(listing *l, uint32_t triangle, bool keep)
{
    uint32_t past;
    uint32_t *const to = l->count < l->room ? l->out + l->count : &past;
    *to = triangle;
    l->count += keep ? 1u : 0u;
}

// As see_row, of a row that the box reaches over.
static void list_row(const ab_grid *grid, uint32_t row, const ab_grid_cells *cells, const ab_mesh_box *box, listing *l)
{
    const float *near = grid->heights + (size_t)row * grid->columns, *far = near + grid->columns;
    float next_x = ab_grid_at(cells->first[0], grid->columns, grid->step_x);
    for (uint32_t c = cells->first[0]; c < cells->end[0]; ++c)
    {
        const uint32_t cell = row * (grid->columns - 1) + c;
        const float x = next_x;
        next_x = ab_grid_at(c + 1, grid->columns, grid->step_x);
        const bool within = (x <= box->max[0]) & (next_x >= box->min[0]) & ab_grid_is_own(grid, cell);
        add_triangle(l, 2 * cell, within & reaches(far[c], near[c + 1], near[c], box));
        add_triangle(l, 2 * cell + 1, within & reaches(far[c], near[c + 1], far[c + 1], box));
    }
}

uint32_t ab_grid_list(const ab_mesh *mesh, const ab_mesh_box *box, const ab_grid_cells *cells, uint32_t *out,
                      uint32_t room)
{
    const ab_grid *grid = &mesh->grid;
    listing l = { out, 0, room };
    float next_z = ab_grid_at(cells->first[1], grid->rows, grid->step_z);
    for (uint32_t row = cells->first[1]; row < cells->end[1]; ++row)
    {
        const float z = next_z;
        next_z = ab_grid_at(row + 1, grid->rows, grid->step_z);
        if (z <= box->max[2] && next_z >= box->min[2])
        {
            list_row(grid, row, cells, box, &l);
        }
    }
    return l.count;
}

bool ab_mesh_overlap_neighbours(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    const looking l = { mesh, ABUT_CELL_NEIGHBOUR, see, context };
    bool more = true;
    if (ab_mesh_is_grid(mesh))
    {
        return look(&l, box);
    }
    for (uint32_t i = mesh->triangle_count; more && i < mesh->joined_count; ++i)
    {
        more = !ab_mesh_triangle_within(mesh, i, box) || see(context, i);
    }
    return more;
}

// Of triangle 0, edge 0 is at the lower column, 1 the diagonal, 2 at the lower row; of triangle 1 at the higher ones.
// The cell that is across edge k; AB_NO_TRIANGLE beyond the grid.
static uint32_t cell_beside(const ab_grid *grid, uint32_t triangle, int k)
{
    const uint32_t across = grid->columns - 1, down = grid->rows - 1, cell = triangle / 2, other = 1 - triangle % 2;
    const uint32_t column = cell % across, row = cell / across;
    uint32_t beside = cell;
    if (k == 0)
    {
        beside = other == 1            ? (column > 0 ? cell - 1 : AB_NO_TRIANGLE)
                 : column + 1 < across ? cell + 1
                                       : AB_NO_TRIANGLE;
    }
    else if (k == 2)
    {
        beside = other == 1       ? (row > 0 ? cell - across : AB_NO_TRIANGLE)
                 : row + 1 < down ? cell + across
                                  : AB_NO_TRIANGLE;
    }
    return beside;
}

static uint32_t grid_neighbour(const ab_grid *grid, uint32_t triangle, int k)
{
    const uint32_t beside = cell_beside(grid, triangle, k), other = 1 - triangle % 2;
    return beside == AB_NO_TRIANGLE || ab_grid_bit(grid->holes, beside) ? AB_NO_TRIANGLE : 2 * beside + other;
}

uint32_t ab_mesh_neighbour(const ab_mesh *mesh, uint32_t triangle, int k)
{
    return ab_mesh_is_grid(mesh) ? grid_neighbour(&mesh->grid, triangle, k)
                                 : ab_mesh_own_neighbour(mesh, triangle, mesh->is_mirrored ? 2 - k : k);
}

// Goes around a corner of a triangle, one way, until a border.
static bool has_own_around(const ab_mesh *mesh, uint32_t triangle, int corner, bool forth)
{
    const uint32_t vertex = ab_mesh_vertex(mesh, triangle, corner);
    uint32_t at = triangle;
    for (uint32_t i = 0; i < ab_mesh_around(mesh) && at != AB_NO_TRIANGLE && !ab_mesh_is_triangle(mesh, at); ++i)
    {
        const int here = ab_mesh_place_of(mesh, at, vertex);
        at = ab_mesh_neighbour(mesh, at, forth ? here : (here + 2) % 3);
    }
    return at != AB_NO_TRIANGLE && ab_mesh_is_triangle(mesh, at);
}

bool ab_mesh_may_go_on(const ab_mesh *mesh, uint32_t triangle, int k)
{
    return !ab_mesh_is_triangle(mesh, triangle) &&
           !(ab_mesh_is_grid(mesh) && cell_beside(&mesh->grid, triangle, k) != AB_NO_TRIANGLE) &&
           !has_own_around(mesh, triangle, k, false) && !has_own_around(mesh, triangle, (k + 1) % 3, true);
}

ab_edge_kind ab_mesh_edge_kind(const ab_mesh *mesh, uint32_t triangle, int k)
{
    if (!ab_mesh_is_grid(mesh))
    {
        return ab_mesh_listed_edge(mesh, triangle, k);
    }
    const uint32_t neighbour = grid_neighbour(&mesh->grid, triangle, k);
    if (neighbour == AB_NO_TRIANGLE)
    {
        return AB_EDGE_BORDER;
    }
    double corner[3][3], beside[3][3], n[3], m[3], along[3];
    ab_mesh_corners(mesh, triangle, corner);
    ab_mesh_corners(mesh, neighbour, beside);
    ab_mesh_triangle_normal(corner, n);
    ab_mesh_triangle_normal(beside, m);
    for (int i = 0; i < 3; ++i)
    {
        along[i] = corner[(k + 1) % 3][i] - corner[k][i];
    }
    return ab_mesh_meet(n, m, along);
}
