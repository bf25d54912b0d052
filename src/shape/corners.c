// The corners of a polygon: computes the exact convex hull, then as few of its vertices as leave no other outside by
// more than the slack. Only vertices between two kept ones are dropped, so the result is convex and simple whatever the
// slack. The hull is exact to about 2^-50 of the size: much finer than the slack.
#include "shape/corners.h"

#include "math/hull.h"

#include <math.h>
#include <stdbool.h>

#define STRAIGHT 0x1p-20 // of the size: how far off a line a point may be without being a corner

enum
{
    FEW = 64,                    // points that need no allocation
    MOST = ABUT_MAX_VERTICES + 1 // the first is one too many when it turns out to be no corner
};

// The hull, counted cyclically from one of its vertices.
typedef struct ring
{
    const ab_dvec2 *vertex;
    size_t count, first;
    double slack; // metres
} ring;

static ab_dvec2 at(const ring *r, size_t i)
{
    return r->vertex[(r->first + i) % r->count];
}

static double square_of_distance(ab_dvec2 a, ab_dvec2 b)
{
    const double x = b.x - a.x, y = b.y - a.y;
    return x * x + y * y;
}

// Squared distance from a segment: not from its line, or the far end of a needle would be within the slack of its
// sides.
static double square_off(ab_dvec2 p, ab_dvec2 a, ab_dvec2 b)
{
    const double x = b.x - a.x, y = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    const double along = px * x + py * y, square = x * x + y * y, turn = px * y - py * x;
    return along <= 0.0 ? square_of_distance(a, p) : along >= square ? square_of_distance(b, p) : turn * turn / square;
}

// Whether all vertices between two are within the slack of their segment. If so, the same holds for any two vertices in
// between: their segment is nearer to the hull.
static bool straight(const ring *r, size_t from, size_t to)
{
    const ab_dvec2 a = at(r, from), b = at(r, to);
    for (size_t i = from + 1; i < to; ++i)
    {
        if (square_off(at(r, i), a, b) > r->slack * r->slack)
        {
            return false;
        }
    }
    return true;
}

// The last vertex, up to the first again, that one straight side from this one reaches. Doubles its steps and then
// halves them, so that many vertices along a side cost little more than their number.
static size_t end_of_side(const ring *r, size_t from)
{
    size_t to = from + 1, step = 1;
    for (; to + step <= r->count && straight(r, from, to + step); step *= 2)
    {
        to += step;
    }
    for (; step > 0; step /= 2)
    {
        to += to + step <= r->count && straight(r, from, to + step) ? step : 0;
    }
    return to;
}

// Goes around from the first vertex, which may turn out to be inside a side. Returns the number of corners, or MOST.
static uint32_t choose(const ring *r, ab_dvec2 corners[MOST])
{
    size_t chosen[MOST];
    uint32_t count = 0;
    for (size_t i = 0; i < r->count; i = end_of_side(r, i))
    {
        if (count == MOST)
        {
            return MOST;
        }
        chosen[count++] = i;
    }
    const uint32_t skip = count > 2 && straight(r, chosen[count - 1], chosen[1] + r->count);
    for (uint32_t i = skip; i < count; ++i)
    {
        corners[i - skip] = at(r, chosen[i]);
    }
    return count - skip;
}

static bool same(ab_dvec2 a, ab_dvec2 b)
{
    return a.x == b.x && a.y == b.y;
}

static ab_dvec2 place_of(abut_vec2 point)
{
    return (ab_dvec2){ point.x, point.y };
}

// The corner farthest from the first point; of equal ones, the first given.
static size_t farthest(const abut_vec2 *points, uint32_t count, const ab_dvec2 *corners, size_t corner_count)
{
    const ab_dvec2 from = place_of(points[0]);
    size_t best = 0;
    double most = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_dvec2 here = place_of(points[i]);
        const double square = square_of_distance(from, here);
        for (size_t k = 0; k < corner_count && square > most; ++k)
        {
            if (same(corners[k], here))
            {
                best = k;
                most = square;
            }
        }
    }
    return best;
}

// The hull's vertex farthest from the first point is a corner, up to rounding of straight sides.
static ring ring_of(const ab_dvec2 *hull, size_t count, ab_dvec2 from)
{
    ring r = { hull, count, 0, 0.0 };
    double most = 0.0;
    for (size_t i = 0; i < count; ++i)
    {
        const double square = square_of_distance(from, hull[i]);
        r.first = square > most ? i : r.first;
        most = square > most ? square : most;
    }
    r.slack = STRAIGHT * sqrt(most);
    return r;
}

// `places` has room for the points and for their hull.
static abut_status find(const abut_vec2 *points, uint32_t count, ab_dvec2 *places, abut_vec2 corners[ABUT_MAX_VERTICES],
                        uint32_t *corner_count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        places[i] = place_of(points[i]);
    }
    ab_dvec2 *hull = places + count, chosen[MOST];
    const ring r = ring_of(hull, ab_hull_of(places, count, hull), place_of(points[0]));
    *corner_count = choose(&r, chosen);
    if (*corner_count < 3 || *corner_count == MOST)
    {
        return *corner_count < 3 ? ABUT_INVALID_ARGUMENT : ABUT_LIMIT;
    }
    const size_t first = farthest(points, count, chosen, *corner_count);
    for (uint32_t i = 0; i < *corner_count; ++i)
    {
        const ab_dvec2 here = chosen[(first + i) % *corner_count];
        corners[i] = (abut_vec2){ (float)here.x, (float)here.y };
    }
    return ABUT_OK;
}

static bool all_valid(const abut_vec2 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!(fabsf(points[i].x) <= ABUT_MAX_MAGNITUDE && fabsf(points[i].y) <= ABUT_MAX_MAGNITUDE))
        {
            return false;
        }
    }
    return true;
}

abut_status ab_corners_of(const abut_vec2 *points, uint32_t count, ab_memory *memory,
                          abut_vec2 corners[ABUT_MAX_VERTICES], uint32_t *corner_count)
{
    ab_dvec2 few[3 * FEW];
    if (!all_valid(points, count))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (count <= FEW)
    {
        return find(points, count, few, corners, corner_count);
    }
    const size_t bytes = ab_hull_bytes(count);
    ab_dvec2 *many = bytes ? ab_memory_take(memory, bytes) : NULL;
    if (!many)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const abut_status status = find(points, count, many, corners, corner_count);
    ab_memory_give(memory, many, bytes);
    return status;
}
