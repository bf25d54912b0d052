// Follows one new manifold to the present poses: the scalar form of follow_kernels.c.
#include "narrow/follow.h"

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float least(const float gap[AB_MAX_POINTS])
{
    float found = gap[0];
    for (uint32_t k = 1; k < AB_MAX_POINTS; ++k)
    {
        found = gap[k] < found ? gap[k] : found;
    }
    return found;
}

static bool has_moved(const ab_shift *s)
{
    return s->way[0] != 0.0f || s->way[1] != 0.0f || s->way[2] != 0.0f || s->turn[0] != 0.0f || s->turn[1] != 0.0f ||
           s->turn[2] != 0.0f;
}

bool ab_follow_manifold(const ab_packed_manifold *packed, uint32_t count, const ab_record *records,
                        const ab_shift *shifts, ab_anchored *at, ab_separations *out)
{
    const ab_record *record_a = &records[packed->proxy_a], *record_b = &records[packed->proxy_b];
    const ab_shift *a = &shifts[record_a->collider_key >> 8], *b = &shifts[record_b->collider_key >> 8];
    const float turn[3] = { b->turn[0] - a->turn[0], b->turn[1] - a->turn[1], b->turn[2] - a->turn[2] };
    float around[3], lean[3], way[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        at->between[k] = record_b->position[k] - record_a->position[k];
    }
    cross(b->turn, at->between, around);
    cross(packed->normal, turn, lean);
    for (uint32_t k = 0; k < 3; ++k)
    {
        way[k] = b->way[k] - a->way[k] - around[k];
    }
    const float all = dot(packed->normal, way);
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        const ab_point_geometry *point = ab_packed_manifold_geometry(packed, k < count ? k : 0);
        at->gap[k] = k < count ? point->separation : AB_NO_POINT;
        out->gap[k] = k < count ? at->gap[k] + (all + dot(lean, point->offset)) : AB_NO_POINT;
    }
    at->separation = packed->separation;
    out->separation = packed->separation + (least(out->gap) - least(at->gap));
    return has_moved(a) || has_moved(b);
}
