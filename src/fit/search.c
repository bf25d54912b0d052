// Searches the axes of the smallest box. Once one axis is chosen, the best box with that axis is known: the least
// rectangle around the points seen along it, found by calipers. What remains is a search over directions, for the
// minimum of a continuous function with creases and many local minima. It tries evenly spread directions, keeps the
// smallest distinct boxes, and improves them by shrinking steps (pattern search).
//
// It works on few points: the extremes in some directions (T. Larsson, L. Kaellberg, Fast Computation of Tight-Fitting
// Oriented Bounding Boxes, Game Engine Gems 2, 2011). A box around these is no larger than around the cloud with the
// same axes; points of the cloud that stick out of it join them. So a box of the few that is no smaller than the best
// box of the cloud ends its local search. The global search repeats with other directions until it finds nothing
// better.
#include "fit/search.h"

#include "math/hull.h"
#include "math/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST = 3,         // directions are integer vectors with this as their largest component,
    DIRECTIONS = 109, // (7^3 - 5^3) / 2 of them: one of each opposite pair
    ROOM = 2 * DIRECTIONS + 300,
    KEPT = 12,        // boxes that are improved
    ROUNDS = 12,      // of letting points join, after each global search
    MOST_STEPS = 4000 // in improving one box: hundreds are usual
};

#define ALIKE       0.97   // cosine of 14 degrees, within which axes count as equal
#define GAIN        3.0e-4 // relative gain that makes a box worth improving
#define FIRST_STEP  0.1    // radians; neighbouring directions are about 0.2 apart
#define LATER_STEP  0.02
#define FINAL_STEP  1.0e-3
#define COARSE_STEP 2.0e-4 // where improvement ends
#define FINE_STEP   1.0e-6

// A box, as its axes and its size.
typedef struct candidate
{
    double axis[9];
    double size;
    double slimness; // its least extent over its greatest: the scale of angles that matter
} candidate;

typedef struct search
{
    const ab_cloud *cloud;
    double middle[3];          // of the cloud: the origin of the coordinates below
    double point[ROOM + 1][3]; // the few, distinct, and room for one more
    size_t count;
    ab_dvec2 flat[ROOM], hull[2 * ROOM]; // scratch: seen along a direction
    candidate kept[KEPT];                // by size around the few, the smallest first
    int kept_count;
    candidate best; // by size around the whole cloud
} search;

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void scale_to_one(double v[3])
{
    const double inverse = 1.0 / sqrt(ab_dot(v, v));
    for (int k = 0; k < 3; ++k)
    {
        v[k] *= inverse;
    }
}

// Completes the unit vector d to a right-handed frame (u, v, d).
static void frame_across(const double d[3], double u[3], double v[3])
{
    const int least_of_xy = fabs(d[0]) <= fabs(d[1]) ? 0 : 1;
    const int k = fabs(d[least_of_xy]) <= fabs(d[2]) ? least_of_xy : 2;
    double beside[3] = { 0.0, 0.0, 0.0 };
    beside[k] = 1.0;
    cross(beside, d, u);
    scale_to_one(u);
    cross(d, u, v);
}

static double slimness_of(const ab_cloud *cloud, double x, double y, double z)
{
    const double xy_least = x < y ? x : y, xy_most = x < y ? y : x;
    const double least = z < xy_least ? z : xy_least, most = z > xy_most ? z : xy_most;
    return (least > cloud->granularity ? least : cloud->granularity) /
           (most > cloud->granularity ? most : cloud->granularity);
}

// The best box around the few whose third axis is the unit vector d.
static candidate complete(search *s, const double d[3])
{
    double u[3], v[3], low = 0.0, high = 0.0;
    frame_across(d, u, v);
    for (size_t i = 0; i < s->count; ++i)
    {
        const double *p = s->point[i], along = ab_dot(p, d);
        s->flat[i] = (ab_dvec2){ ab_dot(p, u), ab_dot(p, v) };
        low = i == 0 || along < low ? along : low;
        high = i == 0 || along > high ? along : high;
    }
    const size_t corners = ab_hull_of(s->flat, s->count, s->hull);
    const ab_rectangle across = ab_least_rectangle(s->hull, corners, 2.0 * s->cloud->granularity);
    candidate c;
    for (int k = 0; k < 3; ++k)
    {
        c.axis[k] = across.along.x * u[k] + across.along.y * v[k];
        c.axis[3 + k] = across.along.x * v[k] - across.along.y * u[k];
        c.axis[6 + k] = d[k];
    }
    c.size = ab_cloud_measure(s->cloud, 0.5 * across.first, 0.5 * across.second, 0.5 * (high - low));
    c.slimness = slimness_of(s->cloud, across.first, across.second, high - low);
    return c;
}

