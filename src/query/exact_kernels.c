// Where rays enter spheres and boxes, and where these are nearest to points, eight at a time, for one instruction set:
// what ab_ray_test decides of each and a shape's row has as its closest point, to the bit. The steps are those of
// ab_ray_ball and of the rows, in double, without a branch: compilers make vector instructions of these loops.
#define AB_LANES_EIGHT_AT_MOST
#include "query/exact_kernels.h"

#include "base/kernels.h"
#include "math/lanes.h"
#include "query/near_points.h"

#include <math.h>

#define TOUCHING 1e-15 // as ab_ray_ball has it

// Queries and shapes by column: a query's origin, and a ray's way from 8 on.
typedef struct columns
{
    float record[16][AB_BLOCK], query[12][AB_BLOCK], offset[3][AB_BLOCK];
} columns;

typedef ab_d3 d3;

AB_INLINE double dot(d3 a, d3 b)
{
    return ab_d3_dot(a, b);
}

AB_INLINE d3 along(d3 base, double s, d3 way)
{
    return (d3){ base.x + s * way.x, base.y + s * way.y, base.z + s * way.z };
}

// The query's origin, from the shape's. An offset of zero may change the sign of a zero, on which nothing depends.
AB_INLINE double from_along(const columns *c, uint32_t axis, uint32_t k)
{
    return -((double)c->record[axis][k] - (double)c->query[axis][k] + (double)c->offset[axis][k]);
}

AB_INLINE d3 from_of(const columns *c, uint32_t k)
{
    return (d3){ from_along(c, 0, k), from_along(c, 1, k), from_along(c, 2, k) };
}

AB_INLINE d3 way_of(const columns *c, uint32_t k)
{
    return (d3){ (double)c->query[8][k], (double)c->query[9][k], (double)c->query[10][k] };
}

AB_INLINE d3 axis_of(const columns *c, uint32_t axis, uint32_t k)
{
    const uint32_t first = 4 + 3 * axis;
    return (d3){ (double)c->record[first][k], (double)c->record[first + 1][k], (double)c->record[first + 2][k] };
}

// As ab_positive_zero.
AB_INLINE float rounded(double x)
{
    return (float)x + 0.0f;
}

AB_INLINE void put_place(ab_ray_hits *restrict out, uint32_t k, d3 way, double fraction, bool hit, bool inside)
{
    const float at = rounded(fraction), none = INFINITY;
    out->fraction[k] = hit ? at : none;
    out->inside[k] = inside ? 1u : 0u;
    out->offset[0][k] = rounded(way.x * fraction);
    out->offset[1][k] = rounded(way.y * fraction);
    out->offset[2][k] = rounded(way.z * fraction);
}

typedef struct slab
{
    double in, past;
} slab;

AB_INLINE slab slab_of(double from, double way, double half)
{
    const bool moves = way != 0.0, apart = fabs(from) > half;
    const double side = copysign(half, way), divisor = moves ? way : 1.0;
    const double in = (-side - from) / divisor, past = (side - from) / divisor, ever = apart ? HUGE_VAL : -HUGE_VAL;
    return (slab){ moves ? in : ever, moves ? past : HUGE_VAL };
}

AB_APART static void enter_boxes(const columns *restrict c, ab_ray_hits *restrict out)
{
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const d3 from = from_of(c, k), way = way_of(c, k);
        const d3 u = axis_of(c, 0, k), v = axis_of(c, 1, k), w = axis_of(c, 2, k);
        const d3 half = { (double)c->record[3][k], (double)c->record[13][k], (double)c->record[14][k] };
        const d3 local = { dot(from, u), dot(from, v), dot(from, w) };
        const d3 going = { dot(way, u), dot(way, v), dot(way, w) };
        const slab a = slab_of(local.x, going.x, half.x), b = slab_of(local.y, going.y, half.y),
                   d = slab_of(local.z, going.z, half.z);
        const bool inside = (fabs(local.x) <= half.x) & (fabs(local.y) <= half.y) & (fabs(local.z) <= half.z);
        const bool second = b.in > a.in;
        const double of_two = second ? b.in : a.in;
        const bool third = d.in > of_two;
        const double enter = third ? d.in : of_two, left = b.past < a.past ? b.past : a.past;
        const double leave = d.past < left ? d.past : left;
        const bool hit = (enter >= 0.0) & (enter <= 1.0) & (enter <= leave);
        const double of_first = second ? going.y : going.x, through = third ? going.z : of_first;
        const float against = (float)-copysign(1.0, through), sign = inside ? 0.0f : against;
        const float x = second ? c->record[7][k] : c->record[4][k], y = second ? c->record[8][k] : c->record[5][k],
                    z = second ? c->record[9][k] : c->record[6][k];
        out->normal[0][k] = sign * (third ? c->record[10][k] : x) + 0.0f;
        out->normal[1][k] = sign * (third ? c->record[11][k] : y) + 0.0f;
        out->normal[2][k] = sign * (third ? c->record[12][k] : z) + 0.0f;
        put_place(out, k, way, inside ? 0.0 : enter, inside | hit, inside);
    }
}

