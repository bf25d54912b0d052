#include "narrow/convex/half_space.h"

#include "narrow/convex/convex_outline.h"
#include "narrow/kernels/pair_by_pair.h"
#include "shape/polygon.h"

#include <math.h>
#include <string.h>

// The outward normal of a half-space, unit: axes of records are rounded.
static void normal_of(const ab_convex *half, double out[3])
{
    const double *up = half->axis + 3, z = half->is_2d ? 0.0 : up[2];
    const double by = 1.0 / sqrt(up[0] * up[0] + up[1] * up[1] + z * z);
    out[0] = by * up[0];
    out[1] = by * up[1];
    out[2] = by * z;
}

// How high a point is over the plane.
static double height_of(const ab_convex *half, const double normal[3], const double point[3])
{
    double from[3];
    ab_sub(point, half->centre, from);
    return ab_dot(from, normal);
}

void ab_half_space_measure(const ab_convex_pair *pair, ab_convex_contact *out)
{
    const bool first = pair->a.row->unbounded;
    const ab_convex *half = first ? &pair->a : &pair->b, *other = first ? &pair->b : &pair->a;
    double up[3], down[3], *on_half = first ? out->on_a : out->on_b, *on_other = first ? out->on_b : out->on_a;
    normal_of(half, up);
    for (int k = 0; k < 3; ++k)
    {
        down[k] = -up[k];
        out->normal[k] = first ? up[k] : down[k];
    }
    ab_convex_support(other, down, on_other);
    out->separation = height_of(half, up, on_other);
    ab_along(on_other, -out->separation, up, on_half);
    out->overlap = out->separation <= 0.0;
    out->touching = out->overlap;
    out->vertices = 0;
}

// Points of a convex shape over a plane. Positions are those of its surface.
typedef struct over_plane
{
    const ab_convex *half, *other;
    double up[3];
    float limit;
    bool half_first;
    ab_contact_frame frame;
    ab_flat_points points;
} over_plane;

// A point of the core, if its surface is within the limit.
static void add_point(over_plane *o, const double core_point[3], uint32_t part)
{
    double at[3];
    ab_along(core_point, -o->other->core.rounding, o->up, at);
    const double height = height_of(o->half, o->up, at);
    if ((float)height > o->limit) // as the pair is decided
    {
        return;
    }
    ab_along(at, -0.5 * height, o->up, at);
    o->points.point[o->points.count++] = (ab_flat_point){
        .u = ab_dot(at, o->frame.u),
        .v = ab_dot(at, o->frame.v),
        .height = ab_dot(at, o->frame.n),
        .separation = height,
        .slot = part,
    };
}

// The side of a polygon that looks most at the plane.
static bool add_polygon(over_plane *o)
{
    const ab_convex *convex = o->other;
    const ab_polygon *polygon =
        convex->row->geometry ? ab_polygon_of_geometry(convex->row->geometry(convex->shape)) : NULL;
    double most = -HUGE_VAL;
    double best[2][3] = { { 0.0 } };
    uint32_t first = 0;
    for (uint32_t i = 0; polygon && i < polygon->count; ++i)
    {
        const uint32_t next = i + 1 < polygon->count ? i + 1 : 0;
        double end[2][3], way[3];
        ab_convex_place(convex, (double[3]){ (double)polygon->x[i], (double)polygon->y[i], 0.0 }, end[0]);
        ab_convex_place(convex, (double[3]){ (double)polygon->x[next], (double)polygon->y[next], 0.0 }, end[1]);
        ab_sub(end[1], end[0], way);
        // The outward normal is on the right of the way: corners are counter-clockwise.
        const double faces = (way[0] * o->up[1] - way[1] * o->up[0]) / ab_length(way);
        if (faces > most)
        {
            most = faces;
            first = i;
            memcpy(best, end, sizeof best);
        }
    }
    if (polygon)
    {
        add_point(o, best[0], first);
        add_point(o, best[1], first + 1 < polygon->count ? first + 1 : 0);
    }
    return polygon != NULL;
}

#define LEANING 1.0 // the slope of a face whose higher corners may be within the limit, too

