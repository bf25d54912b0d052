// What a box meets in a mesh's tree, and the nearest point of a triangle.
#include "shape/mesh.h"

#include "base/platform.h"
#include "math/outward.h"
#include "math/three.h"
#include "shape/mesh_ray_kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

ab_mesh_box ab_mesh_box_of(const double min[3], const double max[3], double more)
{
    ab_mesh_box out;
    for (int k = 0; k < 3; ++k)
    {
        out.min[k] = ab_float_down(min[k] - more);
        out.max[k] = ab_float_up(max[k] + more);
    }
    return out;
}

#define LEAST 0x1p-149 // the smallest float: products that are as small are rounded by up to half of it

static double within_floats(double x)
{
    return x < -(double)FLT_MAX ? -(double)FLT_MAX : x > (double)FLT_MAX ? (double)FLT_MAX : x;
}

// The box in the original's frame of all that a scaled mesh may have in a box. A product that rounding brings to a side
// is less than 2^-24 of it beyond. So is its vertex beyond the quotient: less than the step to the next float, so that
// it is within the quotient rounded outward.
static void unscale(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_box *out)
{
    for (int k = 0; k < 3; ++k)
    {
        const double scale = (double)(&mesh->scale.x)[k];
        const double one = ((double)box->min[k] - LEAST) / scale, other = ((double)box->max[k] + LEAST) / scale;
        out->min[k] = ab_float_down(within_floats(scale > 0.0 ? one : other));
        out->max[k] = ab_float_up(within_floats(scale > 0.0 ? other : one));
    }
}

// The box as the arrays have it.
static const ab_mesh_box *box_in_arrays(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_box *room)
{
    if (!mesh->is_scaled)
    {
        return box;
    }
    unscale(mesh, box, room);
    return room;
}

// Whether the ranges of three coordinates and of the box meet.
static bool meets(float a, float b, float c, float min, float max)
{
    const bool below = ab_least_of_3(a, b, c) <= max, above = ab_most_of_3(a, b, c) >= min;
    return below & above;
}

bool ab_mesh_triangle_within(const ab_mesh *mesh, uint32_t triangle, const ab_mesh_box *box)
{
    abut_vec3 v[3];
    ab_mesh_positions(mesh, triangle, v);
    const bool x = meets(v[0].x, v[1].x, v[2].x, box->min[0], box->max[0]),
               y = meets(v[0].y, v[1].y, v[2].y, box->min[1], box->max[1]),
               z = meets(v[0].z, v[1].z, v[2].z, box->min[2], box->max[2]);
    return x & y & z;
}

AB_APART bool ab_mesh_see_blocks(const ab_mesh *mesh, const ab_mesh_blocks *blocks, ab_mesh_see *see, void *context)
{
    for (uint32_t i = 0; i < blocks->count; ++i)
    {
        const uint32_t block = blocks->block[i];
        for (uint64_t left = ab_mesh_block_within(&mesh->blocks[block], blocks->steps[i]); left != 0; left &= left - 1)
        {
            if (!see(context, block * AB_MESH_WIDTH + ab_lowest_bit(left) / 8))
            {
                return false;
            }
        }
    }
    return true;
}

uint32_t ab_mesh_list_blocks(const ab_mesh *mesh, const ab_mesh_blocks *blocks, uint32_t *out, uint32_t room)
{
    return mesh->kernels->list_blocks(mesh, blocks, out, room);
}

bool ab_mesh_find_leaves(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_leaves *out)
{
    ab_mesh_box room;
    return !ab_mesh_is_grid(mesh) && mesh->kernels->find_leaves(mesh, box_in_arrays(mesh, box, &room), out);
}

bool ab_mesh_find_all_leaves(const ab_mesh *mesh, const ab_mesh_box *boxes, uint32_t count, ab_mesh_leaves *out)
{
    ab_mesh_box room[AB_MESH_TOGETHER];
    for (uint32_t i = 0; i < count && mesh->is_scaled; ++i)
    {
        unscale(mesh, &boxes[i], &room[i]);
    }
    return !ab_mesh_is_grid(mesh) && mesh->kernels->find_all_leaves(mesh, mesh->is_scaled ? room : boxes, count, out);
}

bool ab_mesh_find_blocks(const ab_mesh *mesh, const ab_mesh_box *box, const ab_mesh_leaves *leaves, ab_mesh_blocks *out)
{
    ab_mesh_box room;
    return mesh->kernels->blocks_of(mesh, box_in_arrays(mesh, box, &room), leaves, out);
}

// Blocks that are seen whenever there are many.
typedef struct overlap
{
    const ab_mesh *mesh;
    ab_mesh_see *see;
    void *context;
    ab_mesh_blocks found;
} overlap;

static bool see_found(void *context)
{
    const overlap *o = context;
    return ab_mesh_see_blocks(o->mesh, &o->found, o->see, o->context);
}

static bool overlap_arrays(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    overlap o;
    o.mesh = mesh;
    o.see = see;
    o.context = context;
    return mesh->kernels->find_blocks(mesh, box, &o.found, see_found, &o) && see_found(&o);
}

// Who sees the triangles of a scaled mesh, and the box of the arrays, which shrinks with the other one.
typedef struct unscaled
{
    const ab_mesh *mesh;
    const ab_mesh_box *box;
    ab_mesh_box last, in_arrays;
    ab_mesh_see *see;
    void *context;
} unscaled;

static bool are_alike(const ab_mesh_box *a, const ab_mesh_box *b)
{
    bool alike = true;
    for (int k = 0; k < 3; ++k)
    {
        alike = alike && a->min[k] == b->min[k] && a->max[k] == b->max[k];
    }
    return alike;
}

