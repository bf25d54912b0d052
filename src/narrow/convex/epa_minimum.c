// The local minima of the way out of a difference of two cores of which one is round.
//
// A hull of points needs very many of them to be near enough to a round surface. But a core with discs is known better
// than by points: along every direction it reaches at least as far as each of its discs does. A corner of the hull
// stands for a feature of the difference: two points, or discs instead of them, moved against each other, whose reach
// along n is n . p + sum of r |n x axis|. Where up to three features reach equally far, Newton's method finds the
// direction along which they reach least.
#include "narrow/convex/epa_round.h"

#include "math/frame.h"

#include <math.h>
#include <string.h>

enum
{
    FEATURES = 3,
    MOST_STEPS = 8 // of Newton's method, which takes three or four
};

#define SAME     1e-12 // of the scale: features nearer to each other are one
#define SHARP    1e-6  // sine of the angle with an axis: rims are not seen from nearer to it
#define CAP      0.4   // likewise: from nearer to it a disc may lie across the way out
#define OUTSIDE  -0.1  // least part of a feature on the way
#define RESIDUAL 0.1   // of what is enough, of the equations

// A corner of the hull, or what is about it.
typedef struct feature
{
    double at[3];     // its middle in the difference
    double on_a[3];   // and in a
    double radius[2]; // of a's rim and of b's
    bool upper[2];    // whose disc it is
} feature;

// The rim of a disc seen along a direction: its point farthest along that is the radius times `out` from its middle,
// and moves along `beside` as the direction turns. They are unit, and at right angles to the disc's axis and to the
// direction, as exactly as the core's axes are, which may be floats.
typedef struct rim_view
{
    double out[3], beside[3];
    double across; // sine of the direction's angle with the axis
} rim_view;

// Features as seen along a direction.
typedef struct view
{
    feature feature[FEATURES];
    uint32_t count;
    double direction[3], side[2][3]; // an orthonormal frame
    rim_view rim[2];
    double reach[FEATURES];
    double slope[FEATURES][2]; // of the reach, along the sides
    double bend[FEATURES][3];  // its second derivatives on the sphere: along the first side, both, the second
} view;

// Replaces a point of a core's rim by the middle of the disc.
static void find_disc(const ab_epa_round *round, const ab_convex_pair *pair, int k, double point[3], feature *out)
{
    const ab_convex *core = k == 0 ? &pair->a : &pair->b;
    double from[3];
    out->radius[k] = 0.0;
    if (round->axis[k])
    {
        const double *y = round->axis[k] + 3;
        ab_sub(point, core->centre, from);
        out->upper[k] = ab_dot(from, y) > 0.0;
        out->radius[k] = round->disc[k][out->upper[k]];
        ab_along(core->centre, out->upper[k] ? core->core.half[1] : -core->core.half[1], y, point);
    }
}

static bool is_same(const feature *p, const feature *q, double same)
{
    return fabs(p->at[0] - q->at[0]) <= same && fabs(p->at[1] - q->at[1]) <= same &&
           fabs(p->at[2] - q->at[2]) <= same && p->radius[0] == q->radius[0] && p->radius[1] == q->radius[1];
}

// The features of a face's corners, each once.
static void find_features(const ab_epa_round *round, const ab_epa_hull *h, const ab_epa_face *face, view *out)
{
    out->count = 0;
    for (int i = 0; i < 3; ++i)
    {
        const ab_vertex *v = &h->vertex[face->corner[i]];
        feature *f = &out->feature[out->count];
        double on_b[3];
        bool new = true;
        ab_along(v->a, 1.0, v->w, on_b);
        memcpy(f->on_a, v->a, sizeof v->a);
        find_disc(round, h->pair, 0, f->on_a, f);
        find_disc(round, h->pair, 1, on_b, f);
        ab_sub(on_b, f->on_a, f->at);
        for (uint32_t k = 0; k < out->count; ++k)
        {
            new = new && !is_same(f, &out->feature[k], SAME * h->pair->scale);
        }
        out->count += new;
    }
}

// False along the axis, or nearly.
static bool view_rim(const double axis[9], const double direction[3], rim_view *out)
{
    const double x = ab_dot(direction, axis), z = ab_dot(direction, axis + 6);
    out->across = sqrt(x * x + z * z);
    if (!(out->across > SHARP))
    {
        return false;
    }
    const double by_x = x / out->across, by_z = z / out->across;
    for (int k = 0; k < 3; ++k)
    {
        out->out[k] = by_x * axis[k] + by_z * axis[6 + k];
        out->beside[k] = by_x * axis[6 + k] - by_z * axis[k];
    }
    return true;
}

