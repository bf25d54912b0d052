// The referee's judgement of a manifold: each check is a sentence that the interface promises, measured in double.
#include "referee.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COVER 0.99 // of the best four points' area

// What is being judged.
typedef struct judgement
{
    const referee_solid *a, *b;
    const abut_manifold *m;
    dvec3 origin; // of the points' offsets
    double margin;
    referee_meeting meeting;
    dvec3 normal;    // the manifold's, made a unit in double
    double along;    // separation along it
    double exact;    // metres: tolerance on lengths
    double yielding; // metres: how much worse than the best the chosen axis may be
    bool boxes;
    char *why;
} judgement;

static bool wrong(const judgement *j, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->why, REFEREE_WHY, format, arguments);
    va_end(arguments);
    return false;
}

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static int axis_code(const abut_point *point)
{
    return (int)(point->feature >> 8);
}

static bool finite_vector(abut_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool numbers_are_finite(const judgement *j)
{
    bool finite = finite_vector(j->m->normal) && isfinite(j->m->separation);
    for (uint32_t k = 0; k < j->m->point_count; ++k)
    {
        finite = finite && finite_vector(j->m->points[k].offset) && isfinite(j->m->points[k].separation);
    }
    return finite || wrong(j, "a number is not finite");
}

static bool empty_is_right(const judgement *j, double past, double slack)
{
    if (past < -slack)
    {
        return wrong(j, "missed: separation %.9g, margin %.9g, band %.3g", j->meeting.separation, j->margin, slack);
    }
    const abut_vec3 *n = &j->m->normal;
    if (n->x != 0.0f || n->y != 0.0f || n->z != 0.0f || j->m->separation != 0.0f)
    {
        return wrong(j, "an empty manifold is not all zero");
    }
    return true;
}

// Points are as good as their direction is well conditioned: a cross product of length l turns by rounding over l.
static double direction_tolerance(const referee_axis *axis)
{
    return 1e-5 + 1e-6 / axis->length;
}

static bool same_direction(const judgement *j, const referee_axis *axis)
{
    double apart = dvec3_length(dvec3_sub(j->normal, axis->normal));
    double opposite = axis->two_way ? dvec3_length(dvec3_add(j->normal, axis->normal)) : 2.0;
    return fmin(apart, opposite) <= direction_tolerance(axis);
}

static bool normal_is_right(const judgement *j)
{
    for (int k = 0; k < j->meeting.count; ++k)
    {
        const referee_axis *axis = &j->meeting.axis[k];
        bool named = !j->boxes || axis->code == axis_code(&j->m->points[0]);
        if (named && axis->separation >= j->meeting.separation - j->yielding && same_direction(j, axis))
        {
            return true;
        }
    }
    const referee_axis *best = &j->meeting.axis[j->meeting.best];
    return wrong(j, "normal %.9g %.9g %.9g (axis %d) is none of the best; the best is axis %d: %.9g %.9g %.9g",
                 j->normal.x, j->normal.y, j->normal.z, axis_code(&j->m->points[0]), best->code, best->normal.x,
                 best->normal.y, best->normal.z);
}

static bool separation_is_right(const judgement *j)
{
    double said = (double)j->m->separation;
    double best = j->meeting.separation;
    if (fabs(said - best) > j->exact)
    {
        return wrong(j, "separation %.9g, but the best axis gives %.9g", said, best);
    }
    if (j->along < best - j->yielding - j->exact)
    {
        return wrong(j, "separation %.9g, but along the normal it is %.9g", said, j->along);
    }
    return true;
}

static dvec3 world_point(const judgement *j, int k)
{
    return dvec3_add(j->origin, widen(j->m->points[k].offset));
}

// A point is midway between the surfaces: half its separation either way along the normal lies on each.
static bool point_is_right(const judgement *j, int k)
{
    double gap = (double)j->m->points[k].separation;
    dvec3 point = world_point(j, k);
    double off_a = referee_point_distance(j->a, dvec3_along(point, -0.5 * gap, j->normal));
    double off_b = referee_point_distance(j->b, dvec3_along(point, 0.5 * gap, j->normal));
    if (fabs(off_a) > j->exact || fabs(off_b) > j->exact)
    {
        return wrong(j, "point %d with separation %.9g misses the surfaces by %.3g and %.3g (tolerance %.3g)", k, gap,
                     off_a, off_b, j->exact);
    }
    double outside = fmax(referee_point_distance(j->a, point), referee_point_distance(j->b, point));
    if (outside > 0.5 * fabs(gap) + j->exact)
    {
        return wrong(j, "point %d lies %.3g outside, its separation is %.9g", k, outside, gap);
    }
    if (gap > j->margin + j->exact || gap < j->along - j->exact)
    {
        return wrong(j, "point %d has separation %.9g, the manifold %.9g, margin %.9g", k, gap,
                     (double)j->m->separation, j->margin);
    }
    for (int other = 0; other < k; ++other)
    {
        if (j->m->points[other].feature == j->m->points[k].feature)
        {
            return wrong(j, "points %d and %d have the same feature %#x", other, k, j->m->points[k].feature);
        }
    }
    if (axis_code(&j->m->points[k]) != axis_code(&j->m->points[0]))
    {
        return wrong(j, "points of two axes");
    }
    return true;
}

// The deepest point of a face is as deep as the manifold where the axis is the best; where another was better by the
// preference, nearly so. Boxes that only come near need not have a point where they are nearest along the axis.
static bool deepest_is_right(const judgement *j)
{
    double deepest = HUGE_VAL;
    for (uint32_t k = 0; k < j->m->point_count; ++k)
    {
        deepest = fmin(deepest, (double)j->m->points[k].separation);
    }
    bool is_best = j->along >= j->meeting.separation - j->exact;
    bool single = !j->boxes || axis_code(&j->m->points[0]) >= 6;
    double slack = is_best || single ? 2.0 * j->exact : 5.0 * j->yielding;
    if ((single || j->meeting.separation < 0.0) && fabs(deepest - (double)j->m->separation) > slack)
    {
        return wrong(j, "the deepest point has %.9g, the manifold %.9g", deepest, (double)j->m->separation);
    }
    return true;
}

// How much of the area of one patch's best four points ours span; -1 where rounding would blur the answer by more than a
// fifth of what is allowed, or a vertex lies so near the margin that it may be in or out.
static double cover_of(const judgement *j, const referee_patch *patch, dvec3 outward)
{
    dvec3 kept[12];
    int count = 0;
    double perimeter = 0.0;
    for (int k = 0; k < patch->count; ++k)
    {
        if (fabs(patch->height[k] - j->margin) <= j->exact)
        {
            return -1.0;
        }
        if (patch->height[k] < j->margin)
        {
            kept[count++] = patch->vertex[k];
        }
    }
    for (int k = 0; k < count; ++k)
    {
        perimeter += dvec3_length(dvec3_sub(kept[(k + 1) % count], kept[k]));
    }
    double best = referee_best_four(kept, count, outward);
    if (best * 0.2 * (1.0 - COVER) <= perimeter * REFEREE_BAND * j->meeting.scale)
    {
        return -1.0;
    }
    dvec3 ours[4];
    for (int k = 0; k < (int)j->m->point_count; ++k)
    {
        ours[k] = world_point(j, k);
    }
    return referee_best_four(ours, (int)j->m->point_count, outward) / best;
}

// The incident face is the one most nearly parallel to the reference face; of equals, any.
static double cover(const judgement *j)
{
    int code = axis_code(&j->m->points[0]);
    const referee_solid *reference = code < 3 ? j->a : j->b;
    const referee_solid *incident = code < 3 ? j->b : j->a;
    dvec3 outward = reference->axis[code % 3];
    double towards = dvec3_dot(outward, j->normal) * (code < 3 ? 1.0 : -1.0);
    outward = dvec3_scale(outward, towards < 0.0 ? -1.0 : 1.0);

    double facing = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        facing = fmax(facing, fabs(dvec3_dot(incident->axis[i], outward)));
    }
    double best = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        if (fabs(dvec3_dot(incident->axis[i], outward)) >= facing - 1e-5)
        {
            referee_patch patch = referee_clip(reference, code % 3, outward, incident, i);
            double covered = cover_of(j, &patch, outward);
            if (covered < 0.0)
            {
                return -1.0;
            }
            best = fmax(best, covered);
        }
    }
    return best;
}

