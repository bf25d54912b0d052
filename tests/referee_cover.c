// How well a manifold's points stand for the whole contact patch of two faces.
#include "referee_judgement.h"

// The incident face is the one most nearly parallel to the reference face; of equals, any.
referee_facing referee_face_to_face(const referee_judgement *j)
{
    bool of_a = j->code < 3;
    referee_facing facing = { .reference = of_a ? j->a : j->b, .incident = of_a ? j->b : j->a };
    facing.outward = facing.reference->axis[j->code % 3];
    if ((dvec3_dot(facing.outward, j->normal) < 0.0) == of_a)
    {
        facing.outward = dvec3_scale(facing.outward, -1.0);
    }

    double most = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        most = fmax(most, fabs(dvec3_dot(facing.incident->axis[i], facing.outward)));
    }
    for (int i = 0; i < 3; ++i)
    {
        if (fabs(dvec3_dot(facing.incident->axis[i], facing.outward)) >= most - 1e-5)
        {
            facing.patch[facing.count++] =
                referee_clip(facing.reference, j->code % 3, facing.outward, facing.incident, i);
        }
    }
    return facing;
}

static int keep_near(const referee_judgement *j, const referee_patch *patch, dvec3 kept[12])
{
    int count = 0;
    for (int k = 0; k < patch->count; ++k)
    {
        if (patch->height[k] <= j->margin)
        {
            kept[count++] = patch->vertex[k];
        }
    }
    return count;
}

static double perimeter_of(const dvec3 *vertices, int count)
{
    double perimeter = 0.0;
    for (int k = 0; k < count; ++k)
    {
        perimeter += dvec3_length(dvec3_sub(vertices[(k + 1) % count], vertices[k]));
    }
    return perimeter;
}

bool referee_patch_is_thin(const referee_judgement *j, const referee_patch *patch)
{
    dvec3 kept[12];
    int count = keep_near(j, patch, kept);
    return count < 3 || referee_best_four(kept, count, -1, j->normal) <= perimeter_of(kept, count) * j->exact;
}

#define SLOP 0x1p-18 // of the half extents of both faces: by so much a face is grown to clip another to it

// What the half extents of a face come to along the reference face's axes.
static double extents_of(const referee_solid *box, int face, const referee_facing *facing, int reference)
{
    double sum = 0.0;
    for (int i = 1; i < 3; ++i)
    {
        for (int k = 1; k < 3; ++k)
        {
            const dvec3 along = facing->reference->axis[(reference + k) % 3];
            sum += box->half[(face + i) % 3] * fabs(dvec3_dot(box->axis[(face + i) % 3], along));
        }
    }
    return sum;
}

// How far a vertex may be from where it is right: sides by what a face is grown by, so that flush edges survive rounding,
// and by rounding itself; their crossing so much farther as they are nearly parallel.
static double play_of(const referee_judgement *j, const referee_facing *facing, const referee_patch *patch)
{
    const int reference = j->code % 3;
    const double extents = extents_of(facing->reference, reference, facing, reference) +
                           extents_of(facing->incident, patch->incident_face, facing, reference);
    return (SLOP * extents + REFEREE_BAND * j->contact.scale) / patch->crossing;
}

// By how much rounding may change what the kept vertices span: the area of the whole patch by the play of its sides
// times its perimeter; but where a vertex's neighbour is dropped for its height, by the vertex's own play.
static double blur_of(const referee_judgement *j, const referee_facing *facing, const referee_patch *patch,
                      const dvec3 *kept, int count)
{
    double play = play_of(j, facing, patch) * (count < patch->count ? 1.0 : patch->crossing);
    return perimeter_of(kept, count) * play;
}

static int nearest_of(const dvec3 *vertices, int count, dvec3 point, dvec3 along, double *distance)
{
    int nearest = 0;
    *distance = HUGE_VAL;
    for (int k = 0; k < count; ++k)
    {
        dvec3 apart = dvec3_sub(vertices[k], point);
        double beside = dvec3_length(dvec3_along(apart, -dvec3_dot(apart, along), along));
        nearest = beside < *distance ? k : nearest;
        *distance = fmin(beside, *distance);
    }
    return nearest;
}

// Not measured where rounding would blur the answer by more than what is allowed, or where a vertex lies so near the
// margin that it may be in or out.
static double cover_of(const referee_judgement *j, const referee_facing *facing, const referee_patch *patch)
{
    const dvec3 outward = facing->outward;
    for (int k = 0; k < patch->count; ++k)
    {
        if (fabs(patch->height[k] - j->margin) <= 3.0 * j->exact)
        {
            return -1.0;
        }
    }
    dvec3 kept[12], ours[4];
    int count = keep_near(j, patch, kept);
    if (count < 3)
    {
        return -1.0;
    }
    double blur = blur_of(j, facing, patch, kept, count), moved;
    int with = nearest_of(kept, count, referee_world_point(j, 0), outward, &moved);
    double best = referee_best_four(kept, count, with, outward);
    if (moved <= play_of(j, facing, patch))
    {
        kept[with] = referee_world_point(j, 0);
        best = fmin(best, referee_best_four(kept, count, with, outward));
    }
    if (blur >= (1.0 - REFEREE_COVER) * best)
    {
        return -1.0;
    }
    for (int k = 0; k < (int)j->m->point_count; ++k)
    {
        ours[k] = referee_world_point(j, k);
    }
    return referee_best_four(ours, (int)j->m->point_count, -1, outward) / best;
}

double referee_cover(const referee_judgement *j, const referee_facing *facing)
{
    double best = 0.0;
    for (int k = 0; k < facing->count; ++k)
    {
        double covered = cover_of(j, facing, &facing->patch[k]);
        if (covered < 0.0)
        {
            return -1.0;
        }
        best = fmax(best, covered);
    }
    return best;
}
