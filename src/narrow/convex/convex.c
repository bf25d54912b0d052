// Converts shapes and pairs to the form that GJK and EPA work on.
#include "narrow/convex/convex.h"

#include "math/frame.h"

#include <string.h>

// of both sizes: a ten-billionth of it is a hundred times the rounding error of doubles of that size
#define GRANULARITY 1e-4

static void lay_core(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, const float size[3], bool is_2d)
{
    const float flat[3] = { size[0], size[1], is_2d ? 0.0f : size[2] };
    out->row = ab_shape_row_for(shape->kind);
    out->def = ab_shape_def(kinds, shape);
    out->shape = shape;
    out->is_2d = is_2d;
    out->row->core(out->def, shape, flat, &out->core);
    out->size = out->core.half[0] + out->core.half[1] + out->core.half[2] + out->core.rounding;
    out->size = AB_HAS_CHILDREN && out->row->unbounded ? 0.0 : out->size;
}

void ab_convex_of_record(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, const ab_record *record,
                         bool is_2d)
{
    const float size[3] = { record->half_x, record->half_y, record->half_z };
    lay_core(out, kinds, shape, size, is_2d);
    for (int k = 0; k < 9; ++k)
    {
        out->axis[k] = (double)record->axis[k];
    }
}

void ab_convex_centre(const ab_batch *batch, uint32_t proxy, uint32_t origin, double out[3])
{
    const float *at = batch->records[proxy].position, *from = batch->records[origin].position;
    const abut_vec3 offset = batch->offsets ? batch->offsets[proxy] : abut_vec3_make(0.0f, 0.0f, 0.0f);
    const double offsets[3] = { (double)offset.x, (double)offset.y, (double)offset.z };
    for (int k = 0; k < 3; ++k)
    {
        out[k] = ((double)at[k] - (double)from[k]) + offsets[k];
    }
}

void ab_convex_of(ab_convex *out, const ab_batch *batch, uint32_t proxy, uint32_t origin)
{
    ab_convex_of_record(out, batch->kinds, &batch->shapes[batch->colliders[proxy]], &batch->records[proxy],
                        batch->is_2d);
    ab_convex_centre(batch, proxy, origin, out->centre);
}

void ab_convex_core_of(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, bool is_2d)
{
    const abut_vec3 of = ab_shape_size(kinds, shape);
    const float size[3] = { of.x, of.y, of.z };
    lay_core(out, kinds, shape, size, is_2d);
}

void ab_convex_at(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, const ab_frame *frame, bool is_2d)
{
    ab_convex_core_of(out, kinds, shape, is_2d);
    memcpy(out->centre, frame->position, sizeof out->centre);
    memcpy(out->axis, frame->axis, sizeof out->axis);
}

void ab_convex_pair_up(ab_convex_pair *pair)
{
    const double a = pair->a.size, b = pair->b.size;
    pair->is_2d = pair->a.is_2d;
    pair->scale = a + b;
    pair->granularity = (a < b ? a : b) + GRANULARITY * pair->scale;
}

void ab_convex_pair_of(ab_convex_pair *out, const ab_batch *batch, uint32_t proxy_a, uint32_t proxy_b)
{
    ab_convex_of(&out->a, batch, proxy_a, proxy_a);
    ab_convex_of(&out->b, batch, proxy_b, proxy_a);
    ab_convex_pair_up(out);
}

// NaN compares false and gives zero.
static double within(double value, double most)
{
    return value >= -most ? (value <= most ? value : most) : value < -most ? -most : 0.0;
}

void ab_convex_place(const ab_convex *c, const double local[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = c->centre[k] + (c->axis[k] * local[0] + c->axis[3 + k] * local[1] + c->axis[6 + k] * local[2]);
    }
}

void ab_convex_support(const ab_convex *c, const double direction[3], double out[3])
{
    double local[3], point[3];
    for (int i = 0; i < 3; ++i)
    {
        local[i] = ab_dot(direction, c->axis + 3 * i);
    }
    local[2] = c->is_2d ? 0.0 : local[2];
    if (c->row->box_core)
    {
        for (int i = 0; i < 3; ++i)
        {
            point[i] = local[i] >= 0.0 ? c->core.half[i] : -c->core.half[i];
        }
        ab_convex_place(c, point, out);
        return;
    }
    c->row->support(c->def, c->shape, local, point);
    for (int i = 0; i < 3; ++i)
    {
        point[i] = within(point[i], c->core.half[i]);
    }
    ab_convex_place(c, point, out);
}

void ab_difference_support(const ab_convex_pair *pair, const double direction[3], ab_vertex *out)
{
    const double back[3] = { -direction[0], -direction[1], -direction[2] };
    double on_b[3];
    ab_convex_support(&pair->a, back, out->a);
    ab_convex_support(&pair->b, direction, on_b);
    ab_sub(on_b, out->a, out->w);
}

void ab_convex_round(const ab_convex_pair *pair, ab_convex_contact *contact)
{
    contact->separation -= pair->a.core.rounding + pair->b.core.rounding;
    ab_along(contact->on_a, pair->a.core.rounding, contact->normal, contact->on_a);
    ab_along(contact->on_b, -pair->b.core.rounding, contact->normal, contact->on_b);
}

void ab_convex_measure(ab_convex_pair *pair, ab_convex_contact *out)
{
    ab_convex_pair_up(pair);
    if (!ab_convex_distance(pair, out))
    {
        ab_convex_depth(pair, out);
    }
    ab_convex_round(pair, out);
}

bool ab_convex_apart(ab_convex_pair *pair, ab_convex_contact *out)
{
    ab_convex_pair_up(pair);
    if (!ab_convex_distance(pair, out))
    {
        return false;
    }
    ab_convex_round(pair, out);
    return out->separation > 0.0;
}

void ab_convex_collide(const ab_convex_pair *pair, double limit, ab_convex_contact *out)
{
    const double roundings = pair->a.core.rounding + pair->b.core.rounding;
    if (!ab_convex_gap(pair, limit + roundings, out))
    {
        (pair->is_2d ? ab_epa_2d : ab_epa)(pair, out);
    }
    ab_convex_round(pair, out);
}
