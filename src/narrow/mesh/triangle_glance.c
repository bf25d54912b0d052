// A first look at a shape that overlaps a triangle. Of a box beside it, most often the way out is at an edge, and no
// normal that the surface has there; of what is over it, along the normal. It says so only where the exact answer leaves
// no doubt: all its bounds are wider than those of triangle_fit.c by more than any rounding.
#include "narrow/mesh/triangle.h"

#include "base/platform.h"

#include <math.h>
#include <string.h>

#define SAME   0x1p-16 // 1 - cosine
#define BESIDE 0x1p-10 // sine
#define CLEAR  0x1p-14 // of lengths: more than what is level
#define LEVEL  0x1p-18 // of lengths: less
#define ALIKE  0x1p-40 // of its square: the square of what a direction is across another one that is the same
#define STEPS  3       // around a peak

// An edge of a triangle, from its first corner, and the third corner, from there too.
typedef struct edge_place
{
    double from[3], along[3], third[3], normal[3]; // the normal is not of unit length
} edge_place;

static void place_edge(double corner[3][3], int j, edge_place *out)
{
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

// Whether it takes a look at the neighbour to tell whether a ridge, or what is no ridge, has a normal at right angles
// to it; *none is set if not. Heightfields list no kinds. Of a mesh, only ridges have their neighbours looked up.
static bool may_be_ridge(const ab_triangle_pair *p, uint32_t triangle, int j, uint32_t *neighbour, bool *none)
{
    const ab_mesh *mesh = p->mesh;
    const ab_edge_kind kind = ab_mesh_is_grid(mesh) ? AB_EDGE_CONVEX : ab_mesh_listed_edge(mesh, triangle, j);
    *none = kind == AB_EDGE_FLAT || kind == AB_EDGE_CONCAVE;
    *neighbour = kind == AB_EDGE_CONVEX ? ab_mesh_neighbour(mesh, triangle, j) : AB_NO_TRIANGLE;
    return *neighbour != AB_NO_TRIANGLE;
}

// Whether it has none along a direction.
static bool has_none(const ab_triangle_pair *p, uint32_t triangle, int j, const edge_place *e, const double away[3])
{
    const ab_mesh *mesh = p->mesh;
    uint32_t neighbour;
    bool none;
    if (!may_be_ridge(p, triangle, j, &neighbour, &none))
    {
        return none;
    }
    double corner[3][3], u[3], v[3], n[3], outward[3];
    ab_mesh_corners(mesh, neighbour, corner);
    ab_sub(corner[1], corner[0], u);
    ab_sub(corner[2], corner[0], v);
    ab_cross(u, v, n);
    ab_cross(n, e->along, outward);
    // Of two faces that rise from each other, this one's normal leans over the other.
    const double over = ab_dot(outward, away);
    const bool valley = ab_mesh_is_grid(mesh) && ab_dot(outward, e->normal) <= 0.0;
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

// Whether one of the first triangles around a peak, one way or the other, rises from it, so that it is none.
static bool has_rise(const ab_triangle_pair *p, uint32_t triangle, int k, const double peak[3], const double away[3])
{
    const ab_mesh *mesh = p->mesh;
    const uint32_t vertex = ab_mesh_vertex(mesh, triangle, k);
    const double square = ab_dot(away, away);
    for (int way = 0; way < 2; ++way)
    {
        uint32_t at = triangle;
        int here = k;
        for (int step = 0; step < STEPS; ++step)
        {
            double corner[3][3], along[3];
            at = ab_mesh_neighbour(mesh, at, way == 0 ? (here + 2) % 3 : here);
            if (at == AB_NO_TRIANGLE)
            {
                break;
            }
            here = ab_mesh_vertex(mesh, at, 0) == vertex ? 0 : ab_mesh_vertex(mesh, at, 1) == vertex ? 1 : 2;
            ab_mesh_corners(mesh, at, corner);
            ab_sub(corner[way == 0 ? (here + 2) % 3 : (here + 1) % 3], peak, along);
            if (exceeds(ab_dot(along, away), CLEAR, ab_dot(along, along) * square))
            {
                return true;
            }
        }
    }
    return false;
}

// A direction from a triangle to what is behind it.
static bool is_no_normal(const ab_triangle_pair *p, uint32_t triangle, double corner[3][3], const double away[3])
{
    double height[3], u[3], v[3], n[3];
    bool level[2];
    ab_sub(corner[1], corner[0], u);
    ab_sub(corner[2], corner[0], v);
    ab_cross(u, v, n);
    if (exceeds(ab_dot(away, n), 1.0 - SAME, ab_dot(away, away) * ab_dot(n, n)))
    {
        return false;
    }
    for (int i = 0; i < 3; ++i)
    {
        height[i] = ab_dot(corner[i], away);
    }
    const int top = height[0] >= height[1] ? (height[0] >= height[2] ? 0 : 2) : height[1] >= height[2] ? 1 : 2;
    for (int i = 0; i < 2; ++i)
    {
        const int k = i == 0 ? top : (top + 2) % 3;
        double along[3];
        ab_sub(corner[(k + 1) % 3], corner[k], along);
        const double fall = fabs(ab_dot(along, away)), square = ab_dot(along, along) * ab_dot(away, away);
        level[i] = !exceeds(fall, LEVEL, square);
        if (!level[i] && !exceeds(fall, CLEAR, square))
        {
            return false;
        }
    }
    if (level[0] || level[1])
    {
        const int k = level[0] ? top : (top + 2) % 3;
        edge_place e;
        place_edge(corner, k, &e);
        return !(level[0] && level[1]) && has_none(p, triangle, k, &e, away);
    }
    return has_rise(p, triangle, top, corner[top], away);
}

// The direction out along one of the axes, by its bit. False: it may as well be the opposite.
static bool way_out(const ab_triangle_pair *p, double corner[3][3], uint32_t bit, double away[3])
{
    const uint32_t first_edge = ab_lowest_bit(AB_AXES_EDGE(0, 0));
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (bit < first_edge)
    {
        memcpy(away, p->axis + 3 * bit, 3 * sizeof *away);
    }
    else
    {
        const uint32_t j = (bit - first_edge) / 3;
        double edge[3];
        ab_sub(corner[(j + 1) % 3], corner[j], edge);
        ab_cross(edge, p->axis + 3 * ((bit - first_edge) % 3), away);
    }
    for (int i = 0; i < 3; ++i)
    {
        double to[3];
        ab_sub(corner[i], p->centre, to);
        const double along = ab_dot(to, away);
        low = along < low ? along : low;
        high = along > high ? along : high;
    }
    for (int k = 0; k < 3; ++k)
    {
        away[k] = low + high > 0.0 ? -away[k] : away[k];
    }
    return fabs(low + high) > CLEAR * (fabs(low) + fabs(high));
}

static bool is_alike(const double a[3], const double b[3])
{
    double across[3];
    ab_cross(a, b, across);
    return ab_dot(a, b) > 0.0 && ab_dot(across, across) <= ALIKE * ab_dot(a, a) * ab_dot(b, b);
}

static bool lead_nowhere(const ab_triangle_pair *pair, uint32_t triangle, double corner[3][3], uint32_t axes)
{
    double away[3], last[3] = { 0.0, 0.0, 0.0 };
    bool nowhere = true;
    for (uint32_t left = axes; left != 0 && nowhere; left &= left - 1)
    {
        nowhere = way_out(pair, corner, ab_lowest_bit(left), away) &&
                  (is_alike(away, last) || is_no_normal(pair, triangle, corner, away));
        memcpy(last, away, sizeof last);
    }
    return nowhere;
}

bool ab_triangle_leads_nowhere(const ab_triangle_pair *pair, uint32_t triangle, uint32_t axes)
{
    double corner[3][3];
    ab_mesh_corners(pair->mesh, triangle, corner);
    return lead_nowhere(pair, triangle, corner, axes);
}

// The way out of one edge of the triangle, which is all that its axes have.
static bool is_passed_over_at_edge(const ab_triangle_pair *pair, ab_triangle_at *at, int j)
{
    edge_place e;
    place_edge(at->corners.at, j, &e);
    bool passed = true;
    for (uint32_t left = (at->axes & AB_AXES_ALL) / AB_AXES_EDGE(0, 0); left != 0 && passed; left &= left - 1)
    {
        passed = leads_nowhere(pair, at->which, j, &e, pair->axis + 3 * (ab_lowest_bit(left) % 3));
    }
    return passed;
}

// A ball that is nearest to an edge, for sure, and not in the direction of the face.
static bool is_ball_passed_over(const ab_triangle_pair *pair, ab_triangle_at *at, int j)
{
    uint32_t neighbour;
    bool none;
    if (!may_be_ridge(pair, at->which, j, &neighbour, &none))
    {
        return none;
    }
    edge_place e;
    double away[3];
    place_edge(at->corners.at, j, &e);
    ab_sub(pair->centre, e.from, away);
    ab_along(away, -ab_dot(away, e.along) / ab_dot(e.along, e.along), e.along, away);
    return has_none(pair, at->which, j, &e, away);
}

static bool is_ball(const ab_triangle_pair *pair)
{
    return pair->convex.row->box_core && ab_core_is_point(&pair->convex.core);
}

bool ab_triangle_is_passed_over(const ab_triangle_pair *pair, ab_triangle_at *at)
{
    const uint32_t axes = at->axes, those = axes & AB_AXES_ALL, edges = those / AB_AXES_EDGE(0, 0);
    const int j = edges != 0 ? (int)(ab_lowest_bit(edges) / 3) : 0;
    if ((axes & (AB_AXES_BESIDE | AB_AXES_CORNERS | AB_AXES_NORMAL)) != AB_AXES_BESIDE || pair->mesh->two_sided)
    {
        return false;
    }
    if (!ab_triangle_is_of_box(pair))
    {
        return is_ball(pair) && is_ball_passed_over(pair, at, j);
    }
    const bool one_edge = (those & AB_AXES_FACES) == 0 && edges >> 3 * j <= 7u;
    return one_edge ? is_passed_over_at_edge(pair, at, j) : lead_nowhere(pair, at->which, at->corners.at, those);
}

#define SURELY 1.001 // more than rounding

// The line from the lowest point to the highest one goes through the triangle. Moved by no more than the shape is deep,
// it still does, where it goes through so far from all edges: so that is no way out.
bool ab_triangle_leads_up(const ab_triangle_pair *pair, const ab_triangle_corners *triangle, double side,
                          const ab_triangle_heights *heights)
{
    const bool front = side > 0.0;
    const double low = front ? heights->low : -heights->high, high = front ? heights->high : -heights->low;
    const double rounding = side * pair->convex.core.rounding;
    double bottom[3], line[3], through[3];
    if (!(low < 0.0 && high + low > 0.0))
    {
        return false;
    }
    ab_along(front ? heights->bottom : heights->top, -rounding, triangle->normal, bottom);
    ab_along(front ? heights->top : heights->bottom, rounding, triangle->normal, line);
    ab_sub(line, bottom, line);
    ab_along(bottom, -low / (high - low), line, through);
    const double least = -low * SURELY * sqrt(ab_dot(line, line)) / (high - low); // from every edge
    bool sure = true;
    for (int i = 0; i < 3 && sure; ++i)
    {
        double edge[3], inward[3], to[3];
        ab_sub(triangle->at[(i + 1) % 3], triangle->at[i], edge);
        ab_cross(triangle->normal, edge, inward);
        ab_sub(through, triangle->at[i], to);
        sure = ab_dot(to, inward) > least * sqrt(ab_dot(edge, edge));
    }
    return sure;
}
