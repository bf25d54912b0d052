// A triangle as a convex shape, and where one is in a mesh.
#include "narrow/mesh/triangle.h"

#include "shape/hull.h"

#include <math.h>
#include <string.h>

static const ab_triangle *triangle_of(const abut_shape *shape)
{
    return (const ab_triangle *)(const void *)shape;
}

static void triangle_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3],
                             double out[3])
{
    (void)def;
    const ab_triangle *t = triangle_of(shape);
    const double a = ab_dot(direction, t->corner[0]), b = ab_dot(direction, t->corner[1]),
                 c = ab_dot(direction, t->corner[2]);
    memcpy(out, t->corner[a >= b ? (a >= c ? 0 : 2) : b >= c ? 1 : 2], sizeof t->corner[0]);
}

static void triangle_closest(const abut_shape *shape, const double point[3], double out[3])
{
    ab_triangle copy = *triangle_of(shape);
    ab_mesh_nearest_on(copy.corner, point, out);
}

// The edge from the corner farthest along a direction that slopes least, or the corner alone.
static uint32_t triangle_edge(const ab_triangle *t, const double direction[3], double slope, double (*out)[3])
{
    double best = slope;
    uint32_t count = 1;
    triangle_support(NULL, &t->shape, direction, out[0]);
    const double top = ab_dot(direction, out[0]), square = ab_dot(direction, direction);
    for (int i = 0; i < 3; ++i)
    {
        double along[3];
        ab_sub(t->corner[i], out[0], along);
        const double fall = top - ab_dot(direction, t->corner[i]);
        const double across = sqrt(ab_dot(along, along) * square - fall * fall);
        if (across > 0.0 && fall <= best * across)
        {
            best = fall / across;
            memcpy(out[1], t->corner[i], sizeof t->corner[i]);
            count = 2;
        }
    }
    return count;
}

static uint32_t triangle_face(const abut_shape *shape, const double direction[3], double slope, uint32_t room,
                              double (*out)[3])
{
    const ab_triangle *t = triangle_of(shape);
    const double along = ab_dot(direction, t->normal);
    if (room < 3)
    {
        return 0;
    }
    if (ab_dot(direction, direction) - along * along <= slope * slope * along * along)
    {
        for (int i = 0; i < 3; ++i)
        {
            memcpy(out[i], t->corner[along < 0.0 ? 2 - i : i], sizeof t->corner[0]);
        }
        return 3;
    }
    return triangle_edge(t, direction, slope, out);
}

static const ab_shape_row triangle_row = {
    .name = "triangle",
    .turns = true,
    .solid = true,
    .support = triangle_support,
    .core_closest = triangle_closest,
    .face = triangle_face,
};

void ab_triangle_place(const ab_mesh *mesh, const ab_convex *placed, uint32_t which, ab_triangle *triangle,
                       ab_convex *out)
{
    double corner[3][3], middle[3];
    ab_mesh_corners(mesh, which, corner);
    *triangle = (ab_triangle){ 0 };
    *out = (ab_convex){ .row = &triangle_row, .shape = &triangle->shape };
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3.0;
        for (int i = 0; i < 3; ++i)
        {
            const double at = corner[i][k] - middle[k], away = fabs(at);
            triangle->corner[i][k] = at;
            out->core.half[k] = away > out->core.half[k] ? away : out->core.half[k];
        }
    }
    ab_mesh_triangle_normal(corner, triangle->normal);
    memcpy(out->axis, placed->axis, sizeof out->axis);
    ab_convex_place(placed, middle, out->centre);
    out->size = out->core.half[0] + out->core.half[1] + out->core.half[2];
}

const ab_hull *ab_triangle_hull_of(const ab_triangle_pair *pair)
{
    const ab_shape_row *row = pair->convex.row;
    const ab_hull *hull = row->geometry ? ab_hull_of_geometry(row->geometry(pair->convex.shape)) : NULL;
    return hull && hull->polytope.face_count > 0 ? hull : NULL;
}

void ab_triangle_turn_out(const ab_convex *shape, const double local[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = shape->axis[k] * local[0] + shape->axis[3 + k] * local[1] + shape->axis[6 + k] * local[2];
    }
}

void ab_triangle_corners_of(const ab_mesh *mesh, uint32_t which, ab_triangle_corners *out)
{
    ab_mesh_corners(mesh, which, out->at);
    ab_mesh_triangle_normal(out->at, out->normal);
}