static void add_outline(over_plane *o)
{
    ab_outline outline;
    double lowest[3], down[3] = { -o->up[0], -o->up[1], -o->up[2] };
    double deepest = HUGE_VAL;
    ab_outline_of(o->other, o->half_first ? -1.0 : 1.0, LEANING, &o->frame, &outline);
    for (uint32_t i = 0; i < outline.count; ++i)
    {
        const ab_outline_point *p = &outline.corner[i];
        double at[3] = { 0.0, 0.0, 0.0 };
        ab_along(at, p->u, o->frame.u, at);
        ab_along(at, p->v, o->frame.v, at);
        ab_along(at, p->height, o->frame.n, at);
        deepest = fmin(deepest, height_of(o->half, o->up, at));
        add_point(o, at, p->part);
    }
    ab_convex_support(o->other, down, lowest);
    if (height_of(o->half, o->up, lowest) < deepest - AB_OUTLINE_LEFT_OUT * o->other->size)
    {
        add_point(o, lowest, AB_OUTLINE_CORNERS);
    }
}

static void publish(const over_plane *o, abut_manifold *m)
{
    const double sign = o->half_first ? 1.0 : -1.0;
    m->normal = abut_vec3_make((float)(sign * o->up[0]), (float)(sign * o->up[1]), (float)(sign * o->up[2]));
    m->point_count = o->points.count;
    for (uint32_t i = 0; i < o->points.count; ++i)
    {
        const ab_flat_point *p = &o->points.point[i];
        double at[3] = { 0.0, 0.0, 0.0 };
        ab_along(at, p->u, o->frame.u, at);
        ab_along(at, p->v, o->frame.v, at);
        ab_along(at, p->height, o->frame.n, at);
        m->points[i] = (abut_point){ .offset = abut_vec3_make((float)at[0], (float)at[1], (float)at[2]),
                                     .separation = (float)p->separation,
                                     .feature = p->slot };
    }
}

// Whether the box of a shape's size, turned any way, is farther from the plane than the limit.
static bool is_high(const ab_batch *batch, uint32_t i, float limit)
{
    const uint32_t a = batch->a[i], b = batch->b[i];
    const ab_record *other = &batch->records[a], *half = &batch->records[b];
    double centre[3], height = 0.0, square = 0.0;
    ab_convex_centre(batch, a, b, centre);
    if (batch->offsets)
    {
        const abut_vec3 offset = batch->offsets[b];
        const double own[3] = { (double)offset.x, (double)offset.y, (double)offset.z };
        ab_sub(centre, own, centre);
    }
    for (int k = 0; k < (batch->is_2d ? 2 : 3); ++k)
    {
        const double up = (double)half->axis[3 + k];
        height += up * centre[k];
        square += up * up;
    }
    const double size = (double)other->half_x + (double)other->half_y + (double)other->half_z;
    return height * (1.0 - 1e-6) > (size + (double)limit) * (1.0 + 1e-6) * sqrt(square);
}

static bool manifold_of(const ab_batch *batch, uint32_t i, abut_manifold *m)
{
    const float limit = ab_batch_limit(batch, i);
    if (is_high(batch, i, limit))
    {
        return false;
    }
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    ab_convex_pair pair;
    ab_convex_contact contact;
    ab_convex_pair_of(&pair, batch, proxies.a, proxies.b);
    ab_half_space_measure(&pair, &contact);
    ab_convex_round(&pair, &contact);
    if ((float)contact.separation > limit)
    {
        return false;
    }
    over_plane o = { .half_first = pair.a.row->unbounded, .limit = limit };
    o.half = o.half_first ? &pair.a : &pair.b;
    o.other = o.half_first ? &pair.b : &pair.a;
    normal_of(o.half, o.up);
    o.frame = ab_contact_frame_of(o.other, contact.normal);
    o.points.count = 0;
    if (!o.other->is_2d || !add_polygon(&o))
    {
        add_outline(&o);
    }
    ab_flat_points_reduce(&o.points);
    m->separation = (float)contact.separation;
    publish(&o, m);
    return true;
}

static void collide_pair(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    abut_manifold m;
    if (manifold_of(batch, i, &m))
    {
        ab_manifolds_append(out, batch, proxies.a, proxies.b, &m);
    }
}

void ab_half_space_kernel(const ab_batch *batch, ab_manifolds *out)
{
    ab_collide_each(batch, out, collide_pair);
}
