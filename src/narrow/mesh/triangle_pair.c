// A convex shape and a mesh laid out for each other: where the shape is in the mesh's frame, and the box about it
// there.
#include "narrow/mesh/triangle.h"
#include "narrow/pair_functions.h"
#include "shape/hull.h"

#include <math.h>

#define ROUNDING 0x1p-40 // of a box about a shape

// How far a shape reaches along a direction from a point: at least so far of one with triangles or parts, of which its
// box is known, as to ask all of them for the farthest would take long.
static void reach_along(const ab_convex *shape, const double up[3], const double from[3], double *low, double *high)
{
    const double down[3] = { -up[0], -up[1], -up[2] };
    double point[3], to[3], half = 0.0;
    if (shape->row->parts)
    {
        for (int i = 0; i < 3; ++i)
        {
            half += shape->core.half[i] * fabs(ab_dot(shape->axis + 3 * i, up));
        }
        ab_sub(shape->centre, from, to);
        *low = ab_dot(to, up) - half;
        *high = ab_dot(to, up) + half;
        return;
    }
    ab_convex_support(shape, down, point);
    ab_sub(point, from, to);
    *low = ab_dot(to, up);
    ab_convex_support(shape, up, point);
    ab_sub(point, from, to);
    *high = ab_dot(to, up);
}