// The frame's other two axes.
static void lay_sides(view *v)
{
    const double *d = v->direction,
                 *n = fabs(d[0]) < 0.6 ? (const double[3]){ 1.0, 0.0, 0.0 } : (const double[3]){ 0.0, 1.0, 0.0 };
    ab_along(n, -ab_dot(n, d), d, v->side[0]);
    const double scale = 1.0 / sqrt(ab_dot(v->side[0], v->side[0]));
    for (int k = 0; k < 3; ++k)
    {
        v->side[0][k] *= scale;
    }
    ab_cross(d, v->side[0], v->side[1]);
}

// The rims' points and all derivatives along the direction. False where it is along an axis.
static bool look(const ab_epa_round *round, view *v)
{
    double beside[2][2] = { { 0.0 } };
    for (int k = 0; k < 2; ++k)
    {
        if (round->axis[k] && !view_rim(round->axis[k], v->direction, &v->rim[k]))
        {
            return false;
        }
    }
    lay_sides(v);
    for (int k = 0; k < 2; ++k)
    {
        for (int i = 0; i < 2 && round->axis[k]; ++i)
        {
            beside[k][i] = ab_dot(v->rim[k].beside, v->side[i]);
        }
    }
    for (uint32_t j = 0; j < v->count; ++j)
    {
        const feature *f = &v->feature[j];
        double point[3] = { f->at[0], f->at[1], f->at[2] }, bend[3] = { 0.0, 0.0, 0.0 };
        for (int k = 0; k < 2; ++k)
        {
            if (f->radius[k] > 0.0)
            {
                const double curve = f->radius[k] / v->rim[k].across;
                ab_along(point, f->radius[k], v->rim[k].out, point);
                bend[0] += curve * beside[k][0] * beside[k][0];
                bend[1] += curve * beside[k][0] * beside[k][1];
                bend[2] += curve * beside[k][1] * beside[k][1];
            }
        }
        v->reach[j] = ab_dot(v->direction, point);
        v->slope[j][0] = ab_dot(v->side[0], point);
        v->slope[j][1] = ab_dot(v->side[1], point);
        v->bend[j][0] = bend[0] - v->reach[j];
        v->bend[j][1] = bend[1];
        v->bend[j][2] = bend[2] - v->reach[j];
    }
    return true;
}

// The features' parts in a mean of their slopes that is level, or of two as level as one is. They sum up to one.
static bool weigh_features(const view *v, double weight[FEATURES])
{
    const double(*g)[2] = v->slope;
    if (v->count == 1)
    {
        weight[0] = 1.0;
        return true;
    }
    if (v->count == 2)
    {
        const double x = g[0][0] - g[1][0], y = g[0][1] - g[1][1], square = x * x + y * y;
        if (!(square > 0.0))
        {
            return false;
        }
        weight[1] = (g[0][0] * x + g[0][1] * y) / square;
        weight[0] = 1.0 - weight[1];
        return true;
    }
    double whole = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        const double *p = g[(i + 1) % 3], *q = g[(i + 2) % 3];
        weight[i] = p[0] * q[1] - p[1] * q[0];
        whole += weight[i];
    }
    for (int i = 0; i < 3 && whole != 0.0; ++i)
    {
        weight[i] /= whole;
    }
    return whole != 0.0;
}

// Solves a system of two equations. False if it has no one solution, or one so large that it is no step.
static bool solve(const double m[4], const double right[2], double out[2])
{
    const double all = m[0] * m[3] - m[1] * m[2];
    if (all == 0.0)
    {
        return false;
    }
    out[0] = (right[0] * m[3] - m[1] * right[1]) / all;
    out[1] = (m[0] * right[1] - right[0] * m[2]) / all;
    return fabs(out[0]) + fabs(out[1]) < 2.0;
}

