// The nearest points of two shapes, in double precision. Overlap of convex shapes agrees with abut_overlap.
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/convex/convex.h"
#include "narrow/placed.h"

static abut_vec3 narrowed(const double p[3])
{
    return abut_vec3_make((float)p[0], (float)p[1], (float)p[2]);
}

// One side, relative to the position of a.
static void make_convex(ab_convex *out, const ab_kind_set *kinds, const abut_pair_list *pairs, uint32_t i, uint32_t a,
                        bool is_2d)
{
    const abut_shape *shape = &pairs->shapes[i];
    const abut_vec3 origin = pairs->poses[a].position;
    abut_pose pose = pairs->poses[i];
    (void)ab_pose_accept(&pose); // normalises
    ab_frame frame = ab_frame_of(&pose, ab_shape_row_for(shape->kind)->turns);
    frame.position[0] -= (double)origin.x;
    frame.position[1] -= (double)origin.y;
    frame.position[2] -= (double)origin.z;
    ab_convex_at(out, kinds, shape, &frame, is_2d);
}

static void make_pair(ab_convex_pair *pair, const abut_pair_list *pairs, uint32_t a, uint32_t b, bool is_2d)
{
    const ab_kind_set kinds = ab_pair_list_kinds(pairs);
    make_convex(&pair->a, &kinds, pairs, a, a, is_2d);
    make_convex(&pair->b, &kinds, pairs, b, a, is_2d);
}

// For two convex shapes of a list that do not overlap.
static abut_closest apart(const abut_pair_list *pairs, uint32_t a, uint32_t b, bool is_2d)
{
    ab_convex_pair pair;
    ab_convex_contact contact;
    make_pair(&pair, pairs, a, b, is_2d);
    ab_convex_measure(&pair, &contact); // a depth: they are nearer than decided in float
    const float distance = contact.separation > 0.0 ? (float)contact.separation : 0.0f;
    return (abut_closest){ distance, narrowed(contact.on_a), narrowed(contact.on_b) };
}

#ifdef AB_MESHES
// For two shapes of a list of which one is made of parts: the nearest of those. Zeros when they overlap.
static abut_closest of_parts(const abut_pair_list *pairs, uint32_t a, uint32_t b, bool is_2d)
{
    ab_convex_pair pair;
    ab_convex_contact contact;
    uint32_t child;
    make_pair(&pair, pairs, a, b, is_2d);
    const bool turned = pair.a.row->surface;
    if (turned) // whose parts are asked is the second
    {
        const ab_convex surface = pair.a;
        pair.a = pair.b;
        pair.b = surface;
    }
    if (!ab_parts_distance(&pair, HUGE_VAL, &contact, &child))
    {
        return (abut_closest){ 0 };
    }
    const double *on_a = turned ? contact.on_b : contact.on_a, *on_b = turned ? contact.on_a : contact.on_b;
    return (abut_closest){ (float)contact.separation, narrowed(on_a), narrowed(on_b) };
}
#else
#define of_parts(pairs, a, b, is_2d) ((abut_closest){ 0 })
#endif

enum
{
    CHUNK = 64 // pairs tested for overlap at a time
};

static bool has_parts(const abut_pair_list *pairs, uint32_t k)
{
    return ab_placed_has_parts(&pairs->shapes[pairs->a[k]]) || ab_placed_has_parts(&pairs->shapes[pairs->b[k]]);
}

// How many pairs follow each other, at most a chunk, that have parts, or that have none.
static uint32_t count_alike(const abut_pair_list *pairs)
{
    uint32_t count = 1;
    while (count < CHUNK && count < pairs->pair_count && has_parts(pairs, count) == has_parts(pairs, 0))
    {
        ++count;
    }
    return count;
}

static abut_closest measured(const abut_pair_list *pairs, uint32_t k, const abut_manifold *overlap, bool is_2d)
{
    const abut_vec3 at = overlap->points[0].offset;
    return overlap->point_count > 0 ? (abut_closest){ 0.0f, at, at } : apart(pairs, pairs->a[k], pairs->b[k], is_2d);
}

