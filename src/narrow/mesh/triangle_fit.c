// Which normals a mesh has at a triangle, and what comes over it past its edges. At its face one, at a ridge those
// between its two faces, at a peak those between all of its faces: the Gauss map of the surface. A contact of one
// triangle whose normal is none of these would be a bump on an edge that the surface does not have.
//
// The idea is P. Terdiman's ("Contact generation for meshes", 2015), who crosses out what belongs to neighbours; here
// neighbours are known from cooking, so that no list of what was crossed out is needed.
#include "narrow/mesh/triangle.h"

#include <math.h>
#include <string.h>

#define SAME   0x1p-18 // 1 - cosine of two directions that are one: of 0.16 degrees
#define BESIDE 0x1p-9  // sine of the angle to a face from where on a direction is not the face's
#define FAR    4096u   // triangles that a way along the surface leads over: farther off it has no end
#define LEVEL  0x1p-17 // slope of an edge that is at right angles to a direction

// The view is of the triangle that is asked about.
typedef struct surface
{
    const ab_triangle_view *view;
    const double *direction;
    uint32_t *other;
} surface;

static const ab_triangle_corners *corners_at(const surface *s, uint32_t triangle, ab_triangle_corners *room)
{
    if (triangle == s->view->which)
    {
        return s->view->corners;
    }
    ab_triangle_corners_of(s->view->mesh, triangle, room);
    return room;
}

// A triangle's normal on the side that is looked at.
static void face_normal(const ab_triangle_view *view, const ab_triangle_corners *triangle, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = triangle->normal[k] * view->side;
    }
}

uint32_t ab_triangle_neighbour(const ab_triangle_view *view, uint32_t triangle, int k)
{
    const uint32_t neighbour = ab_mesh_neighbour(view->mesh, triangle, k);
    if (view->in_doubt && neighbour == AB_NO_TRIANGLE && ab_mesh_may_go_on(view->mesh, triangle, k))
    {
        *view->in_doubt = true;
    }
    return neighbour;
}

// A mesh seen from behind has ridges where it has valleys.
static ab_edge_kind seen_from(double side, ab_edge_kind kind)
{
    return side > 0.0 || kind == AB_EDGE_FLAT || kind == AB_EDGE_BORDER ? kind
           : kind == AB_EDGE_CONVEX                                     ? AB_EDGE_CONCAVE
                                                                        : AB_EDGE_CONVEX;
}

// Of edge k of any triangle, on that side.
static ab_edge_kind edge_kind(const ab_triangle_view *view, uint32_t triangle, int k)
{
    const ab_edge_kind kind = ab_mesh_edge_kind(view->mesh, triangle, k);
    if (kind == AB_EDGE_BORDER)
    {
        (void)ab_triangle_neighbour(view, triangle, k);
    }
    return seen_from(view->side, kind);
}

static bool is_along(const double direction[3], const double normal[3])
{
    return ab_dot(direction, normal) >= 1.0 - SAME;
}

// From one end of edge k to the other.
static void along_edge(const ab_triangle_corners *triangle, int k, double out[3])
{
    ab_sub(triangle->at[(k + 1) % 3], triangle->at[k], out);
}

// Of a ridge, the directions between its two faces; but those of the neighbour's face are the neighbour's.
static ab_triangle_fit fit_edge(const surface *s, int k)
{
    const ab_triangle_view *view = s->view;
    const bool is_grid = ab_mesh_is_grid(view->mesh);
    ab_edge_kind kind = is_grid ? AB_EDGE_FLAT : ab_mesh_listed_edge(view->mesh, view->which, k);
    if (!is_grid && kind != AB_EDGE_BORDER && seen_from(view->side, kind) != AB_EDGE_CONVEX)
    {
        return AB_FIT_NOT; // without a look at the neighbour
    }
    const uint32_t neighbour = ab_triangle_neighbour(view, view->which, k);
    ab_triangle_corners beside;
    double n[3], along[3], outward[3];
    if (neighbour == AB_NO_TRIANGLE)
    {
        return AB_FIT_FEATURE;
    }
    along_edge(view->corners, k, along);
    ab_triangle_corners_of(view->mesh, neighbour, &beside);
    kind = is_grid ? ab_mesh_meet(view->corners->normal, beside.normal, along) : kind;
    if (seen_from(view->side, kind) != AB_EDGE_CONVEX)
    {
        return AB_FIT_NOT;
    }
    face_normal(view, &beside, n);
    ab_cross(n, along, outward); // of the neighbour, which has the edge the other way round
    const double over = view->side * ab_dot(outward, s->direction), length = sqrt(ab_dot(outward, outward));
    if (over > BESIDE * length)
    {
        return AB_FIT_FEATURE;
    }
    *s->other = neighbour;
    return AB_FIT_OTHER;
}

