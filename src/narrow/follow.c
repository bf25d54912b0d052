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

void ab_anchor_manifold(const ab_packed_manifold *packed, uint32_t count, const ab_record *records, ab_anchored *out)
{
    const float *const a = records[packed->proxy_a].position, *const b = records[packed->proxy_b].position;
    for (uint32_t k = 0; k < 3; ++k)
    {
        out->between[k] = b[k] - a[k];
    }
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        out->gap[k] = k < count ? ab_packed_manifold_geometry(packed, k)->separation : AB_NO_POINT;
    }
    out->separation = packed->separation;
}

void ab_follow_none(const ab_anchored *at, ab_separations *out)
{
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        out->gap[k] = at->gap[k] + 0.0f;
    }
    out->separation = at->separation + 0.0f;
}

bool ab_follow_manifold(const ab_packed_manifold *packed, uint32_t count, const ab_record *records,
                        const ab_shift *shifts, ab_anchored *at, ab_separations *out)
{
    const ab_shift *a = &shifts[records[packed->proxy_a].collider_key >> 8],
                   *b = &shifts[records[packed->proxy_b].collider_key >> 8];
    ab_anchor_manifold(packed, count, records, at);
    if (!has_moved(a) && !has_moved(b))
    {
        ab_follow_none(at, out);
        return false;
    }
    const float turn[3] = { b->turn[0] - a->turn[0], b->turn[1] - a->turn[1], b->turn[2] - a->turn[2] };
    float around[3], lean[3], way[3];
    cross(b->turn, at->between, around);
    cross(packed->normal, turn, lean);
    for (uint32_t k = 0; k < 3; ++k)
    {
        way[k] = b->way[k] - a->way[k] - around[k];
    }
    const float all = dot(packed->normal, way) + 0.0f; // no negative zero
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        const ab_point_geometry *point = ab_packed_manifold_geometry(packed, k < count ? k : 0);
        out->gap[k] = k < count ? at->gap[k] + (all + dot(lean, point->offset)) : AB_NO_POINT;
    }
    out->separation = at->separation + (least(out->gap) - least(at->gap));
    return true;
}
