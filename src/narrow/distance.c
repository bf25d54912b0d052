// The two nearest points of two shapes, in double precision. Boxes by their features: the nearest points of two disjoint
// boxes are a corner of one and its nearest point on the other, or lie on an edge each. Overlap is what abut_overlap says
// it is.
#include "base/platform.h"
#include "narrow/placed.h"

#include <math.h>

typedef struct point
{
    double x, y, z;
} point;

// A box, or a ball around a point (a box of no size).
typedef struct solid
{
    point centre; // from the position of a
    point axis[3];
    double half[3];
    double radius;
} solid;

typedef struct nearest
{
    point on_a, on_b;
    double square; // of the distance
} nearest;

static point sub(point a, point b)
{
    return (point){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static point along(point base, point direction, double by)
{
    return (point){ base.x + direction.x * by, base.y + direction.y * by, base.z + direction.z * by };
}

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double clamp(double x, double limit)
{
    return x < -limit ? -limit : x > limit ? limit : x;
}

// The axes are taken from the rotation anew: those of a record are rounded to float.
static solid solid_of(const abut_shape *shape, const ab_record *record, const abut_pose *pose, point centre)
{
    solid s = { .centre = centre, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    if (shape->kind == ABUT_SPHERE)
    {
        s.radius = (double)record->half_x;
        return s;
    }
    s.half[0] = (double)record->half_x;
    s.half[1] = (double)record->half_y;
    s.half[2] = (double)record->half_z;
    if (shape->kind == ABUT_OBB)
    {
        const double x = (double)pose->rotation.x, y = (double)pose->rotation.y, z = (double)pose->rotation.z;
        const double w = (double)pose->rotation.w, scale = 2.0 / (x * x + y * y + z * z + w * w);
        s.axis[0] = (point){ 1 - scale * (y * y + z * z), scale * (x * y + w * z), scale * (x * z - w * y) };
        s.axis[1] = (point){ scale * (x * y - w * z), 1 - scale * (x * x + z * z), scale * (y * z + w * x) };
        s.axis[2] = (point){ scale * (x * z + w * y), scale * (y * z - w * x), 1 - scale * (x * x + y * y) };
    }
    return s;
}

static point nearest_in_box(const solid *box, point p)
{
    const point from_centre = sub(p, box->centre);
    point found = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        found = along(found, box->axis[i], clamp(dot(from_centre, box->axis[i]), box->half[i]));
    }
    return found;
}

static void keep_nearer(nearest *best, point on_a, point on_b)
{
    const point gap = sub(on_b, on_a);
    const double square = dot(gap, gap);
    if (square < best->square)
    {
        *best = (nearest){ on_a, on_b, square };
    }
}

static point corner(const solid *box, int index)
{
    point p = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        p = along(p, box->axis[i], index >> i & 1 ? box->half[i] : -box->half[i]);
    }
    return p;
}

// The middle of edge `side` (0 to 3) of the four along axis i.
static point edge_middle(const solid *box, int i, int side)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const point p = along(box->centre, box->axis[i1], side & 1 ? box->half[i1] : -box->half[i1]);
    return along(p, box->axis[i2], side & 2 ? box->half[i2] : -box->half[i2]);
}

// C. Ericson, "Real-Time Collision Detection" (2005), 5.1.9, for segments given by their middles and unit directions.
static void edge_edge(nearest *best, point middle_a, point u, double half_a, point middle_b, point v, double half_b)
{
    const point gap = sub(middle_b, middle_a);
    const double cosine = dot(u, v), on_u = dot(gap, u), on_v = dot(gap, v);
    const double square_sine = 1.0 - cosine * cosine;
    const double s = square_sine > 1e-12 ? clamp((on_u - cosine * on_v) / square_sine, half_a) : 0.0;
    const double t = clamp(cosine * s - on_v, half_b);
    keep_nearer(best, along(middle_a, u, clamp(on_u + cosine * t, half_a)), along(middle_b, v, t));
}

static nearest nearest_of_boxes(const solid *a, const solid *b)
{
    nearest best = { .square = HUGE_VAL };
    for (int k = 0; k < 8; ++k)
    {
        keep_nearer(&best, corner(a, k), nearest_in_box(b, corner(a, k)));
        keep_nearer(&best, nearest_in_box(a, corner(b, k)), corner(b, k));
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 16; ++k)
            {
                edge_edge(&best, edge_middle(a, i, k & 3), a->axis[i], a->half[i], edge_middle(b, j, k >> 2),
                          b->axis[j], b->half[j]);
            }
        }
    }
    return best;
}

// Balls shrink to their centres first, then give back their radii.
static nearest nearest_of(const abut_shape *shape_a, const solid *a, const abut_shape *shape_b, const solid *b)
{
    nearest best = { .square = HUGE_VAL };
    if (shape_a->kind == ABUT_SPHERE)
    {
        keep_nearer(&best, a->centre, nearest_in_box(b, a->centre));
    }
    else if (shape_b->kind == ABUT_SPHERE)
    {
        keep_nearer(&best, nearest_in_box(a, b->centre), b->centre);
    }
    else
    {
        best = nearest_of_boxes(a, b);
    }
    const double distance = sqrt(best.square);
    const double rest = distance - a->radius - b->radius;
    if (rest > 0.0)
    {
        const point gap = sub(best.on_b, best.on_a);
        best.on_a = along(best.on_a, gap, a->radius / distance);
        best.on_b = along(best.on_b, gap, -b->radius / distance);
        best.square = rest * rest;
    }
    else
    {
        best.on_b = best.on_a; // nearer than float could tell when it said they do not overlap
        best.square = 0.0;
    }
    return best;
}

static abut_vec3 narrowed(point p)
{
    return abut_vec3_make((float)p.x, (float)p.y, (float)p.z);
}

static abut_closest measure(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b)
{
    ab_record record[2];
    ab_placed_record(&record[0], NULL, a, pose_a, 0);
    ab_placed_record(&record[1], NULL, b, pose_b, 1);
    const point apart = { (double)pose_b->position.x - (double)pose_a->position.x,
                          (double)pose_b->position.y - (double)pose_a->position.y,
                          (double)pose_b->position.z - (double)pose_a->position.z };
    const solid solid_a = solid_of(a, &record[0], pose_a, (point){ 0, 0, 0 });
    const solid solid_b = solid_of(b, &record[1], pose_b, apart);
    const nearest best = nearest_of(a, &solid_a, b, &solid_b);
    return (abut_closest){ (float)sqrt(best.square), narrowed(best.on_a), narrowed(best.on_b) };
}

abut_status abut_closest_points(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, abut_closest *out)
{
    abut_manifold overlap;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = abut_collide(a, pose_a, b, pose_b, 0.0f, &overlap);
    if (status == ABUT_OK && overlap.point_count)
    {
        *out = (abut_closest){ 0.0f, overlap.points[0].offset, overlap.points[0].offset };
    }
    else if (status == ABUT_OK)
    {
        const uint64_t before = ab_platform_float_enter();
        *out = measure(a, pose_a, b, pose_b);
        ab_platform_float_leave(before);
    }
    return status;
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                          float *distance)
{
    abut_closest closest;
    abut_status status = distance ? abut_closest_points(a, pose_a, b, pose_b, &closest) : ABUT_INVALID_ARGUMENT;
    if (status == ABUT_OK)
    {
        *distance = closest.distance;
    }
    return status;
}