static bool see_and_shrink(void *context, uint32_t triangle)
{
    unscaled *u = context;
    const bool more = u->see(u->context, triangle);
    if (!are_alike(&u->last, u->box))
    {
        u->last = *u->box;
        unscale(u->mesh, u->box, &u->in_arrays);
    }
    return more;
}

static bool overlap_scaled(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    unscaled u = { .mesh = mesh, .box = box, .last = *box, .see = see, .context = context };
    unscale(mesh, box, &u.in_arrays);
    return overlap_arrays(mesh, &u.in_arrays, see_and_shrink, &u);
}

bool ab_mesh_may_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    return (ab_mesh_is_grid(mesh) ? ab_grid_overlap
            : mesh->is_scaled     ? overlap_scaled
                                  : overlap_arrays)(mesh, box, see, context);
}

// Who sees the triangles of a mesh whose own boxes meet the box.
typedef struct exact
{
    const ab_mesh *mesh;
    const ab_mesh_box *box;
    ab_mesh_see *see;
    void *context;
} exact;

static bool see_if_within(void *context, uint32_t triangle)
{
    const exact *e = context;
    return !ab_mesh_triangle_within(e->mesh, triangle, e->box) || e->see(e->context, triangle);
}

bool ab_mesh_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    exact e = { mesh, box, see, context };
    return ab_mesh_is_grid(mesh) ? ab_grid_overlap(mesh, box, see, context)
                                 : ab_mesh_may_overlap(mesh, box, see_if_within, &e);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void sub(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = a[k] - b[k];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

// The nearest so far to a point.
typedef struct nearer
{
    const double *point;
    double square, at[3];
} nearer;

// The point from + t way + u more.
static void try_point(nearer *n, const double from[3], double t, const double way[3], double u, const double more[3])
{
    double at[3], apart[3];
    for (int k = 0; k < 3; ++k)
    {
        at[k] = from[k] + t * way[k] + u * more[k];
    }
    sub(at, n->point, apart);
    const double square = dot(apart, apart);
    if (square < n->square)
    {
        n->square = square;
        memcpy(n->at, at, sizeof n->at);
    }
}

// Of a triangle so thin that the regions below are lost in rounding: the nearest of its edges, or of its face where the
// point's foot is in that.
AB_APART static void nearest_on_sliver(double corner[3][3], const double point[3], double out[3])
{
    nearer n = { .point = point, .square = HUGE_VAL };
    double edge[3][3], from[3][3], of[3], normal[3], across[3];
    for (int i = 0; i < 3; ++i)
    {
        sub(corner[(i + 1) % 3], corner[i], edge[i]);
        sub(point, corner[i], from[i]);
        const double square = dot(edge[i], edge[i]), t = square > 0.0 ? dot(from[i], edge[i]) / square : 0.0;
        try_point(&n, corner[i], t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t, edge[i], 0.0, edge[i]);
    }
    cross(edge[0], edge[1], normal);
    for (int i = 0; i < 3; ++i)
    {
        cross(from[(i + 1) % 3], from[(i + 2) % 3], across);
        of[i] = dot(normal, across);
    }
    if (of[0] > 0.0 && of[1] > 0.0 && of[2] > 0.0)
    {
        const double sum = of[0] + of[1] + of[2];
        try_point(&n, corner[0], of[1] / sum, edge[0], -of[2] / sum, edge[2]);
    }
    memcpy(out, n.at, sizeof n.at);
}

#define SLIVER 1e-8 // squared height of a triangle, of a squared side

// C. Ericson, Real-Time Collision Detection (2005), 5.1.5: by the region that the point is in.
void ab_mesh_nearest_on(double corner[3][3], const double point[3], double out[3])
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    double ab[3], ac[3], from_a[3], from_b[3], from_c[3];
    sub(b, a, ab);
    sub(c, a, ac);
    sub(point, a, from_a);
    sub(point, b, from_b);
    sub(point, c, from_c);
    const double d1 = dot(ab, from_a), d2 = dot(ac, from_a), d3 = dot(ab, from_b), d4 = dot(ac, from_b),
                 d5 = dot(ab, from_c), d6 = dot(ac, from_c);
    const double of_a = d3 * d6 - d5 * d4, of_b = d5 * d2 - d1 * d6, of_c = d1 * d4 - d3 * d2;
    double v, w;
    const double square_b = dot(ab, ab), square_c = dot(ac, ac), square = square_b > square_c ? square_b : square_c;
    if (!(of_a + of_b + of_c > SLIVER * square * square))
    {
        nearest_on_sliver(corner, point, out);
        return;
    }
    if (d1 <= 0.0 && d2 <= 0.0)
    {
        v = w = 0.0;
    }
    else if (d3 >= 0.0 && d4 <= d3)
    {
        v = 1.0;
        w = 0.0;
    }
    else if (d6 >= 0.0 && d5 <= d6)
    {
        v = 0.0;
        w = 1.0;
    }
    else if (of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
    {
        v = d1 / (d1 - d3);
        w = 0.0;
    }
    else if (of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
    {
        v = 0.0;
        w = d2 / (d2 - d6);
    }
    else if (of_a <= 0.0 && d4 >= d3 && d5 >= d6)
    {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1.0 - w;
    }
    else
    {
        v = of_b / (of_a + of_b + of_c);
        w = of_c / (of_a + of_b + of_c);
    }
    for (int k = 0; k < 3; ++k)
    {
        out[k] = a[k] + v * ab[k] + w * ac[k];
    }
}
