// Sweeps two moving shapes by conservative advancement: advances along a separating direction until its gap is used up,
// then finds the nearest points again.
#include "narrow/convex/sweep.h"

#include "base/assert.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#define DIRECTED_ROUNDS 32u  // steps along one direction
#define DOUBLINGS       64u  // of the length of a step
#define SLIDES          1e-6 // of a way: along what it is no more inclined to

static void widen(abut_vec3 from, double out[3])
{
    out[0] = (double)from.x;
    out[1] = (double)from.y;
    out[2] = (double)from.z;
}

// Rotates v about a unit axis (O. Rodrigues, 1840).
static void turn(double v[3], const double axis[3], double sine, double cosine)
{
    double across[3];
    const double along = ab_dot(axis, v) * (1.0 - cosine);
    ab_cross(axis, v, across);
    for (int k = 0; k < 3; ++k)
    {
        v[k] = (cosine * v[k] + sine * across[k]) + along * axis[k];
    }
}

void ab_mover_of(ab_mover *out, const ab_moving *m)
{
    static const abut_pose identity = { .rotation = { .w = 1.0f } };
    const ab_shape_row *row = ab_shape_row_for(m->shape->kind);
    const ab_frame local = ab_frame_of(m->local ? m->local : &identity, row->turns);
    ab_frame body = ab_frame_of(m->pose, true), frame = local;
    double offset[3], origin[3];
    widen(m->origin, origin);
    ab_sub(body.position, origin, out->pivot);
    memset(body.position, 0, sizeof body.position);
    ab_frame_world(&body, local.position, offset);
    for (int i = 0; row->turns && i < 3; ++i)
    {
        ab_frame_world(&body, local.axis + 3 * i, frame.axis + 3 * i);
    }
    ab_along(out->pivot, 1.0, offset, frame.position);
    ab_convex_at(&out->start, m->kinds, m->shape, &frame, m->is_2d);
    widen(m->velocity->linear, out->v);
    widen(m->velocity->angular, out->w);
    out->turns =
        row->turns && !(AB_HAS_CHILDREN && row->unbounded); // of a half-space no bound on speed would be of use
    out->reach = ab_length(offset) + (out->turns ? ab_length(out->start.core.half) : 0.0);
}

void ab_mover_at(const ab_mover *mover, double time, ab_convex *out)
{
    const double rate = ab_length(mover->w);
    double sine, cosine, arm[3];
    *out = mover->start;
    ab_sub(out->centre, mover->pivot, arm);
    if (rate > 0.0 && ab_sincos(rate * time, &sine, &cosine))
    {
        const double axis[3] = { mover->w[0] / rate, mover->w[1] / rate, mover->w[2] / rate };
        turn(arm, axis, sine, cosine);
        for (int i = 0; mover->turns && i < 3; ++i)
        {
            turn(out->axis + 3 * i, axis, sine, cosine);
        }
    }
    ab_along(mover->pivot, time, mover->v, out->centre);
    ab_along(out->centre, 1.0, arm, out->centre);
}

bool ab_mover_is_straight(const ab_mover *m)
{
    return m->reach == 0.0 || !ab_mover_turns(m);
}

static bool is_half_space(const ab_mover *m)
{
    return AB_HAS_CHILDREN && m->start.row->unbounded;
}

double ab_sweep_tolerance(const ab_mover *a, const ab_mover *b)
{
    return ab_sweep_tolerance_of(is_half_space(a) ? b->start.size : a->start.size,
                                 is_half_space(b) ? a->start.size : b->start.size);
}

double ab_sweep_tolerance_of(double size_a, double size_b)
{
    const double smaller = size_a < size_b ? size_a : size_b;
    return 1e-5 * smaller + 1e-7 * (size_a + size_b) + AB_SWEEP_LEAST_TOLERANCE;
}

// Bounds the speed at which the gap along a unit direction from a to b can close, at any time.
static double most_closing(const ab_mover *a, const ab_mover *b, const double n[3])
{
    double between[3], across_a[3], across_b[3];
    ab_sub(a->v, b->v, between);
    ab_cross(n, a->w, across_a);
    ab_cross(n, b->w, across_b);
    return ab_dot(between, n) + ab_length(across_a) * a->reach + ab_length(across_b) * b->reach;
}