// Small builds lay out a chunk for one pair, too.
#ifdef AB_SMALL
#define TRIES_ALONE false
#else
#define TRIES_ALONE true
#endif

// The contacts of convex shapes that overlap. A pair by itself does without a chunk.
static void find_overlaps(const abut_pair_list *pairs, bool is_2d, abut_manifold *out)
{
    const uint32_t a = pairs->a[0], b = pairs->b[0];
    if (!TRIES_ALONE || pairs->pair_count > 1 ||
        (is_2d ? abut_collide_2d : abut_collide)(&pairs->shapes[a], &pairs->poses[a], &pairs->shapes[b],
                                                 &pairs->poses[b], 0.0f, out) != ABUT_OK)
    {
        ab_pair_list_run(pairs, 0.0f, is_2d, NULL, out);
    }
}

// One of the results is NULL. The list was validated.
static void run(const abut_pair_list *pairs, bool is_2d, abut_closest *closest, float *distances)
{
    abut_manifold overlap[CHUNK];
    abut_pair_list chunk = *pairs;
    for (uint32_t first = 0; first < pairs->pair_count; first += chunk.pair_count)
    {
        chunk.a = pairs->a + first;
        chunk.b = pairs->b + first;
        chunk.pair_count = pairs->pair_count - first;
        chunk.pair_count = count_alike(&chunk);
        const bool parts = has_parts(&chunk, 0);
        if (!parts)
        {
            find_overlaps(&chunk, is_2d, overlap);
        }
        for (uint32_t k = 0; k < chunk.pair_count; ++k)
        {
            const abut_closest found =
                parts ? of_parts(&chunk, chunk.a[k], chunk.b[k], is_2d) : measured(&chunk, k, &overlap[k], is_2d);
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

static abut_status look_over_and_run(const abut_pair_list *pairs, bool is_2d, abut_closest *closest, float *distances)
{
    const abut_status status = ab_pair_list_look_over(pairs, is_2d, true);
    if (status != ABUT_OK || pairs->pair_count == 0)
    {
        return status;
    }
    if (!closest && !distances)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    run(pairs, is_2d, closest, distances);
    return ABUT_OK;
}

// Validation must not depend on the caller's floating-point environment either.
static abut_status in_own_environment(const abut_pair_list *pairs, bool is_2d, abut_closest *closest, float *distances)
{
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = look_over_and_run(pairs, is_2d, closest, distances);
    ab_platform_float_leave(before);
    return status;
}

abut_status abut_closest_points_many(const abut_pair_list *pairs, abut_closest *out)
{
    return in_own_environment(pairs, false, out, NULL);
}

abut_status abut_closest_points_2d_many(const abut_pair_list *pairs, abut_closest *out)
{
    return in_own_environment(pairs, true, out, NULL);
}

abut_status abut_distance_many(const abut_pair_list *pairs, float *distances)
{
    return in_own_environment(pairs, false, NULL, distances);
}

abut_status abut_distance_2d_many(const abut_pair_list *pairs, float *distances)
{
    return in_own_environment(pairs, true, NULL, distances);
}

// A list of one pair. Rejects custom shapes, because it has no kinds.
static abut_status one_pair(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            bool is_2d, abut_closest *closest, float *distance)
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
    return in_own_environment(&list, is_2d, closest, distance);
}

abut_status abut_closest_points(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, abut_closest *out)
{
    return one_pair(a, pose_a, b, pose_b, false, out, NULL);
}

abut_status abut_closest_points_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                   const abut_pose *pose_b, abut_closest *out)
{
    return one_pair(a, pose_a, b, pose_b, true, out, NULL);
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                          float *distance)
{
    return one_pair(a, pose_a, b, pose_b, false, NULL, distance);
}

abut_status abut_distance_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                             float *distance)
{
    return one_pair(a, pose_a, b, pose_b, true, NULL, distance);
}
