// What is of a surface around a triangle: whether it goes on around a point, in eight directions, and whether it comes to
// an end along a direction behind the triangle.
#include "narrow/mesh/triangle.h"

#include <math.h>

// How far a shape has to be moved to come out of a surface past one of its ends.
static double way_past(const ab_triangle_pair *p, const ab_surface_end *end)
{
    double out[3], back[3], last[3], to[3];
    const double length = sqrt(ab_dot(end->outward, end->outward));
    ab_triangle_turn_out(&p->placed, end->outward, out);
    for (int k = 0; k < 3; ++k)
    {
        back[k] = -out[k];
    }
    ab_convex_support(&p->convex, back, last);
    ab_sub(last, p->placed.centre, to);
    return (end->at - ab_dot(to, out)) / length + p->convex.core.rounding;
}

// Cosines of 22.5 and 67.5 degrees. Edges of grids lead in multiples of 45 degrees: along one of them rounding would
// say which of the triangles beside it is next.
#define NEARER  0.92387953251128674
#define FARTHER 0.38268343236508977

// Whether a triangle has all within a distance of one of its points.
static bool is_around(const ab_triangle_corners *corners, const double point[3], double distance)
{
    bool around = true;
    for (int k = 0; k < 3 && around; ++k)
    {
        double edge[3], to[3], inward[3];
        ab_sub(corners->at[(k + 1) % 3], corners->at[k], edge);
        ab_sub(point, corners->at[k], to);
        ab_cross(corners->normal, edge, inward);
        const double away = ab_dot(inward, to);
        around = away > 0.0 && away * away > distance * distance * ab_dot(edge, edge);
    }
    return around;
}

#define RIDGES 4.0 // times as far: past a ridge is another face, which has what comes out there

bool ab_triangle_goes_on(const ab_triangle_pair *p, const ab_triangle_view *view, const double from[3], double far)
{
    // of a turn, in eighths, from half of one on
    static const double cosine[8] = { NEARER, FARTHER, -FARTHER, -NEARER, -NEARER, -FARTHER, FARTHER, NEARER };
    const ab_triangle_corners *corners = view->corners;
    double along[3], across[3], direction[3];
    if (is_around(corners, from, 2.0 * RIDGES * far))
    {
        return true;
    }
    ab_sub(corners->at[1], corners->at[0], along);
    const double length = sqrt(ab_dot(along, along));
    ab_along(along, 1.0 / length - 1.0, along, along);
    ab_cross(corners->normal, along, across);
    for (int i = 0; i < 8; ++i)
    {
        ab_surface_end end;
        for (int k = 0; k < 3; ++k)
        {
            direction[k] = cosine[i] * along[k] + cosine[(i + 6) % 8] * across[k];
        }
        if (ab_triangle_meets_end(view, from, direction, 2.0 * RIDGES * far, &end) &&
            way_past(p, &end) < (end.is_border ? far : RIDGES * far))
        {
            return false;
        }
    }
    return true;
}

#define STEPS 32u     // from vertex to vertex, at most
#define LEVEL 0x1p-17 // slope of an edge that is at right angles to a direction

// A vertex as a corner of a triangle, and what is around it.
typedef struct summit
{
    uint32_t triangle;
    int corner;
    double rise;        // to the next one, along the direction; zero: there is none
    double front, back; // cosines of the direction with the normals that look along it the most, and against it
    bool at_border;
} summit;

static void look_from(const ab_triangle_corners *corners, uint32_t triangle, int here, const double direction[3],
                      summit *next)
{
    const double along = ab_dot(corners->normal, direction);
    next->front = along > next->front ? along : next->front;
    next->back = -along > next->back ? -along : next->back;
    for (int i = 1; i < 3; ++i)
    {
        double edge[3];
        ab_sub(corners->at[(here + i) % 3], corners->at[here], edge);
        const double rise = ab_dot(edge, direction);
        if (rise > next->rise && rise > LEVEL * sqrt(ab_dot(edge, edge)))
        {
            next->rise = rise;
            next->triangle = triangle;
            next->corner = (here + i) % 3;
        }
    }
}

// The vertex beside one that is highest above it. Goes around it, one way until back or at a border, then the other way.
static summit next_summit(const ab_triangle_view *view, const summit *from, const double direction[3])
{
    const ab_mesh *mesh = view->mesh;
    const uint32_t vertex = ab_mesh_vertex(mesh, from->triangle, from->corner);
    summit next = { .triangle = from->triangle, .corner = from->corner };
    for (int way = 0; way < 2; ++way)
    {
        uint32_t at = from->triangle;
        for (uint32_t i = 0; i < ab_mesh_around(mesh) && at != AB_NO_TRIANGLE; ++i)
        {
            const int here = ab_mesh_place_of(mesh, at, vertex);
            ab_triangle_corners corners;
            ab_triangle_corners_of(mesh, at, &corners);
            look_from(&corners, at, here, direction, &next);
            at = ab_triangle_neighbour(view, at, way == 0 ? (here + 2) % 3 : here);
            if (at == from->triangle)
            {
                return next;
            }
        }
        next.at_border = true;
    }
    return next;
}

bool ab_triangle_ends_behind(const ab_triangle_view *view, const double direction[3], double far)
{
    const double(*at)[3] = view->corners->at;
    summit top = { .triangle = view->which };
    double risen = 0.0;
    if (view->mesh->two_sided || !(ab_dot(view->corners->normal, direction) < 0.0))
    {
        return false;
    }
    for (int k = 1; k < 3; ++k)
    {
        top.corner = ab_dot(at[k], direction) > ab_dot(at[top.corner], direction) ? k : top.corner;
    }
    for (uint32_t i = 0; i < STEPS && risen <= far; ++i)
    {
        top = next_summit(view, &top, direction);
        risen += top.rise;
        if (!(top.rise > 0.0))
        {
            return !top.at_border && top.front > top.back;
        }
    }
    return false;
}