// The velocity at `time` of the material point of a mover that is at `point`.
static void velocity_at(const ab_mover *m, const ab_convex *now, double time, const double point[3], double out[3])
{
    double pivot[3], arm[3], spin[3];
    ab_along(m->pivot, time, m->v, pivot);
    ab_sub(m->turns ? point : now->centre, pivot, arm);
    ab_cross(m->w, arm, spin);
    ab_along(m->v, 1.0, spin, out);
}

// The point of a core farthest along a direction between it and the other: of a half-space any of its plane.
static void foremost(const ab_convex *core, const double direction[3], double out[3])
{
    if (AB_HAS_CHILDREN && core->row->unbounded)
    {
        memcpy(out, core->centre, sizeof core->centre);
        return;
    }
    ab_convex_support(core, direction, out);
}

static double gap_along(const ab_mover *a, const ab_mover *b, double time, const double n[3])
{
    const double back[3] = { -n[0], -n[1], -n[2] };
    ab_convex now_a, now_b;
    double on_a[3], on_b[3], between[3];
    ab_mover_at(a, time, &now_a);
    ab_mover_at(b, time, &now_b);
    foremost(&now_a, n, on_a);
    foremost(&now_b, back, on_b);
    ab_sub(on_b, on_a, between);
    return ab_dot(between, n) - (now_a.core.rounding + now_b.core.rounding);
}

// The tangent of a mover's motion at one time, along a direction n from it (a's side) or to it (b's): `outward` is n or
// its opposite.
typedef struct tangent
{
    const ab_mover *mover;
    ab_convex now;     // about the origin
    double outward[3]; // unit
    double bow[3];     // outward x w: rotation moves an arm along outward by arm . bow each second
    double speed;      // of the centre, along outward
    double farthest;   // of the core's points, along outward
    double pull;       // bounds the acceleration of any point along outward by rotation
} tangent;

// The largest component along a direction of any length of the core's points.
static double reach_along(const ab_convex *convex, const double direction[3])
{
    double point[3];
    ab_convex_support(convex, direction, point);
    return ab_dot(point, direction);
}

static void lay_tangent(tangent *t, const ab_mover *m, double time, const double n[3], double sign)
{
    double arm[3], pivot[3];
    t->mover = m;
    ab_mover_at(m, time, &t->now);
    ab_along(m->pivot, time, m->v, pivot);
    ab_sub(t->now.centre, pivot, arm);
    for (int k = 0; k < 3; ++k)
    {
        t->outward[k] = sign * n[k];
        t->now.centre[k] = 0.0;
    }
    ab_cross(t->outward, m->w, t->bow);
    t->speed = ab_dot(m->v, t->outward) + ab_dot(arm, t->bow);
    t->farthest = m->turns ? reach_along(&t->now, t->outward) : 0.0;
    t->pull = ab_length(m->w) * ab_length(t->bow) * m->reach;
}

// How far the tangent motion takes the shape's farthest point along its outward direction in `step` seconds.
static double tangent_advance(const tangent *t, double step)
{
    double bent[3];
    ab_along(t->outward, step, t->bow, bent);
    return t->speed * step + (t->mover->turns ? reach_along(&t->now, bent) - t->farthest : 0.0);
}

// Bounds how far the gap along n closes in `step` seconds: a convex function of it, zero at zero. Points leave their
// tangents by at most half of pull * step^2 (B. Taylor, 1715).
static double most_closed(const tangent *a, const tangent *b, double step)
{
    return tangent_advance(a, step) + tangent_advance(b, step) + 0.5 * (a->pull + b->pull) * step * step;
}

