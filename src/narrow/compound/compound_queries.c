// Sweeps against compounds, distances to them and to chains, and which of their parts overlap a shape or pass a test;
// and the same of a compound that asks, part by part.
#include "narrow/compound/compound_queries.h"

#include "narrow/chain/segment.h"
#include "narrow/mesh/mesh_queries.h"
#include "narrow/mesh/mesh_way.h"

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

// A part of a compound or a segment of a chain, which `segment` is room for.
static void place_part(const ab_convex *placed, uint32_t which, ab_segment *segment, ab_convex *out)
{
    if (placed->row->surface)
    {
        ab_segment_place(placed, which, segment, out);
        return;
    }
    ab_compound_place(placed, which, out);
}

static bool overlap_parts(const abut_shape *shape, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    const ab_chain *chain = ab_chain_of(shape);
    return chain ? ab_chain_overlap(chain, box, see, context)
                 : ab_compound_overlap(ab_compound_of_valid(shape), box, see, context);
}

// The same, of what is near the middle of a shape first.
static bool overlap_parts_from(const ab_convex *placed, const ab_convex *shape, const ab_mesh_box *box,
                               ab_mesh_see *see, void *context)
{
    const ab_chain *chain = ab_chain_of(placed->shape);
    double to[3], point[3];
    ab_sub(shape->centre, placed->centre, to);
    for (int k = 0; k < 3; ++k)
    {
        point[k] = ab_dot(to, placed->axis + 3 * k);
    }
    return chain ? ab_chain_overlap_from(chain, point, box, see, context)
                 : ab_compound_overlap_from(ab_compound_of_valid(placed->shape), point, box, see, context);
}

static bool happens(const ab_sweep *sweep)
{
    return sweep->hit || sweep->bound;
}

bool ab_sweep_comes_first(const ab_sweep *found, uint32_t child, const ab_sweep *best, uint32_t best_child)
{
    if (!happens(best) || found->initial != best->initial)
    {
        return !happens(best) || found->initial;
    }
    const double own = found->initial ? found->distance : found->time,
                 other = best->initial ? best->distance : best->time;
    return own < other || (own == other && child < best_child);
}

void ab_compound_mover(const ab_mover *whole, uint32_t part, ab_mover *out)
{
    double arm[3];
    *out = *whole;
    ab_compound_place(&whole->start, part, &out->start);
    ab_sub(out->start.centre, out->pivot, arm);
    out->turns = out->start.row->turns;
    out->reach = ab_length(arm) + (out->turns ? ab_length(out->start.core.half) : 0.0);
}

// A part that is not reached before a time.
typedef struct reached
{
    double start;
    uint32_t part;
} reached;

#define REACHED 64u

// Parts to be shown, the next one last.
typedef struct meeting
{
    const ab_sweep *best;
    double limit;
    ab_mesh_see *see;
    void *context;
    uint32_t count;
    reached list[REACHED];
} meeting;

static bool is_late(const meeting *m, double start)
{
    return start > m->limit || (happens(m->best) && start > m->best->time);
}

static void show_reached(meeting *m)
{
    while (m->count > 0 && !is_late(m, m->list[m->count - 1].start))
    {
        (void)m->see(m->context, m->list[--m->count].part);
    }
    m->count = 0;
}

static void add_reached(meeting *m, double start, uint32_t part)
{
    if (m->count == REACHED)
    {
        show_reached(m);
    }
    uint32_t at = m->count++;
    for (; at > 0 && m->list[at - 1].start < start; --at)
    {
        m->list[at] = m->list[at - 1];
    }
    m->list[at] = (reached){ start, part };
}

AB_APART void ab_compound_meet(const ab_mover *compound, const ab_mover *other, double duration, double limit,
                               const ab_sweep *best, ab_mesh_see *see, void *context)
{
    const ab_part_tree *tree = &ab_compound_of_valid(compound->start.shape)->tree;
    const ab_mesh_box box = ab_swept_box(compound, other, duration);
    ab_way_ball ball;
    meeting m;
    m.best = best;
    m.limit = limit;
    m.see = see;
    m.context = context;
    m.count = 0;
    ab_way_ball_of(compound, other, duration, &ball);
    for (uint32_t i = 0; i < tree->count;)
    {
        const ab_part_node *node = &tree->nodes[i];
        double min[3], max[3], start;
        for (int k = 0; k < 3; ++k)
        {
            min[k] = (double)node->min[k];
            max[k] = (double)node->max[k];
        }
        const bool reaches =
            ab_part_node_meets(node, &box) && ab_way_ball_meets(&ball, min, max, &start) && !is_late(&m, start);
        if (reaches && node->part != AB_NO_PART)
        {
            add_reached(&m, start, node->part);
        }
        i = reaches ? i + 1 : node->next;
    }
    show_reached(&m);
}

static bool sweep_part(void *context, uint32_t part)
{
    swept *s = context;
    ab_mover mover;
    const ab_mover *a = s->compound_first ? &mover : s->other, *b = s->compound_first ? s->other : &mover;
    ab_sweep found;
    uint32_t child;
    ab_compound_mover(s->compound, part, &mover);
    ab_sweep_shapes(a, b, s->duration, s->overlaps, &found, &child);
    // the part is convex, so `child` is the other side's
    child = s->compound_first ? part * ab_child_count(b->start.shape) + child
                              : child * ab_child_count(s->compound->start.shape) + part;
    if (happens(&found) && ab_sweep_counts(a, b, &found, s->overlaps) &&
        ab_sweep_comes_first(&found, child, &s->best, s->child))
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
    ab_compound_meet(s.compound, s.other, duration, duration, &s.best, sweep_part, &s);
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
    ab_segment segment;
    place_part(placed, part, &segment, &pair->b);
    return !ab_convex_apart(pair, out);
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
    nearest n = { .placed = placed, .pair = { .a = *shape }, .child = ABUT_NONE, .box = ab_mesh_box_all() };
    (void)overlap_parts_from(placed, shape, &n.box, see_nearest, &n);
    *out = n.best;
    *child = n.child;
    return !n.overlap;
}

