// Sweeps two moving shapes by conservative advancement: advances along a separating direction until its gap is used up,
// then finds the nearest points again.
#include "narrow/sweep.h"

#include "math/rotation.h"

#include <math.h>

#define DIRECTED_ROUNDS 32u  // steps along one direction
#define DOUBLINGS       64u  // of the length of a step
#define LEAST_TOLERANCE 1e-9 // metres

static double length(ab_dvec3 v)
{
    return sqrt(ab_dvec3_dot(v, v));
}

// v rotated about a unit axis (O. Rodrigues, 1840).
static ab_dvec3 turned(ab_dvec3 v, ab_dvec3 axis, double sine, double cosine)
{
    const ab_dvec3 across = ab_dvec3_cross(axis, v);
    const ab_dvec3 flat = ab_dvec3_along(ab_dvec3_along((ab_dvec3){ 0, 0, 0 }, v, cosine), across, sine);
    return ab_dvec3_along(flat, axis, ab_dvec3_dot(axis, v) * (1.0 - cosine));
}

// v rotated by q, in double.
static ab_dvec3 rotate(abut_quat q, ab_dvec3 v)
{
    const abut_shape frame = { .kind = ABUT_OBB };
    const ab_convex_double s = ab_convex_double_of(&frame, q, (ab_dvec3){ 0, 0, 0 });
    const ab_dvec3 x = ab_dvec3_along((ab_dvec3){ 0, 0, 0 }, s.axis[0], v.x);
    return ab_dvec3_along(ab_dvec3_along(x, s.axis[1], v.y), s.axis[2], v.z);
}

ab_mover ab_mover_of(const abut_shape *shape, const abut_pose *local, abut_quat rotation, ab_dvec3 pivot,
                     const abut_velocity *velocity)
{
    ab_mover m = { .pivot = pivot, .v = ab_dvec3_of(velocity->linear), .w = ab_dvec3_of(velocity->angular) };
    const ab_dvec3 offset = rotate(rotation, ab_dvec3_of(local->position));
    m.start = ab_convex_double_of(shape, local->rotation, ab_dvec3_along(pivot, offset, 1.0));
    m.turns = shape->kind == ABUT_OBB;
    for (int i = 0; m.turns && i < 3; ++i)
    {
        m.start.axis[i] = rotate(rotation, m.start.axis[i]);
    }
    const double *half = m.start.half;
    const double own = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    m.reach = length(offset) + (m.turns ? own : 0.0);
    return m;
}

ab_convex_double ab_mover_at(const ab_mover *mover, double time)
{
    ab_convex_double s = mover->start;
    const double rate = length(mover->w);
    double sine, cosine;
    const ab_dvec3 pivot = ab_dvec3_along(mover->pivot, mover->v, time);
    ab_dvec3 arm = ab_dvec3_sub(s.centre, mover->pivot);
    if (rate > 0.0 && ab_sincos(rate * time, &sine, &cosine))
    {
        const ab_dvec3 axis = ab_dvec3_along((ab_dvec3){ 0, 0, 0 }, mover->w, 1.0 / rate);
        arm = turned(arm, axis, sine, cosine);
        for (int i = 0; mover->turns && i < 3; ++i)
        {
            s.axis[i] = turned(s.axis[i], axis, sine, cosine);
        }
    }
    s.centre = ab_dvec3_along(pivot, arm, 1.0);
    return s;
}

static double size_of(const ab_convex_double *s)
{
    return s->radius + s->half[0] + s->half[1] + s->half[2];
}

double ab_sweep_tolerance(const ab_mover *a, const ab_mover *b)
{
    const double size_a = size_of(&a->start), size_b = size_of(&b->start);
    const double smaller = size_a < size_b ? size_a : size_b;
    return 1e-5 * smaller + 1e-7 * (size_a + size_b) + LEAST_TOLERANCE;
}

// Bounds the speed at which the gap along a unit direction from a to b can close, at any time.
static double most_closing(const ab_mover *a, const ab_mover *b, ab_dvec3 n)
{
    const double straight = ab_dvec3_dot(ab_dvec3_sub(a->v, b->v), n);
    return straight + length(ab_dvec3_cross(n, a->w)) * a->reach + length(ab_dvec3_cross(n, b->w)) * b->reach;
}

