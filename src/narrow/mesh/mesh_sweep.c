// Sweeps against meshes.
#include "narrow/mesh/mesh_queries.h"

#include "narrow/chain/chain.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/convex/sweep_straight.h"
#include "narrow/mesh/mesh_impact.h"
#include "narrow/mesh/mesh_past.h"
#include "narrow/mesh/mesh_way.h"

#include <string.h>

// A sweep against a mesh: the first impact so far.
typedef struct swept
{
    ab_mesh_sweep of;
    bool inside, asked; // whether they overlap at time 0; that is asked when the first triangle does
    ab_sweep best;
    uint32_t child;
} swept;

#define NEARLY 2.0 // of the tolerance

static bool happens(const ab_sweep *sweep)
{
    return sweep->hit || sweep->bound;
}

// Whether an overlap at time 0 is no deeper than the tolerance by more than rounding: in double, and in the axes of the
// mesh, which are floats, it may be none.
static bool is_nearly_touching(const swept *s, const ab_sweep *found)
{
    const ab_convex *shape = &s->of.shape->start, *mesh = &s->of.mesh_mover->start;
    double to[3];
    ab_sub(shape->centre, mesh->centre, to);
    return -found->distance <
           NEARLY * ab_sweep_tolerance(s->of.shape, s->of.mesh_mover) + AB_AXES_SLACK * ab_length(to);
}

#define RAISED 4.0 // tolerances

// Whether an impact counts that does not by itself: a shape that slides into the foot of a ridge, so low that it touches
// the foot from the side, would meet the ridge if it were higher by a hair. The impact has the normal that it would have.
static AB_APART bool counts_raised(const swept *s, const ab_mover *mover, uint32_t triangle, ab_sweep *impact)
{
    double normal[3];
    if (!impact->hit || impact->initial || !ab_mesh_impact_passes(&s->of, impact, triangle, normal))
    {
        return false;
    }
    const double by = RAISED * ab_sweep_tolerance(s->of.shape, s->of.mesh_mover);
    ab_mover shape = *s->of.shape;
    ab_sweep found, touching;
    ab_along(shape.start.centre, by, normal, shape.start.centre);
    ab_along(shape.pivot, by, normal, shape.pivot);
    const ab_mover *a = s->of.mesh_first ? mover : &shape, *b = s->of.mesh_first ? &shape : mover;
    ab_sweep_up_to_touch(a, b, 0.0, s->of.duration, &found, &touching);
    const bool counts =
        found.hit && !found.initial && ab_mesh_impact_counts(&s->of, &found, &touching, triangle, false);
    for (int k = 0; k < 3; ++k)
    {
        impact->normal[k] = counts ? found.normal[k] : impact->normal[k];
    }
    return counts;
}

// Nothing is hit before `start`. Once the two are known to overlap, there is no more to find. `looks`: they are
// measured at `start` first, and not swept if nothing can be hit before the best.
static void sweep_triangle_from(swept *s, uint32_t triangle, double start, bool looks)
{
    if (s->inside)
    {
        return;
    }
    ab_triangle shape;
    ab_mover mover = *s->of.mesh_mover;
    ab_sweep found, touching;
    double arm[3];
    ab_triangle_place(s->of.mesh, &s->of.mesh_mover->start, triangle, &shape, &mover.start);
    ab_sub(mover.start.centre, mover.pivot, arm);
    mover.reach = ab_length(arm) + ab_length(mover.start.core.half);
    const ab_mover *a = s->of.mesh_first ? &mover : s->of.shape, *b = s->of.mesh_first ? s->of.shape : &mover;
    const uint32_t child = ab_mesh_child(s->of.mesh, triangle);
    const double last = happens(&s->best) ? s->best.time : s->of.duration;
    if (looks && !ab_sweep_look(a, b, start, last, &found))
    {
        return;
    }
    if (looks)
    {
        ab_sweep_on_to_touch(a, b, s->of.duration, &found, &touching);
    }
    else
    {
        ab_sweep_up_to_touch(a, b, start, s->of.duration, &found, &touching);
    }
    const bool overlaps = found.initial;
    if (overlaps)
    {
        if (s->of.overlaps != AB_OVERLAPS_NONE && !s->asked)
        {
            s->asked = true;
            s->inside = ab_mesh_starts_inside(&s->of, &s->best, &s->child);
        }
        if (s->inside || s->of.overlaps == AB_OVERLAPS_NONE || !is_nearly_touching(s, &found))
        {
            return;
        }
        found.hit = true;
        found.initial = false;
    }
    const bool first =
        !happens(&s->best) || found.time < s->best.time || (found.time == s->best.time && child < s->child);
    if (happens(&found) && first &&
        (found.bound || ab_mesh_impact_counts(&s->of, &found, &touching, triangle, overlaps) ||
         (!overlaps && counts_raised(s, &mover, triangle, &found))))
    {
        s->best = found;
        s->child = child;
    }
}