// Whether an edge goes down from the peak, or is level and no valley.
static bool falls(const surface *s, uint32_t triangle, const ab_triangle_corners *corners, int k, bool from_peak)
{
    double along[3];
    along_edge(corners, k, along);
    const double rise = (from_peak ? 1.0 : -1.0) * ab_dot(along, s->direction),
                 level = LEVEL * sqrt(ab_dot(along, along));
    return rise < -level || (rise <= level && edge_kind(s->view, triangle, k) != AB_EDGE_CONCAVE);
}

// Goes around a vertex, one way until back or at a border, then the other way.
static ab_triangle_fit fit_peak(const surface *s, int k, bool *at_border)
{
    const ab_mesh *mesh = s->view->mesh;
    const uint32_t triangle = s->view->which, peak = ab_mesh_vertex(mesh, triangle, k);
    *at_border = false;
    for (int way = 0; way < 2; ++way)
    {
        uint32_t at = triangle;
        for (uint32_t i = 0; i < ab_mesh_around(mesh); ++i)
        {
            const int here = ab_mesh_place_of(mesh, at, peak), out = (here + 2) % 3;
            ab_triangle_corners room;
            double n[3];
            const ab_triangle_corners *corners = corners_at(s, at, &room);
            face_normal(s->view, corners, n);
            if (at != triangle && is_along(s->direction, n))
            {
                *s->other = at;
                return AB_FIT_OTHER;
            }
            if (!falls(s, at, corners, here, true) || !falls(s, at, corners, out, false))
            {
                return AB_FIT_NOT;
            }
            at = ab_triangle_neighbour(s->view, at, way == 0 ? out : here);
            if (at == triangle)
            {
                return AB_FIT_FEATURE;
            }
            if (at == AB_NO_TRIANGLE)
            {
                *at_border = true;
                break;
            }
        }
    }
    return AB_FIT_FEATURE;
}

#define NO_EDGE (-1)

// The edge that is farthest along a direction, or NO_EDGE: one corner is, *top. Which one cannot be predicted: all are
// looked at.
static int farthest_edge(const ab_triangle_corners *corners, const double direction[3], int *top)
{
    const double p = ab_dot(corners->at[0], direction), q = ab_dot(corners->at[1], direction),
                 r = ab_dot(corners->at[2], direction), fall[3] = { q - p, r - q, p - r };
    const int first = (p >= q) & (p >= r), second = (p < q) & (q >= r), out = 2 - 2 * first - second;
    uint32_t level = 0;
    for (int k = 0; k < 3; ++k)
    {
        double along[3];
        along_edge(corners, k, along);
        level |= (fabs(fall[k]) <= LEVEL * sqrt(ab_dot(along, along)) ? 1u : 0u) << k;
    }
    static const int before[3] = { 2, 0, 1 };
    const int in = before[out], edge[4] = { NO_EDGE, out, in, out }; // its two edges
    *top = out;
    return edge[(level >> out & 1u) | (level >> in & 1u) << 1];
}

ab_triangle_fit ab_triangle_fit_of(const ab_triangle_view *view, const double direction[3], uint32_t *other)
{
    const surface s = { view, direction, other };
    const ab_triangle_corners *corners = view->corners;
    *other = AB_NO_TRIANGLE;
    double n[3];
    bool at_border;
    int top;
    face_normal(view, corners, n);
    if (is_along(direction, n))
    {
        return AB_FIT_FACE;
    }
    if (ab_dot(direction, n) < -BESIDE)
    {
        return AB_FIT_OTHER;
    }
    const int edge = farthest_edge(corners, direction, &top);
    return edge != NO_EDGE ? fit_edge(&s, edge) : fit_peak(&s, top, &at_border);
}

#define NEARLY 0.9 // cosine

// Whether a direction is nearly another triangle's normal.
static bool has_normal(const ab_triangle_view *view, uint32_t other, const double direction[3])
{
    ab_triangle_corners corners;
    double n[3];
    ab_triangle_corners_of(view->mesh, other, &corners);
    face_normal(view, &corners, n);
    return ab_dot(direction, n) >= NEARLY;
}

