// The distance of two cores: E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between
// complex objects in three-dimensional space" (1988), with the closest point of a simplex by its Voronoi regions (C.
// Ericson, "Real-Time Collision Detection", 2005, 5.1 and 9.5), and the stopping rule of G. van den Bergen, "A Fast and
// Robust GJK Implementation for Collision Detection of Convex Objects" (1999): the gap between an upper and a lower
// bound.
#include "narrow/convex/convex.h"

#include "math/frame.h"
#include "narrow/convex/half_space.h"

#include <math.h>
#include <string.h>

// A polytope takes about ten rounds, a round shape about twenty. At the cap the answer is the lower bound, which is
// safe.
#define MOST_ROUNDS 128
#define NEAR        1e-10 // of the granularity: nearer cores count as overlapping
#define GAP         1e-12 // relative, between the squares of the bounds

// Up to four points of the difference, and the barycentric weights of their point nearest to the origin.
typedef struct simplex
{
    ab_vertex vertex[4];
    double weight[4];
    int count;
    double nearest[3];
    double square; // of its distance
} simplex;

typedef struct weights
{
    double of[4];
    double square;
} weights;

static void weigh(const simplex *s, const double of[4], weights *best)
{
    double point[3] = { 0.0, 0.0, 0.0 };
    for (int i = 0; i < s->count; ++i)
    {
        ab_along(point, of[i], s->vertex[i].w, point);
    }
    const double square = ab_dot(point, point);
    if (square < best->square)
    {
        memcpy(best->of, of, sizeof best->of);
        best->square = square;
    }
}

static void weigh_vertex(const simplex *s, int i, weights *best)
{
    double of[4] = { 0.0, 0.0, 0.0, 0.0 };
    of[i] = 1.0;
    weigh(s, of, best);
}

// The interior of an edge, if the origin projects there.
static void weigh_edge(const simplex *s, int i, int j, weights *best)
{
    double of[4] = { 0.0, 0.0, 0.0, 0.0 }, edge[3];
    ab_sub(s->vertex[j].w, s->vertex[i].w, edge);
    const double square = ab_dot(edge, edge), at = -ab_dot(s->vertex[i].w, edge);
    if (at > 0.0 && at < square)
    {
        of[j] = at / square;
        of[i] = 1.0 - of[j];
        weigh(s, of, best);
    }
}

// The interior of a triangle, likewise.
static void weigh_triangle(const simplex *s, int i, int j, int k, weights *best)
{
    const double *p = s->vertex[i].w, *q = s->vertex[j].w, *r = s->vertex[k].w;
    double of[4] = { 0.0, 0.0, 0.0, 0.0 }, pq[3], pr[3], normal[3], part[3];
    ab_sub(q, p, pq);
    ab_sub(r, p, pr);
    ab_cross(pq, pr, normal);
    const double square = ab_dot(normal, normal);
    ab_cross(q, r, part);
    of[i] = ab_dot(part, normal);
    ab_cross(r, p, part);
    of[j] = ab_dot(part, normal);
    ab_cross(p, q, part);
    of[k] = ab_dot(part, normal);
    if (square > 0.0 && of[i] > 0.0 && of[j] > 0.0 && of[k] > 0.0)
    {
        const double sum = of[i] + of[j] + of[k];
        of[i] /= sum;
        of[j] /= sum;
        of[k] /= sum;
        weigh(s, of, best);
    }
}

static double volume(const double p[3], const double q[3], const double r[3])
{
    double part[3];
    ab_cross(q, r, part);
    return ab_dot(p, part);
}

// True when the origin is inside.
static bool weigh_tetrahedron(const simplex *s)
{
    const double *p = s->vertex[0].w, *q = s->vertex[1].w, *r = s->vertex[2].w, *t = s->vertex[3].w;
    const double without_p = volume(q, t, r), without_q = volume(p, r, t), without_r = volume(p, t, q);
    const double without_t = volume(p, q, r);
    const bool inside = without_p > 0.0 && without_q > 0.0 && without_r > 0.0 && without_t > 0.0;
    const bool turned = without_p < 0.0 && without_q < 0.0 && without_r < 0.0 && without_t < 0.0;
    return inside || turned;
}

// Removes from the nearest point its rounding error along the simplex, which is as large as that of the vertices. The
// result is orthogonal to the simplex, however far away that is, and so its direction is accurate.
static void straighten(const simplex *s, double point[3])
{
    double first[3], second[3], normal[3], straight[3];
    if (s->count == 2)
    {
        ab_sub(s->vertex[1].w, s->vertex[0].w, first);
        ab_along(point, -ab_dot(point, first) / ab_dot(first, first), first, straight);
    }
    else if (s->count == 3)
    {
        ab_sub(s->vertex[1].w, s->vertex[0].w, first);
        ab_sub(s->vertex[2].w, s->vertex[0].w, second);
        ab_cross(first, second, normal);
        const double zero[3] = { 0.0, 0.0, 0.0 };
        ab_along(zero, ab_dot(point, normal) / ab_dot(normal, normal), normal, straight);
    }
    else
    {
        return;
    }
    if (ab_dot(straight, straight) >= 0.25 * ab_dot(point, point)) // else the simplex is too thin
    {
        memcpy(point, straight, sizeof straight);
    }
}

