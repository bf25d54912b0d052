// The triangles of a mesh that pass a test of their corners: down its tree as long as the boxes pass one of their own.
#include "narrow/mesh/mesh_queries.h"

#include <math.h>

#define PAD  0x1p-21 // of what is farthest from the middle: more than floats are rounded by
#define THIN 1e-37   // metres: more than the smallest floats are
#define FEW  8u      // cells that are tested one by one

typedef struct passing
{
    const ab_mesh *mesh;
    const ab_convex *placed;
    ab_corner_test *test;
    ab_box_test *may_pass;
    const void *context;
    ab_mesh_see *see;
    void *seer;
} passing;

// Whether what a box of the mesh's arrays holds may pass.
static bool box_passes(const passing *p, const float min[3], const float max[3])
{
    ab_convex box = *p->placed;
    double middle[3];
    for (int k = 0; k < 3; ++k)
    {
        const double scale = p->mesh->is_scaled ? (double)(&p->mesh->scale.x)[k] : 1.0;
        const double low = scale * (double)min[k], high = scale * (double)max[k];
        middle[k] = 0.5 * (low + high);
        box.core.half[k] = 0.5 * fabs(high - low) + PAD * fmax(fabs(low), fabs(high)) + THIN;
    }
    ab_convex_place(p->placed, middle, box.centre);
    return p->may_pass(p->context, &box);
}

static bool see_triangle(const passing *p, uint32_t triangle)
{
    double local[3][3], corner[3][3];
    if (!ab_mesh_is_triangle(p->mesh, triangle))
    {
        return true;
    }
    ab_mesh_corners(p->mesh, triangle, local);
    for (int k = 0; k < 3; ++k)
    {
        ab_convex_place(p->placed, local[k], corner[k]);
    }
    return !p->test(p->context, corner) || p->see(p->seer, ab_mesh_child(p->mesh, triangle));
}

static bool see_block(const passing *p, uint32_t block)
{
    bool more = true;
    for (uint32_t i = 0; i < AB_MESH_WIDTH && more; ++i)
    {
        more = see_triangle(p, block * AB_MESH_WIDTH + i);
    }
    return more;
}

// Of child i of a leaf, which must be there.
static void block_box(const ab_mesh_leaf *leaf, uint32_t i, float min[3], float max[3])
{
    for (int k = 0; k < 3; ++k)
    {
        min[k] = ab_mesh_leaf_place(leaf, k, leaf->min[k][i]);
        max[k] = ab_mesh_leaf_place(leaf, k, leaf->max[k][i]);
    }
}

// A child that is not there is a box that ends before it begins.
static bool node_box(const ab_mesh_node *node, uint32_t i, float min[3], float max[3])
{
    for (int k = 0; k < 3; ++k)
    {
        min[k] = node->min[k][i];
        max[k] = node->max[k][i];
    }
    return min[0] <= max[0];
}

static bool see_node(const passing *p, uint32_t level, uint32_t index)
{
    const ab_mesh *mesh = p->mesh;
    bool more = true;
    for (uint32_t i = 0; i < AB_MESH_WIDTH && more; ++i)
    {
        const uint32_t child = AB_MESH_WIDTH * index + i;
        float min[3], max[3];
        if (level > 0)
        {
            more = !node_box(&mesh->nodes[mesh->first[level] + index], i, min, max) || !box_passes(p, min, max) ||
                   see_node(p, level - 1, child);
        }
        else if (mesh->leaves[index].there >> i & 1u)
        {
            block_box(&mesh->leaves[index], i, min, max);
            more = !box_passes(p, min, max) || see_block(p, child);
        }
    }
    return more;
}

// Cells from first to before end, of columns and of rows.
typedef struct cells
{
    uint32_t first[2], end[2];
} cells;

static bool see_few_cells(const passing *p, const cells *c)
{
    bool more = true;
    for (uint32_t row = c->first[1]; row < c->end[1] && more; ++row)
    {
        for (uint32_t column = c->first[0]; column < c->end[0] && more; ++column)
        {
            const uint32_t cell = row * (p->mesh->grid.columns - 1) + column;
            more = see_triangle(p, 2 * cell) && see_triangle(p, 2 * cell + 1);
        }
    }
    return more;
}

// Halves what passes until there are few.
static bool see_cells(const passing *p, const cells *c)
{
    const ab_grid *grid = &p->mesh->grid;
    const uint32_t across = c->end[0] - c->first[0], along = c->end[1] - c->first[1];
    const float min[3] = { ab_grid_at(c->first[0], grid->columns, grid->step_x), grid->least,
                           ab_grid_at(c->first[1], grid->rows, grid->step_z) };
    const float max[3] = { ab_grid_at(c->end[0], grid->columns, grid->step_x), grid->most,
                           ab_grid_at(c->end[1], grid->rows, grid->step_z) };
    if (!box_passes(p, min, max))
    {
        return true;
    }
    if ((uint64_t)across * along <= FEW)
    {
        return see_few_cells(p, c);
    }
    const int longer = across >= along ? 0 : 1;
    cells near = *c, far = *c;
    near.end[longer] = far.first[longer] = c->first[longer] + (c->end[longer] - c->first[longer]) / 2;
    return see_cells(p, &near) && see_cells(p, &far);
}

bool ab_mesh_find_passing(const ab_convex *placed, ab_corner_test *test, ab_box_test *may_pass, const void *context,
                          ab_mesh_see *see, void *seer)
{
    const ab_mesh *mesh = ab_mesh_of_valid(placed->shape);
    const passing p = { mesh, placed, test, may_pass, context, see, seer };
    if (!ab_mesh_is_grid(mesh))
    {
        return see_node(&p, mesh->levels - 1, 0);
    }
    const cells all = { .end = { mesh->grid.columns - 1, mesh->grid.rows - 1 } };
    return see_cells(&p, &all);
}
