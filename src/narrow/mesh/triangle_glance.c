// A first look at a box that overlaps a triangle beside it: most often the way out is at an edge, and no normal that the
// surface has there. It says so only where the exact answer leaves no doubt: all its bounds are wider than those of
// triangle_fit.c by more than any rounding.
#include "narrow/mesh/triangle.h"

#include "base/platform.h"

#include <math.h>

#define SAME   0x1p-16 // 1 - cosine
#define BESIDE 0x1p-10 // sine
#define CLEAR  0x1p-14 // of lengths: more than what is level

// An edge of a triangle, from its first corner, and the third corner, from there too.
typedef struct edge_place
{
    double from[3], along[3], third[3], normal[3]; // the normal is not of unit length
} edge_place;

static void place_edge(const ab_mesh *mesh, uint32_t triangle, int j, edge_place *out)
{
    double corner[3][3];
    ab_mesh_corners(mesh, triangle, corner);
    for (int k = 0; k < 3; ++k)
    {
        out->from[k] = corner[j][k];
        out->along[k] = corner[(j + 1) % 3][k] - corner[j][k];
        out->third[k] = corner[(j + 2) % 3][k] - corner[j][k];
    }
    ab_cross(out->along, out->third, out->normal);
}

// Whether a value is more than a share of the root of a square.
static bool exceeds(double value, double share, double square)
{
    return value > 0.0 && value * value > share * share * square;
}

// Whether a ridge, or what is no ridge, has no normal along a direction that is at right angles to it.
static bool has_none(const ab_triangle_pair *p, uint32_t triangle, int j, const edge_place *e, const double away[3])
{
    const ab_mesh *mesh = p->mesh;
    const bool is_grid = ab_mesh_is_grid(mesh);
    const ab_edge_kind kind = is_grid ? AB_EDGE_CONVEX : ab_mesh_listed_edge(mesh, triangle, j);
    const uint32_t neighbour = ab_mesh_neighbour(mesh, triangle, j);
    if (neighbour == AB_NO_TRIANGLE || kind == AB_EDGE_BORDER)
    {
        return false;
    }
    if (kind != AB_EDGE_CONVEX)
    {
        return true;
    }
    double corner[3][3], u[3], v[3], n[3], outward[3];
    ab_mesh_corners(mesh, neighbour, corner);
    ab_sub(corner[1], corner[0], u);
    ab_sub(corner[2], corner[0], v);
    ab_cross(u, v, n);
    ab_cross(n, e->along, outward);
    // Of two faces that rise from each other, this one's normal leans over the other.
    const double over = ab_dot(outward, away);
    const bool valley = is_grid && ab_dot(outward, e->normal) <= 0.0;
    return valley || !exceeds(over, BESIDE, ab_dot(outward, outward) * ab_dot(away, away));
}

// The axis across the edge and an axis of the box.
static bool leads_nowhere(const ab_triangle_pair *p, uint32_t triangle, int j, const edge_place *e,
                          const double axis[3])
{
    double across[3], from[3], away[3];
    ab_cross(e->along, axis, across);
    ab_sub(e->from, p->centre, from);
    const double at = ab_dot(across, from), rise = ab_dot(across, e->third), middle = 2.0 * at + rise;
    const double lengths = ab_dot(e->along, e->along) + ab_dot(e->third, e->third) + ab_dot(from, from);
    const double square = ab_dot(across, across), least = CLEAR * CLEAR * square * lengths;
    // The triangle is beyond the box with its edge first.
    if (!(rise * rise > least && middle * middle > least && (rise > 0.0) == (middle > 0.0)))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        away[k] = rise > 0.0 ? -across[k] : across[k];
    }
    const bool face = exceeds(ab_dot(away, e->normal), 1.0 - SAME, square * ab_dot(e->normal, e->normal));
    return !face && has_none(p, triangle, j, e, away);
}

bool ab_triangle_is_passed_over(const ab_triangle_pair *pair, uint32_t triangle, uint32_t axes)
{
    uint32_t left = (axes & AB_AXES_ALL) / AB_AXES_EDGE(0, 0);
    const int j = left != 0 ? (int)(ab_lowest_bit(left) / 3) : 0;
    const bool one_edge = (axes & (AB_AXES_FACES | AB_AXES_NORMAL)) == 0 && left >> 3 * j <= 7u;
    if ((axes & AB_AXES_BESIDE) == 0 || !one_edge || pair->mesh->two_sided || !ab_triangle_is_of_box(pair))
    {
        return false;
    }
    edge_place e;
    place_edge(pair->mesh, triangle, j, &e);
    bool passed = true;
    for (; left != 0 && passed; left &= left - 1)
    {
        passed = leads_nowhere(pair, triangle, j, &e, pair->axis + 3 * (ab_lowest_bit(left) % 3));
    }
    return passed;
}
