// Creates polygons, and answers geometric queries about them.
#include "shape/polygon.h"

#include "base/platform.h"
#include "math/outward.h"
#include "shape/corners.h"
#include "shape/ray.h"

#include <math.h>
#include <string.h>

const ab_polygon *ab_polygon_of_geometry(const abut_geometry *geometry)
{
    return geometry && geometry->kind == AB_POLYGON_GEOMETRY ? (const ab_polygon *)(const void *)geometry : NULL;
}

// By the areas of triangles fanned out from the first vertex.
static abut_vec2 centroid_of(const ab_polygon *g)
{
    double x = 0.0, y = 0.0, area = 0.0;
    for (uint32_t i = 1; i + 1 < g->count; ++i)
    {
        const double ux = (double)g->x[i] - g->x[0], uy = (double)g->y[i] - g->y[0];
        const double vx = (double)g->x[i + 1] - g->x[0], vy = (double)g->y[i + 1] - g->y[0];
        const double part = ux * vy - uy * vx;
        x += part * (ux + vx);
        y += part * (uy + vy);
        area += part;
    }
    return (abut_vec2){ (float)(g->x[0] + x / (3.0 * area)), (float)(g->y[0] + y / (3.0 * area)) };
}

static void measure_side(ab_polygon *g, uint32_t i)
{
    const uint32_t next = i + 1 < g->count ? i + 1 : 0;
    const double x = (double)g->x[next] - g->x[i], y = (double)g->y[next] - g->y[i];
    const double length = sqrt(x * x + y * y);
    const double offset = (y * g->x[i] - x * g->y[i]) / length;
    g->normal_x[i] = (float)(y / length);
    g->normal_y[i] = (float)(-x / length);
    g->offset[i] = (float)offset;
}

static void describe(ab_polygon *g, const abut_vec2 *corners, uint32_t count)
{
    double farthest = 0.0;
    g->count = count;
    g->head.coordinates = &g->vertex->x;
    g->head.coordinate_count = 2 * count;
    for (uint32_t i = 0; i < ABUT_MAX_VERTICES; ++i)
    {
        const abut_vec2 p = corners[i < count ? i : 0];
        const double square = (double)p.x * p.x + (double)p.y * p.y;
        g->vertex[i] = p;
        g->x[i] = p.x;
        g->y[i] = p.y;
        g->half.x = fabsf(p.x) > g->half.x ? fabsf(p.x) : g->half.x;
        g->half.y = fabsf(p.y) > g->half.y ? fabsf(p.y) : g->half.y;
        farthest = square > farthest ? square : farthest;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        measure_side(g, i);
    }
    for (uint32_t i = count; i < ABUT_MAX_VERTICES; ++i)
    {
        g->normal_x[i] = g->normal_x[0];
        g->normal_y[i] = g->normal_y[0];
        g->offset[i] = g->offset[0];
    }
    g->centroid = centroid_of(g);
    g->bounding_radius = ab_float_up(sqrt(farthest) * (1.0 + 0x1p-50));
}

void ab_polygon_begin_at(abut_geometry *geometry, uint32_t first)
{
    ab_polygon *polygon = (ab_polygon *)(void *)geometry;
    abut_vec2 corners[ABUT_MAX_VERTICES];
    const uint32_t count = polygon->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        corners[i] = polygon->vertex[(first + i) % count];
    }
    const uint64_t before = ab_platform_float_enter();
    describe(polygon, corners, count);
    ab_platform_float_leave(before);
}

static abut_status create(const abut_vec2 *points, uint32_t count, ab_memory *memory, abut_geometry **out)
{
    abut_vec2 corners[ABUT_MAX_VERTICES];
    uint32_t corner_count;
    const abut_status status = ab_corners_of(points, count, memory, corners, &corner_count);
    if (status != ABUT_OK)
    {
        return status;
    }
    ab_polygon *polygon = (ab_polygon *)(void *)ab_geometry_make(AB_POLYGON_GEOMETRY, sizeof *polygon, memory);
    if (!polygon)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    describe(polygon, corners, corner_count);
    *out = &polygon->head;
    return ABUT_OK;
}

// The polygon's bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_polygon(const abut_vec2 *points, uint32_t count, const abut_allocator *allocator,
                                         abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!points || count == 0 || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = create(points, count, &memory, out);
    ab_platform_float_leave(before);
    return status;
}

uint32_t abut_geometry_vertices(const abut_geometry *geometry, const abut_vec2 **out)
{
    const ab_polygon *polygon = ab_polygon_of_geometry(geometry);
    if (out)
    {
        *out = polygon ? polygon->vertex : NULL;
    }
    return polygon ? polygon->count : 0;
}

abut_vec2 abut_geometry_centroid(const abut_geometry *geometry)
{
    const ab_polygon *polygon = ab_polygon_of_geometry(geometry);
    return polygon ? polygon->centroid : (abut_vec2){ 0.0f, 0.0f };
}

// Negative or zero if the point is inside side i. The sign is exact where coordinates are of similar size.
static double beyond(const ab_polygon *g, uint32_t i, const double point[3])
{
    const uint32_t next = i + 1 < g->count ? i + 1 : 0;
    const double x = (double)g->x[next] - g->x[i], y = (double)g->y[next] - g->y[i];
    return (point[0] - g->x[i]) * y - (point[1] - g->y[i]) * x;
}

