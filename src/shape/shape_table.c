#include "shape/shape_table.h"

#include "math/outward.h"
#include "math/rotation.h"
#include "shape/polygon.h"
#include "shape/record.h"

#include <math.h>

static bool size_valid(float size)
{
    return size >= 0.0f && size <= ABUT_MAX_MAGNITUDE; // false for NaN
}

static bool sphere_valid(const abut_shape *shape)
{
    return size_valid(shape->sphere.radius);
}

static abut_vec3 sphere_half_extents(const abut_shape *shape)
{
    const float r = shape->sphere.radius;
    return abut_vec3_make(r, r, r);
}

static float sphere_bounding_radius(const abut_shape *shape)
{
    return shape->sphere.radius;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool sphere_contains(const abut_shape *shape, const double point[3])
{
    const double r = shape->sphere.radius;
    return dot(point, point) <= r * r;
}

static void sphere_support(const abut_shape *shape, const double direction[3], double out[3])
{
    const double scale = shape->sphere.radius / sqrt(dot(direction, direction));
    for (int k = 0; k < 3; ++k)
    {
        out[k] = direction[k] * scale;
    }
}

// Three circles, one about each axis; in 2D the one about z.
static void sphere_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    const float r = shape->sphere.radius, step = 6.2831853f / AB_CIRCLE_SEGMENTS;
    float x = r, y = 0.0f;
    for (int i = 1; i <= AB_CIRCLE_SEGMENTS; ++i)
    {
        float sine, cosine;
        ab_sincos_float(i < AB_CIRCLE_SEGMENTS ? step * (float)i : 0.0f, &sine, &cosine);
        const float next_x = r * cosine, next_y = r * sine;
        line(context, abut_vec3_make(x, y, 0.0f), abut_vec3_make(next_x, next_y, 0.0f));
        if (!flat)
        {
            line(context, abut_vec3_make(0.0f, x, y), abut_vec3_make(0.0f, next_x, next_y));
            line(context, abut_vec3_make(y, 0.0f, x), abut_vec3_make(next_y, 0.0f, next_x));
        }
        x = next_x;
        y = next_y;
    }
}

static bool box_valid(const abut_shape *shape)
{
    const abut_vec3 h = shape->box.half_extents;
    return size_valid(h.x) && size_valid(h.y) && size_valid(h.z);
}

static abut_vec3 box_half_extents(const abut_shape *shape)
{
    return shape->box.half_extents;
}

static bool box_contains(const abut_shape *shape, const double point[3])
{
    const abut_vec3 h = shape->box.half_extents;
    return fabs(point[0]) <= h.x && fabs(point[1]) <= h.y && fabs(point[2]) <= h.z;
}

static double clamp(double value, double most)
{
    return value < -most ? -most : value > most ? most : value;
}

static void box_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const abut_vec3 h = shape->box.half_extents;
    out[0] = clamp(point[0], h.x);
    out[1] = clamp(point[1], h.y);
    out[2] = clamp(point[2], h.z);
}

static void box_support(const abut_shape *shape, const double direction[3], double out[3])
{
    const abut_vec3 h = shape->box.half_extents;
    out[0] = direction[0] >= 0.0 ? h.x : -h.x;
    out[1] = direction[1] >= 0.0 ? h.y : -h.y;
    out[2] = direction[2] >= 0.0 ? h.z : -h.z;
}

static float box_bounding_radius(const abut_shape *shape)
{
    const double x = shape->box.half_extents.x, y = shape->box.half_extents.y, z = shape->box.half_extents.z;
    return ab_float_up(sqrt(x * x + y * y + z * z) * (1.0 + 0x1p-50));
}

// Only its kind's definition knows a custom shape.
static bool custom_valid(const abut_shape *shape)
{
    (void)shape;
    return false;
}

static abut_vec3 custom_half_extents(const abut_shape *shape)
{
    (void)shape;
    return abut_vec3_make(0.0f, 0.0f, 0.0f);
}

