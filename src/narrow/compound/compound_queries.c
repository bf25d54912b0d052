// Sweeps against compounds, distances to them, and which of their parts overlap a shape or pass a test.
#include "narrow/compound/compound_queries.h"

#include "narrow/mesh/mesh_queries.h"

#include <math.h>

// A sweep of the parts of one side: the first impact so far.
typedef struct swept
{
    const ab_mover *compound, *other;
    double duration;
    ab_overlaps overlaps;
    bool compound_first;
    ab_sweep best;
    uint32_t child;
} swept;

static double length(const double v[3])
{
    return sqrt(ab_dot(v, v));
}

static bool happens(const ab_sweep *sweep)
{
    return sweep->hit || sweep->bound;
}

// Overlaps come before all that is hit, the deepest first.
static bool is_first(const swept *s, const ab_sweep *found, uint32_t child)
{
    const ab_sweep *best = &s->best;
    if (!happens(best) || found->initial != best->initial)
    {
        return !happens(best) || found->initial;
    }
    const double own = found->initial ? found->distance : found->time,
                 other = best->initial ? best->distance : best->time;
    return own < other || (own == other && child < s->child);
}

static bool sweep_part(void *context, uint32_t part)
{
    swept *s = context;
    ab_mover mover = *s->compound;
    const ab_mover *a = s->compound_first ? &mover : s->other, *b = s->compound_first ? s->other : &mover;
    ab_sweep found;
    double arm[3];
    uint32_t child;
    ab_compound_place(&s->compound->start, part, &mover.start);
    ab_sub(mover.start.centre, mover.pivot, arm);
    mover.turns = mover.start.row->turns;
    mover.reach = length(arm) + (mover.turns ? length(mover.start.core.half) : 0.0);
    ab_sweep_shapes(a, b, s->duration, s->overlaps, &found, &child);
    // the part is convex, so `child` is the other side's
    child = s->compound_first ? part * ab_child_count(b->start.shape) + child
                              : child * ab_child_count(s->compound->start.shape) + part;
    if (happens(&found) && ab_sweep_counts(a, b, &found, s->overlaps) && is_first(s, &found, child))
    {
        s->best = found;
        s->child = child;
    }
    return true;
}

// The second side first, so that the other one is a convex shape, a mesh or a compound still to be divided.
void ab_sweep_compound(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                       uint32_t *child)
{
    const bool first = !ab_compound_of(b->start.shape);
    swept s = { .compound = first ? a : b,
                .other = first ? b : a,
                .duration = duration,
                .overlaps = overlaps,
                .compound_first = first };
    const ab_mesh_box box = ab_swept_box(s.compound, s.other, duration);
    (void)ab_compound_overlap(ab_compound_of_valid(s.compound->start.shape), &box, sweep_part, &s);
    *out = s.best;
    *child = s.child;
}

// A search for the part nearest to a shape.
typedef struct nearest
{
    const ab_convex *placed;
    ab_convex_pair pair;
    ab_convex_contact best;
    uint32_t child;
    bool overlap;
    ab_mesh_box box;
} nearest;

// Returns whether a pair overlaps; else measures it.
static bool measure(ab_convex_pair *pair, const ab_convex *placed, uint32_t part, ab_convex_contact *out)
{
    ab_compound_place(placed, part, &pair->b);
    ab_convex_pair_up(pair);
    if (!ab_convex_distance(pair, out))
    {
        return true;
    }
    ab_convex_round(pair, out);
    return !(out->separation > 0.0);
}

static bool see_nearest(void *context, uint32_t part)
{
    nearest *n = context;
    ab_convex_contact found;
    const bool overlap = measure(&n->pair, n->placed, part, &found);
    found.separation = overlap ? 0.0 : found.separation;
    if (n->child == ABUT_NONE || found.separation < n->best.separation ||
        (found.separation == n->best.separation && part < n->child))
    {
        n->overlap = overlap;
        n->best = found;
        n->child = part;
        n->box = ab_mesh_box_around(n->placed, &n->pair.a, found.separation);
    }
    return true;
}

bool ab_compound_distance(const ab_convex *shape, const ab_convex *placed, ab_convex_contact *out, uint32_t *child)
{
    nearest n = { .placed = placed,
                  .pair = { .a = *shape },
                  .child = ABUT_NONE,
                  .box = { { -HUGE_VALF, -HUGE_VALF, -HUGE_VALF }, { HUGE_VALF, HUGE_VALF, HUGE_VALF } } };
    (void)ab_compound_overlap(ab_compound_of_valid(placed->shape), &n.box, see_nearest, &n);
    *out = n.best;
    *child = n.child;
    return !n.overlap;
}

// A search for all parts that overlap a shape.
typedef struct overlapping
{
    const ab_convex *placed;
    ab_convex_pair pair;
    ab_mesh_see *see;
    void *context;
} overlapping;

static bool see_overlapping(void *context, uint32_t part)
{
    overlapping *o = context;
    ab_convex_contact unused;
    return !measure(&o->pair, o->placed, part, &unused) || o->see(o->context, part);
}

bool ab_compound_find_overlapping(const ab_convex *shape, const ab_convex *placed, ab_mesh_see *see, void *context)
{
    overlapping o = { .placed = placed, .pair = { .a = *shape }, .see = see, .context = context };
    double to[3];
    ab_sub(shape->centre, placed->centre, to);
    const ab_mesh_box box =
        ab_mesh_box_around(placed, shape, AB_AXES_SLACK * (length(to) + shape->size + placed->size));
    return ab_compound_overlap(ab_compound_of_valid(placed->shape), &box, see_overlapping, &o);
}

bool ab_compound_find_passing(const ab_convex *placed, ab_part_test *test, const void *context, ab_mesh_see *see,
                              void *seer)
{
    const ab_compound *compound = ab_compound_of_valid(placed->shape);
    bool more = true;
    for (uint32_t i = 0; i < compound->count && more; ++i)
    {
        ab_convex part;
        ab_compound_place(placed, i, &part);
        more = !test(context, &part) || see(seer, i);
    }
    return more;
}
