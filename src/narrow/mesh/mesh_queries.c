// Sweeps against meshes.
#include "narrow/mesh/mesh_queries.h"

#include "narrow/chain/chain.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/convex/sweep_straight.h"
#include "narrow/mesh/mesh_collide.h"
#include "narrow/mesh/mesh_sweep.h"

#include <math.h>
#include <string.h>

static double length(const double v[3])
{
    return sqrt(ab_dot(v, v));
}

// A sweep against a mesh: the first impact so far.
typedef struct swept
{
    const ab_mesh *mesh;
    const ab_mover *shape, *mesh_mover;
    double duration;
    ab_overlaps overlaps;
    bool mesh_first;
    bool inside, asked; // whether they overlap at time 0; that is asked when the first triangle does
    ab_sweep best;
    uint32_t child;
} swept;

// The deepest contact at time 0, if it is deeper than the tolerance. The way out is that of the surface, so the contact
// is that of a detect. Both shapes are of their own frame's axes.
AB_APART static bool find_inside(swept *s)
{
    ab_triangle_pair pair = { .mesh = s->mesh, .placed = s->mesh_mover->start, .convex = s->shape->start };
    abut_manifold m;
    ab_triangle shape;
    ab_convex placed;
    double way[3];
    uint32_t triangle;
    ab_triangle_pair_up(&pair);
    const bool any = s->overlaps == AB_OVERLAPS_ALL;
    ab_sub(s->shape->v, s->mesh_mover->v, way);
    if (!ab_mesh_deepest(&pair, any ? NULL : way, &m, &triangle))
    {
        return false;
    }
    ab_triangle_place(s->mesh, &pair.placed, triangle, &shape, &placed);
    if (!((double)m.separation < -ab_sweep_tolerance_of(pair.convex.size, placed.size)))
    {
        return false;
    }
    const float turn = s->mesh_first ? -1.0f : 1.0f; // the manifold's normal points to the mesh
    const double normal[3] = { (double)(turn * m.normal.x), (double)(turn * m.normal.y), (double)(turn * m.normal.z) };
    const abut_point *point = &m.points[0];
    for (uint32_t i = 1; i < m.point_count; ++i)
    {
        point = m.points[i].separation < point->separation ? &m.points[i] : point;
    }
    const double middle[3] = { (double)point->offset.x, (double)point->offset.y, (double)point->offset.z };
    s->best = (ab_sweep){ .hit = true, .initial = true, .distance = (double)m.separation };
    memcpy(s->best.normal, normal, sizeof normal);
    ab_along(middle, -0.5 * (double)point->separation, normal, s->best.on_a);
    ab_along(middle, 0.5 * (double)point->separation, normal, s->best.on_b);
    s->child = ab_mesh_child(s->mesh, triangle);
    return true;
}

// The velocity, against the mesh, of the point of the shape that touches; of a shape without axes, which rolls for all
// that is known, of its middle.
static void velocity_at(const swept *s, const ab_sweep *impact, double out[3])
{
    const ab_mover *mover[2] = { s->shape, s->mesh_mover };
    double v[2][3];
    for (int i = 0; i < 2; ++i)
    {
        ab_convex placed;
        double pivot[3], arm[3], turned[3];
        ab_mover_at(mover[i], impact->time, &placed);
        ab_along(mover[i]->pivot, impact->time, mover[i]->v, pivot);
        ab_sub(!mover[i]->turns ? placed.centre : s->mesh_first ? impact->on_b : impact->on_a, pivot, arm);
        ab_cross(mover[i]->w, arm, turned);
        ab_along(mover[i]->v, 1.0, turned, v[i]);
    }
    ab_sub(v[0], v[1], out);
}

// A triangle that is hit.
typedef struct touched
{
    ab_convex shape, mesh; // at the time of the impact
    ab_triangle_corners corners;
    ab_triangle_view view; // from the side that it is hit from
    double away[3];        // the impact's direction from the mesh to the shape, in its frame
    bool behind;           // that goes backwards
    double normal[3];      // of the face on that side
} touched;

