// A ray against a triangle mesh: down its tree, nearest child first, to watertight tests of triangles; and against a
// heightfield, over its cells.
#include "shape/mesh.h"

#include "base/kernels.h"
#include "shape/mesh_ray_kernels.h"

#include <math.h>
#include <string.h>

#define SLACK 0x1p-48 // of a fraction, for the rounding of where a ray enters and leaves a box

// A ray as S. Woop, C. Benthin and I. Wald see it in "Watertight Ray/Triangle Intersection" (2013): along the third of
// its axes, so that neighbours compute their common edge from the same numbers.
typedef struct sheared
{
    const ab_mesh *mesh;
    const double *from, *way;
    bool is_sheared;            // the next two are there, which the first triangle needs
    uint32_t axis[3];           // the third is the one along which the ray goes farthest
    double shear[3], origin[3]; // of these axes
    bool backs;                 // are hit, too
    double best;                // fraction of the first so far, and what that is:
    uint32_t triangle;
    double normal[3];
    bool back;               // it is hit from behind
    ab_mesh_see_entry *each; // NULL: the first is wanted
    void *context;
} sheared;

// Nothing branches on which axis it is, which cannot be predicted.
static void find_shear(sheared *s)
{
    static const uint8_t after[4] = { 1, 2, 0, 1 };
    const double *way = s->way, x = fabs(way[0]), y = fabs(way[1]), z = fabs(way[2]), most = x >= y ? x : y;
    const uint32_t past = most < z, third = past * 2 | ((x < y) & ~past);
    s->axis[0] = after[third];
    s->axis[1] = after[third + 1];
    s->axis[2] = third;
    const double along = way[third];
    s->shear[0] = way[s->axis[0]] / along;
    s->shear[1] = way[s->axis[1]] / along;
    s->shear[2] = 1.0 / along;
    for (int i = 0; i < 3; ++i)
    {
        s->origin[i] = s->from[s->axis[i]];
    }
    s->is_sheared = true;
}

// A corner, which is not copied before: compilers would read it by other widths than it was written.
AB_INLINE void shear(const sheared *s, const float *corner, double out[3])
{
    const double x = (double)corner[s->axis[0]] - s->origin[0], y = (double)corner[s->axis[1]] - s->origin[1],
                 z = (double)corner[s->axis[2]] - s->origin[2];
    out[0] = x - s->shear[0] * z;
    out[1] = y - s->shear[1] * z;
    out[2] = s->shear[2] * z;
}

// Where the corners of a triangle are: in the mesh, or else in `room`.
AB_INLINE void find_corners(const ab_mesh *mesh, uint32_t triangle, abut_vec3 room[3], const float *out[3])
{
    uint32_t vertex[3];
    if (ab_mesh_is_grid(mesh) || mesh->is_scaled)
    {
        ab_mesh_positions(mesh, triangle, room);
        for (int i = 0; i < 3; ++i)
        {
            out[i] = &room[i].x;
        }
        return;
    }
    ab_mesh_own_vertices(mesh, triangle, vertex);
    for (int i = 0; i < 3; ++i)
    {
        out[i] = &mesh->vertices[vertex[i]].x;
    }
}

static void find_normal(const float *const at[3], double out[3])
{
    double corner[3][3];
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            corner[i][k] = (double)at[i][k];
        }
    }
    ab_mesh_triangle_normal(corner, out);
}

static ab_ray_entry entry_of(const sheared *s, uint32_t triangle, double at, const double normal[3], bool back)
{
    const double turn = back && s->mesh->two_sided ? -1.0 : 1.0;
    return (ab_ray_entry){ .fraction = at,
                           .normal = { turn * normal[0], turn * normal[1], turn * normal[2] },
                           .child = ab_mesh_child(s->mesh, triangle),
                           .back = back && !s->mesh->two_sided };
}

// Whether a triangle comes before the first so far, which is as near: fronts do, then lower children.
static bool goes_first(const sheared *s, uint32_t triangle, bool back)
{
    if (s->triangle == AB_NO_TRIANGLE)
    {
        return true;
    }
    return back == s->back || s->mesh->two_sided
               ? ab_mesh_child(s->mesh, triangle) < ab_mesh_child(s->mesh, s->triangle)
               : s->back;
}

