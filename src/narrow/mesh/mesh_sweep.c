// The separating axis theorem with intervals of time, as in straight_boxes.c: a box about the shape's core and a triangle are
// apart while an axis parts them. Whatever the axis, what it says is so; no frame has to be orthonormal.
#include "narrow/mesh/mesh_sweep.h"

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

// As ab_triangle_place says.
static double size_of(double corner[3][3])
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double a = corner[0][k], b = corner[1][k], c = corner[2][k], middle = (a + b + c) / 3.0;
        size += fmax(fmax(fabs(a - middle), fabs(b - middle)), fabs(c - middle));
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
    return meets;
}
