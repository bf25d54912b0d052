// Which normals a mesh has at a triangle. At its face one, at a ridge those between its two faces, at a peak those
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
    const double *direction;
    double side;
    uint32_t *other;
} surface;

static void face_normal(const surface *s, uint32_t triangle, double out[3])
{
    double corner[3][3];
    ab_mesh_corners(s->mesh, triangle, corner);
    ab_mesh_triangle_normal(corner, out);
    for (int k = 0; k < 3; ++k)
    {
        out[k] *= s->side;
    }
}

// A mesh seen from behind has ridges where it has valleys.
static ab_edge_kind edge_of(const surface *s, uint32_t triangle, int k)
{
    const ab_edge_kind kind = ab_mesh_edge_kind(s->mesh, triangle, k);
    return s->side > 0.0 || kind == AB_EDGE_FLAT || kind == AB_EDGE_BORDER ? kind
           : kind == AB_EDGE_CONVEX                                        ? AB_EDGE_CONCAVE
                                                                           : AB_EDGE_CONVEX;
}

static bool is_along(const double direction[3], const double normal[3])
{
    return ab_dot(direction, normal) >= 1.0 - SAME;
}

// From one end of edge k to the other.
static void along_edge(const surface *s, uint32_t triangle, int k, double out[3])
{
    double corner[3][3];
    ab_mesh_corners(s->mesh, triangle, corner);
    ab_sub(corner[(k + 1) % 3], corner[k], out);
}

// Of a ridge, the directions between its two faces; but those of the neighbour's face are the neighbour's.
static ab_triangle_fit fit_edge(const surface *s, uint32_t triangle, int k)
{
    const ab_edge_kind kind = edge_of(s, triangle, k);
    if (kind == AB_EDGE_BORDER)
    {
        return AB_FIT_FEATURE;
    }
    if (kind != AB_EDGE_CONVEX)
    {
        return AB_FIT_NOT;
    }
    double n[3], along[3], outward[3];
    const uint32_t neighbour = ab_mesh_neighbour(s->mesh, triangle, k);
    face_normal(s, neighbour, n);
    along_edge(s, triangle, k, along);
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
static bool falls(const surface *s, uint32_t triangle, int k, bool from_peak)
{
    double along[3];
    along_edge(s, triangle, k, along);
    const double rise = (from_peak ? 1.0 : -1.0) * ab_dot(along, s->direction),
                 level = LEVEL * sqrt(ab_dot(along, along));
    return rise < -level || (rise <= level && edge_of(s, triangle, k) != AB_EDGE_CONCAVE);
}

// Goes around a vertex, one way until back or at a border, then the other way.
static ab_triangle_fit fit_peak(const surface *s, uint32_t triangle, int k)
{
    const uint32_t peak = ab_mesh_vertex(s->mesh, triangle, k);
    for (int way = 0; way < 2; ++way)
    {
        uint32_t at = triangle;
        for (uint32_t i = 0; i < AROUND; ++i)
        {
            const int here = place_of(s->mesh, at, peak), out = (here + 2) % 3;
            double n[3];
            face_normal(s, at, n);
            if (at != triangle && is_along(s->direction, n))
            {
                *s->other = at;
                return AB_FIT_OTHER;
            }
            if (!falls(s, at, here, true) || !falls(s, at, out, false))
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

ab_triangle_fit ab_mesh_fit(const ab_mesh *mesh, uint32_t which, const double direction[3], double side,
                            uint32_t *other)
{
    const surface s = { mesh, direction, side, other };
    *other = AB_NO_TRIANGLE;
    double corner[3][3], n[3], height[3], along[3];
    face_normal(&s, which, n);
    if (is_along(direction, n))
    {
        return AB_FIT_FACE;
    }
    if (ab_dot(direction, n) < -BESIDE)
    {
        return AB_FIT_OTHER;
    }
    ab_mesh_corners(mesh, which, corner);
    for (int i = 0; i < 3; ++i)
    {
        height[i] = ab_dot(corner[i], direction);
    }
    const int top = height[0] >= height[1] ? (height[0] >= height[2] ? 0 : 2) : height[1] >= height[2] ? 1 : 2;
    for (int i = 0; i < 2; ++i)
    {
        const int k = i == 0 ? top : (top + 2) % 3;
        ab_sub(corner[(k + 1) % 3], corner[k], along);
        if (fabs(height[(k + 1) % 3] - height[k]) <= LEVEL * sqrt(ab_dot(along, along)))
        {
            return fit_edge(&s, which, k);
        }
    }
    return fit_peak(&s, which, top);
}