static void see(sheared *s, uint32_t triangle)
{
    abut_vec3 room[3];
    const float *corner[3];
    double p[3][3], normal[3];
    if (!s->is_sheared)
    {
        find_shear(s);
    }
    find_corners(s->mesh, triangle, room, corner);
    for (int i = 0; i < 3; ++i)
    {
        shear(s, corner[i], p[i]);
    }
    const double u = p[2][0] * p[1][1] - p[2][1] * p[1][0], v = p[0][0] * p[2][1] - p[0][1] * p[2][0],
                 w = p[1][0] * p[0][1] - p[1][1] * p[0][0];
    const double all = u + v + w;
    const bool within = ((u >= 0.0) & (v >= 0.0) & (w >= 0.0)) | ((u <= 0.0) & (v <= 0.0) & (w <= 0.0));
    if (!within || all == 0.0) // no branch for each: signs cannot be predicted
    {
        return;
    }
    const double at = (u * p[0][2] + v * p[1][2] + w * p[2][2]) / all;
    if (!(at >= 0.0 && at <= s->best))
    {
        return;
    }
    find_normal(corner, normal);
    const double against = normal[0] * s->way[0] + normal[1] * s->way[1] + normal[2] * s->way[2];
    const bool hit = against < 0.0 || s->backs;
    if (hit && s->each)
    {
        const ab_ray_entry entry = entry_of(s, triangle, at, normal, against >= 0.0);
        s->each(s->context, &entry);
        return;
    }
    const bool nearer = at < s->best || (at == s->best && goes_first(s, triangle, against >= 0.0));
    if (hit && nearer)
    {
        s->best = at;
        s->triangle = triangle;
        s->back = against >= 0.0;
        memcpy(s->normal, normal, sizeof s->normal);
    }
}

// The part of a ray, [in, out], that is between two planes across axis k; none if in > out.
static void clip(const sheared *s, int k, double min, double max, double *in, double *out)
{
    min -= s->from[k];
    max -= s->from[k];
    if (s->way[k] == 0.0)
    {
        *out = min > 0.0 || max < 0.0 ? -1.0 : *out;
        return;
    }
    const double one = min / s->way[k], other = max / s->way[k];
    const double near = one < other ? one : other, far = one < other ? other : one;
    *in = near - SLACK * fabs(near) > *in ? near - SLACK * fabs(near) : *in;
    *out = far + SLACK * fabs(far) < *out ? far + SLACK * fabs(far) : *out;
}

// A fraction as a line's far end: no lower.
static float far_of(double fraction)
{
    return (float)(fraction * (1.0 + 0x1p-20));
}

// The search down the tree of a mesh.
typedef struct descent
{
    sheared *ray;
    float far;
} descent;

static void see_some(void *context, uint32_t block, uint32_t mask)
{
    descent *d = context;
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        const uint32_t triangle = block * AB_MESH_WIDTH + ab_lowest_bit(left);
        if (triangle < d->ray->mesh->triangle_count)
        {
            see(d->ray, triangle);
        }
    }
    d->far = far_of(d->ray->best);
}

static void descend(sheared *s, const ab_kernels *kernels)
{
    descent d = { s, far_of(s->best) };
    kernels->mesh_rays->descend(s->mesh, s->from, s->way, &d.far, see_some, &d);
}

// A cell, if the part of the ray is not all above it or all below.
static void see_cell(sheared *s, uint32_t cell, double in, double out)
{
    const ab_grid *grid = &s->mesh->grid;
    const uint32_t across = grid->columns - 1, corner = cell / across * grid->columns + cell % across;
    const float h[4] = { grid->heights[corner], grid->heights[corner + 1], grid->heights[corner + grid->columns],
                         grid->heights[corner + grid->columns + 1] };
    float least = h[0], most = h[0];
    for (int i = 1; i < 4; ++i)
    {
        least = h[i] < least ? h[i] : least;
        most = h[i] > most ? h[i] : most;
    }
    const double one = s->from[1] + in * s->way[1], other = s->from[1] + out * s->way[1];
    const double slack = 0x1p-40 * (fabs(one) + fabs(other) + fabs(s->from[1]));
    const bool above = one > (double)most + slack && other > (double)most + slack;
    const bool below = one < (double)least - slack && other < (double)least - slack;
    if (!above && !below && ab_grid_is_own(grid, cell))
    {
        see(s, 2 * cell);
        see(s, 2 * cell + 1);
    }
}

