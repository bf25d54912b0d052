// Sweeps against chains: segment by segment.
#include "narrow/chain/chain.h"

#include "narrow/chain/segment.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/mesh/mesh_way.h"

#include <math.h>
#include <string.h>

// A sweep against the segments: the first impact so far.
typedef struct swept
{
    const ab_mover *chain_mover, *shape;
    double duration;
    ab_overlaps overlaps;
    bool chain_first;
    ab_mesh_box box; // around the way up to the first impact
    ab_sweep best;
    uint32_t child;
} swept;

static void segment_mover(const swept *s, uint32_t which, ab_segment *segment, ab_mover *out)
{
    double arm[3];
    *out = *s->chain_mover;
    ab_segment_place(&s->chain_mover->start, which, segment, &out->start);
    ab_sub(out->start.centre, out->pivot, arm);
    out->reach = ab_length(arm) + ab_length(out->start.core.half);
}

// The contact at time 0 takes the place of the way out of the one segment, which the line as a whole may not have.
// False: there is none.
static bool find_overlap(const swept *s, uint32_t which, ab_sweep *found)
{
    ab_chain_pair pair;
    ab_segment_view view;
    ab_segment_contact contact;
    double normal[3];
    ab_chain_pair_of(&s->chain_mover->start, &s->shape->start, &pair);
    if (!ab_chain_pair_collide(&pair, which, 0.0, &view, &contact))
    {
        return false;
    }
    const double local[3] = { view.origin[0] + contact.point[0].u * view.along[0] + contact.point[0].h * view.front[0],
                              view.origin[1] + contact.point[0].u * view.along[1] + contact.point[0].h * view.front[1],
                              0.0 };
    const double half = 0.5 * contact.separation;
    double at[3];
    ab_segment_turn_out(&pair, &view, contact.normal_u, contact.normal_h, normal);
    ab_convex_place(&pair.placed, local, at);
    found->distance = contact.separation;
    for (int k = 0; k < 3; ++k)
    {
        found->normal[k] = s->chain_first ? normal[k] : -normal[k];
        found->on_a[k] = at[k] - half * found->normal[k];
        found->on_b[k] = at[k] + half * found->normal[k];
    }
    return true;
}

#define SLIDES 1e-6 // of a way: what goes no steeper into a segment slides along it

static bool comes_closer(const swept *s, const double front[3])
{
    double way[3];
    ab_sub(s->shape->v, s->chain_mover->v, way);
    return -ab_dot(way, front) > SLIDES * ab_length(way);
}

static bool turns(const ab_mover *mover)
{
    return mover->w[0] != 0.0 || mover->w[1] != 0.0 || mover->w[2] != 0.0;
}

#define UPRIGHT 1e-4 // the sine: an impact as near to the segment's normal is over the segment, and has that

// Whether the line has the impact's normal, on one side. At an end where it goes on straight, or bends forward, what is
// not over the segment is over the neighbour, which it has touched before. One that is nearly the segment's is made
// that.
static bool has_normal(const swept *s, const ab_chain_pair *pair, uint32_t which, bool behind, ab_sweep *found)
{
    ab_segment_view view;
    double along[3], front[3];
    ab_segment_view_of(pair->chain, which, behind, &view);
    ab_segment_turn_out(pair, &view, 1.0, 0.0, along);
    ab_segment_turn_out(pair, &view, 0.0, 1.0, front);
    const double sign = s->chain_first ? 1.0 : -1.0;
    const double u = sign * ab_dot(found->normal, along), h = sign * ab_dot(found->normal, front);
    if (h > 0.0 && fabs(u) <= UPRIGHT)
    {
        for (int k = 0; k < 3; ++k)
        {
            found->normal[k] = sign * front[k];
        }
        return turns(s->shape) || turns(s->chain_mover) || comes_closer(s, front);
    }
    return ab_segment_has_normal(&view, 0, u, h, true) || ab_segment_has_normal(&view, 1, u, h, true);
}

// Whether an impact is one with the line as a whole.
static bool fits(const swept *s, uint32_t which, ab_sweep *found)
{
    ab_chain_pair pair;
    ab_convex placed, shape;
    ab_mover_at(s->chain_mover, found->time, &placed);
    ab_mover_at(s->shape, found->time, &shape);
    ab_chain_pair_of(&placed, &shape, &pair);
    return has_normal(s, &pair, which, false, found) ||
           (pair.chain->two_sided && has_normal(s, &pair, which, true, found));
}

// Likewise: where it stops, or where it would touch. What comes down just beside a point of the line may have that
// nearest where it stops, and never touch the segment over which it is then.
static bool counts(const swept *s, uint32_t which, ab_sweep *found, ab_sweep *touching)
{
    if (fits(s, which, found))
    {
        return true;
    }
    const bool touches = fits(s, which, touching);
    if (touches)
    {
        memcpy(found->normal, touching->normal, sizeof found->normal);
    }
    return touches;
}

static bool sweep_segment(void *context, uint32_t which)
{
    swept *s = context;
    ab_segment segment;
    ab_mover mover;
    const ab_mover *a = s->chain_first ? &mover : s->shape, *b = s->chain_first ? s->shape : &mover;
    ab_sweep found, touching;
    segment_mover(s, which, &segment, &mover);
    ab_sweep_up_to_touch(a, b, 0.0, s->duration, &found, &touching);
    if ((found.initial && !find_overlap(s, which, &found)) ||
        (found.hit && !found.initial && !counts(s, which, &found, &touching)))
    {
        return true;
    }
    if ((found.hit || found.bound) && ab_sweep_counts(a, b, &found, s->overlaps) &&
        ab_sweep_comes_first(&found, which, &s->best, s->child))
    {
        s->best = found;
        s->child = which;
        s->box =
            ab_swept_box(s->chain_mover, s->shape, found.initial ? 0.0 : found.time); // what is later does not count
    }
    return true;
}

void ab_sweep_chain(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                    uint32_t *child)
{
    const bool first = a->start.row->parts;
    swept s = { .chain_mover = first ? a : b,
                .shape = first ? b : a,
                .duration = duration,
                .overlaps = overlaps,
                .chain_first = first };
    s.box = ab_swept_box(s.chain_mover, s.shape, duration);
    (void)ab_chain_overlap(ab_chain_of_valid(s.chain_mover->start.shape), &s.box, sweep_segment, &s);
    *out = s.best;
    *child = s.child;
}
