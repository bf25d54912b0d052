// The referee's judgement of a manifold: each check is a documented property, measured in double.
#include "referee_judgement.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool wrong(const referee_judgement *j, const char *format, ...)
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

static bool is_box(const referee_solid *solid)
{
    return !solid->ball && !solid->capsule;
}

static int axis_code(const abut_point *point)
{
    return (int)(point->feature >> 8);
}

static bool finite_vector(abut_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool numbers_are_finite(const referee_judgement *j)
{
    bool finite = finite_vector(j->m->normal) && isfinite(j->m->separation);
    for (uint32_t k = 0; k < j->m->point_count; ++k)
    {
        finite = finite && finite_vector(j->m->points[k].offset) && isfinite(j->m->points[k].separation);
    }
    return finite || wrong(j, "a number is not finite");
}

static bool empty_is_right(const referee_judgement *j, referee_verdict verdict)
{
    if (verdict == REFEREE_TOUCHING)
    {
        return wrong(j, "missed: separation %.9g, margin %.9g, band %.3g", j->contact.separation, j->margin,
                     j->contact.band);
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

static bool same_direction(const referee_judgement *j, const referee_axis *axis)
{
    double apart = dvec3_length(dvec3_sub(j->normal, axis->normal));
    double opposite = axis->two_way ? dvec3_length(dvec3_add(j->normal, axis->normal)) : 2.0;
    return fmin(apart, opposite) <= direction_tolerance(axis);
}

// Where capsules cross, or one lies in something, the ways out are many: what is said along the normal is what counts.
static bool normal_is_right(const referee_judgement *j)
{
    if (j->a->capsule || j->b->capsule)
    {
        return j->along >= j->contact.separation - j->exact ||
               wrong(j, "along the normal %.9g %.9g %.9g the separation is %.9g, the best %.9g", j->normal.x,
                     j->normal.y, j->normal.z, j->along, j->contact.separation);
    }
    for (int k = 0; k < j->contact.count; ++k)
    {
        const referee_axis *axis = &j->contact.axis[k];
        bool named = j->code < 0 || axis->code == j->code;
        if (named && axis->separation >= j->range.low - j->yielding && same_direction(j, axis))
        {
            return true;
        }
    }
    const referee_axis *best = &j->contact.axis[j->contact.best];
    return wrong(j, "normal %.9g %.9g %.9g (axis %d) is none of the best; the best is axis %d: %.9g %.9g %.9g",
                 j->normal.x, j->normal.y, j->normal.z, j->code, best->code, best->normal.x, best->normal.y,
                 best->normal.z);
}

// Along the normal; but boxes that overlap along it, and are apart along another axis, report that axis's separation.
static bool separation_is_right(const referee_judgement *j)
{
    double said = (double)j->m->separation;
    bool told_apart = said > 0.0 && j->along <= j->exact && j->contact.separation > -j->contact.band;
    if (fabs(said - j->along) > j->exact && !told_apart)
    {
        return wrong(j, "separation %.9g, but along the normal it is %.9g", said, j->along);
    }
    if (said > j->range.high + j->exact || said < j->range.low - j->yielding - j->exact)
    {
        return wrong(j, "separation %.9g, but the best axis gives %.9g", said, j->contact.separation);
    }
    return true;
}

dvec3 referee_world_point(const referee_judgement *j, int k)
{
    return dvec3_add(j->origin, widen(j->m->points[k].offset));
}

// A point is midway between the surfaces: half its separation either way along the normal lies on each. Where the
// features that name the axis pass beside each other, which only boxes that are merely near do, it lies between those
// features. Boxes that are apart along another axis, whose separation they report, overlap along the face that is named
// all the same: by no more than along the normal, and the point is in the middle of that.
static bool point_is_on_surfaces(const referee_judgement *j, int k)
{
    double gap = (double)j->m->points[k].separation;
    double within = gap > 0.0 && j->along < 0.0 && gap == (double)j->m->separation ? 0.5 * (gap - j->along) : 0.0;
    dvec3 point = referee_world_point(j, k);
    double off_a = fabs(referee_point_distance(j->a, dvec3_along(point, -0.5 * gap, j->normal)));
    double off_b = fabs(referee_point_distance(j->b, dvec3_along(point, 0.5 * gap, j->normal)));
    double allowed = j->exact + j->beside + within;
    bool on_a = off_a <= allowed || (j->lone && j->code >= 3);
    bool on_b = off_b <= allowed || (j->lone && j->code < 3);
    if (!on_a || !on_b)
    {
        return wrong(j, "point %d with separation %.9g misses the surfaces by %.3g and %.3g (tolerance %.3g)", k, gap,
                     off_a, off_b, allowed);
    }
    double outside = fmax(referee_point_distance(j->a, point), referee_point_distance(j->b, point));
    if (outside > 0.5 * fabs(gap) + allowed && !j->lone)
    {
        return wrong(j, "point %d lies %.3g outside, its separation is %.9g", k, outside, gap);
    }
    return true;
}

static bool point_is_right(const referee_judgement *j, int k)
{
    double gap = (double)j->m->points[k].separation;
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
    return point_is_on_surfaces(j, k);
}

// The deepest point of a face is as deep as the manifold where the axis is the best; where another was better by the
// preference, nearly so. Boxes that only come near need not have a point where they are nearest along the axis, and of
// a thin patch rounding may lose any vertex.
static bool deepest_is_right(const referee_judgement *j)
{
    double deepest = HUGE_VAL;
    for (uint32_t k = 0; k < j->m->point_count; ++k)
    {
        deepest = fmin(deepest, (double)j->m->points[k].separation);
    }
    // A fixed direction decides between points of boxes that are nearly as deep, so that rounding does not.
    if (j->code >= 0 && (double)j->m->points[0].separation > deepest + 2e-4 * j->contact.scale)
    {
        return wrong(j, "the first point has %.9g, the deepest %.9g", (double)j->m->points[0].separation, deepest);
    }
    bool is_best = j->along >= j->contact.separation - j->exact;
    bool face = 0 <= j->code && j->code < 6;
    double slack = 5.0 * (is_best || !face ? j->exact : j->yielding);
    bool owed = !face || (j->contact.separation < 0.0 && !j->thin);
    if (owed && fabs(deepest - j->along) > slack)
    {
        return wrong(j, "the deepest point has %.9g, along the normal it is %.9g", deepest, j->along);
    }
    return true;
}

// The manifold's own numbers, before its points.
static bool header_is_right(referee_judgement *j)
{
    bool line = (j->a->capsule && !j->b->ball) || (j->b->capsule && !j->a->ball);
    uint32_t most = j->code >= 0 ? 4 : line ? 2 : 1;
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
    return normal_is_right(j) && separation_is_right(j);
}

static const referee_axis *axis_named(const referee_judgement *j)
{
    for (int k = 0; k < j->contact.count; ++k)
    {
        if (j->contact.axis[k].code == j->code)
        {
            return &j->contact.axis[k];
        }
    }
    return NULL;
}

static bool touching_is_right(referee_judgement *j, double *covered)
{
    j->code = is_box(j->a) && is_box(j->b) ? axis_code(&j->m->points[0]) : -1;
    if (!header_is_right(j))
    {
        return false;
    }
    bool face = 0 <= j->code && j->code < 6;
    referee_facing facing = { .count = 0 };
    if (face)
    {
        facing = referee_face_to_face(j);
        j->thin = referee_patch_is_thin(j, &facing.patch[0]);
        j->beside = j->thin ? referee_distance(j->a, j->b) : 0.0;
        j->lone = j->thin && j->m->point_count == 1;
    }
    else if (j->code >= 6)
    {
        double apart = referee_cross(j->a, j->b, axis_named(j)).apart;
        j->beside = sqrt(fmax(0.0, apart * apart - j->along * j->along));
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
    *covered = face && !j->lone ? referee_cover(j, &facing) : -1.0;
    if (*covered >= 0.0 && *covered < REFEREE_COVER)
    {
        return wrong(j, "%u points span %.4f of what the best four could", j->m->point_count, *covered);
    }
    return true;
}

bool referee_check(const referee_solid *a, const referee_solid *b, dvec3 origin, double margin, const abut_manifold *m,
                   double *covered, char why[REFEREE_WHY])
{
    referee_judgement j = { .a = a, .b = b, .m = m, .origin = origin, .margin = margin, .why = why };
    j.contact = referee_collide(a, b);
    j.exact = REFEREE_EXACT * (j.contact.scale + margin);
    j.yielding = (is_box(a) && is_box(b) ? REFEREE_PREFERENCE : REFEREE_EXACT) * j.contact.scale;

    double ignored;
    covered = covered ? covered : &ignored;
    *covered = -1.0;
    why[0] = '\0';
    referee_verdict verdict = referee_decide_contact(a, b, &j.contact, margin);
    if (m->point_count == 0)
    {
        return empty_is_right(&j, verdict);
    }
    if (verdict == REFEREE_APART)
    {
        return wrong(&j, "false touch: separation %.9g, margin %.9g, band %.3g", j.contact.separation, margin,
                     j.contact.band);
    }
    j.range = referee_blur(a, b, &j.contact);
    j.yielding += referee_near_face_yield(a, b, &j.contact);
    return touching_is_right(&j, covered);
}

bool referee_check_manifold(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            float margin, const abut_manifold *m, char why[REFEREE_WHY])
{
    referee_solid solid_a = referee_solid_of(a, pose_a, NULL);
    referee_solid solid_b = referee_solid_of(b, pose_b, NULL);
    return referee_check(&solid_a, &solid_b, widen(pose_a->position), (double)margin, m, NULL, why);
}