AB_APART static void enter_balls(const columns *restrict c, ab_ray_hits *restrict out)
{
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const d3 from = from_of(c, k), way = way_of(c, k);
        const double radius = (double)c->record[3][k], square = dot(way, way), away = dot(from, from);
        const bool inside = away - radius * radius <= 0.0, moves = square > 0.0;
        const double divisor = moves ? square : 1.0, nearest = -dot(from, way) / divisor;
        const d3 middle = along(from, nearest, way);
        const double depth = radius * radius - dot(middle, middle), chord = depth > 0.0 ? depth : 0.0;
        const double fraction = nearest - sqrt(chord / divisor);
        const bool touches = !(depth < -TOUCHING * TOUCHING * away);
        const bool hit = moves & touches & (fraction >= 0.0) & (fraction <= 1.0);
        const d3 point = along(from, fraction, way);
        const double beside = dot(point, point);
        const bool has_side = sqrt(beside) > TOUCHING * sqrt(away);
        const double below = sqrt(has_side ? beside : divisor);
        const d3 side = { has_side ? point.x : -way.x, has_side ? point.y : -way.y, has_side ? point.z : -way.z };
        out->normal[0][k] = rounded((inside ? 0.0 : side.x) / below);
        out->normal[1][k] = rounded((inside ? 0.0 : side.y) / below);
        out->normal[2][k] = rounded((inside ? 0.0 : side.z) / below);
        put_place(out, k, way, inside ? 0.0 : fraction, inside | hit, inside);
    }
}

AB_INLINE void put_point(ab_near_points *restrict out, uint32_t k, ab_nearest_point near)
{
    out->inside[k] = near.inside ? 1u : 0u;
    out->distance[k] = (float)sqrt(dot(near.on, near.on));
    out->on[0][k] = rounded(near.on.x);
    out->on[1][k] = rounded(near.on.y);
    out->on[2][k] = rounded(near.on.z);
}

AB_INLINE void put_keys(const columns *c, ab_near_points *out)
{
    memcpy(out->collider_key, c->record[15], sizeof out->collider_key);
}

AB_APART static void near_boxes(const columns *restrict c, ab_near_points *restrict out)
{
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const d3 half = { (double)c->record[3][k], (double)c->record[13][k], (double)c->record[14][k] };
        put_point(out, k, ab_near_on_box(from_of(c, k), axis_of(c, 0, k), axis_of(c, 1, k), axis_of(c, 2, k), half));
    }
}

AB_APART static void near_balls(const columns *restrict c, ab_near_points *restrict out)
{
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        put_point(out, k, ab_near_on_ball(from_of(c, k), (double)c->record[3][k]));
    }
}

// Four columns of the rows of queries. Without indices all have the first.
AB_INLINE void gather_query(const float *rows, uint32_t first, const uint32_t *query, f32w out[4])
{
    if (query)
    {
        gather_columns4(rows, first, query, out);
        return;
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = splatw(rows[first + k]);
    }
}

static void gather(columns *out, const ab_proxies *proxies, const void *queries, const uint32_t *proxy,
                   const uint32_t *query)
{
    const float *records = (const float *)(const void *)proxies->record, *rows = queries;
    for (uint32_t i = 0; i < AB_BLOCK; i += LANES)
    {
        f32w row[16];
        gather_rows16(records, proxy + i, row);
        for (uint32_t c = 0; c < 16; ++c)
        {
            storew(out->record[c] + i, row[c]);
        }
        gather_query(rows, 0, query ? query + i : NULL, row);
        gather_query(rows, 8, query ? query + i : NULL, row + 8);
        for (uint32_t c = 0; c < 3; ++c)
        {
            storew(out->query[c] + i, row[c]);
            storew(out->query[8 + c] + i, row[8 + c]);
            storew(out->offset[c] + i, splatw(0.0f));
        }
    }
    for (uint32_t k = 0; proxies->offset && k < AB_BLOCK; ++k)
    {
        const abut_vec3 at = proxies->offset[proxy[k]];
        out->offset[0][k] = at.x, out->offset[1][k] = at.y, out->offset[2][k] = at.z;
    }
}

_Static_assert(sizeof(ab_ray_row) == AB_CACHE_LINE && sizeof(ab_near_row) == AB_CACHE_LINE,
               "rows of queries are gathered as those of records");

static void ray_spheres(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy, const uint32_t *query,
                        ab_ray_hits *out)
{
    columns c;
    gather(&c, proxies, rays, proxy, query);
    enter_balls(&c, out);
}

static void ray_boxes(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy, const uint32_t *query,
                      ab_ray_hits *out)
{
    columns c;
    gather(&c, proxies, rays, proxy, query);
    enter_boxes(&c, out);
}

static void point_spheres(const ab_proxies *proxies, const ab_near_row *points, const uint32_t *proxy,
                          const uint32_t *query, ab_near_points *out)
{
    columns c;
    gather(&c, proxies, points, proxy, query);
    near_balls(&c, out);
    put_keys(&c, out);
}

static void point_boxes(const ab_proxies *proxies, const ab_near_row *points, const uint32_t *proxy,
                        const uint32_t *query, ab_near_points *out)
{
    columns c;
    gather(&c, proxies, points, proxy, query);
    near_boxes(&c, out);
    put_keys(&c, out);
}

const ab_exact_kernels AB_ISA_NAME(ab_exact_kernels) = {
    .ray = { [AB_EXACT_SPHERES] = ray_spheres, [AB_EXACT_BOXES] = ray_boxes },
    .near = { [AB_EXACT_SPHERES] = point_spheres, [AB_EXACT_BOXES] = point_boxes },
};
