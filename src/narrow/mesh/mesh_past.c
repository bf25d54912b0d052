// The separating axis theorem with intervals of time, as in straight_boxes.c: a box about the shape's core and a
// triangle are apart while an axis parts them. Whatever the axis, what it says is so; no frame has to be orthonormal.
#include "narrow/mesh/mesh_past.h"

#include "base/platform.h"
#include "math/three.h"

#include <math.h>

#define PARALLEL 1e-14 // squared sine of two edges that give no axis of their own

// The shares of the way at which axes part the two, by more than the tolerance.
typedef struct span
{
    const ab_past *past;
    double corner[3][3]; // from the shape's centre
    double tolerance, limit;
    double enter, leave, time; // `time`: until then some axis does by more than half of the tolerance
} span;

// False: the two do not meet.
static bool cut(span *s, const double axis[3], double square)
{
    const ab_convex *shape = s->past->shape;
    const double *half = shape->core.half, *own = shape->axis, length = sqrt(square);
    const double p = ab_dot(axis, s->corner[0]), q = ab_dot(axis, s->corner[1]), r = ab_dot(axis, s->corner[2]);
    const double pq = p < q ? p : q, qp = p > q ? p : q, low = pq < r ? pq : r, high = qp > r ? qp : r;
    const double reach = half[0] * fabs(ab_dot(axis, own)) + half[1] * fabs(ab_dot(axis, own + 3)) +
                         half[2] * fabs(ab_dot(axis, own + 6)) + shape->core.rounding * length;
    const double along = ab_dot(axis, s->past->way), tolerance = s->tolerance * length;
    const bool ahead = low + high >= 0.0;
    const double near = ahead ? low : -high, far = ahead ? high : -low, closing = ahead ? along : -along;
    const double gap = near - reach - tolerance;
    if (gap > 0.0 && !(closing > 0.0))
    {
        return false;
    }
    if (gap > 0.0)
    {
        const double inverse = 1.0 / closing, enter = gap * inverse, leave = (far + reach + tolerance) * inverse;
        const double half_way = (gap + 0.5 * tolerance) * inverse;
        s->enter = enter > s->enter ? enter : s->enter;
        s->leave = leave < s->leave ? leave : s->leave;
        s->time = half_way > s->time ? half_way : s->time;
        return s->enter <= s->leave && s->enter <= 1.0 && s->enter <= s->limit;
    }
    if (closing != 0.0)
    {
        const double leave = ((closing > 0.0 ? far : -near) + reach + tolerance) / fabs(closing);
        s->leave = leave < s->leave ? leave : s->leave;
    }
    return s->enter <= s->leave;
}

static double largest_of(double a, double b, double c)
{
    const double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

// As ab_triangle_place says.
static double size_of(double corner[3][3])
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double a = corner[0][k], b = corner[1][k], c = corner[2][k], middle = (a + b + c) / 3.0;
        size += largest_of(fabs(a - middle), fabs(b - middle), fabs(c - middle));
    }
    return size;
}

bool ab_past_triangle(const ab_past *past, uint32_t triangle, double limit, double *time)
{
    span s = { .past = past, .limit = limit, .leave = HUGE_VAL };
    const ab_mesh *mesh = ab_mesh_of_valid(past->placed->shape);
    double local[3][3], edge[3][3], axis[3];
    ab_mesh_corners(mesh, triangle, local);
    for (int i = 0; i < 3; ++i)
    {
        double at[3];
        ab_convex_place(past->placed, local[i], at);
        ab_sub(at, past->shape->centre, s.corner[i]);
    }
    for (int i = 0; i < 3; ++i)
    {
        ab_sub(s.corner[(i + 1) % 3], s.corner[i], edge[i]);
    }
    s.tolerance = ab_sweep_tolerance_of(past->shape->size, size_of(local));
    ab_cross(edge[0], edge[1], axis);
    bool meets = cut(&s, axis, ab_dot(axis, axis));
    for (int i = 0; i < 3 && meets; ++i)
    {
        const double *own = past->shape->axis + 3 * i;
        meets = cut(&s, own, ab_dot(own, own));
    }
    for (int i = 0; i < 9 && meets; ++i)
    {
        ab_cross(edge[i / 3], past->shape->axis + 3 * (i % 3), axis);
        const double square = ab_dot(axis, axis);
        meets = square <= PARALLEL * ab_dot(edge[i / 3], edge[i / 3]) || cut(&s, axis, square);
    }
    *time = s.time;
    return meets && s.time <= 1.0;
}

#define SLOP       0x1p-20f // of coordinates
#define PLANE_SLOP 0x1p-18f // of a square of coordinates and a length: what rounding changes heights over a plane by
#define NO_WAY     1e-6     // of the length
#define EARLIER    (1.0f - 0x1p-20f)
#define LEAST      1e-30f // of what divides

