// The kernels of pairs with a chain, segment by segment. Plain double arithmetic, compiled once, so that no instruction
// set can differ.
#include "narrow/chain/chain.h"

#include "narrow/chain/segment.h"
#include "narrow/mesh/triangle.h"
#include "narrow/pair_functions.h"

#include <math.h>

// A pair of a batch, in coordinates relative to the position of the first body.
static void lay_pair(const ab_batch *batch, uint32_t i, ab_chain_pair *out)
{
    const uint32_t origin = ab_batch_pair(batch, i).a;
    ab_convex convex, placed;
    ab_convex_of(&convex, batch, batch->a[i], origin);
    ab_convex_of(&placed, batch, batch->b[i], origin);
    ab_chain_pair_of(&placed, &convex, out);
}

// The points of a contact, in the axes that the chain is placed in.
static void write_points(const ab_chain_pair *pair, const ab_segment_view *view, const ab_segment_contact *contact,
                         abut_manifold *m)
{
    m->point_count = contact->count;
    for (uint32_t k = 0; k < contact->count; ++k)
    {
        const ab_segment_point *p = &contact->point[k];
        const double local[3] = { view->origin[0] + p->u * view->along[0] + p->h * view->front[0],
                                  view->origin[1] + p->u * view->along[1] + p->h * view->front[1], 0.0 };
        double at[3];
        ab_convex_place(&pair->placed, local, at);
        m->points[k] = (abut_point){ .offset = { (float)at[0], (float)at[1], 0.0f },
                                     .separation = (float)p->separation,
                                     .feature = p->feature };
    }
}

// Rounded once, so that whether there is a contact and what it says are decided by the same number.
static bool collide(const ab_chain_pair *pair, uint32_t which, float limit, double sign, abut_manifold *m)
{
    ab_segment_view view;
    ab_segment_contact contact;
    double normal[3];
    if (!ab_chain_pair_collide(pair, which, (double)limit, &view, &contact) || (float)contact.separation > limit)
    {
        return false;
    }
    ab_segment_turn_out(pair, &view, contact.normal_u, contact.normal_h, normal);
    m->normal = abut_vec3_make((float)(sign * normal[0]), (float)(sign * normal[1]), 0.0f);
    m->separation = (float)contact.separation;
    write_points(pair, &view, &contact, m);
    return true;
}

void ab_chain_kernel(const ab_batch *batch, ab_manifolds *out)
{
    ab_chain_pair pair;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        const ab_proxy_pair proxies = ab_batch_pair(batch, i);
        const bool same = i > 0 && batch->a[i] == batch->a[i - 1] && batch->b[i] == batch->b[i - 1];
        abut_manifold m;
        if (!same)
        {
            lay_pair(batch, i, &pair);
        }
        if (collide(&pair, batch->parts[i], ab_batch_limit(batch, i), proxies.a == batch->a[i] ? -1.0 : 1.0, &m))
        {
            ab_manifolds_append_child(out, batch, proxies.a, proxies.b, batch->parts[i], &m);
        }
    }
}

#define ROUNDING 0x1p-40 // of a box about a shape

// The box in the chain's frame of all that comes within a distance of the shape.
static ab_mesh_box box_of(const ab_chain_pair *pair, float limit)
{
    const ab_core *core = &pair->convex.core;
    double min[3] = { 0.0 }, max[3] = { 0.0 }, more = (double)limit + core->rounding;
    if (!pair->convex.row->box_core)
    {
        return ab_mesh_box_around(&pair->placed, &pair->convex, (double)limit);
    }
    for (int k = 0; k < 2; ++k)
    {
        const double radius = core->half[0] * fabs(pair->axis[k]) + core->half[1] * fabs(pair->axis[2 + k]);
        min[k] = pair->centre[k] - radius;
        max[k] = pair->centre[k] + radius;
        more += ROUNDING * (fabs(pair->centre[k]) + radius);
    }
    return ab_mesh_box_of(min, max, more);
}

// A search for a segment that touches.
typedef struct touching
{
    const ab_chain_pair *pair;
    float limit;
} touching;

static bool is_apart(void *context, uint32_t which)
{
    const touching *t = context;
    abut_manifold m;
    return !collide(t->pair, which, t->limit, 1.0, &m);
}

uint32_t ab_chain_touching(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        ab_chain_pair pair;
        lay_pair(batch, i, &pair);
        touching t = { &pair, ab_batch_limit(batch, i) };
        const ab_mesh_box box = box_of(&pair, t.limit);
        out[count] = i;
        count += !ab_chain_overlap(pair.chain, &box, is_apart, &t);
    }
    return count;
}

void ab_chain_pair_parts(const ab_batch *batch, ab_mesh_see *see, void *context)
{
    ab_chain_pair pair;
    lay_pair(batch, 0, &pair);
    const ab_mesh_box box = box_of(&pair, ab_batch_limit(batch, 0));
    (void)ab_chain_overlap(pair.chain, &box, see, context);
}