// The velocity at `time` of the material point of a mover that is at `point`.
static ab_dvec3 velocity_at(const ab_mover *m, const ab_convex_double *now, double time, ab_dvec3 point)
{
    const ab_dvec3 pivot = ab_dvec3_along(m->pivot, m->v, time);
    const ab_dvec3 arm = ab_dvec3_sub(m->turns ? point : now->centre, pivot);
    return ab_dvec3_along(m->v, ab_dvec3_cross(m->w, arm), 1.0);
}

static double gap_along(const ab_mover *a, const ab_mover *b, double time, ab_dvec3 n)
{
    const ab_convex_double convex_a = ab_mover_at(a, time), convex_b = ab_mover_at(b, time);
    const double apart = ab_dvec3_dot(ab_dvec3_sub(convex_b.centre, convex_a.centre), n);
    return apart - ab_convex_double_extent(&convex_a, n) - ab_convex_double_extent(&convex_b, n);
}

// The tangent of a mover's motion at one time, along a direction n.
typedef struct tangent
{
    const ab_mover *mover;
    ab_convex_double now;
    ab_dvec3 arm;    // from the pivot to the centre
    ab_dvec3 n, bow; // n x w: rotation moves an arm along n by arm . bow each second
    double pull;     // bounds the acceleration of any point along n by rotation
} tangent;

static tangent tangent_of(const ab_mover *m, double time, ab_dvec3 n)
{
    tangent t = { .mover = m, .now = ab_mover_at(m, time), .n = n, .bow = ab_dvec3_cross(n, m->w) };
    t.arm = ab_dvec3_sub(t.now.centre, ab_dvec3_along(m->pivot, m->v, time));
    t.pull = length(m->w) * length(t.bow) * m->reach;
    return t;
}

// How far the tangent motion takes the shape's farthest point along n (times sign: +1, or -1 for the nearest) in `step`
// seconds.
static double tangent_advance(const tangent *t, double sign, double step)
{
    const ab_dvec3 bent = ab_dvec3_along(t->n, t->bow, step);
    double most = 0.0;
    for (int i = 0; t->mover->turns && i < 3; ++i)
    {
        const double turned = fabs(ab_dvec3_dot(t->now.axis[i], bent)), now = fabs(ab_dvec3_dot(t->now.axis[i], t->n));
        most += t->now.half[i] * (turned - now);
    }
    return sign * (ab_dvec3_dot(t->mover->v, t->n) + ab_dvec3_dot(t->arm, t->bow)) * step + most;
}

// Bounds how far the gap along n closes in `step` seconds: a convex function of it, zero at zero. Points leave their
// tangents by at most half of pull * step^2 (B. Taylor, 1715).
static double most_closed(const tangent *a, const tangent *b, double step)
{
    return tangent_advance(a, 1.0, step) + tangent_advance(b, -1.0, step) + 0.5 * (a->pull + b->pull) * step * step;
}

// Seconds, up to `left`, in which the gap along n closes by no more than `room`, at no more than `speed`.
static double safe_step(const ab_mover *a, const ab_mover *b, double time, ab_dvec3 n, double room, double speed,
                        double left)
{
    const tangent tangent_a = tangent_of(a, time, n), tangent_b = tangent_of(b, time, n);
    double low = fmin(room / speed, left), closed = most_closed(&tangent_a, &tangent_b, low);
    for (uint32_t i = 0; i < DOUBLINGS && low < left; ++i)
    {
        const double high = fmin(2.0 * low, left), beyond = most_closed(&tangent_a, &tangent_b, high);
        if (beyond > room) // the chord is above a convex function, so its intersection is still safe
        {
            return closed < room ? low + (room - closed) * (high - low) / (beyond - closed) : low;
        }
        low = high;
        closed = beyond;
    }
    return low;
}

// From a time at which the gap along n is `gap`, to one at which it is between a half and three quarters of the
// tolerance.
static double advance(const ab_mover *a, const ab_mover *b, ab_dvec3 n, double time, double gap, double speed,
                      double duration, double tolerance)
{
    for (uint32_t i = 0; i < DIRECTED_ROUNDS && gap > 0.75 * tolerance && time < duration; ++i)
    {
        time += safe_step(a, b, time, n, gap - 0.5 * tolerance, speed, duration - time);
        gap = gap_along(a, b, time, n);
    }
    return time;
}

static ab_sweep overlapping(const ab_convex_double *b, const ab_apart *apart)
{
    ab_sweep out = { .hit = true, .initial = true, .normal = apart->normal, .distance = apart->separation };
    out.on_b = ab_convex_double_support(b, ab_dvec3_along((ab_dvec3){ 0, 0, 0 }, apart->normal, -1.0));
    out.on_a = ab_dvec3_along(out.on_b, apart->normal, -apart->separation);
    return out;
}

