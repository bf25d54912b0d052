// The contact of a box's corner with the face of a triangle: what ab_convex_face_points finds, to the bit, where nothing
// of the box lies flat. Then its outline is one corner, and the triangle's needs no search.
#include "narrow/convex/convex_outline.h"
#include "narrow/mesh/triangle.h"

#include <math.h>

#define ALIKE      1e-6 // as in convex_outline.c: of the triangle's size
#define NO_FEATURE 255u // as in convex_points.c

// The corner of the box farthest along the normal. False if an edge or a face of the box lies flat.
static bool farthest_corner(const ab_convex *box, const double n[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        const double along = ab_dot(n, box->axis + 3 * k), half = box->core.half[k];
        out[k] = along >= 0.0 ? half : -half;
        if (half > 0.0 && along * along <= AB_OUTLINE_FLAT * AB_OUTLINE_FLAT * (1.0 - along * along))
        {
            return false;
        }
    }
    return true;
}

static ab_outline_point place_at(const ab_contact_frame *frame, const double point[3])
{
    return (ab_outline_point){ ab_dot(point, frame->u), ab_dot(point, frame->v), ab_dot(point, frame->n), 0 };
}

static bool is_before(const ab_outline_point *p, const ab_outline_point *q)
{
    return p->u < q->u || (p->u == q->u && p->v < q->v);
}

static void order(ab_outline_point *p, ab_outline_point *q)
{
    if (is_before(q, p))
    {
        const ab_outline_point moved = *p;
        *p = *q;
        *q = moved;
    }
}

static bool are_alike(const ab_outline_point *p, const ab_outline_point *q, double least)
{
    return fabs(p->u - q->u) <= least && fabs(p->v - q->v) <= least;
}

// Counter-clockwise, from the one with the least u on. False for a triangle of which no more than an edge is seen.
static bool make_convex(ab_outline *o, double size)
{
    ab_outline_point *p = o->corner;
    const double least = ALIKE * size;
    order(&p[0], &p[1]);
    order(&p[1], &p[2]);
    order(&p[0], &p[1]);
    if (are_alike(&p[0], &p[1], least) || are_alike(&p[0], &p[2], least) || are_alike(&p[1], &p[2], least))
    {
        return false;
    }
    if (ab_outline_turn(&p[0], &p[1], &p[2]) > ALIKE * ALIKE * size * size)
    {
        return true;
    }
    const ab_outline_point moved = p[1];
    p[1] = p[2];
    p[2] = moved;
    return ab_outline_turn(&p[1], &p[2], &p[0]) > ALIKE * ALIKE * size * size;
}

static bool is_over(const ab_outline *o, const ab_outline_point *p)
{
    return ab_outline_turn(&o->corner[0], &o->corner[1], p) >= 0.0 &&
           ab_outline_turn(&o->corner[1], &o->corner[2], p) >= 0.0 &&
           ab_outline_turn(&o->corner[2], &o->corner[0], p) >= 0.0;
}

// The triangle's outline, and its size.
static double gather(const ab_convex *placed, const ab_triangle_corners *triangle, const ab_contact_frame *frame,
                     ab_outline *out)
{
    double middle[3], local[3], centre[3], turned[3], half[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = (triangle->at[0][k] + triangle->at[1][k] + triangle->at[2][k]) / 3.0;
    }
    ab_convex_place(placed, middle, centre);
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            local[k] = triangle->at[i][k] - middle[k];
            half[k] = fabs(local[k]) > half[k] ? fabs(local[k]) : half[k];
        }
        const double *axis = placed->axis;
        for (int k = 0; k < 3; ++k)
        {
            turned[k] = centre[k] + (axis[k] * local[0] + axis[3 + k] * local[1] + axis[6 + k] * local[2]);
        }
        out->corner[i] = place_at(frame, turned);
    }
    out->count = 3;
    return half[0] + half[1] + half[2];
}

bool ab_triangle_corner_contact(const ab_triangle_pair *pair, const ab_triangle_corners *triangle,
                                const double normal[3], double limit, ab_triangle_corner *out)
{
    double corner[3], at[3];
    if (!pair->convex.row->box_core || !farthest_corner(&pair->convex, normal, corner))
    {
        return false;
    }
    const ab_contact_frame frame = ab_contact_frame_of(&pair->convex, normal);
    ab_convex_place(&pair->convex, corner, at);
    const ab_outline_point top = place_at(&frame, at);
    ab_outline outline;
    *out = (ab_triangle_corner){ .separation = HUGE_VAL };
    const double size = gather(&pair->placed, triangle, &frame, &outline);
    out->touches = make_convex(&outline, size) && is_over(&outline, &top);
    if (!out->touches)
    {
        return true;
    }
    ab_outline_lay_frame(&outline);
    const double on_a = top.height + pair->convex.core.rounding, on_b = ab_outline_height(&outline, &top);
    out->separation = on_b - on_a;
    out->touches = out->separation <= limit;
    for (int k = 0; k < 3; ++k)
    {
        const double along_u = 0.0 + top.u * frame.u[k], along = along_u + top.v * frame.v[k];
        at[k] = along + 0.5 * (on_a + on_b) * frame.n[k];
    }
    out->point = (abut_point){ .offset = { (float)at[0], (float)at[1], (float)at[2] },
                               .separation = (float)out->separation,
                               .feature = NO_FEATURE };
    return true;
}