// The step of Newton's method along the sides: to where features reach equally far, and of these directions to the one
// along which they reach least.
static bool find_step(const view *v, double out[2])
{
    const double(*g)[2] = v->slope, (*b)[3] = v->bend;
    if (v->count == 1)
    {
        const double m[4] = { b[0][0], b[0][1], b[0][1], b[0][2] }, right[2] = { -g[0][0], -g[0][1] };
        return solve(m, right, out);
    }
    const double x = g[0][0] - g[1][0], y = g[0][1] - g[1][1], gap = v->reach[1] - v->reach[0];
    if (v->count == 3)
    {
        const double m[4] = { x, y, g[0][0] - g[2][0], g[0][1] - g[2][1] };
        const double right[2] = { gap, v->reach[2] - v->reach[0] };
        return solve(m, right, out);
    }
    double weight[FEATURES], bend[3];
    if (!weigh_features(v, weight))
    {
        return false;
    }
    for (int i = 0; i < 3; ++i)
    {
        bend[i] = weight[0] * b[0][i] + weight[1] * b[1][i];
    }
    // across (x, y) the reach of both is to be level: (-y, x) . (slope + bend . step) = 0
    const double m[4] = { x, y, -y * bend[0] + x * bend[1], -y * bend[1] + x * bend[2] };
    const double right[2] = { gap, y * g[0][0] - x * g[0][1] };
    return solve(m, right, out);
}

// Goes a step.
static void turn(view *v, const double step[2])
{
    double to[3];
    ab_along(v->direction, step[0], v->side[0], to);
    ab_along(to, step[1], v->side[1], to);
    const double scale = 1.0 / sqrt(ab_dot(to, to));
    for (int k = 0; k < 3; ++k)
    {
        v->direction[k] = scale * to[k];
    }
}

// Whether no feature's part in the way is less than this.
static bool is_within(const view *v, const double weight[FEATURES], double least)
{
    bool within = true;
    for (uint32_t j = 0; j < v->count; ++j)
    {
        within = within && weight[j] >= least;
    }
    return within;
}

// Whether the equations hold, up to rounding.
static bool is_level(const view *v, const double weight[FEATURES], double most)
{
    double slope[2] = { 0.0, 0.0 };
    bool level = true;
    for (uint32_t j = 0; j < v->count; ++j)
    {
        slope[0] += weight[j] * v->slope[j][0];
        slope[1] += weight[j] * v->slope[j][1];
        level = level && fabs(v->reach[j] - v->reach[0]) <= most;
    }
    return level && fabs(slope[0]) <= most && fabs(slope[1]) <= most;
}

// How far the middle is within the features' slopes, of which it is a mean.
static double depth_within(const view *v)
{
    const double(*g)[2] = v->slope;
    double least = HUGE_VAL;
    for (uint32_t j = 0; j < v->count; ++j)
    {
        const double *p = g[j], *q = g[(j + 1) % v->count], x = q[0] - p[0], y = q[1] - p[1];
        const double away =
            v->count == 2 ? sqrt(p[0] * p[0] + p[1] * p[1]) : fabs(p[0] * y - p[1] * x) / sqrt(x * x + y * y);
        least = away < least ? away : least;
    }
    return least;
}

// What holds near a direction that Newton's method has found.
static void lay_minimum(const ab_epa_round *round, const view *v, const double weight[FEATURES], ab_local_minimum *out)
{
    double along[2] = { 1.0, 0.0 };
    out->features = v->count;
    out->steep = v->count > 1 ? depth_within(v) : 0.0;
    out->alike = true;
    if (v->count == 2)
    {
        const double x = v->slope[0][0] - v->slope[1][0], y = v->slope[0][1] - v->slope[1][1],
                     length = sqrt(x * x + y * y);
        along[0] = x / length;
        along[1] = y / length;
    }
    for (int k = 0; k < 2; ++k)
    {
        out->radius[k] = 0.0;
        out->across[k] = 1.0;
        out->beside[k][0] = out->beside[k][1] = 0.0;
        for (uint32_t j = 0; j < v->count && round->axis[k]; ++j)
        {
            out->radius[k] += weight[j] * v->feature[j].radius[k];
            out->alike = out->alike && v->feature[j].radius[k] == v->feature[0].radius[k];
        }
        if (round->axis[k])
        {
            const rim_view *rim = &v->rim[k];
            const double x = ab_dot(rim->beside, v->side[0]), y = ab_dot(rim->beside, v->side[1]);
            out->across[k] = rim->across;
            out->beside[k][0] = along[0] * x + along[1] * y;
            out->beside[k][1] = along[0] * y - along[1] * x;
        }
    }
}

