// How the expanding polytope algorithm's hull begins: four points of the difference with an interior.
#include "narrow/convex/epa_hull.h"

#include <math.h>
#include <string.h>

// Of the granularity.
#define FLAT  1e-9 // a thinner difference has no interior
#define THICK 1e-3 // a tetrahedron of GJK's that is thinner is none to begin with

typedef ab_epa_face face;
typedef ab_epa_hull hull;

bool ab_epa_probe(hull *h, const double direction[3], ab_vertex *farthest)
{
    ab_difference_support(h->pair, direction, farthest);
    const double depth = ab_dot(direction, farthest->w);
    if (!(depth < h->best.depth))
    {
        return false;
    }
    h->best.depth = depth;
    h->best.farthest = *farthest;
    memcpy(h->best.outward, direction, sizeof h->best.outward);
    return true;
}

// Any unit direction orthogonal to a unit one: the y axis, or the x axis, minus its projection.
static void beside(const double along[3], double out[3])
{
    const double up[3] = { 0.0, 1.0, 0.0 }, across[3] = { 1.0, 0.0, 0.0 };
    const double *base = fabs(along[1]) < 0.9 ? up : across;
    ab_along(base, -ab_dot(base, along), along, out);
    const double length = sqrt(ab_dot(out, out));
    for (int k = 0; k < 3; ++k)
    {
        out[k] /= length;
    }
}

static double distance_from_line(const double point[3], const double on_line[3], const double along[3])
{
    double apart[3], cross[3];
    ab_sub(point, on_line, apart);
    ab_cross(apart, along, cross);
    return sqrt(ab_dot(cross, cross));
}

// Probes both ways along a direction; *out becomes the vertex that `by` finds farther.
static double look_both_ways(hull *h, const double direction[3], double (*by)(const hull *h, const double point[3]),
                             ab_vertex *out)
{
    const double back[3] = { -direction[0], -direction[1], -direction[2] };
    ab_vertex forward, backward;
    ab_epa_probe(h, direction, &forward);
    ab_epa_probe(h, back, &backward);
    const double f = by(h, forward.w), b = by(h, backward.w);
    *out = f >= b ? forward : backward;
    return f >= b ? f : b;
}

static void line_of(const hull *h, double along[3])
{
    ab_sub(h->vertex[1].w, h->vertex[0].w, along);
    const double length = sqrt(ab_dot(along, along));
    for (int k = 0; k < 3; ++k)
    {
        along[k] /= length;
    }
}

static double off_line(const hull *h, const double point[3])
{
    double along[3];
    line_of(h, along);
    return distance_from_line(point, h->vertex[0].w, along);
}

static bool plane_of(const hull *h, uint32_t i, uint32_t j, uint32_t k, double normal[3])
{
    double ij[3], ik[3];
    ab_sub(h->vertex[j].w, h->vertex[i].w, ij);
    ab_sub(h->vertex[k].w, h->vertex[i].w, ik);
    ab_cross(ij, ik, normal);
    const double length = sqrt(ab_dot(normal, normal));
    for (int n = 0; n < 3; ++n)
    {
        normal[n] /= length;
    }
    return length > 1e-20 * h->pair->scale * h->pair->scale;
}

static double off_plane(const hull *h, const double point[3])
{
    double normal[3], apart[3];
    plane_of(h, 0, 1, 2, normal);
    ab_sub(point, h->vertex[0].w, apart);
    return fabs(ab_dot(apart, normal));
}

// The two points farthest apart along some axis of the world. False when all coincide.
static bool find_line(hull *h)
{
    double widest = -1.0;
    for (int k = 0; k < 3; ++k)
    {
        double direction[3] = { 0.0, 0.0, 0.0 };
        ab_vertex forward, backward;
        direction[k] = 1.0;
        ab_epa_probe(h, direction, &forward);
        direction[k] = -1.0;
        ab_epa_probe(h, direction, &backward);
        if (forward.w[k] - backward.w[k] > widest)
        {
            widest = forward.w[k] - backward.w[k];
            h->vertex[0] = backward;
            h->vertex[1] = forward;
        }
    }
    return widest > FLAT * h->pair->granularity;
}

