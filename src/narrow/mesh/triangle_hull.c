// How far a convex hull is from a triangle, without a search: by the axes of the hull's faces, of the triangle's normal,
// and of those pairs of edges whose arcs cross on the Gauss map (D. Gregorius, "The Separating Axis Test between Convex
// Polyhedra", GDC 2013). The arc of an edge of the triangle is half a circle. Where the two are apart, the axis with
// the largest gap is the way between them if the points that face each other along it are on both.
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
    uint32_t face, hull_edge; // of the best; ABUT_NONE: none is
    int edge_of_triangle;
} hull_axes;

static void take(hull_axes *s, double apart, double by, const double axis[3])
{
    s->apart = apart;
    s->face = s->hull_edge = ABUT_NONE;
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
            s->face = i;
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

static void vertex_of(const ab_hull *hull, uint32_t vertex, double out[3])
{
    out[0] = hull->vertices[vertex].x;
    out[1] = hull->vertices[vertex].y;
    out[2] = hull->vertices[vertex].z;
}

// Where an edge of the hull begins, and where it leads from there.
static void lay_edge(const ab_hull *hull, uint32_t which, double from[3], double along[3])
{
    const ab_polytope_edge *edge = &hull->polytope.edges[which];
    vertex_of(hull, edge->vertex[0], from);
    vertex_of(hull, edge->vertex[1], along);
    ab_sub(along, from, along);
}

// The axis across the triangle's edge j and an edge of the hull, whose faces lie on either side of that axis. It is
// made a unit one if it is the best.
static bool try_edge(hull_axes *s, int j, uint32_t which, bool back, double *least)
{
    double at[3], along[3], axis[3], way[3];
    lay_edge(s->hull, which, at, along);
    ab_cross(along, s->edge[j], axis);
    ab_sub(s->corner[j], at, way);
    const double side = back ? -1.0 : 1.0, apart = side * ab_dot(axis, way), square = ab_dot(axis, axis);
    const bool first = side * ab_dot(axis, s->third[j]) >= 0.0; // of the triangle
    if (!first || square <= PARALLEL * ab_dot(along, along) * ab_dot(s->edge[j], s->edge[j]) ||
        !ab_exceeds_root(apart, *least, square))
    {
        return true;
    }
    if (ab_exceeds_root(apart, s->limit, square))
    {
        return false;
    }
    const double scale = 1.0 / sqrt(square);
    take(s, apart * scale, side * scale, axis);
    s->hull_edge = which;
    s->edge_of_triangle = j;
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
            if (left * right < 0.0 && !try_edge(s, j, i, left < 0.0, &least))
            {
                return false;
            }
        }
    }
    return true;
}

// Whether a point of a plane is within a polygon's edge from one corner to another. The polygon is counter-clockwise
// about the normal.
static bool is_within(const double at[3], const double from[3], const double to[3], const double normal[3])
{
    double along[3], inward[3], away[3];
    ab_sub(to, from, along);
    ab_sub(at, from, away);
    ab_cross(normal, along, inward);
    return ab_dot(inward, away) >= 0.0;
}

// The corner of the triangle that is nearest to the best face, if it is over that.
static bool nearest_at_face(const hull_axes *s, double on_hull[3], double on_triangle[3])
{
    const ab_hull_face *face = &s->hull->faces[s->face];
    const uint32_t *corner = s->hull->corners + face->first;
    int lowest = 0;
    double from[3], to[3];
    for (int j = 1; j < 3; ++j)
    {
        lowest = ab_dot(s->corner[j], s->best) < ab_dot(s->corner[lowest], s->best) ? j : lowest;
    }
    memcpy(on_triangle, s->corner[lowest], sizeof from);
    ab_along(on_triangle, -s->apart, s->best, on_hull);
    bool over = true;
    vertex_of(s->hull, corner[face->count - 1], from);
    for (uint32_t k = 0; k < face->count && over; ++k)
    {
        vertex_of(s->hull, corner[k], to);
        over = is_within(on_hull, from, to, face->normal);
        memcpy(from, to, sizeof from);
    }
    return over;
}