static bool is_decided(const swept *s, const ab_way *way)
{
    return s->inside || (happens(&s->best) && s->best.time <= way->end);
}

// A sweep of two of which one turns.
typedef struct turning
{
    swept *swept;
    ab_way way;
    ab_way_ball ball; // that the shape is in
    ab_mesh_box box;  // about what is left of the present stage before the first impact
} turning;

static void lay_box(turning *t)
{
    const swept *s = t->swept;
    const bool ends = happens(&s->best) && s->best.time < t->way.end;
    t->box =
        ends ? ab_swept_box_between(s->of.mesh_mover, s->of.shape, t->way.start, s->best.time) : *ab_way_box(&t->way);
}

// A triangle that the stages before did not meet is not hit before this one.
static bool see_turning(void *context, uint32_t triangle)
{
    turning *t = context;
    swept *s = t->swept;
    const double before = s->best.time;
    const bool happened = happens(&s->best);
    double start;
    if (!ab_way_ball_meets_triangle(&t->ball, s->of.mesh, triangle, &start) || (happened && start > before) ||
        ab_way_has_met(&t->way, s->of.mesh, triangle))
    {
        return true;
    }
    start = start > t->way.start ? start : t->way.start;
    sweep_triangle_from(s, triangle, start, start > 0.0);
    if (happens(&s->best) && (!happened || s->best.time < before))
    {
        lay_box(t);
    }
    return !s->inside;
}

AB_APART static void sweep_turning(swept *s)
{
    turning t;
    t.swept = s;
    ab_way_begin(&t.way, s->of.mesh_mover, s->of.shape, s->of.duration);
    ab_way_ball_of(s->of.mesh_mover, s->of.shape, s->of.duration, &t.ball);
    do
    {
        lay_box(&t);
        (void)ab_mesh_overlap(s->of.mesh, &t.box, see_turning, &t);
    } while (!is_decided(s, &t.way) && ab_way_go_on(&t.way));
}

// A triangle that is not reached before a time.
typedef struct reached
{
    double time;
    uint32_t child, triangle;
    bool exact; // the time is that of ab_past_triangle
} reached;

#define REACHED 96u
#define LATER   (1.0 + 0x1p-20) // times, rounded

// A sweep of two that do not turn.
typedef struct straight
{
    swept *swept;
    ab_past past;
    ab_past_lanes lanes;
    ab_axes_row row;
    uint32_t waiting, wait[AB_MESH_WIDTH];
    uint32_t count;
    reached list[REACHED];
} straight;

// The last one is the next to be tried.
static void insert(straight *s, const reached *it)
{
    uint32_t at = s->count++;
    for (; at > 0 &&
           (s->list[at - 1].time < it->time || (s->list[at - 1].time == it->time && s->list[at - 1].child < it->child));
         --at)
    {
        s->list[at] = s->list[at - 1];
    }
    s->list[at] = *it;
}

// A share of the way: what is reached later does not count.
static double limit_of(const straight *s)
{
    return happens(&s->swept->best) ? s->swept->best.time / s->swept->of.duration : 1.0;
}

// Tries triangles in the order of times and children, until none can be earlier than the best.
static void try_reached(straight *s)
{
    const swept *best = s->swept;
    while (s->count > 0)
    {
        reached next = s->list[--s->count];
        if (best->inside || (happens(&best->best) && next.time > best->best.time))
        {
            s->count = 0;
        }
        else if (!next.exact)
        {
            next.exact = true;
            if (ab_past_triangle(&s->past, next.triangle, limit_of(s) * LATER, &next.time))
            {
                next.time *= s->swept->of.duration;
                insert(s, &next);
            }
        }
        else if (!happens(&best->best) || next.time < best->best.time || next.time == 0.0 || next.child < best->child)
        {
            sweep_triangle_from(s->swept, next.triangle, next.time, false); // at time 0 it may overlap the shape
        }
    }
}