// A search for what is nearest to a compound that asks: of parts that are as near, or overlap, the first that is seen.
typedef struct reaching
{
    const ab_convex *compound, *placed;
    ab_convex_contact best;
    uint32_t child; // of what is placed
    bool overlap;
    ab_mesh_box box;
} reaching;

static bool see_reaching(void *context, uint32_t part)
{
    reaching *r = context;
    ab_convex_pair pair = { .b = *r->placed };
    ab_convex_contact found;
    uint32_t child;
    ab_compound_place(r->compound, part, &pair.a);
    const bool overlap = !ab_parts_distance(&pair, HUGE_VAL, &found, &child);
    found.separation = overlap ? 0.0 : found.separation;
    if (r->child == ABUT_NONE || found.separation < r->best.separation ||
        (found.separation == r->best.separation && child < r->child))
    {
        r->overlap = overlap;
        r->best = found;
        r->child = child;
        r->box = ab_mesh_box_around(r->compound, r->placed, found.separation);
    }
    return true;
}

static bool reach(const ab_convex *compound, const ab_convex *placed, ab_convex_contact *out, uint32_t *child)
{
    reaching r = { .compound = compound, .placed = placed, .child = ABUT_NONE, .box = ab_mesh_box_all() };
    (void)overlap_parts_from(compound, placed, &r.box, see_reaching, &r);
    *out = r.best;
    *child = r.child;
    return !r.overlap;
}

bool ab_parts_distance(ab_convex_pair *pair, double most, ab_convex_contact *out, uint32_t *child)
{
    const ab_shape_row *a = pair->a.row, *b = pair->b.row;
    if (!a->parts && ab_mesh_of(pair->b.shape))
    {
        return ab_mesh_distance(&pair->a, &pair->b, most, out, child);
    }
    if (a->parts || b->parts)
    {
        return (a->parts ? reach : ab_compound_distance)(&pair->a, &pair->b, out, child);
    }
    *child = 0;
    return ab_convex_apart(pair, out);
}

static ab_mesh_box box_about(const ab_convex *placed, const ab_convex *shape)
{
    double to[3];
    ab_sub(shape->centre, placed->centre, to);
    return ab_mesh_box_around(placed, shape, AB_AXES_SLACK * (ab_length(to) + shape->size + placed->size));
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
    const ab_mesh_box box = box_about(placed, shape);
    return overlap_parts(placed->shape, &box, see_overlapping, &o);
}

// A search for all triangles or parts that overlap a compound that asks: whether one of its parts does.
typedef struct asking
{
    const ab_convex *compound, *placed;
    ab_triangle triangle;
    ab_convex child; // of what is placed
    uint32_t which;
    ab_mesh_see *see;
    void *context;
} asking;

static bool is_apart(void *context, uint32_t part)
{
    const asking *a = context;
    ab_convex_pair pair = { .b = a->child };
    ab_convex_contact unused;
    ab_compound_place(a->compound, part, &pair.a);
    return ab_mesh_of(a->placed->shape) ? !ab_mesh_triangle_overlaps(&pair.a, a->placed, a->which)
                                        : ab_convex_apart(&pair, &unused);
}

static bool see_asked(asking *a, uint32_t child)
{
    const ab_mesh_box box = box_about(a->compound, &a->child);
    return ab_compound_overlap(ab_compound_of_valid(a->compound->shape), &box, is_apart, a) ||
           a->see(a->context, child);
}

static bool see_asked_part(void *context, uint32_t part)
{
    asking *a = context;
    ab_compound_place(a->placed, part, &a->child);
    return see_asked(a, part);
}

static bool see_asked_triangle(void *context, uint32_t triangle)
{
    asking *a = context;
    const ab_mesh *mesh = ab_mesh_of_valid(a->placed->shape);
    a->which = triangle;
    ab_triangle_place(mesh, a->placed, triangle, &a->triangle, &a->child);
    return see_asked(a, ab_mesh_child(mesh, triangle));
}

static bool find_overlapped(const ab_convex *compound, const ab_convex *placed, ab_mesh_see *see, void *context)
{
    asking a = { .compound = compound, .placed = placed, .see = see, .context = context };
    const ab_mesh_box box = box_about(placed, compound);
    if (ab_mesh_of(placed->shape))
    {
        return ab_mesh_overlap(ab_mesh_of_valid(placed->shape), &box, see_asked_triangle, &a);
    }
    if (placed->row->parts)
    {
        return ab_compound_overlap(ab_compound_of_valid(placed->shape), &box, see_asked_part, &a);
    }
    a.child = *placed;
    return see_asked(&a, 0);
}

bool ab_parts_find_overlapping(const ab_convex *shape, const ab_convex *placed, ab_mesh_see *see, void *context)
{
    return (shape->row->parts           ? find_overlapped
            : ab_mesh_of(placed->shape) ? ab_mesh_find_overlapping
                                        : ab_compound_find_overlapping)(shape, placed, see, context);
}

bool ab_compound_find_passing(const ab_convex *placed, ab_part_test *test, const void *context, ab_mesh_see *see,
                              void *seer)
{
    const uint32_t count = ab_child_count(placed->shape);
    bool more = true;
    for (uint32_t i = 0; i < count && more; ++i)
    {
        ab_convex part;
        ab_segment segment;
        place_part(placed, i, &segment, &part);
        more = !test(context, &part) || see(seer, i);
    }
    return more;
}
