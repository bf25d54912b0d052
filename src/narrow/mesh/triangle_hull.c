// How far a convex hull is from a triangle, without a search, where they overlap: by the axes of a hull's faces, of the
// triangle's normal, and of those pairs of edges whose arcs cross on the Gauss map (D. Gregorius, "The Separating Axis
// Test between Convex Polyhedra", GDC 2013). The arc of an edge of the triangle is half a circle.
#include "narrow/mesh/triangle.h"

#include "math/frame.h"
#include "shape/hull.h"

#include <math.h>
#include <string.h>

#define PARALLEL 1e-14 // squared sine of two edges that give no axis of their own
#define PREFERS  1e-7  // of the hull's least width: by how much two edges must be more apart than any face

// Everything in the hull's frame. Axes point from the hull to the triangle.
typedef struct hull_axes
{
    const ab_hull *hull;
    double corner[3][3], edge[3][3], third[3][3]; // the third corner from an edge's first
    double lean[3][AB_POLYTOPE_FACES];            // of each edge along the normal of each face
    double limit;
    double apart, best[3];
} hull_axes;

static void take(hull_axes *s, double apart, double by, const double axis[3])
{
    s->apart = apart;
    for (int k = 0; k < 3; ++k)
    {
        s->best[k] = by * axis[k];
    }
}

// False: they are apart by more than the limit.
static bool try_faces(hull_axes *s)
{
    const ab_hull *hull = s->hull;
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const ab_hull_face *face = &hull->faces[i];
        const double p = ab_dot(s->corner[0], face->normal), q = ab_dot(s->corner[1], face->normal),
                     r = ab_dot(s->corner[2], face->normal), pq = p < q ? p : q;
        const double apart = (pq < r ? pq : r) - face->offset;
        s->lean[0][i] = q - p;
        s->lean[1][i] = r - q;
        s->lean[2][i] = p - r;
        if (apart > s->apart)
        {
            take(s, apart, 1.0, face->normal);
        }
    }
    return s->apart <= s->limit;
}

// The triangle's plane, with the hull from `low` to `high` over it.
static bool try_normal(hull_axes *s, const double normal[3], double low, double high)
{
    const bool above = low >= -high;
    const double apart = above ? low : -high;
    if (apart > s->apart)
    {
        take(s, apart, above ? -1.0 : 1.0, normal);
    }
    return s->apart <= s->limit;
}

// Whether a value is more than `limit` times the root of `square`.
static bool exceeds(double value, double limit, double square)
{
    return value * fabs(value) > limit * fabs(limit) * square;
}

// The axis across the triangle's edge j and an edge of the hull, whose faces lie on either side of that axis. It is
// made a unit one if it is the best.
static bool try_edge(hull_axes *s, int j, const ab_polytope_edge *edge, bool back, double *least)
{
    const abut_vec3 *vertices = s->hull->vertices, from = vertices[edge->vertex[0]], to = vertices[edge->vertex[1]];
    const double at[3] = { (double)from.x, (double)from.y, (double)from.z };
    const double along[3] = { (double)to.x - at[0], (double)to.y - at[1], (double)to.z - at[2] };
    double axis[3], way[3];
    ab_cross(along, s->edge[j], axis);
    ab_sub(s->corner[j], at, way);
    const double side = back ? -1.0 : 1.0, apart = side * ab_dot(axis, way), square = ab_dot(axis, axis);
    const bool first = side * ab_dot(axis, s->third[j]) >= 0.0; // of the triangle
    if (!first || square <= PARALLEL * ab_dot(along, along) * ab_dot(s->edge[j], s->edge[j]) ||
        !exceeds(apart, *least, square))
    {
        return true;
    }
    if (exceeds(apart, s->limit, square))
    {
        return false;
    }
    const double scale = 1.0 / sqrt(square);
    take(s, apart * scale, side * scale, axis);
    *least = s->apart;
    return true;
}

static bool try_edges(hull_axes *s)
{
    const ab_polytope *p = &s->hull->polytope;
    double least = s->apart + PREFERS * (double)p->width;
    for (int j = 0; j < 3; ++j)
    {
        const double *lean = s->lean[j];
        for (uint32_t i = 0; i < p->edge_count; ++i)
        {
            const uint8_t *faces = p->edge_faces[i];
            const double left = lean[faces[0]], right = lean[faces[1]];
            if (left * right < 0.0 && !try_edge(s, j, &p->edges[i], left < 0.0, &least))
            {
                return false;
            }
        }
    }
    return true;
}

static void into_hull(const ab_triangle_pair *p, const double at[3], double out[3])
{
    double from[3];
    ab_sub(at, p->centre, from);
    for (int i = 0; i < 3; ++i)
    {
        out[i] = ab_dot(p->axis + 3 * i, from);
    }
}

ab_triangle_gap ab_triangle_measure_hull(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double low,
                                         double high, double limit, ab_convex_contact *out)
{
    hull_axes s;
    double normal[3];
    s.hull = ab_triangle_hull_of(pair);
    s.limit = limit;
    s.apart = -HUGE_VAL;
    if (!s.hull)
    {
        return AB_GAP_UNKNOWN;
    }
    for (int j = 0; j < 3; ++j)
    {
        into_hull(pair, triangle->at[j], s.corner[j]);
        normal[j] = ab_dot(pair->axis + 3 * j, triangle->normal);
    }
    for (int j = 0; j < 3; ++j)
    {
        ab_sub(s.corner[(j + 1) % 3], s.corner[j], s.edge[j]);
        ab_sub(s.corner[(j + 2) % 3], s.corner[j], s.third[j]);
    }
    if (!try_faces(&s) || !try_normal(&s, normal, low, high) || !try_edges(&s))
    {
        return AB_GAP_BEYOND;
    }
    if (s.apart > 0.0)
    {
        return AB_GAP_UNKNOWN; // how far takes the points that are nearest
    }
    *out = (ab_convex_contact){ .separation = s.apart, .overlap = true };
    for (int k = 0; k < 3; ++k)
    {
        out->on_a[k] = out->on_b[k] = pair->convex.centre[k];
    }
    ab_triangle_turn_out(&pair->convex, s.best, out->normal);
    return AB_GAP_FOUND;
}