// Those below the part [in, out] of the ray.
static ab_grid_cells cells_below(const sheared *s, double in, double out)
{
    double min[3], max[3];
    for (int k = 0; k < 3; ++k)
    {
        const double one = s->from[k] + in * s->way[k], other = s->from[k] + out * s->way[k];
        min[k] = one < other ? one : other;
        max[k] = one < other ? other : one;
    }
    return ab_grid_cells_within(&s->mesh->grid, min, max);
}

// A ray's way over a field: along `major` (0: columns, 1: rows) it crosses at least as many lines of cells as across.
typedef struct way_over
{
    int major;
    bool forward;
    uint32_t counts[2]; // of heights
    float steps[2];
    double first, last; // its part between the least and the greatest height
} way_over;

static way_over way_over_of(const sheared *s)
{
    const ab_grid *grid = &s->mesh->grid;
    way_over out = { .counts = { grid->columns, grid->rows }, .steps = { grid->step_x, grid->step_z }, .last = 1.0 };
    const double slack = 0x1p-40 * (fabs(s->from[1]) + fabs(s->way[1]));
    out.major = fabs(s->way[0]) / (double)grid->step_x >= fabs(s->way[2]) / (double)grid->step_z ? 0 : 1;
    out.forward = s->way[2 * out.major] >= 0.0;
    clip(s, 1, (double)grid->least - slack, (double)grid->most + slack, &out.first, &out.last);
    return out;
}

// The part of the ray over `lines` lines from `begin` on.
static void clip_lines(const sheared *s, const way_over *over, uint32_t begin, uint32_t lines, double *in, double *out)
{
    const uint32_t count = over->counts[over->major];
    const float step = over->steps[over->major];
    *in = over->first;
    *out = over->last;
    clip(s, 2 * over->major, (double)ab_grid_at(begin, count, step), (double)ab_grid_at(begin + lines, count, step), in,
         out);
}

// Of the lines from one on, as the ray goes, those in one row of a level's blocks; `rest` are left.
static uint32_t lines_in_block(const way_over *over, uint32_t level, uint32_t line, uint32_t rest)
{
    const uint32_t cells = ab_grid_block_cells(level), past = line % cells;
    const uint32_t lines = over->forward ? cells - past : past + 1;
    return lines < rest ? lines : rest;
}

#define FEWEST     4u // lines that are worth a look at their blocks
#define FAR_BLOCKS 4u // blocks: where more than so many follow, larger ones are worth a look

// Whether the ray is above or below each block of a level that it goes over on these lines, which are in one row of
// blocks. Then see_cell would say so of all their cells, whose parts of the ray are shorter and whose heights are a
// block's. The slack is larger than there, and a cell more to either side is looked at, for what shorter parts are
// rounded by.
static bool is_clear_of_blocks(const sheared *s, const way_over *over, uint32_t level, uint32_t line, uint32_t lines)
{
    const ab_grid *grid = &s->mesh->grid;
    const int side = 1 - over->major;
    const uint32_t across = ab_grid_blocks(grid->columns, level), blocks = ab_grid_blocks(over->counts[side], level);
    const uint32_t cells = ab_grid_block_cells(level), along = line / cells;
    if (lines < FEWEST)
    {
        return false;
    }
    double in, out;
    clip_lines(s, over, over->forward ? line : line + 1 - lines, lines, &in, &out);
    if (in > out)
    {
        return true;
    }
    const ab_grid_cells here = cells_below(s, in, out);
    const uint32_t first = here.first[side] > 0 ? (here.first[side] - 1) / cells : 0;
    const double one = s->from[1] + in * s->way[1], other = s->from[1] + out * s->way[1];
    const double low = one < other ? one : other, high = one < other ? other : one;
    const double slack = 0x1p-38 * (fabs(one) + fabs(other) + fabs(s->from[1]));
    for (uint32_t b = first; b < blocks && b <= here.end[side] / cells; ++b)
    {
        const ab_grid_block *block = &grid->level[level][over->major == 0 ? b * across + along : along * across + b];
        if (low <= (double)block->most + slack && high >= (double)block->least - slack)
        {
            return false;
        }
    }
    return true;
}

