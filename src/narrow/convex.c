// Converts shapes and pairs to the form that GJK and EPA work on.
#include "narrow/convex.h"

#include "math/frame.h"

// of both sizes: a ten-billionth of it is a hundred times the rounding error of doubles of that size
#define GRANULARITY 1e-4

// A custom shape's core is its box less the rounding; a ball is a rounded point.
static void lay_core(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape, const ab_record *record)
{
    const double half[3] = { (double)record->half_x, (double)record->half_y, (double)record->half_z };
    out->def = NULL;
    out->data = NULL;
    out->rounding = shape->kind == ABUT_SPHERE ? half[0] : 0.0;
    if (shape->kind == ABUT_CUSTOM)
    {
        out->def = ab_kind_find(kinds, shape->custom.kind);
        out->data = shape->custom.data;
        const double rounding = out->def->rounding ? (double)out->def->rounding(out->def->context, out->data) : 0.0;
        out->rounding = rounding > 0.0 && rounding <= (double)ABUT_MAX_MAGNITUDE ? rounding : 0.0;
    }
    for (int k = 0; k < 3; ++k)
    {
        out->half[k] = half[k] > out->rounding ? half[k] - out->rounding : 0.0;
    }
}

void ab_convex_of(ab_convex *out, const ab_batch *batch, uint32_t proxy, uint32_t origin)
{
    const ab_record *record = &batch->records[proxy], *from = &batch->records[origin];
    lay_core(out, batch->kinds, &batch->shapes[batch->colliders[proxy]], record);
    out->size = out->half[0] + out->half[1] + out->half[2] + out->rounding;
    const abut_vec3 offset = batch->offsets ? batch->offsets[proxy] : abut_vec3_make(0.0f, 0.0f, 0.0f);
    const double offsets[3] = { (double)offset.x, (double)offset.y, (double)offset.z };
    for (int k = 0; k < 3; ++k)
    {
        out->centre[k] = ((double)record->position[k] - (double)from->position[k]) + offsets[k];
    }
    for (int k = 0; k < 9; ++k)
    {
        out->axis[k] = (double)record->axis[k];
    }
}

void ab_convex_pair_of(ab_convex_pair *out, const ab_batch *batch, uint32_t proxy_a, uint32_t proxy_b)
{
    ab_convex_of(&out->a, batch, proxy_a, proxy_a);
    ab_convex_of(&out->b, batch, proxy_b, proxy_a);
    out->scale = out->a.size + out->b.size;
    out->granularity = (out->a.size < out->b.size ? out->a.size : out->b.size) + GRANULARITY * out->scale;
}

// NaN compares false and gives zero.
static double within(double value, double most)
{
    return value >= -most ? (value <= most ? value : most) : value < -most ? -most : 0.0;
}

void ab_convex_support(const ab_convex *c, const double direction[3], double out[3])
{
    double local[3], point[3];
    for (int i = 0; i < 3; ++i)
    {
        local[i] = ab_dot(direction, c->axis + 3 * i);
        point[i] = local[i] >= 0.0 ? c->half[i] : -c->half[i];
    }
    if (c->def)
    {
        c->def->support(c->def->context, c->data, local, point);
        for (int i = 0; i < 3; ++i)
        {
            point[i] = within(point[i], c->half[i]);
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        out[k] = c->centre[k] + (c->axis[k] * point[0] + c->axis[3 + k] * point[1] + c->axis[6 + k] * point[2]);
    }
}

void ab_difference_support(const ab_convex_pair *pair, const double direction[3], ab_vertex *out)
{
    const double back[3] = { -direction[0], -direction[1], -direction[2] };
    double on_b[3];
    ab_convex_support(&pair->a, back, out->a);
    ab_convex_support(&pair->b, direction, on_b);
    ab_sub(on_b, out->a, out->w);
}

void ab_convex_meet(const ab_convex_pair *pair, double limit, ab_convex_contact *out)
{
    const double roundings = pair->a.rounding + pair->b.rounding;
    if (!ab_gjk(pair, limit + roundings, out))
    {
        ab_epa(pair, out);
    }
    out->separation -= roundings;
    ab_along(out->on_a, pair->a.rounding, out->normal, out->on_a);
    ab_along(out->on_b, -pair->b.rounding, out->normal, out->on_b);
}