ab_triangle_fit ab_triangle_fit_under(const ab_triangle_view *view, const double direction[3], uint32_t *other)
{
    const surface s = { view, direction, other };
    bool at_border = false;
    int top;
    const int edge = farthest_edge(view->corners, direction, &top);
    *other = AB_NO_TRIANGLE;
    if (edge != NO_EDGE && ab_triangle_neighbour(view, view->which, edge) == AB_NO_TRIANGLE)
    {
        return AB_FIT_NOT;
    }
    const ab_triangle_fit fit = edge != NO_EDGE ? fit_edge(&s, edge) : fit_peak(&s, top, &at_border);
    if (fit == AB_FIT_OTHER && has_normal(view, *other, direction))
    {
        return AB_FIT_OTHER;
    }
    *other = AB_NO_TRIANGLE;
    return fit == AB_FIT_FEATURE && !at_border ? AB_FIT_FEATURE : AB_FIT_NOT;
}

// Whether a triangle is there, turned by no more than the angle with this cosine.
static bool is_level(const ab_triangle_view *view, uint32_t neighbour, double least, ab_triangle_corners *out)
{
    if (neighbour == AB_NO_TRIANGLE)
    {
        return false;
    }
    ab_triangle_corners_of(view->mesh, neighbour, out);
    return ab_dot(out->normal, view->corners->normal) >= least;
}

bool ab_triangle_leans_on(const ab_triangle_view *view, const double direction[3], double least)
{
    ab_triangle_corners beside;
    int top;
    const int edge = farthest_edge(view->corners, direction, &top), first = edge != NO_EDGE ? edge : top;
    return is_level(view, ab_triangle_neighbour(view, view->which, first), least, &beside) &&
           (edge != NO_EDGE || is_level(view, ab_triangle_neighbour(view, view->which, (top + 2) % 3), least, &beside));
}

#define ONWARD 0.70710678 // cosine of the angle by which a surface that goes on may turn

// Goes from a point of a triangle along a direction to the edge where that leaves it: not the one where it came in.
// Returns the edge.
static int go_to_edge(const ab_triangle_corners *corners, const double direction[3], int entry, double at[3])
{
    const double *n = corners->normal;
    double along[3], nearest = HUGE_VAL;
    int out = NO_EDGE;
    ab_along(direction, -ab_dot(direction, n), n, along);
    for (int k = 0; k < 3; ++k)
    {
        double edge[3], outward[3], to[3];
        along_edge(corners, k, edge);
        ab_cross(edge, n, outward);
        ab_sub(corners->at[k], at, to);
        const double speed = ab_dot(outward, along), far = fmax(ab_dot(outward, to), 0.0);
        if (k != entry && speed > 0.0 && far < nearest * speed)
        {
            nearest = far / speed;
            out = k;
        }
    }
    ab_along(at, out != NO_EDGE ? nearest : 0.0, along, at);
    return out;
}

static int edge_towards(const ab_mesh *mesh, uint32_t triangle, uint32_t neighbour)
{
    int edge = NO_EDGE;
    for (int k = 0; k < 3; ++k)
    {
        edge = ab_mesh_neighbour(mesh, triangle, k) == neighbour ? k : edge;
    }
    return edge;
}

bool ab_triangle_meets_end(const ab_triangle_view *view, const double from[3], const double direction[3], double far,
                           ab_surface_end *out)
{
    const double end = ab_dot(from, direction) + far;
    ab_triangle_corners corners = *view->corners;
    double at[3] = { from[0], from[1], from[2] }, along[3];
    uint32_t triangle = view->which;
    int entry = NO_EDGE;
    for (uint32_t i = 0; i < FAR; ++i)
    {
        const int edge = go_to_edge(&corners, direction, entry, at);
        if (edge == NO_EDGE || ab_dot(at, direction) >= end)
        {
            return false;
        }
        ab_triangle_corners beside;
        const uint32_t neighbour = ab_triangle_neighbour(view, triangle, edge);
        if (neighbour == AB_NO_TRIANGLE && ab_mesh_may_go_on(view->mesh, triangle, edge))
        {
            return false;
        }
        if (!is_level(view, neighbour, ONWARD, &beside))
        {
            along_edge(&corners, edge, along);
            ab_cross(along, corners.normal, out->outward);
            out->at = ab_dot(corners.at[edge], out->outward);
            out->is_border = neighbour == AB_NO_TRIANGLE;
            return out->is_border || edge_kind(view, triangle, edge) == AB_EDGE_CONVEX;
        }
        entry = edge_towards(view->mesh, neighbour, triangle);
        triangle = neighbour;
        corners = beside;
    }
    return false;
}

bool ab_triangle_ends(const ab_triangle_view *view, const double direction[3])
{
    int top;
    const int edge = farthest_edge(view->corners, direction, &top);
    return ab_mesh_neighbour(view->mesh, view->which, edge != NO_EDGE ? edge : top) == AB_NO_TRIANGLE ||
           (edge == NO_EDGE && ab_mesh_neighbour(view->mesh, view->which, (top + 2) % 3) == AB_NO_TRIANGLE);
}