// Of two sides it is hit from that which the shape's middle is on, unless the direction only fits the other.
static ab_triangle_fit fit_of(const swept *s, const ab_sweep *impact, uint32_t triangle, touched *out)
{
    double *const away = out->away;
    uint32_t other;
    ab_mover_at(s->shape, impact->time, &out->shape);
    ab_mover_at(s->mesh_mover, impact->time, &out->mesh);
    for (int i = 0; i < 3; ++i)
    {
        const double along = ab_dot(impact->normal, out->mesh.axis + 3 * i);
        away[i] = s->mesh_first ? along : -along;
    }
    ab_triangle_corners_of(s->mesh, triangle, &out->corners);
    out->view = (ab_triangle_view){ s->mesh, triangle, &out->corners, -1.0 };
    out->view.side = s->mesh->two_sided && ab_triangle_faces(&out->view, &out->mesh, &out->shape) ? -1.0 : 1.0;
    ab_triangle_fit fit = ab_triangle_fit_of(&out->view, away, &other);
    bool behind = fit == AB_FIT_OTHER && other == AB_NO_TRIANGLE;
    if (behind && s->mesh->two_sided)
    {
        ab_triangle_view view = out->view;
        view.side = -view.side;
        const ab_triangle_fit back = ab_triangle_fit_of(&view, away, &other);
        behind = back != AB_FIT_FACE && back != AB_FIT_FEATURE;
        out->view = behind ? out->view : view;
        fit = behind ? fit : back;
    }
    out->behind = behind;
    fit = behind ? AB_FIT_NOT : fit; // its middle may be in front all the same
    ab_triangle_turn_out(&out->mesh, out->corners.normal, out->normal);
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] *= out->view.side;
    }
    return fit;
}

// Whether all of the shape is in front of the face's plane at time 0.
static bool was_in_front(const swept *s, const touched *t)
{
    const ab_convex *shape = &s->shape->start, *mesh = &s->mesh_mover->start;
    double front[3], down[3], corner[3], lowest[3], to[3];
    ab_triangle_turn_out(mesh, t->corners.normal, front);
    for (int k = 0; k < 3; ++k)
    {
        down[k] = -t->view.side * front[k];
    }
    ab_convex_place(mesh, t->corners.at[0], corner);
    ab_convex_support(shape, down, lowest);
    ab_sub(corner, lowest, to);
    return ab_dot(to, down) - shape->core.rounding > -ab_sweep_tolerance(s->shape, s->mesh_mover);
}

static bool turns(const ab_mover *mover)
{
    return mover->w[0] != 0.0 || mover->w[1] != 0.0 || mover->w[2] != 0.0;
}

#define SLIDES 1e-6 // of a way: what goes no steeper into a face slides along it

// Whether the shape goes into the face at an edge that has no normal of its own: by more than along a face that lies in
// a plane with its neighbours.
static bool goes_in(const swept *s, const ab_sweep *impact, const touched *t, const double velocity[3])
{
    const bool left_out = s->overlaps == AB_OVERLAPS_NONE && !was_in_front(s, t);
    const ab_approach approach = { .shape = &t->shape,
                                   .mesh = &t->mesh,
                                   .at = s->mesh_first ? impact->on_a : impact->on_b,
                                   .way = velocity,
                                   .slack = ab_sweep_tolerance(s->shape, s->mesh_mover),
                                   .least = -SLIDES };
    return -ab_dot(velocity, t->normal) > AB_MESH_FLAT * length(velocity) && !left_out &&
           ab_triangle_faces(&t->view, &t->mesh, &t->shape) && ab_triangle_leads_over(&t->view, &approach);
}

static bool comes_closer(const swept *s, const ab_sweep *impact, const double velocity[3])
{
    const double along = ab_dot(velocity, impact->normal);
    return (s->mesh_first ? -along : along) > SLIDES * length(velocity);
}

// Whether a shape in front of a surface with one side comes to where that ends, from beyond it: by a normal that goes
// backwards. A detect takes it for a contact there, as the shape's middle is in front.
static bool comes_at_border(const swept *s, const touched *t)
{
    return t->behind && !s->mesh->two_sided && ab_triangle_ends(&t->view, t->away) &&
           ab_triangle_faces(&t->view, &t->mesh, &t->shape);
}