// Where the lines of the two best edges are nearest, if that is on both.
static bool nearest_at_edges(const hull_axes *s, double on_hull[3], double on_triangle[3])
{
    const double *from = s->corner[s->edge_of_triangle], *edge = s->edge[s->edge_of_triangle];
    double at[3], along[3], way[3];
    lay_edge(s->hull, s->hull_edge, at, along);
    ab_sub(from, at, way);
    const double a = ab_dot(along, along), b = ab_dot(along, edge), c = ab_dot(edge, edge), across = a * c - b * b;
    const double along_way = ab_dot(along, way), edge_way = ab_dot(edge, way);
    const double t = (c * along_way - b * edge_way) / across, u = (b * along_way - a * edge_way) / across;
    ab_along(at, t, along, on_hull);
    ab_along(from, u, edge, on_triangle);
    return t >= 0.0 && t <= 1.0 && u >= 0.0 && u <= 1.0;
}

// The same of the triangle's plane, in the mesh's frame.
static bool nearest_at_plane(const ab_triangle_corners *triangle, const ab_triangle_heights *heights, double on_hull[3],
                             double on_triangle[3])
{
    const bool above = heights->low >= -heights->high;
    memcpy(on_hull, above ? heights->bottom : heights->top, sizeof heights->bottom);
    ab_along(on_hull, above ? -heights->low : -heights->high, triangle->normal, on_triangle);
    return is_within(on_triangle, triangle->at[0], triangle->at[1], triangle->normal) &&
           is_within(on_triangle, triangle->at[1], triangle->at[2], triangle->normal) &&
           is_within(on_triangle, triangle->at[2], triangle->at[0], triangle->normal);
}

// Where the two are nearest, if that is along the best axis. Where they overlap: the points that are opposite each
// other along it, if both are on the two.
static bool find_nearest(const hull_axes *s, const ab_triangle_pair *pair, const ab_triangle_corners *triangle,
                         const ab_triangle_heights *heights, ab_convex_contact *out)
{
    const bool at_plane = s->face == ABUT_NONE && s->hull_edge == ABUT_NONE;
    const ab_convex *frame = at_plane ? &pair->placed : &pair->convex;
    double on_hull[3], on_triangle[3];
    const bool found = at_plane                    ? nearest_at_plane(triangle, heights, on_hull, on_triangle)
                       : s->hull_edge == ABUT_NONE ? nearest_at_face(s, on_hull, on_triangle)
                                                   : nearest_at_edges(s, on_hull, on_triangle);
    ab_convex_place(frame, on_hull, out->on_a);
    ab_convex_place(frame, on_triangle, out->on_b);
    return found;
}

ab_triangle_gap ab_triangle_measure_hull(const ab_triangle_pair *pair, const ab_triangle_corners *triangle,
                                         const ab_triangle_heights *heights, double limit, ab_convex_contact *out)
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
        ab_triangle_into_shape(pair, triangle->at[j], s.corner[j]);
        normal[j] = ab_dot(pair->axis + 3 * j, triangle->normal);
    }
    for (int j = 0; j < 3; ++j)
    {
        ab_sub(s.corner[(j + 1) % 3], s.corner[j], s.edge[j]);
        ab_sub(s.corner[(j + 2) % 3], s.corner[j], s.third[j]);
    }
    if (!try_faces(&s) || !try_normal(&s, normal, heights->low, heights->high) || !try_edges(&s))
    {
        return AB_GAP_BEYOND;
    }
    *out = (ab_convex_contact){ .separation = s.apart, .overlap = s.apart <= 0.0 };
    const bool found = find_nearest(&s, pair, triangle, heights, out);
    if (!found && !out->overlap)
    {
        return AB_GAP_UNKNOWN;
    }
    out->touching = found && out->overlap;
    for (int k = 0; k < 3 && out->overlap && !found; ++k)
    {
        out->on_a[k] = out->on_b[k] = pair->convex.centre[k]; // outlines say where
    }
    ab_triangle_turn_out(&pair->convex, s.best, out->normal);
    return AB_GAP_FOUND;
}
