// The corners of a hull that come near a face: the far end of one with many small faces, or of a needle, may be no part
// of the face that lies lowest, and come down first all the same.
#include "narrow/convex/convex_outline.h"

#include "base/platform.h"
#include "shape/hull.h"

#include <math.h>

// Whether there is a point at a place already.
static bool has_place(const ab_flat_points *p, const ab_outline_point *at, double near)
{
    bool has = false;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        has = has || fabs(p->point[i].u - at->u) + fabs(p->point[i].v - at->v) <= near;
    }
    return has;
}

#define DOWN 0.70710678 // the cosine: a face that leans by as much looks at b

// Adds a corner of a hull that is over b and within the limit.
static void add_vertex(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *b, double limit,
                       const ab_hull *hull, uint32_t vertex, ab_flat_points *p)
{
    const abut_vec3 v = hull->vertices[vertex];
    const double local[3] = { (double)v.x, (double)v.y, (double)v.z };
    double at[3];
    ab_convex_place(&pair->a, local, at);
    const ab_outline_point point = { ab_dot(at, frame->u), ab_dot(at, frame->v), ab_dot(at, frame->n), 0 };
    const double on_b = ab_outline_height(b, &point) - pair->b.core.rounding, gap = on_b - point.height;
    if (gap > limit || !ab_outline_is_under(b, &point) || has_place(p, &point, AB_OUTLINE_LEFT_OUT * pair->granularity))
    {
        return;
    }
    if (p->count == AB_FLAT_POINTS)
    {
        ab_flat_points_reduce(p);
    }
    p->point[p->count++] = (ab_flat_point){ point.u, point.v, 0.5 * (point.height + on_b), gap,
                                            (AB_OUTLINE_CORNERS + 1 + vertex) << 4 | AB_OUTLINE_NO_PART };
    p->deepest = fmin(p->deepest, gap);
}

// The vertices of a hull that may be within the limit of b's plane: those at least so far along a direction of the
// hull's own frame.
typedef struct near_half
{
    double along[3], least;
    double down[3]; // the normal in that frame
} near_half;

#define ROUNDED 1e-9 // of all lengths: more than the two ways to measure a gap differ by

static near_half near_half_of(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *b,
                              double limit)
{
    double out_of_b[3], lengths = pair->scale + fabs(b->height);
    near_half half;
    for (int k = 0; k < 3; ++k)
    {
        out_of_b[k] = frame->n[k] - b->lean_u * frame->u[k] - b->lean_v * frame->v[k];
        lengths += fabs(pair->a.centre[k]);
    }
    for (int i = 0; i < 3; ++i)
    {
        half.along[i] = ab_dot(out_of_b, pair->a.axis + 3 * i);
        half.down[i] = ab_dot(frame->n, pair->a.axis + 3 * i);
    }
    half.least = b->height - pair->b.core.rounding - ab_dot(out_of_b, pair->a.centre) - limit -
                 ROUNDED * (1.0 + fabs(b->lean_u) + fabs(b->lean_v)) * lengths;
    return half;
}

// Adds the corners of a face that looks at b.
static void add_corners(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *b, double limit,
                        const ab_hull *hull, const near_half *half, uint32_t which, ab_flat_points *p)
{
    const ab_hull_face *face = &hull->faces[which];
    const uint32_t corners = ab_dot(face->normal, half->down) >= DOWN ? face->count : 0;
    for (uint32_t k = 0; k < corners; ++k)
    {
        const uint32_t vertex = hull->corners[face->first + k];
        const abut_vec3 v = hull->vertices[vertex];
        const double local[3] = { (double)v.x, (double)v.y, (double)v.z };
        if (!(ab_dot(half->along, local) < half->least)) // NaN, too: of a face without area
        {
            add_vertex(pair, frame, b, limit, hull, vertex, p);
        }
    }
}

void ab_flat_points_add_corners(const ab_convex_pair *pair, const ab_contact_frame *frame, const ab_outline *b,
                                double limit, ab_flat_points *p)
{
    const ab_shape_row *row = pair->a.row;
    const ab_hull *hull = row->geometry ? ab_hull_of_geometry(row->geometry(pair->a.shape)) : NULL;
    if (!hull)
    {
        return;
    }
    uint64_t marks[AB_HULL_MARKS];
    const near_half half = near_half_of(pair, frame, b, limit);
    const ab_hull_beyond beyond = { half.down, half.along, DOWN, half.least };
    if (!ab_hull_mark_beyond(hull, &beyond, marks))
    {
        for (uint32_t i = 0; i < hull->face_count; ++i)
        {
            add_corners(pair, frame, b, limit, hull, &half, i, p);
        }
        return;
    }
    for (uint32_t w = 0; 64 * w < hull->face_count; ++w)
    {
        for (uint64_t bits = marks[w]; bits; bits &= bits - 1)
        {
            add_corners(pair, frame, b, limit, hull, &half, 64 * w + ab_lowest_bit(bits), p);
        }
    }
}