static void list_waiting(straight *s)
{
    float times[AB_MESH_WIDTH];
    ab_axes_row_of(s->swept->of.mesh, s->wait, s->waiting, &s->row);
    ab_past_row(&s->lanes, &s->row, (float)limit_of(s) * (float)LATER, times);
    for (uint32_t i = 0; i < s->waiting; ++i)
    {
        if (times[i] < AB_PAST_NEVER)
        {
            const uint32_t triangle = s->wait[i];
            const reached it = { (double)times[i] * s->swept->of.duration, ab_mesh_child(s->swept->of.mesh, triangle),
                                 triangle, false };
            if (s->count == REACHED)
            {
                try_reached(s);
            }
            insert(s, &it);
        }
    }
    s->waiting = 0;
}

static bool see_straight(void *context, uint32_t triangle)
{
    straight *s = context;
    s->wait[s->waiting++] = triangle;
    if (s->waiting == AB_MESH_WIDTH)
    {
        list_waiting(s);
    }
    return true;
}

#define FEW 32u

// Triangles that may be met on all of the way, if they are few.
typedef struct few
{
    uint32_t count, triangle[FEW];
} few;

static bool see_few(void *context, uint32_t triangle)
{
    few *f = context;
    const bool room = f->count < FEW;
    if (room)
    {
        f->triangle[f->count++] = triangle;
    }
    return room;
}

// Stage by stage, where there are many.
AB_APART static void sweep_many(straight *s)
{
    const swept *best = s->swept;
    ab_way way;
    ab_way_begin(&way, best->of.mesh_mover, best->of.shape, best->of.duration);
    do
    {
        (void)ab_mesh_may_overlap(best->of.mesh, ab_way_box(&way), see_straight, s);
        list_waiting(s);
        try_reached(s);
    } while (!is_decided(best, &way) && ab_way_go_on(&way));
}

static void sweep_straight(swept *s)
{
    const ab_mover *shape = s->of.shape, *mesh = s->of.mesh_mover;
    const ab_mesh_box box = ab_swept_box(mesh, shape, s->of.duration);
    few all;
    straight it;
    it.swept = s;
    it.past = (ab_past){ .shape = &shape->start, .placed = &mesh->start };
    it.waiting = it.count = all.count = 0;
    memset(&it.row, 0, sizeof it.row);
    for (int k = 0; k < 3; ++k)
    {
        it.past.way[k] = (shape->v[k] - mesh->v[k]) * s->of.duration;
    }
    const bool are_few = ab_mesh_may_overlap(s->of.mesh, &box, see_few, &all);
    if (are_few && all.count == 0)
    {
        return;
    }
    ab_past_lanes_of(&it.past, &it.lanes);
    if (!are_few)
    {
        sweep_many(&it);
        return;
    }
    for (uint32_t i = 0; i < all.count; ++i)
    {
        (void)see_straight(&it, all.triangle[i]);
    }
    list_waiting(&it);
    try_reached(&it);
}

void ab_sweep_shapes(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                     uint32_t *child)
{
    const bool mesh_first = a->start.row->parts;
    *child = 0;
    if (ab_compound_of(a->start.shape) || ab_compound_of(b->start.shape))
    {
        ab_sweep_compound(a, b, duration, overlaps, out, child);
        return;
    }
    if (ab_chain_of(a->start.shape) || ab_chain_of(b->start.shape))
    {
        ab_sweep_chain(a, b, duration, overlaps, out, child);
        return;
    }
    if (!mesh_first && !b->start.row->parts)
    {
        ab_sweep_to_touch(a, b, 0.0, duration, out);
        return;
    }
    swept s = { .of = { .shape = mesh_first ? b : a,
                        .mesh_mover = mesh_first ? a : b,
                        .duration = duration,
                        .overlaps = overlaps,
                        .mesh_first = mesh_first } };
    s.of.mesh = ab_mesh_of_valid(s.of.mesh_mover->start.shape);
    if (ab_mover_is_straight(s.of.shape) && !ab_mover_turns(s.of.mesh_mover) && duration > 0.0)
    {
        sweep_straight(&s);
    }
    else
    {
        sweep_turning(&s);
    }
    *out = s.best;
    *child = s.child;
}