ab_mesh_box ab_mesh_box_around(const ab_convex *mesh, const ab_convex *shape, double distance)
{
    double min[3] = { 0.0 }, max[3] = { 0.0 }, more = distance + shape->core.rounding;
    for (int k = 0; k < (shape->is_2d ? 2 : 3); ++k) // supports in the plane are asked for no other direction
    {
        reach_along(shape, mesh->axis + 3 * k, mesh->centre, &min[k], &max[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        const double low = fabs(min[k]), high = fabs(max[k]);
        more += ROUNDING * (low > high ? low : high);
    }
    return ab_mesh_box_of(min, max, more);
}

// Whether the axes are the world's. The sum of squares of what is off the diagonal is zero only if all are.
static bool is_level(const double axis[9])
{
    const double off = axis[1] * axis[1] + axis[2] * axis[2] + axis[3] * axis[3] + axis[5] * axis[5] +
                       axis[6] * axis[6] + axis[7] * axis[7];
    return off == 0.0 && axis[0] == 1.0 && axis[4] == 1.0 && axis[8] == 1.0;
}

// What follows from where the two are. In a level mesh's frame, as most are, without what is multiplied by one or zero.
static void lay_pair(ab_triangle_pair *p)
{
    double to[3];
    ab_sub(p->convex.centre, p->placed.centre, to);
    for (int i = 0; i < 3; ++i)
    {
        p->centre[i] = p->level ? to[i] + 0.0 : ab_dot(to, p->placed.axis + 3 * i);
    }
    if (p->level)
    {
        for (int i = 0; i < 9; ++i)
        {
            p->axis[i] = p->convex.axis[i] + 0.0;
        }
        return;
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            p->axis[3 * k + i] = ab_dot(p->convex.axis + 3 * k, p->placed.axis + 3 * i);
        }
    }
}

void ab_triangle_pair_up(ab_triangle_pair *p)
{
    p->level = is_level(p->placed.axis);
    lay_pair(p);
}

void ab_triangle_pair_of(ab_triangle_pair *out, const ab_batch *batch, uint32_t i, uint32_t origin)
{
    ab_convex_of(&out->convex, batch, batch->a[i], origin);
    ab_convex_of(&out->placed, batch, batch->b[i], origin);
    out->mesh = ab_mesh_of_valid(ab_batch_shape(batch, batch->b[i]));
    ab_triangle_pair_up(out);
}

void ab_triangle_pair_next(ab_triangle_pair *p, const ab_batch *batch, uint32_t i, uint32_t before, uint32_t origin)
{
    if (batch->b[i] != before)
    {
        ab_triangle_pair_of(p, batch, i, origin);
        return;
    }
    ab_convex_of(&p->convex, batch, batch->a[i], origin);
    ab_convex_centre(batch, batch->b[i], origin, p->placed.centre);
    lay_pair(p);
}

// The nearest float to the lower of two that a double is between, or lower; more than half a float's step is taken off.
static float rounded_down(double x)
{
    return (float)(x - (fabs(x) * 0x1p-23 + 0x1p-148));
}

// The box about a core that is a box.
AB_INLINE ab_mesh_box box_about(const ab_core *core, const double centre[3], const double axis[9], double distance)
{
    double radius[3], more = distance + core->rounding;
    ab_mesh_box out;
    for (int k = 0; k < 3; ++k)
    {
        radius[k] =
            core->half[0] * fabs(axis[k]) + core->half[1] * fabs(axis[3 + k]) + core->half[2] * fabs(axis[6 + k]);
        more += ROUNDING * (fabs(centre[k]) + radius[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        out.min[k] = rounded_down(centre[k] - radius[k] - more);
        out.max[k] = -rounded_down(-(centre[k] + radius[k] + more));
    }
    return out;
}

// The box about a hull, by one look at each vertex.
static ab_mesh_box box_about_hull(const ab_hull *hull, const double centre[3], const double axis[9], double distance)
{
    double min[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, max[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, more = distance;
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        const double x = (double)hull->vertices[i].x, y = (double)hull->vertices[i].y, z = (double)hull->vertices[i].z;
        for (int k = 0; k < 3; ++k)
        {
            const double at = axis[k] * x + axis[3 + k] * y + axis[6 + k] * z;
            min[k] = at < min[k] ? at : min[k];
            max[k] = at > max[k] ? at : max[k];
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        const double low = fabs(min[k]), high = fabs(max[k]);
        more += ROUNDING * (fabs(centre[k]) + (low > high ? low : high));
        min[k] += centre[k];
        max[k] += centre[k];
    }
    return ab_mesh_box_of(min, max, more);
}

ab_mesh_box ab_mesh_box_of_pair(const ab_triangle_pair *p, double distance)
{
    if (p->convex.row->box_core)
    {
        return box_about(&p->convex.core, p->centre, p->axis, distance);
    }
    const ab_hull *hull = ab_triangle_hull_of(p);
    return hull && !hull->support.cells ? box_about_hull(hull, p->centre, p->axis, distance)
                                        : ab_mesh_box_around(&p->placed, &p->convex, distance);
}

// The box of a pair with the level mesh of `p`, from the shape's record.
AB_INLINE ab_mesh_box box_of_record(const ab_triangle_pair *p, const ab_batch *batch, uint32_t i, double distance)
{
    const abut_shape *shape = ab_batch_shape(batch, batch->a[i]);
    const ab_record *record = &batch->records[batch->a[i]];
    const float size[3] = { record->half_x, record->half_y, record->half_z };
    ab_core core;
    double centre[3], axis[9];
    ab_shape_row_for(shape->kind)->core(NULL, shape, size, &core);
    ab_convex_centre(batch, batch->a[i], batch->b[i], centre);
    ab_sub(centre, p->placed.centre, centre);
    for (int k = 0; k < 9; ++k)
    {
        axis[k] = (double)record->axis[k];
    }
    return box_about(&core, centre, axis, distance);
}

ab_mesh_box ab_mesh_box_next(ab_triangle_pair *p, const ab_batch *batch, uint32_t i, uint32_t before)
{
    const double distance = (double)ab_batch_limit(batch, i);
    if (batch->b[i] == before && p->level && ab_shape_row_for(ab_batch_shape(batch, batch->a[i])->kind)->box_core)
    {
        return box_of_record(p, batch, i, distance);
    }
    ab_triangle_pair_next(p, batch, i, before, batch->b[i]);
    return ab_mesh_box_of_pair(p, distance);
}
