// Which normals a mesh has at a triangle, and what comes over it past its edges. At its face one, at a ridge those between its two faces, at a peak those
// between all of its faces: the Gauss map of the surface. A contact of one triangle whose normal is none of these would
// be a bump on an edge that the surface does not have.
//
// The idea is P. Terdiman's ("Contact generation for meshes", 2015), who crosses out what belongs to neighbours; here
// neighbours are known from cooking, so that no list of what was crossed out is needed.
#include "narrow/mesh/triangle.h"

#include <math.h>

#define SAME   0x1p-18 // 1 - cosine of two directions that are one: of 0.16 degrees
#define BESIDE 0x1p-9  // sine of the angle to a face from where on a direction is not the face's
#define LEVEL  0x1p-17 // slope of an edge that is at right angles to a direction
#define AROUND 4096u   // triangles at one vertex, at most

typedef struct surface
{
    const ab_mesh *mesh;
    uint32_t own; // the triangle that is asked about
    const ab_triangle_corners *corners;
    const double *direction;
    double side;
    uint32_t *other;
} surface;

static const ab_triangle_corners *corners_at(const surface *s, uint32_t triangle, ab_triangle_corners *room)
{
    if (triangle == s->own)
    {
        return s->corners;
    }
    ab_triangle_corners_of(s->mesh, triangle, room);
    return room;
}

// The triangle's normal on the side that is looked at.
static void face_normal(const surface *s, const ab_triangle_corners *triangle, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = triangle->normal[k] * s->side;
    }
}

// A mesh seen from behind has ridges where it has valleys.
static ab_edge_kind seen_from(double side, ab_edge_kind kind)
{
    return side > 0.0 || kind == AB_EDGE_FLAT || kind == AB_EDGE_BORDER ? kind
           : kind == AB_EDGE_CONVEX                                     ? AB_EDGE_CONCAVE
                                                                        : AB_EDGE_CONVEX;
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
    const bool is_grid = ab_mesh_is_grid(s->mesh);
    const uint32_t neighbour = ab_mesh_neighbour(s->mesh, s->own, k);
    ab_triangle_corners beside;
    double n[3], along[3], outward[3];
    if (neighbour == AB_NO_TRIANGLE)
    {
        return AB_FIT_FEATURE;
    }
    along_edge(s->corners, k, along);
    if (is_grid)
    {
        ab_triangle_corners_of(s->mesh, neighbour, &beside);
    }
    const ab_edge_kind kind =
        is_grid ? ab_mesh_meet(s->corners->normal, beside.normal, along) : ab_mesh_listed_edge(s->mesh, s->own, k);
    if (seen_from(s->side, kind) != AB_EDGE_CONVEX)
    {
        return AB_FIT_NOT;
    }
    if (!is_grid)
    {
        ab_triangle_corners_of(s->mesh, neighbour, &beside);
    }
    face_normal(s, &beside, n);
    ab_cross(n, along, outward); // of the neighbour, which has the edge the other way round
    const double over = s->side * ab_dot(outward, s->direction), length = sqrt(ab_dot(outward, outward));
    if (over > BESIDE * length)
    {
        return AB_FIT_FEATURE;
    }
    *s->other = neighbour;
    return AB_FIT_OTHER;
}

// The place of a vertex among a triangle's.
static int place_of(const ab_mesh *mesh, uint32_t triangle, uint32_t vertex)
{
    return ab_mesh_vertex(mesh, triangle, 0) == vertex ? 0 : ab_mesh_vertex(mesh, triangle, 1) == vertex ? 1 : 2;
}

// Whether an edge goes down from the peak, or is level and no valley.
static bool falls(const surface *s, uint32_t triangle, const ab_triangle_corners *corners, int k, bool from_peak)
{
    double along[3];
    along_edge(corners, k, along);
    const double rise = (from_peak ? 1.0 : -1.0) * ab_dot(along, s->direction),
                 level = LEVEL * sqrt(ab_dot(along, along));
    return rise < -level ||
           (rise <= level && seen_from(s->side, ab_mesh_edge_kind(s->mesh, triangle, k)) != AB_EDGE_CONCAVE);
}

// Goes around a vertex, one way until back or at a border, then the other way.
static ab_triangle_fit fit_peak(const surface *s, int k)
{
    const uint32_t triangle = s->own, peak = ab_mesh_vertex(s->mesh, triangle, k);
    for (int way = 0; way < 2; ++way)
    {
        uint32_t at = triangle;
        for (uint32_t i = 0; i < AROUND; ++i)
        {
            const int here = place_of(s->mesh, at, peak), out = (here + 2) % 3;
            ab_triangle_corners room;
            double n[3];
            const ab_triangle_corners *corners = corners_at(s, at, &room);
            face_normal(s, corners, n);
            if (at != triangle && is_along(s->direction, n))
            {
                *s->other = at;
                return AB_FIT_OTHER;
            }
            if (!falls(s, at, corners, here, true) || !falls(s, at, corners, out, false))
            {
                return AB_FIT_NOT;
            }
            at = ab_mesh_neighbour(s->mesh, at, way == 0 ? out : here);
            if (at == triangle)
            {
                return AB_FIT_FEATURE;
            }
            if (at == AB_NO_TRIANGLE)
            {
                break;
            }
        }
    }
    return AB_FIT_FEATURE;
}

ab_triangle_fit ab_triangle_fit_of(const ab_mesh *mesh, uint32_t which, const ab_triangle_corners *corners,
                                   const double direction[3], double side, uint32_t *other)
{
    const surface s = { mesh, which, corners, direction, side, other };
    *other = AB_NO_TRIANGLE;
    double n[3], height[3], along[3];
    face_normal(&s, corners, n);
    if (is_along(direction, n))
    {
        return AB_FIT_FACE;
    }
    if (ab_dot(direction, n) < -BESIDE)
    {
        return AB_FIT_OTHER;
    }
    for (int i = 0; i < 3; ++i)
    {
        height[i] = ab_dot(corners->at[i], direction);
    }
    const int top = height[0] >= height[1] ? (height[0] >= height[2] ? 0 : 2) : height[1] >= height[2] ? 1 : 2;
    for (int i = 0; i < 2; ++i)
    {
        const int k = i == 0 ? top : (top + 2) % 3;
        along_edge(corners, k, along);
        if (fabs(height[(k + 1) % 3] - height[k]) <= LEVEL * sqrt(ab_dot(along, along)))
        {
            return fit_edge(&s, k);
        }
    }
    return fit_peak(&s, top);
}

bool ab_triangle_leads_over(const ab_mesh *mesh, uint32_t which, const ab_convex *placed,
                            const ab_triangle_corners *corners, const double at[3], const double way[3], double slack,
                            double least)
{
    const double far = sqrt(ab_dot(way, way));
    double corner[3][3], front[3];
    ab_triangle_turn_out(placed, corners->normal, front);
    for (int k = 0; k < 3; ++k)
    {
        ab_convex_place(placed, corners->at[k], corner[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        double along[3], inward[3], to[3];
        ab_sub(corner[(k + 1) % 3], corner[k], along);
        ab_sub(at, corner[k], to);
        ab_cross(front, along, inward);
        const double wide = sqrt(ab_dot(inward, inward));
        if (ab_mesh_edge_kind(mesh, which, k) != AB_EDGE_CONCAVE && ab_dot(to, inward) < slack * wide &&
            !(ab_dot(way, inward) > least * far * wide))
        {
            return false;
        }
    }
    return true;
}
