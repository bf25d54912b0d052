// The contact patch of two boxes: the incident face clipped against the side planes of the reference face (Sutherland
// and Hodgman 1974), how large a part of it four points can span, and the crossing of two edges.
#include "referee.h"

typedef struct polygon
{
    dvec3 vertex[12];
    int count;
} polygon;

// Keeps what lies at or below the plane `normal`.p = limit.
static polygon cut(const polygon *whole, dvec3 normal, double limit)
{
    polygon kept = { .count = 0 };
    for (int k = 0; k < whole->count; ++k)
    {
        dvec3 here = whole->vertex[k];
        dvec3 next = whole->vertex[(k + 1) % whole->count];
        double here_past = dvec3_dot(here, normal) - limit;
        double next_past = dvec3_dot(next, normal) - limit;
        if (here_past <= 0.0)
        {
            kept.vertex[kept.count++] = here;
        }
        if ((here_past < 0.0 && next_past > 0.0) || (here_past > 0.0 && next_past < 0.0))
        {
            double part = here_past / (here_past - next_past);
            kept.vertex[kept.count++] = dvec3_along(here, part, dvec3_sub(next, here));
        }
    }
    return kept;
}

// In order around the face, relative to `origin`.
static polygon face_polygon(const referee_solid *box, int face, dvec3 outward, dvec3 origin)
{
    int u = (face + 1) % 3, v = (face + 2) % 3;
    double side = dvec3_dot(box->axis[face], outward) > 0.0 ? -box->half[face] : box->half[face];
    dvec3 middle = dvec3_along(dvec3_sub(box->centre, origin), side, box->axis[face]);
    dvec3 along_u = dvec3_scale(box->axis[u], box->half[u]);
    dvec3 along_v = dvec3_scale(box->axis[v], box->half[v]);
    static const double corner[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
    polygon whole = { .count = 4 };
    for (int k = 0; k < 4; ++k)
    {
        whole.vertex[k] = dvec3_along(dvec3_along(middle, corner[k][0], along_u), corner[k][1], along_v);
    }
    return whole;
}

static double least_crossing(const referee_solid *reference, int face, dvec3 outward, const referee_solid *incident,
                             int incident_face)
{
    double least = 1.0;
    for (int i = 1; i < 3; ++i)
    {
        dvec3 side = reference->axis[(face + i) % 3];
        for (int j = 1; j < 3; ++j)
        {
            dvec3 edge = incident->axis[(incident_face + j) % 3];
            edge = dvec3_along(edge, -dvec3_dot(edge, outward), outward);
            double sine = dvec3_length(dvec3_cross(side, edge)) / fmax(1e-300, dvec3_length(edge));
            least = sine > 1e-9 ? fmin(least, sine) : least; // others do not cross
        }
    }
    return least;
}

referee_patch referee_clip(const referee_solid *reference, int face, dvec3 outward, const referee_solid *incident,
                           int incident_face)
{
    polygon whole = face_polygon(incident, incident_face, outward, reference->centre);
    for (int i = 0; i < 3; ++i)
    {
        if (i != face)
        {
            whole = cut(&whole, reference->axis[i], reference->half[i]);
            whole = cut(&whole, dvec3_scale(reference->axis[i], -1.0), reference->half[i]);
        }
    }

    referee_patch patch = { .count = whole.count, .incident_face = incident_face };
    dvec3 twice_area = { 0, 0, 0 };
    for (int k = 0; k < whole.count; ++k)
    {
        dvec3 here = whole.vertex[k];
        twice_area = dvec3_add(twice_area, dvec3_cross(here, whole.vertex[(k + 1) % whole.count]));
        patch.height[k] = dvec3_dot(here, outward) - reference->half[face];
        patch.vertex[k] = dvec3_add(here, reference->centre);
    }
    patch.crossing = least_crossing(reference, face, outward, incident, incident_face);
    patch.area = 0.5 * fabs(dvec3_dot(twice_area, outward));
    return patch;
}

// The four points' hull is the largest of their triangles and of the quadrilaterals with either pair as diagonals.
double referee_best_four(const dvec3 *points, int count, int with, dvec3 normal)
{
    double best = 0.0;
    for (int i = with < 0 ? 0 : with; i < (with < 0 ? count : with + 1); ++i)
    {
        for (int j = 0; j < count; ++j)
        {
            dvec3 first = dvec3_cross(normal, dvec3_sub(points[j], points[i]));
            for (int k = 0; k < count; ++k)
            {
                best = fmax(best, 0.5 * fabs(dvec3_dot(first, dvec3_sub(points[k], points[i]))));
                for (int l = k + 1; l < count; ++l)
                {
                    best = fmax(best, 0.5 * fabs(dvec3_dot(first, dvec3_sub(points[l], points[k]))));
                }
            }
        }
    }
    return best;
}

// The middle of the edge of `box` along axis i that reaches farthest in a direction.
static dvec3 edge_middle(const referee_solid *box, int i, dvec3 direction)
{
    dvec3 middle = box->centre;
    for (int k = 0; k < 3; ++k)
    {
        double side = copysign(box->half[k], dvec3_dot(box->axis[k], direction));
        middle = k == i ? middle : dvec3_along(middle, side, box->axis[k]);
    }
    return middle;
}

referee_crossing referee_cross(const referee_solid *a, const referee_solid *b, const referee_axis *axis)
{
    int i = (axis->code - 6) / 3, j = (axis->code - 6) % 3;
    dvec3 on_a = edge_middle(a, i, axis->normal);
    dvec3 on_b = edge_middle(b, j, dvec3_scale(axis->normal, -1.0));
    dvec3 apart = dvec3_sub(on_b, on_a);
    double cosine = dvec3_dot(a->axis[i], b->axis[j]);
    double along_a = dvec3_dot(apart, a->axis[i]), along_b = dvec3_dot(apart, b->axis[j]);
    double squared = axis->length * axis->length;
    double s = (along_a - cosine * along_b) / squared;
    double t = (cosine * along_a - along_b) / squared;
    on_a = dvec3_along(on_a, fmax(-a->half[i], fmin(a->half[i], s)), a->axis[i]);
    on_b = dvec3_along(on_b, fmax(-b->half[j], fmin(b->half[j], t)), b->axis[j]);
    return (referee_crossing){ dvec3_scale(dvec3_add(on_a, on_b), 0.5), dvec3_length(dvec3_sub(on_b, on_a)) };
}
