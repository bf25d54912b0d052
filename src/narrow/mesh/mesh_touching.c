// Whether a shape touches a mesh: if one triangle does. Lanes say of most triangles that they are apart from the shape
// or surely touch it; those in doubt are asked one by one, last.
#include "narrow/mesh/mesh_collide.h"

#include "narrow/mesh/triangle.h"
#include "narrow/pair_functions.h"
#include "shape/hull.h"

#define DOUBTS 512u // as many wait until it is known that no other triangle touches for sure

// A search for a triangle that touches.
typedef struct touching
{
    const ab_triangle_pair *pair;
    double limit;
    const ab_triangle_kernels *kernels;
    const ab_hull *hull; // NULL for anything else
    bool lanes;          // the box is about the shape
    bool exact;          // it is the shape, or that is a ball
    bool touches;
    ab_axes_box box;
    ab_axes_row row;
    uint32_t waiting, wait[AB_AXES_ROW];
    uint32_t doubts, doubt[DOUBTS], axes[DOUBTS];
} touching;

static bool ask(touching *t, uint32_t triangle, uint32_t axes)
{
    abut_manifold m;
    ab_triangle_cut cut;
    t->touches = t->touches || ab_triangle_collide(t->pair, triangle, axes, t->limit, &m, &cut) != AB_TRIANGLE_APART;
    return t->touches;
}

static bool ask_doubts(touching *t)
{
    for (uint32_t i = 0; i < t->doubts && !t->touches; ++i)
    {
        const uint32_t axes = t->axes[i];
        const bool behind = t->exact && (axes & AB_AXES_BEHIND) != 0;
        if (!behind || !ab_triangle_leads_nowhere(t->pair, t->doubt[i], AB_AXES_AHEAD(axes)))
        {
            (void)ask(t, t->doubt[i], axes);
        }
    }
    t->doubts = 0;
    return t->touches;
}

// Asks for those that wait. A triangle that overlaps what is in front of it touches it or is cut.
static bool ask_waiting(touching *t)
{
    const uint32_t count = t->waiting, most = DOUBTS - AB_AXES_ROW;
    uint32_t axes[AB_AXES_ROW];
    ab_axes_row_of(t->pair->mesh, t->wait, count, &t->row);
    t->touches = t->kernels->touch(&t->box, &t->row, count, t->exact, axes);
    if (t->hull)
    {
        t->kernels->hull(&t->box, &t->hull->polytope, &t->row, count, axes);
    }
    t->waiting = 0;
    for (uint32_t i = 0; i < count && !t->touches; ++i)
    {
        const bool behind = t->exact && (axes[i] & AB_AXES_BEHIND) != 0;
        t->doubt[t->doubts] = t->wait[i];
        t->axes[t->doubts] = axes[i];
        t->doubts += axes[i] != 0 && !(behind && AB_AXES_AHEAD(axes[i]) == 0);
    }
    return t->touches || (t->doubts > most && ask_doubts(t));
}

// False: enough is known.
static bool see(void *context, uint32_t triangle)
{
    touching *t = context;
    if (!t->lanes)
    {
        return !ask(t, triangle, AB_AXES_ALL);
    }
    t->wait[t->waiting++] = triangle;
    return t->waiting < AB_MESH_WIDTH || !ask_waiting(t);
}

static bool touches(const ab_triangle_pair *pair, double limit, const ab_triangle_kernels *kernels)
{
    const bool ball = ab_core_is_point(&pair->convex.core);
    touching t = { .pair = pair, .limit = limit, .kernels = kernels, .hull = ab_triangle_hull_of(pair) };
    const ab_mesh_box box = ab_mesh_box_of_pair(pair, limit);
    t.lanes = ab_axes_box_of(pair, limit, &t.box);
    t.exact = ball || ab_triangle_is_of_box(pair);
    (void)ab_mesh_may_overlap(pair->mesh, &box, see, &t);
    return t.touches || (t.waiting > 0 && ask_waiting(&t)) || ask_doubts(&t);
}

uint32_t ab_mesh_touching(const ab_batch *batch, const ab_triangle_kernels *kernels, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        ab_triangle_pair pair;
        ab_triangle_pair_of(&pair, batch, i, ab_batch_pair(batch, i).a);
        out[count] = i;
        count += touches(&pair, (double)ab_batch_limit(batch, i), kernels);
    }
    return count;
}
