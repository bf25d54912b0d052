// Distances to meshes, and which of their triangles overlap a shape.
#include "narrow/mesh/mesh_queries.h"

#include <math.h>

#define ALIKE  1e-6    // of a distance and a size
#define PLACED 0x1p-45 // of a way: a place in the mesh's frame that is off by less is right

// A convex shape and a mesh whose triangles are measured.
typedef struct couple
{
    const ab_mesh *mesh;
    const ab_convex *placed;
    ab_convex_pair pair;
    ab_triangle_pair known; // for what is measured without a search
    bool overlap;           // of the triangle that was measured last
} couple;

static void pair_up(couple *c, const ab_convex *shape, const ab_convex *placed)
{
    *c = (couple){ .mesh = ab_mesh_of_valid(placed->shape), .placed = placed, .pair = { .a = *shape } };
    c->known = (ab_triangle_pair){ .mesh = c->mesh, .placed = *placed, .convex = *shape };
    ab_triangle_pair_up(&c->known);
}

// False: the triangle is farther than the limit for sure.
static bool measure(couple *c, uint32_t triangle, double limit, ab_convex_contact *out)
{
    ab_triangle_corners corners;
    ab_triangle shape;
    ab_triangle_corners_of(c->mesh, triangle, &corners);
    const ab_triangle_gap gap = ab_triangle_measure(&c->known, &corners, AB_AXES_ALL, limit, out);
    if (gap == AB_GAP_UNKNOWN)
    {
        ab_triangle_place(c->mesh, c->placed, triangle, &shape, &c->pair.b);
        ab_convex_pair_up(&c->pair);
        c->overlap = !ab_convex_distance(&c->pair, out);
        if (!c->overlap)
        {
            ab_convex_round(&c->pair, out);
        }
        return true;
    }
    c->overlap = gap == AB_GAP_FOUND && out->overlap;
    return gap == AB_GAP_FOUND;
}

// The box of all that is within a distance of the shape.
static ab_mesh_box box_within(const couple *c, double distance)
{
    const ab_convex *shape = &c->pair.a;
    double to[3];
    ab_sub(shape->centre, c->placed->centre, to);
    return ab_mesh_box_around(c->placed, shape, distance + AB_AXES_SLACK * (distance + ab_length(to) + shape->size));
}

// A search for the triangle nearest to a shape.
typedef struct nearest
{
    couple couple;
    ab_convex_contact best;
    uint32_t child;       // ABUT_NONE: there is none yet
    uint32_t triangle;    // of the best
    double most;          // until there is one: nothing farther counts
    bool overlaps;        // some triangle's core does: the child is the lowest of those
    ab_mesh_box own;      // about the shape, in the mesh's frame
    double way[3], reach; // there: from the shape to the best, and how far the shape reaches along that
} nearest;

// The way to the best, which is apart.
static void lay_way(nearest *n)
{
    const ab_convex *placed = n->couple.placed, *shape = &n->couple.pair.a;
    double on[3], to[3];
    ab_sub(n->best.on_a, placed->centre, to);
    for (int k = 0; k < 3; ++k)
    {
        n->way[k] = ab_dot(n->best.normal, placed->axis + 3 * k);
        on[k] = ab_dot(to, placed->axis + 3 * k);
    }
    n->reach = ab_dot(on, n->way) + AB_AXES_SLACK * (ab_length(to) + shape->size);
}

// Whether a triangle is farther than so much for sure: by its box and the shape's, or by the plane before which the
// shape lies.
static bool is_farther(const nearest *n, uint32_t triangle, double limit)
{
    double corner[3][3], square = 0.0, along = HUGE_VAL;
    ab_mesh_corners(n->couple.mesh, triangle, corner);
    for (int k = 0; k < 3; ++k)
    {
        const double p = corner[0][k], q = corner[1][k], r = corner[2][k], low = p < q ? p : q, high = p < q ? q : p;
        const double below = (double)n->own.min[k] - (high > r ? high : r),
                     above = (low < r ? low : r) - (double)n->own.max[k], away = below > above ? below : above;
        square += away > 0.0 ? away * away : 0.0;
    }
    for (int i = 0; i < 3; ++i)
    {
        const double at = ab_dot(corner[i], n->way);
        along = at < along ? at : along;
    }
    return square > limit * limit || along - n->reach > limit;
}

// What a search finds may be less by so much than what axes say.
static double slack_of(const nearest *n)
{
    return ALIKE * (fabs(n->best.separation) + n->couple.pair.a.size);
}

static bool see_nearest(void *context, uint32_t triangle)
{
    nearest *n = context;
    ab_convex_contact found;
    const uint32_t child = ab_mesh_child(n->couple.mesh, triangle);
    const bool none = n->child == ABUT_NONE;
    const double limit = none ? n->most : n->best.separation + slack_of(n);
    if (((none || (!n->overlaps && n->best.separation > 0.0)) && is_farther(n, triangle, limit)) ||
        !measure(&n->couple, triangle, limit, &found))
    {
        return true;
    }
    if (n->couple.overlap)
    {
        n->child = !n->overlaps || child < n->child ? child : n->child;
        n->overlaps = true;
    }
    else if (!n->overlaps && (n->child == ABUT_NONE || found.separation < n->best.separation ||
                              (found.separation == n->best.separation && child < n->child)))
    {
        n->best = found;
        n->child = child;
        n->triangle = triangle;
        lay_way(n);
    }
    return true;
}

// The distance of boxes beyond which no triangle counts.
static double farthest_of(const nearest *n)
{
    const bool apart = !n->overlaps && n->best.separation > 0.0;
    return n->child == ABUT_NONE ? n->most : (apart ? n->best.separation : 0.0) + slack_of(n);
}