static bool touching_is_right(judgement *j, double *covered)
{
    uint32_t most = j->boxes ? 4 : 1;
    if (j->m->point_count > most)
    {
        return wrong(j, "%u points", j->m->point_count);
    }
    if (!numbers_are_finite(j))
    {
        return false;
    }
    double length = dvec3_length(widen(j->m->normal));
    if (!(fabs(length - 1.0) <= 1e-6))
    {
        return wrong(j, "the normal has length %.9g", length);
    }
    j->normal = dvec3_scale(widen(j->m->normal), 1.0 / length);
    j->along = referee_separation_along(j->a, j->b, j->normal);
    if (!normal_is_right(j) || !separation_is_right(j))
    {
        return false;
    }
    for (uint32_t k = 0; k < j->m->point_count; ++k)
    {
        if (!point_is_right(j, (int)k))
        {
            return false;
        }
    }
    if (!deepest_is_right(j))
    {
        return false;
    }
    *covered = j->boxes && axis_code(&j->m->points[0]) < 6 ? cover(j) : -1.0;
    if (*covered >= 0.0 && *covered < COVER)
    {
        return wrong(j, "%u points span %.4f of what the best four could", j->m->point_count, *covered);
    }
    return true;
}

bool referee_check(const referee_solid *a, const referee_solid *b, dvec3 origin, double margin, const abut_manifold *m,
                   double *covered, char why[REFEREE_WHY])
{
    judgement j = { .a = a, .b = b, .m = m, .origin = origin, .margin = margin, .why = why };
    j.meeting = referee_meet(a, b);
    j.boxes = !a->ball && !b->ball;
    j.exact = REFEREE_EXACT * (j.meeting.scale + margin);
    j.yielding = (j.boxes ? REFEREE_PREFERENCE : REFEREE_EXACT) * j.meeting.scale;

    double ignored;
    covered = covered ? covered : &ignored;
    *covered = -1.0;
    why[0] = '\0';
    double past = j.meeting.separation - margin;
    double slack = j.meeting.band + REFEREE_BAND * margin;
    if (m->point_count == 0)
    {
        return empty_is_right(&j, past, slack);
    }
    if (past > slack)
    {
        return wrong(&j, "false touch: separation %.9g, margin %.9g, band %.3g", j.meeting.separation, margin, slack);
    }
    return touching_is_right(&j, covered);
}

bool referee_check_manifold(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            float margin, const abut_manifold *m, char why[REFEREE_WHY])
{
    referee_solid solid_a = referee_solid_of(a, pose_a, NULL);
    referee_solid solid_b = referee_solid_of(b, pose_b, NULL);
    return referee_check(&solid_a, &solid_b, widen(pose_a->position), (double)margin, m, NULL, why);
}