// Whether the ray is clear of the blocks on the next *lines lines: those of the highest level, from *level down, where
// it is, or else of the lowest. Where it is clear, those behind them may be larger.
static bool passes_blocks(const sheared *s, const way_over *over, uint32_t line, uint32_t rest, uint32_t *level,
                          uint32_t *lines)
{
    bool clear;
    ++*level;
    do
    {
        --*level;
        *lines = lines_in_block(over, *level, line, rest);
        clear = is_clear_of_blocks(s, over, *level, line, *lines);
    } while (!clear && *level > 0);
    *level += clear && *level + 1 < s->mesh->grid.levels && rest - *lines >= FAR_BLOCKS * ab_grid_block_cells(*level);
    return clear;
}

// Column by column of cells, or row by row where that is fewer: those cells that the ray goes over there, between the
// least and the greatest height. Rows of blocks that it is clear of are passed at once.
static void walk(sheared *s)
{
    const uint32_t across = s->mesh->grid.columns - 1;
    const way_over over = way_over_of(s);
    const int major = over.major, side = 1 - major;
    if (over.first > over.last)
    {
        return;
    }
    const ab_grid_cells all = cells_below(s, over.first, over.last);
    uint32_t level = 0;
    for (uint32_t n = all.first[major], next = n; n < all.end[major]; ++n)
    {
        const uint32_t line = over.forward ? n : all.first[major] + (all.end[major] - 1 - n);
        if (n == next)
        {
            uint32_t lines;
            const bool clear = passes_blocks(s, &over, line, all.end[major] - n, &level, &lines);
            next = n + lines;
            if (clear)
            {
                n = next - 1;
                continue;
            }
        }
        double in, out;
        clip_lines(s, &over, line, 1, &in, &out);
        if (in > out)
        {
            continue;
        }
        if (in > s->best)
        {
            return;
        }
        const ab_grid_cells here = cells_below(s, in, out);
        for (uint32_t m = here.first[side]; m < here.end[side]; ++m)
        {
            see_cell(s, major == 0 ? m * across + line : line * across + m, in, out);
        }
    }
}

// Sees each triangle that the ray may go through and that may still be wanted.
static void run(sheared *s, const ab_kernels *kernels)
{
    if (s->way[0] == 0.0 && s->way[1] == 0.0 && s->way[2] == 0.0)
    {
        return;
    }
    if (ab_mesh_is_grid(s->mesh))
    {
        walk(s);
    }
    else
    {
        descend(s, kernels);
    }
}

// Little of it is read before it is written, so that it is not cleared.
static void begin(sheared *out, const abut_shape *shape, const double from[3], const double way[3], bool backs)
{
    const ab_mesh *mesh = ab_mesh_of_valid(shape);
    out->mesh = mesh;
    out->from = from;
    out->way = way;
    out->is_sheared = false;
    out->backs = backs || mesh->two_sided;
    out->best = 1.0;
    out->triangle = AB_NO_TRIANGLE;
    out->back = false;
    out->each = NULL;
}

bool ab_mesh_ray_by(const ab_kernels *kernels, const abut_shape *shape, const double from[3], const double way[3],
                    bool backs, ab_ray_entry *out)
{
    sheared s;
    begin(&s, shape, from, way, backs);
    run(&s, kernels);
    if (s.triangle == AB_NO_TRIANGLE)
    {
        return false;
    }
    *out = entry_of(&s, s.triangle, s.best, s.normal, s.back);
    return true;
}

void ab_mesh_ray_each(const ab_kernels *kernels, const abut_shape *shape, const double from[3], const double way[3],
                      bool backs, ab_mesh_see_entry *see_entry, void *context)
{
    sheared s;
    begin(&s, shape, from, way, backs);
    s.each = see_entry;
    s.context = context;
    run(&s, kernels);
}

bool ab_mesh_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    return ab_mesh_ray_by(ab_kernels_for(AB_SINGLE_ISA), shape, from, way, false, out);
}