// Whether the surface has the impact's normal there, or nearly so: then it is made that of the face. Where a shape
// comes to an edge that has none, but goes on into the triangle's face, that has the impact: there is nothing else that
// stops it. What only seems to come nearer to a face, as its edge is near, slides along it; and so does what overlaps
// by a hair, unless it goes deeper. Apart, for what it needs is not to be on the stack below a sweep.
AB_APART static bool fits(const swept *s, ab_sweep *impact, uint32_t triangle, bool overlaps)
{
    touched t;
    double velocity[3], measured[3];
    memcpy(measured, impact->normal, sizeof measured);
    const ab_triangle_fit fit = fit_of(s, impact, triangle, &t);
    const bool turned = !ab_mover_is_straight(s->shape) || turns(s->mesh_mover);
    velocity_at(s, impact, velocity);
    for (int k = 0; k < 3 && (fit == AB_FIT_FACE || fit == AB_FIT_NOT); ++k)
    {
        impact->normal[k] = s->mesh_first ? t.normal[k] : -t.normal[k];
    }
    const bool closes = comes_closer(s, impact, velocity);
    if (fit != AB_FIT_NOT)
    {
        return fit == AB_FIT_FACE ? closes || (turned && !overlaps) : fit == AB_FIT_FEATURE && (closes || !overlaps);
    }
    if (goes_in(s, impact, &t, velocity))
    {
        return true;
    }
    memcpy(impact->normal, measured, sizeof measured);
    return comes_at_border(s, &t) && comes_closer(s, impact, velocity);
}

// Likewise: where it stops, or where it would touch. What comes down just beside an edge may have that nearest where it
// stops, and never touch the triangle over which it is then.
static bool counts(const swept *s, ab_sweep *impact, ab_sweep *touching, uint32_t triangle, bool overlaps)
{
    if (fits(s, impact, triangle, overlaps))
    {
        return true;
    }
    const bool touches = !overlaps && fits(s, touching, triangle, false);
    if (touches)
    {
        memcpy(impact->normal, touching->normal, sizeof impact->normal);
    }
    return touches;
}

#define NEARLY 2.0 // of the tolerance

static bool happens(const ab_sweep *sweep)
{
    return sweep->hit || sweep->bound;
}

// Whether an overlap at time 0 is no deeper than the tolerance by more than rounding: in double, and in the axes of the
// mesh, which are floats, it may be none.
static bool is_nearly_touching(const swept *s, const ab_sweep *found)
{
    const ab_convex *shape = &s->shape->start, *mesh = &s->mesh_mover->start;
    double to[3];
    ab_sub(shape->centre, mesh->centre, to);
    return -found->distance < NEARLY * ab_sweep_tolerance(s->shape, s->mesh_mover) + AB_AXES_SLACK * length(to);
}

// Nothing is hit before `start`. Once the two are known to overlap, there is no more to find.
static void sweep_triangle_from(swept *s, uint32_t triangle, double start)
{
    if (s->inside)
    {
        return;
    }
    ab_triangle shape;
    ab_mover mover = *s->mesh_mover;
    ab_sweep found, touching;
    double arm[3];
    ab_triangle_place(s->mesh, &s->mesh_mover->start, triangle, &shape, &mover.start);
    ab_sub(mover.start.centre, mover.pivot, arm);
    mover.reach = length(arm) + length(mover.start.core.half);
    const ab_mover *a = s->mesh_first ? &mover : s->shape, *b = s->mesh_first ? s->shape : &mover;
    const uint32_t child = ab_mesh_child(s->mesh, triangle);
    ab_sweep_up_to_touch(a, b, start, s->duration, &found, &touching);
    const bool overlaps = found.initial;
    if (overlaps)
    {
        if (s->overlaps != AB_OVERLAPS_NONE && !s->asked)
        {
            s->asked = true;
            s->inside = find_inside(s);
        }
        if (s->inside || s->overlaps == AB_OVERLAPS_NONE || !is_nearly_touching(s, &found))
        {
            return;
        }
        found.hit = true;
        found.initial = false;
    }
    const bool first =
        !happens(&s->best) || found.time < s->best.time || (found.time == s->best.time && child < s->child);
    if (happens(&found) && first && (found.bound || counts(s, &found, &touching, triangle, overlaps)))
    {
        s->best = found;
        s->child = child;
    }
}

