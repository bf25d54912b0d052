// The contact patch of two boxes: the incident face clipped against the side planes of the reference face (Sutherland and
// Hodgman 1974), and how large a part of it four points can span.
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

    referee_patch patch = { .count = whole.count };
    dvec3 twice_area = { 0, 0, 0 };
    for (int k = 0; k < whole.count; ++k)
    {
        dvec3 here = whole.vertex[k];
        twice_area = dvec3_add(twice_area, dvec3_cross(here, whole.vertex[(k + 1) % whole.count]));
        patch.height[k] = dvec3_dot(here, outward) - reference->half[face];
        patch.vertex[k] = dvec3_add(here, reference->centre);
    }
    patch.area = 0.5 * fabs(dvec3_dot(twice_area, outward));
    return patch;
}

// The four points' hull is the largest of their triangles and of the quadrilaterals with either pairing as diagonals.
double referee_best_four(const dvec3 *points, int count, dvec3 normal)
{
    double best = 0.0;
    for (int i = 0; i < count; ++i)
    {
        for (int j = i + 1; j < count; ++j)
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