// Chooses a fixed direction for a difference without interior, so that rounding does not choose it.
static void leave_along(hull *h, const double normal[3])
{
    ab_vertex farthest;
    const double outward[3] = { -normal[0], -normal[1], -normal[2] };
    h->best.depth = HUGE_VAL;
    ab_epa_probe(h, outward, &farthest);
}

static bool find_triangle(hull *h)
{
    double along[3], direction[3], across[3];
    ab_vertex other;
    line_of(h, along);
    beside(along, direction);
    ab_cross(along, direction, across);
    const double first = look_both_ways(h, direction, off_line, &h->vertex[2]);
    const double second = look_both_ways(h, across, off_line, &other);
    h->vertex[2] = second > first ? other : h->vertex[2];
    if ((second > first ? second : first) > FLAT * h->pair->granularity)
    {
        return true;
    }
    leave_along(h, direction);
    return false;
}

static bool find_tetrahedron(hull *h)
{
    double normal[3];
    plane_of(h, 0, 1, 2, normal);
    if (look_both_ways(h, normal, off_plane, &h->vertex[3]) > FLAT * h->pair->granularity)
    {
        return true;
    }
    leave_along(h, normal);
    return false;
}

bool ab_epa_lay_face(hull *h, face *f, uint32_t i, uint32_t j, uint32_t k)
{
    f->corner[0] = (uint16_t)i;
    f->corner[1] = (uint16_t)j;
    f->corner[2] = (uint16_t)k;
    f->live = true;
    f->seen = false;
    const bool sound = plane_of(h, i, j, k, f->normal);
    f->distance = ab_dot(f->normal, h->vertex[i].w);
    return sound;
}

// Four vertices are the first hull. False when rounding leaves a face without a normal.
static bool lay_tetrahedron(hull *h)
{
    // Face m leaves out vertex m; across the edge from its corner i is the face that leaves out the opposite corner.
    static const uint16_t corner[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
    double normal[3], apart[3];
    plane_of(h, 0, 1, 2, normal);
    ab_sub(h->vertex[3].w, h->vertex[0].w, apart);
    if (ab_dot(normal, apart) < 0.0)
    {
        const ab_vertex first = h->vertex[0];
        h->vertex[0] = h->vertex[1];
        h->vertex[1] = first;
    }
    h->vertices = h->faces = 4;
    bool sound = true;
    for (uint32_t m = 0; m < 4; ++m)
    {
        const uint16_t *c = corner[m];
        sound = ab_epa_lay_face(h, &h->face[m], c[0], c[1], c[2]) && sound;
        for (uint32_t i = 0; i < 3; ++i)
        {
            h->face[m].beyond[i] = c[(i + 2) % 3];
        }
    }
    return sound;
}

bool ab_epa_begin(hull *h)
{
    static const double up[3] = { 0.0, 1.0, 0.0 };
    if (!find_line(h))
    {
        leave_along(h, up);
        return false;
    }
    return find_triangle(h) && find_tetrahedron(h) && lay_tetrahedron(h);
}

#ifdef AB_HULLS
bool ab_epa_begin_at(hull *h, const ab_convex_contact *found)
{
    if (found->vertices != 4)
    {
        return false;
    }
    memcpy(h->vertex, found->vertex, sizeof found->vertex);
    if (!lay_tetrahedron(h))
    {
        return false;
    }
    for (uint32_t m = 0; m < 4; ++m)
    {
        const face *f = &h->face[m];
        if (!(f->distance > 0.0 && f->distance - ab_dot(f->normal, h->vertex[m].w) > THICK * h->pair->granularity))
        {
            return false;
        }
    }
    return true;
}
#endif