static bool polygon_valid(const abut_shape *shape)
{
    return shape->polygon != NULL;
}

static abut_vec3 polygon_half_extents(const abut_shape *shape)
{
    return abut_vec3_make(shape->polygon->half.x, shape->polygon->half.y, 0.0f);
}

static float polygon_bounding_radius(const abut_shape *shape)
{
    return shape->polygon->bounding_radius;
}

static const abut_geometry *polygon_geometry(const abut_shape *shape)
{
    return shape->polygon;
}

static bool polygon_contains(const abut_shape *shape, const double point[3])
{
    return ab_polygon_contains(shape->polygon, point);
}

static void polygon_closest(const abut_shape *shape, const double point[3], double out[3])
{
    ab_polygon_closest(shape->polygon, point, out);
}

static void polygon_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)flat;
    const abut_geometry *g = shape->polygon;
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const abut_vec2 from = g->vertex[i], to = g->vertex[i + 1 < g->count ? i + 1 : 0];
        line(context, abut_vec3_make(from.x, from.y, 0.0f), abut_vec3_make(to.x, to.y, 0.0f));
    }
}

static void polygon_support(const abut_shape *shape, const double direction[3], double out[3])
{
    ab_polygon_support(shape->polygon, direction, out);
}

static const ab_shape_row rows[ABUT_SHAPE_KIND_COUNT] = {
    [ABUT_SPHERE] = {
        .name = "sphere",
        .valid = sphere_valid,
        .half_extents = sphere_half_extents,
        .bounding_radius = sphere_bounding_radius,
        .contains = sphere_contains,
        .closest = sphere_support, // the nearest to a point outside lies in its direction
        .support = sphere_support,
        .wire = sphere_wire,
    },
    [ABUT_AABB] = {
        .name = "aabb",
        .has_corners = true,
        .valid = box_valid,
        .half_extents = box_half_extents,
        .bounding_radius = box_bounding_radius,
        .contains = box_contains,
        .closest = box_closest,
        .support = box_support,
    },
    [ABUT_OBB] = {
        .name = "obb",
        .turns = true,
        .has_corners = true,
        .valid = box_valid,
        .half_extents = box_half_extents,
        .bounding_radius = box_bounding_radius,
        .contains = box_contains,
        .closest = box_closest,
        .support = box_support,
    },
    [ABUT_POLYGON] = {
        .name = "polygon",
        .turns = true,
        .flat = true,
        .valid = polygon_valid,
        .half_extents = polygon_half_extents,
        .bounding_radius = polygon_bounding_radius,
        .geometry = polygon_geometry,
        .contains = polygon_contains,
        .closest = polygon_closest,
        .support = polygon_support,
        .wire = polygon_wire,
    },
    [ABUT_CUSTOM] = {
        .name = "custom",
        .turns = true,
        .valid = custom_valid,
        .half_extents = custom_half_extents,
    },
};

static const abut_geometry *geometry_of(const abut_shape *shape)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    return row && row->geometry ? row->geometry(shape) : NULL;
}

void ab_shape_retain(const abut_shape *shape)
{
    abut_geometry_retain(geometry_of(shape));
}

void ab_shape_release(const abut_shape *shape)
{
    abut_geometry_release(geometry_of(shape));
}

const ab_shape_row *ab_shape_row_for(abut_shape_kind kind)
{
    return (unsigned)kind < ABUT_SHAPE_KIND_COUNT && rows[kind].name ? &rows[kind] : NULL;
}

void ab_record_make(ab_record *out, const abut_shape *shape, const abut_pose *pose, uint32_t collider_key)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const abut_vec3 half = row->half_extents(shape);
    *out = (ab_record){
        .position = { pose->position.x, pose->position.y, pose->position.z },
        .half_x = half.x,
        .axis = { 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f },
        .half_y = half.y,
        .half_z = half.z,
        .collider_key = collider_key,
    };
    if (row->turns)
    {
        ab_rotation_axes(pose->rotation, out->axis);
    }
}