// Seconds, up to `left`, in which the gap along n closes by no more than `room`, at no more than `speed`.
static double safe_step(const ab_mover *a, const ab_mover *b, double time, const double n[3], double room, double speed,
                        double left)
{
    tangent tangent_a, tangent_b;
    if (ab_mover_is_straight(a) && ab_mover_is_straight(b)) // then it closes at that speed
    {
        return fmin(room / speed, left);
    }
    lay_tangent(&tangent_a, a, time, n, 1.0);
    lay_tangent(&tangent_b, b, time, n, -1.0);
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

// From a time at which the gap along n is `gap`, to one at which it is less than the tolerance by between a quarter of
// the slip and a half.
static double advance(const ab_mover *a, const ab_mover *b, const double n[3], double time, double gap, double speed,
                      double duration, double tolerance, double slip)
{
    const double least = tolerance - 0.5 * slip, most = least + 0.25 * slip;
    if (ab_mover_is_straight(a) && ab_mover_is_straight(b))
    {
        return time + safe_step(a, b, time, n, gap - least, speed, duration - time);
    }
    for (uint32_t i = 0; i < DIRECTED_ROUNDS && gap > most && time < duration; ++i)
    {
        time += safe_step(a, b, time, n, gap - least, speed, duration - time);
        gap = gap_along(a, b, time, n);
    }
    return time;
}

// The gap between the shapes, or the depth of their overlap.
static void look(ab_sweep *out, const ab_convex *a, const ab_convex *b)
{
    ab_convex_pair pair = { .a = *a, .b = *b };
    ab_convex_contact contact;
    ab_convex_measure(&pair, &contact);
    out->distance = contact.separation;
    memcpy(out->normal, contact.normal, sizeof out->normal);
    memcpy(out->on_a, contact.on_a, sizeof out->on_a);
    memcpy(out->on_b, contact.on_b, sizeof out->on_b);
}

// How much closer the nearest points would come in the time that is left.
static double closing(const ab_mover *a, const ab_mover *b, const ab_sweep *at, const ab_convex *now_a,
                      const ab_convex *now_b, double left)
{
    double velocity_a[3], velocity_b[3], between[3];
    velocity_at(a, now_a, at->time, at->on_a, velocity_a);
    velocity_at(b, now_b, at->time, at->on_b, velocity_b);
    ab_sub(velocity_a, velocity_b, between);
    return ab_dot(between, at->normal) * left;
}

void ab_sweep_movers(const ab_mover *a, const ab_mover *b, double duration, double tolerance, ab_sweep *out)
{
    ab_sweep_movers_from(a, b, 0.0, duration, tolerance, out);
}

// Goes on from out->time. `looked`: what they are then is known.
static void go_on(const ab_mover *a, const ab_mover *b, double duration, double tolerance, bool looked, ab_sweep *out)
{
    // Rounding may bring sliding shapes closer by half of this.
    const double slip = fmin(tolerance, ab_sweep_tolerance(a, b));
    for (uint32_t round = 0; round < AB_SWEEP_ROUNDS; ++round)
    {
        const double before = out->time;
        ab_convex now_a, now_b;
        ab_mover_at(a, out->time, &now_a);
        ab_mover_at(b, out->time, &now_b);
        if (round > 0 || !looked)
        {
            look(out, &now_a, &now_b);
        }
        if (out->time == 0.0 && out->distance < -tolerance)
        {
            out->hit = out->initial = true;
            return;
        }
        const bool within = !(out->distance > tolerance);
        const double left = duration - out->time, speed = most_closing(a, b, out->normal);
        AB_ASSERT(left >= 0.0, round);
        if (!(speed * left > 0.5 * slip))
        {
            return; // the time left does not bring them together
        }
        if (!within)
        {
            out->time = advance(a, b, out->normal, out->time, out->distance, speed, duration, tolerance, slip);
        }
        else if (closing(a, b, out, &now_a, &now_b, left) > 0.5 * slip)
        {
            out->hit = true;
            return;
        }
        else // they slide or part: continue as far as is safe
        {
            const double room = out->distance > slip ? out->distance - 0.5 * slip : slip;
            out->time += safe_step(a, b, out->time, out->normal, room, speed, left);
        }
        if (!(out->time < duration))
        {
            return;
        }
        if (!(out->time > before))
        {
            break; // the step is below the resolution of a double
        }
    }
    out->bound = true;
}

void ab_sweep_movers_from(const ab_mover *a, const ab_mover *b, double start, double duration, double tolerance,
                          ab_sweep *out)
{
    *out = (ab_sweep){ .time = start };
    go_on(a, b, duration, tolerance, false, out);
}

void ab_sweep_to_touch(const ab_mover *a, const ab_mover *b, double start, double duration, ab_sweep *out)
{
    ab_sweep touching;
    ab_sweep_up_to_touch(a, b, start, duration, out, &touching);
}

// Goes on from out->time. `looked`: what they are then is known.
static void go_on_to_touch(const ab_mover *a, const ab_mover *b, double duration, bool looked, ab_sweep *out,
                           ab_sweep *touching)
{
    const double tolerance = ab_sweep_tolerance(a, b), touch = AB_SWEEP_TOUCH * tolerance;
    go_on(a, b, duration, tolerance, looked, out);
    *touching = *out;
    if (out->hit && !out->initial && out->distance > touch)
    {
        touching->hit = false;
        go_on(a, b, duration, touch, true, touching);
        out->hit = touching->hit || touching->bound;
    }
}

void ab_sweep_up_to_touch(const ab_mover *a, const ab_mover *b, double start, double duration, ab_sweep *out,
                          ab_sweep *touching)
{
    *out = (ab_sweep){ .time = start };
    go_on_to_touch(a, b, duration, false, out, touching);
}

#ifdef AB_MESHES
bool ab_sweep_look(const ab_mover *a, const ab_mover *b, double start, double limit, ab_sweep *out)
{
    const double tolerance = ab_sweep_tolerance(a, b), left = limit - start;
    ab_convex now_a, now_b;
    *out = (ab_sweep){ .time = start };
    ab_mover_at(a, start, &now_a);
    ab_mover_at(b, start, &now_b);
    look(out, &now_a, &now_b);
    const double room = out->distance - tolerance, speed = most_closing(a, b, out->normal);
    return !(room > 0.0) || (speed * left > room && safe_step(a, b, start, out->normal, room, speed, left) < left);
}

void ab_sweep_on_to_touch(const ab_mover *a, const ab_mover *b, double duration, ab_sweep *out, ab_sweep *touching)
{
    go_on_to_touch(a, b, duration, true, out, touching);
}
#endif

bool ab_way_approaches(const double way[3], const double normal[3])
{
    const double far = ab_length(way);
    return far == 0.0 || ab_dot(way, normal) > SLIDES * far;
}

bool ab_sweep_counts(const ab_mover *a, const ab_mover *b, const ab_sweep *sweep, ab_overlaps overlaps)
{
    double way[3];
    ab_sub(a->v, b->v, way);
    return !sweep->initial || overlaps == AB_OVERLAPS_ALL ||
           (overlaps == AB_OVERLAPS_APPROACHED && ab_way_approaches(way, sweep->normal));
}

// The largest float not above x.
static float rounded_down(double x)
{
    const float near = (float)x;
    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

abut_impact ab_sweep_impact(const ab_sweep *sweep, const ab_mover *mover)
{
    double middle[3], pivot[3];
    ab_sub(sweep->on_b, sweep->on_a, middle);
    ab_along(sweep->on_a, 0.5, middle, middle);
    ab_along(mover->pivot, sweep->time, mover->v, pivot);
    ab_sub(middle, pivot, middle);
    const double *n = sweep->normal;
    return (abut_impact){
        .hit = sweep->hit,
        .time = rounded_down(sweep->time),
        .normal = abut_vec3_make((float)n[0], (float)n[1], (float)n[2]),
        .offset = abut_vec3_make((float)middle[0], (float)middle[1], (float)middle[2]),
        .distance = (float)sweep->distance,
        .flags = (sweep->initial ? ABUT_IMPACT_INITIAL : 0u) | (sweep->bound ? ABUT_IMPACT_BOUND : 0u),
    };
}