static double measure_near(void *context, uint32_t triangle)
{
    (void)see_nearest(context, triangle);
    return farthest_of(context);
}

static bool is_ball(const ab_convex *shape)
{
    return !shape->def && ab_core_is_point(&shape->core);
}

// Of a ball or a point, which is nearest to the point of the mesh that its centre is.
static bool ball_distance(const ab_convex *ball, const ab_convex *placed, const double on[3], ab_convex_contact *out)
{
    double to[3];
    ab_convex_place(placed, on, out->on_b);
    ab_sub(out->on_b, ball->centre, to);
    const double distance = ab_length(to), radius = ball->core.rounding;
    out->separation = distance - radius;
    for (int k = 0; k < 3 && distance > 0.0; ++k)
    {
        out->normal[k] = to[k] / distance;
        out->on_a[k] = ball->centre[k] + radius * out->normal[k];
    }
    return distance > 0.0 && out->separation > 0.0;
}

// The triangle nearest to the shape's centre, and its point.
static uint32_t nearest_to_centre(const ab_convex *shape, const ab_convex *placed, double on[3])
{
    double to[3], centre[3];
    ab_sub(shape->centre, placed->centre, to);
    for (int i = 0; i < 3; ++i)
    {
        centre[i] = ab_dot(to, placed->axis + 3 * i);
    }
    return ab_mesh_nearest(ab_mesh_of_valid(placed->shape), centre, on);
}

// Axes that a world keeps in floats are not quite at right angles. So in the mesh's frame the shape is beside where it
// is, by some 1e-7 of its way from there, which may be longer than both are large: the best is measured again, from the
// right place.
static void measure_again(nearest *n)
{
    couple *c = &n->couple;
    double at[3], off[3], way[3];
    ab_convex_contact found;
    ab_convex_place(c->placed, c->known.centre, at);
    ab_sub(c->known.convex.centre, at, off);
    ab_sub(c->known.convex.centre, c->placed->centre, way);
    if (ab_length(off) <= PLACED * ab_length(way))
    {
        return;
    }
    for (int i = 0; i < 3; ++i)
    {
        c->known.centre[i] += ab_dot(off, c->placed->axis + 3 * i);
    }
    if (measure(c, n->triangle, HUGE_VAL, &found) && !c->overlap && found.separation > 0.0)
    {
        n->best = found;
    }
}

bool ab_mesh_distance(const ab_convex *shape, const ab_convex *placed, double most, ab_convex_contact *out,
                      uint32_t *child)
{
    const ab_mesh *mesh = ab_mesh_of_valid(placed->shape);
    double on[3], to[3];
    if (is_ball(shape))
    {
        *child = ab_mesh_child(mesh, nearest_to_centre(shape, placed, on));
        return ball_distance(shape, placed, on, out);
    }
    nearest n = { .child = ABUT_NONE };
    pair_up(&n.couple, shape, placed);
    n.own = box_within(&n.couple, 0.0);
    ab_sub(shape->centre, placed->centre, to);
    n.most = most + ALIKE * (most + ab_length(to) + shape->size); // before what is found is measured again
    if (most > shape->size)                                       // of less, few triangles are so near
    {
        (void)see_nearest(&n, nearest_to_centre(shape, placed, on));
    }
    ab_mesh_near_box(mesh, &n.own, farthest_of(&n), measure_near, &n);
    if (n.child != ABUT_NONE && !n.overlaps && n.best.separation > 0.0)
    {
        measure_again(&n);
    }
    *out = n.best;
    *child = n.child;
    if (n.child == ABUT_NONE)
    {
        out->separation = out->on_b[0] = HUGE_VAL;
    }
    return !n.overlaps && out->separation > 0.0;
}

// A search for all triangles that overlap a shape.
typedef struct overlapping
{
    couple couple;
    bool ball;
    ab_mesh_see *see;
    void *context;
} overlapping;

static bool ball_overlaps(const ab_triangle_pair *pair, uint32_t triangle)
{
    double corner[3][3], on[3], to[3];
    ab_mesh_corners(pair->mesh, triangle, corner);
    ab_mesh_nearest_on(corner, pair->centre, on);
    ab_sub(on, pair->centre, to);
    return ab_length(to) <= pair->convex.core.rounding;
}

static bool overlaps(overlapping *o, uint32_t triangle)
{
    couple *c = &o->couple;
    ab_convex_contact found;
    return o->ball ? ball_overlaps(&c->known, triangle)
                   : measure(c, triangle, 0.0, &found) && (c->overlap || found.separation <= 0.0);
}

static bool see_overlapping(void *context, uint32_t triangle)
{
    overlapping *o = context;
    return !overlaps(o, triangle) || o->see(o->context, ab_mesh_child(o->couple.mesh, triangle));
}

bool ab_mesh_triangle_overlaps(const ab_convex *shape, const ab_convex *placed, uint32_t triangle)
{
    overlapping o = { .ball = is_ball(shape) };
    pair_up(&o.couple, shape, placed);
    return overlaps(&o, triangle);
}

bool ab_mesh_find_overlapping(const ab_convex *shape, const ab_convex *placed, ab_mesh_see *see, void *context)
{
    overlapping o = { .ball = is_ball(shape), .see = see, .context = context };
    pair_up(&o.couple, shape, placed);
    const ab_mesh_box box = box_within(&o.couple, 0.0);
    return ab_mesh_overlap(o.couple.mesh, &box, see_overlapping, &o);
}