// Reduces the simplex to the vertices of its nearest point. False when the origin is inside four points.
static bool find_nearest(simplex *s)
{
    weights best = { .square = HUGE_VAL };
    if (s->count == 4 && weigh_tetrahedron(s))
    {
        return false;
    }
    for (int i = 0; i < s->count; ++i)
    {
        weigh_vertex(s, i, &best);
        for (int j = i + 1; j < s->count; ++j)
        {
            weigh_edge(s, i, j, &best);
            for (int k = j + 1; k < s->count; ++k)
            {
                weigh_triangle(s, i, j, k, &best);
            }
        }
    }
    int kept = 0;
    double point[3] = { 0.0, 0.0, 0.0 };
    for (int i = 0; i < s->count; ++i)
    {
        if (best.of[i] > 0.0)
        {
            ab_along(point, best.of[i], s->vertex[i].w, point);
            s->vertex[kept] = s->vertex[i];
            s->weight[kept++] = best.of[i];
        }
    }
    s->count = kept;
    straighten(s, point);
    s->square = ab_dot(point, point);
    memcpy(s->nearest, point, sizeof point);
    return true;
}

static bool holds(const simplex *s, const ab_vertex *vertex)
{
    for (int i = 0; i < s->count; ++i)
    {
        if (memcmp(s->vertex[i].w, vertex->w, sizeof vertex->w) == 0)
        {
            return true;
        }
    }
    return false;
}

static void answer(const simplex *s, const double normal[3], double separation, ab_convex_contact *out)
{
    double on_a[3] = { 0.0, 0.0, 0.0 };
    for (int i = 0; i < s->count; ++i)
    {
        ab_along(on_a, s->weight[i], s->vertex[i].a, on_a);
    }
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = normal[k];
        out->on_a[k] = on_a[k];
        out->on_b[k] = on_a[k] + s->nearest[k];
    }
    out->separation = separation;
    out->overlap = false;
    out->vertices = s->count;
    memcpy(out->vertex, s->vertex, (size_t)s->count * sizeof *s->vertex);
}

bool ab_gjk(const ab_convex_pair *pair, double limit, ab_convex_contact *out)
{
#ifdef AB_HULLS
    out->vertices = 0;
#endif
    if (ab_has_half_space(pair))
    {
        ab_half_space_measure(pair, out);
        return !out->overlap;
    }
    const double near = NEAR * pair->granularity * NEAR * pair->granularity;
    simplex s = { .count = 1, .weight = { 1.0 } };
    ab_vertex next;
    double towards[3], normal[3] = { 0.0, 1.0, 0.0 }, lower = -HUGE_VAL; // along the normal
    ab_sub(pair->a.centre, pair->b.centre, towards);
    towards[0] = ab_dot(towards, towards) > 0.0 ? towards[0] : 1.0;
    ab_difference_support(pair, towards, &s.vertex[0]);
    find_nearest(&s);
    for (int round = 0; round < MOST_ROUNDS; ++round)
    {
        if (s.square <= near)
        {
            return false;
        }
        const double back[3] = { -s.nearest[0], -s.nearest[1], -s.nearest[2] };
        ab_difference_support(pair, back, &next);
        const double distance = sqrt(s.square), along = ab_dot(s.nearest, next.w);
        const bool rises = along / distance > lower + GAP * distance;
        if (along / distance > lower)
        {
            lower = along / distance;
            for (int k = 0; k < 3; ++k)
            {
                normal[k] = s.nearest[k] / distance;
            }
        }
        const bool done = s.square - along <= GAP * s.square || holds(&s, &next);
        if (done || lower > limit)
        {
            break;
        }
        simplex larger = s;
        larger.vertex[larger.count++] = next;
        if (!find_nearest(&larger))
        {
#ifdef AB_HULLS
            out->vertices = 4;
            memcpy(out->vertex, larger.vertex, sizeof larger.vertex);
#endif
            return false;
        }
        if (larger.square >= s.square && !rises)
        {
            break; // rounding: the two bounds are as near as they get
        }
        s = larger;
    }
    if (lower <= 0.0)
    {
        return false; // no direction separates them
    }
    answer(&s, normal, lower, out);
    if (out->vertices < 4)
    {
        out->vertex[out->vertices++] = next; // what rounding may have kept out
    }
    return true;
}