static bool contains(const ab_polygon *polygon, const double point[3])
{
    bool inside = point[2] == 0.0;
    for (uint32_t i = 0; i < polygon->count; ++i)
    {
        inside = inside && beyond(polygon, i, point) <= 0.0;
    }
    return inside;
}

// The point of side i nearest to `point`; returns the squared distance.
static double nearest_on_side(const ab_polygon *g, uint32_t i, const double point[3], double out[3])
{
    const uint32_t next = i + 1 < g->count ? i + 1 : 0;
    const double x = (double)g->x[next] - g->x[i], y = (double)g->y[next] - g->y[i];
    const double along = ((point[0] - g->x[i]) * x + (point[1] - g->y[i]) * y) / (x * x + y * y);
    const double at = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
    out[0] = at == 1.0 ? g->x[next] : g->x[i] + x * at;
    out[1] = at == 1.0 ? g->y[next] : g->y[i] + y * at;
    out[2] = 0.0;
    return (point[0] - out[0]) * (point[0] - out[0]) + (point[1] - out[1]) * (point[1] - out[1]);
}

// Of a valid shape.
static const ab_polygon *polygon_of(const abut_shape *shape)
{
    return (const ab_polygon *)(const void *)shape->polygon;
}

static const char *polygon_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_polygon_of_geometry(shape->polygon) != NULL);
}

static abut_vec3 polygon_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return abut_vec3_make(polygon_of(shape)->half.x, polygon_of(shape)->half.y, 0.0f);
}

static void polygon_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], 0.0 }, 0.0 };
}

static void polygon_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const ab_polygon *polygon = polygon_of(shape);
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < polygon->count; ++i)
    {
        const double here = direction[0] * polygon->x[i] + direction[1] * polygon->y[i];
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    out[0] = polygon->x[best];
    out[1] = polygon->y[best];
    out[2] = 0.0;
}

static void polygon_points(const abut_shape *shape, ab_points *out)
{
    static const float zeros[ABUT_MAX_VERTICES];
    const ab_polygon *polygon = polygon_of(shape);
    *out = (ab_points){ (polygon->count + AB_POINTS_GROUP - 1) / AB_POINTS_GROUP, { polygon->x, polygon->y, zeros } };
}

static float polygon_bounding_radius(const abut_shape *shape)
{
    return polygon_of(shape)->bounding_radius;
}

static const abut_geometry *polygon_geometry(const abut_shape *shape)
{
    return shape->polygon;
}

static bool polygon_contains(const abut_shape *shape, const double point[3])
{
    return contains(polygon_of(shape), point);
}

static void polygon_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const ab_polygon *polygon = polygon_of(shape);
    const double below[3] = { point[0], point[1], 0.0 };
    memcpy(out, below, sizeof below);
    if (contains(polygon, below))
    {
        return;
    }
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < polygon->count; ++i)
    {
        double here[3];
        const double square = nearest_on_side(polygon, i, point, here);
        if (square < least)
        {
            least = square;
            memcpy(out, here, sizeof here);
        }
    }
}

// In its plane: z of the ray is ignored. M. Cyrus, J. Beck, "Generalized two- and three-dimensional clipping" (1978).
static bool polygon_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    const ab_polygon *g = polygon_of(shape);
    double enter = -HUGE_VAL, leave = HUGE_VAL;
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const uint32_t next = i + 1 < g->count ? i + 1 : 0;
        const double x = (double)g->y[next] - g->y[i], y = (double)g->x[i] - g->x[next]; // outward
        const double above = x * (from[0] - g->x[i]) + y * (from[1] - g->y[i]), rise = x * way[0] + y * way[1];
        if (rise == 0.0 && above > 0.0)
        {
            return false;
        }
        if (rise < 0.0 && -above / rise > enter)
        {
            const double length = sqrt(x * x + y * y);
            enter = -above / rise;
            *out = (ab_ray_entry){ .fraction = enter, .normal = { x / length, y / length, 0.0 } };
        }
        leave = rise > 0.0 && -above / rise < leave ? -above / rise : leave;
    }
    if (enter <= 0.0 && leave >= 0.0)
    {
        return ab_ray_begins_inside(out);
    }
    return enter <= 1.0 && enter <= leave && leave >= 0.0;
}

static void polygon_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)flat;
    const ab_polygon *g = polygon_of(shape);
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const abut_vec2 from = g->vertex[i], to = g->vertex[i + 1 < g->count ? i + 1 : 0];
        line(context, abut_vec3_make(from.x, from.y, 0.0f), abut_vec3_make(to.x, to.y, 0.0f));
    }
}

const ab_shape_row ab_polygon_row = {
    .name = "polygon",
    .turns = true,
    .flat = true,
    .objection = polygon_objection,
    .size = polygon_size,
    .core = polygon_core,
    .support = polygon_support,
    .points = polygon_points,
    .bounding_radius = polygon_bounding_radius,
    .geometry = polygon_geometry,
    .contains = polygon_contains,
    .closest = polygon_closest,
    .ray = polygon_ray,
    .wire = polygon_wire,
};
