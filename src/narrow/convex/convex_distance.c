// The distance of two cores, to the last digits, and their depth. Where the nearest features are two nearly parallel
// edges, GJK's simplex is a triangle so thin that its weights lose digits; computed from the two edges alone they keep
// them.
#include "math/frame.h"
#include "narrow/convex/half_space.h"

#include <math.h>
#include <string.h>

// Of the scale.
#define SAME 1e-9  // closer corners are one
#define FLAT 1e-12 // a core thinner than this is flat
#define LIFT 1e-6  // of the granularity

typedef struct edge
{
    double end[2][3];
    double middle[3], along[3]; // unit
    double half;
    uint32_t ends; // more than two: not an edge
} edge;

static void add_end(edge *e, const double point[3], double same)
{
    for (uint32_t i = 0; i < e->ends && i < 2; ++i)
    {
        double apart[3];
        ab_sub(point, e->end[i], apart);
        if (ab_dot(apart, apart) <= same * same)
        {
            return;
        }
    }
    if (e->ends < 2)
    {
        memcpy(e->end[e->ends], point, sizeof e->end[0]);
    }
    ++e->ends;
}

static void lay(edge *e)
{
    double whole[3];
    ab_sub(e->end[1], e->end[0], whole);
    const double length = sqrt(ab_dot(whole, whole));
    e->half = 0.5 * length;
    for (int k = 0; k < 3; ++k)
    {
        e->along[k] = whole[k] / length;
        e->middle[k] = 0.5 * (e->end[0][k] + e->end[1][k]);
    }
}

static double clamp(double x, double limit)
{
    return x < -limit ? -limit : x > limit ? limit : x;
}

// C. Ericson, "Real-Time Collision Detection" (2005), 5.1.9, for segments given by their middles and unit directions.
// Where u and v are nearly parallel, 1 - cosine^2 and on_u - cosine on_v lose their digits; as products of cross
// products (J.-L. Lagrange's identity) they keep them, down to the angles that rounding gives parallel ones.
static void nearest_of_edges(const edge *a, const edge *b, double on_a[3], double on_b[3])
{
    double gap[3], across[3], turned[3];
    ab_sub(b->middle, a->middle, gap);
    ab_cross(a->along, b->along, across);
    ab_cross(gap, b->along, turned);
    const double cosine = ab_dot(a->along, b->along), on_u = ab_dot(gap, a->along), on_v = ab_dot(gap, b->along);
    const double square_sine = ab_dot(across, across);
    const double s = square_sine > 1e-26 ? clamp(ab_dot(turned, across) / square_sine, a->half) : 0.0;
    const double t = clamp(cosine * s - on_v, b->half);
    ab_along(a->middle, clamp(on_u + cosine * t, a->half), a->along, on_a);
    ab_along(b->middle, t, b->along, on_b);
}

#ifdef AB_MESHES
#define APART 1e-9 // of the scale: a point that is nearer to a core may be in it

static bool is_point(const ab_convex *c)
{
    return c->row->box_core && ab_core_is_point(&c->core);
}

// Where a point is in a core's own frame. Its axes may be no more at right angles than floats are: what they miss the
// point by is put right once.
static void find_local(const ab_convex *c, const double point[3], double out[3])
{
    double left[3];
    ab_sub(point, c->centre, left);
    out[0] = out[1] = out[2] = 0.0;
    for (int i = 0; i < 2; ++i) // twice
    {
        const double by[3] = { ab_dot(left, c->axis), ab_dot(left, c->axis + 3), ab_dot(left, c->axis + 6) };
        ab_along(out, 1.0, by, out);
        ab_convex_place(c, out, left);
        ab_sub(point, left, left);
    }
}

// From a core that is a point to one that knows where it is nearest. False: they may overlap.
static bool distance_of_point(const ab_convex_pair *pair, bool of_a, ab_convex_contact *out)
{
    const ab_convex *ball = of_a ? &pair->a : &pair->b, *other = of_a ? &pair->b : &pair->a;
    double *const on_ball = of_a ? out->on_a : out->on_b, *const on_other = of_a ? out->on_b : out->on_a;
    double to[3], local[3], nearest[3];
    find_local(other, ball->centre, local);
    other->row->core_closest(other->shape, local, nearest);
    ab_convex_place(other, nearest, on_other);
    memcpy(on_ball, ball->centre, sizeof ball->centre);
    ab_sub(out->on_b, out->on_a, to);
    const double distance = sqrt(ab_dot(to, to));
    if (!(distance > APART * pair->scale))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = to[k] / distance;
    }
    out->separation = distance;
    out->overlap = out->touching = false;
    out->vertices = 0;
    return true;
}

static bool distance_is_known(const ab_convex_pair *pair, ab_convex_contact *out)
{
    const bool a_knows = pair->a.row->core_closest && is_point(&pair->b),
               b_knows = pair->b.row->core_closest && is_point(&pair->a);
    return (a_knows || b_knows) && distance_of_point(pair, b_knows, out);
}

bool ab_convex_gap(const ab_convex_pair *pair, double limit, ab_convex_contact *out)
{
    return distance_is_known(pair, out) || ab_gjk(pair, limit, out);
}
#else
#define distance_is_known(pair, out) false // no shape knows
#endif