// The gap between the shapes. When they overlap or nearly touch, their nearest points do not give a direction; the axis
// of largest separation does.
static void look(ab_sweep *out, const ab_convex_double *a, const ab_convex_double *b, double slip)
{
    const ab_nearest nearest = ab_convex_double_nearest(a, b);
    const ab_apart apart = ab_convex_double_apart(a, b);
    out->on_a = nearest.on_a;
    out->on_b = nearest.on_b;
    out->distance = apart.separation > 0.0 ? nearest.distance : apart.separation;
    out->normal = apart.normal;
    if (out->distance > 0.01 * slip)
    {
        const ab_dvec3 gap = ab_dvec3_sub(nearest.on_b, nearest.on_a);
        out->normal = ab_dvec3_along((ab_dvec3){ 0, 0, 0 }, gap, 1.0 / nearest.distance);
    }
}

// How much closer the nearest points would come in the time that is left.
static double closing(const ab_mover *a, const ab_mover *b, const ab_sweep *at, const ab_convex_double *now_a,
                      const ab_convex_double *now_b, double left)
{
    const ab_dvec3 velocity_a = velocity_at(a, now_a, at->time, at->on_a);
    const ab_dvec3 velocity_b = velocity_at(b, now_b, at->time, at->on_b);
    return ab_dvec3_dot(ab_dvec3_sub(velocity_a, velocity_b), at->normal) * left;
}

ab_sweep ab_sweep_movers(const ab_mover *a, const ab_mover *b, double duration, double tolerance)
{
    // Rounding may bring sliding shapes closer by half of this.
    const double slip = fmin(tolerance, ab_sweep_tolerance(a, b));
    const ab_apart apart = ab_convex_double_apart(&a->start, &b->start);
    if (apart.separation < -tolerance)
    {
        return overlapping(&b->start, &apart);
    }
    ab_sweep out = { 0 };
    for (uint32_t round = 0; round < AB_SWEEP_ROUNDS; ++round)
    {
        const double before = out.time;
        const ab_convex_double now_a = ab_mover_at(a, out.time), now_b = ab_mover_at(b, out.time);
        look(&out, &now_a, &now_b, slip);
        const bool within = !(out.distance > tolerance);
        const double left = duration - out.time, speed = most_closing(a, b, out.normal);
        if (!(speed * left > 0.5 * (within ? slip : tolerance)))
        {
            return out; // the time left does not bring them together
        }
        if (!within)
        {
            out.time = advance(a, b, out.normal, out.time, out.distance, speed, duration, tolerance);
        }
        else if (closing(a, b, &out, &now_a, &now_b, left) > 0.5 * slip)
        {
            out.hit = true;
            return out;
        }
        else // they slide or part: continue as far as is safe
        {
            const double room = out.distance > slip ? out.distance - 0.5 * slip : slip;
            out.time += safe_step(a, b, out.time, out.normal, room, speed, left);
        }
        if (!(out.time < duration))
        {
            return out;
        }
        if (!(out.time > before))
        {
            break; // the step is below the resolution of a double
        }
    }
    out.bound = true;
    return out;
}

// The largest float not above x.
static float rounded_down(double x)
{
    const float near = (float)x;
    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

static abut_vec3 narrowed(ab_dvec3 p)
{
    return abut_vec3_make((float)p.x, (float)p.y, (float)p.z);
}

abut_impact ab_sweep_impact(const ab_sweep *sweep, const ab_mover *mover, bool first)
{
    const ab_dvec3 middle = ab_dvec3_along(sweep->on_a, ab_dvec3_sub(sweep->on_b, sweep->on_a), 0.5);
    const ab_dvec3 pivot = ab_dvec3_along(mover->pivot, mover->v, sweep->time);
    const abut_vec3 normal = narrowed(sweep->normal);
    return (abut_impact){
        .hit = sweep->hit,
        .time = rounded_down(sweep->time),
        .normal = first ? normal : abut_vec3_negate(normal),
        .offset = narrowed(ab_dvec3_sub(middle, pivot)),
        .distance = (float)sweep->distance,
        .flags = (sweep->initial ? ABUT_IMPACT_INITIAL : 0u) | (sweep->bound ? ABUT_IMPACT_BOUND : 0u),
    };
}
