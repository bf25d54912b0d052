// The convex hull of points in the xy plane, and the least rectangle around it by rotating calipers.
#include "math/hull.h"

#include <math.h>
#include <stdbool.h>

#define WORTH_DROPPING 16

size_t ab_hull_bytes(uint32_t count)
{
    const uint64_t bytes = (uint64_t)count * 3 * sizeof(ab_dvec2);
    return bytes <= SIZE_MAX ? (size_t)bytes : 0;
}

static bool before(ab_dvec2 a, ab_dvec2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Moves the point at `root` down the heap until no child comes after it.
static void sift(ab_dvec2 *heap, size_t root, size_t count)
{
    const ab_dvec2 moving = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child)
    {
        child += child + 1 < count && before(heap[child], heap[child + 1]);
        if (!before(moving, heap[child]))
        {
            break;
        }
        heap[root] = heap[child];
    }
    heap[root] = moving;
}

// Heapsort: needs no memory and has no worst case. Equal points are interchangeable, so it need not be stable.
static void sort(ab_dvec2 *points, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
    {
        sift(points, i, count);
    }
    for (size_t end = count; end-- > 1;)
    {
        const ab_dvec2 last = points[0];
        points[0] = points[end];
        points[end] = last;
        sift(points, 0, end);
    }
}

static ab_dvec2 from(ab_dvec2 a, ab_dvec2 b)
{
    return (ab_dvec2){ b.x - a.x, b.y - a.y };
}

static double dot(ab_dvec2 a, ab_dvec2 b)
{
    return a.x * b.x + a.y * b.y;
}

// Positive when b lies counter-clockwise of a.
static double cross(ab_dvec2 a, ab_dvec2 b)
{
    return a.x * b.y - a.y * b.x;
}

// Appends a point to the chain that began at `first`, after removing the points that are then no corners.
static size_t extend(ab_dvec2 *hull, size_t first, size_t end, ab_dvec2 point)
{
    while (end - first >= 2 && cross(from(hull[end - 2], hull[end - 1]), from(hull[end - 2], point)) <= 0.0)
    {
        --end;
    }
    hull[end] = point;
    return end + 1;
}

// Drops points inside the octagon of the extremes along the axes and diagonals; leaves few, unordered. S. G. Akl, G. T.
// Toussaint, A Fast Convex Hull Algorithm, Information Processing Letters 7(5), 1978.
static size_t drop_inside(ab_dvec2 *points, size_t count)
{
    static const ab_dvec2 directions[8] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                            { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };
    ab_dvec2 corner[8], side[8];
    double reach[8];
    for (size_t i = 0; i < count; ++i)
    {
        for (int k = 0; k < 8; ++k)
        {
            const double along = dot(directions[k], points[i]);
            if (i == 0 || along > reach[k])
            {
                reach[k] = along;
                corner[k] = points[i];
            }
        }
    }
    int sides = 0;
    for (int k = 0; k < 8; ++k)
    {
        const ab_dvec2 edge = from(corner[k], corner[(k + 1) % 8]);
        if (edge.x != 0.0 || edge.y != 0.0)
        {
            corner[sides] = corner[k];
            side[sides++] = edge;
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
    {
        int k = 0;
        while (k < sides && cross(side[k], from(corner[k], points[i])) > 0.0)
        {
            ++k;
        }
        points[left] = points[i];
        left += k < sides || sides == 0;
    }
    return left;
}

// The lower chain from left to right, then the upper one back: A. M. Andrew, Another Efficient Algorithm for Convex
// Hulls in Two Dimensions, Information Processing Letters 9(5), 1979.
size_t ab_hull_of(ab_dvec2 *points, size_t count, ab_dvec2 *hull)
{
    size_t end = 0;
    count = count > WORTH_DROPPING ? drop_inside(points, count) : count;
    sort(points, count);
    for (size_t i = 0; i < count; ++i)
    {
        end = extend(hull, 0, end, points[i]);
    }
    // The upper chain begins with the last of the lower one and ends with its first, which is not repeated.
    const size_t turn = end - 1;
    for (size_t i = count; i-- > 0;)
    {
        end = extend(hull, turn, end, points[i]);
    }
    const bool one = turn == 0 || (hull[0].x == hull[turn].x && hull[0].y == hull[turn].y);
    return one ? 1 : end - 1;
}

// Advances around the hull one edge and the three corners that lie farthest along it, across it and against it: G. T.
// Toussaint, Solving Geometric Problems with the Rotating Calipers, IEEE MELECON 1983. The least rectangle has a side
// on an edge: H. Freeman, R. Shapira, Communications of the ACM 18(7), 1975.
ab_rectangle ab_least_rectangle(const ab_dvec2 *hull, size_t count, double granularity)
{
    ab_rectangle best = { { 1.0, 0.0 }, 0.0, 0.0 };
    double least = INFINITY;
    size_t ahead = 1, across = 1, back = 1; // may exceed the number of corners: taken modulo it
    for (size_t i = 0; i < count && count > 1; ++i)
    {
        const ab_dvec2 edge = from(hull[i], hull[(i + 1) % count]), inward = { -edge.y, edge.x };
#define STEP(k) from(hull[(k) % count], hull[((k) + 1) % count])
        ahead = ahead < i + 1 ? i + 1 : ahead;
        for (; ahead < i + count && dot(edge, STEP(ahead)) > 0.0; ++ahead)
        {
        }
        across = across < ahead ? ahead : across;
        for (; across < i + count && dot(inward, STEP(across)) > 0.0; ++across)
        {
        }
        back = back < across ? across : back;
        for (; back < i + count && dot(edge, STEP(back)) < 0.0; ++back)
        {
        }
#undef STEP
        const double length = sqrt(dot(edge, edge));
        const double first = dot(edge, from(hull[back % count], hull[ahead % count])) / length;
        const double second = dot(inward, from(hull[i], hull[across % count])) / length;
        const double area = (first > granularity ? first : granularity) * (second > granularity ? second : granularity);
        if (area < least)
        {
            least = area;
            best = (ab_rectangle){ { edge.x / length, edge.y / length }, first, second };
        }
    }
    return best;
}
