// The row of convex hulls.
#include "shape/hull.h"

#include "shape/ray.h"

#include <math.h>
#include <string.h>

abut_shape abut_shape_hull(const abut_geometry *hull)
{
    abut_shape shape = { .kind = ABUT_HULL };
    shape.hull = hull;
    return shape;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Of a valid shape.
static const ab_hull *hull_of(const abut_shape *shape)
{
    return (const ab_hull *)(const void *)shape->hull;
}

static const char *hull_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_hull_of_geometry(shape->hull) != NULL);
}

static abut_vec3 hull_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return hull_of(shape)->half;
}

static void hull_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], (double)size[2] }, 0.0 };
}

static void place(const ab_hull *hull, uint32_t vertex, double out[3])
{
    out[0] = hull->vertices[vertex].x;
    out[1] = hull->vertices[vertex].y;
    out[2] = hull->vertices[vertex].z;
}

static void hull_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const ab_hull *hull = hull_of(shape);
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        const abut_vec3 v = hull->vertices[i];
        const double here = direction[0] * v.x + direction[1] * v.y + direction[2] * v.z;
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    place(hull, best, out);
}

// Of more corners than there is room for, every so many-th.
static uint32_t hull_face(const abut_shape *shape, const double direction[3], double slope, uint32_t room,
                          double (*out)[3])
{
    const ab_hull *hull = hull_of(shape);
    const ab_hull_face *face = hull->faces;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const double here = dot(hull->faces[i].normal, direction);
        face = here > most ? &hull->faces[i] : face;
        most = here > most ? here : most;
    }
    if (!(most > 0.0) || dot(direction, direction) - most * most > slope * slope * most * most)
    {
        return 0;
    }
    const uint32_t count = face->count < room ? face->count : room;
    for (uint32_t i = 0; i < count; ++i)
    {
        place(hull, hull->corners[face->first + (uint64_t)i * face->count / count], out[i]);
    }
    return count;
}

static void hull_points(const abut_shape *shape, ab_points *out)
{
    const ab_hull *hull = hull_of(shape);
    const ab_polytope *p = &hull->polytope;
    if (p->face_count == 0)
    {
        ab_box_points_get(&hull->box, out);
        return;
    }
    *out = (ab_points){ (p->vertex_count + AB_POINTS_GROUP - 1) / AB_POINTS_GROUP,
                        { p->vertex[0], p->vertex[1], p->vertex[2] } };
}

static float hull_bounding_radius(const abut_shape *shape)
{
    return hull_of(shape)->bounding_radius;
}

static const abut_geometry *hull_geometry(const abut_shape *shape)
{
    return shape->hull;
}

// How far a point is above the plane of a face.
static double above(const ab_hull_face *face, const double point[3])
{
    return dot(face->normal, point) - face->offset;
}

static bool hull_contains(const abut_shape *shape, const double point[3])
{
    const ab_hull *hull = hull_of(shape);
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        if (above(&hull->faces[i], point) > 0.0)
        {
            return false;
        }
    }
    return true;
}

// The point of a segment closest to `point`; an end exactly.
static void closest_on_edge(const double a[3], const double b[3], const double point[3], double out[3])
{
    const double along[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
    const double to[3] = { point[0] - a[0], point[1] - a[1], point[2] - a[2] };
    const double part = dot(to, along) / dot(along, along), at = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    for (int k = 0; k < 3; ++k)
    {
        out[k] = at == 1.0 ? b[k] : a[k] + at * along[k];
    }
}

static double square_between(const double a[3], const double b[3])
{
    const double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return dot(d, d);
}

// The point of a face closest to a point above its plane. Returns the squared distance.
static double closest_on_face(const ab_hull *hull, const ab_hull_face *face, const double point[3], double out[3])
{
    const uint32_t *corner = hull->corners + face->first;
    const double height = above(face, point);
    double least = HUGE_VAL;
    bool over = true;
    for (uint32_t i = 0; i < face->count; ++i)
    {
        double a[3], b[3], here[3];
        place(hull, corner[i], a);
        place(hull, corner[i + 1 < face->count ? i + 1 : 0], b);
        const double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
        const double to[3] = { point[0] - a[0], point[1] - a[1], point[2] - a[2] };
        const double *n = face->normal;
        const double inward[3] = { n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0] };
        over = over && dot(inward, to) >= 0.0;
        closest_on_edge(a, b, point, here);
        const double square = square_between(here, point);
        if (square < least)
        {
            least = square;
            memcpy(out, here, sizeof here);
        }
    }
    if (over && height * height < least)
    {
        least = height * height;
        for (int k = 0; k < 3; ++k)
        {
            out[k] = point[k] - height * face->normal[k];
        }
    }
    return least;
}

// It is on a face that the point is above. A point inside by these planes is its own: callers who decide by planes
// rounded otherwise may ask of one.
static void hull_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const ab_hull *hull = hull_of(shape);
    double least = HUGE_VAL;
    memcpy(out, point, 3 * sizeof *out);
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        double here[3];
        const double square =
            above(&hull->faces[i], point) > 0.0 ? closest_on_face(hull, &hull->faces[i], point, here) : HUGE_VAL;
        if (square < least)
        {
            least = square;
            memcpy(out, here, sizeof here);
        }
    }
}

// M. Cyrus, J. Beck, "Generalized two- and three-dimensional clipping" (1978). Where two faces are entered at once, the
// first has it.
static bool hull_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    const ab_hull *hull = hull_of(shape);
    double enter = -HUGE_VAL, leave = HUGE_VAL;
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const ab_hull_face *face = &hull->faces[i];
        const double height = above(face, from), rise = dot(face->normal, way);
        if (rise == 0.0 && height > 0.0)
        {
            return false;
        }
        if (rise < 0.0 && -height / rise > enter)
        {
            enter = -height / rise;
            *out = (ab_ray_entry){ .fraction = enter, .normal = { face->normal[0], face->normal[1], face->normal[2] } };
        }
        leave = rise > 0.0 && -height / rise < leave ? -height / rise : leave;
    }
    if (enter <= 0.0 && leave >= 0.0)
    {
        return ab_ray_begins_inside(out);
    }
    return enter <= 1.0 && enter <= leave && leave >= 0.0;
}

// Each edge once: in one of its two faces it runs to the later vertex.
static void hull_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)flat;
    const ab_hull *hull = hull_of(shape);
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const ab_hull_face *face = &hull->faces[i];
        const uint32_t *corner = hull->corners + face->first;
        for (uint32_t k = 0; k < face->count; ++k)
        {
            const uint32_t from = corner[k], to = corner[k + 1 < face->count ? k + 1 : 0];
            if (from < to)
            {
                line(context, hull->vertices[from], hull->vertices[to]);
            }
        }
    }
}

const ab_shape_row ab_hull_row = {
    .name = "hull",
    .turns = true,
    .solid = true,
    .part = true,
    .objection = hull_objection,
    .size = hull_size,
    .core = hull_core,
    .support = hull_support,
    .face = hull_face,
    .points = hull_points,
    .bounding_radius = hull_bounding_radius,
    .geometry = hull_geometry,
    .contains = hull_contains,
    .closest = hull_closest,
    .ray = hull_ray,
    .wire = hull_wire,
};
