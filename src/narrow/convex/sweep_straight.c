// Chooses the frame for two shapes that do not turn, and brings the answer back to the world.
#include "narrow/convex/sweep_straight.h"

#include <math.h>
#include <string.h>

static bool is_segment(const ab_convex *c)
{
    const double *h = c->core.half;
    return (h[0] > 0.0) + (h[1] > 0.0) + (h[2] > 0.0) <= 1;
}

// A vector in the box's frame.
static void bring_in(const ab_straight *s, const double world[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = ab_dot(s->inverse + 3 * i, world);
    }
}

// The inverse of a matrix of three columns, by G. Cramer's rule; of nearly orthonormal ones.
static void invert(const double columns[9], double rows[9])
{
    for (int i = 0; i < 3; ++i)
    {
        ab_cross(columns + 3 * ((i + 1) % 3), columns + 3 * ((i + 2) % 3), rows + 3 * i);
    }
    const double by = 1.0 / ab_dot(columns, rows);
    for (int k = 0; k < 9; ++k)
    {
        rows[k] *= by;
    }
}

static void lay(ab_straight *s, const ab_mover *box, const ab_mover *other)
{
    double between[3];
    s->box = &box->start;
    s->other = &other->start;
    s->rounding = box->start.core.rounding + other->start.core.rounding;
    if (box->start.row->turns)
    {
        invert(box->start.axis, s->inverse);
    }
    else
    {
        memcpy(s->inverse, box->start.axis, sizeof s->inverse);
    }
    ab_sub(other->start.centre, box->start.centre, between);
    bring_in(s, between, s->from);
    ab_sub(other->v, box->v, between);
    bring_in(s, between, s->way);
    for (int i = 0; i < 3; ++i)
    {
        bring_in(s, other->start.axis + 3 * i, s->axis + 3 * i);
    }
}

// An answer in the world.
static void publish(const ab_straight *s, const ab_mover *box, const ab_straight_hit *hit, bool box_first,
                    ab_sweep *out)
{
    double *n = out->normal, *on_box = box_first ? out->on_a : out->on_b, *on_other = box_first ? out->on_b : out->on_a;
    const double zero[3] = { 0.0, 0.0, 0.0 };
    ab_along(zero, (box_first ? -1.0 : 1.0) / sqrt(ab_dot(hit->normal, hit->normal)), hit->normal, n);
    ab_convex_place(s->box, hit->on_box, on_box);
    ab_convex_place(s->box, hit->on_other, on_other);
    ab_along(on_box, hit->time, box->v, on_box);
    ab_along(on_other, hit->time, box->v, on_other);
    const double inward = box_first ? 1.0 : -1.0;
    ab_along(on_box, inward * s->box->core.rounding, n, on_box);
    ab_along(on_other, -inward * s->other->core.rounding, n, on_other);
    out->hit = true;
    out->time = hit->time;
    out->distance = hit->distance - s->rounding;
}

void ab_sweep_straight(const ab_mover *a, const ab_mover *b, double limit, ab_sweep *out)
{
    const bool boxes = a->start.row->box_core && b->start.row->box_core;
    const bool first = boxes && is_segment(&a->start), box_first = boxes && !first && is_segment(&b->start);
    ab_straight s;
    ab_straight_hit hit;
    s.tolerance = ab_sweep_tolerance(a, b);
    s.limit = limit;
    hit.time = 0.0;
    lay(&s, box_first ? a : b, box_first ? b : a);
    *out = (ab_sweep){ 0 };
    const ab_straight_answer answer = (first || box_first ? ab_straight_segment : ab_straight_boxes)(&s, &hit);
    if (answer == AB_STRAIGHT_UNDECIDED)
    {
        ab_sweep_to_touch(a, b, hit.time, 1.0, out);
    }
    else if (answer != AB_STRAIGHT_MISS)
    {
        publish(&s, box_first ? a : b, &hit, box_first, out);
        out->initial = answer == AB_STRAIGHT_OVERLAP;
    }
}