// The middle of a shape along a direction. A hull, or a kind of the caller's, may have its origin anywhere.
static void middle_along(const ab_convex *shape, const double direction[3], double out[3])
{
    const double back[3] = { -direction[0], -direction[1], -direction[2] };
    double high[3], low[3];
    if (shape->row->box_core)
    {
        memcpy(out, shape->centre, sizeof shape->centre);
        return;
    }
    ab_convex_support(shape, direction, high);
    ab_convex_support(shape, back, low);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = 0.5 * (high[k] + low[k]);
    }
}

bool ab_triangle_faces(const ab_triangle_view *view, const ab_convex *placed, const ab_convex *shape)
{
    double front[3], middle[3], corner[3], to[3];
    ab_triangle_turn_out(placed, view->corners->normal, front);
    middle_along(shape, front, middle);
    ab_convex_place(placed, view->corners->at[0], corner);
    ab_sub(middle, corner, to);
    return view->side * ab_dot(to, front) > 0.0;
}

static bool faces_triangle(const ab_triangle_view *view, uint32_t triangle, const ab_approach *approach)
{
    ab_triangle_corners corners;
    ab_triangle_corners_of(view->mesh, triangle, &corners);
    const ab_triangle_view other = { view->mesh, triangle, &corners, view->side, NULL };
    return ab_triangle_faces(&other, approach->mesh, approach->shape);
}

// Whether a shape is in the valley that is around corner k: on that side of all faces from the triangle on, both ways,
// up to a ridge or border.
static bool is_in_valley(const ab_triangle_view *view, int k, const ab_approach *approach)
{
    const ab_mesh *mesh = view->mesh;
    const uint32_t lowest = ab_mesh_vertex(mesh, view->which, k);
    for (int way = 0; way < 2; ++way)
    {
        uint32_t at = view->which;
        for (uint32_t i = 0; i < ab_mesh_around(mesh); ++i)
        {
            const int here = ab_mesh_place_of(mesh, at, lowest), out = way == 0 ? (here + 2) % 3 : here;
            const ab_edge_kind kind = edge_kind(view, at, out);
            if (kind != AB_EDGE_CONCAVE && kind != AB_EDGE_FLAT)
            {
                break;
            }
            at = ab_mesh_neighbour(mesh, at, out);
            if (at == view->which)
            {
                return true;
            }
            if (!faces_triangle(view, at, approach))
            {
                return false;
            }
        }
    }
    return true;
}

// Whether a shape is on that side of the surface, and not over a ridge: of all faces across the valleys that its point
// is at or beyond, and of those around the triangle's corners that are there, or are ends of such edges within a plane.
static bool is_on_side(const ab_triangle_view *view, const bool beyond[3], const ab_approach *approach)
{
    bool end[3], is_on = true;
    for (int k = 0; k < 3; ++k)
    {
        end[k] = beyond[k] && beyond[(k + 2) % 3];
    }
    for (int k = 0; k < 3 && is_on; ++k)
    {
        const ab_edge_kind kind = beyond[k] ? edge_kind(view, view->which, k) : AB_EDGE_BORDER;
        end[k] = end[k] || kind == AB_EDGE_FLAT;
        end[(k + 1) % 3] = end[(k + 1) % 3] || kind == AB_EDGE_FLAT;
        is_on =
            kind != AB_EDGE_CONCAVE || faces_triangle(view, ab_mesh_neighbour(view->mesh, view->which, k), approach);
    }
    for (int k = 0; k < 3 && is_on; ++k)
    {
        is_on = !end[k] || is_in_valley(view, k, approach);
    }
    return is_on;
}

bool ab_triangle_leads_over(const ab_triangle_view *view, const ab_approach *approach)
{
    const double far = sqrt(ab_dot(approach->way, approach->way));
    double corner[3][3], front[3];
    bool beyond[3];
    ab_triangle_turn_out(approach->mesh, view->corners->normal, front);
    for (int k = 0; k < 3; ++k)
    {
        ab_convex_place(approach->mesh, view->corners->at[k], corner[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        double along[3], inward[3], to[3];
        ab_sub(corner[(k + 1) % 3], corner[k], along);
        ab_sub(approach->at, corner[k], to);
        ab_cross(front, along, inward);
        const double wide = sqrt(ab_dot(inward, inward));
        beyond[k] = ab_dot(to, inward) < approach->slack * wide;
        if (beyond[k] && edge_kind(view, view->which, k) != AB_EDGE_CONCAVE &&
            !(ab_dot(approach->way, inward) > approach->least * far * wide))
        {
            return false;
        }
    }
    return !view->mesh->two_sided || is_on_side(view, beyond, approach);
}
