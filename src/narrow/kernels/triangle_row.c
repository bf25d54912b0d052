// What a box is to several triangles, in columns: a unit of each instruction set with vectors of four doubles, which a
// compiler makes of its loops. In double, operation by operation as for one triangle: see triangle_corner.c,
// triangle_heights.c and triangle_sat.c.
#include "narrow/kernels/triangle_kernels.h"

#ifdef AB_TRIANGLE_ROWS

#include <math.h>

// gcc unrolls loops of so few before it makes vector instructions of them, and then makes none.
#if defined(__GNUC__) && !defined(__clang__)
#define COLUMNS(i) _Pragma("GCC unroll 1") for (uint32_t i = 0; i < AB_TRIANGLE_ROW; ++i)
#else
#define COLUMNS(i) for (uint32_t i = 0; i < AB_TRIANGLE_ROW; ++i)
#endif

// As ab_mesh_triangle_normal.
static void lay_normals(ab_triangle_row *row)
{
    const double(*a)[AB_TRIANGLE_ROW] = (const double(*)[AB_TRIANGLE_ROW])row->corner[0];
    const double(*b)[AB_TRIANGLE_ROW] = (const double(*)[AB_TRIANGLE_ROW])row->corner[1];
    const double(*c)[AB_TRIANGLE_ROW] = (const double(*)[AB_TRIANGLE_ROW])row->corner[2];
    COLUMNS(i)
    {
        const double ux = b[0][i] - a[0][i], uy = b[1][i] - a[1][i], uz = b[2][i] - a[2][i];
        const double vx = c[0][i] - a[0][i], vy = c[1][i] - a[1][i], vz = c[2][i] - a[2][i];
        const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        const double scale = 1.0 / sqrt(x * x + y * y + z * z);
        row->normal[0][i] = x * scale;
        row->normal[1][i] = y * scale;
        row->normal[2][i] = z * scale;
    }
}

// Corners in the box's frame.
static void lay_in_box(const ab_triangle_pair *pair, ab_triangle_row *row)
{
    const double *const axis = pair->axis;
    const double x0 = axis[0], x1 = axis[1], x2 = axis[2], y0 = axis[3], y1 = axis[4], y2 = axis[5], z0 = axis[6],
                 z1 = axis[7], z2 = axis[8], cx = pair->centre[0], cy = pair->centre[1], cz = pair->centre[2];
    for (int j = 0; j < 3; ++j)
    {
        const double(*from)[AB_TRIANGLE_ROW] = (const double(*)[AB_TRIANGLE_ROW])row->corner[j];
        double(*to)[AB_TRIANGLE_ROW] = row->in_box[j];
        COLUMNS(i)
        {
            const double x = from[0][i] - cx, y = from[1][i] - cy, z = from[2][i] - cz;
            to[0][i] = x0 * x + x1 * y + x2 * z;
            to[1][i] = y0 * x + y1 * y + y2 * z;
            to[2][i] = z0 * x + z1 * y + z2 * z;
        }
    }
}

// The normals along the box's axes, and how far the box reaches along them.
static void lay_along(const ab_triangle_pair *pair, ab_triangle_row *row)
{
    const double *const axis = pair->axis, *const half = pair->convex.core.half;
    const double x0 = axis[0], x1 = axis[1], x2 = axis[2], y0 = axis[3], y1 = axis[4], y2 = axis[5], z0 = axis[6],
                 z1 = axis[7], z2 = axis[8], cx = pair->centre[0], cy = pair->centre[1], cz = pair->centre[2];
    const double h0 = half[0], h1 = half[1], h2 = half[2], rounding = pair->convex.core.rounding;
    const double flat = AB_OUTLINE_FLAT * AB_OUTLINE_FLAT;
    COLUMNS(i)
    {
        const double nx = row->normal[0][i], ny = row->normal[1][i], nz = row->normal[2][i];
        const double a = x0 * nx + x1 * ny + x2 * nz, b = y0 * nx + y1 * ny + y2 * nz, c = z0 * nx + z1 * ny + z2 * nz;
        const double size_a = fabs(a), size_b = fabs(b), size_c = fabs(c);
        const double radius = rounding + h0 * size_a + h1 * size_b + h2 * size_c;
        const double x = cx - row->corner[0][0][i], y = cy - row->corner[0][1][i], z = cz - row->corner[0][2][i];
        const double at = x * nx + y * ny + z * nz;
        row->low[i] = at - radius;
        row->high[i] = at + radius;
        row->along[0][i] = a;
        row->along[1][i] = b;
        row->along[2][i] = c;
        row->part[i] = (a <= 0.0 ? 1.0 : 0.0) + (b <= 0.0 ? 2.0 : 0.0) + (c <= 0.0 ? 4.0 : 0.0);
        row->flat[i] = (a * a <= flat * (1.0 - a * a) ? 1.0 : 0.0) + (b * b <= flat * (1.0 - b * b) ? 2.0 : 0.0) +
                       (c * c <= flat * (1.0 - c * c) ? 4.0 : 0.0);
        const double steeper = size_b > size_a ? size_b : size_a, second = size_b > size_a ? 1.0 : 0.0;
        row->steepest[i] = size_c > steeper ? 2.0 : second;
    }
}

