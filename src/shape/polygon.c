// Making polygons and letting go of them, and what can be asked of one.
//
// The corners are found by wrapping (R. A. Jarvis, "On the identification of the convex hull of a finite set of points in the
// plane", 1973), which needs no memory of its own and stops as soon as there are too many.
#include "shape/polygon.h"

#include "math/outward.h"

#include <math.h>
#include <string.h>

#define STRAIGHT 0x1p-20 // of the size: how far off a line a point may lie and still be no corner

// What is being wrapped.
typedef struct cloud
{
    const abut_vec2 *points;
    uint32_t count;
    double slack; // metres
} cloud;

static double dx(const cloud *c, uint32_t from, uint32_t to)
{
    return (double)c->points[to].x - c->points[from].x;
}

static double dy(const cloud *c, uint32_t from, uint32_t to)
{
    return (double)c->points[to].y - c->points[from].y;
}

static double distance(const cloud *c, uint32_t from, uint32_t to)
{
    const double x = dx(c, from, to), y = dy(c, from, to);
    return sqrt(x * x + y * y);
}

// Twice the area of the triangle, positive when it turns counter-clockwise.
static double turn(const cloud *c, uint32_t origin, uint32_t a, uint32_t b)
{
    return dx(c, origin, a) * dy(c, origin, b) - dy(c, origin, a) * dx(c, origin, b);
}

static uint32_t farthest_from(const cloud *c, uint32_t point)
{
    uint32_t best = point;
    double most = 0.0;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const double here = distance(c, point, i);
        if (here > most)
        {
            most = here;
            best = i;
        }
    }
    return best;
}

// The corner after `corner`: along the line that has all points to its left, the last of those that are on it but for the
// slack. ABUT_NONE when every point is where `corner` is.
static uint32_t next_corner(const cloud *c, uint32_t corner)
{
    uint32_t outermost = ABUT_NONE;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        if (distance(c, corner, i) > c->slack && (outermost == ABUT_NONE || turn(c, corner, outermost, i) < 0.0))
        {
            outermost = i;
        }
    }
    if (outermost == ABUT_NONE)
    {
        return ABUT_NONE;
    }
    const double length = distance(c, corner, outermost);
    const double x = dx(c, corner, outermost) / length, y = dy(c, corner, outermost) / length;
    uint32_t last = outermost;
    double most = length;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const double along = x * dx(c, corner, i) + y * dy(c, corner, i);
        const double off = x * dy(c, corner, i) - y * dx(c, corner, i);
        if (along > most && off <= c->slack)
        {
            most = along;
            last = i;
        }
    }
    return last;
}

static abut_status wrap(const cloud *c, uint32_t start, uint32_t corners[ABUT_MAX_VERTICES], uint32_t *count)
{
    uint32_t at = start, found = 0;
    do
    {
        if (found == ABUT_MAX_VERTICES)
        {
            return ABUT_LIMIT;
        }
        corners[found++] = at;
        at = next_corner(c, at);
    } while (at != ABUT_NONE && distance(c, start, at) > c->slack);
    *count = found;
    return found < 3 ? ABUT_INVALID_ARGUMENT : ABUT_OK;
}

static abut_status find_corners(const abut_vec2 *points, uint32_t count, uint32_t corners[ABUT_MAX_VERTICES],
                                uint32_t *corner_count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec2 p = points[i];
        if (!(fabsf(p.x) <= ABUT_MAX_MAGNITUDE && fabsf(p.y) <= ABUT_MAX_MAGNITUDE))
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    cloud c = { points, count, 0.0 };
    const uint32_t start = farthest_from(&c, 0);
    c.slack = STRAIGHT * distance(&c, 0, start);
    return wrap(&c, start, corners, corner_count);
}

// From the centre of the area of triangles fanned out from the first vertex.
static abut_vec2 centroid_of(const abut_geometry *g)
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

static void measure_side(abut_geometry *g, uint32_t i)
{
    const uint32_t next = i + 1 < g->count ? i + 1 : 0;
    const double x = (double)g->x[next] - g->x[i], y = (double)g->y[next] - g->y[i];
    const double length = sqrt(x * x + y * y);
    const double offset = (y * g->x[i] - x * g->y[i]) / length;
    g->normal_x[i] = (float)(y / length);
    g->normal_y[i] = (float)(-x / length);
    g->offset[i] = (float)offset;
}

static void describe(abut_geometry *g, const abut_vec2 *points, const uint32_t *corners, uint32_t count)
{
    double farthest = 0.0;
    g->count = count;
    for (uint32_t i = 0; i < ABUT_MAX_VERTICES; ++i)
    {
        const abut_vec2 p = points[corners[i < count ? i : 0]];
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

abut_status abut_geometry_create_polygon(const abut_vec2 *points, uint32_t count, const abut_allocator *allocator,
                                         abut_geometry **out)
{
    uint32_t corners[ABUT_MAX_VERTICES], corner_count;
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
    const abut_status status = find_corners(points, count, corners, &corner_count);
    if (status != ABUT_OK)
    {
        return status;
    }
    abut_geometry *geometry = ab_memory_take(&memory, sizeof *geometry);
    if (!geometry)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    memset(geometry, 0, sizeof *geometry);
    geometry->memory = memory;
    ab_counter_open(&geometry->references, 1);
    describe(geometry, points, corners, corner_count);
    *out = geometry;
    return ABUT_OK;
}

// The count is the one thing about a geometry that changes, and every geometry lies in memory that may be written.
void abut_geometry_retain(const abut_geometry *geometry)
{
    if (geometry)
    {
        ab_counter_up(&((abut_geometry *)geometry)->references);
    }
}

void abut_geometry_release(const abut_geometry *geometry)
{
    abut_geometry *own = (abut_geometry *)geometry;
    if (own && ab_counter_down(&own->references) == 0)
    {
        ab_memory memory = own->memory;
        ab_memory_give(&memory, own, sizeof *own);
    }
}

uint32_t abut_geometry_vertices(const abut_geometry *geometry, const abut_vec2 **out)
{
    if (out)
    {
        *out = geometry ? geometry->vertex : NULL;
    }
    return geometry ? geometry->count : 0;
}

abut_vec2 abut_geometry_centroid(const abut_geometry *geometry)
{
    return geometry ? geometry->centroid : (abut_vec2){ 0.0f, 0.0f };
}

// Which side of side i the point is on: negative or zero inside. The sign is exact where coordinates are of like size.
static double beyond(const abut_geometry *g, uint32_t i, const double point[3])
{
    const uint32_t next = i + 1 < g->count ? i + 1 : 0;
    const double x = (double)g->x[next] - g->x[i], y = (double)g->y[next] - g->y[i];
    return (point[0] - g->x[i]) * y - (point[1] - g->y[i]) * x;
}

bool ab_polygon_contains(const abut_geometry *polygon, const double point[3])
{
    bool inside = point[2] == 0.0;
    for (uint32_t i = 0; i < polygon->count; ++i)
    {
        inside = inside && beyond(polygon, i, point) <= 0.0;
    }
    return inside;
}

// The point of side i nearest to `point`; gives the square of the distance.
static double nearest_on_side(const abut_geometry *g, uint32_t i, const double point[3], double out[3])
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

void ab_polygon_closest(const abut_geometry *polygon, const double point[3], double out[3])
{
    const double below[3] = { point[0], point[1], 0.0 };
    memcpy(out, below, sizeof below);
    if (ab_polygon_contains(polygon, below))
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

void ab_polygon_support(const abut_geometry *polygon, const double direction[3], double out[3])
{
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
