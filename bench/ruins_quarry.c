// Doubles in a fixed order, no libm but square roots: the same stones everywhere.
#include "ruins_quarry.h"

#include "storage.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_APART 0.5  // metres between the points that cells are of
#define REACH       4.0  // metres: points farther away than that do not cut a cell
#define MOST_PLANES 512u // that may cut one
#define MOST_FACE   64u  // corners of a face
#define MOST_CELL   256u // corners of a cell
#define CHIP        0.08 // metres: of corners nearer to each other one is left
#define GROWN       1.03 // rocks reach a little into their neighbours'

typedef struct point
{
    double x, y, z;
} point;

// Points p of a cell have p . normal <= distance, measured from the cell's own point.
typedef struct plane
{
    point normal; // unit
    double distance;
} plane;

typedef struct cell
{
    point corners[MOST_CELL];
    uint32_t corner_count;
    plane faces[MOST_PLANES];
    uint32_t face_count;
} cell;

static point sum(point a, double scale, point b)
{
    return (point){ a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z };
}

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double lower(double a, double b)
{
    return a < b ? a : b;
}

static double higher(double a, double b)
{
    return a > b ? a : b;
}

static point cross(point a, point b)
{
    return (point){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static point unit(point a)
{
    const double length = sqrt(dot(a, a));
    return (point){ a.x / length, a.y / length, a.z / length };
}

// The nearest image of b as seen from a, where the block repeats itself along x and z.
static point towards(point a, point b)
{
    const double side = (double)QUARRY_SIDE;
    point apart = sum(b, -1.0, a);
    apart.x += apart.x > 0.5 * side ? -side : apart.x < -0.5 * side ? side : 0.0;
    apart.z += apart.z > 0.5 * side ? -side : apart.z < -0.5 * side ? side : 0.0;
    return apart;
}

static void scatter(point *points, pcg32 *random)
{
    for (uint32_t count = 0; count < QUARRY_STONES;)
    {
        const double x = (double)pcg32_between(random, 0.0f, QUARRY_SIDE),
                     y = (double)pcg32_between(random, 0.25f, QUARRY_SIDE - 0.25f);
        const point at = { x, y, (double)pcg32_between(random, 0.0f, QUARRY_SIDE) };
        bool free = true;
        for (uint32_t i = 0; free && i < count; ++i)
        {
            const point apart = towards(at, points[i]);
            free = dot(apart, apart) >= LEAST_APART * LEAST_APART;
        }
        points[count] = at;
        count += free;
    }
}

static int nearest_first(const void *left, const void *right)
{
    const plane *a = left, *b = right;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

// The planes that may cut the cell of a point: bottom and top, and half-way to the points around, images among them.
static uint32_t planes_around(const point *points, uint32_t own, plane *out)
{
    const double side = (double)QUARRY_SIDE, y = points[own].y;
    uint32_t count = 0;
    out[count++] = (plane){ { 0, -1, 0 }, y };
    out[count++] = (plane){ { 0, 1, 0 }, side - y };
    for (uint32_t image = 0; image < 9 * QUARRY_STONES; ++image)
    {
        const point shift = { side * ((double)(image % 3) - 1.0), 0, side * ((double)(image / 3 % 3) - 1.0) };
        const point apart = sum(sum(points[image / 9], 1.0, shift), -1.0, points[own]);
        const double squared = dot(apart, apart);
        if (squared > 0.0 && squared < REACH * REACH && count < MOST_PLANES)
        {
            out[count++] = (plane){ unit(apart), 0.5 * sqrt(squared) };
        }
    }
    qsort(out, count, sizeof *out, nearest_first);
    return count;
}

// Keeps the part of a polygon that is behind the plane. Gives its number of corners.
static uint32_t cut(point *polygon, uint32_t count, const plane *by)
{
    point kept[MOST_FACE];
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const point a = polygon[i], b = polygon[(i + 1) % count];
        const double above_a = dot(a, by->normal) - by->distance, above_b = dot(b, by->normal) - by->distance;
        if (above_a <= 0.0 && left < MOST_FACE)
        {
            kept[left++] = a;
        }
        if ((above_a <= 0.0) != (above_b <= 0.0) && left < MOST_FACE)
        {
            kept[left++] = sum(a, above_a / (above_a - above_b), sum(b, -1.0, a));
        }
    }
    for (uint32_t i = 0; i < left; ++i)
    {
        polygon[i] = kept[i];
    }
    return left;
}

// What all other planes leave of one: a large square to begin with.
static uint32_t face_on(const plane *planes, uint32_t count, uint32_t own, point *out)
{
    const point normal = planes[own].normal;
    const point beside = normal.y * normal.y < 0.5 ? (point){ 0, 1, 0 } : (point){ 1, 0, 0 };
    const point u = unit(cross(normal, beside)), v = cross(normal, u),
                foot = sum((point){ 0 }, planes[own].distance, normal);
    const double signs[4][2] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
    uint32_t corners = 4;
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = sum(sum(foot, REACH * signs[i][0], u), REACH * signs[i][1], v);
    }
    for (uint32_t i = 0; corners > 0 && i < count; ++i)
    {
        corners = i == own ? corners : cut(out, corners, &planes[i]);
    }
    return corners;
}

static void add_corner(cell *c, point corner)
{
    for (uint32_t i = 0; i < c->corner_count; ++i)
    {
        const point apart = sum(corner, -1.0, c->corners[i]);
        if (dot(apart, apart) < CHIP * CHIP)
        {
            return;
        }
    }
    if (c->corner_count < MOST_CELL)
    {
        c->corners[c->corner_count++] = corner;
    }
}

static void find_cell(cell *out, const plane *planes, uint32_t count)
{
    out->corner_count = out->face_count = 0;
    for (uint32_t own = 0; own < count; ++own)
    {
        point face[MOST_FACE];
        const uint32_t corners = face_on(planes, count, own, face);
        for (uint32_t i = 0; i < corners; ++i)
        {
            add_corner(out, face[i]);
        }
        if (corners > 2)
        {
            out->faces[out->face_count++] = planes[own];
        }
    }
}

// Where a ray from the cell's point leaves its rounded body: the sixteenth powers of the shares of the way to each face
// add up to one, which is a norm's ball, and convex therefore.
static point rounded(const cell *c, point way)
{
    double powers = 0.0;
    for (uint32_t i = 0; i < c->face_count; ++i)
    {
        const double along = dot(way, c->faces[i].normal) / c->faces[i].distance;
        const double second = along > 0.0 ? along * along : 0.0, fourth = second * second, eighth = fourth * fourth;
        powers += eighth * eighth;
    }
    const double gauge = sqrt(sqrt(sqrt(sqrt(powers))));
    return sum((point){ 0 }, GROWN / gauge, way);
}

// Directions on a spiral from pole to pole, each a little beside it.
static uint32_t rock(const cell *c, point *out, pcg32 *random)
{
    const uint32_t count = 12 + pcg32_below(random, 53);
    const abut_quat turn = pcg32_rotation(random);
    for (uint32_t i = 0; i < count; ++i)
    {
        float sine, cosine;
        const float height = 1.0f - (float)(2 * i + 1) / (float)count, ring = sqrtf(1.0f - height * height);
        abut_sincos(2.3999632f * (float)i, &sine, &cosine);
        const abut_vec3 on = abut_quat_rotate(turn, abut_vec3_make(ring * cosine, height, ring * sine));
        const abut_vec3 way = abut_vec3_add(on, abut_vec3_scale(pcg32_in_ball(random), 1.0f / sqrtf((float)count)));
        out[i] = rounded(c, unit((point){ (double)way.x, (double)way.y, (double)way.z }));
    }
    return count;
}

// The points as a hull about the middle of their box, turned at random in its own frame and back by its pose.
static bool make_stone(quarry_stone *out, point seed, const point *points, uint32_t count, pcg32 *random)
{
    abut_vec3 local[MOST_CELL];
    point low = points[0], high = points[0];
    for (uint32_t i = 1; i < count; ++i)
    {
        low = (point){ lower(low.x, points[i].x), lower(low.y, points[i].y), lower(low.z, points[i].z) };
        high = (point){ higher(high.x, points[i].x), higher(high.y, points[i].y), higher(high.z, points[i].z) };
    }
    const point middle = sum(sum((point){ 0 }, 0.5, low), 0.5, high), at = sum(seed, 1.0, middle);
    const abut_quat rotation = pcg32_rotation(random), back = abut_quat_conjugate(rotation);
    for (uint32_t i = 0; i < count; ++i)
    {
        const point p = sum(points[i], -1.0, middle);
        local[i] = abut_quat_rotate(back, abut_vec3_make((float)p.x, (float)p.y, (float)p.z));
    }
    out->pose = (abut_pose){ .position = abut_vec3_make((float)at.x, (float)at.y, (float)at.z), .rotation = rotation };
    const abut_vec3 *vertices;
    if (abut_geometry_create_hull(local, count, 64, NULL, &out->hull) != ABUT_OK)
    {
        return false;
    }
    if (abut_geometry_hull_vertices(out->hull, &vertices) >= 8)
    {
        return true;
    }
    abut_geometry_release(out->hull);
    return false;
}

void quarry_break(quarry_stone *out, pcg32 *random)
{
    point points[QUARRY_STONES], stone[64];
    plane *planes = storage_take(MOST_PLANES, sizeof *planes);
    cell *c = storage_take(1, sizeof *c);
    scatter(points, random);
    for (uint32_t i = 0; i < QUARRY_STONES; ++i)
    {
        find_cell(c, planes, planes_around(points, i, planes));
        const bool cut_block = i % 2 == 0 && make_stone(&out[i], points[i], c->corners, c->corner_count, random);
        if (!cut_block && !make_stone(&out[i], points[i], stone, rock(c, stone, random), random))
        {
            storage_end("a stone of a scene cannot be made");
        }
    }
    storage_give(planes);
    storage_give(c);
}