// Whether two boxes' axes are nearly equal, up to order and sign.
static bool alike(const candidate *a, const candidate *b)
{
    for (int i = 0; i < 3; ++i)
    {
        double nearest = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            const double cosine = fabs(ab_dot(a->axis + 3 * i, b->axis + 3 * k));
            nearest = cosine > nearest ? cosine : nearest;
        }
        if (nearest < ALIKE)
        {
            return false;
        }
    }
    return true;
}

// Keeps the box if it is among the smallest, and smaller than similar ones, which it replaces.
static void consider(search *s, const candidate *c)
{
    candidate list[KEPT + 1];
    int count = 0;
    bool placed = false;
    for (int i = 0; i < s->kept_count; ++i)
    {
        const candidate *kept = &s->kept[i];
        const bool same = alike(c, kept);
        if (!placed && c->size < kept->size)
        {
            list[count++] = *c;
            placed = true;
        }
        if (same && !placed)
        {
            return;
        }
        if (!same)
        {
            list[count++] = *kept;
        }
    }
    if (!placed)
    {
        list[count++] = *c;
    }
    s->kept_count = count < KEPT ? count : KEPT;
    memcpy(s->kept, list, (size_t)s->kept_count * sizeof *list);
}

// Steps around the third axis, each time in other directions; halves the step when none makes the box smaller. `steps`
// bounds the iterations: on a sliver of a cloud, tiny gains can continue without end.
static void improve_third(search *s, candidate *c, double step, double last_step, int *steps)
{
    const candidate again = complete(s, c->axis + 6);
    *c = again.size < c->size ? again : *c;
    float angle = 0.0f;
    while (step > last_step * c->slimness && --*steps > 0)
    {
        double u[3], v[3];
        bool better = false;
        frame_across(c->axis + 6, u, v);
        for (int i = 0; i < 8 && !better; ++i)
        {
            float sine, cosine;
            double d[3];
            ab_sincos_float(angle, &sine, &cosine);
            angle += 0.78539816f; // an eighth of a turn
            for (int k = 0; k < 3; ++k)
            {
                d[k] = c->axis[6 + k] + step * (cosine * u[k] + sine * v[k]);
            }
            scale_to_one(d);
            const candidate tried = complete(s, d);
            better = tried.size < c->size * (1.0 - 0.01 * step / c->slimness);
            *c = better ? tried : *c;
        }
        angle += 0.31f; // not commensurable with eighths
        step *= better ? 1.5 : 0.5;
    }
}

// Improves each axis in turn, until none helps.
static void improve(search *s, candidate *c, double step, double last_step)
{
    int steps = MOST_STEPS;
    for (int idle = 0; idle < 3 && steps > 0;)
    {
        const double before = c->size;
        improve_third(s, c, step, last_step, &steps);
        idle = c->size < before * (1.0 - 1.0e-4) ? 0 : idle + 1;
        const candidate found = *c;
        memcpy(c->axis, found.axis + 3, 6 * sizeof *c->axis);
        memcpy(c->axis + 6, found.axis, 3 * sizeof *c->axis);
    }
}

// Adds a point of the cloud to the few, unless it is a duplicate or there is no room.
static void join(search *s, const double point[3])
{
    double *position = s->point[s->count];
    for (int k = 0; k < 3; ++k)
    {
        position[k] = point[k] - s->middle[k];
    }
    bool known = s->count == ROOM;
    for (size_t i = 0; i < s->count && !known; ++i)
    {
        const double *other = s->point[i];
        known = other[0] == position[0] && other[1] == position[1] && other[2] == position[2];
    }
    s->count += !known;
}

static void list_directions(double directions[DIRECTIONS][3])
{
    int count = 0;
    for (int x = 0; x <= MOST; ++x)
    {
        for (int y = -MOST; y <= MOST; ++y)
        {
            for (int z = -MOST; z <= MOST; ++z)
            {
                const bool outermost = x == MOST || abs(y) == MOST || abs(z) == MOST;
                const bool first_of_pair = x > 0 || y > 0 || (y == 0 && z > 0);
                if (outermost && first_of_pair)
                {
                    directions[count][0] = x;
                    directions[count][1] = y;
                    directions[count++][2] = z;
                }
            }
        }
    }
}

