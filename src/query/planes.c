// Clips a way by planes.
#include "query/planes.h"

#include "math/rotation.h"

#define CREASE 1e-6f // squared sine: planes with less between them have no crease

ab_planes ab_planes_none(abut_vec3 way, abut_vec3 translation)
{
    ab_planes p;
    p.count = 0;
    p.way = way;
    p.translation = translation;
    return p;
}

static bool is_free(const ab_planes *p, abut_vec3 way)
{
    const float least = -AB_PLANES_FREE * ab_vec3_length(way);
    bool free = true;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        free = free && abut_vec3_dot(way, p->normal[i]) >= least;
    }
    return free;
}

static abut_vec3 along_plane(abut_vec3 way, abut_vec3 normal)
{
    return abut_vec3_sub(way, abut_vec3_scale(normal, abut_vec3_dot(way, normal)));
}

static abut_vec3 along_crease(abut_vec3 way, abut_vec3 a, abut_vec3 b)
{
    const abut_vec3 crease = abut_vec3_cross(a, b);
    const float square = abut_vec3_dot(crease, crease);
    return abut_vec3_scale(crease, square > CREASE ? abut_vec3_dot(way, crease) / square : 0.0f);
}

abut_vec3 ab_planes_clip(const ab_planes *p, abut_vec3 way)
{
    abut_vec3 best = abut_vec3_make(0.0f, 0.0f, 0.0f);
    if (is_free(p, way))
    {
        return way;
    }
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const abut_vec3 on = along_plane(way, p->normal[i]);
        if (abut_vec3_dot(way, p->normal[i]) < 0.0f && is_free(p, on))
        {
            return on;
        }
    }
    for (uint32_t i = 0; i < p->count; ++i)
    {
        for (uint32_t k = 0; k < i; ++k)
        {
            const abut_vec3 on = along_crease(way, p->normal[i], p->normal[k]);
            best = is_free(p, on) && abut_vec3_dot(on, on) > abut_vec3_dot(best, best) ? on : best;
        }
    }
    return best;
}