void ab_past_lanes_of(const ab_past *past, ab_past_lanes *out)
{
    const ab_convex *shape = past->shape, *placed = past->placed;
    const double *half = shape->core.half, length = sqrt(ab_dot(past->way, past->way));
    double to[3], far = length + 2.0 * shape->size;
    ab_sub(shape->centre, placed->centre, to);
    *out = (ab_past_lanes){ .rounding = (float)shape->core.rounding, .size = (float)far };
    for (int k = 0; k < 3; ++k)
    {
        far += fabs(to[k]);
    }
    out->slop = (float)far * SLOP;
    const double tolerance = ab_sweep_tolerance_of(shape->size, shape->size + 1e3 * far);
    for (int k = 0; k < 3; ++k)
    {
        const double *own = placed->axis + 3 * k, way = ab_dot(past->way, own), at = ab_dot(to, own);
        const double sign = way < 0.0 ? -1.0 : 1.0;
        const bool moves = fabs(way) > NO_WAY * length;
        double radius = shape->core.rounding + tolerance;
        for (int i = 0; i < 3; ++i)
        {
            const double along = sign * half[i] * ab_dot(shape->axis + 3 * i, own);
            out->axis[3 * i + k] = (float)along;
            radius += fabs(along);
        }
        out->sign[k] = (float)sign;
        out->centre[k] = (float)(sign * at);
        out->min[k] = (float)(sign * at - radius) - out->slop;
        out->max[k] = (float)(sign * at + radius) + out->slop;
        out->way[k] = (float)fabs(way);
        out->inverse[k] = moves ? (float)(1.0 / fabs(way)) : 0.0f;
        out->stays[k] = moves ? 0.0f : 1e30f;
    }
}

// Compilers make vector instructions of this loop. First the boxes, then the triangle's plane: by how much the shape
// may come nearer to it until the boxes have passed.
void ab_past_row(const ab_past_lanes *lanes, const ab_axes_row *row, float limit, float *restrict times)
{
    const ab_past_lanes l = *lanes;
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const float px = l.sign[0] * row->corner[0][0][i], py = l.sign[1] * row->corner[0][1][i],
                    pz = l.sign[2] * row->corner[0][2][i], qx = l.sign[0] * row->corner[1][0][i],
                    qy = l.sign[1] * row->corner[1][1][i], qz = l.sign[2] * row->corner[1][2][i],
                    rx = l.sign[0] * row->corner[2][0][i], ry = l.sign[1] * row->corner[2][1][i],
                    rz = l.sign[2] * row->corner[2][2][i];
        const float enter_x = (ab_least_of_3(px, qx, rx) - l.max[0]) * l.inverse[0],
                    enter_y = (ab_least_of_3(py, qy, ry) - l.max[1]) * l.inverse[1],
                    enter_z = (ab_least_of_3(pz, qz, rz) - l.max[2]) * l.inverse[2];
        const float leave_x = (ab_most_of_3(px, qx, rx) - l.min[0]) * l.inverse[0] + l.stays[0],
                    leave_y = (ab_most_of_3(py, qy, ry) - l.min[1]) * l.inverse[1] + l.stays[1],
                    leave_z = (ab_most_of_3(pz, qz, rz) - l.min[2]) * l.inverse[2] + l.stays[2];
        const float enter = ab_most_of_3(enter_x, enter_y, enter_z), gone = ab_least_of_3(leave_x, leave_y, leave_z);
        const float leave = gone < limit ? gone : limit;
        const float ux = qx - px, uy = qy - py, uz = qz - pz, vx = rx - qx, vy = ry - qy, vz = rz - qz;
        const float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        const float ax = px - l.centre[0], ay = py - l.centre[1], az = pz - l.centre[2];
        const float at = nx * ax + ny * ay + nz * az, along = nx * l.way[0] + ny * l.way[1] + nz * l.way[2];
        const float closing = at > 0.0f ? along : -along, closes = closing > 0.0f ? closing : 0.0f;
        const float reach = fabsf(nx * l.axis[0] + ny * l.axis[1] + nz * l.axis[2]) +
                            fabsf(nx * l.axis[3] + ny * l.axis[4] + nz * l.axis[5]) +
                            fabsf(nx * l.axis[6] + ny * l.axis[7] + nz * l.axis[8]) +
                            (l.rounding + l.slop) * (fabsf(nx) + fabsf(ny) + fabsf(nz));
        const float edges = fabsf(ux) + fabsf(uy) + fabsf(uz) + fabsf(vx) + fabsf(vy) + fabsf(vz);
        const float size = l.size + fabsf(ax) + fabsf(ay) + fabsf(az) + edges;
        const float gap = fabsf(at) - reach - size * size * edges * PLANE_SLOP;
        const float behind = enter > 0.0f ? enter : 0.0f, plane = gap > 0.0f ? gap / (closes + LEAST) * EARLIER : 0.0f;
        const float time = behind > plane ? behind : plane;
        times[i] = ((time <= leave) & (gone >= 0.0f)) ? time : AB_PAST_NEVER;
    }
}