// Rotates all directions by the angle of a 3-4-5 triangle about two axes: no power of that is the identity.
static void turn_directions(double directions[DIRECTIONS][3])
{
    for (int k = 0; k < DIRECTIONS; ++k)
    {
        double *d = directions[k];
        const double x = 0.8 * d[0] - 0.6 * d[1], y = 0.6 * d[0] + 0.8 * d[1];
        d[0] = x;
        d[1] = 0.8 * y - 0.6 * d[2];
        d[2] = 0.6 * y + 0.8 * d[2];
    }
}

static void choose_points(search *s, const double directions[DIRECTIONS][3])
{
    double extremes[2 * DIRECTIONS][3], reach[2 * DIRECTIONS];
    ab_cloud_extremes(s->cloud, directions, DIRECTIONS, extremes, reach);
    for (int k = 0; k < 2 * DIRECTIONS; ++k)
    {
        join(s, extremes[k]);
    }
}

static void try_direction(search *s, const double direction[3])
{
    double d[3] = { direction[0], direction[1], direction[2] };
    scale_to_one(d);
    const candidate c = complete(s, d);
    consider(s, &c);
}

// Measures the candidate around the whole cloud. True when points that stick out of its box joined the few.
static bool measure(search *s, const candidate *c)
{
    double axes[3][3], extremes[6][3], reach[6];
    memcpy(axes, c->axis, sizeof axes);
    ab_cloud_extremes(s->cloud, (const double(*)[3])axes, 3, extremes, reach);
    candidate whole = *c;
    whole.size = ab_cloud_measure(s->cloud, 0.5 * (reach[0] + reach[1]), 0.5 * (reach[2] + reach[3]),
                                  0.5 * (reach[4] + reach[5]));
    s->best = whole.size < s->best.size ? whole : s->best;
    const size_t before = s->count;
    for (int k = 0; k < 6; ++k)
    {
        join(s, extremes[k]);
    }
    return s->count > before;
}

// Only a box that is smaller around the few than the best around the cloud can become the best.
static bool contends(const search *s, const candidate *c)
{
    return c->size < s->best.size * (1.0 - GAIN);
}

// Recomputes the kept boxes after points joined.
static void complete_kept(search *s)
{
    candidate list[KEPT];
    const int count = s->kept_count;
    memcpy(list, s->kept, sizeof list);
    s->kept_count = 0;
    for (int i = 0; i < count; ++i)
    {
        const candidate again = complete(s, list[i].axis + 6);
        consider(s, &again);
    }
}

static void improve_first(search *s)
{
    candidate first = s->kept[0];
    if (contends(s, &first))
    {
        improve(s, &first, LATER_STEP, COARSE_STEP);
        consider(s, &first);
    }
}

static void improve_kept(search *s)
{
    candidate list[KEPT];
    const int count = s->kept_count;
    memcpy(list, s->kept, sizeof list);
    s->kept_count = 0;
    for (int i = 0; i < count; ++i)
    {
        improve(s, &list[i], FIRST_STEP, COARSE_STEP);
        consider(s, &list[i]);
    }
}

// Searches all directions, on the few points.
static void look(search *s, const double directions[DIRECTIONS][3], const double principal[9])
{
    s->kept_count = 0;
    for (int k = 0; k < DIRECTIONS; ++k)
    {
        try_direction(s, directions[k]);
    }
    for (int i = 0; i < 3; ++i)
    {
        try_direction(s, principal + 3 * i);
    }
    improve_kept(s);
}

void ab_search_box(const ab_cloud *cloud, const double principal[9], double axis[9])
{
    double directions[DIRECTIONS][3];
    search s = { .cloud = cloud, .best.size = INFINITY };
    for (int k = 0; k < 3; ++k)
    {
        s.middle[k] = 0.5 * (cloud->low[k] + cloud->high[k]);
    }
    list_directions(directions);
    choose_points(&s, (const double(*)[3])directions);
    for (bool better = true; better;)
    {
        const double before = s.best.size;
        look(&s, (const double(*)[3])directions, principal);
        for (int round = 0; round < ROUNDS && contends(&s, &s.kept[0]) && measure(&s, &s.kept[0]); ++round)
        {
            complete_kept(&s);
            improve_first(&s);
        }
        better = s.best.size < before * (1.0 - GAIN);
        turn_directions(directions);
    }
    bool joined = true;
    for (int round = 0; round < ROUNDS && joined; ++round)
    {
        candidate c = complete(&s, s.best.axis + 6);
        improve(&s, &c, FINAL_STEP, FINE_STEP);
        joined = measure(&s, &c);
    }
    memcpy(axis, s.best.axis, sizeof s.best.axis);
}
