// A segment or a point that travels past a box, a segment or a point: the distance is a convex function of the time, so
// I. Newton's method from outside converges to where it is so small, and never passes it. The distance of a segment
// from a box is the least of a convex function, too, which is a parabola between at most six places.
#include "narrow/convex/sweep_straight.h"

#include <math.h>

// By how much x is outside of [-most, most]. Without a branch: it cannot be predicted.
static double beyond(double x, double most)
{
    const double raised = x < -most ? -most : x;
    return x - (raised > most ? most : raised);
}

// A segment and a box about the origin.
typedef struct segment
{
    const double *middle, *along, *half;
} segment;

// Half of the slope of the squared distance.
static double slope(const segment *s, double at)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum += s->along[k] * beyond(s->middle[k] + at * s->along[k], s->half[k]);
    }
    return sum;
}

// Where the slope is negative, positive, and zero.
typedef struct bracket
{
    double low, high, low_slope, high_slope, first_zero, last_zero;
} bracket;

static void narrow(bracket *b, const segment *s, double at)
{
    if (!(at > b->low && at < b->high)) // or infinite
    {
        return;
    }
    const double slope_there = slope(s, at);
    if (slope_there < 0.0)
    {
        b->low = at;
        b->low_slope = slope_there;
    }
    else if (slope_there > 0.0)
    {
        b->high = at;
        b->high_slope = slope_there;
    }
    else
    {
        b->first_zero = fmin(b->first_zero, at);
        b->last_zero = fmax(b->last_zero, at);
    }
}

// The place in [-1, 1] on the segment that is nearest to the box; in the middle if there are several.
static double nearest_place(const segment *s)
{
    bracket b = { -1.0, 1.0, slope(s, -1.0), slope(s, 1.0), HUGE_VAL, -HUGE_VAL };
    if (b.low_slope > 0.0 || b.high_slope < 0.0)
    {
        return b.low_slope > 0.0 ? -1.0 : 1.0;
    }
    b.first_zero = b.low_slope == 0.0 ? -1.0 : b.high_slope == 0.0 ? 1.0 : b.first_zero;
    b.last_zero = b.high_slope == 0.0 ? 1.0 : b.low_slope == 0.0 ? -1.0 : b.last_zero;
    for (int k = 0; k < 3; ++k)
    {
        if (s->along[k] != 0.0)
        {
            const double inverse = 1.0 / s->along[k];
            narrow(&b, s, (-s->half[k] - s->middle[k]) * inverse);
            narrow(&b, s, (s->half[k] - s->middle[k]) * inverse);
        }
    }
    return b.first_zero <= b.last_zero ? 0.5 * (b.first_zero + b.last_zero)
                                       : b.low - (b.high - b.low) * (b.low_slope / (b.high_slope - b.low_slope));
}

// The nearest points when the segment's middle is at `middle`, and the vector between them.
static void measure(const ab_straight *s, const double middle[3], const double along[3], bool point, double off[3],
                    ab_straight_hit *out)
{
    const segment of = { middle, along, s->box->core.half };
    const double *axis = s->box->axis;
    ab_along(middle, point ? 0.0 : nearest_place(&of), along, out->on_other);
    for (int k = 0; k < 3; ++k)
    {
        off[k] = -beyond(out->on_other[k], of.half[k]);
        out->on_box[k] = out->on_other[k] + off[k];
    }
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = axis[k] * off[0] + axis[3 + k] * off[1] + axis[6 + k] * off[2];
    }
    out->distance = sqrt(ab_dot(out->normal, out->normal));
}

// A step's gap is that in the frame, where the distance is convex. Once it is within the tolerance, goes on to where
// they touch.
ab_straight_answer ab_straight_segment(const ab_straight *s, ab_straight_hit *out)
{
    const double *half = s->other->core.half;
    const int k = half[0] > 0.0 ? 0 : half[1] > 0.0 ? 1 : 2;
    const double zero[3] = { 0.0, 0.0, 0.0 }, touch = AB_SWEEP_TOUCH * s->tolerance;
    ab_straight_hit at;
    at.time = out->time;
    bool near = false;
    double along[3];
    ab_along(zero, half[k], s->axis + 3 * k, along);
    for (int round = 0; round < AB_STRAIGHT_ROUNDS; ++round)
    {
        double middle[3], off[3];
        ab_along(s->from, at.time, s->way, middle);
        measure(s, middle, along, half[k] == 0.0, off, &at);
        const double gap = at.distance - s->rounding;
        if (!near)
        {
            *out = at;
        }
        if (round == 0 && gap <= s->tolerance)
        {
            return gap < -s->tolerance && at.distance > s->tolerance ? AB_STRAIGHT_OVERLAP : AB_STRAIGHT_UNDECIDED;
        }
        const double closing = ab_dot(off, s->way), square = ab_dot(off, off), left = closing * (1.0 - at.time);
        if (gap <= s->tolerance && !near && !(left > 0.5 * s->tolerance * at.distance))
        {
            return AB_STRAIGHT_UNDECIDED;
        }
        near = near || gap <= s->tolerance;
        if (gap <= touch)
        {
            return AB_STRAIGHT_HIT;
        }
        const double aim = near ? 0.5 * touch : 0.5 * s->tolerance;
        const double time = at.time + (gap - aim) * square / (closing * at.distance);
        if (!(closing > 0.0) || time >= 1.0 || (!near && time > s->limit))
        {
            return AB_STRAIGHT_MISS;
        }
        at.time = time;
    }
    return AB_STRAIGHT_UNDECIDED;
}