bool ab_convex_distance(const ab_convex_pair *pair, ab_convex_contact *out)
{
    if (ab_has_half_space(pair))
    {
        return ab_gjk(pair, HUGE_VAL, out);
    }
    if (distance_is_known(pair, out))
    {
        return true;
    }
    if (!ab_gjk(pair, HUGE_VAL, out))
    {
        return false;
    }
    edge a = { .ends = 0 }, b = { .ends = 0 };
    for (int i = 0; i < out->vertices; ++i)
    {
        double on_b[3];
        ab_along(out->vertex[i].a, 1.0, out->vertex[i].w, on_b);
        add_end(&a, out->vertex[i].a, SAME * pair->scale);
        add_end(&b, on_b, SAME * pair->scale);
    }
    if (a.ends == 2 && b.ends == 2)
    {
        double on_a[3], on_b[3], gap[3], found[3];
        lay(&a);
        lay(&b);
        nearest_of_edges(&a, &b, on_a, on_b);
        ab_sub(on_b, on_a, gap);
        const double distance = sqrt(ab_dot(gap, gap));
        ab_sub(out->on_b, out->on_a, found);
        if (distance > 0.0 && ab_dot(gap, out->normal) > 0.0 && distance <= (1.0 + 1e-3) * sqrt(ab_dot(found, found)))
        {
            out->separation = distance;
            for (int k = 0; k < 3; ++k)
            {
                out->normal[k] = gap[k] / distance;
                out->on_a[k] = on_a[k];
                out->on_b[k] = on_b[k];
            }
        }
    }
    return true;
}

// Whether the difference is flat at right angles to a unit direction.
static bool is_flat_along(const ab_convex_pair *pair, const double direction[3])
{
    const double back[3] = { -direction[0], -direction[1], -direction[2] };
    ab_vertex above, below;
    ab_difference_support(pair, direction, &above);
    ab_difference_support(pair, back, &below);
    return ab_dot(above.w, direction) + ab_dot(below.w, back) <= FLAT * pair->scale;
}

// What v is in a frame with these axes, or the other way round.
static void into(const double axis[9], double v[3])
{
    const double was[3] = { v[0], v[1], v[2] };
    for (int i = 0; i < 3; ++i)
    {
        v[i] = ab_dot(was, axis + 3 * i);
    }
}

static void out_of(const double axis[9], double v[3])
{
    const double x = v[0], y = v[1], z = v[2];
    for (int k = 0; k < 3; ++k)
    {
        v[k] = axis[k] * x + axis[3 + k] * y + axis[6 + k] * z;
    }
}

static void turn_convex(ab_convex *convex, const double axis[9])
{
    into(axis, convex->centre);
    for (int i = 0; i < 3; ++i)
    {
        into(axis, convex->axis + 3 * i);
    }
}

// The way out within the plane of two cores that are flat in one, unless they have no area in it.
static void find_way_within(const ab_convex_pair *pair, ab_convex_contact *out)
{
    double axis[9]; // the normal last
    const double *n = out->normal, x[3] = { 1.0, 0.0, 0.0 }, y[3] = { 0.0, 1.0, 0.0 },
                 *base = fabs(n[0]) < 0.75 ? x : y;
    ab_along(base, -ab_dot(base, n), n, axis);
    const double length = sqrt(ab_dot(axis, axis));
    for (int k = 0; k < 3; ++k)
    {
        axis[k] /= length;
        axis[6 + k] = n[k];
    }
    ab_cross(axis + 6, axis, axis + 3);
    ab_convex_pair turned = *pair;
    ab_convex_contact within;
    turn_convex(&turned.a, axis);
    turn_convex(&turned.b, axis);
    ab_epa_2d(&turned, &within);
    if (is_flat_along(&turned, within.normal))
    {
        return;
    }
    out_of(axis, within.normal);
    out->separation = within.separation;
    memcpy(out->normal, within.normal, sizeof out->normal);
}

// The contact points: the nearest ones once b has moved out.
static void find_witnesses(const ab_convex_pair *pair, ab_convex_contact *out)
{
    ab_convex_pair parted = *pair;
    ab_convex_contact apart;
    const double by = LIFT * pair->granularity - out->separation;
    ab_along(parted.b.centre, by, out->normal, parted.b.centre);
    if (ab_gjk(&parted, HUGE_VAL, &apart))
    {
        memcpy(out->on_a, apart.on_a, sizeof out->on_a);
        ab_along(apart.on_b, -by, out->normal, out->on_b);
    }
}

void ab_convex_depth(const ab_convex_pair *pair, ab_convex_contact *out)
{
    if (ab_has_half_space(pair))
    {
        ab_epa(pair, out);
        return;
    }
    if (pair->is_2d)
    {
        ab_epa_2d(pair, out);
    }
    else
    {
        ab_epa(pair, out);
        // A core that is rounded is left along the normal: that takes no more than the roundings.
        const bool is_round = pair->a.core.rounding + pair->b.core.rounding > 0.0;
        if (!is_round && out->separation >= -FLAT * pair->scale && is_flat_along(pair, out->normal))
        {
            find_way_within(pair, out);
        }
    }
    find_witnesses(pair, out);
}