// The corners of the face that looks down the most: the lowest, those across each of its axes, and across both.
static void lay_corners(const ab_triangle_pair *pair, ab_triangle_row *row)
{
    const double *const axis = pair->axis, *const half = pair->convex.core.half;
    const double h0 = half[0], h1 = half[1], h2 = half[2];
    for (int k = 0; k < 3; ++k)
    {
        const double x = axis[k], y = axis[3 + k], z = axis[6 + k], centre = pair->centre[k];
        double(*at)[AB_TRIANGLE_ROW] = row->at[k];
        COLUMNS(i)
        {
            const double by_x = row->along[0][i] <= 0.0 ? h0 : -h0, by_y = row->along[1][i] <= 0.0 ? h1 : -h1,
                         by_z = row->along[2][i] <= 0.0 ? h2 : -h2;
            const double steepest = row->steepest[i];
            const double first = steepest < 1.0 ? by_y : by_x, second = steepest > 1.0 ? by_y : by_z;
            const double first_axis = steepest < 1.0 ? y : x, second_axis = steepest > 1.0 ? y : z;
            const double low = ((centre + by_x * x) + by_y * y) + by_z * z;
            const double across = low + (-2.0 * first) * first_axis, by_second = (-2.0 * second) * second_axis;
            at[0][i] = low;
            at[1][i] = across;
            at[2][i] = low + by_second;
            at[3][i] = across + by_second;
        }
    }
}

// The planes through a triangle's edges, outward, across its own.
static void lay_sides(ab_triangle_row *row)
{
    for (int j = 0; j < 3; ++j)
    {
        const double(*from)[AB_TRIANGLE_ROW] = (const double(*)[AB_TRIANGLE_ROW])row->corner[j];
        const double(*to)[AB_TRIANGLE_ROW] = (const double(*)[AB_TRIANGLE_ROW])row->corner[(j + 1) % 3];
        double(*out)[AB_TRIANGLE_ROW] = row->outward[j];
        COLUMNS(i)
        {
            const double x = to[0][i] - from[0][i], y = to[1][i] - from[1][i], z = to[2][i] - from[2][i];
            const double nx = row->normal[0][i], ny = row->normal[1][i], nz = row->normal[2][i];
            out[0][i] = y * nz - z * ny;
            out[1][i] = z * nx - x * nz;
            out[2][i] = x * ny - y * nx;
        }
    }
}

// How far a corner of the box is from a corner of the triangles along a direction.
#define ALONG(direction, from)                                                                                         \
    (direction[0][i] * (x - from[0][i]) + direction[1][i] * (y - from[1][i]) + direction[2][i] * (z - from[2][i]))

// How high they are, and whether they are over the triangle.
static void measure_corners(const ab_triangle_pair *pair, ab_triangle_row *row)
{
    const double rounding = pair->convex.core.rounding;
    COLUMNS(i)
    {
        row->over[i] = 0.0;
    }
    for (int corner = 0; corner < AB_FACE_CORNERS; ++corner)
    {
        const double bit = (double)(1 << corner);
        COLUMNS(i)
        {
            const double x = row->at[0][corner][i], y = row->at[1][corner][i], z = row->at[2][corner][i];
            const double a = ALONG(row->outward[0], row->corner[0]), b = ALONG(row->outward[1], row->corner[1]),
                         c = ALONG(row->outward[2], row->corner[2]), height = ALONG(row->normal, row->corner[0]);
            const double by_a = a <= 0.0 ? bit : 0.0, by_b = b <= 0.0 ? by_a : 0.0;
            row->over[i] += c <= 0.0 ? by_b : 0.0;
            row->separation[corner][i] = height - rounding;
        }
    }
}

void AB_ISA_NAME(ab_triangle_lay_row)(const ab_triangle_pair *pair, ab_triangle_row *row)
{
    lay_normals(row);
    lay_along(pair, row);
    lay_in_box(pair, row);
    lay_corners(pair, row);
    lay_sides(row);
    measure_corners(pair, row);
}

#endif