static bool sweep_triangle(void *context, uint32_t triangle)
{
    swept *s = context;
    sweep_triangle_from(s, triangle, 0.0);
    return !s->inside;
}

// A triangle that is not reached before a time.
typedef struct reached
{
    double time;
    uint32_t child, triangle;
    bool exact; // the time is that of ab_past_triangle
} reached;

#define REACHED 128u
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
    return happens(&s->swept->best) ? s->swept->best.time / s->swept->duration : 1.0;
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
                next.time *= s->swept->duration;
                insert(s, &next);
            }
        }
        else if (!happens(&best->best) || next.time < best->best.time || next.time == 0.0 || next.child < best->child)
        {
            sweep_triangle_from(s->swept, next.triangle, next.time); // at time 0 it may overlap the shape
        }
    }
}

static void list_waiting(straight *s)
{
    float times[AB_MESH_WIDTH];
    ab_axes_row_of(s->swept->mesh, s->wait, s->waiting, &s->row);
    ab_past_row(&s->lanes, &s->row, (float)limit_of(s) * (float)LATER, times);
    for (uint32_t i = 0; i < s->waiting; ++i)
    {
        if (times[i] < AB_PAST_NEVER)
        {
            const uint32_t triangle = s->wait[i];
            const reached it = { (double)times[i] * s->swept->duration, ab_mesh_child(s->swept->mesh, triangle),
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

static void sweep_straight(swept *s, const ab_mesh_box *box)
{
    const ab_mover *shape = s->shape, *mesh = s->mesh_mover;
    straight it;
    it.swept = s;
    it.past = (ab_past){ .shape = &shape->start, .placed = &mesh->start };
    it.waiting = it.count = 0;
    memset(&it.row, 0, sizeof it.row);
    for (int k = 0; k < 3; ++k)
    {
        it.past.way[k] = (shape->v[k] - mesh->v[k]) * s->duration;
    }
    ab_past_lanes_of(&it.past, &it.lanes);
    (void)ab_mesh_may_overlap(s->mesh, box, see_straight, &it);
    list_waiting(&it);
    try_reached(&it);
}

ab_mesh_box ab_swept_box(const ab_mover *mover, const ab_mover *shape, double duration)
{
    const double turned = fmin(length(shape->w) * duration, 2.0), own_turned = fmin(length(mover->w) * duration, 2.0);
    double between[3], away[3], way = 0.0;
    ab_sub(shape->v, mover->v, between);
    ab_sub(shape->pivot, mover->pivot, away);
    way = length(between) * duration;
    const double farthest = length(away) + shape->reach + shape->start.core.rounding + way;
    const double more = ab_sweep_tolerance(shape, mover) + turned * shape->reach + own_turned * farthest;
    ab_convex there = shape->start;
    ab_along(there.centre, duration, between, there.centre);
    ab_mesh_box box = ab_mesh_box_around(&mover->start, &shape->start, more);
    const ab_mesh_box end = ab_mesh_box_around(&mover->start, &there, more);
    for (int k = 0; k < 3; ++k)
    {
        box.min[k] = end.min[k] < box.min[k] ? end.min[k] : box.min[k];
        box.max[k] = end.max[k] > box.max[k] ? end.max[k] : box.max[k];
    }
    return box;
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
    swept s = { .shape = mesh_first ? b : a,
                .mesh_mover = mesh_first ? a : b,
                .duration = duration,
                .overlaps = overlaps,
                .mesh_first = mesh_first };
    s.mesh = ab_mesh_of_valid(s.mesh_mover->start.shape);
    const ab_mesh_box box = ab_swept_box(s.mesh_mover, s.shape, duration);
    if (ab_mover_is_straight(s.shape) && !turns(s.mesh_mover) && duration > 0.0)
    {
        sweep_straight(&s, &box);
    }
    else
    {
        (void)ab_mesh_overlap(s.mesh, &box, sweep_triangle, &s);
    }
    *out = s.best;
    *child = s.child;
}
