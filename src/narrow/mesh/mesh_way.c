// Boxes around a way, and its stages.
#include "narrow/mesh/mesh_way.h"

#include <math.h>

#define GROWTH 1.5  // of a stage, compared with the one before
#define LEAST  1e-4 // of the way: the first stage's share; with it AB_WAY_STAGES are enough

ab_mesh_box ab_swept_box(const ab_mover *mover, const ab_mover *other, double duration)
{
    const double turned = fmin(ab_length(other->w) * duration, 2.0),
                 own_turned = fmin(ab_length(mover->w) * duration, 2.0);
    double between[3], away[3];
    ab_sub(other->v, mover->v, between);
    ab_sub(other->pivot, mover->pivot, away);
    const double way = ab_length(between) * duration;
    const double farthest = ab_length(away) + other->reach + other->start.core.rounding + way;
    const double more = ab_sweep_tolerance(other, mover) + turned * other->reach + own_turned * farthest;
    ab_convex there = other->start;
    ab_along(there.centre, duration, between, there.centre);
    ab_mesh_box box = ab_mesh_box_around(&mover->start, &other->start, more);
    const ab_mesh_box end = ab_mesh_box_around(&mover->start, &there, more);
    for (int k = 0; k < 3; ++k)
    {
        box.min[k] = end.min[k] < box.min[k] ? end.min[k] : box.min[k];
        box.max[k] = end.max[k] > box.max[k] ? end.max[k] : box.max[k];
    }
    return box;
}

// The same mover, later.
static void go_on_from(const ab_mover *mover, double time, ab_mover *out)
{
    *out = *mover;
    ab_mover_at(mover, time, &out->start);
    ab_along(mover->pivot, time, mover->v, out->pivot);
}

ab_mesh_box ab_swept_box_between(const ab_mover *mover, const ab_mover *other, double start, double end)
{
    ab_mover from, by;
    if (start == 0.0)
    {
        return ab_swept_box(mover, other, end);
    }
    go_on_from(mover, start, &from);
    go_on_from(other, start, &by);
    return ab_swept_box(&from, &by, end - start);
}

// How far some point of the other may come, seen from the mover, in a second.
static double fastest(const ab_mover *mover, const ab_mover *other, double duration)
{
    double between[3], away[3];
    ab_sub(other->v, mover->v, between);
    ab_sub(other->pivot, mover->pivot, away);
    const double straight = ab_length(between), farthest = ab_length(away) + other->reach + straight * duration;
    return straight + ab_length(other->w) * other->reach + ab_length(mover->w) * farthest;
}

static void lay_stage(ab_way *way)
{
    const double end = way->start + way->length;
    way->end = end < way->duration && way->count + 1 < AB_WAY_STAGES ? end : way->duration;
    way->box[way->count++] = ab_swept_box_between(way->mover, way->other, way->start, way->end);
}

void ab_way_begin(ab_way *way, const ab_mover *mover, const ab_mover *other, double duration)
{
    const double size = other->start.size, far = fastest(mover, other, duration) * duration;
    way->mover = mover;
    way->other = other;
    way->duration = duration;
    way->start = 0.0;
    way->count = 0;
    way->length = far > size ? duration * fmax(size / far, LEAST) : duration;
    lay_stage(way);
}

bool ab_way_go_on(ab_way *way)
{
    if (!(way->end < way->duration))
    {
        return false;
    }
    way->start = way->end;
    way->length *= GROWTH;
    lay_stage(way);
    return true;
}

bool ab_way_has_met(const ab_way *way, const ab_mesh *mesh, uint32_t triangle)
{
    bool met = false;
    for (uint32_t i = 0; i + 1 < way->count && !met; ++i)
    {
        met = ab_mesh_triangle_within(mesh, triangle, &way->box[i]);
    }
    return met;
}

void ab_way_ball_of(const ab_mover *mover, const ab_mover *other, double duration, ab_way_ball *out)
{
    double away[3], between[3], arm[3];
    ab_sub(other->pivot, mover->start.centre, away);
    ab_sub(other->v, mover->v, between);
    ab_sub(other->start.centre, other->pivot, arm);
    for (int k = 0; k < 3; ++k)
    {
        out->at[k] = ab_dot(away, mover->start.axis + 3 * k);
        out->way[k] = ab_dot(between, mover->start.axis + 3 * k);
    }
    const double inside = ab_length(arm) + ab_length(other->start.core.half) + other->start.core.rounding;
    const double far = ab_length(away) + ab_length(between) * duration + inside;
    out->radius =
        ab_length(mover->w) > 0.0 ? HUGE_VAL : inside + ab_sweep_tolerance(mover, other) + AB_AXES_SLACK * far;
    out->duration = duration;
}

bool ab_way_ball_meets(const ab_way_ball *ball, const double min[3], const double max[3], double *start)
{
    double first = 0.0, last = ball->duration;
    *start = 0.0;
    if (ball->radius == HUGE_VAL)
    {
        return true;
    }
    for (int k = 0; k < 3; ++k)
    {
        const double low = min[k] - ball->radius - ball->at[k], high = max[k] + ball->radius - ball->at[k];
        if (ball->way[k] == 0.0)
        {
            last = low <= 0.0 && high >= 0.0 ? last : -1.0;
            continue;
        }
        const double one = low / ball->way[k], other = high / ball->way[k];
        first = fmax(first, fmin(one, other));
        last = fmin(last, fmax(one, other));
    }
    *start = first;
    return first <= last;
}

bool ab_way_ball_meets_triangle(const ab_way_ball *ball, const ab_mesh *mesh, uint32_t triangle, double *start)
{
    double corner[3][3], min[3], max[3];
    ab_mesh_corners(mesh, triangle, corner);
    for (int k = 0; k < 3; ++k)
    {
        min[k] = fmin(fmin(corner[0][k], corner[1][k]), corner[2][k]);
        max[k] = fmax(fmax(corner[0][k], corner[1][k]), corner[2][k]);
    }
    return ab_way_ball_meets(ball, min, max, start);
}
