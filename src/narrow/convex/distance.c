// The nearest points of two shapes, in double precision. Overlap agrees with abut_overlap.
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/convex/convex.h"
#include "narrow/placed.h"

#include <math.h>

static abut_vec3 narrowed(const double p[3])
{
    return abut_vec3_make((float)p[0], (float)p[1], (float)p[2]);
}

// One side, relative to the position of a.
static void place(ab_convex *out, const ab_kind_set *kinds, const abut_pair_list *pairs, uint32_t i, uint32_t a,
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

// For two shapes of a list that do not overlap.
static abut_closest apart(const abut_pair_list *pairs, uint32_t a, uint32_t b, bool is_2d)
{
    const ab_kind_set kinds = ab_pair_list_kinds(pairs);
    ab_convex_pair pair;
    ab_convex_contact contact;
    place(&pair.a, &kinds, pairs, a, a, is_2d);
    place(&pair.b, &kinds, pairs, b, a, is_2d);
    ab_convex_measure(&pair, &contact); // a depth: they are nearer than decided in float
    const float distance = contact.separation > 0.0 ? (float)contact.separation : 0.0f;
    return (abut_closest){ distance, narrowed(contact.on_a), narrowed(contact.on_b) };
}

enum
{
    CHUNK = 64 // pairs tested for overlap at a time
};

// One of the results is NULL. The list was validated.
static void run(const abut_pair_list *pairs, bool is_2d, abut_closest *closest, float *distances)
{
    abut_manifold overlap[CHUNK];
    for (uint32_t first = 0; first < pairs->pair_count; first += CHUNK)
    {
        abut_pair_list chunk = *pairs;
        chunk.a = pairs->a + first;
        chunk.b = pairs->b + first;
        chunk.pair_count = pairs->pair_count - first < CHUNK ? pairs->pair_count - first : CHUNK;
        ab_pair_list_run(&chunk, 0.0f, is_2d, NULL, overlap);
        for (uint32_t k = 0; k < chunk.pair_count; ++k)
        {
            const abut_vec3 at = overlap[k].points[0].offset;
            const abut_closest found =
                overlap[k].point_count ? (abut_closest){ 0.0f, at, at } : apart(pairs, chunk.a[k], chunk.b[k], is_2d);
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
    const abut_status status = ab_pair_list_look_over(pairs, is_2d);
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
