// The two nearest points of two shapes, in double precision. Boxes by their features: the nearest points of two disjoint
// boxes are a corner of one and its nearest point on the other, or lie on an edge each. Overlap is what abut_overlap says
// it is.
#include "base/platform.h"
#include "narrow/convex.h"
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

static abut_closest measure(const abut_shape *a, const abut_pose *pose_a, const ab_record *record_a,
                            const abut_shape *b, const abut_pose *pose_b, const ab_record *record_b)
{
    const point apart = { (double)pose_b->position.x - (double)pose_a->position.x,
                          (double)pose_b->position.y - (double)pose_a->position.y,
                          (double)pose_b->position.z - (double)pose_a->position.z };
    const solid solid_a = solid_of(a, record_a, pose_a, (point){ 0, 0, 0 });
    const solid solid_b = solid_of(b, record_b, pose_b, apart);
    const nearest best = nearest_of(a, &solid_a, b, &solid_b);
    return (abut_closest){ (float)sqrt(best.square), narrowed(best.on_a), narrowed(best.on_b) };
}

static abut_vec3 narrowed_array(const double p[3])
{
    return abut_vec3_make((float)p[0], (float)p[1], (float)p[2]);
}

// By support functions, as the kernels of custom shapes measure.
static abut_closest measure_convex(const abut_shape shape[2], const ab_record record[2], const ab_kind_set *kinds)
{
    static const uint32_t own_place[2] = { 0, 1 };
    const ab_batch batch = { .records = record, .colliders = own_place, .shapes = shape, .kinds = kinds };
    ab_convex_pair pair;
    ab_meeting_point meeting;
    ab_convex_pair_of(&pair, &batch, 0, 1);
    ab_convex_meet(&pair, HUGE_VAL, &meeting);
    const float distance = meeting.separation > 0.0 ? (float)meeting.separation : 0.0f;
    return (abut_closest){ distance, narrowed_array(meeting.on_a), narrowed_array(meeting.on_b) };
}

// Of two shapes of a list that do not overlap.
static abut_closest apart(const abut_pair_list *pairs, uint32_t a, uint32_t b)
{
    const ab_kind_set kinds = ab_pair_list_kinds(pairs);
    const abut_shape shape[2] = { pairs->shapes[a], pairs->shapes[b] };
    ab_record record[2];
    ab_placed_record(&record[0], &kinds, &shape[0], &pairs->poses[a], 0);
    ab_placed_record(&record[1], &kinds, &shape[1], &pairs->poses[b], 1);
    return shape[0].kind == ABUT_CUSTOM || shape[1].kind == ABUT_CUSTOM
               ? measure_convex(shape, record, &kinds)
               : measure(&shape[0], &pairs->poses[a], &record[0], &shape[1], &pairs->poses[b], &record[1]);
}

enum
{
    CHUNK = 64 // pairs whose overlap is found at a time
};

// Either of the results is NULL. The list was looked over.
static void run(const abut_pair_list *pairs, abut_closest *closest, float *distances)
{
    abut_manifold overlap[CHUNK];
    for (uint32_t first = 0; first < pairs->pair_count; first += CHUNK)
    {
        abut_pair_list chunk = *pairs;
        chunk.a = pairs->a + first;
        chunk.b = pairs->b + first;
        chunk.pair_count = pairs->pair_count - first < CHUNK ? pairs->pair_count - first : CHUNK;
        ab_pair_list_run(&chunk, 0.0f, false, NULL, overlap);
        for (uint32_t k = 0; k < chunk.pair_count; ++k)
        {
            const abut_vec3 at = overlap[k].points[0].offset;
            const abut_closest found =
                overlap[k].point_count ? (abut_closest){ 0.0f, at, at } : apart(pairs, chunk.a[k], chunk.b[k]);
            if (closest)
            {
                closest[first + k] = found;
            }
            else
            {
                distances[first + k] = found.distance;
            }
        }
    }
}

static abut_status look_over_and_run(const abut_pair_list *pairs, abut_closest *closest, float *distances)
{
    const abut_status status = ab_pair_list_look_over(pairs, false);
    if (status != ABUT_OK || pairs->pair_count == 0)
    {
        return status;
    }
    if (!closest && !distances)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    run(pairs, closest, distances);
    ab_platform_float_leave(before);
    return ABUT_OK;
}

abut_status abut_closest_points_many(const abut_pair_list *pairs, abut_closest *out)
{
    return look_over_and_run(pairs, out, NULL);
}

abut_status abut_distance_many(const abut_pair_list *pairs, float *distances)
{
    return look_over_and_run(pairs, NULL, distances);
}

// A list of one pair, which refuses custom shapes because it brings no kinds.
static abut_status one_pair(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            abut_closest *closest, float *distance)
{
    static const uint32_t first = 0, second = 1;
    if (!a || !b || !pose_a || !pose_b)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const abut_shape shapes[2] = { *a, *b };
    const abut_pose poses[2] = { *pose_a, *pose_b };
    const abut_pair_list list = {
        .shapes = shapes, .poses = poses, .shape_count = 2, .pair_count = 1, .a = &first, .b = &second
    };
    return look_over_and_run(&list, closest, distance);
}

abut_status abut_closest_points(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, abut_closest *out)
{
    return one_pair(a, pose_a, b, pose_b, out, NULL);
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                          float *distance)
{
    return one_pair(a, pose_a, b, pose_b, NULL, distance);
}