// The points of both cores where the way ends: the features' mean.
static void lay_points(const view *v, const double weight[FEATURES], ab_local_minimum *out)
{
    memset(out->on_a, 0, sizeof out->on_a);
    for (uint32_t j = 0; j < v->count; ++j)
    {
        double point[3] = { v->feature[j].on_a[0], v->feature[j].on_a[1], v->feature[j].on_a[2] };
        if (v->feature[j].radius[0] > 0.0) // the difference has a's points with the other sign
        {
            ab_along(point, -v->feature[j].radius[0], v->rim[0].out, point);
        }
        ab_along(out->on_a, weight[j], point, out->on_a);
    }
    ab_along(out->on_a, out->way.depth, out->way.outward, out->on_b);
}

// The reach of the difference along a direction.
static void measure(const ab_convex_pair *pair, const double direction[3], ab_way_out *out)
{
    memcpy(out->outward, direction, sizeof out->outward);
    ab_difference_support(pair, direction, &out->farthest);
    out->depth = ab_dot(direction, out->farthest.w);
}

// Newton's method from a face's normal. False unless it finds a direction along which nothing reaches farther than the
// features.
static bool find_minimum(const ab_epa_round *round, const ab_epa_hull *h, const ab_epa_face *face, view *v,
                         double enough, ab_local_minimum *out)
{
    double weight[FEATURES], step[2];
    memcpy(v->direction, face->normal, sizeof v->direction);
    if (!look(round, v) || !weigh_features(v, weight))
    {
        return false;
    }
    for (int i = 0; !is_level(v, weight, RESIDUAL * enough); ++i)
    {
        if (i == MOST_STEPS || !find_step(v, step))
        {
            return false;
        }
        turn(v, step);
        if (!look(round, v) || !weigh_features(v, weight) || !is_within(v, weight, OUTSIDE))
        {
            return false;
        }
    }
    if (!is_within(v, weight, 0.0))
    {
        return false;
    }
    measure(h->pair, v->direction, &out->way);
    if (!(out->way.depth - v->reach[0] <= 0.5 * enough))
    {
        return false;
    }
    lay_minimum(round, v, weight, out);
    lay_points(v, weight, out);
    return true;
}

// Along a core's axis, where the other's point lies over its disc. False if it does not.
static bool find_cap(const ab_epa_round *round, const ab_epa_hull *h, const ab_epa_face *face, int k,
                     ab_local_minimum *out)
{
    const ab_convex *core = k == 0 ? &h->pair->a : &h->pair->b;
    const double *axis = round->axis[k], along = ab_dot(face->normal, axis + 3);
    double direction[3]; // at right angles to the disc as exactly as to the axis of a core turned in float it is not
    if (1.0 - along * along > CAP * CAP)
    {
        return false;
    }
    ab_cross(axis + 6, axis, direction);
    const double length = (along < 0.0 ? -1.0 : 1.0) / sqrt(ab_dot(direction, direction));
    for (int i = 0; i < 3; ++i)
    {
        direction[i] *= length;
    }
    const bool upper = (along < 0.0) == (k == 0); // a's points are in the difference with the other sign
    double middle[3], other[3], from[3];
    measure(h->pair, direction, &out->way);
    const ab_vertex *v = &out->way.farthest;
    ab_along(core->centre, upper ? core->core.half[1] : -core->core.half[1], axis + 3, middle);
    ab_along(v->a, k == 0 ? 1.0 : 0.0, v->w, other);
    ab_sub(other, middle, from);
    ab_along(from, -ab_dot(from, direction), direction, from);
    out->features = 0;
    out->steep = round->disc[k][upper] - sqrt(ab_dot(from, from));
    ab_along(other, k == 0 ? -out->way.depth : 0.0, direction, out->on_a);
    ab_along(other, k == 0 ? 0.0 : out->way.depth, direction, out->on_b);
    return out->steep > 0.0;
}

// Whether all features have the same disc of a core.
static bool is_of_disc(const ab_epa_round *round, const view *v, int k)
{
    bool same = round->axis[k] != NULL;
    for (uint32_t j = 1; j < v->count; ++j)
    {
        same = same && v->feature[j].upper[k] == v->feature[0].upper[k];
    }
    return same;
}

bool ab_epa_find_minimum(const ab_epa_round *round, const ab_epa_hull *h, const ab_epa_face *face, double enough,
                         ab_local_minimum *out)
{
    view v;
    find_features(round, h, face, &v);
    for (int k = 0; k < 2; ++k)
    {
        if (is_of_disc(round, &v, k) && find_cap(round, h, face, k, out) &&
            out->way.depth <= h->best.depth + 0.5 * enough)
        {
            return true;
        }
    }
    return find_minimum(round, h, face, &v, enough, out) && out->way.depth <= h->best.depth + 0.5 * enough;
}
