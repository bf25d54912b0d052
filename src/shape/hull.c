// The row of convex hulls.
#include "shape/hull.h"

#include "shape/ray.h"

#include <math.h>
#include <string.h>

#define FAR      0x1p50   // metres
#define SHORTEST 0x1p-800 // squares of directions
#define LONGEST  0x1p800

enum
{
    MANY_FACES = 512 // of which some may be above a point: of fewer, one is soon found
};

abut_shape abut_shape_hull(const abut_geometry *hull)
{
    abut_shape shape = { .kind = ABUT_HULL };
    shape.hull = hull;
    return shape;
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

static void hull_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const ab_hull *hull = hull_of(shape);
    const uint32_t vertex = hull->support.cells
                                ? ab_support_of(&hull->support, hull->vertices, hull->vertex_count, direction)
                                : ab_support_of_all(hull->vertices, hull->vertex_count, direction);
    ab_hull_widen(hull->vertices, vertex, out);
}

// Whether a tree's bounds of points so far away are of use.
static bool is_near(const double point[3])
{
    return fabs(point[0]) + fabs(point[1]) + fabs(point[2]) <= FAR;
}

static uint32_t facing(const ab_hull *hull, const double direction[3])
{
    uint32_t face = 0;
    double most = -HUGE_VAL;
    const double square = ab_dot(direction, direction);
    if (hull->tree.nodes && square >= SHORTEST && square <= LONGEST)
    {
        const ab_hull_faces of = ab_hull_faces_of(hull);
        return ab_hull_tree_facing(&hull->tree, &of, direction);
    }
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const double here = ab_dot(hull->faces[i].normal, direction);
        face = here > most ? i : face;
        most = here > most ? here : most;
    }
    return face;
}

// Of more corners than there is room for, every so many-th.
static uint32_t hull_face(const abut_shape *shape, const double direction[3], double slope, uint32_t room,
                          double (*out)[3])
{
    const ab_hull *hull = hull_of(shape);
    const ab_hull_face *face = &hull->faces[facing(hull, direction)];
    const double most = ab_dot(face->normal, direction);
    if (!(most > 0.0) || ab_dot(direction, direction) - most * most > slope * slope * most * most)
    {
        return 0;
    }
    const uint32_t count = face->count < room ? face->count : room;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_hull_widen(hull->vertices, hull->corners[face->first + (uint64_t)i * face->count / count], out[i]);
    }
    return count;
}

bool ab_hull_mark_beyond(const ab_hull *hull, const ab_hull_beyond *beyond, uint64_t out[AB_HULL_MARKS])
{
    const bool is_finite = is_near(beyond->along) && fabs(beyond->least) <= FAR;
    if (!hull->tree.nodes || hull->face_count > 64u * AB_HULL_MARKS || !is_finite)
    {
        return false;
    }
    const ab_hull_faces of = ab_hull_faces_of(hull);
    memset(out, 0, (hull->face_count + 63) / 64 * sizeof *out);
    ab_hull_tree_mark_beyond(&hull->tree, &of, beyond, out);
    return true;
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

static bool hull_contains(const abut_shape *shape, const double point[3])
{
    const ab_hull *hull = hull_of(shape);
    if (hull->tree.nodes && hull->face_count >= MANY_FACES && is_near(point))
    {
        const ab_hull_faces of = ab_hull_faces_of(hull);
        return ab_hull_tree_contains(&hull->tree, &of, point);
    }
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        if (ab_hull_above(&hull->faces[i], point) > 0.0)
        {
            return false;
        }
    }
    return true;
}

// It is on a face that the point is above. A point inside by these planes is its own: callers who decide by planes
// rounded otherwise may ask of one.
static void hull_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const ab_hull *hull = hull_of(shape);
    const ab_hull_faces of = ab_hull_faces_of(hull);
    double least = HUGE_VAL;
    if (hull->tree.nodes && is_near(point))
    {
        ab_hull_tree_closest(&hull->tree, &of, point, out);
        return;
    }
    memcpy(out, point, 3 * sizeof *out);
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        double here[3];
        const ab_hull_face *face = &hull->faces[i];
        const double square =
            ab_hull_above(face, point) > 0.0 ? ab_hull_closest_on_face(&of, face, point, here) : HUGE_VAL;
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
    if (hull->tree.nodes && is_near(from) && is_near(way))
    {
        const ab_hull_faces of = ab_hull_faces_of(hull);
        return ab_hull_tree_ray(&hull->tree, &of, from, way, out);
    }
    double enter = -HUGE_VAL, leave = HUGE_VAL;
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const ab_hull_face *face = &hull->faces[i];
        const double height = ab_hull_above(face, from), rise = ab_dot(face->normal, way);
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
