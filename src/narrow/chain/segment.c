// Where a segment is, and which normals it has.
#include "narrow/chain/segment.h"

#include <math.h>

static const ab_segment *segment_of(const abut_shape *shape)
{
    return (const ab_segment *)(const void *)shape;
}

static void segment_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const ab_segment *s = segment_of(shape);
    const double side = direction[0] * s->half[0] + direction[1] * s->half[1] >= 0.0 ? 1.0 : -1.0;
    out[0] = side * s->half[0];
    out[1] = side * s->half[1];
    out[2] = 0.0;
}

static const ab_shape_row segment_row = {
    .name = "segment",
    .turns = true,
    .flat = true,
    .support = segment_support,
};

void ab_segment_place(const ab_convex *placed, uint32_t which, ab_segment *segment, ab_convex *out)
{
    ab_chain_segment of;
    double middle[3] = { 0.0, 0.0, 0.0 };
    ab_chain_segment_of(ab_chain_of_valid(placed->shape), which, &of);
    *segment = (ab_segment){ .half = { 0.0, 0.0 } };
    *out = (ab_convex){ .row = &segment_row, .shape = &segment->shape, .is_2d = true };
    for (int k = 0; k < 2; ++k)
    {
        middle[k] = 0.5 * (of.at[0][k] + of.at[1][k]);
        segment->half[k] = 0.5 * (of.at[1][k] - of.at[0][k]);
        out->core.half[k] = fabs(segment->half[k]);
    }
    for (int k = 0; k < 9; ++k)
    {
        out->axis[k] = placed->axis[k];
    }
    ab_convex_place(placed, middle, out->centre);
    out->size = out->core.half[0] + out->core.half[1];
}

// Where the line bends back by less, it is taken for straight: what coordinates in floats make of one that is.
#define STRAIGHT 1e-6

// The end of a segment of which the neighbour's normal, of any length, is known in the segment's frame. `out`: the sign
// of u there, away from the segment.
static void lay_end(ab_segment_end *end, bool goes_on, double out, double u, double h)
{
    const double square = u * u + h * h, slack = STRAIGHT * STRAIGHT * square;
    const bool doubles_back = h < 0.0 && u * u <= slack, bends = u * out > 0.0 && u * u > slack;
    *end = (ab_segment_end){ .last_h = 1.0, .next_h = 1.0 };
    if (!goes_on)
    {
        *end = (ab_segment_end){ .last_u = out, .next_u = out, .bends = true, .is_all = true, .is_free = true };
    }
    else if (doubles_back)
    {
        *end = (ab_segment_end){ .last_u = out, .next_h = -1.0, .bends = true };
    }
    else if (bends)
    {
        const double size = sqrt(square), half_h = h / size + 1.0, half_u = u / size;
        const double length = sqrt(half_u * half_u + half_h * half_h);
        *end = (ab_segment_end){
            .last_u = half_u / length, .last_h = half_h / length, .next_u = u / size, .next_h = h / size, .bends = true
        };
    }
}

void ab_segment_take_all(ab_segment_end *end)
{
    end->last_u = end->next_u;
    end->last_h = end->next_h;
    end->is_all = true;
}

void ab_segment_view_of(const ab_chain *chain, uint32_t which, bool behind, ab_segment_view *out)
{
    ab_chain_segment s;
    ab_chain_segment_of(chain, which, &s);
    const int first = behind ? 1 : 0;
    const double x = s.at[1 - first][0] - s.at[first][0], y = s.at[1 - first][1] - s.at[first][1];
    out->length = sqrt(x * x + y * y);
    out->along[0] = x / out->length;
    out->along[1] = y / out->length;
    out->front[0] = out->along[1];
    out->front[1] = -out->along[0];
    for (int k = 0; k < 2; ++k)
    {
        out->origin[k] = s.at[first][k];
    }
    for (int k = 0; k < 2; ++k)
    {
        const int at = k == 0 ? first : 1 - first;
        const double sign = k == 0 ? 1.0 : -1.0; // of the way from the point beyond to the end
        const double to_x = sign * (s.at[at][0] - s.beyond[at][0]), to_y = sign * (s.at[at][1] - s.beyond[at][1]);
        const double far_x = s.beyond[at][0] - out->origin[0], far_y = s.beyond[at][1] - out->origin[1];
        lay_end(&out->end[k], s.goes_on[at], -sign, to_y * out->along[0] - to_x * out->along[1],
                to_y * out->front[0] - to_x * out->front[1]);
        out->end[k].far_u = far_x * out->along[0] + far_y * out->along[1];
        out->end[k].far_h = far_x * out->front[0] + far_y * out->front[1];
    }
}

bool ab_segment_has_normal(const ab_segment_view *view, int end, double u, double h, bool all)
{
    const ab_segment_end *e = &view->end[end];
    const double last_u = all ? e->next_u : e->last_u, last_h = all ? e->next_h : e->last_h;
    const double out = end == 0 ? -1.0 : 1.0; // the side on which the normals are
    return e->bends && u * out >= 0.0 && out * (u * last_h - h * last_u) <= 0.0;
}

void ab_chain_pair_of(const ab_convex *placed, const ab_convex *convex, ab_chain_pair *out)
{
    double to[3];
    out->chain = ab_chain_of_valid(placed->shape);
    out->placed = *placed;
    out->convex = *convex;
    ab_sub(convex->centre, placed->centre, to);
    for (int i = 0; i < 2; ++i)
    {
        out->centre[i] = ab_dot(to, placed->axis + 3 * i);
        for (int k = 0; k < 2; ++k)
        {
            out->axis[2 * k + i] = ab_dot(convex->axis + 3 * k, placed->axis + 3 * i);
        }
    }
}

void ab_segment_turn_out(const ab_chain_pair *pair, const ab_segment_view *view, double u, double h, double out[3])
{
    const double x = u * view->along[0] + h * view->front[0], y = u * view->along[1] + h * view->front[1];
    const double *axis = pair->placed.axis;
    for (int k = 0; k < 3; ++k)
    {
        out[k] = axis[k] * x + axis[3 + k] * y;
    }
}
